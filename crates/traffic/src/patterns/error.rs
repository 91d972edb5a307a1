//! Why a pattern can't be built.

use flitwork_types::NodeId;
use std::fmt;

/// Why a pattern can't be built. Parameters are named by their keys.
#[derive(Clone, Debug, PartialEq)]
pub enum PatternError {
    /// No pattern has this name.
    Unknown {
        /// The name.
        found: String,
        /// Those that there are.
        known: Vec<&'static str>,
    },
    /// The pattern doesn't suit the grid.
    Grid {
        /// The pattern's name.
        pattern: &'static str,
        /// What it needs.
        needs: &'static str,
        /// The grid's sides, in nodes.
        sides: Vec<u32>,
    },
    /// A required parameter is missing.
    Missing {
        /// The pattern's name.
        pattern: &'static str,
        /// The parameter's name.
        parameter: &'static str,
    },
    /// A fraction outside 0 to 1.
    Fraction {
        /// The parameter's name.
        parameter: &'static str,
        /// Its value.
        found: f64,
    },
    /// A list of no nodes.
    Empty {
        /// The parameter's name.
        parameter: &'static str,
    },
    /// A node that the network doesn't have.
    OffNetwork {
        /// The parameter's name.
        parameter: &'static str,
        /// The node.
        node: NodeId,
        /// How many nodes the network has.
        nodes: u32,
    },
    /// A node that is listed twice.
    Repeated {
        /// The parameter's name.
        parameter: &'static str,
        /// The node.
        node: NodeId,
    },
    /// Two packets of a permutation have the same source.
    SourceTwice {
        /// The source.
        node: NodeId,
    },
    /// Two packets of a permutation have the same destination.
    DestinationTwice {
        /// The destination.
        node: NodeId,
    },
    /// The destination of many-to-one is listed among its sources.
    ToItself {
        /// The destination.
        node: NodeId,
    },
    /// No node would send a packet.
    Silent {
        /// The pattern's name.
        pattern: &'static str,
    },
}

impl fmt::Display for PatternError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PatternError::Unknown { found, known } => {
                write!(
                    f,
                    "no pattern is named {found:?}; the patterns are {}",
                    known.join(", ")
                )
            }
            PatternError::Grid {
                pattern,
                needs,
                sides,
            } => {
                let sides: Vec<String> = sides.iter().map(u32::to_string).collect();
                write!(
                    f,
                    "{pattern} needs {needs}; the grid is {}",
                    sides.join(" x ")
                )
            }
            PatternError::Missing { pattern, parameter } => {
                write!(f, "{pattern} needs {parameter}, which is missing")
            }
            PatternError::Fraction { parameter, found } => {
                write!(f, "{parameter} is {found}; a fraction is from 0 to 1")
            }
            PatternError::Empty { parameter } => {
                write!(f, "{parameter} lists no node; at least one is needed")
            }
            PatternError::OffNetwork {
                parameter,
                node,
                nodes,
            } => {
                write!(f, "{parameter} names node {node}; ")?;
                write!(f, "the network has nodes 0 to {}", nodes.saturating_sub(1))
            }
            PatternError::Repeated { parameter, node } => {
                write!(f, "{parameter} lists node {node} twice; once is allowed")
            }
            PatternError::SourceTwice { node } => write!(
                f,
                "permutation has two packets from node {node}; a node sends at most one"
            ),
            PatternError::DestinationTwice { node } => {
                write!(
                    f,
                    "permutation has two packets to node {node}; a node receives at most one"
                )
            }
            PatternError::ToItself { node } => write!(
                f,
                "sources lists the destination, node {node}; only other nodes can send to it"
            ),
            PatternError::Silent { pattern } => {
                write!(
                    f,
                    "{pattern} makes every node of this network send to itself; no packet would be made"
                )
            }
        }
    }
}

impl std::error::Error for PatternError {}
