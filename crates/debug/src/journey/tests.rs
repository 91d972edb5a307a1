//! Journeys of packets to which everything has happened by hand.

use super::Journey;
use crate::gather::{Happening, What};
use flitwork_node::{Event, PassingWord, Place};
use flitwork_types::{Cycle, NodeId, Packet, PacketId, Port, TerminalId};

const NORTH: Port = Port(0);
const EAST: Port = Port(1);
const WEST: Port = Port(3);
const LOCAL: Port = Port(4);
const HOME: NodeId = NodeId(4);

/// A packet of two words, each of which goes its own way. At its destination both have to wait in the side buffer: the first
/// of these comes from the north, the second in the next cycle from the west. They leave one after the other.
fn by_way_of_the_side_buffer(first: u16, second: u16) -> Journey {
    let id = PacketId {
        source: TerminalId(0),
        serial: 7,
    };
    let packet = Packet {
        id,
        destination: TerminalId(HOME.0),
        words: 2,
        ..Packet::default()
    };
    let alone = Event::Tail {
        packet: id,
        port: EAST,
        words: 1,
    };
    let arrived = |port, index| {
        What::Arrived(PassingWord {
            port,
            channel: 0,
            packet: id,
            index,
        })
    };
    let moved = |from, to| {
        What::Event(Event::Moved {
            packet: id,
            from,
            to,
            deroute: false,
        })
    };
    let (side, out) = (Place::SideBuffer, Place::Output(LOCAL));
    let all = [
        (0, NodeId(0), What::Event(Event::Injected { packet })),
        (0, NodeId(0), What::Event(alone)),
        (2, HOME, arrived(NORTH, first)),
        (2, HOME, moved(Place::Input(NORTH), side)),
        (3, HOME, arrived(WEST, second)),
        (3, HOME, moved(Place::Input(WEST), side)),
        (5, HOME, moved(side, out)),
        (6, HOME, moved(side, out)),
        (6, HOME, What::Event(Event::Delivered { packet })),
    ];
    let happened = all.map(|(cycle, node, what): (u32, NodeId, What)| Happening {
        time: cycle.into(),
        node,
        cycle: Cycle(cycle),
        nominal: Cycle(cycle),
        what,
    });
    Journey::of(happened.to_vec(), |_| HOME).unwrap()
}

/// First in, first out (Fallin and others 2012, section 4): in cycle 5 the word from the north leaves, and the one from the
/// west, which came in cycle 3, completes the packet in cycle 6.
#[test]
fn words_leave_the_side_buffer_in_the_order_in_which_they_came() {
    for (first, second) in [(0, 1), (1, 0)] {
        let journey = by_way_of_the_side_buffer(first, second);
        assert_eq!(journey.word, second);
        let stays = journey.stays.iter();
        let came: Vec<(NodeId, u64)> = stays.map(|stay| (stay.node, stay.arrived.time)).collect();
        assert_eq!(came, [(HOME, 3)]);
    }
}
