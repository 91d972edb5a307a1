//! What the tests share: a checker that reads only a run's events, random networks, live runs.
#![allow(dead_code)] // Each test file uses a part of it.

pub(crate) mod checker;
pub(crate) mod clocks;
pub(crate) mod deflections;
pub(crate) mod live_cases;
pub(crate) mod live_runs;
pub(crate) mod machine;
pub(crate) mod many_clocks;
pub(crate) mod properties;
pub(crate) mod queueings;
pub(crate) mod recorder;
pub(crate) mod timings;
pub(crate) mod workloads;
pub(crate) mod worm_checker;
pub(crate) mod wormholes;
