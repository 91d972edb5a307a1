//! `replay` of files that aren't records, of records cut short, and of records that were changed.

use crate::harness::{Done, Folder};
use crate::live::live;
use crate::record_parts::{Parts, bytes, recorded};
use flitwork_trace::record::{Arrivals, Chunk, Reader};
use flitwork_types::{NodeId, Port, PortSet};
use std::collections::BTreeMap;
use std::fs;

#[test]
fn files_that_are_no_record() {
    let folder = recorded();
    let whole = bytes(&folder);
    folder.write("empty.flog", "");
    folder.write("header.flog", &whole[..100]);
    let mut version = whole.clone();
    version[8] += 1;
    folder.write("version.flog", version);
    let mut behind = whole.clone();
    behind.push(0);
    folder.write("behind.flog", behind);
    for (record, says) in [
        ("missing.flog", vec!["missing.flog: ", "No such file"]),
        (".", vec![".: ", "directory"]),
        ("small.toml", vec!["small.toml: ", "not a record"]),
        ("empty.flog", vec!["empty.flog: ", "the file is empty"]),
        (
            "header.flog",
            vec!["header.flog: byte 100: ", "ends inside the header"],
        ),
        (
            "version.flog",
            vec![
                "version.flog: ",
                "format version 7",
                "reads versions 3 to 6",
            ],
        ),
        (
            "behind.flog",
            vec!["behind.flog: ", "bytes follow the record's end"],
        ),
    ] {
        folder.refuses(&["replay", record], &says);
    }
}

/// The report on a record that stops early: the last complete byte, the most cycles that were replayed of a
/// node, the most that are recorded, and the digest.
fn cut(done: &Done) -> (usize, u32, u32, &str) {
    let number = |before: &str, after: &str| {
        let rest = done.err.split(before).nth(1);
        let rest = rest.unwrap_or_else(|| panic!("{before}: {}", done.err));
        rest.split(after).next().unwrap().trim()
    };
    let replayed = number("\n", " of at least ");
    let most = replayed.rsplit(" to ").next().unwrap();
    let agrees = "up to the record's last mark; so far the replay agrees with its record: digest ";
    (
        number("up to byte ", ":").parse().unwrap(),
        most.parse().unwrap(),
        number("of at least ", " cycles were").parse().unwrap(),
        number(agrees, "\n"),
    )
}

#[test]
fn a_truncated_record_replays_to_its_last_mark() {
    let folder = Folder::new();
    let long = [
        "--set",
        "run.measure_cycles=40000",
        "--force",
        "--record",
        "run.flog",
    ];
    folder.fine(&live("threads", "16", &long));
    let whole = bytes(&folder);
    // In the middle, in the trailer.
    for length in [whole.len() / 2, whole.len() - 100, whole.len() - 1] {
        folder.write("cut.flog", &whole[..length]);
        let done = folder.fine(&["replay", "cut.flog"]);
        assert!(done.out.starts_with("results (PARTIAL"), "{}", done.out);
        let reported = cut(&done);
        let (offset, replayed, recorded, digest) = reported;
        assert!(offset <= length, "{offset}, {length}");
        assert!(0 < replayed && replayed <= recorded, "{}", done.err);
        for more in [["--threads", "2"], ["--threads", "3"]] {
            let again = folder.fine(&[&["replay", "cut.flog"], &more[..]].concat());
            assert_eq!(cut(&again), reported, "{more:?}");
        }
        let json = folder.fine(&["replay", "cut.flog", "--json"]).json();
        assert_eq!(json["digest"], *digest);
        assert_eq!(json["replay"]["verdict"], "agrees");
        assert_eq!(json["replay"]["cut"]["whole_bytes"], offset);
        assert_eq!(json["replay"]["cut"]["most_cycles"], replayed);
        assert_eq!(json["replay"]["cut"]["recorded_cycles"], recorded);
        // Nothing is compared with a record's digests there, so nothing agrees.
        let what_if = folder.fine(&["replay", "cut.flog", "--what-if"]);
        assert!(
            what_if.err.ends_with("up to the record's last mark\n"),
            "{}",
            what_if.err
        );
    }
    // Directly after the header there is nothing that could agree.
    let (reader, _) = Reader::open(&whole[..]).unwrap();
    folder.write("header.flog", &whole[..reader.offset() as usize]);
    for more in [&[][..], &["--what-if"]] {
        let args = [&["replay", "header.flog"], more].concat();
        folder.refuses(&args, &["header.flog: ", "none of it can be replayed"]);
    }
}

/// For a record that stops where a worker was lost, the report is the same on any number of threads.
#[test]
fn a_record_without_an_end_gives_the_same_however_it_is_replayed() {
    let folder = Folder::new();
    folder.write(
        "wide.toml",
        folder.read("small.toml").replace("[4, 4]", "[3, 5]"),
    );
    let mut replayed = 0;
    for seed in 880..900 {
        let seed = seed.to_string();
        let args = [
            &["run", "wide.toml", "--engine", "live", "--seed", &seed][..],
            &[
                "--set",
                "run.warmup_cycles=100",
                "--set",
                "run.measure_cycles=1000",
            ],
            &[
                "--set",
                "run.drain_cycles=3000",
                "--slack",
                "1",
                "--channel-capacity",
                "3",
            ],
            &["--rehearse", "die:0@300", "--force", "--record", "run.flog"],
        ];
        assert_eq!(folder.flitwork(&args.concat()).code, Some(1));
        let said = |more: &[&'static str]| {
            let done = folder.flitwork(&[&["replay", "run.flog", "--node", "0,14"], more].concat());
            let nodes = done.out.lines().filter(|line| line.starts_with("node "));
            (
                done.code,
                nodes.map(str::to_owned).collect::<Vec<_>>(),
                done.err,
            )
        };
        let plain = said(&[]);
        assert_eq!(plain, said(&["--threads", "3"]));
        replayed += usize::from(plain.0 == Some(0));
    }
    // Cycle 300 is reached within a few milliseconds, the first mark within half a millisecond.
    assert!(replayed > 0);
}

#[test]
fn a_flipped_bit_is_found_and_its_place_reported() {
    let folder = recorded();
    let whole = bytes(&folder);
    for place in [20, whole.len() / 2, whole.len() - 20] {
        let mut flipped = whole.clone();
        flipped[place] ^= 16;
        folder.write("flipped.flog", flipped);
        for threads in ["1", "2"] {
            let args = ["replay", "flipped.flog", "--threads", threads];
            folder.refuses(
                &args,
                &["flipped.flog: byte ", ": what starts here was altered"],
            );
        }
    }
}

#[test]
fn another_configuration_is_refused_without_what_if() {
    let folder = recorded();
    let text = folder.read("small.toml");
    folder.write("other.toml", text.replace("load = 0.1", "load = 0.2"));
    folder.write("wide.toml", text.replace("[4, 4]", "[4, 5]"));
    let threshold = ["--set", "router.chaos.stall_threshold_cycles=9"];
    let replay = |more: &[&'static str]| [&["replay", "run.flog"], more].concat();
    folder.fine(&replay(&["--config", "small.toml"]));
    for (more, says) in [
        (
            vec!["--config", "other.toml"],
            vec!["[traffic] load = 0.1, here load = 0.2", "--what-if"],
        ),
        (
            threshold.to_vec(),
            vec![
                "[router.chaos] stall_threshold_cycles = 7",
                "here stall_threshold_cycles = 9",
            ],
        ),
        (
            vec!["--config", "wide.toml", "--what-if"],
            vec!["16 nodes", "20 nodes"],
        ),
        (
            vec!["--config", "missing.toml"],
            vec!["missing.toml", "doesn't exist"],
        ),
        (
            vec!["--set", "traffic.laod=1"],
            vec!["traffic.laod", "did you mean"],
        ),
    ] {
        folder.refuses(
            &replay(&more),
            &[&["run.flog: "][..], &says].concat()
                [usize::from(says[0].contains("toml") || says[0].contains("laod"))..],
        );
    }
    let done = folder.fine(&replay(&[&threshold[..], &["--what-if"]].concat()));
    let possible = done.err == "every arrival of the record was possible\n";
    let impossible = done
        .err
        .starts_with("the first arrival that isn't possible: node ")
        && done.err.contains(" in its cycle ");
    assert!(possible || impossible, "{}", done.err);
    // Without a change all of it is possible.
    let done = folder.fine(&replay(&["--what-if"]));
    assert_eq!(done.err, "every arrival of the record was possible\n");
}

/// A router that decides later can't have sent what the record says at the time that it says.
#[test]
fn impossible_arrivals_are_reported() {
    let folder = recorded();
    let slower = "router.chaos={decision_latency_cycles=40, input_release_cycles=60}";
    let done = folder.fine(&["replay", "run.flog", "--set", slower, "--what-if"]);
    assert!(
        done.err
            .starts_with("the first arrival that isn't possible: node "),
        "{}",
        done.err
    );
    assert!(done.err.contains(" in its cycle "), "{}", done.err);
}

#[test]
fn a_changed_digest_is_a_difference() {
    let folder = recorded();
    let mut parts = Parts::of(&bytes(&folder));
    parts.trailer.nodes[6].digest ^= 1;
    let cycles = parts.trailer.nodes[6].cycles;
    parts.write(&folder, "digest.flog");
    let done = folder.flitwork(&["replay", "digest.flog"]);
    assert_eq!(done.code, Some(4), "{}", done.err);
    let says = format!("differs from its record: node 6 in its cycle {cycles}: ");
    assert!(done.err.contains(&says), "{}", done.err);
}

/// A node's arrivals with something changed, and where.
fn changed(
    parts: &Parts,
    change: impl Fn(&mut BTreeMap<u32, Arrivals>, u32) -> bool,
) -> (NodeId, u32, BTreeMap<u32, Arrivals>) {
    for node in (0..parts.header.nodes).map(NodeId) {
        let arrivals = parts.arrivals(node);
        let late = arrivals.range(500..).map(|(now, _)| *now);
        for now in late {
            let mut arrivals = arrivals.clone();
            if change(&mut arrivals, now) {
                return (node, now, arrivals);
            }
        }
    }
    panic!("nothing to change");
}

#[test]
fn a_changed_arrival_is_a_difference() {
    let folder = Folder::new();
    let heads = ["--force", "--record", "run.flog", "--record-heads"];
    folder.fine(&live("threads", "16", &heads));
    let parts = Parts::of(&bytes(&folder));
    // A credit that arrived together with a word arrives a cycle later.
    let later = |all: &mut BTreeMap<u32, Arrivals>, now: u32| {
        let both = all[&now].words.0 & all[&now].credits.0;
        if both == 0
            || all
                .get(&(now + 1))
                .is_some_and(|next| next.credits.0 & both != 0)
        {
            return false;
        }
        let port = Port(both.trailing_zeros() as u8);
        all.get_mut(&now).unwrap().credits.remove(port);
        all.entry(now + 1).or_default().credits.insert(port);
        true
    };
    // A packet enters the network a cycle later.
    let injected = |all: &mut BTreeMap<u32, Arrivals>, now: u32| {
        let injected = all[&now].injected;
        all.get_mut(&now).unwrap().injected = PortSet::EMPTY;
        all.entry(now + 1).or_default().injected = injected;
        !injected.is_empty()
    };
    let (node, cycle, arrivals) = changed(&parts, later);
    let mut credit = Parts::of(&bytes(&folder));
    credit.encode(node, &arrivals);
    credit.write(&folder, "credit.flog");
    for threads in ["1", "2"] {
        // Even a credit that no packet waits for.
        let replay = ["replay", "credit.flog", "--threads", threads];
        let done = folder.flitwork(&replay);
        assert_eq!(done.code, Some(4), "{}", done.err);
        let says = format!("differs from its record: node {node} in its cycle {cycle}: at port ");
        assert!(done.err.contains(&says), "{}", done.err);
    }
    let (node, cycle, arrivals) = changed(&parts, injected);
    let mut injection = Parts::of(&bytes(&folder));
    injection.encode(node, &arrivals);
    injection.write(&folder, "injection.flog");
    // Among the others, a neighbour may find first that something else comes to it.
    let done = folder.flitwork(&["replay", "injection.flog"]);
    assert_eq!(done.code, Some(4), "{}", done.err);
    let number = node.to_string();
    let done = folder.flitwork(&["replay", "injection.flog", "--node", &number]);
    assert_eq!(done.code, Some(4), "{}", done.err);
    let says = format!("differs from its record: node {node} in its cycle ");
    let place = done
        .err
        .split(&says)
        .nth(1)
        .unwrap_or_else(|| panic!("{}", done.err));
    let from: u32 = place.split(':').next().unwrap().parse().unwrap();
    // The digest is recorded every 128 cycles.
    assert!(
        (cycle.saturating_sub(128)..=cycle).contains(&from),
        "{from}, {cycle}"
    );
}

/// A changed byte of a digest is detected wherever it is, however the record is replayed.
#[test]
fn a_changed_check_is_a_difference() {
    let folder = Folder::new();
    let heads = ["--force", "--record", "run.flog", "--record-heads"];
    folder.fine(&live("threads", "16", &heads));
    let in_check = |chunk: &mut Chunk| {
        let from = chunk.from.get();
        chunk.checks[0] ^= 1;
        // The first multiple of 128 above the chunk's first cycle.
        (from / 128 + 1) * 128
    };
    let at_end = |chunk: &mut Chunk| {
        chunk.digest_low ^= 1;
        chunk.upto.get()
    };
    let changes: [&dyn Fn(&mut Chunk) -> u32; 2] = [&in_check, &at_end];
    for change in changes {
        let mut parts = Parts::of(&bytes(&folder));
        let mut chunks = parts.blocks.iter_mut().flatten();
        let chunk = chunks.find(|chunk| chunk.node == NodeId(6) && !chunk.checks.is_empty());
        let upto = change(chunk.unwrap());
        parts.write(&folder, "check.flog");
        for more in [&[][..], &["--threads", "2"], &["--node", "6"]] {
            let done = folder.flitwork(&[&["replay", "check.flog"], more].concat());
            assert_eq!(done.code, Some(4), "{more:?}: {}", done.err);
            let says = [
                "the replay differs from its record: node 6 in its cycle ",
                &format!("from this cycle to cycle {} isn't what", upto - 1),
            ];
            for says in says {
                assert!(done.err.contains(says), "{more:?}, {says}: {}", done.err);
            }
        }
    }
}

/// A packet's head can't arrive directly after the last word of the packet before it at that port: that word
/// is still in the input frame, so the sender can't know that the frame is free.
#[test]
fn a_packet_in_a_frame_that_isnt_free_is_a_difference() {
    let folder = Folder::new();
    let load = [
        "--force",
        "--record",
        "run.flog",
        "--record-heads",
        "--set",
        "traffic.load=0.3",
    ];
    folder.fine(&live("threads", "0", &load));
    let whole = Parts::of(&bytes(&folder));
    let words = usize::from(whole.header.packet_words);
    let (mut tried, mut crowded) = (0, 0);
    for (node, port) in (0..16).flat_map(|node| (0..4).map(move |port| (NodeId(node), Port(port))))
    {
        let all = whole.arrivals(node);
        let came = |arrivals: &&Arrivals| arrivals.words.contains(port);
        let cycles: Vec<u32> = all
            .iter()
            .filter(|(_, arrivals)| came(arrivals))
            .map(|(cycle, _)| *cycle)
            .collect();
        // The second packet that follows soon.
        let packets: Vec<&[u32]> = cycles.chunks_exact(words).collect();
        let close = packets.windows(2).position(|two| {
            let gap = two[1][0] - two[0][words - 1];
            (2..20).contains(&gap) && two[0][0] > 100
        });
        let Some(first) = close else { continue };
        let at = packets[first][words - 1] + 1;
        let shift = packets[first + 1][0] - at;
        let mut arrivals = all.clone();
        for cycle in packets[first + 1] {
            arrivals.get_mut(cycle).unwrap().words.remove(port);
            let earlier = arrivals.entry(cycle - shift).or_default();
            earlier.words.insert(port);
        }
        let mut parts = Parts::of(&bytes(&folder));
        parts.encode(node, &arrivals);
        parts.write(&folder, "crowded.flog");
        // Its neighbour hasn't sent it: the credit leaves later.
        let done = folder.flitwork(&["replay", "crowded.flog"]);
        assert_eq!(done.code, Some(4), "{}", done.err);
        let differs = format!("differs from its record: node {node} in its cycle {at}: ");
        assert!(done.err.contains(&differs), "{differs}{}", done.err);
        tried += 1;
        // Alone, the packet is made from the record, unless its first cycle is now in the chunk before that of its head.
        let number = node.to_string();
        let done = folder.flitwork(&["replay", "crowded.flog", "--node", &number]);
        let says = format!(
            "{differs}the record says that a packet arrives at port {}, whose input frame isn't free",
            port.0
        );
        crowded += usize::from(done.err.contains(&says));
    }
    assert!(crowded > 0, "{tried} tried");
}

/// Taking a record apart and reassembling it changes nothing: the tests above detect only what they changed.
#[test]
fn a_reassembled_record_agrees() {
    let folder = recorded();
    let mut parts = Parts::of(&bytes(&folder));
    for node in (0..parts.header.nodes).map(NodeId) {
        let arrivals = parts.arrivals(node);
        parts.encode(node, &arrivals);
    }
    parts.write(&folder, "again.flog");
    assert_eq!(fs::read(folder.path("again.flog")).unwrap(), bytes(&folder));
}
