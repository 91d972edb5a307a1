//! Batches against their rules, in a network of random delays.

use super::*;
use crate::toy::{Run, Toy};
use crate::{AnyPattern, ManyToOneParameters, Uniform};
use flitwork_topology::Grid;
use std::collections::HashMap;

fn uniform() -> Box<dyn Pattern> {
    let grid = Grid::mesh(&[4, 4]).unwrap();
    let built = AnyPattern::from(Uniform::default()).build(&grid, 0);
    built.unwrap_or_else(|error| panic!("{error}"))
}

fn parameters(requests: u32, outstanding: Option<u32>, service_cycles: u32) -> BatchParameters {
    BatchParameters {
        requests,
        outstanding,
        request_words: 1,
        reply: Some(ReplyParameters {
            words: 5,
            service_cycles,
        }),
    }
}

fn batch(parameters: BatchParameters) -> Batch {
    Batch::new(parameters, uniform(), 3, 16).unwrap()
}

/// Checks a run against the rules, from its births and deliveries alone.
fn check(run: &Run, parameters: &BatchParameters) {
    let reply = parameters.reply.unwrap();
    let limit = parameters.outstanding.unwrap_or(u32::MAX);
    for node in (0..16).map(TerminalId) {
        let requests: Vec<_> = run
            .of(node)
            .filter(|sent| sent.birth.class == REQUEST)
            .collect();
        assert_eq!(requests.len(), parameters.requests as usize);
        assert!(
            requests
                .iter()
                .all(|sent| sent.birth.words == parameters.request_words)
        );
        // In the order of their creation, requests use the first slots, then those that replies free.
        let mut free: Vec<Cycle> = run
            .to(node)
            .filter(|sent| sent.birth.class == REPLY)
            .map(|sent| sent.delivered + 1)
            .collect();
        free.sort_unstable();
        let at_first = std::iter::repeat_n(Cycle::ZERO, limit.min(parameters.requests) as usize);
        let law: Vec<Cycle> = at_first.chain(free).take(requests.len()).collect();
        let made: Vec<Cycle> = requests.iter().map(|sent| sent.birth.created).collect();
        assert_eq!(made, law, "{node}");
    }
    // Each delivered request is answered once, service_cycles later.
    let mut owed: HashMap<(TerminalId, TerminalId, Cycle), i32> = HashMap::new();
    for sent in &run.sent {
        let (owes, due, by) = if sent.birth.class == REQUEST {
            let due = sent.delivered + reply.service_cycles;
            ((sent.birth.destination, sent.id.source), due, 1)
        } else {
            assert_eq!(sent.birth.words, reply.words);
            (
                (sent.id.source, sent.birth.destination),
                sent.birth.created,
                -1,
            )
        };
        *owed.entry((owes.0, owes.1, due)).or_default() += by;
    }
    assert!(owed.values().all(|owed| *owed == 0));
}

#[test]
fn every_rule_holds_whatever_the_delays() {
    for seed in 0..6 {
        for outstanding in [Some(1), Some(3), Some(1000), None] {
            for (requests, service) in [(1, 1), (20, 1), (13, 50)] {
                let parameters = parameters(requests, outstanding, service);
                let toy = Toy::new(16, 40, seed).local();
                check(&toy.run(&mut batch(parameters)), &parameters);
            }
        }
    }
}

#[test]
fn the_order_of_asking_and_asking_too_often_change_nothing() {
    let make = || batch(parameters(25, Some(4), 7));
    let toy = Toy::new(16, 30, 1).local();
    let expected = toy.run(&mut make());
    for order in 1..10 {
        assert_eq!(toy.clone().in_order(order).run(&mut make()), expected);
        assert_eq!(
            toy.clone().in_order(order).eager().run(&mut make()),
            expected
        );
    }
}

#[test]
fn cycles_by_hand() {
    // Two nodes, one outstanding request of 1 word each, replies of 5 words after 7 cycles; a delivery takes
    // 10 cycles from the birth. Both make their request in cycle 0; it is delivered in 10 and answered in 17,
    // the reply is delivered in 27, so the next request is made in 28, and so on.
    let mut batch = batch(parameters(3, Some(1), 7));
    let (one, other) = (TerminalId(0), TerminalId(1));
    let mut woken = Vec::new();
    let packet = |class, source, destination| Packet {
        class,
        destination,
        id: flitwork_types::PacketId { source, serial: 0 },
        ..Packet::default()
    };
    for round in 0..3 {
        let made = Cycle(28 * round);
        for node in [one, other] {
            let birth = batch.next(node, made).packet().unwrap();
            assert_eq!(
                (birth.created, birth.class, birth.words),
                (made, REQUEST, 1)
            );
            assert_eq!(batch.next(node, made), Offer::WhenWoken);
        }
        for (node, from) in [(one, other), (other, one)] {
            batch.delivered(node, &packet(REQUEST, from, node), made + 10, &mut woken);
            assert_eq!(std::mem::take(&mut woken), [node]);
            assert_eq!(batch.next(node, made + 11), Offer::Later(made + 17));
            let birth = batch.next(node, made + 17).packet().unwrap();
            let expected = Birth {
                created: made + 17,
                destination: from,
                words: 5,
                class: REPLY,
            };
            assert_eq!(birth, expected);
            batch.delivered(node, &packet(REPLY, from, node), made + 27, &mut woken);
            assert_eq!(std::mem::take(&mut woken), [node]);
        }
    }
    assert_eq!(batch.next(one, Cycle(1000)), Offer::WhenWoken);
    assert!(!batch.foresees());
}

/// Node 0 has sent its first request; the reply arrives in cycle 20, so the next request may be made in 21. A
/// request that arrived in 14 is to be answered in 21 too, 7 cycles later.
fn both_due_in_cycle_21() -> Batch {
    let mut batch = batch(parameters(4, Some(1), 7));
    let (here, woken) = (TerminalId(0), &mut Vec::new());
    assert!(batch.next(here, Cycle::ZERO).packet().is_some());
    for (class, from, now) in [(REQUEST, 2, 14), (REPLY, 5, 20)] {
        let source = TerminalId(from);
        let packet = Packet {
            class,
            destination: here,
            id: flitwork_types::PacketId { source, serial: 0 },
            ..Packet::default()
        };
        batch.delivered(here, &packet, Cycle(now), woken);
    }
    batch
}

#[test]
fn within_a_cycle_the_reply_is_first() {
    let mut batch = both_due_in_cycle_21();
    assert_eq!(
        batch.next(TerminalId(0), Cycle(20)),
        Offer::Later(Cycle(21))
    );
    let made = [(); 2].map(|()| batch.next(TerminalId(0), Cycle(21)).packet().unwrap());
    assert_eq!(made.map(|birth| birth.class), [REPLY, REQUEST]);
    assert_eq!(made.map(|birth| birth.created), [Cycle(21); 2]);
    assert_eq!(made[0].destination, TerminalId(2));
    assert_eq!(batch.next(TerminalId(0), Cycle(99)), Offer::WhenWoken);
}

/// 16 nodes have 4 requests each, and each is answered: 128 packets, one of which has been taken.
#[test]
fn what_is_left_over_is_no_longer_owed() {
    for (end, taken, replies) in [(21, 0, 0), (22, 2, 1)] {
        let mut batch = both_due_in_cycle_21();
        let mut left_over = Vec::new();
        let flow = batch.leave_over(TerminalId(0), Cycle(end), &mut |left| {
            left_over.push((left.created, left.words, left.packets));
            ControlFlow::Continue(())
        });
        assert!(flow.is_continue());
        let law = [(Cycle(21), 1, 1), (Cycle(21), 5, 1)];
        assert_eq!(left_over, law[..taken as usize]);
        let owed = batch.owed();
        assert_eq!((owed.packets, owed.replies), (127 - taken, 64 - replies));
    }
}

#[test]
fn without_replies_the_whole_batch_exists_at_once() {
    let once = BatchParameters {
        reply: None,
        ..parameters(12, None, 1)
    };
    let mut batch = batch(once);
    assert!(batch.foresees());
    for node in (0..16).map(TerminalId) {
        for _ in 0..12 {
            let birth = batch.next(node, Cycle::ZERO).packet().unwrap();
            assert_eq!((birth.created, birth.class), (Cycle::ZERO, REQUEST));
            assert_ne!(birth.destination, node);
        }
        assert_eq!(batch.next(node, Cycle::ZERO), Offer::Never);
    }
    let mut woken = Vec::new();
    batch.delivered(TerminalId(0), &Packet::default(), Cycle(9), &mut woken);
    assert!(woken.is_empty());
}

#[test]
fn silent_nodes_only_answer() {
    let to_5 = ManyToOneParameters {
        destination: Some(TerminalId(5)),
        sources: None,
    };
    let grid = Grid::mesh(&[4, 4]).unwrap();
    let pattern = AnyPattern::from(to_5).build(&grid, 0).unwrap();
    let mut batch = Batch::new(parameters(4, Some(2), 1), pattern, 0, 16).unwrap();
    assert_eq!(batch.next(TerminalId(5), Cycle::ZERO), Offer::WhenWoken);
    assert_eq!(batch.next(TerminalId(16), Cycle::ZERO), Offer::Never);
    let run = Toy::new(16, 10, 2).local().run(&mut batch);
    let answers = run
        .of(TerminalId(5))
        .filter(|sent| sent.birth.class == REPLY);
    assert_eq!((answers.count(), run.of(TerminalId(5)).count()), (60, 60));
    assert_eq!(batch.sources().len(), 16);
}

#[test]
fn nonsense_is_refused() {
    let refused = |parameters| Batch::new(parameters, uniform(), 0, 16).err().unwrap().key;
    let good = parameters(4, Some(2), 3);
    let reply = |words, service_cycles| BatchParameters {
        reply: Some(ReplyParameters {
            words,
            service_cycles,
        }),
        ..good
    };
    assert_eq!(refused(parameters(0, None, 1)), "requests");
    assert_eq!(refused(parameters(4, Some(0), 1)), "outstanding");
    assert_eq!(refused(reply(0, 1)), "reply.words");
    assert_eq!(refused(reply(1, 0)), "reply.service_cycles");
    let no_words = BatchParameters {
        request_words: 0,
        ..good
    };
    assert_eq!(refused(no_words), "request_words");
    let unanswered = BatchParameters {
        reply: None,
        ..good
    };
    assert_eq!(refused(unanswered), "outstanding");
}

/// A series of deliveries and requests for packets, from a seed, up to cycle `end`.
fn drive(batch: &mut Batch, seed: u64, end: u32) {
    let mut draws = Draws::new(seed, TerminalId(0));
    let mut sent: Vec<(TerminalId, Birth)> = Vec::new();
    let mut woken = Vec::new();
    for now in (0..end).map(Cycle) {
        for _ in 0..draws.below(4) {
            let node = TerminalId(draws.below(16));
            if let Offer::Packet(birth) = batch.next(node, now) {
                sent.push((node, birth));
            }
        }
        while !sent.is_empty() && draws.below(3) == 0 {
            let (source, birth) = sent.swap_remove(draws.below(sent.len() as u32) as usize);
            let packet = Packet {
                id: flitwork_types::PacketId { source, serial: 0 },
                destination: birth.destination,
                created: birth.created,
                injected: now,
                hops: 0,
                deroutes: 0,
                words: birth.words,
                class: birth.class,
                loss: None,
                skew: 0,
            };
            batch.delivered(birth.destination, &packet, now, &mut woken);
        }
    }
}

proptest::proptest! {
    /// What is left over in groups equals what is left over one by one, and the rest is owed: each node has
    /// this many requests to send, each of which is answered once.
    #[test]
    fn nothing_is_forgotten(
        (requests, outstanding) in (1u32..40, proptest::option::of(1u32..50)),
        service_cycles in 1u32..60,
        replies in proptest::prelude::any::<bool>(),
        (seed, end) in (proptest::prelude::any::<u64>(), 1u32..80),
    ) {
        let parameters = match replies {
            true => parameters(requests, outstanding, service_cycles),
            false => BatchParameters { reply: None, ..parameters(requests, None, 1) },
        };
        let mut one_by_one = batch(parameters);
        let mut in_groups = batch(parameters);
        drive(&mut one_by_one, seed, end);
        drive(&mut in_groups, seed, end);
        let before = in_groups.owed();
        let mut all = 0;
        for node in (0..17).map(TerminalId) {
            let mut expected: HashMap<(Cycle, u16), u64> = HashMap::new();
            while let Offer::Packet(birth) = one_by_one.next(node, Cycle(end) - 1)
                && birth.created < Cycle(end)
            {
                *expected.entry((birth.created, birth.words)).or_default() += 1;
            }
            let mut found: HashMap<(Cycle, u16), u64> = HashMap::new();
            let flow = in_groups.leave_over(node, Cycle(end), &mut |left| {
                *found.entry((left.created, left.words)).or_default() += left.packets;
                all += left.packets;
                ControlFlow::Continue(())
            });
            proptest::prop_assert!(flow.is_continue());
            proptest::prop_assert_eq!(found, expected, "{}", node);
        }
        proptest::prop_assert_eq!(in_groups.owed(), one_by_one.owed());
        proptest::prop_assert_eq!(in_groups.owed().packets + all, before.packets);
        let asked = 16 * u64::from(requests);
        let fresh = batch(parameters).owed();
        proptest::prop_assert_eq!(fresh.packets, if replies { 2 * asked } else { asked });
        proptest::prop_assert_eq!(fresh.replies, if replies { asked } else { 0 });
    }
}

/// 10,000,000 requests per node, none of which was taken: one group, not one packet each.
#[test]
fn a_huge_batch_is_counted_at_once() {
    let mut batch = batch(parameters(10_000_000, None, 1));
    let mut groups = Vec::new();
    let flow = batch.leave_over(TerminalId(3), Cycle(100), &mut |left| {
        groups.push(left);
        ControlFlow::Continue(())
    });
    assert!(flow.is_continue());
    let group = Left {
        created: Cycle::ZERO,
        words: 1,
        packets: 10_000_000,
    };
    assert_eq!(groups, [group]);
    assert_eq!(batch.owed().packets, (2 * 16 - 1) * 10_000_000);
}
