//! Permutations of a square mesh.

use clap::ValueEnum;
use flitwork_types::NodeId;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_pcg::Pcg64Mcg;

/// A kind of permutation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Permutation {
    /// A random one, another for each seed.
    Random,
    /// Node i sends to the last node but i.
    Reversal,
    /// Columns become rows.
    Transpose,
}

impl Permutation {
    /// What users call it.
    pub(super) fn name(self) -> &'static str {
        match self {
            Permutation::Random => "random",
            Permutation::Reversal => "reversal",
            Permutation::Transpose => "transpose",
        }
    }

    /// Whether a seed gives another.
    pub(super) fn is_drawn(self) -> bool {
        self == Permutation::Random
    }

    /// From where to where.
    pub(super) fn of(self, side: u32, seed: u64) -> Vec<(NodeId, NodeId)> {
        let nodes = side * side;
        let mut to: Vec<u32> = (0..nodes).collect();
        match self {
            Permutation::Random => to.shuffle(&mut Pcg64Mcg::seed_from_u64(seed)),
            Permutation::Reversal => to.reverse(),
            Permutation::Transpose => {
                for (node, to) in (0..).zip(&mut to) {
                    *to = node % side * side + node / side;
                }
            }
        }
        (0..).map(NodeId).zip(to.into_iter().map(NodeId)).collect()
    }
}
