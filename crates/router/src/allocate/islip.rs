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
    for iteration in 0..iterations {
        let mut granted = B::NONE;
        let mut grants = [B::NONE; N];
        for column in (requests.asked & !matches.columns).numbers() {
            let asking = requests.columns[column] & !matches.rows;
            if !asking.is_empty() {
                let row = asking.first_from(memory.of_column[column].into());
                grants[row].put(column);
                granted.put(row);
            }
        }
        if granted.is_empty() {
            return;
        }
        for row in granted.numbers() {
            let column = grants[row].first_from(memory.of_row[row].into());
            matches.add(row, column);
            if iteration == 0 {
                memory.of_column[column] = after(row, size);
                memory.of_row[row] = after(column, size);
            }
        }
    }
}
