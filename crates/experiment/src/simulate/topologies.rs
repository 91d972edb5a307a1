//! A network by tables runs exactly as the same network by arithmetic.

use crate::simulate::simulate;
use flitwork_config::{Catalogue, Resolved};
use flitwork_schema::{Key, Parts, RawTable, Refusal};
use flitwork_topology::{Graph, Grid, Shape, TopologyEntry, keys};
use std::ops::ControlFlow;
use std::path::Path;

/// A torus by tables, which must give the results of the torus by arithmetic.
fn tables(given: &Sides, _: &RawTable<'_>) -> Result<Shape, Refusal> {
    let grid = Grid::torus(&given.sides).expect("sides of a torus");
    Ok(Shape::from(Graph::copy_of(&grid).expect("a small torus")))
}

#[derive(Clone, Default)]
struct Sides {
    sides: Vec<u32>,
}

const SIDES_KEYS: &[Key<Sides>] = &[keys::sides(|it| &mut it.sides)];

fn digest(resolved: &Resolved) -> String {
    let run = simulate(resolved, &mut |_| ControlFlow::Continue(()));
    run.digest.to_string()
}

#[test]
fn a_torus_by_tables_gives_what_the_torus_gives_on_every_engine() {
    let entry = TopologyEntry::new("tables", "a torus by tables", SIDES_KEYS, tables);
    let catalogue = Catalogue::new(Parts::new().with(entry));
    for router in ["chaos", "deflection", "greedy-hp"] {
        for engine in ["sync", "sync-stepped", "sync-plain", "clocked"] {
            let on = |topology: &str| {
                let text = format!(
                    "[network]\ntopology = \"{topology}\"\nsides = [4, 3]\n[router.{router}]\n\
                     [traffic]\nload = 0.3\n[run]\nengine = \"{engine}\"\nwarmup_cycles = 50\n\
                     measure_cycles = 200\n[clocks]\nphase = \"random\"\ndrift_ppm = 1000\n"
                );
                // One clock has neither phases nor drifts.
                let resolved = catalogue.resolve_with_unread(&text, "x.toml", Path::new(""), &[]);
                resolved.unwrap_or_else(|error| panic!("{error}")).0
            };
            assert_eq!(
                digest(&on("tables")),
                digest(&on("torus")),
                "{router} {engine}"
            );
        }
    }
}
