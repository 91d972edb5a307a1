//! `product`: a permutation of a mesh in three phases, by colours (Annexstein and Baumslag 1990; Symvonis and Tidswell 1994,
//! Theorem 2).

use super::bounds;
use super::method::{Ask, Made, Method};
use crate::exit::Exit;
use crate::problem::Net;
use flitwork_schedule::bounds::{product, product_bound};
use flitwork_schedule::multistage::Mesh;
use serde_json::json;

pub(super) const METHOD: Method = Method {
    name: "product",
    keys: &[],
    make,
};

fn make(ask: &Ask) -> Result<Made, Exit> {
    let on = "on a mesh with two sides";
    let Net::Grid(grid) = &ask.net else {
        return Err(ask.refused("schedule", "the product method on a graph of links", on));
    };
    let mesh = Mesh::new(grid).map_err(|error| ask.refused("graph", error, on))?;
    let found = product(&mesh, &ask.requests).map_err(|error| bounds::refused(ask, error))?;
    Ok(Made {
        says: vec![
            ("phases", json!(found.phases)),
            ("bound", json!(product_bound(&mesh))),
        ],
        plans: found.plans,
    })
}
