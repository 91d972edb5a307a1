//! Errors in the text of a permutation.

use flitwork_types::TerminalId;

/// An error in the text of a permutation, and its place.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}{problem}", place(.line, .column))]
pub struct PermutationError {
    /// The line, from 1; `None` for an error of the whole text.
    pub line: Option<usize>,
    /// The column, from 1, in bytes; in JSON, that of the last byte read.
    pub column: Option<usize>,
    /// The problem.
    pub problem: PermutationProblem,
}

/// A problem in the text of a permutation.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PermutationProblem {
    /// Something other than a node of the network where a node is expected.
    #[error(
        "{found:?} is not a node; nodes are whole numbers from 0 to {}",
        .nodes.saturating_sub(1)
    )]
    NotANode {
        /// What was found, cut to 40 characters.
        found: String,
        /// How many nodes the network has.
        nodes: u32,
    },
    /// A packet's source is that of an earlier packet.
    #[error("a second packet from node {node}; a node sends at most one")]
    SourceTwice {
        /// The source.
        node: TerminalId,
    },
    /// A packet's destination is that of an earlier packet.
    #[error("a second packet to node {node}; a node receives at most one")]
    DestinationTwice {
        /// The destination.
        node: TerminalId,
    },
    /// A plain line that isn't `source destination`.
    #[error(
        "the number of fields is {found}; a line is `source destination`, separated by spaces, tabs or one comma"
    )]
    Line {
        /// The number of words and commas in it.
        found: usize,
    },
    /// An entry of `packets` that doesn't have two numbers.
    #[error("a packet as a list of length {}; a packet is [source, destination]", length(*.found))]
    Pair {
        /// How many it has; 3 for any more.
        found: usize,
    },
    /// A list of destinations that ends before the last node.
    #[error("{found} destinations; a list has one for each of {nodes} nodes, null for no packet")]
    TooFew {
        /// How many destinations it has.
        found: u32,
        /// How many nodes the network has.
        nodes: u32,
    },
    /// A list of destinations that continues beyond the last node.
    #[error("more than {nodes} destinations; a list has one for each of {nodes} nodes")]
    TooMany {
        /// How many nodes the network has.
        nodes: u32,
    },
    /// An object without the key `packets`.
    #[error("an object without `packets`; it lists the [source, destination] pairs")]
    NoPackets,
    /// An object with the key `packets` twice.
    #[error("`packets` a second time; an object has it once")]
    PacketsTwice,
    /// Text that isn't JSON, or JSON in neither of the forms.
    #[error("{message}; a list of destinations or an object with `packets` is allowed")]
    Json {
        /// The message of the JSON parser, which names what it found and what it expected.
        message: String,
    },
    /// A text without packets.
    #[error("no packet; at least one line `source destination`, or JSON, is needed")]
    NoPacket,
}

/// A place, as the beginning of a message.
fn place(line: &Option<usize>, column: &Option<usize>) -> String {
    match (line, column) {
        (Some(line), Some(column)) => format!("line {line}, column {column}: "),
        (Some(line), None) => format!("line {line}: "),
        _ => String::new(),
    }
}

/// The length of a list that isn't counted beyond its third entry.
fn length(found: usize) -> String {
    match found {
        0..=2 => found.to_string(),
        _ => "3 or more".into(),
    }
}
