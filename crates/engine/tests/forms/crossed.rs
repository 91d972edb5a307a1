//! A word through a dual-clock FIFO, made from its keys, to the ps: the edges of the receiver's clock that it waits, and those
//! of the sender's clock that the report of its place waits.

use super::passes::{ENDLESS, IN, OUT, Passes, Role, Times, chain, clocks, run, steady};
use flitwork_network::{Crossing, CrossingEntry, LinkTiming, OwnTiming};
use flitwork_schema::{Datum, Part, RawTable, Value};
use flitwork_types::{NodeId, PortSet};

/// A dual-clock FIFO as `[[network.crossings]]` describes it.
fn fifo(depth: u32, edges: u32) -> Crossing {
    let key = |name: &str, number: u32| (name.to_owned(), Value::from(Datum::Whole(number.into())));
    let keys = [key("depth", depth), key("edges", edges)];
    let given = RawTable::new("network.crossings[0]".into(), 0..0, &keys);
    let mut kinds = CrossingEntry::built_in().into_iter();
    let kind = kinds.find(|kind| kind.name() == "dual-clock-fifo");
    kind.unwrap().build(&given).unwrap().crossing
}

/// A sender that ticks every 1,000 ps from 300 ps on, and a receiver that ticks every 700 ps from 50 ps on, with the FIFO in
/// both directions of their link: as the crossing of all links, or of theirs alone.
fn times(crossing: Crossing, is_usual: bool, latency_ps: u64, words: u32) -> Times {
    let mut links = LinkTiming::wires(latency_ps, 50, 0);
    match is_usual {
        true => links.crossing = crossing,
        false => {
            for from in [(NodeId(0), OUT), (NodeId(1), IN)] {
                let own = OwnTiming {
                    crossing: Some(crossing),
                    ..OwnTiming::default()
                };
                links.own.insert(from, own);
            }
        }
    }
    let sender = Role {
        outs: PortSet::only(OUT),
        words,
    };
    let router = Passes(vec![sender, Role::default()]);
    let nodes = vec![steady(1000, 300), steady(700, 50)];
    run(&chain(2, false), router, &clocks(nodes, links), 11_000)
}

/// The word leaves at 300 ps, and stands at the FIFO's end at 750 or 751 ps. The receiver ticks at 50, 750, 1450, …: the
/// first of them samples it, or the second, and it is taken `edges` ticks later.
///
/// | edges | sampled at 750 | sampled at 1450 |
/// |---|---|---|
/// | 0 | 750 | 1450 |
/// | 1 | 750 + 700 | 1450 + 700 |
/// | 2 | 750 + 1400 | 1450 + 1400 |
/// | 5 | 750 + 3500 | 1450 + 3500 |
#[test]
fn a_lone_word_waits_for_the_fifos_edges() {
    for (edges, exact_ps, later_ps) in [
        (0, 750, 1450),
        (1, 1450, 2150),
        (2, 2150, 2850),
        (5, 4250, 4950),
    ] {
        for is_usual in [false, true] {
            for (latency_ps, taken_ps) in [(450, exact_ps), (451, later_ps)] {
                let times = times(fifo(3, edges), is_usual, latency_ps, 1);
                assert_eq!(
                    times.of,
                    [[300], [taken_ps]],
                    "{edges} edges, {latency_ps} ps"
                );
            }
        }
    }
}

/// Into a FIFO of one word the second word leaves when the sender has seen that the first was taken. With e edges it was
/// taken at 750 + 700 e, which stands at the sender 450 ps later; the first of its ticks at 300, 1300, 2300, … from then on
/// samples it, and e ticks later it is seen.
///
/// | edges | taken | at the sender | sampled | seen |
/// |---|---|---|---|---|
/// | 0 | 750 | 1200 | 1300 | 1300 |
/// | 1 | 1450 | 1900 | 2300 | 3300 |
/// | 2 | 2150 | 2600 | 3300 | 5300 |
/// | 5 | 4250 | 4700 | 5300 | 10,300 |
#[test]
fn the_sender_waits_for_as_many_of_its_own_edges() {
    for (edges, second_ps) in [(0, 1300), (1, 3300), (2, 5300), (5, 10_300)] {
        for is_usual in [false, true] {
            let times = times(fifo(1, edges), is_usual, 450, ENDLESS);
            assert_eq!(times.of[0][..2], [300, second_ps], "{edges} edges");
        }
    }
}

/// A FIFO of three words takes three before any is known to have been taken: they leave at 300, 1300 and 2300. With five
/// edges the report of the first is seen at 10,300, as above.
#[test]
fn as_many_words_leave_as_the_fifo_holds() {
    for is_usual in [false, true] {
        let times = times(fifo(3, 5), is_usual, 450, ENDLESS);
        assert_eq!(times.of[0][..4], [300, 1300, 2300, 10_300]);
    }
}
