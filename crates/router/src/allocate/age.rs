//! Oldest first: grants the request of the oldest packet among those that can still be granted, until none is
//! left. Of packets made in the same cycle the lowest row goes first, then the lowest column.

use super::{Allocator, AllocatorEntry, Apart, Matches, Memory, Requests};
use crate::bits::Bits;

pub(super) const ENTRY: AllocatorEntry = AllocatorEntry {
    name: "age",
    summary: "the oldest packet's request first, then the next oldest",
    allocator: Allocator::Age,
    apart: Apart::ByAge,
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
