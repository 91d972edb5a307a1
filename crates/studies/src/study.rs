//! Studies of our own: tables over a parameter, made by one command each.
//!
//! A study is a file here and its line in the table.

mod clocking;

pub use crate::contract::{FileIn, OwnFile, Plot, Ran, Steps, Study, StudyEntry, StudyFigure};

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
    chaos_readings,
    crossing,
    cut_through,
    deadlock_frequency,
    deflection,
    duplex,
    greedy_steps,
    livelock,
    livelock_search,
    multiqueue,
    routers,
    self_timed,
    slow_router,
}

flitwork_schema::part!(StudyEntry { name, help }: "study", BUILT_IN.to_vec());
