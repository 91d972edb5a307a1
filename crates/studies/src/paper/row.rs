//! A row of a reproduced table: its runs, and what is computed from them.

use super::classes::Leaving;
use super::published::{Algorithm, Published};
use super::route::{Occupancy, Run, sum_of_digests};

/// What the rows of a mesh differ in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Kind {
    /// What routed.
    pub(super) algorithm: Algorithm,
    /// What the permutation was committed by, in a table with permutations of several algorithms.
    pub(super) committed_by: Option<Algorithm>,
}

impl Kind {
    /// What it is called beside others.
    pub(super) fn label(self) -> String {
        let by = self.committed_by.map(Algorithm::name);
        let by = by.map_or(String::new(), |by| format!(" on {by}'s permutation"));
        format!("{}{by}", self.algorithm.name())
    }

    /// The same in the name of a file.
    pub(super) fn file_name(self) -> String {
        let by = self.committed_by.map(Algorithm::name);
        let by = by.map_or(String::new(), |by| format!("-by-{by}"));
        format!("{}{by}", self.algorithm.name())
    }

    /// The published cycles, each with n and cn: on the permutations that were published.
    pub(super) fn published(self, table: &Published) -> impl Iterator<Item = (u32, u32, f64)> {
        let is_other = self.committed_by == Some(Algorithm::MatchingHp);
        let cycles = table.cycles(self.algorithm);
        cycles.filter(move |_| !is_other)
    }
}

/// A row of a reproduced table.
#[derive(Clone, Debug)]
pub(super) struct Row {
    pub(super) experiment: &'static str,
    /// The side of the mesh.
    pub(super) n: u32,
    /// The side of the corner.
    pub(super) cn: u32,
    pub(super) kind: Kind,
    /// The published cycles, if this row was published.
    pub(super) published: Option<f64>,
    pub(super) packets: u32,
    pub(super) runs: Vec<Run>,
    /// In the first seed's run, at the requested cycle.
    pub(super) occupancy: Option<Occupancy>,
    /// When each class left the corner, in each run, if that was asked for.
    pub(super) leaving: Vec<Leaving>,
}

impl Row {
    /// The cycles of each run until its last packet has left.
    fn all_cycles(&self) -> impl Iterator<Item = u32> {
        self.runs.iter().map(|run| run.cycles.unwrap_or(0))
    }

    fn mean(&self, sum: f64) -> f64 {
        sum / self.runs.len() as f64
    }

    /// Their mean.
    pub(super) fn cycles(&self) -> f64 {
        self.mean(self.all_cycles().map(f64::from).sum())
    }

    /// The least and the greatest of them.
    pub(super) fn range(&self) -> (u32, u32) {
        let (least, most) = (self.all_cycles().min(), self.all_cycles().max());
        (least.unwrap_or(0), most.unwrap_or(0))
    }

    /// The relative deviation of the mean from the published figure.
    pub(super) fn error(&self) -> Option<f64> {
        Some(self.cycles() / self.published? - 1.0)
    }

    pub(super) fn deroutes(&self) -> f64 {
        self.mean(self.runs.iter().map(|run| run.deroutes as f64).sum())
    }

    pub(super) fn seconds(&self) -> f64 {
        self.runs.iter().map(|run| run.seconds).sum()
    }

    /// The sum of the runs' digests.
    pub(super) fn digest(&self) -> String {
        sum_of_digests(&self.runs)
    }
}
