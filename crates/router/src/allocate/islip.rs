//! iSLIP (McKeown, "The iSLIP scheduling algorithm for input-queued switches", 1999).
//!
//! Each column grants one of the rows that ask for it by round robin, each row accepts one of its grants by
//! round robin; whatever isn't matched tries again in the next iteration. A pointer moves past its partner
//! only if a grant of the first iteration was accepted, so that pointers drift apart under load.

use super::explained::rules;
use super::{Allocator, AllocatorEntry, Apart, Matches, Memory, Requests, after};
use crate::bits::Bits;

pub(super) use super::explained::{before_in_turn as rank, turns as remembered};

pub(super) const ENTRY: AllocatorEntry = AllocatorEntry {
    name: "islip",
    summary: "round robin with pointers that move on only where both sides agreed, iterated",
    allocator: Allocator::Islip(1),
    apart: Apart::InTurn,
    rules: rules!(
        "islip",
        "each output grants the next input in turn, each input accepts the next output in turn, and turns move on where both agreed",
        "McKeown 1999"
    ),
};

pub(super) fn allocate<B: Bits, const N: usize>(
    iterations: u8,
    memory: &mut Memory<B, N>,
    size: usize,
    requests: &Requests<B, N>,
    _: impl Fn(usize, usize) -> u64,
    matches: &mut Matches<B, N>,
) {
    iterate(
        memory,
        size,
        (&requests.columns, requests.asked),
        |row, column| {
            matches.add(row, column);
        },
    );
    for _ in 1..iterations {
        // Matches of later iterations move no pointer.
        let (mut left, mut asked) = (requests.columns, B::NONE);
        for column in (requests.asked & !matches.columns).numbers() {
            left[column] &= !matches.rows;
            if !left[column].is_empty() {
                asked.put(column);
            }
        }
        if asked.is_empty() {
            return;
        }
        agree(memory, (&left, asked), |_, row, column| {
            matches.add(row, column);
        });
    }
}

/// The first iteration, after which pointers move.
#[inline]
pub(super) fn iterate<B: Bits, const N: usize>(
    memory: &mut Memory<B, N>,
    size: usize,
    requests: (&[B; N], B),
    mut matched: impl FnMut(usize, usize),
) {
    agree(memory, requests, |memory, row, column| {
        memory.note((row, column), (after(row, size), after(column, size)));
        matched(row, column);
    });
}

/// The most rows and columns that [`iterate_few`] handles.
pub(super) const FEW: usize = 7;

/// For each number below 8 and each set of such numbers, the first of the set from that number on, wrapping
/// around; [`FEW`] if the set is empty.
static FIRST_FROM: [[u8; 256]; 8] = first_from();

const fn first_from() -> [[u8; 256]; 8] {
    let mut first = [[FEW as u8; 256]; 8];
    let mut place = 0;
    while place < 8 * 256 {
        let (from, set) = (place / 256, place % 256);
        let turned = (set >> from) | (set << (8 - from)) & 0xff;
        if turned != 0 {
            first[from][set] = ((turned.trailing_zeros() as usize + from) % 8) as u8;
        }
        place += 1;
    }
    first
}

/// The same as [`iterate`] for up to [`FEW`] rows and columns, with hardly any branches: for a column,
/// `granted` returns whether any row asks for it, and the first such row from a given one on, wrapping
/// around.
#[inline]
pub(super) fn iterate_few<B: Bits, const N: usize>(
    memory: &mut Memory<B, N>,
    size: usize,
    granted: impl Fn(usize, u8) -> (bool, usize),
    mut matched: impl FnMut(usize, usize),
) {
    // One byte per row, with a bit for each column that grants it.
    let mut grants = 0_u64;
    for column in 0..N.min(FEW) {
        let (any, row) = granted(column, memory.of_column[column]);
        grants |= u64::from(any) << (8 * (row % 8) + column);
    }
    while grants != 0 {
        let row = grants.trailing_zeros() as usize / 8;
        let columns = (grants >> (8 * row)) as u8;
        grants &= !(0xff << (8 * row));
        let first = &FIRST_FROM[usize::from(memory.of_row[row] % 8)];
        let column = usize::from(first[usize::from(columns)]);
        memory.note((row, column), (after(row, size), after(column, size)));
        matched(row, column);
    }
}

/// One iteration over the rows that ask for each column: returns the pairs that agree.
#[inline]
fn agree<B: Bits, const N: usize>(
    memory: &mut Memory<B, N>,
    (columns, asked): (&[B; N], B),
    mut agreed: impl FnMut(&mut Memory<B, N>, usize, usize),
) {
    let mut granted = B::NONE;
    let mut grants = [B::NONE; N];
    for column in asked.numbers() {
        let row = columns[column].first_from(memory.of_column[column].into());
        grants[row].put(column);
        granted.put(row);
    }
    for row in granted.numbers() {
        let column = grants[row].first_from(memory.of_row[row].into());
        agreed(memory, row, column);
    }
}
