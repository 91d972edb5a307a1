//! Oldest first: grants the request of the oldest packet among those that can still be granted, until none is
//! left. Of packets made in the same cycle the lowest row goes first, then the lowest column.

use super::explained::rules;
use super::{Allocator, AllocatorEntry, Apart, Matches, Memory, Remembered, Requests};
use crate::bits::Bits;

pub(super) const ENTRY: AllocatorEntry = AllocatorEntry {
    name: "age",
    summary: "the oldest packet's request first, then the next oldest",
    allocator: Allocator::Age,
    apart: Apart::ByAge,
    rules: rules!(
        "age",
        "the oldest packet's bid is granted first, then the next oldest's of those that can still be granted",
        "Abts and Weisser 2007"
    ),
};

pub(super) fn allocate<B: Bits, const N: usize>(
    _: &mut Memory<B, N>,
    _: usize,
    requests: &Requests<B, N>,
    born: impl Fn(usize, usize) -> u64,
    matches: &mut Matches<B, N>,
) {
    loop {
        let mut oldest: Option<(u64, usize, usize)> = None;
        for row in (requests.asking & !matches.rows).numbers() {
            for column in (requests.rows[row] & !matches.columns).numbers() {
                let request = (born(row, column), row, column);
                oldest = Some(oldest.map_or(request, |oldest| oldest.min(request)));
            }
        }
        let Some((_, row, column)) = oldest else {
            return;
        };
        matches.add(row, column);
    }
}

pub(super) fn rank<B: Bits, const N: usize>(
    _: &Memory<B, N>,
    _: usize,
    _: (usize, usize),
    born: u64,
) -> u64 {
    born
}

pub(super) fn remembered<B: Bits, const N: usize>(_: &Memory<B, N>, _: usize) -> Remembered {
    Remembered::default()
}
