//! What the tests share: a checker that reads only what a run tells, and random networks.
#![allow(dead_code)] // Each test file uses a part of it.

pub(crate) mod checker;
pub(crate) mod lived;
pub(crate) mod machine;
