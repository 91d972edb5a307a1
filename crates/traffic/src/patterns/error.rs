//! Why a pattern can't be built.

use flitwork_types::TerminalId;

/// Why a pattern can't be built. Parameters are named by their keys.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum PatternError {
    /// No pattern has this name.
    #[error("no pattern is named {found:?}; the patterns are {}", .known.join(", "))]
    Unknown {
        /// The name.
        found: String,
        /// Those that there are.
        known: Vec<&'static str>,
    },
    /// The pattern doesn't suit the network.
    #[error("{pattern} needs {needs}; the network is {network}")]
    Network {
        /// The pattern's name.
        pattern: &'static str,
        /// What it needs.
        needs: &'static str,
        /// The network: a grid and its sides in nodes, or how many nodes of a graph send and receive.
        network: String,
    },
    /// The value of a parameter doesn't suit the network.
    #[error("{parameter} is {found} on {network}; {pattern} needs {needs}")]
    Unfit {
        /// The pattern's name.
        pattern: &'static str,
        /// The parameter's name.
        parameter: &'static str,
        /// Its value.
        found: u32,
        /// What the pattern needs.
        needs: &'static str,
        /// The network, as in [`PatternError::Network`].
        network: String,
    },
    /// A required parameter is missing.
    #[error("{pattern} needs {parameter}, which is missing")]
    Missing {
        /// The pattern's name.
        pattern: &'static str,
        /// The parameter's name.
        parameter: &'static str,
    },
    /// A fraction outside 0 to 1.
    #[error("{parameter} is {found}; a fraction is from 0 to 1")]
    Fraction {
        /// The parameter's name.
        parameter: &'static str,
        /// Its value.
        found: f64,
    },
    /// A list of no nodes.
    #[error("{parameter} lists no node; at least one is needed")]
    Empty {
        /// The parameter's name.
        parameter: &'static str,
    },
    /// A node that the network doesn't have.
    #[error("{parameter} names node {node}; the network has nodes 0 to {}", .nodes.saturating_sub(1))]
    OffNetwork {
        /// The parameter's name.
        parameter: &'static str,
        /// The node.
        node: TerminalId,
        /// How many nodes the network has.
        nodes: u32,
    },
    /// A node that is listed twice.
    #[error("{parameter} lists node {node} twice; once is allowed")]
    Repeated {
        /// The parameter's name.
        parameter: &'static str,
        /// The node.
        node: TerminalId,
    },
    /// Two packets of a permutation have the same source.
    #[error("permutation has two packets from node {node}; a node sends at most one")]
    SourceTwice {
        /// The source.
        node: TerminalId,
    },
    /// Two packets of a permutation have the same destination.
    #[error("permutation has two packets to node {node}; a node receives at most one")]
    DestinationTwice {
        /// The destination.
        node: TerminalId,
    },
    /// The destination of many-to-one is listed among its sources.
    #[error("sources lists the destination, node {node}; only other nodes can send to it")]
    ToItself {
        /// The destination.
        node: TerminalId,
    },
    /// No node would send a packet.
    #[error("{pattern} makes every node of this network send to itself; no packet would be made")]
    Silent {
        /// The pattern's name.
        pattern: &'static str,
    },
}

/// The sides of a grid, as messages have them: `4 x 3`.
pub(crate) fn by(sides: &[u32]) -> String {
    let sides: Vec<String> = sides.iter().map(u32::to_string).collect();
    sides.join(" x ")
}
