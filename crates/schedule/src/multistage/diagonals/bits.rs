//! A bit a link: for lines of at most 64 nodes.

use super::{Diagonals, spread};

/// The most nodes of a line.
pub(in super::super) const MAX_LINE: u32 = u64::BITS;

/// A machine word for each diagonal.
#[derive(Clone, Debug, Default)]
pub(in super::super) struct Bits(Vec<u64>);

impl Diagonals for Bits {
    type Span = u64;

    #[inline]
    fn span(from: u16, to: u16) -> u64 {
        // A line has at most 63 links, so that `to - from` shifts no bit out.
        ((1 << (to - from)) - 1) << from
    }

    #[inline]
    fn is_free(&self, diagonal: usize, span: u64) -> bool {
        self.0[diagonal] & span == 0
    }

    #[inline]
    fn take(&mut self, diagonal: usize, span: u64) {
        self.0[diagonal] |= span;
    }

    fn clear(&mut self, diagonals: usize) {
        self.0.clear();
        self.0.resize(diagonals, 0);
    }

    fn widen(&mut self, lines: usize, from: usize, to: usize) {
        spread(&mut self.0, 0, lines, from, to);
    }
}
