//! Machines with clocks of their own, for property tests.

use super::clocks::{at_times, later, self_timed, wander};
use super::machine::machines;
use super::timings::{crossings, suit, timings};
use flitwork_config::Resolved;
use flitwork_network::{
    Clock, Clocks, Crossing, Handshake, LinkTiming, Periodic, Protocol, Segment,
};
use flitwork_router::chaos::ChaosParameters;
use proptest::prelude::*;

pub(crate) const NOMINAL_PS: u64 = 1000;

pub(crate) fn steady(period_ps: u64, phase_ps: u64) -> Clock {
    Clock::Periodic(Periodic::new(period_ps, phase_ps))
}

/// The assignment of nodes to domains: all in one, each in its own, or islands.
fn domains(nodes: u32) -> BoxedStrategy<Vec<u32>> {
    let nodes = nodes as usize;
    prop_oneof![
        Just(vec![0; nodes]),
        Just((0..nodes as u32).collect::<Vec<_>>()),
        prop::collection::vec(0u32..4, nodes..=nodes),
    ]
    .boxed()
}

fn count(domain_of: &[u32]) -> usize {
    domain_of.iter().max().map_or(0, |last| *last as usize + 1)
}

/// A machine, and clocks that all tick every nominal period, on links that never fill. Nothing crosses from clock to clock,
/// whatever lies there.
pub(crate) fn one_clock() -> BoxedStrategy<(Resolved, Clocks)> {
    machines()
        .prop_flat_map(|resolved| {
            let nodes = resolved.network.nodes();
            let period = (1u64..5000, 0.0..1.0f64);
            let links = (0u32..20, crossings());
            (Just(resolved), domains(nodes), period, links, any::<u64>())
        })
        .prop_map(
            |(resolved, domain_of, (period_ps, phase), (more, crossing), seed)| {
                let phase_ps = (phase * period_ps as f64) as u64;
                let latency_cycles = resolved.network.link_latency_cycles;
                let mut links = LinkTiming::wires(
                    u64::from(latency_cycles) * period_ps,
                    // The sender knows that a word was taken two latencies after sending it.
                    2 * latency_cycles + more,
                    0,
                );
                links.crossing = Crossing {
                    capacity_words: None,
                    pause: None,
                    ..crossing
                };
                let clocks = Clocks {
                    nominal_ps: period_ps,
                    domains: vec![steady(period_ps, phase_ps); count(&domain_of)],
                    domain_of,
                    links,
                    seed,
                };
                (resolved, clocks)
            },
        )
        .boxed()
}

/// The same over links whose handshakes take no longer than a period: each word is taken at the next tick, as over links of
/// a cycle.
pub(crate) fn fast_handshakes() -> BoxedStrategy<(Resolved, Clocks)> {
    let delays = (0.0..1.0f64, 0.0..1.0f64, any::<bool>());
    (one_clock(), delays)
        .prop_map(
            |((mut resolved, mut clocks), (whole, forward, is_four_phase))| {
                resolved.network.link_latency_cycles = 1;
                // Of whole packets less is known over handshakes, and the stall rule depends on it.
                if let Some(parameters) = resolved.router.get::<ChaosParameters>() {
                    let mut parameters = parameters.clone();
                    parameters.cut_through = true;
                    resolved.router = parameters.into();
                }
                // A request and an acknowledge, once or twice: parts of the period, at least 1 ps each.
                let rounds = if is_four_phase { 2 } else { 1 };
                let longest_ps = (clocks.nominal_ps / rounds).max(2);
                let both_ps = 2 + ((longest_ps - 2) as f64 * whole) as u64;
                let request_ps = 1 + ((both_ps - 2) as f64 * forward) as u64;
                let segment = Segment {
                    request_ps,
                    acknowledge_ps: both_ps - request_ps,
                };
                let protocol = match is_four_phase {
                    true => Protocol::FourPhase,
                    false => Protocol::TwoPhase,
                };
                clocks.links.handshake = Some(Handshake {
                    protocol,
                    bundling_ps: 0,
                    segments: vec![segment],
                });
                let least = clocks.least_capacity_words() as u32;
                clocks.links.capacity_words = clocks.links.capacity_words.max(least);
                (resolved, clocks)
            },
        )
        .boxed()
}

/// Oscillators with periods up to a factor of 3 apart, drifting and jittering.
fn oscillator() -> BoxedStrategy<Periodic> {
    let drift = prop_oneof![Just(0), -100_000..100_000, -100_000_000..100_000_000];
    let jitter = prop_oneof![Just(0.0), 0.0..0.5f64];
    let period = prop_oneof![400u64..=1200, 995u64..=1005];
    let phase = prop_oneof![0u64..3000, Just(0)];
    (period, phase, drift, jitter)
        .prop_map(|(period_ps, phase_ps, drift_ppb, jitter)| {
            let jitter_ps = (jitter * period_ps as f64) as u64;
            let clock = Periodic::new(period_ps, phase_ps).with_drift(drift_ppb);
            clock.with_jitter(jitter_ps)
        })
        .boxed()
}

/// The same, wandering and changing, and gated for up to as long as others run.
fn changing() -> BoxedStrategy<Periodic> {
    let changes = prop_oneof![later(400, 9000), later(400, 3_000_000)];
    (oscillator(), wander(150), changes)
        .prop_map(|(clock, wander, changes)| {
            // Periods are 360 ps and more, with their drift.
            let jitter_ps = clock.jitter_ps.min(200);
            let clock = clock.with_jitter(jitter_ps).with_wander(wander);
            let changes = at_times(&changes).into_iter();
            changes.fold(clock, |clock, (at_ps, period_ps)| match period_ps {
                Some(period_ps) => clock.with_period_from(at_ps, period_ps),
                None => clock.with_gate_from(at_ps),
            })
        })
        .boxed()
}

/// Any clock, and self-timed nodes. Boxed: strategies are built on the stack.
fn clock() -> BoxedStrategy<Clock> {
    prop_oneof![
        2 => oscillator().prop_map(Clock::Periodic),
        2 => changing().prop_map(Clock::Periodic),
        1 => self_timed().prop_map(Clock::SelfTimed),
    ]
    .boxed()
}

/// The same with nodes of which some, or all, have no clock, each or in islands of others that share one.
fn islands(nodes: u32) -> BoxedStrategy<(Vec<Clock>, Vec<u32>)> {
    let alone = (prop::collection::vec(clock(), 1..=4), domains(nodes)).prop_map(
        move |(clocks, domain_of)| {
            let all = (0..count(&domain_of)).map(|domain| clocks[domain % clocks.len()].clone());
            (all.collect(), domain_of)
        },
    );
    let self_timed = (
        self_timed(),
        clock(),
        prop::collection::vec(any::<bool>(), nodes as usize),
    )
        .prop_map(|(node, island, is_island)| {
            let domain_of = is_island.into_iter().map(u32::from).collect();
            (vec![Clock::SelfTimed(node), island], domain_of)
        });
    let own = domains(nodes).prop_flat_map(|domain_of| {
        let domains = count(&domain_of);
        let clocks = prop::collection::vec(clock(), domains..=domains);
        (clocks, Just(domain_of))
    });
    prop_oneof![3 => own, 1 => alone, 1 => self_timed].boxed()
}

/// A machine with any clocks and any links; those of nodes that must send have the least room that they need, or a
/// little more.
pub(crate) fn clocked_of(
    machines: impl Strategy<Value = Resolved> + 'static,
) -> BoxedStrategy<(Resolved, Clocks)> {
    machines
        .prop_flat_map(|resolved| {
            let clocks = islands(resolved.network.nodes());
            let links = timings(resolved.network.grid());
            let more = prop_oneof![Just(0u32), 0u32..20];
            (Just(resolved), clocks, links, more, any::<u64>())
        })
        .prop_map(|(mut resolved, (domains, domain_of), links, more, seed)| {
            resolved.run.drain_cycles = 2_000;
            resolved.run.deadline_cycles = 4_000;
            let mut clocks = Clocks {
                nominal_ps: NOMINAL_PS,
                domains,
                domain_of,
                links,
                seed,
            };
            let needs_room = resolved.router.credit_words().is_none();
            suit(&mut clocks, resolved.network.grid(), needs_room, more);
            (resolved, clocks)
        })
        .boxed()
}

pub(crate) fn many_clocks() -> BoxedStrategy<(Resolved, Clocks)> {
    clocked_of(machines()).boxed()
}
