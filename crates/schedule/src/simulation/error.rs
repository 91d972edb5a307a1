//! Why worms can't be routed.

use super::Queue;
use flitwork_types::NodeId;

/// Why worms can't be routed on a mesh of supernodes.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SimulationError {
    /// No supernodes, or more than the mesh of a network can have.
    #[error("{across} x {across} supernodes: of these, a side has 1 to {most}")]
    Mesh {
        /// The supernodes a side.
        across: u32,
        /// The most there can be.
        most: u32,
    },
    /// A node that the mesh doesn't have.
    #[error("worm {worm}: the mesh has no node {node}")]
    NoNode {
        /// The worm's place among the requests.
        worm: usize,
        /// The node.
        node: NodeId,
    },
    /// A worm of another length than the supernodes are made for.
    #[error("worm {worm} has {words} words; the supernodes are made for worms of {needed}")]
    Words {
        /// The worm's place.
        worm: usize,
        /// Its words.
        words: u32,
        /// The words of a worm, k.
        needed: u32,
    },
    /// A worm of another round: in its supernode, its source or its destination isn't where that of the first worm is.
    #[error(
        "worm {worm} is of another round: the worms of a round begin at one place of their supernodes, and end at one"
    )]
    OtherRound {
        /// The worm's place.
        worm: usize,
    },
    /// Two worms of a round begin in one node.
    #[error("worms {} and {} begin in one node; in a round, each node begins at most one", .worms[0], .worms[1])]
    SharedSource {
        /// The worms' places.
        worms: [usize; 2],
    },
    /// A queue that is longer than f - 4 packets, so that a supernode would have no room for those of its neighbours.
    #[error(
        "supernode {} has {} packets as superstep {} begins; a queue may have {most}, 4 fewer than there is room for",
        .longest.supernode, .longest.packets, .longest.superstep
    )]
    Queue {
        /// The longest.
        longest: Queue,
        /// The most packets that may be in one, f - 4.
        most: u32,
    },
}
