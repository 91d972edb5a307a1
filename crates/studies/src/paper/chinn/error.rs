//! Requests that can't be run.

use crate::paper::published;
use flitwork_adversary::PlanError;
use flitwork_topology::GridError;
use std::fmt;

/// A request that can't be run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChinnError {
    /// No such experiment.
    Unknown(String),
    /// No seed.
    NoSeeds,
    /// The mesh is too small for a corner of 2 nodes a side.
    Small {
        /// The mesh's side.
        n: u32,
    },
    /// The construction doesn't fit the mesh.
    Plan(PlanError),
    /// The mesh can't be built.
    Grid {
        /// The mesh's side.
        n: u32,
        /// Why.
        error: GridError,
    },
}

impl fmt::Display for ChinnError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ChinnError::Unknown(name) => {
                let names: Vec<_> = published().into_iter().map(|e| e.name).collect();
                write!(
                    f,
                    "no experiment is called `{name}`; allowed: {}",
                    names.join(", ")
                )
            }
            ChinnError::NoSeeds => write!(f, "0 seeds; allowed: 1 or more"),
            ChinnError::Small { n } => write!(
                f,
                "n = {n}: the corner, 7/120 of the mesh's side, has fewer than 2 x 2 nodes; \
                 allowed: 35 or more"
            ),
            ChinnError::Plan(error) => write!(f, "{error}"),
            ChinnError::Grid { n, error } => write!(f, "n = {n}: {error}"),
        }
    }
}

impl std::error::Error for ChinnError {}
