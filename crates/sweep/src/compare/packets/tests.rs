//! How far the packets of two configurations are compared.

use super::*;
use crate::base::Base;
use crate::plan::tests::base;
use flitwork_config::{Catalogue, Override};
use flitwork_types::TerminalId;

fn resolved(set: &[(&str, &str)]) -> Resolved {
    let set: Vec<Override> = set
        .iter()
        .map(|(key, value)| Override::new(key, value))
        .collect();
    base().resolve(&set).unwrap()
}

/// The place, in the order of its node, of the packet by which two configurations are found to differ.
fn place(difference: &str) -> usize {
    let place = difference.strip_prefix("packet ").unwrap();
    place.split(' ').next().unwrap().parse().unwrap()
}

/// Loads of 0.1 and 0.10005 are so near that the first packets of all nodes are equal; a later one is found.
#[test]
fn packets_after_the_first_ones_are_compared_too() {
    let long = ("run.measure_cycles", "400000");
    let (a, b) = (
        resolved(&[long, ("traffic.load", "0.1")]),
        resolved(&[long, ("traffic.load", "0.10005")]),
    );
    let found = difference(&a, &b).unwrap();
    assert!(place(&found) > 1, "{found}");
    assert_eq!(difference(&a, &a), None);
}

/// Each source makes a packet of a word in each of 20,000 cycles, and from cycle `from` on by a pattern of its own.
fn parted(from: usize, later: &str) -> Resolved {
    let text = format!(
        "[network]\ntopology = \"mesh\"\nsides = [4, 4]\n[router.wormhole]\n\
        [traffic]\npacket_words = 1\nprocess = \"phases\"\n\
        [[traffic.phases]]\nload = 1.0\npattern = \"bit-complement\"\n\
        [[traffic.phases]]\nfrom_cycle = {from}\nload = 1.0\npattern = \"{later}\"\n\
        [run]\nwarmup_cycles = 0\nmeasure_cycles = 20000\n"
    );
    let base = Base::of_text(&Catalogue::default(), "phases.toml", text, Vec::new());
    base.resolve(&[]).unwrap()
}

/// With a packet a cycle, a source's packet of place k is that of cycle k. Node 0 sends to 15 by bit complement and to 5, one on
/// in each dimension, by tornado. Of each node 10,000 packets are compared, and none after them.
#[test]
fn ten_thousand_packets_of_a_node_are_compared() {
    let found = |from| difference(&parted(from, "bit-complement"), &parted(from, "tornado"));
    for from in [1_500, 9_999] {
        let found = found(from).unwrap();
        assert_eq!(place(&found), from, "{found}");
    }
    assert_eq!(found(10_000), None);
}

/// What both make until the earlier end is compared: a run that is longer than another makes the same packets until then,
/// and its later ones are none that the other lacks.
#[test]
fn packets_until_the_earlier_end_are_compared() {
    let with = |warmup: &str, measure: &str| {
        let load = ("traffic.load", "0.3");
        resolved(&[
            load,
            ("run.warmup_cycles", warmup),
            ("run.measure_cycles", measure),
        ])
    };
    let short = with("100", "500");
    for longer in [with("100", "5000"), with("3000", "500")] {
        assert_eq!(difference(&short, &longer), None);
        assert_eq!(difference(&longer, &short), None);
    }
    let until = made_until(&short);
    assert_eq!(until, 600);
    let mut workload = demand(&short).workload;
    let source = TerminalId(3);
    let made = births(&mut *workload, source, Cycle(until), usize::MAX);
    assert!(made.iter().all(|birth| birth.created < Cycle(600)));
    assert!(made.last().unwrap().created > Cycle(400), "{made:?}");
    // No more than asked for.
    let mut workload = demand(&short).workload;
    assert_eq!(births(&mut *workload, source, Cycle(until), 2), made[..2]);
}
