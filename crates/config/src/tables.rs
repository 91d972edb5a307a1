//! The tables of a configuration, a file each: its keys, how it is read and checked beside others, and how it is written.

pub(crate) mod clocks;
pub(crate) mod energy;
pub(crate) mod faults;
pub(crate) mod live;
pub(crate) mod network;
pub(crate) mod part;
pub(crate) mod run;
pub(crate) mod traffic;
