//! What is asked of a problem, and which can't be answered.

use crate::Request;
use crate::multistage::{Paths, ProblemError};
use flitwork_topology::Topology;
use flitwork_types::NodeId;

/// Which schedules are compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Model {
    /// How many packets that have left their sources may wait in a node.
    pub waiting: usize,
    /// The paths that packets may take.
    pub paths: Paths,
}

impl Model {
    /// So many packets that wait in a node, and paths with or without detours.
    pub(crate) fn new(waiting: u32, detours: bool) -> Model {
        Model {
            waiting: waiting as usize,
            paths: if detours { Paths::Any } else { Paths::Shortest },
        }
    }
}

/// How far a question is followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The largest problem: the nodes, times the packets that move, times the steps that they are given.
    pub size: u64,
    /// The conflicts after which the solver gives up a length and tries the next.
    pub conflicts: u64,
}

impl Default for Limits {
    /// Permutations of 8 x 8 are admitted, at some seconds a length.
    fn default() -> Limits {
        Limits {
            size: 64_000,
            conflicts: 100_000,
        }
    }
}

/// A problem that has no bound here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BoundError {
    /// A source or a destination beyond the last node.
    #[error("packet {packet} names node {node}, which isn't there")]
    Node {
        /// The request's place.
        packet: usize,
        /// The node.
        node: NodeId,
    },
    /// A packet without words, or one of several words where only one can be.
    #[error("packet {packet} has {}", wrong_words(*.words))]
    Words {
        /// The request's place.
        packet: usize,
        /// Its words.
        words: u32,
    },
    /// A packet that can't be at its destination within 2^32 - 1 steps.
    #[error("packet {packet} needs more than {} steps", u32::MAX)]
    Long {
        /// The request's place.
        packet: usize,
    },
    /// No links lead from the source to the destination.
    #[error("packet {packet} can't reach its destination")]
    Apart {
        /// The request's place.
        packet: usize,
    },
    /// Two packets from one node, or two to one, where a permutation is needed.
    #[error("packets {} and {} share node {node}; a permutation has one from and one to each", .packets[0], .packets[1])]
    Shared {
        /// The requests' places.
        packets: [usize; 2],
        /// The node.
        node: NodeId,
    },
    /// A problem beyond [`Limits::size`].
    #[error("nodes times packets times {steps} steps are {size}; the limit is {limit}")]
    Size {
        /// The nodes, times the packets that move, times the steps.
        size: u64,
        /// The limit.
        limit: u64,
        /// The steps. No schedule is shorter.
        steps: u32,
    },
}

/// What is wrong with so many words.
fn wrong_words(words: u32) -> String {
    match words {
        0 => "no words".into(),
        _ => format!("{words} words, more than the method is for"),
    }
}

impl From<ProblemError> for BoundError {
    fn from(error: ProblemError) -> BoundError {
        match error {
            ProblemError::Node { packet, node } => BoundError::Node { packet, node },
            ProblemError::Words { packet, words } => BoundError::Words { packet, words },
            ProblemError::Apart { packet } => BoundError::Apart { packet },
            ProblemError::Order => unreachable!("the order is this room's"),
        }
    }
}

/// The longest distance: the steps of the packet that takes the most, if each were alone.
///
/// # Errors
/// A [`BoundError`] for packets that aren't the graph's, and for those without a path.
pub fn distance(topology: &impl Topology, requests: &[Request]) -> Result<u32, BoundError> {
    let mut longest = 0;
    for (packet, request) in requests.iter().enumerate() {
        let (from, to) = (request.source, request.destination);
        if let Some(node) = request.beyond(topology.nodes()) {
            return Err(BoundError::Node { packet, node });
        }
        if request.words == 0 {
            return Err(BoundError::Words { packet, words: 0 });
        }
        if from == to {
            continue;
        }
        if topology.productive(from, to).is_empty() {
            return Err(BoundError::Apart { packet });
        }
        let steps = topology.distance(from, to).checked_add(request.words - 1);
        longest = longest.max(steps.ok_or(BoundError::Long { packet })?);
    }
    Ok(longest)
}

impl Limits {
    /// Whether a problem may be given so many steps.
    pub(super) fn admit(
        &self,
        topology: &impl Topology,
        requests: &[Request],
        steps: u32,
    ) -> Result<(), BoundError> {
        let moving = requests.iter().filter(|it| it.source != it.destination);
        let each = u64::from(topology.nodes()) * u64::from(steps);
        let size = each.saturating_mul(moving.count() as u64);
        if size > self.size {
            let limit = self.size;
            return Err(BoundError::Size { size, limit, steps });
        }
        Ok(())
    }
}
