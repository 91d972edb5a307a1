//! The experiments of Chinn 1995 in some reading, for a study that compares readings.

use super::chinn_1995::{Chinn, need_bytes};
use super::published::Algorithm;
use super::reading::Reading;
use crate::context::Failed;
use crate::contract::{Steps, Study};
use flitwork_config::Catalogue;
use flitwork_experiment::memory;
use std::collections::BTreeMap;

/// An experiment with Chaos routers.
pub(crate) struct InReading(Chinn);

/// A row of its table.
#[derive(Clone, Debug)]
pub(crate) struct Timed {
    /// The side of the mesh, in nodes.
    pub(crate) n: u32,
    /// What routed.
    pub(crate) algorithm: Algorithm,
    /// Until the last packet has left, mean over the seeds.
    pub(crate) cycles: f64,
    /// The published cycles, if this row was published.
    pub(crate) published: Option<f64>,
    /// How many runs there were.
    pub(crate) seeds: u32,
    /// The sum of their digests.
    pub(crate) digest: String,
}

impl InReading {
    /// An experiment with fixed pointers, on meshes of some sides or else on the published ones.
    pub(crate) fn new(
        experiment: &'static str,
        reading: Reading,
        n: Vec<u32>,
        seeds: u32,
    ) -> InReading {
        InReading(Chinn::new(experiment, reading, n, seeds))
    }

    /// The same with random pointers.
    pub(crate) fn with_random_pointers(&self) -> InReading {
        InReading(self.0.clone().with_random_pointers())
    }

    /// Its name.
    pub(crate) fn experiment(&self) -> &'static str {
        self.0.experiment
    }

    /// Refuses meshes that make no sense, or that the host has no room for.
    pub(crate) fn admit(&self, catalogue: &Catalogue) -> Result<(), Failed> {
        let meshes = self.0.meshes(catalogue)?;
        memory::admit_bytes(need_bytes(&meshes), &["--n"]).map_err(Failed::bad_input)
    }

    /// Its rows; none if the user asks to stop.
    pub(crate) fn times(&self, steps: &mut Steps<'_>) -> Result<Option<Vec<Timed>>, Failed> {
        let mut times = Vec::new();
        for mesh in self.0.meshes(steps.context.catalogue())? {
            let Some(rows) = self.0.rows(&mesh, steps) else {
                return Ok(None);
            };
            times.extend(rows.iter().map(|row| Timed {
                n: row.n,
                algorithm: row.kind.algorithm,
                cycles: row.cycles(),
                published: row.published,
                seeds: row.runs.len() as u32,
                digest: row.digest(),
            }));
        }
        Ok(Some(times))
    }

    /// What routes the first seed's permutations, by mesh and algorithm.
    pub(crate) fn configurations(&self, catalogue: &Catalogue) -> BTreeMap<String, String> {
        self.0.configurations(catalogue)
    }
}
