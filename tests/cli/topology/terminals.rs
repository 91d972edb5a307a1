//! Two nodes with two terminals each, joined by two links: cycles worked out by hand, for each router and engine.

use crate::harness::Folder;
use serde_json::Value;
use std::collections::BTreeMap;

/// Routers, with the words of a packet.
const GREEDY: (&str, u16) = ("greedy-hp]", 1);
const DEFLECTION: (&str, u16) = ("deflection]", 3);
const ONE_WORD: (&str, u16) = ("deflection]", 1);
const QUEUEING: (&str, u16) = ("queueing]", 3);

/// The cycles in which packets between terminals 0 and 1, at node 0, and 2 and 3, at node 1, are injected and delivered, by source and
/// destination; all are made in cycle 5. The same on all engines.
fn cycles((router, words): (&str, u16), packets: &[(u32, u32)]) -> BTreeMap<(u64, u64), [u64; 2]> {
    let folder = Folder::new();
    let rows = packets
        .iter()
        .map(|(from, to)| format!("5,{from},{to},{words}\n"));
    folder.write(
        "t.csv",
        format!("cycle,src,dst,words\n{}", rows.collect::<String>()),
    );
    let one_length = match router == GREEDY.0 {
        true => "packet_words = 1\n",
        false => "",
    };
    folder.write(
        "n.toml",
        format!(
            "[network]\ntopology = \"hyperx\"\nsides = [2]\nwidths = [2]\nconcentration = 2\n[router.{router}\n[traffic]\n{one_length}\
             process = \"trace\"\n[traffic.trace]\nfile = \"t.csv\"\nnodes = 4\n"
        ),
    );
    let on = |engine: &str| {
        let engine = format!("run.engine={engine}");
        let set = ["--set", &engine];
        let lockstep: &[&str] = if engine.ends_with("live") {
            folder.fine(
                &[
                    &[
                        "run",
                        "n.toml",
                        "--set",
                        "live.slack=0",
                        "--record",
                        "r.flog",
                    ],
                    &set[..],
                ]
                .concat(),
            );
            &["trace", "packets", "r.flog", "--jsonl"]
        } else {
            &["trace", "packets", "n.toml", "--jsonl", "--set", &engine]
        };
        let out = folder.fine(lockstep).out;
        let row = |line: &str| {
            let row: Value = serde_json::from_str(line).unwrap();
            let number = |key: &str| row[key].as_u64().unwrap_or_else(|| panic!("{key}: {row}"));
            let ends = (number("source"), number("destination"));
            (ends, [number("injected"), number("delivered")])
        };
        out.lines().map(row).collect::<BTreeMap<_, _>>()
    };
    let plain = on("sync-plain");
    assert_eq!(plain.len(), packets.len());
    for engine in ["sync", "sync-stepped", "clocked", "live"] {
        assert_eq!(on(engine), plain, "{router}, {engine}");
    }
    plain
}

/// From one terminal of a node to the other no link is crossed:
/// - greedy-hp: the packet is delivered in the cycle in which it comes from its source, 5;
/// - deflection: so are words, in cycles 5 to 7;
/// - queueing: its last word comes in cycle 7, in which the packet is whole, and delivered.
///
/// Both ways at once, no packet delays the other.
#[test]
fn terminals_of_one_node_exchange_packets() {
    for (router, delivered) in [(GREEDY, 5), (ONE_WORD, 5), (DEFLECTION, 7), (QUEUEING, 7)] {
        let found = cycles(router, &[(0, 1), (1, 0), (3, 2)]);
        let expected = [(0, 1), (1, 0), (3, 2)].map(|ends| (ends, [5, delivered]));
        assert_eq!(found, expected.into(), "{router:?}");
    }
}

/// Two packets to two terminals of the other node, over a link each: they arrive together.
/// - greedy-hp: a link takes a cycle: 6;
/// - deflection: the last words leave in cycle 7, and arrive in 8.
///
/// With queueing both take the first of the links. One is whole in cycle 7, in which its first word leaves; its last one arrives in
/// cycle 10. The other leaves in cycles 10 to 12, and its last word arrives in 13.
#[test]
fn terminals_of_one_node_receive_in_the_same_cycle() {
    for (router, delivered) in [(GREEDY, [6, 6]), (DEFLECTION, [8, 8]), (QUEUEING, [10, 13])] {
        let found = cycles(router, &[(0, 2), (1, 3)]);
        let expected = [((0, 2), [5, delivered[0]]), ((1, 3), [5, delivered[1]])];
        assert_eq!(found, expected.into(), "{router:?}");
    }
}

/// Two packets of one word to one terminal arrive there in cycle 6. With greedy-hp both are delivered. A deflection router ejects one, of
/// equal age that of the lower source; the other leaves in cycle 6, is back at node 0 in cycle 7, and at home in 8. A word from a
/// terminal of the node itself, made in the same cycle, has left before: in cycle 5 nothing else is there.
#[test]
fn a_terminal_takes_a_word_a_cycle() {
    let greedy = cycles(GREEDY, &[(0, 2), (1, 2), (3, 2)]);
    let all = [((0, 2), [5, 6]), ((1, 2), [5, 6]), ((3, 2), [5, 5])];
    assert_eq!(greedy, all.into());
    let deflection = cycles(ONE_WORD, &[(0, 2), (1, 2), (3, 2)]);
    let all = [((0, 2), [5, 6]), ((1, 2), [5, 8]), ((3, 2), [5, 5])];
    assert_eq!(deflection, all.into());
}

/// Packets of three words: those of terminal 3 come to its node's terminal 2 in cycles 5, 6 and 7, those of 0 over a link in cycles 6, 7 and
/// 8. Of equal age, 0's go first: they are ejected in cycles 6 to 8, those of 3 in cycles 5, 9 and 10.
#[test]
fn words_of_the_node_itself_wait_their_turn() {
    let found = cycles(DEFLECTION, &[(0, 2), (3, 2)]);
    let all = [((0, 2), [5, 8]), ((3, 2), [5, 10])];
    assert_eq!(found, all.into());
}

/// Both links are taken by words that only pass; there are none, so both terminals of a node send in each cycle, and a third packet of
/// the node waits: with one link the terminals take turns. Packets of three words from terminals 0 and 1 over one link: words leave in
/// cycles 5 to 10, in turn, 0's in 5, 7 and 9, 1's in 6, 8 and 10; the last ones arrive in 10 and 11.
#[test]
fn terminals_take_turns() {
    let folder = Folder::new();
    folder.write("t.csv", "cycle,src,dst,words\n5,0,2,3\n5,1,3,3\n");
    let text = "[network]\ntopology = \"hyperx\"\nsides = [2]\nconcentration = 2\n[router.deflection]\n[traffic]\nprocess = \"trace\"\n\
                [traffic.trace]\nfile = \"t.csv\"\nnodes = 4\n";
    folder.write("n.toml", text);
    let out = folder.fine(&["trace", "packets", "n.toml", "--jsonl"]).out;
    let delivered = out.lines().map(|line| {
        let row: Value = serde_json::from_str(line).unwrap();
        row["delivered"].as_u64().unwrap()
    });
    assert_eq!(delivered.collect::<Vec<_>>(), [10, 11]);
}
