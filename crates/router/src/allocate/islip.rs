//! iSLIP (McKeown, "The iSLIP scheduling algorithm for input-queued switches", 1999).
//!
//! Each column grants its first asking row by round robin, each row accepts its first grant by round
//! robin; what isn't matched tries again in the next iteration. A pointer moves to behind the partner only
//! where a grant of the first iteration was accepted, so that pointers drift apart under load.

use super::{Matches, Memory, Requests, after};
use crate::bits::Bits;

pub(super) fn allocate<B: Bits, const N: usize>(
    memory: &mut Memory<B, N>,
    size: usize,
    requests: &Requests<B, N>,
    iterations: u8,
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
        // Who agrees now moves no pointer.
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

/// One iteration over the rows that ask for each column: gives the pairs that agree.
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
