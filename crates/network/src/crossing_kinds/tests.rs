//! Each kind as its keys make it, and between which clocks it may lie.

use super::*;
use crate::clock::Clock;
use crate::delay::{Delay, SelfTimed, StageDelays};
use crate::oscillator::{Periodic, Wander};
use flitwork_schema::{Datum, Part, RawTable, Value};

fn kind(name: &str) -> CrossingEntry {
    let mut all = CrossingEntry::built_in().into_iter();
    all.find(|kind| kind.name() == name).unwrap()
}

fn made(name: &str, keys: &[(&str, u32)]) -> Crossing {
    let number = |number: u32| Value::from(Datum::Whole(number.into()));
    let keys = keys
        .iter()
        .map(|(key, value)| ((*key).to_owned(), number(*value)));
    let keys: Vec<(String, Value)> = keys.collect();
    let given = RawTable::new("network.crossings[0]".into(), 0..0, &keys);
    kind(name).build(&given).unwrap().crossing
}

/// All of a crossing's numbers stand here, so that a key that is ignored or ends elsewhere is noticed.
#[test]
fn keys_make_crossings() {
    const NONE: Crossing = Crossing {
        edges: 0,
        margin_ps: 0,
        capacity_words: None,
        pause: None,
        flops: None,
    };
    let flops = Some(Flops {
        window_ps: 30,
        tau_ps: 7,
    });
    let undecided = [("window_ps", 30), ("tau_ps", 7)];
    for edges in [0, 1, 2, 5, 16] {
        let synchronizer = Crossing { edges, ..NONE };
        assert_eq!(made("synchronizer", &[("edges", edges)]), synchronizer);
        let fifo = Crossing {
            capacity_words: Some(9),
            ..synchronizer
        };
        let keys = [("depth", 9), ("edges", edges)];
        assert_eq!(made("dual-clock-fifo", &keys), fifo);
        let keys = [&keys[..], &undecided].concat();
        assert_eq!(made("dual-clock-fifo", &keys), Crossing { flops, ..fifo });
    }
    // Two edges by default.
    let usual = Crossing { edges: 2, ..NONE };
    assert_eq!(made("synchronizer", &[]), usual);
    assert_eq!(
        made("synchronizer", &undecided),
        Crossing { flops, ..usual }
    );
    let fifo = Crossing {
        capacity_words: Some(4),
        ..usual
    };
    assert_eq!(made("dual-clock-fifo", &[("depth", 4)]), fifo);
    assert_eq!(made("same-clock", &[]), NONE);
    assert_eq!(made("mesochronous", &[]), NONE);
    let early = Crossing {
        margin_ps: 60,
        ..NONE
    };
    assert_eq!(made("mesochronous", &[("margin_ps", 60)]), early);
    let pause = Some(Pause {
        transfer_ps: 200,
        arbiter: None,
    });
    let waits = Crossing { pause, ..NONE };
    assert_eq!(made("pausible", &[("transfer_ps", 200)]), waits);
}

fn suits(name: &str, crossing: &Crossing, sender: &Clock, receiver: &Clock) -> bool {
    let pair = ClockPair {
        sender,
        receiver,
        shares: sender == receiver,
        receiver_nodes: 1,
    };
    kind(name).suits(crossing, &pair).is_ok()
}

fn self_timed() -> Clock {
    Clock::SelfTimed(SelfTimed::new(StageDelays {
        word: Delay::fixed(300),
        decision: Delay::fixed(300),
        allocation: None,
        credit: None,
    }))
}

/// Between mesochronous clocks the phase is constant: they have the same period, the same drift, and the same changes at the
/// same times, and neither wanders. Phases may differ, and jitter doesn't add up.
#[test]
fn mesochronous_clocks_keep_their_phase() {
    let base = || Periodic::new(1000, 0).with_drift(50_000);
    let crossing = Crossing::synchronizer(0);
    let may = |one: Periodic, other: Periodic| {
        let (one, other) = (Clock::Periodic(one), Clock::Periodic(other));
        let there = suits("mesochronous", &crossing, &one, &other);
        assert_eq!(there, suits("mesochronous", &crossing, &other, &one));
        there
    };
    let late = Periodic::new(1000, 370).with_drift(50_000);
    assert!(may(base(), base()) && may(base(), late.clone()));
    assert!(may(base(), late.with_jitter(20)));
    let changed = || base().with_period_from(5000, 1200);
    assert!(may(changed(), changed()));
    let wander = Wander {
        most_ps: 3,
        bound_ps: Some(9),
    };
    for other in [
        Periodic::new(1001, 0).with_drift(50_000),
        base().with_drift(50_001),
        base().with_drift(-50_000),
        Periodic::new(1000, 0),
        changed(),
        base().with_gate_from(5000),
        base().with_wander(wander),
    ] {
        assert!(!may(base(), other.clone()), "{other:?}");
    }
    assert!(!may(changed(), base().with_period_from(5001, 1200)));
    assert!(!may(base().with_wander(wander), base().with_wander(wander)));
    let (one, other) = (Clock::Periodic(base()), self_timed());
    assert!(!suits("mesochronous", &crossing, &one, &other));
    assert!(!suits("mesochronous", &crossing, &other, &one));
}

/// A clock waits for less than its shortest period, and drives one node.
#[test]
fn pausible_clocks_drive_one_node_and_wait_for_less_than_a_period() {
    let (sender, other) = (Clock::Periodic(Periodic::new(700, 0)), self_timed());
    let waits = |transfer_ps| Crossing {
        pause: Some(Pause {
            transfer_ps,
            arbiter: None,
        }),
        ..Crossing::synchronizer(0)
    };
    let steady = Clock::Periodic(Periodic::new(1000, 0));
    // Up to 30 ps nearer, and a period of 600 ps later on.
    let jitters = Clock::Periodic(Periodic::new(1000, 0).with_jitter(30));
    let changes = Clock::Periodic(Periodic::new(1000, 0).with_period_from(9000, 600));
    for (receiver, shortest_ps) in [(&steady, 1000), (&jitters, 970), (&changes, 600)] {
        for sender in [&sender, &other] {
            assert!(suits("pausible", &waits(shortest_ps - 1), sender, receiver));
            assert!(!suits("pausible", &waits(shortest_ps), sender, receiver));
        }
    }
    assert!(!suits("pausible", &waits(1), &sender, &other));
    let two = ClockPair {
        sender: &sender,
        receiver: &steady,
        shares: false,
        receiver_nodes: 2,
    };
    assert!(kind("pausible").suits(&waits(1), &two).is_err());
}
