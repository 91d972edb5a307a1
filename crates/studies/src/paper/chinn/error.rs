//! Requests that can't be run.

use crate::paper::published;
use flitwork_adversary::PlanError;
use flitwork_topology::GridError;

/// A request that can't be run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ChinnError {
    /// No such experiment.
    #[error("no experiment is called `{0}`; allowed: {names}", names = names())]
    Unknown(String),
    /// No seed.
    #[error("0 seeds; allowed: 1 or more")]
    NoSeeds,
    /// The mesh is too small for a corner of 2 nodes a side.
    #[error(
        "n = {n}: the corner, 7/120 of the mesh's side, has fewer than 2 x 2 nodes; allowed: 35 or more"
    )]
    Small {
        /// The mesh's side.
        n: u32,
    },
    /// The construction doesn't fit the mesh.
    #[error(transparent)]
    Plan(PlanError),
    /// The mesh can't be built.
    #[error("n = {n}: {error}")]
    Grid {
        /// The mesh's side.
        n: u32,
        /// Why.
        error: GridError,
    },
}

fn names() -> String {
    let names: Vec<_> = published().into_iter().map(|table| table.name).collect();
    names.join(", ")
}
