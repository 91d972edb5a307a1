//! Many packets a node: the randomised algorithms of Kaufmann and Sibeyn 1991.
//!
//! A packet goes from goal to goal along lines of a grid: its *legs*, which its algorithm plans from its number, its ends and
//! random draws. Packets of d colours go along d axes at a time, so that no two of different colours want one link in a phase.
//!
//! | room | what is there |
//! |---|---|
//! | [`Algorithm`] | the contract: the legs of a packet, and the steps that the paper promises |
//! | [`algorithms`], [`AnyAlgorithm`] | one file each |
//! | [`Setting`] | n, d, k and L of a problem, and its draws |
//! | [`travel`] | packets go leg by leg, until all have arrived |
//! | [`line_farthest_first_steps`], [`ring_farthest_first_steps`] | how many steps one direction of a line or ring takes, exactly (Lemmas 2 and 7) |
//! | [`line_any_order_steps`], [`ring_any_order_steps`] | how many it takes at most, whichever packet goes first (Lemmas 4 and 10) |
//! | [`PhaseLemmas`] | these of each phase of a run |
//! | [`Cuts`] | what crosses the middle of rows, by strips |
//! | [`LowerBounds`] | how many steps an instance takes at least, by any algorithm (section 2) |
//! | [`Priority`], [`Phases`], [`Manner`] | which packet a link takes, when a phase ends, and whether packets are smeared |
//!
//! The steps of lines and rings, and the bounds, are computed from where packets begin and end: they know neither the machine nor
//! a rule, so a run can be checked against them.

mod algorithm;
pub mod algorithms;
mod any;
mod bounds;
mod cuts;
mod flood;
mod journey;
mod lines;
mod phase_lemmas;
mod priority;
mod setting;
mod smear;

pub use algorithm::{Algorithm, Move, Planned, Where};
pub use any::{AnyAlgorithm, Promises};
pub use bounds::LowerBounds;
pub use cuts::{CutPhase, Cuts};
pub use journey::{Manner, Phases, Travelled, Witness, travel};
pub use lines::{
    line_any_order_steps, line_farthest_first_steps, ring_any_order_steps,
    ring_farthest_first_steps,
};
pub use phase_lemmas::PhaseLemmas;
pub use priority::Priority;
pub use setting::{Draw, Setting};
