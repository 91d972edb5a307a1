//! Square networks under one clock, and the traffic that studies offer them.

use crate::context::Failed;
use flitwork_config::{Catalogue, ConfigError, EngineChoice, Override, Resolved, RunParameters};
use flitwork_router::chaos::ChaosParameters;
use flitwork_topology::{Grid, GridError};
use flitwork_traffic::AnyPattern;
use std::path::Path;

/// The fraction of hot-spot's packets that goes to its four hot nodes.
pub(crate) const HOT_FRACTION: f64 = 0.1;

/// A network of `side` x `side` nodes.
pub(crate) fn square(wraps: bool, side: u32) -> Result<Grid, GridError> {
    let sides = [side; 2];
    match wraps {
        true => Grid::torus(&sides),
        false => Grid::mesh(&sides),
    }
}

/// The same by the name of its topology, as `--topologies` has it.
pub(crate) fn named_square(topology: &str, side: u32) -> Result<Grid, Failed> {
    let wraps = match topology {
        "mesh" => false,
        "torus" => true,
        _ => {
            let why =
                format!("no topology of this study is called `{topology}`; allowed: mesh, torus");
            return Err(Failed::option("--topologies", why));
        }
    };
    square(wraps, side).map_err(|error| Failed::option("--side", error))
}

/// The nodes a quarter and three quarters along each side.
pub(crate) fn hot_nodes(side: u32) -> [u32; 4] {
    let side = u64::from(side);
    let (near, far) = (side / 4, 3 * side / 4);
    let places = [(near, near), (far, near), (near, far), (far, far)];
    // A side that is longer than any network's is refused with the configuration: here it must only not overflow.
    places.map(|(x, y)| u32::try_from(y * side + x).unwrap_or(u32::MAX))
}

/// A pattern that needs no more than its name and what `set` changes, and that the network can carry.
pub(crate) fn pattern(
    catalogue: &Catalogue,
    name: &str,
    grid: &Grid,
    set: impl FnOnce(&mut AnyPattern),
) -> Result<AnyPattern, Failed> {
    let refused = |error| Failed::option("--patterns", error);
    let mut pattern = AnyPattern::named(catalogue.parts(), name).map_err(refused)?;
    set(&mut pattern);
    pattern.build(grid, 0).map_err(refused)?;
    Ok(pattern)
}

/// A run of open-loop traffic on Chaos routers, with these keys besides.
pub(crate) fn chaos(
    catalogue: &Catalogue,
    grid: &Grid,
    set: &[Override],
    (load, pattern): (f64, AnyPattern),
    run: RunParameters,
) -> Result<Resolved, Failed> {
    let keys = format!("router.chaos = {{}}\ntraffic.load = {load:?}");
    let resolved = resolve(catalogue, grid, &keys, set);
    let mut resolved = resolved.map_err(Failed::bad_input)?;
    resolved.run = run;
    resolved.traffic.pattern = pattern;
    Ok(resolved)
}

/// Changes the parameters of a run's routers if they are Chaos routers.
pub(crate) fn set_chaos(resolved: &mut Resolved, set: impl FnOnce(&mut ChaosParameters)) {
    resolved.router.get_mut().map(set);
}

/// A run with a warm-up and a measurement of these lengths. Its sources then stop; what is left in them, and then what is
/// left in the network, may take `drain_cycles` each.
pub(crate) fn measured(
    seed: u64,
    (warmup_cycles, measure_cycles): (u32, u32),
    drain_cycles: u32,
) -> RunParameters {
    RunParameters {
        seed,
        engine: EngineChoice::Sync,
        warmup_cycles,
        measure_cycles,
        drain_cycles,
        stop_at_overload: false,
        deadline_cycles: warmup_cycles + measure_cycles + 2 * drain_cycles,
    }
}

/// A random permutation: a packet from every node, until the last one is delivered or the deadline is reached.
pub(crate) fn permutation(
    catalogue: &Catalogue,
    grid: &Grid,
    router: &str,
    (seed, deadline_cycles): (u64, u32),
) -> Resolved {
    let keys = format!(
        "router.{router} = {{}}\ntraffic = {{ process = \"once\", pattern = \"permutation\" }}"
    );
    let run = RunParameters {
        deadline_cycles,
        ..measured(seed, (0, 0), 0)
    };
    let resolved = resolve(catalogue, grid, &keys, &[]);
    let resolved = resolved.unwrap_or_else(|error| panic!("{error}"));
    Resolved { run, ..resolved }
}

/// A configuration with these keys besides.
pub(crate) fn overlaid(
    catalogue: &Catalogue,
    resolved: Resolved,
    set: &[Override],
) -> Result<Resolved, Failed> {
    if set.is_empty() {
        return Ok(resolved);
    }
    let text = resolved.to_toml();
    let name = "the study's configuration";
    let resolved = catalogue.resolve(&text, name, Path::new(""), set);
    resolved.map_err(Failed::bad_input)
}

/// The configuration comes from its keys, so that the router's machines are those of the table: parameters of a known
/// type would have them compiled once more in this crate.
fn resolve(
    catalogue: &Catalogue,
    grid: &Grid,
    keys: &str,
    set: &[Override],
) -> Result<Resolved, ConfigError> {
    let (topology, sides) = (grid.kind(), grid.sides());
    let text = format!("network = {{ topology = {topology:?}, sides = {sides:?} }}\n{keys}\n");
    catalogue.resolve(&text, "the study's configuration", Path::new(""), set)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hot_nodes_of_any_side_are_numbers() {
        // Columns and rows 2 and 6 of 8.
        assert_eq!(hot_nodes(8), [18, 22, 50, 54]);
        assert_eq!(hot_nodes(u32::MAX), [u32::MAX; 4]);
    }

    /// On a torus of 4 x 4 the ends of a row are neighbours; on a mesh they are 3 hops apart. The option that is wrong is named.
    #[test]
    fn networks_are_known_by_their_names() {
        use flitwork_topology::Topology;
        use flitwork_types::NodeId;
        let ends = |name| named_square(name, 4).map(|it| it.distance(NodeId(0), NodeId(3)));
        assert_eq!([ends("mesh"), ends("torus")], [Ok(3), Ok(1)]);
        let refused = |name, side| match named_square(name, side) {
            Err(Failed::BadInput(why)) => why,
            other => panic!("{other:?}"),
        };
        assert!(refused("ring", 4).starts_with("--topologies: "));
        assert!(refused("mesh", 0).starts_with("--side: "));
    }

    /// Every key that is set is, and the others stay.
    #[test]
    fn what_is_laid_over_a_run_is_there() {
        let catalogue = Catalogue::default();
        let grid = square(false, 4).unwrap();
        let run = permutation(&catalogue, &grid, "chaos", (6, 900));
        let set = ["stall_threshold_cycles", "output_reopen_cycles"];
        let set = set.map(|key| Override::new(&format!("router.chaos.{key}"), "3"));
        let text = overlaid(&catalogue, run.clone(), &set).unwrap().to_toml();
        for key in [
            "stall_threshold_cycles = 3",
            "output_reopen_cycles = 3",
            "seed = 6",
            "deadline_cycles = 900",
        ] {
            assert!(text.contains(key), "{key}: {text}");
        }
        let same = overlaid(&catalogue, run.clone(), &[]).unwrap().to_toml();
        assert_eq!(same, run.to_toml());
    }
}
