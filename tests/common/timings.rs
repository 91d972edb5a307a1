//! Links' timings for property tests: wires and handshakes, crossings of all kinds, for all links and for single ones.

use flitwork_network::{
    Arbiter, Clock, Clocks, Crossing, Flops, Handshake, LinkTiming, OwnTiming, Pause, Protocol,
    Segment, credit_ps,
};
use flitwork_topology::{Grid, Topology};
use flitwork_types::{NodeId, Port};
use proptest::prelude::*;

/// Segments of a link with up to three latches, slow and fast ones.
pub(crate) fn segments() -> BoxedStrategy<Vec<Segment>> {
    let delay = || prop_oneof![4 => 1u64..1500, 1 => 1u64..5, 1 => 1500u64..3000];
    let segment = (delay(), delay()).prop_map(|(request_ps, acknowledge_ps)| Segment {
        request_ps,
        acknowledge_ps,
    });
    prop::collection::vec(segment, 1..=4).boxed()
}

/// Handshakes of both protocols.
pub(crate) fn handshakes() -> BoxedStrategy<Handshake> {
    let protocol = prop_oneof![Just(Protocol::TwoPhase), Just(Protocol::FourPhase)];
    let bundling = prop_oneof![Just(0u64), 0u64..200];
    (protocol, bundling, segments())
        .prop_map(|(protocol, bundling_ps, segments)| Handshake {
            protocol,
            bundling_ps,
            segments,
        })
        .boxed()
}

/// Crossings of each kind. A clock that waits has to drive a single node: see [`suit`]. Boxed: strategies are built on the
/// stack.
pub(crate) fn crossings() -> BoxedStrategy<Crossing> {
    let flops = (1u64..900, 1u64..900).prop_map(|(window_ps, tau_ps)| Flops { window_ps, tau_ps });
    let depth = prop_oneof![3 => Just(None), 1 => (1u32..12).prop_map(Some)];
    let synchronizer = (0u32..4, prop::option::of(flops), depth);
    let synchronizer = synchronizer.prop_map(|(edges, flops, capacity_words)| Crossing {
        flops,
        capacity_words,
        ..Crossing::synchronizer(edges)
    });
    let mesochronous = (0u64..800).prop_map(|margin_ps| Crossing {
        margin_ps,
        ..Crossing::synchronizer(0)
    });
    let arbiter = (0u64..900, 1u64..400);
    let arbiter = arbiter.prop_map(|(window_ps, tau_ps)| Arbiter { window_ps, tau_ps });
    let pausible = (1u64..400, prop::option::of(arbiter)).prop_map(|(transfer_ps, arbiter)| {
        let pause = Pause {
            transfer_ps,
            arbiter,
        };
        Crossing {
            pause: Some(pause),
            ..Crossing::synchronizer(0)
        }
    });
    prop_oneof![4 => synchronizer, 1 => mesochronous, 2 => pausible].boxed()
}

/// What is drawn for links that differ: which they are, by the numbers of a node and of one of its links, and how.
type Own = (usize, usize, OwnTiming);

fn own_timings() -> BoxedStrategy<Vec<Own>> {
    let own = (
        prop::option::of(crossings()),
        prop::option::of(segments()),
        prop::option::of(1u64..6000),
    )
        .prop_map(|(crossing, segments, latency_ps)| OwnTiming {
            latency_ps,
            crossing,
            segments,
        });
    let own = (any::<usize>(), any::<usize>(), own);
    prop_oneof![1 => Just(Vec::new()), 1 => prop::collection::vec(own, 1..6)].boxed()
}

/// All links of a grid.
pub(crate) fn timings(grid: &Grid) -> BoxedStrategy<LinkTiming> {
    let grid = grid.clone();
    let handshake = prop::option::of(handshakes());
    let links = (1u64..5000, 1u32..20, crossings(), handshake, own_timings());
    links
        .prop_map(
            move |(latency_ps, capacity_words, crossing, handshake, own)| {
                let mut links = LinkTiming {
                    crossing,
                    handshake,
                    ..LinkTiming::wires(latency_ps, capacity_words, 0)
                };
                for (node, port, own) in own {
                    let node = NodeId((node % grid.nodes() as usize) as u32);
                    let ports = grid.links(node);
                    let port = ports.iter().nth(port % ports.len()).expect("a link");
                    links.own.insert((node, port), own);
                }
                links
            },
        )
        .boxed()
}

/// Takes back what clocks can't do: a clock that waits drives one node, and for less than its shortest period. Nodes
/// without buffers get links with room for what they need and `more` words.
pub(crate) fn suit(clocks: &mut Clocks, grid: &Grid, needs_room: bool, more: u32) {
    let receivers = |from: (NodeId, Port)| grid.far(from.0, from.1).map(|(far, _)| far);
    let waits = |clocks: &Clocks, node: NodeId| {
        let domain = clocks.domain_of[node.index()];
        let drives = clocks.domain_of.iter().filter(|of| **of == domain).count();
        match &clocks.domains[domain as usize] {
            clock @ Clock::Periodic(_) if drives == 1 => clock.step_ps().0 - 1,
            Clock::Periodic(_) => 0,
            Clock::SelfTimed(_) => u64::MAX,
        }
    };
    let shortened = |crossing: &mut Crossing, most_ps: u64| match (most_ps, &mut crossing.pause) {
        (0, pause) => *pause = None,
        (most_ps, Some(pause)) => pause.transfer_ps = pause.transfer_ps.min(most_ps),
        (_, None) => {}
    };
    let all = (0..grid.nodes())
        .map(NodeId)
        .map(|node| waits(clocks, node));
    let most_ps = all.min().unwrap_or(0);
    shortened(&mut clocks.links.crossing, most_ps);
    let ends: Vec<(NodeId, Port)> = clocks.links.own.keys().copied().collect();
    for from in ends {
        let most_ps = receivers(from).map_or(0, |far| waits(clocks, far));
        let own = clocks.links.own.get_mut(&from).expect("it was there");
        if let Some(crossing) = &mut own.crossing {
            shortened(crossing, most_ps);
        }
        if needs_room {
            let crossing = own.crossing.iter_mut();
            crossing.for_each(|crossing| crossing.capacity_words = None);
        }
    }
    if needs_room {
        clocks.links.crossing.capacity_words = None;
        clocks.links.capacity_words = clocks.least_capacity_words() as u32 + more;
    }
}

/// The least that a word or a credit takes over any link, in ps, of links that have no latency in their topology.
pub(crate) fn shortest_link_ps(links: &LinkTiming) -> u64 {
    let own = || links.own.values();
    let shortest = match &links.handshake {
        Some(handshake) => {
            let own = own().filter_map(|own| own.segments.as_deref());
            let all = own.chain([&handshake.segments[..]]);
            all.map(credit_ps).min()
        }
        None => {
            let own = own().filter_map(|own| own.latency_ps);
            own.chain([links.latency_ps]).min()
        }
    };
    shortest.unwrap_or(1)
}
