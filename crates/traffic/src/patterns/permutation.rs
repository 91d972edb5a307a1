//! Permutation: d = pi(s), for a listed pi or one drawn from the seed (random permutations by Fisher and
//! Yates 1938, in the form of Durstenfeld 1964).
//!
//! A list may be partial. Nodes that it leaves out are silent, and so are fixed points.

use super::mapped::mapped;
use super::{Pattern, PatternError, PatternParameters, checked_node};
use crate::Draws;
use flitwork_topology::{Grid, Topology};
use flitwork_types::NodeId;

pub(super) fn build(
    parameters: &PatternParameters,
    grid: &Grid,
) -> Result<Box<dyn Pattern>, PatternError> {
    let images = match &parameters.permutation {
        Some(pairs) => listed(pairs, grid)?,
        None => drawn(parameters.seed, grid.nodes()),
    };
    Ok(mapped(move |source| {
        images.get(source.index()).copied().unwrap_or(source)
    }))
}

/// The image of every node; of one that sends nothing, itself.
fn listed(pairs: &[(NodeId, NodeId)], grid: &Grid) -> Result<Vec<NodeId>, PatternError> {
    let nodes = grid.nodes() as usize;
    let mut images: Vec<NodeId> = (0..grid.nodes()).map(NodeId).collect();
    let (mut sends, mut receives) = (vec![false; nodes], vec![false; nodes]);
    for (source, destination) in pairs {
        let source = checked_node("permutation", *source, grid)?;
        let destination = checked_node("permutation", *destination, grid)?;
        if std::mem::replace(&mut sends[source.index()], true) {
            return Err(PatternError::SourceTwice { node: source });
        }
        if std::mem::replace(&mut receives[destination.index()], true) {
            return Err(PatternError::DestinationTwice { node: destination });
        }
        images[source.index()] = destination;
    }
    Ok(images)
}

/// A random permutation: from the last place down, each gets one of those not yet placed.
fn drawn(seed: u64, nodes: u32) -> Vec<NodeId> {
    let mut draws = Draws::of_network(seed);
    let mut images: Vec<NodeId> = (0..nodes).map(NodeId).collect();
    for last in (1..nodes).rev() {
        images.swap(last as usize, draws.below(last + 1) as usize);
    }
    images
}

#[cfg(test)]
mod tests {
    use crate::patterns::tests::{built, grid, named, refused};
    use crate::{Draws, PatternError, PatternParameters};
    use flitwork_types::NodeId;
    use std::collections::HashMap;

    fn listed(pairs: &[(u32, u32)]) -> PatternParameters {
        let pairs = pairs
            .iter()
            .map(|(source, to)| (NodeId(*source), NodeId(*to)))
            .collect();
        PatternParameters {
            permutation: Some(pairs),
            ..named("permutation")
        }
    }

    #[test]
    fn a_partial_list_leaves_the_others_silent() {
        let pattern = built(&listed(&[(1, 3), (3, 1), (2, 2), (0, 5)]), &grid(&[3, 2]));
        let mut draws = Draws::new(0, NodeId(0));
        let expected = [Some(5), Some(3), None, Some(1), None, None];
        for (node, expected) in expected.into_iter().enumerate() {
            let node = NodeId(node as u32);
            assert_eq!(pattern.destination(node, &mut draws), expected.map(NodeId));
            assert_eq!(pattern.silent(node), expected.is_none());
        }
        assert!(pattern.silent(NodeId(6)));
    }

    #[test]
    fn lists_that_are_no_permutation_are_refused() {
        let grid = grid(&[3, 2]);
        let source = PatternError::SourceTwice { node: NodeId(1) };
        assert_eq!(refused(&listed(&[(1, 3), (1, 2)]), &grid), source);
        let destination = PatternError::DestinationTwice { node: NodeId(3) };
        assert_eq!(refused(&listed(&[(1, 3), (0, 3)]), &grid), destination);
        let parameter = "permutation";
        let off = PatternError::OffNetwork {
            parameter,
            node: NodeId(6),
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
            *counts.entry(super::drawn(seed, 4)).or_insert(0.0) += 1.0;
        }
        assert_eq!(counts.len(), 24);
        let chi_square: f64 = counts
            .values()
            .map(|count: &f64| (count - 1000.0).powi(2) / 1000.0)
            .sum();
        assert!(chi_square < 49.7, "{chi_square}");
        assert_eq!(super::drawn(9, 50), super::drawn(9, 50));
    }
}
