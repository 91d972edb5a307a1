//! `worms`: each starts as early as its links are free, and never stops (Roberts and Symvonis 1994, section 2.2).

use super::method::{Ask, Made, Method};
use crate::exit::Exit;
use crate::problem::Net;
use flitwork_schedule::worms::{Bends, Order, WormError, first_fit};
use serde_json::json;

pub(super) const METHOD: Method = Method {
    name: "worms",
    keys: &["order", "select", "seed"],
    make,
};

fn make(ask: &Ask) -> Result<Made, Exit> {
    let on = "on a mesh with two sides";
    let Net::Grid(grid) = &ask.net else {
        return Err(ask.refused("schedule", "worms on a graph of links", on));
    };
    let named = ask.settings.text("order");
    let seed = ask.seed(named == Some("random"), "order = \"random\"")?;
    let order = ask.part("order", Order::LongestFirst, &Order::all(seed))?;
    let bends = ask.part("select", Bends::HorizontalFirst, Bends::ALL)?;
    let starts = first_fit(grid, &ask.requests, order, bends).map_err(|error| match error {
        WormError::NoMesh => ask.refused("schedule", error, on),
        WormError::NoNode { worm, .. } => ask.wrong_packet(worm, error, "nodes of the mesh"),
        WormError::NoWords { .. } | WormError::TooLate { .. } => {
            ask.wrong_words(error, "fewer words")
        }
    })?;
    let both = starts.iter().zip(&ask.requests);
    Ok(Made {
        plans: both
            .map(|(start, request)| start.plan(grid, request))
            .collect(),
        says: vec![
            ("order", json!(order.name())),
            ("select", json!(bends.name())),
        ],
    })
}
