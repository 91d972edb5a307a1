//! Errors in the text of a permutation.

use flitwork_types::NodeId;
use std::fmt;

/// An error in the text of a permutation, and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PermutationError {
    /// The line, from 1; `None` for an error of the whole text.
    pub line: Option<usize>,
    /// The column, from 1, in bytes; in JSON, that of the last byte read.
    pub column: Option<usize>,
    /// The problem.
    pub problem: PermutationProblem,
}

/// A problem in the text of a permutation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PermutationProblem {
    /// Something other than a node of the network where a node is expected.
    NotANode {
        /// What was found, cut to 40 characters.
        found: String,
        /// How many nodes the network has.
        nodes: u32,
    },
    /// A packet's source is that of an earlier packet.
    SourceTwice {
        /// The source.
        node: NodeId,
    },
    /// A packet's destination is that of an earlier packet.
    DestinationTwice {
        /// The destination.
        node: NodeId,
    },
    /// A plain line that isn't `source destination`.
    Line {
        /// The number of words and commas in it.
        found: usize,
    },
    /// An entry of `packets` that doesn't have two numbers.
    Pair {
        /// How many it has; 3 for any more.
        found: usize,
    },
    /// A list of destinations that ends before the last node.
    TooFew {
        /// How many destinations it has.
        found: u32,
        /// How many nodes the network has.
        nodes: u32,
    },
    /// A list of destinations that continues beyond the last node.
    TooMany {
        /// How many nodes the network has.
        nodes: u32,
    },
    /// An object without the key `packets`.
    NoPackets,
    /// An object with the key `packets` twice.
    PacketsTwice,
    /// Text that isn't JSON, or JSON in neither of the forms.
    Json {
        /// The message of the JSON parser, which names what it found and what it expected.
        message: String,
    },
    /// A text without packets.
    NoPacket,
}

impl fmt::Display for PermutationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.line, self.column) {
            (Some(line), Some(column)) => write!(f, "line {line}, column {column}: ")?,
            (Some(line), None) => write!(f, "line {line}: ")?,
            _ => {}
        }
        self.problem.fmt(f)
    }
}

impl fmt::Display for PermutationProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PermutationProblem::NotANode { found, nodes } => {
                let last = nodes.saturating_sub(1);
                write!(
                    f,
                    "{found:?} is not a node; nodes are whole numbers from 0 to {last}"
                )
            }
            PermutationProblem::SourceTwice { node } => {
                write!(
                    f,
                    "a second packet from node {node}; a node sends at most one"
                )
            }
            PermutationProblem::DestinationTwice { node } => {
                write!(
                    f,
                    "a second packet to node {node}; a node receives at most one"
                )
            }
            PermutationProblem::Line { found } => write!(
                f,
                "the number of fields is {found}; a line is `source destination`, separated by spaces, tabs or one comma"
            ),
            PermutationProblem::Pair { found } => {
                let found = if *found > 2 {
                    "3 or more".into()
                } else {
                    found.to_string()
                };
                write!(
                    f,
                    "a packet as a list of length {found}; a packet is [source, destination]"
                )
            }
            PermutationProblem::TooFew { found, nodes } => write!(
                f,
                "{found} destinations; a list has one for each of {nodes} nodes, null for no packet"
            ),
            PermutationProblem::TooMany { nodes } => write!(
                f,
                "more than {nodes} destinations; a list has one for each of {nodes} nodes"
            ),
            PermutationProblem::NoPackets => {
                write!(
                    f,
                    "an object without `packets`; it lists the [source, destination] pairs"
                )
            }
            PermutationProblem::PacketsTwice => {
                write!(f, "`packets` a second time; an object has it once")
            }
            PermutationProblem::Json { message } => {
                write!(
                    f,
                    "{message}; a list of destinations or an object with `packets` is allowed"
                )
            }
            PermutationProblem::NoPacket => {
                write!(
                    f,
                    "no packet; at least one line `source destination`, or JSON, is needed"
                )
            }
        }
    }
}

impl std::error::Error for PermutationError {}
