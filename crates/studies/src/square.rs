//! Square networks under one clock, and the traffic that studies offer them.

use crate::context::Failed;
use flitwork_config::{
    AnyRouter, ClockParameters, EnergyParameters, EngineChoice, LiveParameters, NetworkParameters,
    Resolved, RunParameters, TrafficParameters,
};
use flitwork_router::chaos::ChaosParameters;
use flitwork_topology::{Grid, GridError};
use flitwork_traffic::{
    AnyPattern, AnyProcess, BernoulliParameters, LengthLaw, OnceParameters, PermutationParameters,
};

/// Cycles that a word takes from one node to the next.
const LINK_CYCLES: u32 = 1;
/// The part of hot-spot's packets that goes to its four hot nodes.
pub(crate) const HOT_FRACTION: f64 = 0.1;

/// A network of `side` x `side` nodes.
pub(crate) fn square(wraps: bool, side: u32) -> Result<Grid, GridError> {
    let sides = [side; 2];
    match wraps {
        true => Grid::torus(&sides),
        false => Grid::mesh(&sides),
    }
}

/// "mesh" or "torus".
pub(crate) fn topology(resolved: &Resolved) -> &'static str {
    match resolved.network.grid().wraps() {
        true => "torus",
        false => "mesh",
    }
}

/// The nodes a quarter and three quarters along each side.
pub(crate) fn hot_nodes(side: u32) -> [u32; 4] {
    let side = u64::from(side);
    let (near, far) = (side / 4, 3 * side / 4);
    let places = [(near, near), (far, near), (near, far), (far, far)];
    // A side that is longer than any network's is refused with the configuration: here it only mustn't overflow.
    places.map(|(x, y)| u32::try_from(y * side + x).unwrap_or(u32::MAX))
}

/// A pattern that needs no more than its name, and that the network can carry.
pub(crate) fn pattern(
    name: &str,
    grid: &Grid,
    set: impl FnOnce(&mut AnyPattern),
) -> Result<AnyPattern, Failed> {
    let refused = |error| Failed::option("--patterns", error);
    let mut pattern = AnyPattern::named(name).map_err(refused)?;
    set(&mut pattern);
    pattern.build(grid, 0).map_err(refused)?;
    Ok(pattern)
}

/// A run of open-loop traffic on Chaos routers; `run` says what it is measured for.
pub(crate) fn chaos(
    grid: &Grid,
    parameters: ChaosParameters,
    (load, pattern): (f64, AnyPattern),
    run: RunParameters,
) -> Resolved {
    let words = parameters.packet_words;
    let traffic = (BernoulliParameters { load }.into(), pattern);
    synchronous(grid, parameters.into(), words, traffic, run)
}

/// A run that is measured for so many cycles, whose sources then stop, and that may take `drain_cycles` each for what
/// is left in them and for what is left in the network.
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

/// A random permutation, a packet from every node, until the last one is home or the deadline comes.
pub(crate) fn permutation(
    mesh: &Grid,
    router: AnyRouter,
    (seed, deadline_cycles): (u64, u32),
) -> Resolved {
    let words = router
        .fixed_words()
        .expect("packets of these routers have one length");
    let process = OnceParameters { packets: 1 }.into();
    let traffic = (process, PermutationParameters::default().into());
    let run = RunParameters {
        deadline_cycles,
        ..measured(seed, (0, 0), 0)
    };
    synchronous(mesh, router, words, traffic, run)
}

fn synchronous(
    grid: &Grid,
    router: AnyRouter,
    words: u16,
    (process, pattern): (AnyProcess, AnyPattern),
    run: RunParameters,
) -> Resolved {
    Resolved {
        network: NetworkParameters::new(grid.clone(), LINK_CYCLES, Some(words.into())),
        router,
        traffic: TrafficParameters {
            process,
            lengths: LengthLaw::Fixed { words },
            pattern,
        },
        run,
        clocks: ClockParameters::default(),
        live: LiveParameters::new(1),
        energy: EnergyParameters::default(),
    }
}

#[cfg(test)]
mod tests {
    use super::hot_nodes;

    #[test]
    fn hot_nodes_of_any_side_are_numbers() {
        // Columns and rows 2 and 6 of 8.
        assert_eq!(hot_nodes(8), [18, 22, 50, 54]);
        assert_eq!(hot_nodes(u32::MAX), [u32::MAX; 4]);
    }
}
