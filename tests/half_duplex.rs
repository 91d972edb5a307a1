//! Half-duplex links: the right to send is never at both ends, never lost, and goes to and fro. The checkers follow it
//! from outside, by events and records alone, and know nothing of the engines' arithmetic.

#[path = "half_duplex/chip.rs"]
mod chip;
#[path = "half_duplex/crossing.rs"]
mod crossing;
#[path = "half_duplex/deadlock.rs"]
mod deadlock;
#[path = "half_duplex/protocol.rs"]
mod protocol;
#[path = "half_duplex/records.rs"]
mod records;

use crate::common::live_runs::{Memory, live, options};
use crate::common::machine::{machine, machines, run, run_clocked};
use crate::common::properties::properties;
use flitwork_config::{EngineChoice, Resolved};
use flitwork_live::Runtime;
use flitwork_network::{Clock, Clocks, Duplex, LinkTiming, Periodic};
use flitwork_router::chaos::{ChaosParameters, DerouteAmong};
use proptest::prelude::*;

/// Machines with half-duplex links.
fn half_machines() -> BoxedStrategy<Resolved> {
    let duplex = prop_oneof![Just(0u32), 1u32..4, 4u32..40];
    (machines(), duplex)
        .prop_filter_map("the router takes none", |(mut resolved, turnaround)| {
            if !resolved.router.facts().takes_half_duplex {
                let grid = resolved.network.grid().clone();
                let chaos = ChaosParameters::chinn_1995(flitwork_topology::Topology::ports(&grid));
                let router = crate::common::machine::any_router(chaos);
                let run = resolved.run;
                resolved = machine(grid, router, 0.5, 200, run.seed);
            }
            // A packet derouted before its head is ready moves later than it is decided on, which events don't say.
            let chaos = resolved.router.get_mut::<ChaosParameters>();
            chaos.expect("Chaos").deroute_among = DerouteAmong::Ready;
            resolved.network.duplex = Duplex::Half {
                turnaround_cycles: turnaround,
            };
            Some(resolved)
        })
        .boxed()
}

/// Clocks of random periods, phases, drifts and jitters, one for each node.
fn any_clocks(nodes: u32, latency_cycles: u32) -> BoxedStrategy<Clocks> {
    let clock = (700u64..1600, 0u64..2000, -20_000i32..20_000, 0u64..200);
    let clocks = prop::collection::vec(clock, nodes as usize);
    (clocks, 0u32..4, any::<u64>())
        .prop_map(move |(clocks, edges, seed)| {
            let clock = |(period_ps, phase_ps, drift_ppb, jitter_ps)| {
                let clock = Periodic::new(period_ps, phase_ps).with_drift(drift_ppb);
                Clock::Periodic(clock.with_jitter(jitter_ps))
            };
            Clocks {
                nominal_ps: 1000,
                domains: clocks.into_iter().map(clock).collect(),
                domain_of: (0..nodes).collect(),
                links: LinkTiming::wires(u64::from(latency_cycles) * 1000, 40, edges),
                seed,
            }
        })
        .boxed()
}

properties! {
    #![proptest_config(ProptestConfig { cases: 50, ..ProptestConfig::default() })]

    /// On one clock every packet leaves in the first cycle in which it is ready, its credit is there and the right is
    /// at its end; a model that moves the right cycle by cycle knows when that is.
    #[test]
    fn each_packet_leaves_in_its_turn(resolved in half_machines()) {
        let shown = run(&resolved, EngineChoice::Sync);
        protocol::check(&resolved, &shown)?;
    }
}

properties! {
    #![proptest_config(ProptestConfig { cases: 16, ..ProptestConfig::default() })]

    /// With any clocks no packet begins to leave before the last word from the other end has crossed the link.
    #[test]
    fn no_two_ends_send_at_once_under_any_clocks(
        (resolved, clocks, shuffle) in half_machines().prop_flat_map(|resolved| {
            let nodes = resolved.network.nodes();
            let clocks = any_clocks(nodes, resolved.network.link_latency_cycles);
            (Just(resolved), clocks, any::<u64>())
        })
    ) {
        let shown = run_clocked(&resolved, &clocks, shuffle);
        protocol::check_apart(&resolved, &shown)?;
    }
}

properties! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]

    /// Whatever the host does, all turns on a link come one after the other.
    #[test]
    fn live_turns_come_one_after_the_other(resolved in half_machines()) {
        for runtime in [Runtime::Threads, Runtime::Tokio] {
            for slack in [Some(0), Some(3), None] {
                let memory = Memory::default();
                let options = options(runtime, slack, 3, 4);
                let lived = live(&resolved, &options, Some(memory.clone()));
                prop_assert_eq!(&lived.fault, &None);
                records::check(&resolved, &memory.bytes())?;
            }
        }
    }
}
