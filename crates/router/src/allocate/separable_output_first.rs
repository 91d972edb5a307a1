//! Separable, output first (Dally and Towles, section 19.3): each column chooses one of its rows by round
//! robin, then each row chooses one of the columns that chose it. A column's pointer moves on whenever it has
//! chosen, accepted or not; iSLIP improves on this.

use super::explained::rules;
use super::{Allocator, AllocatorEntry, Apart, Matches, Memory, Requests, after};
use crate::bits::Bits;

pub(super) use super::explained::{before_in_turn as rank, turns as remembered};

pub(super) const ENTRY: AllocatorEntry = AllocatorEntry {
    name: "separable-output-first",
    summary: "each output chooses an input by round robin, then inputs choose",
    allocator: Allocator::SeparableOutputFirst,
    apart: Apart::AllInTurn,
    rules: rules!(
        "separable-output-first",
        "each output chooses the next input in turn, then each input the next in turn of the outputs that chose it",
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
    let mut granted = B::NONE;
    let mut grants = [B::NONE; N];
    for column in requests.asked.numbers() {
        let row = requests.columns[column].first_from(memory.of_column[column].into());
        grants[row].put(column);
        granted.put(row);
        memory.of_column[column] = after(row, size);
    }
    for row in granted.numbers() {
        let column = grants[row].first_from(memory.of_row[row].into());
        matches.add(row, column);
        memory.of_row[row] = after(column, size);
    }
}
