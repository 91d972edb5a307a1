//! The right to send between two nodes with clocks of their own, to the tick.

use crate::common::machine::{chaos, execute_clocked};
use crate::common::properties::properties;
use flitwork_config::{EngineChoice, Resolved};
use flitwork_network::{Clock, Clocks, Demand, Duplex, LinkTiming, Periodic};
use flitwork_node::{Event, Probe};
use flitwork_router::chaos::ChaosParameters;
use flitwork_topology::{Grid, Topology};
use flitwork_traffic::Once;
use flitwork_types::{Cycle, NodeId, Port, TerminalId};
use proptest::prelude::*;

/// The local cycle in which the packet's head leaves over the link.
#[derive(Default)]
struct Departure(Option<u32>);

impl Probe for Departure {
    fn event(&mut self, _: NodeId, cycle: Cycle, event: Event) {
        // A node at the end of a line of two has links at ports 0 and 1; port 2 is its delivery frame.
        if let Event::Head { port, .. } = event
            && port != Port(2)
        {
            self.0 = Some(cycle.get());
        }
    }
}

/// Two nodes, their clocks, and a packet from one of them to the other.
#[derive(Clone, Copy, Debug)]
struct Pair {
    periods_ps: [u64; 2],
    phases_ps: [u64; 2],
    latency_ps: u64,
    edges: u32,
    turnaround_cycles: u32,
    from: usize,
}

impl Pair {
    fn clocks(&self) -> Clocks {
        let clock = |node: usize| {
            Clock::Periodic(Periodic::new(self.periods_ps[node], self.phases_ps[node]))
        };
        Clocks {
            nominal_ps: 1000,
            domains: vec![clock(0), clock(1)],
            domain_of: vec![0, 1],
            links: LinkTiming::wires(self.latency_ps, 40, self.edges),
            seed: 1,
        }
    }

    /// The tick of its node in which the packet's head leaves.
    fn departure(&self, duplex: Duplex) -> u32 {
        let grid = Grid::mesh(&[2]).unwrap();
        let parameters = ChaosParameters::chinn_1995(grid.ports());
        let mut resolved: Resolved = chaos(grid, parameters, 0.0, 1000, 1);
        resolved.run.engine = EngineChoice::Clocked;
        resolved.network.duplex = duplex;
        let packet = (
            TerminalId(self.from as u32),
            TerminalId(1 - self.from as u32),
        );
        let demand = Demand::until(Box::new(Once::new(&[packet])), Cycle(10_000));
        let clocks = (self.clocks(), 1);
        let (_, left, _) = execute_clocked(&resolved, demand, clocks, Departure::default());
        left.0.expect("the packet leaves")
    }

    fn tick_ps(&self, node: usize, tick: u32) -> u64 {
        self.phases_ps[node] + u64::from(tick) * self.periods_ps[node]
    }

    /// The first tick of the packet's node from `ready` on in which the right is there. Node 0 has it first. It leaves in
    /// the tick in which it may be used and isn't, and is seen a synchronizer's edges after the first tick at which it
    /// stands at the other end.
    fn turn(&self, ready: u32) -> u32 {
        let (mut node, mut tick) = (0, 0);
        // Identical clocks are one, and nothing crosses.
        let is_one =
            self.periods_ps[0] == self.periods_ps[1] && self.phases_ps[0] == self.phases_ps[1];
        let edges = if is_one { 0 } else { self.edges };
        while node != self.from || tick < ready {
            let available_at_ps = self.tick_ps(node, tick) + self.latency_ps;
            node = 1 - node;
            let first = available_at_ps.saturating_sub(self.phases_ps[node]);
            let first = first.div_ceil(self.periods_ps[node]) as u32;
            tick = first + edges + self.turnaround_cycles;
        }
        tick
    }
}

fn pairs() -> BoxedStrategy<Pair> {
    let clock = || (300u64..3000, prop_oneof![Just(0), 0u64..60_000]);
    let link = (1u64..9000, 0u32..4, prop_oneof![Just(0u32), 1u32..12]);
    (clock(), clock(), link, 0usize..2)
        .prop_map(|(one, other, link, from)| {
            let (latency_ps, edges, turnaround_cycles) = link;
            Pair {
                periods_ps: [one.0, other.0],
                phases_ps: [one.1, other.1],
                latency_ps,
                edges,
                turnaround_cycles,
                from,
            }
        })
        .boxed()
}

properties! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    /// The packet is ready when it leaves over full-duplex links; over half-duplex ones it leaves in its turn.
    #[test]
    fn an_idle_right_crosses_like_a_word(pair in pairs()) {
        let ready = pair.departure(Duplex::Full);
        let turnaround_cycles = pair.turnaround_cycles;
        let left = pair.departure(Duplex::Half { turnaround_cycles });
        prop_assert_eq!(left, pair.turn(ready), "ready in {}", ready);
    }
}
