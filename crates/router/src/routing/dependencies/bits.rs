//! Sets of numbers as rows of bits, most words of which are empty.

use crate::bits::Bits;

/// The virtual channels in `mask`, lowest first.
pub(super) fn each_channel(mask: u32) -> impl Iterator<Item = u8> {
    mask.numbers().map(|channel| channel as u8)
}

/// Rows of bits. One bit for each word of a row records whether it holds anything, so that empty words cost
/// nothing.
pub(super) struct BitRows {
    words_per_row: usize,
    words: Vec<u64>,
    /// Whether each word isn't 0, one bit each, row by row.
    filled: Vec<u64>,
}

impl BitRows {
    /// No rows yet; each will have `bits` bits.
    pub(super) fn new(bits: usize) -> BitRows {
        BitRows {
            words_per_row: bits.div_ceil(64),
            words: Vec::new(),
            filled: Vec::new(),
        }
    }

    fn filled_per_row(&self) -> usize {
        self.words_per_row.div_ceil(64)
    }

    /// Empties all rows and sets their number to `rows`.
    pub(super) fn reset(&mut self, rows: usize) {
        let blocks = self.filled_per_row();
        for (block, filled) in self.filled.iter().enumerate() {
            let first = block / blocks * self.words_per_row + block % blocks * 64;
            let mut left = *filled;
            while left != 0 {
                self.words[first + left.trailing_zeros() as usize] = 0;
                left &= left - 1;
            }
        }
        self.filled.fill(0);
        self.words.resize(rows * self.words_per_row, 0);
        self.filled.resize(rows * self.filled_per_row(), 0);
    }

    pub(super) fn insert(&mut self, row: usize, bit: usize) {
        let place = bit / 64;
        let block = row * self.filled_per_row() + place / 64;
        self.words[row * self.words_per_row + place] |= 1 << (bit % 64);
        self.filled[block] |= 1 << (place % 64);
    }

    /// The words of a row that aren't empty, with their positions.
    pub(super) fn row(&self, row: usize) -> impl Iterator<Item = (usize, u64)> {
        let filled = &self.filled[row * self.filled_per_row()..][..self.filled_per_row()];
        let words = &self.words[row * self.words_per_row..][..self.words_per_row];
        (0..filled.len()).flat_map(move |block| {
            let mut left = filled[block];
            std::iter::from_fn(move || {
                (left != 0).then(|| {
                    let place = block * 64 + left.trailing_zeros() as usize;
                    left &= left - 1;
                    (place, words[place])
                })
            })
        })
    }

    /// Adds the bits of another row to those of `row`. Returns whether any was new.
    pub(super) fn unite(&mut self, row: usize, other: usize) -> bool {
        let (words, filled) = (self.words_per_row, self.filled_per_row());
        let mut new = 0;
        for block in 0..filled {
            let mut left = self.filled[other * filled + block];
            self.filled[row * filled + block] |= left;
            while left != 0 {
                let place = block * 64 + left.trailing_zeros() as usize;
                left &= left - 1;
                let added = self.words[other * words + place];
                let word = &mut self.words[row * words + place];
                new |= added & !*word;
                *word |= added;
            }
        }
        new != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flitwork_node::mix;
    use std::collections::BTreeSet;

    fn bits_of(rows: &BitRows, row: usize) -> BTreeSet<usize> {
        let each = |(place, word): (usize, u64)| {
            let own = (0..64).filter(move |bit| word >> bit & 1 == 1);
            own.map(move |bit| place * 64 + bit)
        };
        rows.row(row).flat_map(each).collect()
    }

    #[test]
    fn rows_are_sets() {
        for bits in [1, 64, 65, 5000] {
            let mut rows = BitRows::new(bits);
            for round in 0..4 {
                let count = 3 + round as usize * 2 % 5;
                rows.reset(count);
                let mut sets = vec![BTreeSet::new(); count];
                for step in 0..200 {
                    let drawn = mix(step + 1000 * round);
                    let (row, other) = (drawn as usize % count, (drawn >> 8) as usize % count);
                    if drawn >> 63 == 1 {
                        let bit = (drawn >> 16) as usize % bits;
                        rows.insert(row, bit);
                        sets[row].insert(bit);
                    } else {
                        let before = sets[row].len();
                        let added = sets[other].clone();
                        sets[row].extend(added);
                        assert_eq!(rows.unite(row, other), sets[row].len() > before);
                    }
                    assert_eq!(bits_of(&rows, row), sets[row], "{bits} bits");
                }
            }
        }
    }
}
