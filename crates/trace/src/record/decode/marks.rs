//! What a node's digest was, as far as its record says.

use crate::record::CHECK_CYCLES;
use flitwork_types::{Cycle, Due};
use std::collections::VecDeque;

/// The lowest byte of what a node's digest was when it had run a number of cycles: a multiple of
/// [`CHECK_CYCLES`], or where a chunk ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Check {
    /// Cycles run.
    pub cycle: Cycle,
    /// The byte.
    pub digest_low: u8,
}

impl Check {
    /// Whether `digest` is what was recorded, as far as that is known.
    pub const fn holds(self, digest: u64) -> bool {
        digest as u8 == self.digest_low
    }
}

/// The checks that have not been asked for.
#[derive(Clone, Debug)]
pub(in crate::record) struct Marks {
    /// The cycle of the next one.
    next: Due,
    /// How many check bytes of the first chunk are used up.
    used: usize,
    /// The cycle of the next check byte.
    low: Cycle,
    /// The chunks: end, digest's lowest byte there, check bytes.
    chunks: VecDeque<(Cycle, u8, Vec<u8>)>,
}

impl Default for Marks {
    fn default() -> Marks {
        Marks {
            next: Due::NEVER,
            used: 0,
            low: Cycle(CHECK_CYCLES),
            chunks: VecDeque::new(),
        }
    }
}

impl Marks {
    #[inline]
    pub(in crate::record) fn next(&self) -> Due {
        self.next
    }

    pub(super) fn push(&mut self, upto: Cycle, digest_low: u8, checks: Vec<u8>) {
        self.chunks.push_back((upto, digest_low, checks));
        self.find_next();
    }

    /// As [`super::Decoder::checkpoint`].
    #[inline]
    pub(in crate::record) fn take(&mut self, run: Cycle) -> Option<Check> {
        match self.next > run {
            true => None,
            false => self.pop(),
        }
    }

    fn pop(&mut self) -> Option<Check> {
        let (upto, digest_low, checks) = self.chunks.front()?;
        let check = if let Some(&digest_low) = checks.get(self.used) {
            let cycle = self.low;
            self.used += 1;
            self.low += CHECK_CYCLES;
            Check { cycle, digest_low }
        } else {
            let check = Check {
                cycle: *upto,
                digest_low: *digest_low,
            };
            self.chunks.pop_front();
            self.used = 0;
            check
        };
        self.find_next();
        Some(check)
    }

    fn find_next(&mut self) {
        self.next = match self.chunks.front() {
            None => Due::NEVER,
            Some((_, _, checks)) if self.used < checks.len() => self.low.into(),
            Some((upto, ..)) => (*upto).into(),
        };
    }
}
