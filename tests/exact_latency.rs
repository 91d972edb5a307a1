//! Latencies in picoseconds: exact, and independent of the nominal clock.

use crate::clocked::{one_clock, steady};
use crate::common::machine::{any_router, machine, run_clocked, shown_observer, watch_clocked};
use crate::common::properties::properties;
use flitwork_config::{AnyRouter, NetworkParameters, Resolved};
use flitwork_network::{Clock, Clocks, LinkTiming};
use flitwork_observe::{LatencyGroup, Observation};
use flitwork_router::greedy_hp::GreedyHpParameters;
use flitwork_router::routing::RoutingParameters;
use flitwork_router::wormhole::{RoutedWormhole, WormholeParameters};
use flitwork_schema::Parts;
use flitwork_topology::Grid;
use flitwork_traffic::{LengthLaw, OnceParameters, PermutationParameters};
use flitwork_types::{Cycle, Moment, TerminalId};
use proptest::prelude::*;

/// What a run under these clocks shows.
pub(crate) fn observed(resolved: &Resolved, clocks: &Clocks) -> Observation {
    let observer = shown_observer(resolved).of_clocks(clocks.nominal_ps);
    let (outcome, observer, _) = watch_clocked(resolved, clocks, 1, observer);
    observer.finish(outcome.cycle)
}

/// Packets, and their latencies' sum, least and greatest.
fn figures(group: &LatencyGroup) -> (u64, u128, Option<u64>, Option<u64>) {
    let latency = &group.latency;
    (latency.count(), latency.sum(), latency.min(), latency.max())
}

/// The period and the phase of the first domain.
fn oscillator(clocks: &Clocks) -> (u64, u64) {
    match &clocks.domains[0] {
        Clock::Periodic(clock) => (clock.period_ps, clock.phase_ps),
        Clock::SelfTimed(_) => unreachable!("they have oscillators"),
    }
}

properties! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    /// Sources begin their cycles at multiples of the period, and nodes a phase later: each latency from creation
    /// is a phase longer than its cycles, and from injection it is exactly its cycles.
    #[test]
    fn equal_clocks_give_cycles_times_the_period((resolved, clocks) in one_clock()) {
        let (period_ps, phase_ps) = oscillator(&clocks);
        let seen = observed(&resolved, &clocks);
        let exact = seen.exact.as_ref().unwrap();
        let (cycles, count) = (&seen.latency, seen.latency.count());
        let later = |value: u64| value * period_ps + phase_ps;
        let sum = cycles.sum() * u128::from(period_ps) + u128::from(count * phase_ps);
        let expected = (count, sum, cycles.min().map(later), cycles.max().map(later));
        prop_assert_eq!(figures(&exact.latency), expected);
        let cycles = &seen.network_latency;
        let times = |value: u64| value * period_ps;
        let sum = cycles.sum() * u128::from(period_ps);
        let expected = (count, sum, cycles.min().map(times), cycles.max().map(times));
        prop_assert_eq!(figures(&exact.network_latency), expected);
        let (ps, cycles) = (&exact.latency_by_delivery, &seen.latency_by_delivery);
        prop_assert_eq!(ps.observations(), cycles.observations());
    }

    /// Every tick that is reported, also that at the end of a step.
    #[test]
    fn equal_clocks_tick_a_period_apart((resolved, clocks) in one_clock()) {
        let (period_ps, phase_ps) = oscillator(&clocks);
        let shown = run_clocked(&resolved, &clocks, 1);
        for (_, local, at) in shown.recorder.ticks.iter().flatten() {
            let ps = phase_ps + u64::from(local.get()) * period_ps;
            prop_assert_eq!(*at, Moment { reference: *local, ps });
        }
    }
}

/// A packet of one word from node 0 to node 1, made at 0 ps. Node 0 ticks at 100, 1,400, 2,700, … ps and node 1 at 50,
/// 1,750, 3,450, … ps; a link takes 1,000 ps, and two edges.
fn lone(router: AnyRouter, nominal_ps: u64) -> (Observation, u32) {
    let domains = [steady(1300, 100), steady(1700, 50)];
    let seen = pair(router, nominal_ps, domains, 1);
    let cycles = seen.last_delivery.map_or(0, Cycle::get);
    (seen, cycles)
}

/// Packets of one word from node 0 to node 1, each with its clock, made at 0 ps. A link takes 1,000 ps, and two edges.
pub(crate) fn pair(
    router: AnyRouter,
    nominal_ps: u64,
    domains: [Clock; 2],
    packets: u32,
) -> Observation {
    let grid = Grid::mesh(&[2]).unwrap();
    let mut resolved = machine(grid.clone(), router, 0.0, 1000, 1);
    resolved.network = NetworkParameters::new(grid, 1, resolved.router.credit_words());
    resolved.traffic.process = OnceParameters { packets }.into();
    resolved.traffic.lengths = LengthLaw::Fixed { words: 1 };
    let pairs = vec![(TerminalId(0), TerminalId(1))];
    resolved.traffic.pattern = PermutationParameters::listed(pairs).into();
    let clocks = Clocks {
        nominal_ps,
        domains: domains.to_vec(),
        domain_of: vec![0, 1],
        links: LinkTiming::wires(1000, 100, 2),
        seed: 1,
    };
    let seen = observed(&resolved, &clocks);
    assert_eq!(seen.delivered, u64::from(packets));
    seen
}

/// A wormhole router with five stages in all.
pub(crate) fn worms() -> AnyRouter {
    let parameters = WormholeParameters::default();
    any_router(RoutedWormhole {
        function: Parts::new().find("dimension-order").unwrap(),
        routing: RoutingParameters {
            name: "dimension-order".into(),
            channels: parameters.vcs,
            ..RoutingParameters::default()
        },
        parameters,
        allow_deadlock: false,
    })
}

/// The only packet's latencies in ps, from creation and from injection.
pub(crate) fn latencies_ps(seen: &Observation) -> (u64, u64) {
    let exact = seen.exact.as_ref().unwrap();
    let of = |group: &LatencyGroup| {
        let (count, sum, min, max) = figures(group);
        assert_eq!((count, min, max), (1, Some(sum as u64), min));
        sum as u64
    };
    (of(&exact.latency), of(&exact.network_latency))
}

/// Hot potato: the word leaves at node 0's first tick, at 100 ps, and is at the far end at 1,100. Node 1's next tick is
/// at 1,750; two edges later, at 5,150, it sees the word, which is delivered in that cycle. In nominal cycles that is
/// cycle 5,150 / period, rounded down.
#[test]
fn a_hot_potato_takes_the_same_time_by_any_nominal_clock() {
    for (nominal_ps, cycles) in [(1000, 5), (999, 5), (3000, 1), (1, 5150)] {
        let (seen, last) = lone(GreedyHpParameters::default().into(), nominal_ps);
        assert_eq!(last, cycles, "{nominal_ps} ps");
        assert_eq!(latencies_ps(&seen), (5150, 5050), "{nominal_ps} ps");
    }
}

/// Wormhole: the word passes an injection cycle and four stages at node 0, and leaves at its fifth tick after the first,
/// at 100 + 5 * 1,300 = 6,600 ps. It is at the far end at 7,600. Node 1's next tick is its fifth, at 50 + 5 * 1,700 =
/// 8,550; it sees the word two edges later, at 11,950. After four stages the word leaves for the processor, at 50 + 11 *
/// 1,700 = 18,750, and is there at the end of that cycle, at 20,450. In nominal cycles that counts as the cycle after
/// 18,750 / period, rounded down.
#[test]
fn a_worm_takes_the_same_time_by_any_nominal_clock() {
    for (nominal_ps, cycles) in [(1000, 19), (999, 19), (3000, 7), (1, 18_751)] {
        let (seen, last) = lone(worms(), nominal_ps);
        assert_eq!(last, cycles, "{nominal_ps} ps");
        assert_eq!(latencies_ps(&seen), (20_450, 20_350), "{nominal_ps} ps");
    }
}
