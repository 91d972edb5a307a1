//! Clocks and links of machines that `check` may call free of deadlock.

use crate::common::clocks::{changes, stages, wander};
use crate::common::timings::{crossings, handshakes};
use flitwork_config::{
    ClockParameters, Domains, IslandParameters, Oscillators, Phase, Resolved, SelfTimedParameters,
    Spread, Stepping,
};
use flitwork_network::{Crossing, Handshake, Wander};
use flitwork_types::NodeId;
use proptest::prelude::*;

/// A clock for each node or none, some islands, and the links' latency, room, crossings and handshakes.
#[derive(Clone, Debug)]
pub(super) struct Asynchrony {
    clocks: ClockParameters,
    edges: u32,
    latency_ps: Option<u64>,
    capacity_words: Option<u32>,
    crossing: Option<Crossing>,
    handshake: Option<Handshake>,
}

impl Asynchrony {
    /// A machine with these clocks and links.
    pub(super) fn give(&self, resolved: Resolved) -> Resolved {
        let mut clocked = resolved.clocked(self.clocks.clone(), self.edges);
        let has_buffers = clocked.router.credit_words().is_some();
        if let Some(crossing) = self.crossing {
            clocked.network.links.crossing = crossing;
        }
        let links = &mut clocked.network.links;
        if has_buffers {
            links.latency_ps = self.latency_ps.unwrap_or(links.latency_ps);
        } else {
            links.crossing.capacity_words = None;
        }
        if let Some(handshake) = &self.handshake {
            clocked = clocked.handing_over(handshake.clone());
        }
        // Routers without buffers need room in the links, as much as is usual, or as these crossings need.
        if has_buffers {
            let links = &mut clocked.network.links;
            links.capacity_words = self.capacity_words.unwrap_or(links.capacity_words);
        } else {
            let least = clocked.clocks().least_capacity_words() as u32;
            let links = &mut clocked.network.links;
            links.capacity_words = links.capacity_words.max(least);
        }
        clocked
    }
}

fn oscillators() -> BoxedStrategy<Stepping> {
    let spread = prop_oneof![
        Just(Spread::NONE),
        (0.0..30.0f64).prop_map(Spread::uniform),
        (0.0..8.0f64).prop_map(Spread::normal),
    ];
    let drift = prop_oneof![Just(0.0), 0.0..50_000.0f64];
    let domains = prop_oneof![4 => Just(Domains::Node), 1 => Just(Domains::One)];
    let phase = prop_oneof![1 => Just(Phase::Zero), 2 => Just(Phase::Random)];
    let draws = (0u64..300, wander(100));
    (spread, drift, draws, domains, phase)
        .prop_map(|(spread, drift_ppm, (jitter_ps, wander), domains, phase)| {
            Stepping::Oscillators(Oscillators {
                phase,
                spread,
                drift_ppm,
                jitter_ps,
                wander: wander.unwrap_or_default(),
                domains,
                block_sides: None,
            })
        })
        .boxed()
}

fn self_timed() -> BoxedStrategy<Stepping> {
    let spread = prop_oneof![Just(Spread::NONE), (0.0..60.0).prop_map(Spread::uniform)];
    (stages(), -50.0..100.0, spread, 0u64..500)
        .prop_map(|(delays, corner_percent, spread, count_ps)| {
            Stepping::SelfTimed(SelfTimedParameters {
                count_ps,
                corner_percent,
                spread,
                ..SelfTimedParameters::new(delays)
            })
        })
        .boxed()
}

/// Up to two islands: neighbours in the order of their numbers, with a clock that they share.
fn islands(nodes: u32) -> BoxedStrategy<Vec<IslandParameters>> {
    let island = (0..nodes, 1u32..5, 400u64..2500, 0u64..3000, 0u64..200);
    let islands = prop::collection::vec(island, 0..=2);
    let islands = islands.prop_map(move |islands| {
        let mut taken = vec![false; nodes as usize];
        let islands = islands
            .into_iter()
            .map(|(first, count, period_ps, phase_ps, jitter_ps)| {
                let named = (first..nodes.min(first + count))
                    .filter(|node| !std::mem::replace(&mut taken[*node as usize], true));
                IslandParameters {
                    nodes: named.map(NodeId).collect(),
                    period_ps,
                    phase_ps,
                    jitter_ps,
                    wander: Wander::default(),
                    drift_ppm: 0.0,
                }
            });
        islands.filter(|island| !island.nodes.is_empty()).collect()
    });
    prop_oneof![2 => Just(Vec::new()), 1 => islands].boxed()
}

/// Clocks and links of a network of some nodes.
pub(super) fn asynchronies(nodes: u32) -> BoxedStrategy<Asynchrony> {
    // Their gates are short enough for the links of routers without buffers.
    let stepping = prop_oneof![
        3 => (oscillators(), changes(500, 9000)),
        1 => (self_timed(), Just(Vec::new())),
    ];
    let links = (
        0u32..4,
        prop::option::of(1u64..6000),
        prop::option::of(1u32..30),
        prop::option::of(crossings()),
        prop::option::of(handshakes()),
    );
    (stepping, islands(nodes), links)
        .prop_map(
            |(
                (mut stepping, changes),
                mut islands,
                (edges, latency_ps, capacity_words, mut crossing, handshake),
            )| {
                if let Some(pause) = crossing.as_mut().and_then(|it| it.pause.as_mut()) {
                    // A clock that waits drives one node. The shortest period is 500 ps and 5 % less, and ticks may be up to
                    // 50 ps late.
                    pause.transfer_ps = pause.transfer_ps.min(350);
                    islands.clear();
                    if let Stepping::Oscillators(all) = &mut stepping {
                        all.domains = Domains::Node;
                        (all.jitter_ps, all.wander) = (all.jitter_ps.min(50), Wander::default());
                    }
                }
                Asynchrony {
                    clocks: ClockParameters {
                        stepping,
                        changes,
                        islands,
                        ..ClockParameters::default()
                    },
                    edges,
                    latency_ps,
                    capacity_words,
                    crossing,
                    handshake,
                }
            },
        )
        .boxed()
}
