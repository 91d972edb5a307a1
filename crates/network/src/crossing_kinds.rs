//! The kinds of crossings: their keys, and between which clocks each may lie.
//!
//! The engine knows a crossing by what it does ([`Crossing`]), and no kind. They are in one table of [`CrossingEntry`]s: a
//! new kind is a file here and a line in it.

mod entry;

/// Declares the kinds' files, and puts their entries into the table.
macro_rules! crossings {
    ($($file:ident),+ $(,)?) => {
        $(mod $file;)+

        /// Every kind that the program comes with, sorted by name.
        fn built_in() -> Vec<CrossingEntry> {
            vec![$($file::entry()),+]
        }
    };
}

crossings! {
    dual_clock_fifo,
    mesochronous,
    pausible,
    same_clock,
    synchronizer,
}

pub use entry::{BuiltCrossing, ClockPair, CrossingEntry};

use crate::crossing::{Crossing, Flops, Pause};

#[cfg(test)]
mod tests;
