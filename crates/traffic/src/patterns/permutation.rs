//! Permutation: d = pi(s), for a pi that is listed or drawn from the seed (random permutations by Fisher and
//! Yates 1938, in the form of Durstenfeld 1964).
//!
//! A list may be partial. Nodes that it omits are silent, and so are fixed points.

use super::file::{file_key, from_file};
use super::listed;
use super::mapped::listed_images;
use super::{Pattern, PatternError, PatternParameters, checked_terminal};
use crate::{Draws, ReadContext, parse_permutation};
use flitwork_schema::{Key, RawTable, Refusal};
use flitwork_topology::Topology;
use flitwork_types::TerminalId;

/// The permutation: listed, or drawn.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PermutationParameters {
    /// The file that lists it, as configured, relative to the configuration file's directory.
    pub file: Option<String>,
    /// (source, destination), each node at most once as either; by default drawn from the seed.
    pub listed: Option<Vec<(TerminalId, TerminalId)>>,
}

impl PermutationParameters {
    /// A listed permutation.
    pub fn listed(pairs: Vec<(TerminalId, TerminalId)>) -> PermutationParameters {
        PermutationParameters {
            listed: Some(pairs),
            file: None,
        }
    }
}

impl PatternParameters for PermutationParameters {
    const NAME: &'static str = "permutation";
    const HELP: &'static str = "each source has its own destination, listed or drawn from the seed";
    const FILE_KEYS: &'static [Key<PermutationParameters>] = &[file_key(|it| &mut it.file)];

    fn read_files(
        &mut self,
        given: &RawTable<'_>,
        context: &ReadContext<'_>,
    ) -> Result<(), Refusal> {
        if let Some(name) = &self.file {
            self.listed = Some(from_file(name, given, context, parse_permutation)?);
        }
        Ok(())
    }

    fn build(&self, topology: &dyn Topology, seed: u64) -> Result<Box<dyn Pattern>, PatternError> {
        if let Some(pairs) = &self.listed {
            hold(pairs, topology)?;
            return Ok(listed::listed(pairs.clone()));
        }
        Ok(listed_images(random(seed, topology.terminals())))
    }

    /// Reading a listed permutation has checked everything except that some node sends. A drawn one of n nodes silences
    /// all of them in one of n! seeds.
    fn is_surely_buildable(&self, topology: &dyn Topology) -> bool {
        match &self.listed {
            Some(pairs) => pairs
                .iter()
                .any(|(source, destination)| source != destination),
            None => topology.terminals() > 1000,
        }
    }

    fn may_leave_nodes_untouched(&self) -> bool {
        self.listed.is_some()
    }

    fn files(&mut self) -> Vec<&mut String> {
        self.file.iter_mut().collect()
    }

    fn content(&self, take: &mut dyn FnMut(&[u8])) {
        for (source, destination) in self.listed.iter().flatten() {
            take(&source.0.to_le_bytes());
            take(&destination.0.to_le_bytes());
        }
    }
}

/// Refuses nodes that send or receive twice.
fn hold(pairs: &[(TerminalId, TerminalId)], topology: &dyn Topology) -> Result<(), PatternError> {
    let terminals = topology.terminals() as usize;
    let (mut sends, mut receives) = (vec![false; terminals], vec![false; terminals]);
    for (source, destination) in pairs {
        let source = checked_terminal("permutation", *source, topology)?;
        let destination = checked_terminal("permutation", *destination, topology)?;
        if std::mem::replace(&mut sends[source.index()], true) {
            return Err(PatternError::SourceTwice { node: source });
        }
        if std::mem::replace(&mut receives[destination.index()], true) {
            return Err(PatternError::DestinationTwice { node: destination });
        }
    }
    Ok(())
}

/// A random permutation.
fn random(seed: u64, terminals: u32) -> Vec<TerminalId> {
    let mut images: Vec<TerminalId> = (0..terminals).map(TerminalId).collect();
    Draws::of_network(seed).shuffle(&mut images);
    images
}

#[cfg(test)]
mod tests {
    use super::PermutationParameters;
    use crate::patterns::tests::{built, grid, refused};
    use crate::{AnyPattern, Draws, PatternError};
    use flitwork_types::TerminalId;
    use std::collections::HashMap;

    fn listed(pairs: &[(u32, u32)]) -> AnyPattern {
        let pairs = pairs.iter();
        let pairs = pairs.map(|(source, to)| (TerminalId(*source), TerminalId(*to)));
        PermutationParameters::listed(pairs.collect()).into()
    }

    #[test]
    fn a_partial_list_leaves_the_others_silent() {
        let pattern = built(&listed(&[(1, 3), (3, 1), (2, 2), (0, 5)]), &grid(&[3, 2]));
        let mut draws = Draws::new(0, TerminalId(0));
        let expected = [Some(5), Some(3), None, Some(1), None, None];
        for (node, expected) in expected.into_iter().enumerate() {
            let node = TerminalId(node as u32);
            assert_eq!(
                pattern.destination(node, &mut draws),
                expected.map(TerminalId)
            );
            assert_eq!(pattern.silent(node), expected.is_none());
        }
        assert!(pattern.silent(TerminalId(6)));
    }

    #[test]
    fn lists_that_are_not_permutations_are_refused() {
        let grid = grid(&[3, 2]);
        let source = PatternError::SourceTwice {
            node: TerminalId(1),
        };
        assert_eq!(refused(&listed(&[(1, 3), (1, 2)]), &grid), source);
        let destination = PatternError::DestinationTwice {
            node: TerminalId(3),
        };
        assert_eq!(refused(&listed(&[(1, 3), (0, 3)]), &grid), destination);
        let parameter = "permutation";
        let off = PatternError::OffNetwork {
            parameter,
            node: TerminalId(6),
            nodes: 6,
        };
        assert_eq!(refused(&listed(&[(6, 1)]), &grid), off);
        assert_eq!(refused(&listed(&[(1, 6)]), &grid), off);
        let silent = PatternError::Silent {
            pattern: "permutation",
        };
        assert_eq!(refused(&listed(&[]), &grid), silent);
        assert_eq!(refused(&listed(&[(1, 1)]), &grid), silent);
    }

    #[test]
    fn every_permutation_is_as_likely() {
        // 24 permutations of 4 nodes, 24,000 seeds: chi-square with 23 degrees of freedom, 99.9 % below
        // 49.7.
        let mut counts = HashMap::new();
        for seed in 0..24_000 {
            *counts.entry(super::random(seed, 4)).or_insert(0.0) += 1.0;
        }
        assert_eq!(counts.len(), 24);
        let chi_square: f64 = counts
            .values()
            .map(|count: &f64| (count - 1000.0).powi(2) / 1000.0)
            .sum();
        assert!(chi_square < 49.7, "{chi_square}");
        assert_eq!(super::random(9, 50), super::random(9, 50));
    }
}
