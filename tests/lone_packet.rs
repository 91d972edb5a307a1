//! The latency of an unobstructed wormhole packet, over all stages of the pipeline: the formula of
//! docs/src/routers/wormhole.md, derived independently from the pipeline.

use crate::common::machine::{any_router, machine, run};
use crate::common::properties::properties;
use flitwork_config::{EngineChoice, NetworkParameters, Resolved};
use flitwork_router::routing::RoutingParameters;
use flitwork_router::wormhole::RoutedWormhole;
use flitwork_router::wormhole::{Switching, WormholeParameters};
use flitwork_schema::Parts;
use flitwork_topology::Grid;
use flitwork_traffic::{LengthLaw, OnceParameters, PermutationParameters};
use flitwork_types::TerminalId;
use proptest::prelude::*;

/// A lone packet on a line of routers.
#[derive(Clone, Debug)]
struct Lone {
    routers: u32,
    words: u16,
    link_latency_cycles: u32,
    parameters: WormholeParameters,
}

impl Lone {
    /// Buffers hold the whole packet, so it never waits for a credit.
    fn new(routers: u32, words: u16, link_latency_cycles: u32) -> Lone {
        let parameters = WormholeParameters {
            buffer_words: words,
            ..WormholeParameters::default()
        };
        Lone {
            routers,
            words,
            link_latency_cycles,
            parameters,
        }
    }

    fn resolved(&self) -> Resolved {
        let grid = Grid::mesh(&[self.routers]).expect("a line");
        let router = any_router(RoutedWormhole {
            function: Parts::new().find("dimension-order").unwrap(),
            routing: RoutingParameters {
                name: "dimension-order".into(),
                channels: self.parameters.vcs,
                ..RoutingParameters::default()
            },
            parameters: self.parameters.clone(),
            allow_deadlock: false,
        });
        let mut resolved = machine(grid.clone(), router, 0.0, 10_000, 1);
        resolved.network = NetworkParameters::new(
            grid,
            self.link_latency_cycles,
            resolved.router.credit_words(),
        );
        resolved.run.deadline_cycles = 100_000;
        resolved.traffic.process = OnceParameters { packets: 1 }.into();
        resolved.traffic.lengths = LengthLaw::Fixed { words: self.words };
        let last = TerminalId(self.routers - 1);
        let pairs = vec![(TerminalId(0), last)];
        resolved.traffic.pattern = PermutationParameters::listed(pairs).into();
        resolved
    }

    /// From the packet's creation to the cycle after its last word has left for the processor.
    fn expected_cycles(&self) -> u32 {
        let stages = &self.parameters;
        // A head passes all stages of each router; with speculation it bids for the switch at once.
        let channel = match stages.speculative {
            true => 0,
            false => stages.vc_allocation_cycles,
        };
        let hop = stages.route_cycles
            + channel
            + stages.switch_allocation_cycles
            + stages.traversal_cycles;
        // A virtual channel has one bid for the switch in progress: the next word bids when that has been
        // granted, and words of a channel are equally far apart in all routers.
        let apart = stages.switch_allocation_cycles.max(1);
        let links = self.routers - 1;
        let head = stages.injection_cycles + self.routers * hop + links * self.link_latency_cycles;
        head + 1 + u32::from(self.words - 1) * apart
    }

    fn check(&self) {
        let resolved = self.resolved();
        for engine in [
            EngineChoice::SyncPlain,
            EngineChoice::SyncStepped,
            EngineChoice::Sync,
            EngineChoice::Clocked,
        ] {
            // A packet is delivered in the cycle after its last word has left.
            let last = run(&resolved, engine).observation.last_delivery;
            let cycles = last.map(|last| last.get());
            assert_eq!(cycles, Some(self.expected_cycles()), "{engine:?} {self:?}");
        }
    }
}

/// Three routers, five words, links of one cycle; injection and all stages take one cycle, except for the switch's s.
/// The head takes 1 + 3 (3 + s) + 2 cycles to reach its last link, and each of the four words behind it s cycles.
#[test]
fn a_slow_switch_allocator_spaces_words() {
    for (switch_cycles, cycles) in [(0, 17), (1, 20), (2, 27), (3, 34)] {
        let mut lone = Lone::new(3, 5, 1);
        lone.parameters.switch_allocation_cycles = switch_cycles;
        assert_eq!(lone.expected_cycles(), cycles);
        lone.check();
    }
}

fn lone_packets() -> BoxedStrategy<Lone> {
    let stage = || prop_oneof![4 => 0u32..4, 1 => 4u32..9];
    let stages = (stage(), stage(), stage(), stage(), stage(), stage());
    let shape = (2u32..6, 1u16..9, 1u32..5, 1u8..4, 0u16..3);
    (shape, stages, any::<bool>(), any::<bool>())
        .prop_map(
            |((routers, words, link, vcs, more), stages, speculative, cut_through)| {
                let mut lone = Lone::new(routers, words, link);
                let (route, channel, switch, traversal, credit, injection) = stages;
                lone.parameters = WormholeParameters {
                    vcs,
                    buffer_words: words + more,
                    switching: match cut_through {
                        true => Switching::CutThrough,
                        false => Switching::Wormhole,
                    },
                    route_cycles: route,
                    vc_allocation_cycles: match speculative {
                        true => channel.min(switch),
                        false => channel,
                    },
                    switch_allocation_cycles: switch,
                    traversal_cycles: traversal,
                    credit_cycles: credit,
                    injection_cycles: injection,
                    speculative,
                    ..lone.parameters
                };
                lone
            },
        )
        .boxed()
}

properties! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    #[test]
    fn the_formula_holds_for_all_stages(lone in lone_packets()) {
        lone.check();
    }
}
