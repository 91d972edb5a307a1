//! What the experiments run, as configurations: to run them on other engines, and for files of results.

use super::chinn::{ChinnError, Mesh, Request, table_and_meshes};
use super::published::Algorithm;
use crate::square::permutation;
use flitwork_config::{AnyRouter, Resolved};
use flitwork_router::chaos::InitialPointer;
use flitwork_router::greedy_hp::GreedyHpParameters;
use flitwork_types::Cycle;
use std::collections::BTreeMap;

impl Mesh {
    /// A run of a mesh's experiment. The packets are handed to the engine, which doesn't use the pattern; another permutation
    /// replaces the constructed one, so that the configuration can be run on its own.
    pub(crate) fn resolved(
        &self,
        algorithm: Algorithm,
        pointer: InitialPointer,
        run: (u64, u32),
    ) -> Resolved {
        let (grid, delivery) = self.place();
        let chaos = |derouting| self.parameters(pointer, derouting, delivery);
        let router = match algorithm {
            Algorithm::MinimalChaos => AnyRouter::from(chaos(false)),
            Algorithm::Chaos => AnyRouter::from(chaos(true)),
            Algorithm::GreedyHp => AnyRouter::from(GreedyHpParameters),
        };
        permutation(grid, router, run)
    }
}

/// What routes the first seed's permutations, by mesh and algorithm.
///
/// # Errors
/// A request that can't be run.
pub fn configurations(request: &Request) -> Result<BTreeMap<String, String>, ChinnError> {
    let (table, meshes) = table_and_meshes(request)?;
    let of = |mesh: &Mesh, algorithm: Algorithm| {
        let run = (1, Cycle::LAST.get());
        let resolved = mesh.resolved(algorithm, request.initial_pointer, run);
        let name = format!("n = {}, {}", mesh.plan.n, algorithm.name());
        (name, resolved.to_toml())
    };
    let algorithms = table.algorithms();
    let all = meshes
        .iter()
        .flat_map(|mesh| algorithms.iter().map(move |one| of(mesh, *one)));
    Ok(all.collect())
}
