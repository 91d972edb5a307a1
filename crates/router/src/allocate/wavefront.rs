//! Wavefront (Tamir and Chi, "Symmetric crossbar arbiters for VLSI communication switches", 1993): the
//! requests on one diagonal of the matrix don't conflict and are granted together, then those on the next
//! diagonal that can still be granted. The first diagonal advances with each allocation.

use super::explained::rules;
use super::{Allocator, AllocatorEntry, Apart, Matches, Memory, Remembered, Requests, after};
use crate::bits::Bits;

pub(super) const ENTRY: AllocatorEntry = AllocatorEntry {
    name: "wavefront",
    summary: "all requests on a diagonal at once, diagonal after diagonal, from a rotating first one",
    allocator: Allocator::Wavefront,
    apart: Apart::No,
    rules: rules!(
        "wavefront",
        "the bids on one diagonal are granted together, then those on the next that can still be granted, from a first diagonal that moves on",
        "Tamir and Chi 1993"
    ),
};

pub(super) fn allocate<B: Bits, const N: usize>(
    memory: &mut Memory<B, N>,
    size: usize,
    requests: &Requests<B, N>,
    _: impl Fn(usize, usize) -> u64,
    matches: &mut Matches<B, N>,
) {
    let first = usize::from(memory.diagonal);
    for step in 0..size {
        // Diagonal d consists of the requests whose row and column add up to d, modulo the size.
        let diagonal = (first + step) % size;
        for row in (requests.asking & !matches.rows).numbers() {
            let column = (diagonal + size - row) % size;
            if requests.rows[row].has(column) && !matches.columns.has(column) {
                matches.add(row, column);
            }
        }
    }
    memory.diagonal = after(first, size);
}

/// The diagonals before that of a request.
pub(super) fn rank<B: Bits, const N: usize>(
    memory: &Memory<B, N>,
    size: usize,
    (row, column): (usize, usize),
    _: u64,
) -> u64 {
    ((row + column + size - usize::from(memory.diagonal)) % size) as u64
}

pub(super) fn remembered<B: Bits, const N: usize>(memory: &Memory<B, N>, _: usize) -> Remembered {
    Remembered {
        diagonal: Some(memory.diagonal.into()),
        ..Remembered::default()
    }
}
