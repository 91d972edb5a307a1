//! Observers of parts of a run, merged, equal one observer of the whole.

use super::*;
use flitwork_topology::Grid;
use flitwork_types::PacketId;
use proptest::prelude::*;

/// Node, cycle, kind of event, and numbers for its details.
type Drawn = (u32, u32, u8, [u32; 4]);

/// One of many possible events at one of 16 nodes.
fn report(observer: &mut Observer, (node, cycle, what, more): Drawn) {
    let packet = Packet {
        id: PacketId {
            source: NodeId(more[0] % 16),
            serial: more[1],
        },
        destination: NodeId(more[2] % 16),
        created: Cycle(cycle - more[3] % 20),
        injected: Cycle(cycle - more[3] % 10),
        hops: (more[1] % 7) as u16,
        deroutes: (more[1] % 3) as u16,
        words: 1 + (more[0] % 10) as u16,
        class: (more[3] % 4) as u8,
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
        1 => return observer.left_over(node, packet.created, packet.words, 1),
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
