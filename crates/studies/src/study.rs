//! Studies of our own: tables over a parameter, made by one command each.
//!
//! A study is a file here and its line in the table.

mod clocking;
mod contract;
mod entry;
mod output;
mod steps;

pub use contract::{Folder, Picture, Plot, Ran, Study};
pub use entry::StudyEntry;
pub use steps::Steps;
pub(crate) use steps::over_threads;

/// Declares the studies' modules, and the table of their entries.
macro_rules! table {
    ($($module:ident),* $(,)?) => {
        $(mod $module;)*

        /// The studies that the program comes with, sorted by name.
        const BUILT_IN: &[StudyEntry] = &[$($module::ENTRY),*];
    };
}

table! {
    async_exp2,
    async_load,
    cut_through,
    deflection,
    greedy_steps,
    multiqueue,
    routers,
}
