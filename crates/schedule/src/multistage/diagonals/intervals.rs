//! A list of intervals a diagonal: most have none or one, so that a large mesh needs little memory.

use super::{Diagonals, spread};
use std::num::NonZeroU32;

/// Links from `from` to before `to`.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct Span {
    from: u16,
    to: u16,
}

/// An interval's number, from 1.
type Link = Option<NonZeroU32>;

/// An interval that is taken, and the next of its diagonal.
#[derive(Clone, Copy, Debug)]
struct Taken {
    span: Span,
    next: Link,
}

/// A list of disjoint intervals for each diagonal.
#[derive(Clone, Debug, Default)]
pub(in super::super) struct Intervals {
    first: Vec<Link>,
    taken: Vec<Taken>,
}

impl Diagonals for Intervals {
    type Span = Span;

    #[inline]
    fn span(from: u16, to: u16) -> Span {
        // So that no interval overlaps with none.
        let from = if from == to { u16::MAX } else { from };
        Span { from, to }
    }

    #[inline]
    fn is_free(&self, diagonal: usize, span: Span) -> bool {
        let mut link = self.first[diagonal];
        while let Some(number) = link {
            let taken = &self.taken[number.get() as usize - 1];
            if taken.span.from < span.to && span.from < taken.span.to {
                return false;
            }
            link = taken.next;
        }
        true
    }

    #[inline]
    fn take(&mut self, diagonal: usize, span: Span) {
        if span.from >= span.to {
            return;
        }
        let next = self.first[diagonal];
        self.taken.push(Taken { span, next });
        self.first[diagonal] = NonZeroU32::new(self.taken.len() as u32);
    }

    fn clear(&mut self, diagonals: usize) {
        self.taken.clear();
        self.first.clear();
        self.first.resize(diagonals, None);
    }

    fn widen(&mut self, lines: usize, from: usize, to: usize) {
        spread(&mut self.first, None, lines, from, to);
    }
}
