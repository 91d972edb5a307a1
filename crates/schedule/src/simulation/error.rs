//! Why worms can't be routed.

use super::Queue;
use flitwork_types::NodeId;
use std::fmt;

/// Why worms can't be routed on a mesh of supernodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SimulationError {
    /// No supernodes, or more than the mesh of a network can have.
    Mesh {
        /// The supernodes a side.
        across: u32,
        /// The most there can be.
        most: u32,
    },
    /// A node that the mesh doesn't have.
    NoNode {
        /// The worm's place among the requests.
        worm: usize,
        /// The node.
        node: NodeId,
    },
    /// A worm of another length than the supernodes are made for.
    Words {
        /// The worm's place.
        worm: usize,
        /// Its words.
        words: u32,
        /// The words of a worm, k.
        needed: u32,
    },
    /// A worm of another round: in its supernode, its source or its destination isn't where that of the first worm is.
    OtherRound {
        /// The worm's place.
        worm: usize,
    },
    /// Two worms of a round begin in one node.
    SharedSource {
        /// The worms' places.
        worms: [usize; 2],
    },
    /// A queue that is longer than f - 4 packets, so that a supernode would have no room for those of its neighbours.
    Queue {
        /// The longest.
        longest: Queue,
        /// The most packets that may be in one, f - 4.
        most: u32,
    },
    /// A schedule that takes more than 2^31 - 1 steps.
    TooLong,
}

impl fmt::Display for SimulationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SimulationError::Mesh { across, most } => write!(
                f,
                "{across} x {across} supernodes: of these, a side has 1 to {most}"
            ),
            SimulationError::NoNode { worm, node } => {
                write!(f, "worm {worm}: the mesh has no node {node}")
            }
            SimulationError::Words {
                worm,
                words,
                needed,
            } => write!(
                f,
                "worm {worm} has {words} words; the supernodes are made for worms of {needed}"
            ),
            SimulationError::OtherRound { worm } => write!(
                f,
                "worm {worm} is of another round: the worms of a round begin at one place of their supernodes, and end at one"
            ),
            SimulationError::SharedSource {
                worms: [one, other],
            } => write!(
                f,
                "worms {one} and {other} begin in one node; in a round, each node begins at most one"
            ),
            SimulationError::Queue { longest, most } => write!(
                f,
                "supernode {} has {} packets as superstep {} begins; a queue may have {most}, 4 fewer than there is room for",
                longest.supernode, longest.packets, longest.superstep
            ),
            SimulationError::TooLong => {
                write!(f, "the schedule takes more than {} steps", i32::MAX)
            }
        }
    }
}

impl std::error::Error for SimulationError {}
