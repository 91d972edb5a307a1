//! Random runs: machines with prices, and with clocks of their own.

use super::*;

/// A random subset of prices.
fn prices() -> BoxedStrategy<EnergyParameters> {
    let price = || prop::option::weighted(0.7, 0.0..5.0);
    (any::<bool>(), prop::array::uniform9(price()))
        .prop_map(|(any, drawn)| {
            let [
                write,
                read,
                crossbar,
                link,
                decision,
                leak,
                clock,
                step,
                transition,
            ] = drawn;
            match any {
                false => EnergyParameters::default(),
                true => EnergyParameters {
                    buffer_write_pj: write,
                    buffer_read_pj: read,
                    crossbar_pj: crossbar,
                    link_pj: link,
                    decision_pj: decision,
                    leak_pj_per_node_cycle: leak,
                    clock_pj_per_node_tick: clock,
                    step_pj: step,
                    transition_pj: transition,
                },
            }
        })
        .boxed()
}

/// Self-timed nodes, alike or each with delays of its own at each port, with an arbiter or without.
fn self_timed() -> BoxedStrategy<ClockParameters> {
    let spread = prop_oneof![Just(Spread::NONE), (0.0..60.0).prop_map(Spread::uniform),];
    let arbiter =
        (0u64..800, 1u64..500).prop_map(|(window_ps, tau_ps)| Arbiter { window_ps, tau_ps });
    let own = (spread.clone(), spread, prop_oneof![Just(0), 1u64..1200]);
    (stages(), own, -50.0..100.0, prop::option::of(arbiter))
        .prop_map(
            |(stages, (spread, of_each, count_ps), corner_percent, arbiter)| ClockParameters {
                stepping: Stepping::SelfTimed(SelfTimedParameters {
                    count_ps,
                    corner_percent,
                    spread,
                    ..SelfTimedParameters::new(stages)
                }),
                delays: DelayParameters {
                    table: None,
                    spread: of_each,
                },
                arbiter,
                ..ClockParameters::default()
            },
        )
        .boxed()
}

/// Nodes that step by clocks or by themselves, some of them in an island.
fn clocks() -> BoxedStrategy<ClockParameters> {
    let all = prop_oneof![2 => oscillators().boxed(), 1 => self_timed().boxed()];
    let island = (100u64..3000, 0u64..2000, 0u64..100, -90_000.0..90_000.0);
    (all, prop::option::weighted(0.3, island))
        .prop_map(|(mut clocks, island)| {
            let island =
                island.map(
                    |(period_ps, phase_ps, jitter_ps, drift_ppm)| IslandParameters {
                        nodes: vec![NodeId(1), NodeId(0)],
                        period_ps,
                        phase_ps,
                        jitter_ps: jitter_ps.min(period_ps / 2),
                        drift_ppm,
                        wander: Wander::default(),
                    },
                );
            clocks.islands.extend(island);
            clocks
        })
        .boxed()
}

/// Each node's own clock: around the nominal one, drifting, jittering, in domains of one node or of all.
fn oscillators() -> BoxedStrategy<ClockParameters> {
    let spread = prop_oneof![
        Just(Spread::NONE),
        (0.0..60.0).prop_map(Spread::uniform),
        (0.0..20.0).prop_map(Spread::normal),
    ];
    let drift = prop_oneof![Just(0.0), 0.0..50_000.0];
    let domains = prop_oneof![Just(Domains::Node), Just(Domains::One)];
    let phase = prop_oneof![Just(Phase::Zero), Just(Phase::Random)];
    let draws = (0u64..100, wander(100));
    (spread, drift, draws, domains, phase, changes(300, 9000))
        .prop_map(
            |(spread, drift_ppm, (jitter_ps, wander), domains, phase, changes)| ClockParameters {
                stepping: Stepping::Oscillators(Oscillators {
                    phase,
                    spread,
                    drift_ppm,
                    jitter_ps,
                    wander: wander.unwrap_or_default(),
                    domains,
                    block_sides: None,
                }),
                changes,
                ..ClockParameters::default()
            },
        )
        .boxed()
}

/// The same runs with a clock for every node, on links with enough capacity for that.
pub(super) fn clocked_runs() -> BoxedStrategy<Resolved> {
    (runs(), clocks())
        .prop_map(|(mut resolved, clocks)| {
            resolved.run.engine = EngineChoice::Clocked;
            resolved.run.drain_cycles = resolved.run.drain_cycles.min(2000);
            resolved.run.deadline_cycles = resolved.run.deadline_cycles.min(4000);
            resolved.clocks = clocks;
            let needed = resolved.clocks().least_capacity_words() as u32;
            let room = &mut resolved.network.links.capacity_words;
            *room = needed.max(*room);
            resolved
        })
        .boxed()
}

/// Any machine; windows from one cycle on, so that much happens at their edges, up to some that are long
/// enough to be steady.
pub(super) fn runs() -> BoxedStrategy<Resolved> {
    let engines = prop_oneof![
        Just(EngineChoice::Sync),
        Just(EngineChoice::SyncStepped),
        Just(EngineChoice::SyncPlain),
    ];
    let window = prop_oneof![
        2 => (0u32..40, 1u32..40),
        2 => (0u32..200, 20u32..400),
        1 => (0u32..500, 500u32..3000),
    ];
    // Some are too short for everything to be delivered.
    let ends = prop::option::weighted(0.2, (0u32..60, 5u32..200));
    let drawn = (machines(), engines, window, ends, prices());
    drawn
        .prop_map(|(mut resolved, engine, window, ends, prices)| {
            resolved.run.engine = engine;
            (resolved.run.warmup_cycles, resolved.run.measure_cycles) = window;
            resolved.run.drain_cycles = resolved.run.drain_cycles.min(5000);
            if let Some((drain, deadline)) = ends {
                (resolved.run.drain_cycles, resolved.run.deadline_cycles) = (drain, deadline);
            }
            resolved.energy = prices;
            resolved
        })
        .boxed()
}
