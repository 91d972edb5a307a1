//! Nodes with their own clocks.

use crate::common::clocks::self_timed;
use crate::common::properties::properties;
use crate::deflection::checker::check;
use crate::deflection::fixture::{
    Machine, assert_same, clocked, is_whole, machines, machines_of, plain,
};
use flitwork_network::{Clock, Clocks, LinkTiming, Periodic};
use flitwork_router::deflection::DeflectionParameters;
use flitwork_topology::Topology;
use proptest::prelude::*;

const NOMINAL_PS: u64 = 1000;

/// Oscillators with periods up to a factor of 3 apart, drifting, jittering; and self-timed nodes.
fn clock() -> BoxedStrategy<Clock> {
    let drift = prop_oneof![Just(0), -100_000_000..100_000_000];
    let periodic = (400u64..=1200, 0u64..3000, drift, 0.0..0.5f64).prop_map(
        |(period_ps, phase_ps, drift_ppb, jitter)| {
            let jitter_ps = (jitter * period_ps as f64) as u64;
            let clock = Periodic::new(period_ps, phase_ps).with_drift(drift_ppb);
            Clock::Periodic(clock.with_jitter(jitter_ps))
        },
    );
    prop_oneof![3 => periodic, 1 => self_timed().prop_map(Clock::SelfTimed)].boxed()
}

/// A machine, and a clock for each of its nodes, on links with the capacity needed by nodes that may be held.
fn many_clocks(
    machines: impl Strategy<Value = Machine> + 'static,
) -> BoxedStrategy<(Machine, Clocks)> {
    let with_clocks = machines.prop_flat_map(|machine| {
        let nodes = machine.grid.nodes() as usize;
        let clocks = prop::collection::vec(clock(), nodes..=nodes);
        (
            Just(machine),
            clocks,
            1u64..5000,
            0u32..10,
            0u32..4,
            any::<u64>(),
        )
    });
    with_clocks
        .prop_map(|(machine, domains, latency_ps, more, edges, seed)| {
            let mut clocks = Clocks {
                nominal_ps: NOMINAL_PS,
                domain_of: (0..machine.grid.nodes()).collect(),
                domains,
                links: LinkTiming::wires(latency_ps, 1, edges),
                seed,
            };
            clocks.links.capacity_words = clocks.least_capacity_words() as u32 + more;
            (machine, clocks)
        })
        .boxed()
}

/// One clock for all nodes, with a link's latency in its periods.
fn one_clock(machine: &Machine) -> Clocks {
    Clocks {
        nominal_ps: NOMINAL_PS,
        domains: vec![Clock::Periodic(Periodic::new(NOMINAL_PS, 0)); machine.grid.nodes() as usize],
        domain_of: (0..machine.grid.nodes()).collect(),
        links: LinkTiming::wires(
            u64::from(machine.link_latency_cycles) * NOMINAL_PS,
            // The sender knows that a word was taken two latencies after sending it.
            2 * machine.link_latency_cycles + 1,
            2,
        ),
        seed: 1,
    }
}

properties! {
    #![proptest_config(ProptestConfig { cases: 50, ..ProptestConfig::default() })]

    #[test]
    fn one_clock_gives_the_synchronous_run(machine in machines()) {
        assert_same(&plain(&machine), &clocked(&machine, &one_clock(&machine), 1));
    }

    #[test]
    fn every_word_arrives_once_whatever_the_clocks((machine, clocks) in many_clocks(machines())) {
        let shown = clocked(&machine, &clocks, 1);
        check(&machine, false, is_whole(&shown), &shown.reported);
        prop_assert!(is_whole(&shown), "{:?}", shown.outcome);
        assert_same(&shown, &clocked(&machine, &clocks, 2));
    }

    /// Gaps between the words of a worm cut it if another takes its link, and lose nothing.
    #[test]
    fn worms_arrive_whatever_the_clocks(
        (machine, clocks) in many_clocks(machines_of(Just(DeflectionParameters::worm_bless()))),
    ) {
        let shown = clocked(&machine, &clocks, 1);
        check(&machine, false, is_whole(&shown), &shown.reported);
        prop_assert!(is_whole(&shown), "{:?}", shown.outcome);
    }
}
