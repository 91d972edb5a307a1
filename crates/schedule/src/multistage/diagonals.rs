//! Which links are taken in which steps.
//!
//! A packet that moves in every step crosses the links of a line on one diagonal of (place, step): the step minus the place
//! one way, their sum the other. So a leg of a path is one interval of one diagonal.
//!
//! ```text
//!  step 3 │ . . a .     eastwards, link x in step d + x: a takes links 0 to 2 of diagonal 1,
//!       2 │ . a . b     b link 3 of diagonal -1
//!       1 │ a . . .
//!         └──────── link
//! ```

mod bits;
mod intervals;

pub(super) use bits::{Bits, MAX_LINE};
pub(super) use intervals::Intervals;

/// The diagonals of all lines and directions, by their numbers.
pub(super) trait Diagonals {
    /// Links of a line.
    type Span: Copy;

    /// The links from `from` to before `to`; `from` = `to` is none.
    fn span(from: u16, to: u16) -> Self::Span;

    /// Whether none of the links is taken.
    fn is_free(&self, diagonal: usize, span: Self::Span) -> bool;

    /// Takes links that are free.
    fn take(&mut self, diagonal: usize, span: Self::Span);

    /// Begins again with so many diagonals, all free.
    fn clear(&mut self, diagonals: usize);

    /// Gives each of `lines` lines more diagonals, after those that it has.
    fn widen(&mut self, lines: usize, from: usize, to: usize);
}

/// Moves the entries of lines to where they are once lines are longer.
fn spread<E: Copy>(entries: &mut Vec<E>, empty: E, lines: usize, from: usize, to: usize) {
    entries.resize(lines * to, empty);
    for line in (0..lines).rev() {
        let old = line * from;
        entries.copy_within(old..old + from, line * to);
        entries[line * to + from..(line + 1) * to].fill(empty);
    }
}
