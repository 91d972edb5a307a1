//! `exact`: the shortest schedule of a small problem, with its proof.

use super::bounds::{self, model};
use super::method::{Ask, Made, Method};
use crate::exit::Exit;
use crate::problem::Net;
use flitwork_schedule::bounds::{Limits, shortest};
use serde_json::json;

pub(super) const METHOD: Method = Method {
    name: "exact",
    keys: &["waiting", "detours"],
    make,
};

fn make(ask: &Ask) -> Result<Made, Exit> {
    let (model, limits) = (model(ask), Limits::default());
    let found = match &ask.net {
        Net::Grid(grid) => shortest(&**grid, &ask.requests, model, &limits),
        Net::Graph(graph) => shortest(&**graph, &ask.requests, model, &limits),
    };
    let found = found.map_err(|error| bounds::refused(ask, error))?;
    Ok(Made {
        says: vec![
            ("is_proven", json!(found.is_proven())),
            ("at_least", json!(found.at_least)),
        ],
        plans: found.plans,
    })
}
