//! Sources, links and the patience of a network, by hand.

use super::*;
use flitwork_node::{Inputs, Outputs, Site, Wait};
use flitwork_topology::Grid;
use flitwork_traffic::{Birth, Left, Once};
use flitwork_types::{Due, Duplex, Packets, TerminalId};

/// A router of two virtual channels with four places each, which may hold a word for three cycles.
struct Patient;

impl Router for Patient {
    type Node = ();

    fn nodes(&self) -> Vec<()> {
        vec![(); 4]
    }

    fn waits(&self, _: NodeId, (): &(), _: &Packets, _: Cycle) -> Vec<Wait> {
        Vec::new()
    }

    fn packet_words(&self) -> Option<u16> {
        None
    }

    fn channels(&self) -> u8 {
        2
    }

    fn credit_words(&self) -> Option<u32> {
        Some(8)
    }

    fn takes_half_duplex(&self) -> bool {
        true
    }
}

impl WordRouter for Patient {
    fn is_idle(&self, (): &()) -> bool {
        true
    }

    fn patience_cycles(&self) -> u32 {
        3
    }

    fn step<P: Probe>(
        &self,
        (): &mut (),
        _: Cycle,
        _: &Inputs<'_>,
        _: &mut Outputs<'_>,
        _: &mut Site<'_, P>,
    ) {
    }
}

/// Links of five cycles. A node is still for up to 3 + 5 cycles between two moves, and over half-duplex links with a turnaround
/// of four the right may have to go and come back: 2 * (5 + 4) more. Then the words of two packets in each of the two channels
/// may leave before, one a cycle while a packet fits into a channel's four places. One that doesn't fit waits for credits:
/// four words in 5 + 5 + 3 cycles, so four cycles a word.
#[test]
fn a_network_is_as_patient_as_its_links_and_routers() {
    let network =
        |duplex| Network::new(Grid::mesh(&[2, 2]).unwrap(), Patient, 5).with_duplex(duplex);
    let full = network(Duplex::Full).patience();
    assert_eq!(full.places(), 4);
    assert_eq!([1, 4].map(|words| full.cycles(words)), [8 + 4, 8 + 16]);
    assert_eq!([5, 6].map(|words| full.cycles(words)), [8 + 80, 8 + 96]);
    let half = network(Duplex::Half {
        turnaround_cycles: 4,
    });
    let half = half.patience();
    assert_eq!([4, 5].map(|words| half.cycles(words)), [26 + 16, 26 + 80]);
}

fn birth(created: u32) -> Birth {
    Birth {
        created: Cycle(created),
        destination: TerminalId(1),
        words: 3,
        class: 0,
    }
}

/// A source that waits for a delivery opens once, and one that has a packet is open already.
#[test]
fn a_delivery_opens_a_closed_source_once() {
    let mut waits = Source::new(Offer::WhenWoken);
    assert!(!waits.is_open());
    assert!(waits.wake() && waits.is_open());
    assert!(!waits.wake() && waits.is_open());
    let mut has = Source::new(Offer::Packet(birth(5)));
    assert!(has.is_open() && !has.wake());
    assert_eq!(has.begins_at(), Cycle(5));
    let mut never = Source::new(Offer::Never);
    assert!(!never.wake() && !never.is_open());
}

/// A packet made in the cycle before the end is left over; one of the end's own cycle isn't made any more.
#[test]
fn what_is_made_before_the_end_is_left_over() {
    for (created, expected) in [(0, 1), (98, 1), (99, 1), (100, 0), (101, 0)] {
        let mut source = Source::new(Offer::Packet(birth(created)));
        let mut packets = 0;
        let mut count = |left: Left| {
            assert_eq!((left.created, left.words), (Cycle(created), 3));
            packets += left.packets;
            ControlFlow::Continue(())
        };
        let nothing = &mut Once::new(&[]);
        let _ = source.leave_over(TerminalId(0), Cycle(100), nothing, &mut count);
        assert_eq!(packets, expected, "made in cycle {created}");
    }
}

/// The arbiter goes to all crossings whose clocks wait: that of all links and those of single ones. The longest latency is that
/// of any link.
#[test]
fn links_of_their_own_count() {
    let pause = |transfer_ps| Crossing {
        pause: Some(Pause {
            transfer_ps,
            arbiter: None,
        }),
        ..Crossing::synchronizer(0)
    };
    let mut links = LinkTiming {
        crossing: pause(10),
        ..LinkTiming::wires(700, 5, 0)
    };
    let own = [pause(20), Crossing::synchronizer(3), pause(30)];
    for (port, crossing) in own.into_iter().enumerate() {
        let own = OwnTiming {
            crossing: Some(crossing),
            latency_ps: Some(600 + 100 * port as u64),
            ..OwnTiming::default()
        };
        links.own.insert((NodeId(0), Port(port as u8)), own);
    }
    assert_eq!((links.longest_ps(), links.most_edges()), (800, 3));
    let arbiter = Some(Arbiter {
        window_ps: 4,
        tau_ps: 50,
    });
    links.arbitrate(arbiter);
    let pauses = links.crossings().filter_map(|it| it.pause);
    let pauses: Vec<(u64, Option<Arbiter>)> =
        pauses.map(|it| (it.transfer_ps, it.arbiter)).collect();
    assert_eq!(pauses, [(10, arbiter), (20, arbiter), (30, arbiter)]);
}

/// A delivery may bring a packet before the one that the source waits for: it asks at once, not in cycle 100.
#[test]
fn a_delivery_makes_a_source_ask_before_its_time() {
    let mut waits = Source::new(Offer::Later(Cycle(100)));
    assert_eq!(waits.begins_at(), Cycle(100));
    assert!(!waits.wake() && waits.is_open());
    assert_eq!(waits.begins_at(), Cycle(0));
    assert!(waits.can_begin(Cycle(8), |_| Offer::Packet(birth(8))));
}

/// A packet of three words from cycle 5 on, with the next one made in cycle 6 or to be asked for then: until the frame is free,
/// in cycle 12, neither begins, and nothing is asked for.
#[test]
fn a_source_begins_nothing_until_its_frame_is_free() {
    for next in [Offer::Packet(birth(6)), Offer::Later(Cycle(6))] {
        let mut source = Source::new(Offer::Packet(birth(5)));
        assert!(source.can_begin(Cycle(5), |_| unreachable!()));
        source.begin(TerminalId(0), Cycle(5), None, &mut Packets::new(), |_| next);
        let words = std::iter::from_fn(|| source.word()).count();
        assert_eq!((words, source.is_sending()), (3, false));
        assert_eq!(source.begins_at(), Due::NEVER);
        assert!(!source.can_begin(Cycle(9), |_| unreachable!()));
        source.free(Cycle(12));
        assert_eq!(source.begins_at(), Cycle(12));
        assert!(!source.can_begin(Cycle(11), |_| unreachable!()));
        assert!(source.can_begin(Cycle(12), |_| Offer::Packet(birth(6))));
    }
}

/// A source has a packet of cycle 5 and may put in packets before cycle 9. A cell that has come to cycle 7 puts it in then; one
/// in cycle 9 doesn't any more.
#[test]
fn a_cell_injects_from_its_own_cycle_on() {
    let terminals = [(Port(1), TerminalId(0))].into_iter();
    let locals = Locals::new(terminals, |_| Offer::Packet(birth(5)));
    let mut cell = Cell::new((NodeId(0), ()), 1, 1, locals);
    for (now, at) in [
        (0, Some(5)),
        (5, Some(5)),
        (7, Some(7)),
        (8, Some(8)),
        (9, None),
    ] {
        cell.skip_to(Cycle(now));
        assert_eq!(
            cell.injects_at(Cycle(9)),
            Due::from(at.map(Cycle)),
            "in {now}"
        );
    }
}

/// Two terminals at ports 1 and 2 of a node with a link at port 0, each with a packet of cycle 5: both put it in then, each at its
/// own port, and a delivery to one wakes no other.
#[test]
fn terminals_at_one_node_inject_side_by_side() {
    let terminals = [(Port(1), TerminalId(4)), (Port(2), TerminalId(5))];
    let offers = |terminal| match terminal {
        TerminalId(4) => Offer::Packet(birth(5)),
        _ => Offer::Later(Cycle(6)),
    };
    let locals = Locals::new(terminals.into_iter(), offers);
    assert_eq!(
        (locals.place(Port(2)), locals.place(Port(0))),
        (Some(1), None)
    );
    let mut cell = Cell::new((NodeId(0), ()), 1, 1, locals);
    let mut asked = Vec::new();
    for cycle in [5, 6].map(Cycle) {
        cell.skip_to(cycle);
        assert_eq!(cell.injects_at(Cycle(9)), Due::at(cycle));
        for place in [0, 1] {
            let ask = |terminal, now| {
                asked.push((terminal, now));
                match asked.len() {
                    2 => Offer::Packet(birth(6)),
                    _ => Offer::WhenWoken,
                }
            };
            let begins = cell.inject(place, None, ask);
            assert_eq!(begins, place + 5 == cycle.get() as usize);
        }
        if cycle == Cycle(5) {
            assert!(cell.is_injecting());
            // Three words each.
            let packets = std::iter::from_fn(|| cell.locals.words().next());
            assert!(packets.map(|(port, _)| port).eq([Port(1); 3]));
        }
    }
    assert_eq!(
        asked,
        [(4, 5), (5, 6), (5, 6)].map(|(terminal, now)| (TerminalId(terminal), Cycle(now)))
    );
    assert!(!cell.locals().are_open());
    assert!(!cell.wake_source(TerminalId(3)));
    assert!(cell.wake_source(TerminalId(5)) && !cell.wake_source(TerminalId(5)));
    assert_eq!(
        cell.locals()
            .all()
            .iter()
            .filter(|it| it.source.is_open())
            .count(),
        1
    );
}
