//! Adversaries: permutations that a rule takes long to route, made by watching it (Chinn 1995, chapter 2).
//!
//! An adversary places packets in a corner and runs the rule; whenever the rule is about to let a packet go too early, it
//! exchanges that packet's destination with another's. A rule that can't see destinations does the same without exchanges if
//! it is given the final destinations from the start (Lemma 2.12).

mod adaptive;
mod constants;
mod construct;
mod dimension;

pub use crate::corner::Corner;
pub use adaptive::{AdaptiveConstants, AdaptiveSetting, Queues, construct_adaptive};
pub use constants::{Constants, Repeated};
pub use dimension::{DimensionClass, DimensionConstants, construct_dimension};

use crate::MachineError;
use flitwork_types::NodeId;

/// What an adversary has made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Constructed {
    /// From where to where each packet goes.
    pub problem: Vec<(NodeId, NodeId)>,
    /// The steps that the rule takes at least.
    pub bound_steps: u32,
    /// How often destinations were exchanged.
    pub exchanges: u64,
    /// Where each packet was at the bound.
    pub at_bound: Vec<NodeId>,
}

/// Why nothing could be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LowerError {
    /// No queue.
    #[error("queues of 0 packets; a node holds 1 or more")]
    NoQueue,
    /// No packet a node, or more than the theorem allows.
    #[error("{per_node} packets a node; 1 to {most} are allowed")]
    PerNode {
        /// The packets a node.
        per_node: u32,
        /// The most.
        most: u32,
    },
    /// The network is too small for one class of packets, or for the theorem.
    #[error("a side of {side} has no class of packets; {}", least_side(*.least))]
    TooSmall {
        /// Its side.
        side: u32,
        /// The least side for which there is one; none if no mesh is large enough.
        least: Option<u32>,
    },
    /// No mesh is so large.
    #[error("a side of {side}; the greatest is {most}")]
    TooLarge {
        /// Its side.
        side: u32,
        /// The greatest side.
        most: u32,
    },
    /// The rule can't use queues of the kind that the bound is for.
    #[error(transparent)]
    Machine(MachineError),
    /// It was to stop.
    #[error("stopped before the bound")]
    Stopped,
    /// The rule does what no rule of the class does.
    #[error("in step {step} the rule leaves its class: {what}")]
    Outside {
        /// In which step.
        step: u32,
        /// Which lemma doesn't hold, and how.
        what: String,
    },
}

/// The least side for which there is a class, if there is one.
fn least_side(least: Option<u32>) -> String {
    match least {
        Some(least) => format!("the least is {least}"),
        None => "no mesh is large enough for queues of this size".into(),
    }
}
