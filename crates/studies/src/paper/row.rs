//! A row of a reproduced table: its runs, and what is computed from them.

use super::published::Algorithm;
use super::route::{Occupancy, Run};

/// A row of a reproduced table.
#[derive(Clone, Debug)]
pub(super) struct Row {
    pub(super) experiment: &'static str,
    /// The side of the mesh.
    pub(super) n: u32,
    /// The side of the corner.
    pub(super) cn: u32,
    pub(super) algorithm: Algorithm,
    /// The published cycles, if this row was published.
    pub(super) published: Option<f64>,
    pub(super) packets: u32,
    pub(super) runs: Vec<Run>,
    /// In the first seed's run, at the requested cycle.
    pub(super) occupancy: Option<Occupancy>,
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
        let digests = self.runs.iter().map(|run| run.digest.get());
        format!("{:016x}", digests.fold(0, u64::wrapping_add))
    }
}
