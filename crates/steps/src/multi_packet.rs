//! Many packets a node: the randomised algorithms of Kaufmann and Sibeyn 1991.
//!
//! A packet goes from goal to goal along lines of a grid: its *legs*, which its algorithm plans from its number, its ends and
//! random draws. Packets of d colours go along d axes at a time, so that no two of different colours want one link in a phase.
//!
//! | room | what is there |
//! |---|---|
//! | [`Algorithm`] | the contract: the legs of a packet, and the steps that the paper promises |
//! | [`algorithms`] | one file each |
//! | [`Setting`] | n, d, k and L of a problem, and its draws |
//! | [`travel`] | packets go leg by leg, until all have arrived |
//! | [`Priority`], [`Phases`], [`Manner`] | which packet a link takes, when a phase ends, and whether packets are smeared |

mod algorithm;
pub mod algorithms;
mod flood;
mod journey;
mod priority;
mod setting;
mod smear;

pub use algorithm::{Algorithm, Move, Planned, Unfit, Where};
pub use journey::{Manner, Phases, Travelled, Witness, travel};
pub use priority::Priority;
pub use setting::{Draw, Setting};
