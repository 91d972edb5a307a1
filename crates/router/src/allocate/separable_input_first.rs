//! Separable, input first (Dally and Towles, section 19.3): each row chooses one of its columns by round
//! robin, then each column chooses one of the rows that chose it. A row's pointer moves on if its choice was
//! granted, a column's if it granted one.

use super::explained::rules;
use super::{Allocator, AllocatorEntry, Apart, Matches, Memory, Requests, after};
use crate::bits::Bits;

pub(super) use super::explained::{before_in_turn as rank, turns as remembered};

pub(super) const ENTRY: AllocatorEntry = AllocatorEntry {
    name: "separable-input-first",
    summary: "each input chooses an output by round robin, then outputs choose",
    allocator: Allocator::SeparableInputFirst,
    apart: Apart::InTurn,
    rules: rules!(
        "separable-input-first",
        "each input chooses the next output in turn, then each output the next in turn of the inputs that chose it",
        "Dally and Towles 2004, section 19.3"
    ),
};

pub(super) fn allocate<B: Bits, const N: usize>(
    memory: &mut Memory<B, N>,
    size: usize,
    requests: &Requests<B, N>,
    _: impl Fn(usize, usize) -> u64,
    matches: &mut Matches<B, N>,
) {
    let mut chosen = B::NONE;
    let mut choosing = [B::NONE; N];
    for row in requests.asking.numbers() {
        let column = requests.rows[row].first_from(memory.of_row[row].into());
        choosing[column].put(row);
        chosen.put(column);
    }
    for column in chosen.numbers() {
        let row = choosing[column].first_from(memory.of_column[column].into());
        matches.add(row, column);
        memory.of_column[column] = after(row, size);
        memory.of_row[row] = after(column, size);
    }
}
