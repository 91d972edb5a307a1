//! The text of a file of packets that exist at once, in one of two forms:
//!
//! - JSON: a list of one destination for each node (`null`: no packet), `[1, 0, null, 2]`; or an object
//!   whose key `packets` lists pairs, `{"packets": [[0, 1], [1, 0]]}`. Other keys are ignored.
//! - Plain: a line `source destination` per packet, separated by spaces, tabs or one comma. What follows a `#` is a
//!   comment; blank lines are ignored, and so is `source,destination` before the first packet.
//!
//! In a permutation each node is the source of at most one packet, and the destination of at most one.
//!
//! A text whose first character is `[` or `{` is JSON. Memory grows with the packets read, never with a number found in
//! the text.

mod error;
mod json;
mod plain;

pub use error::{PermutationError, PermutationProblem};

use flitwork_schema::cut;
use flitwork_types::TerminalId;
use std::collections::HashSet;

/// The packets in `text`, each a source and its destination, in the order of the text. A node may be
/// its own destination.
///
/// # Errors
/// A [`PermutationError`] with its line for a text in neither form, a node that a network of `nodes` nodes doesn't have,
/// a source or destination that occurs twice, a list that isn't as long as the network, and a text without packets.
pub fn parse_permutation(
    text: &str,
    nodes: u32,
) -> Result<Vec<(TerminalId, TerminalId)>, PermutationError> {
    parse(text, Packets::new(nodes, true))
}

/// The same of packets of which a node may send and receive several.
///
/// # Errors
/// Those of [`parse_permutation`] but for nodes that occur twice and texts without packets.
pub fn parse_packets(
    text: &str,
    nodes: u32,
) -> Result<Vec<(TerminalId, TerminalId)>, PermutationError> {
    parse(text, Packets::new(nodes, false))
}

/// The plain form of packets, as [`parse_permutation`] and [`parse_packets`] read it.
pub fn write_packets(packets: &[(TerminalId, TerminalId)]) -> String {
    let lines = packets
        .iter()
        .map(|(source, destination)| format!("{},{}\n", source.0, destination.0));
    lines.collect()
}

fn parse(
    text: &str,
    mut packets: Packets,
) -> Result<Vec<(TerminalId, TerminalId)>, PermutationError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if text.trim_start().starts_with(['[', '{']) {
        json::read(text, &mut packets)?;
    } else {
        plain::read(text, &mut packets)?;
    }
    if packets.is_permutation && packets.listed.is_empty() {
        let problem = PermutationProblem::NoPacket;
        return Err(PermutationError {
            line: None,
            column: None,
            problem,
        });
    }
    Ok(packets.listed)
}

/// The packets read so far, and what is needed to check the next.
#[derive(Default)]
struct Packets {
    nodes: u32,
    /// Whether a node sends at most one packet, and receives at most one.
    is_permutation: bool,
    listed: Vec<(TerminalId, TerminalId)>,
    sources: HashSet<TerminalId>,
    destinations: HashSet<TerminalId>,
}

/// Which end of a packet a node is.
#[derive(Clone, Copy)]
enum End {
    Source,
    Destination,
}

impl Packets {
    fn new(nodes: u32, is_permutation: bool) -> Packets {
        Packets {
            nodes,
            is_permutation,
            ..Packets::default()
        }
    }

    /// Checks a number as an end of the next packet.
    fn end(&mut self, end: End, number: u64) -> Result<TerminalId, PermutationProblem> {
        let node = u32::try_from(number)
            .ok()
            .filter(|node| *node < self.nodes)
            .map(TerminalId)
            .ok_or_else(|| self.not_a_node(&number.to_string()))?;
        match end {
            _ if !self.is_permutation => Ok(node),
            End::Source if !self.sources.insert(node) => {
                Err(PermutationProblem::SourceTwice { node })
            }
            End::Destination if !self.destinations.insert(node) => {
                Err(PermutationProblem::DestinationTwice { node })
            }
            _ => Ok(node),
        }
    }

    /// The problem of something other than a node where a node is expected.
    fn not_a_node(&self, found: &str) -> PermutationProblem {
        PermutationProblem::NotANode {
            found: cut(found, LONGEST_WORD),
            nodes: self.nodes,
        }
    }
}

/// The most characters of a word, and of a message of the JSON parser, that an error quotes.
const LONGEST_WORD: usize = 40;
const LONGEST_MESSAGE: usize = 120;

#[cfg(test)]
mod tests;
