//! The right to send, by hand.

use super::*;
use flitwork_types::{Cycle, Due, Port, PortSet, Word};

/// On an idle wire the right is at the first end in cycles 0, 2h, 4h, … and at the other in h, 3h, …, h cycles being a hop.
#[test]
fn the_right_on_an_idle_wire_alternates_a_hop_at_a_time() {
    for hop_cycles in [1, 2, 3, 7] {
        for from in 0..40 {
            for (side, first) in [(Side::First, 0), (Side::Second, hop_cycles)] {
                let here = (0..).map(|round| first + 2 * hop_cycles * round);
                let expected = here.into_iter().find(|cycle| *cycle >= from).unwrap();
                let next = Wire::FIRST.next(side, Cycle(from), hop_cycles);
                assert_eq!(next, Cycle(expected), "{side:?} from {from}, {hop_cycles}");
                let may = Wire::FIRST.may_send(side, Cycle(from), hop_cycles);
                assert_eq!(may, expected == from);
            }
        }
    }
}

/// With hops of three cycles: a packet leaves the second end from cycle 9 to 12. The right is at the first end at 15, at the
/// second at 18 again, and so on.
#[test]
fn a_packet_takes_the_right_along() {
    let mut wire = Wire::FIRST;
    assert!(wire.is_next(Side::First, Cycle(0)) && !wire.is_next(Side::Second, Cycle(3)));
    wire.begin(Side::Second);
    assert!(wire.may_send(Side::Second, Cycle(10), 3) && !wire.may_send(Side::First, Cycle(12), 3));
    wire.end(Side::Second, Cycle(12), 3);
    assert!(wire.is_next(Side::First, Cycle(15)) && !wire.is_next(Side::Second, Cycle(15)));
    let next = |side, from| wire.next(side, Cycle(from), 3);
    assert_eq!(
        [13, 15, 16].map(|from| next(Side::First, from)),
        [15, 15, 21].map(Cycle)
    );
    assert_eq!(
        [13, 18, 19].map(|from| next(Side::Second, from)),
        [18, 18, 24].map(Cycle)
    );
}

/// An end passes its right on in the first cycle in which it may be used, or now if that is past; where a packet is leaving,
/// never. A turnaround of two cycles.
#[test]
fn an_end_passes_its_right_on_when_it_may_be_used() {
    let mut ends = WireEnds::new(3, 2, PortSet::only(Port(1)));
    assert_eq!(
        [0, 4].map(|now| ends.next_pass(Cycle(now))),
        [0, 4].map(Cycle)
    );
    ends.receive(Port(2), Cycle(7));
    assert_eq!(ends.sendable(Cycle(8)), PortSet::only(Port(1)));
    let nothing = [Word::BLANK; 3];
    assert_eq!(
        ends.pass(Cycle(8), PortSet::EMPTY, &nothing),
        PortSet::only(Port(1))
    );
    assert_eq!(
        [7, 8, 9, 12].map(|now| ends.next_pass(Cycle(now))),
        [9, 9, 9, 12].map(Cycle)
    );
    assert_eq!(ends.sendable(Cycle(9)), PortSet::only(Port(2)));
    assert_eq!(
        ends.pass(Cycle(9), PortSet::EMPTY, &nothing),
        PortSet::only(Port(2))
    );
    assert_eq!(ends.next_pass(Cycle(10)), Due::NEVER);
    assert_eq!(ends.sendable(Cycle(10)), PortSet::EMPTY);
}
