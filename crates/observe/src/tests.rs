//! Observers of parts of a run, merged, equal one observer of the whole.

use super::*;
use flitwork_topology::{Graph, Grid};
use flitwork_types::PacketId;
use proptest::prelude::*;

/// Node, cycle, kind of event, and numbers for its details.
type Drawn = (u32, u32, u8, [u32; 4]);

/// One of many possible events at one of 16 nodes.
fn report(observer: &mut Observer, (node, cycle, what, more): Drawn) {
    // What enters, or never does, is of the node's own terminal.
    let source = match what {
        1 | 2 => TerminalId(node),
        _ => TerminalId(more[0] % 16),
    };
    let packet = Packet {
        id: PacketId {
            source,
            serial: more[1],
        },
        destination: TerminalId(more[2] % 16),
        created: Cycle(cycle - more[3] % 20),
        injected: Cycle(cycle - more[3] % 10),
        hops: (more[1] % 7) as u16,
        deroutes: (more[1] % 3) as u16,
        words: 1 + (more[0] % 10) as u16,
        class: (more[3] % 4) as u8,
        loss: None,
        skew: 0,
    };
    let (node, cycle, port) = (NodeId(node), Cycle(cycle), Port((more[0] % 4) as u8));
    let moved = |from, to| Event::Moved {
        packet: packet.id,
        from,
        to,
        deroute: more[2].is_multiple_of(2),
    };
    let event = match what {
        0 => return observer.buffered(node, cycle, more[0] % 9),
        1 => return observer.left_over(source, packet.created, packet.words, 1),
        2 => Event::Injected { packet },
        3 => moved(Place::Input(port), Place::Queue),
        4 => moved(Place::Queue, Place::Output(port)),
        5 => moved(Place::Input(port), Place::SideBuffer),
        6 => Event::Head {
            packet: packet.id,
            port,
        },
        7 => Event::Tail {
            packet: packet.id,
            port,
            words: packet.words,
        },
        _ => Event::Delivered { packet },
    };
    observer.event(node, cycle, event);
}

proptest! {
    #[test]
    fn parts_merged_are_the_whole(
        events in prop::collection::vec((0u32..16, 20u32..300, 0u8..9, any::<[u32; 4]>()), 0..200),
        of in prop::collection::vec(0usize..3, 16),
        end in 20u32..300,
    ) {
        let grid = Grid::torus(&[4, 4]).unwrap();
        let window = Window::new(Cycle(50), Cycle(250)).unwrap();
        let new = || Observer::new(&grid, 2, window);
        let (mut whole, mut parts) = (new(), [new(), new(), new()]);
        for event in events {
            report(&mut whole, event);
            report(&mut parts[of[event.0 as usize]], event);
        }
        let [one, two, three] = parts;
        let mut forth = one.clone();
        forth.merge(two.clone());
        forth.merge(three.clone());
        let mut back = three;
        back.merge(two);
        back.merge(one);
        let whole = whole.finish(Cycle(end));
        prop_assert_eq!(&forth.finish(Cycle(end)), &whole);
        prop_assert_eq!(&back.finish(Cycle(end)), &whole);
        let by_class: u64 = whole.by_class.iter().map(|of| of.group.latency.count()).sum();
        let by_distance: u64 = whole.by_distance.iter().map(|of| of.group.latency.count()).sum();
        prop_assert_eq!((by_class, by_distance), (whole.latency.count(), whole.latency.count()));
    }
}

/// A packet's way: its source, the delay of its injection after its creation, that of its delivery after that (if it
/// is delivered), and the observers of both.
type Way = (u32, u64, Option<u64>, [usize; 2]);

const NOMINAL_PS: u64 = 700;

/// Reports a packet's injection or its delivery at this time.
fn report_at(observer: &mut Observer, now_ps: u64, event: Event) {
    let reference = Cycle((now_ps / NOMINAL_PS) as u32);
    let at = Moment::new(reference, now_ps);
    observer.tick(NodeId(0), reference, at);
    observer.event(NodeId(0), reference, event);
}

proptest! {
    /// The two ends of a packet's way may be observed by different observers.
    #[test]
    fn latencies_in_ps_are_exact_and_survive_merging(
        ways in prop::collection::vec(
            (20u32..300, 0u64..50_000, prop::option::weighted(0.9, 0u64..1 << 40), [0usize..3, 0usize..3]),
            0..60,
        ),
    ) {
        let window = Window::new(Cycle(50), Cycle(250)).unwrap();
        let grid = Grid::mesh(&[4]).unwrap();
        let new = || Observer::new(&grid, 1, window).of_clocks(NOMINAL_PS);
        let (mut whole, mut parts) = (new(), [new(), new(), new()]);
        let (mut latencies, mut network) = (Vec::new(), Vec::new());
        for (serial, (created, waited, crossed, [one, other])) in (0..).zip(ways as Vec<Way>) {
            let packet = Packet {
                id: PacketId { source: TerminalId(0), serial },
                created: Cycle(created),
                words: 1,
                ..Packet::default()
            };
            let injected_ps = u64::from(created) * NOMINAL_PS + waited;
            for observer in [&mut whole, &mut parts[one]] {
                report_at(observer, injected_ps, Event::Injected { packet });
            }
            let Some(crossed) = crossed else {
                continue;
            };
            for observer in [&mut whole, &mut parts[other]] {
                report_at(observer, injected_ps + crossed, Event::Delivered { packet });
            }
            if (50..250).contains(&created) {
                latencies.push(waited + crossed);
                network.push(crossed);
            }
        }
        let [one, two, mut merged] = parts;
        merged.merge(one);
        merged.merge(two);
        let found = whole.finish(Cycle(300)).exact.unwrap();
        prop_assert_eq!(&merged.finish(Cycle(300)).exact.unwrap(), &found);
        for (found, mut expected) in [(&found.latency, latencies), (&found.network_latency, network)] {
            expected.sort_unstable();
            prop_assert_eq!(found.latency.sum(), expected.iter().map(|ps| u128::from(*ps)).sum::<u128>());
            prop_assert_eq!(found.latency.min(), expected.first().copied());
            prop_assert_eq!(found.latency.max(), expected.last().copied());
            for percent in [50, 90, 99] {
                let rank = (expected.len() * percent).div_ceil(100).max(1);
                let Some(exact) = expected.get(rank - 1) else {
                    continue;
                };
                let shown = found.latency.percentile(percent as f64).unwrap();
                prop_assert!((*exact..=exact + exact / 1000).contains(&shown), "{shown} for {exact}");
            }
        }
    }
}

/// A packet that is taken back before it entered leaves nothing behind.
#[test]
fn a_packet_that_is_taken_back_has_no_latency() {
    let window = Window::new(Cycle(0), Cycle(10)).unwrap();
    let mut observer = Observer::new(Grid::mesh(&[4]).unwrap(), 1, window).of_clocks(NOMINAL_PS);
    let packet = Packet {
        words: 1,
        ..Packet::default()
    };
    report_at(&mut observer, 500, Event::Injected { packet });
    observer.take_back(NodeId(0), Cycle(0), &packet);
    report_at(&mut observer, 800, Event::Injected { packet });
    report_at(&mut observer, 1700, Event::Delivered { packet });
    let exact = observer.finish(Cycle(10)).exact.unwrap();
    assert_eq!(exact.network_latency.latency.max(), Some(900));
    assert_eq!(exact.latency.latency.max(), Some(1700));
}

/// Node 0 has a link of 5 cycles to node 1, and node 1 one of the network's 2 cycles to node 2. A packet is in a node from
/// its injection or the arrival of its head until its head arrives at the next: injected at 10, with heads that leave at 13
/// and 20 and a delivery at 30, it is in node 0 until 13 + 5 = 18, in node 1 until 20 + 2 = 22, and in node 2 until 30.
#[test]
fn a_packet_is_in_a_node_until_its_head_has_crossed_the_links_own_cycles() {
    let mut graph = Graph::of_nodes(3).unwrap();
    let end = |node: u32, port: u8| (NodeId(node), Port(port));
    graph.link(end(0, 0), end(1, 0), Some(5)).unwrap();
    graph.link(end(1, 1), end(2, 0), None).unwrap();
    let graph = graph.build().unwrap();
    let window = Window::new(Cycle(0), Cycle(100)).unwrap();
    let mut observer = Observer::new(&graph, 2, window);
    let packet = Packet {
        destination: TerminalId(2),
        created: Cycle(10),
        injected: Cycle(10),
        hops: 2,
        words: 1,
        ..Packet::default()
    };
    let head = |port| Event::Head {
        packet: packet.id,
        port: Port(port),
    };
    observer.event(NodeId(0), Cycle(10), Event::Injected { packet });
    observer.event(NodeId(0), Cycle(13), head(0));
    observer.event(NodeId(1), Cycle(20), head(1));
    observer.event(NodeId(2), Cycle(30), Event::Delivered { packet });
    let observation = observer.finish(Cycle(100));
    assert_eq!(observation.node_packet_cycles, [18 - 10, 22 - 18, 30 - 22]);
}
