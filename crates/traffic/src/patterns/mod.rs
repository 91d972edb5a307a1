//! Traffic patterns: who sends to whom. One file a pattern, and one line in [`PATTERNS`].
//!
//! The standard ones are those of Dally and Towles, "Principles and Practices of Interconnection
//! Networks" (2004), section 3.2. In their formulas s is the source, d the destination, s_i the i-th of
//! b node bits, s_x a coordinate and k the side of its dimension.

mod bit_complement;
mod bit_reversal;
mod error;
mod hot_spot;
mod many_to_one;
mod mapped;
mod neighbour;
mod permutation;
mod shuffle;
mod tornado;
mod transpose;
mod uniform;

pub use error::PatternError;

use crate::Draws;
use flitwork_topology::{Grid, Topology};
use flitwork_types::NodeId;

/// Who sends to whom. Asked about nodes of the network only; about others the answer has no meaning.
pub trait Pattern: Send + Sync {
    /// Where the next packet of `source` goes; `None` if and only if `source` is silent. Never `source`
    /// itself: such a packet never enters the network.
    fn destination(&self, source: NodeId, draws: &mut Draws) -> Option<NodeId>;

    /// Whether `source` never sends, as on the diagonal of a transpose.
    fn silent(&self, source: NodeId) -> bool;
}

/// Everything that any pattern reads. A pattern refuses what it doesn't read (see
/// [`PatternEntry::reads`]); the seed is always given and may go unread.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PatternParameters {
    /// One of the names in [`PATTERNS`].
    pub pattern: String,
    /// Hot-spot: the nodes that get more than their share.
    pub hot_nodes: Option<Vec<NodeId>>,
    /// Hot-spot: the part of the packets that goes to a hot node, from 0 to 1.
    pub hot_fraction: Option<f64>,
    /// Many-to-one: where all packets go.
    pub destination: Option<NodeId>,
    /// Many-to-one: who sends; by default every node but the destination.
    pub sources: Option<Vec<NodeId>>,
    /// Permutation: (source, destination), each node at most once as either; by default drawn from the
    /// seed.
    pub permutation: Option<Vec<(NodeId, NodeId)>>,
    /// What a random permutation is drawn from.
    pub seed: u64,
}

impl PatternParameters {
    /// The parameters, by name, and whether each is given.
    fn given(&self) -> [(&'static str, bool); 5] {
        [
            ("hot_nodes", self.hot_nodes.is_some()),
            ("hot_fraction", self.hot_fraction.is_some()),
            ("destination", self.destination.is_some()),
            ("sources", self.sources.is_some()),
            ("permutation", self.permutation.is_some()),
        ]
    }
}

type Build = fn(&PatternParameters, &Grid) -> Result<Box<dyn Pattern>, PatternError>;

/// A pattern in the table.
#[derive(Clone, Copy, Debug)]
pub struct PatternEntry {
    /// What users call it.
    pub name: &'static str,
    /// What it does, in one line.
    pub summary: &'static str,
    /// The fields of [`PatternParameters`] that it reads, besides the seed.
    pub reads: &'static [&'static str],
    build: Build,
}

const fn entry(
    name: &'static str,
    build: Build,
    reads: &'static [&'static str],
    summary: &'static str,
) -> PatternEntry {
    PatternEntry {
        name,
        summary,
        reads,
        build,
    }
}

/// Every pattern, sorted by name.
#[rustfmt::skip]
pub const PATTERNS: &[PatternEntry] = &[
    entry("bit-complement", bit_complement::build, &[], "every bit of the node inverted; needs 2^b nodes"),
    entry("bit-reversal", bit_reversal::build, &[], "the bits of the node in reverse order; needs 2^b nodes"),
    entry("hot-spot", hot_spot::build, &["hot_nodes", "hot_fraction"], "a fraction of packets goes to hot nodes, the others anywhere"),
    entry("many-to-one", many_to_one::build, &["destination", "sources"], "all sources send to one destination"),
    entry("neighbour", neighbour::build, &[], "one further in every dimension, around the end"),
    entry("permutation", permutation::build, &["permutation"], "each source has its own destination, listed or drawn from the seed"),
    entry("shuffle", shuffle::build, &[], "the bits of the node rotated left by one; needs 2^b nodes"),
    entry("tornado", tornado::build, &[], "just less than half way around in every dimension"),
    entry("transpose", transpose::build, &[], "coordinates rotated by half the dimensions; x and y swapped on a square"),
    entry("uniform", uniform::build, &[], "every other node alike"),
];

/// The pattern that `parameters` name, on `grid`.
///
/// # Errors
/// A [`PatternError`] for an unknown name, a parameter that is missing, wrong or not read by the pattern,
/// a grid that the pattern isn't made for, or a pattern in which no node would send.
pub fn build_pattern(
    parameters: &PatternParameters,
    grid: &Grid,
) -> Result<Box<dyn Pattern>, PatternError> {
    let Some(entry) = PATTERNS
        .iter()
        .find(|entry| entry.name == parameters.pattern)
    else {
        return Err(PatternError::Unknown {
            found: parameters.pattern.clone(),
        });
    };
    let unread = |(name, given): &(&'static str, bool)| *given && !entry.reads.contains(name);
    if let Some((parameter, _)) = parameters.given().into_iter().find(unread) {
        return Err(PatternError::Unread {
            pattern: entry.name,
            parameter,
            reads: entry.reads,
        });
    }
    let pattern = (entry.build)(parameters, grid)?;
    if (0..grid.nodes()).all(|node| pattern.silent(NodeId(node))) {
        return Err(PatternError::Silent {
            pattern: entry.name,
        });
    }
    Ok(pattern)
}

/// Refuses a list that is empty, repeats a node or leaves the network; gives it sorted.
fn checked_list(
    parameter: &'static str,
    list: &[NodeId],
    grid: &Grid,
) -> Result<Vec<NodeId>, PatternError> {
    if list.is_empty() {
        return Err(PatternError::Empty { parameter });
    }
    let mut sorted = list.to_vec();
    sorted.sort_unstable();
    checked_node(parameter, sorted[sorted.len() - 1], grid)?;
    match sorted.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => Err(PatternError::Repeated {
            parameter,
            node: pair[0],
        }),
        None => Ok(sorted),
    }
}

/// Refuses a node off the network.
fn checked_node(
    parameter: &'static str,
    node: NodeId,
    grid: &Grid,
) -> Result<NodeId, PatternError> {
    let nodes = grid.nodes();
    if node.0 < nodes {
        Ok(node)
    } else {
        Err(PatternError::OffNetwork {
            parameter,
            node,
            nodes,
        })
    }
}

#[cfg(test)]
mod tests;
