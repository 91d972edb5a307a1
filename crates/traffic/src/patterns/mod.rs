//! Traffic patterns: who sends to whom. Each pattern is one file and one line in the table below.
//!
//! The standard ones are those of Dally and Towles, "Principles and Practices of Interconnection
//! Networks" (2004), section 3.2. In their formulas s is the source, d the destination, s_i the i-th of
//! b node bits, s_x a coordinate and k the side of its dimension.
//!
//! `shift`, `swap` and `reflection` are problems of Kaufmann and Sibeyn, "Randomized multi-packet routing on meshes" (technical
//! report RUU-CS-91-48, 1991), sections 2 and 9.

mod error;
mod file;
mod locality;
mod mapped;
mod parameters;
mod read;

pub use error::PatternError;
pub use parameters::{AnyPattern, PatternEntry, PatternParameters};

pub(crate) use error::by;
pub(crate) use read::{keys, keys_of_phases, read, refuse_any};

use crate::Draws;
use flitwork_topology::{Spread, Topology};
use flitwork_types::TerminalId;

/// Declares the files of patterns and puts the parameters that describe them into the table.
macro_rules! patterns {
    ($($file:ident :: $parameters:ident),+ $(,)?) => {
        $(mod $file;)+
        $(pub use $file::$parameters;)+

        /// Every built-in pattern, sorted by name.
        const BUILT_IN: &[PatternEntry] = &[$(PatternEntry::of::<$parameters>()),+];
    };
}

patterns! {
    adversarial::Adversarial,
    bit_complement::BitComplement,
    bit_reversal::BitReversal,
    hot_spot::HotSpotParameters,
    listed::ListedParameters,
    many_to_one::ManyToOneParameters,
    neighbour::Neighbour,
    permutation::PermutationParameters,
    random_destinations::RandomDestinations,
    random_permutation::RandomPermutation,
    reflection::ReflectionParameters,
    reversal::Reversal,
    shift::ShiftParameters,
    shuffle::Shuffle,
    swap::SwapParameters,
    tornado::Tornado,
    transpose::Transpose,
    uniform::Uniform,
}

/// Who sends to whom. The answers are meaningful only for terminals of the network.
pub trait Pattern: Send + Sync {
    /// The destination of the next packet of `source`; `None` if and only if `source` is silent. `source` itself only if
    /// a parameter of the pattern asks for it.
    fn destination(&self, source: TerminalId, draws: &mut Draws) -> Option<TerminalId>;

    /// Whether `source` never sends, as on the diagonal of a transpose.
    fn silent(&self, source: TerminalId) -> bool;

    /// How likely each destination of the next packet of `source` is, a terminal of the network; `None` if the pattern doesn't
    /// say. [`Pattern::destination`] draws from it.
    fn spread(&self, _source: TerminalId) -> Option<Spread> {
        None
    }

    /// All packets of a pattern that is a list of them, those of a terminal and itself included: of one with a fixed
    /// destination for each terminal of a network of so many, these.
    fn packets(&self, _terminals: u32) -> Option<Vec<(TerminalId, TerminalId)>> {
        None
    }
}

/// Refuses a list that is empty, repeats a terminal or names one that the network doesn't have. Returns it sorted.
fn checked_list(
    parameter: &'static str,
    list: &[TerminalId],
    topology: &dyn Topology,
) -> Result<Vec<TerminalId>, PatternError> {
    if list.is_empty() {
        return Err(PatternError::Empty { parameter });
    }
    let mut sorted = list.to_vec();
    sorted.sort_unstable();
    checked_terminal(parameter, sorted[sorted.len() - 1], topology)?;
    match sorted.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => Err(PatternError::Repeated {
            parameter,
            node: pair[0],
        }),
        None => Ok(sorted),
    }
}

/// Refuses a terminal that the network doesn't have.
fn checked_terminal(
    parameter: &'static str,
    node: TerminalId,
    topology: &dyn Topology,
) -> Result<TerminalId, PatternError> {
    let nodes = topology.terminals();
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
