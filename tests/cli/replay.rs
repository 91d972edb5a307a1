//! `replay`: what it refuses, what it finds, what it tells.

use crate::harness::{Done, Folder};
use crate::live::live;
use flitwork_trace::record::{
    Arrivals, Chunk, Decoder, Encoder, Header, Item, Mark, Reader, Trailer, Writer,
};
use flitwork_types::{Cycle, NodeId, Port};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::process::{Command, Stdio};

/// A folder with the record of a live run, `run.flog`.
fn recorded() -> Folder {
    let folder = Folder::new();
    folder.fine(&live("threads", "16", &["--force", "--record", "run.flog"]));
    folder
}

fn bytes(folder: &Folder) -> Vec<u8> {
    fs::read(folder.path("run.flog")).unwrap()
}

/// A record, taken apart.
struct Parts {
    header: Header,
    blocks: Vec<Vec<Chunk>>,
    /// The mark behind each block, where there is one.
    marks: Vec<Option<Mark>>,
    trailer: Trailer,
}

impl Parts {
    fn of(bytes: &[u8]) -> Parts {
        let (mut reader, header) = Reader::open(bytes).unwrap();
        let (mut blocks, mut marks) = (Vec::new(), Vec::new());
        loop {
            match reader.next_block().unwrap() {
                Item::Chunks(chunks) => {
                    blocks.push(chunks);
                    marks.push(None);
                }
                Item::Mark(mark) => {
                    // A mark may stand behind another one, with no block in between.
                    match marks.last_mut() {
                        Some(last @ None) => *last = Some(mark),
                        _ => {
                            blocks.push(Vec::new());
                            marks.push(Some(mark));
                        }
                    }
                }
                Item::Trailer(trailer) => {
                    return Parts {
                        header,
                        blocks,
                        marks,
                        trailer,
                    };
                }
                Item::End { cut } => panic!("{cut:?}"),
            }
        }
    }

    /// The record again, with right checksums whatever was changed.
    fn write(&self, folder: &Folder, name: &str) {
        let mut writer = Writer::new(Vec::new(), &self.header).unwrap();
        for (chunks, mark) in self.blocks.iter().zip(&self.marks) {
            for chunk in chunks {
                writer.add(chunk.clone()).unwrap();
            }
            writer.flush_block().unwrap();
            if let Some(mark) = mark {
                writer.mark(mark).unwrap();
            }
        }
        folder.write(name, writer.finish(&self.trailer).unwrap());
    }

    /// What came in to a node.
    fn arrivals(&self, node: NodeId) -> BTreeMap<u32, Arrivals> {
        let ports = self.header.ports.into();
        let mut decoder = Decoder::new(node, self.header.packet_words, ports);
        for chunk in self.blocks.iter().flatten() {
            if chunk.node == node {
                decoder.push(chunk.clone()).unwrap();
            }
        }
        let mut all = BTreeMap::new();
        while decoder.next() < decoder.upto() {
            let now = decoder.next();
            all.insert(now.get(), decoder.take(now).unwrap());
        }
        all
    }

    /// Makes a node's chunks anew from what came in; digests and check bytes stay.
    fn encode(&mut self, node: NodeId, arrivals: &BTreeMap<u32, Arrivals>) {
        let ports = self.header.ports.into();
        let mut encoder = Encoder::new(self.header.packet_words, ports);
        for chunk in self.blocks.iter_mut().flatten() {
            if chunk.node != node {
                continue;
            }
            for (now, arrivals) in arrivals.range(chunk.from.get()..chunk.upto.get()) {
                encoder.cycle(Cycle(*now), arrivals);
            }
            chunk.checks.iter().for_each(|check| encoder.check(*check));
            *chunk = encoder
                .take_chunk(node, chunk.upto, chunk.digest_low)
                .expect("a chunk of as many cycles");
        }
    }
}

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
            vec!["version.flog: ", "format version 4", "reads version 3"],
        ),
        (
            "behind.flog",
            vec!["behind.flog: ", "bytes follow the record's end"],
        ),
    ] {
        folder.refuses(&["replay", record], &says);
    }
}

/// What is said of a record that stops early: the last whole byte, the most cycles that were replayed of a
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
        "run.measure_cycles=100000",
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
        let told = cut(&done);
        let (offset, replayed, recorded, digest) = told;
        assert!(offset <= length, "{offset}, {length}");
        assert!(0 < replayed && replayed <= recorded, "{}", done.err);
        for more in [["--threads", "3"], ["--stepped", "--threads=2"]] {
            let again = folder.fine(&[&["replay", "cut.flog"], &more[..]].concat());
            assert_eq!(cut(&again), told, "{more:?}");
        }
        let json = folder.fine(&["replay", "cut.flog", "--json"]).json();
        assert_eq!(json["digest"], *digest);
        assert_eq!(json["replay"]["verdict"], "agrees");
        assert_eq!(json["replay"]["cut"]["whole_bytes"], offset);
        assert_eq!(json["replay"]["cut"]["most_cycles"], replayed);
        assert_eq!(json["replay"]["cut"]["recorded_cycles"], recorded);
        // Nothing is compared with a record's digests there, so that nothing agrees.
        let what_if = folder.fine(&["replay", "cut.flog", "--what-if"]);
        assert!(
            what_if.err.ends_with("up to the record's last mark\n"),
            "{}",
            what_if.err
        );
    }
    // Right behind the header there is nothing that could agree.
    let (reader, _) = Reader::open(&whole[..]).unwrap();
    folder.write("header.flog", &whole[..reader.offset() as usize]);
    for more in [&[][..], &["--stepped"], &["--what-if"]] {
        let args = [&["replay", "header.flog"], more].concat();
        folder.refuses(&args, &["header.flog: ", "nothing of it can be replayed"]);
    }
}

/// A record that stops where a worker was lost: by time stamps and word by word, on any number of threads,
/// the same is said of it.
#[test]
fn a_record_without_an_end_says_the_same_however_it_is_replayed() {
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
        assert_eq!(plain, said(&["--stepped"]));
        assert_eq!(plain, said(&["--stepped", "--threads", "3"]));
        assert_eq!(plain, said(&["--threads", "3"]));
        replayed += usize::from(plain.0 == Some(0));
    }
    // Cycle 300 comes within some milliseconds, the first mark within half a one.
    assert!(replayed > 0);
}

#[test]
fn a_flipped_bit_is_found_and_its_place_told() {
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
fn another_configuration_is_refused_unless_it_is_asked_what_if() {
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

/// A router that decides later can't have sent what the record says when it says it.
#[test]
fn what_is_no_longer_possible_is_told() {
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
    let folder = recorded();
    let parts = Parts::of(&bytes(&folder));
    // A credit that came along with a word comes a cycle later.
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
        all.get_mut(&now).unwrap().injected = false;
        all.entry(now + 1).or_default().injected = true;
        injected
    };
    let (node, cycle, arrivals) = changed(&parts, later);
    let mut credit = Parts::of(&bytes(&folder));
    credit.encode(node, &arrivals);
    credit.write(&folder, "credit.flog");
    for threads in ["1", "2"] {
        // By time stamps words and credits are taken apart, and a credit that nobody waits for may come
        // a cycle later without any consequence; word by word even that is seen.
        let replay = ["replay", "credit.flog", "--stepped", "--threads", threads];
        let done = folder.flitwork(&replay);
        assert_eq!(done.code, Some(4), "{}", done.err);
        let says =
            format!("differs from its record: node {node} in its cycle {cycle}: the record says");
        assert!(done.err.contains(&says), "{}", done.err);
    }
    let (node, cycle, arrivals) = changed(&parts, injected);
    let mut injection = Parts::of(&bytes(&folder));
    injection.encode(node, &arrivals);
    injection.write(&folder, "injection.flog");
    let done = folder.flitwork(&["replay", "injection.flog"]);
    assert_eq!(done.code, Some(4), "{}", done.err);
    let says = format!("differs from its record: node {node} in its cycle ");
    let place = done
        .err
        .split(&says)
        .nth(1)
        .unwrap_or_else(|| panic!("{}", done.err));
    let from: u32 = place.split(':').next().unwrap().parse().unwrap();
    // The digest is kept every 128 cycles.
    assert!(
        (cycle.saturating_sub(128)..=cycle).contains(&from),
        "{from}, {cycle}"
    );
}

/// A digest's byte that is another is found wherever it stands, however the record is replayed.
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
        for more in [
            &[][..],
            &["--threads", "2"],
            &["--stepped"],
            &["--stepped", "--threads", "2"],
            &["--node", "6"],
        ] {
            let done = folder.flitwork(&[&["replay", "check.flog"], more].concat());
            assert_eq!(done.code, Some(4), "{more:?}: {}", done.err);
            let says = [
                "the replay differs from its record: node 6 in its cycle ",
                &format!("from this cycle on to cycle {} isn't what", upto - 1),
            ];
            for says in says {
                assert!(done.err.contains(says), "{more:?}, {says}: {}", done.err);
            }
        }
    }
}

/// A packet's head can't come in right behind the last word of the packet before it at that port: that word is
/// still in the input frame, so that the sender can't know the frame to be free.
#[test]
fn a_packet_in_a_frame_that_isnt_free_is_a_difference() {
    let folder = Folder::new();
    let load = [
        "--force",
        "--record",
        "run.flog",
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
        let shift = packets[first + 1][0] - packets[first][words - 1] - 1;
        let mut arrivals = all.clone();
        for cycle in packets[first + 1] {
            arrivals.get_mut(cycle).unwrap().words.remove(port);
            let earlier = arrivals.entry(cycle - shift).or_default();
            earlier.words.insert(port);
        }
        let mut parts = Parts::of(&bytes(&folder));
        parts.encode(node, &arrivals);
        parts.write(&folder, "crowded.flog");
        let done = folder.flitwork(&["replay", "crowded.flog"]);
        assert_eq!(done.code, Some(4), "{}", done.err);
        tried += 1;
        // Where the credit depends on what the node does later, the packet hasn't been sent at all.
        let says = format!(
            "packet comes in at port {}, whose input frame isn't free",
            port.0
        );
        crowded += usize::from(done.err.contains(&says));
    }
    assert!(crowded > 0, "{tried} tried");
}

/// Taking a record apart and putting it together changes nothing: what the tests above find is what they
/// changed.
#[test]
fn a_record_made_again_agrees() {
    let folder = recorded();
    let mut parts = Parts::of(&bytes(&folder));
    for node in (0..parts.header.nodes).map(NodeId) {
        let arrivals = parts.arrivals(node);
        parts.encode(node, &arrivals);
    }
    parts.write(&folder, "again.flog");
    assert_eq!(fs::read(folder.path("again.flog")).unwrap(), bytes(&folder));
}

#[test]
fn threads_change_nothing() {
    let folder = recorded();
    let told = |threads| {
        let args = [
            "replay",
            "run.flog",
            "--node",
            "3,7",
            "--json",
            "--threads",
            threads,
        ];
        let done = folder.fine(&args);
        let mut figures = done.json();
        for name in [
            "seconds",
            "packet_hops_per_second",
            "node_cycles_per_second",
        ] {
            figures.as_object_mut().unwrap().remove(name).unwrap();
        }
        figures.as_object_mut().unwrap().remove("provenance");
        (figures, done.err)
    };
    assert_eq!(told("1"), told("2"));
    assert_eq!(told("1"), told("3"));
    let lines = |threads| {
        let done = folder.fine(&["replay", "run.flog", "--trace", "--threads", threads]);
        let mut lines: Vec<String> = done.out.lines().map(str::to_owned).collect();
        lines.sort_unstable();
        (lines, done.err)
    };
    assert_eq!(lines("1"), lines("3"));
}

#[test]
fn nodes_are_told_of() {
    let folder = recorded();
    let done = folder.fine(&["replay", "run.flog", "--node", "3,7"]);
    for node in ["node 3: ", "node 7: "] {
        let line = done.out.lines().find(|line| line.starts_with(node));
        let line = line.unwrap_or_else(|| panic!("{}", done.out));
        let (ran, recorded) = line[node.len()..].split_once("; recorded: ").unwrap();
        assert_eq!(ran, recorded);
    }
    assert!(done.err.contains("all nodes are replayed"), "{}", done.err);
    let done = folder.fine(&["replay", "run.flog", "--until", "5@1000", "--node", "5"]);
    assert!(
        done.out.contains("node 5: 1000 cycles, digest "),
        "{}",
        done.out
    );
    assert!(
        done.err
            .contains("agrees with its record as far as was asked"),
        "{}",
        done.err
    );
    assert!(done.out.starts_with("results (PARTIAL"), "{}", done.out);
    for (args, says) in [
        (
            ["--node", "16"],
            "--node: there is no node 16; allowed: 0 to 15",
        ),
        (["--node", "x"], "the number of a node"),
        (
            ["--until", "16@5"],
            "--until: there is no node 16; allowed: 0 to 15",
        ),
        (["--until", "5"], "NODE@CYCLE"),
        (["--threads", "0"], "from 1 to 1024"),
    ] {
        folder.refuses(&[&["replay", "run.flog"], &args[..]].concat(), &[says]);
    }
}

#[test]
fn the_trace_has_each_nodes_events_in_order() {
    let folder = recorded();
    let done = folder.fine(&["replay", "run.flog", "--trace", "--threads", "2"]);
    let mut latest: BTreeMap<u32, u32> = BTreeMap::new();
    let mut count = 0;
    for line in done.out.lines() {
        let mut fields = line.split(' ').map(|field| field.parse::<u32>());
        let (cycle, node) = (
            fields.next().unwrap().unwrap(),
            fields.next().unwrap().unwrap(),
        );
        let before = latest.insert(node, cycle).unwrap_or_default();
        assert!(before <= cycle, "node {node}: {cycle} after {before}");
        count += 1;
    }
    assert_eq!(latest.len(), 16);
    assert!(count > 1000);
    let one = folder.fine(&["replay", "run.flog", "--trace", "--node", "5"]);
    let of_five: Vec<&str> = done
        .out
        .lines()
        .filter(|line| line.split(' ').nth(1) == Some("5"))
        .collect();
    let is_event = |line: &&str| !line.starts_with("node 5: ");
    assert_eq!(
        one.out.lines().filter(is_event).collect::<Vec<_>>(),
        of_five
    );
}

/// A node alone does what it does among all others, and tells the same of it.
#[test]
fn a_node_is_replayed_alone() {
    let folder = Folder::new();
    for (runtime, slack) in [("threads", "16"), ("tokio", "4")] {
        let record = ["--force", "--record", "run.flog", "--record-heads"];
        folder.fine(&live(runtime, slack, &record));
        let replay = |more: &[&str]| folder.fine(&[&["replay", "run.flog"], more].concat());
        let parts = Parts::of(&bytes(&folder));
        let alone = replay(&["--node", "5,10"]);
        assert_eq!(
            alone.err,
            "replayed alone, the 2 nodes agree with their record\n"
        );
        let told = |node: usize| {
            let end = &parts.trailer.nodes[node];
            let did = format!("{} cycles, digest {:016x}", end.cycles, end.digest);
            format!("node {node}: {did}; recorded: {did}\n")
        };
        assert_eq!(alone.out, told(5) + &told(10));
        // All that can be asked of it among the others can be asked of it alone.
        let among = |line: &&str| line.split(' ').nth(1) == Some("5");
        let all = replay(&["--trace", "--stepped"]);
        let one = replay(&["--trace", "--node", "5"]);
        let events: Vec<&str> = one.out.lines().filter(among).collect();
        let of_five = all.out.lines().filter(among);
        let first = events
            .iter()
            .zip(of_five.clone())
            .find(|(one, all)| *one != all);
        assert_eq!(first, None);
        assert_eq!(events.len(), of_five.count());
        assert!(one.err.contains("alone") && events.len() > 100);
        let stands = |done: &Done| -> Vec<String> {
            let lines = done
                .out
                .lines()
                .filter(|line| line.starts_with("node 5: ") || line.starts_with("packet "));
            lines.map(str::to_owned).collect()
        };
        let until = ["--until", "5@1000"];
        let here = replay(&[&until[..], &["--node", "5"]].concat());
        assert!(!here.out.contains("results"), "{}", here.out);
        // Beside another node the whole network is replayed, and it stands as it stands alone.
        let there = replay(&["--until", "5@1000", "--node", "5", "--what-if"]);
        assert!(there.out.contains("results"), "{}", there.out);
        assert_eq!(stands(&here), stands(&there));
        let json = replay(&["--node", "5", "--json"]);
        let digest = format!("{:016x}", parts.trailer.nodes[5].digest);
        let told = &json.json()["replay"]["nodes"];
        assert_eq!(told[0]["digest"], digest);
        assert_eq!(told[0]["recorded_digest"], digest);
        assert_eq!(told.as_array().unwrap().len(), 1);
        // What stands in it is said in JSON too.
        let json = replay(&["--until", "5@1000", "--node", "5", "--json"]).json();
        assert_eq!(as_text(&json["replay"]), here.out);
    }
}

/// What a record says wrongly of a node is found by that node alone.
#[test]
fn a_node_alone_is_held_against_its_record() {
    let folder = Folder::new();
    let record = ["--force", "--record", "run.flog", "--record-heads"];
    folder.fine(&live("threads", "16", &record));
    let whole = Parts::of(&bytes(&folder));
    let alone = |name: &str| folder.flitwork(&["replay", name, "--node", "5"]);
    let first = |parts: &mut Parts, change: &dyn Fn(&mut Chunk)| {
        let chunks = parts.blocks.iter_mut().flatten();
        let mut of_five = chunks.filter(|chunk| chunk.node == NodeId(5) && !chunk.heads.is_empty());
        change(of_five.next().expect("a chunk with heads"));
    };
    // Another packet of the same source came, or one that is never made.
    for (serial, says) in [(2, ": "), (u32::MAX, " never makes it")] {
        let mut parts = Parts::of(&bytes(&folder));
        first(&mut parts, &|chunk| {
            // The second byte is twice the first serial number in zigzag, plus whether it has strayed.
            let mut heads = vec![chunk.heads[0]];
            let mut code = (u64::from(serial) * 2) << 1;
            while code >= 0x80 {
                heads.push(code as u8 | 0x80);
                code >>= 7;
            }
            heads.push(code as u8);
            assert!(chunk.heads[1] < 0x80 && chunk.heads[1] & 1 == 0);
            heads.extend(&chunk.heads[2..]);
            chunk.heads = heads;
        });
        parts.write(&folder, "serial.flog");
        let done = alone("serial.flog");
        assert_eq!(done.code, Some(4), "{}", done.err);
        assert!(done.err.contains("node 5 in its cycle "), "{}", done.err);
        assert!(done.err.contains(says), "{}", done.err);
    }
    let mut digest = whole;
    digest.trailer.nodes[5].digest ^= 1;
    digest.write(&folder, "digest.flog");
    assert_eq!(alone("digest.flog").code, Some(4));
    let mut short = Parts::of(&bytes(&folder));
    first(&mut short, &|chunk| chunk.heads.truncate(1));
    short.write(&folder, "short.flog");
    let done = alone("short.flog");
    assert_eq!(done.code, Some(2), "{}", done.err);
    let says = "bytes that don't tell which packets came";
    assert!(
        done.err.contains("node 5, cycle ") && done.err.contains(says),
        "{}",
        done.err
    );
    // Cut anywhere, it is replayed to the last mark.
    let bytes = bytes(&folder);
    folder.write("cut.flog", &bytes[..bytes.len() - 30]);
    let done = alone("cut.flog");
    let all = folder.flitwork(&["replay", "cut.flog", "--node", "5", "--what-if"]);
    assert_eq!(done.code, all.code, "{}, {}", done.err, all.err);
    if done.code == Some(0) {
        let says = "up to the record's last mark; so far the replay agrees with its record\n";
        assert!(done.err.ends_with(says), "{}", done.err);
        assert!(all.out.ends_with(&done.out), "{}, {}", done.out, all.out);
    }
    folder.refuses(&["run", "small.toml", "--record-heads"], &["--record"]);
}

/// What JSON says of nodes and packets, as it is said in text.
fn as_text(replay: &Value) -> String {
    let mut text = String::new();
    for node in replay["nodes"].as_array().unwrap() {
        let (cycles, digest) = (&node["cycles"], node["digest"].as_str().unwrap());
        let _ = write!(
            text,
            "node {}: {cycles} cycles, digest {digest}",
            node["node"]
        );
        if let Some(recorded) = node["recorded_digest"].as_str() {
            let cycles = &node["recorded_cycles"];
            let _ = write!(text, "; recorded: {cycles} cycles, digest {recorded}");
        }
        text.push('\n');
    }
    for packet in replay["until"]["packets"].as_array().into_iter().flatten() {
        let (source, serial) = (&packet["source"], &packet["serial"]);
        let (to, place) = (&packet["destination"], packet["place"].as_str().unwrap());
        let _ = writeln!(text, "packet {source}.{serial} to node {to}: {place}");
    }
    text
}

#[test]
fn json_has_what_text_has_of_nodes_and_packets() {
    let folder = recorded();
    let mut packets = 0;
    for until in ["5@1000", "6@1100", "9@1500"] {
        let args = ["replay", "run.flog", "--until", until, "--node", "3,5"];
        let done = folder.fine(&args);
        let from = done.out.find("node 3: ").unwrap();
        let json = folder.fine(&[&args[..], &["--json"]].concat()).json();
        let told = as_text(&json["replay"]);
        // How far the node came that isn't asked for depends on what the others waited for.
        let stands = |text: &str| -> Vec<String> {
            let lines = text.lines().filter(|line| !line.starts_with("node 3: "));
            lines.map(str::to_owned).collect()
        };
        assert_eq!(stands(&told), stands(&done.out[from..]));
        let (node, cycle) = until.split_once('@').unwrap();
        assert_eq!(json["replay"]["until"]["node"].to_string(), node);
        assert_eq!(json["replay"]["until"]["cycle"].to_string(), cycle);
        assert_eq!(json["replay"]["until"]["reached"], true);
        packets += told
            .lines()
            .filter(|line| line.starts_with("packet"))
            .count();
    }
    assert!(packets > 0);
}

/// A cycle that a node never begins doesn't end the replay: all of it is compared, and it isn't said that
/// what was asked for was reached.
#[test]
fn an_end_behind_the_nodes_last_cycle_is_said_to_be_none() {
    let folder = recorded();
    let whole = folder.fine(&["replay", "run.flog"]);
    let ran = Parts::of(&bytes(&folder)).trailer.nodes[5].cycles;
    let until = "5@9999999";
    for more in [&[][..], &["--threads", "3"], &["--stepped"]] {
        let done = folder.fine(&[&["replay", "run.flog", "--until", until], more].concat());
        let says = format!("node 5 runs {ran} cycles and never begins cycle 9999999\n");
        assert_eq!(done.err, says + &whole.err);
        assert!(done.out.starts_with("results\n"), "{}", done.out);
    }
    let json = folder.fine(&["replay", "run.flog", "--until", until, "--json"]);
    assert_eq!(json.json()["replay"]["until"]["reached"], false);
    let heads = ["--force", "--record", "heads.flog", "--record-heads"];
    folder.fine(&live("threads", "16", &heads));
    let alone = folder.fine(&["replay", "heads.flog", "--node", "5", "--until", until]);
    assert!(
        alone.err.ends_with(
            "never begins cycle 9999999\nreplayed alone, the node agrees with its record\n"
        ),
        "{}",
        alone.err
    );
}

/// A run that failed says who waits for whom, and so does its replay.
#[test]
fn a_replay_of_a_stuck_record_shows_the_circle() {
    let folder = Folder::new();
    let deadlock = concat!(env!("CARGO_MANIFEST_DIR"), "/configs/deadlock.toml");
    let record = ["--engine", "live", "--record", "run.flog"];
    let run = folder.flitwork(&[&["run", deadlock], &record[..]].concat());
    assert_eq!(run.code, Some(3), "{}", run.err);
    let from = run.err.find("deadlock: ").unwrap();
    let failure = run.err[from..].split("record: ").next().unwrap();
    assert!(failure.contains("nodes that wait for each other in a circle:\n  node "));
    for more in [&[][..], &["--stepped"], &["--json"]] {
        let done = folder.fine(&[&["replay", "run.flog"], more].concat());
        let says = format!("{failure}the replay agrees with its record: digest ");
        assert!(
            done.err.starts_with(&says),
            "{more:?}: {}\n\n{says}",
            done.err
        );
    }
}

/// A pipe that nobody writes to never answers, and what isn't a file can't be read twice.
#[cfg(unix)]
#[test]
fn a_pipe_is_no_record_and_no_trace() {
    let folder = recorded();
    let made = Command::new("mkfifo").arg(folder.path("pipe.tra")).status();
    assert!(made.unwrap().success());
    let netrace = concat!(env!("CARGO_MANIFEST_DIR"), "/configs/netrace.toml");
    let trace = format!("traffic.trace.file={}", folder.path("pipe.tra").display());
    for (args, says) in [
        (
            &["replay", "pipe.tra"][..],
            "pipe.tra: is not a regular file",
        ),
        (&["replay", "/dev/zero"], "/dev/zero: is not a regular file"),
        (&["replay", "run.flog", "--config", "pipe.tra"], "pipe.tra"),
        (&["run", "pipe.tra"], "pipe.tra"),
        (
            &["run", netrace, "--set", &trace],
            "pipe.tra is not a regular file",
        ),
    ] {
        let mut child = folder.start(args);
        let done = folder.end(&mut child);
        assert_eq!(done.code, Some(2), "{args:?}: {}", done.err);
        assert!(done.err.contains(says), "{args:?}: {}", done.err);
    }
}

/// What can't be printed is a failure, whatever the replay has found.
#[cfg(target_os = "linux")]
#[test]
fn events_that_cant_be_printed_are_a_failure() {
    let folder = Folder::new();
    let record = ["--force", "--record", "run.flog", "--record-heads"];
    folder.fine(&live("threads", "16", &record));
    for more in [&[][..], &["--stepped", "--threads", "2"], &["--node", "5"]] {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full");
        let mut replay = folder.command(&[&["replay", "run.flog", "--trace"], more].concat());
        let done = Done::of(replay.stdout(full.unwrap()));
        assert_eq!(done.code, Some(1), "{more:?}: {}", done.err);
        let says = "error: standard output: No space left on device";
        assert!(done.err.contains(says), "{more:?}: {}", done.err);
    }
}

#[cfg(unix)]
#[test]
fn a_reader_of_the_trace_may_leave() {
    let folder = recorded();
    let mut replay = folder.command(&["replay", "run.flog", "--trace"]);
    let mut child = replay
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // The pipe is closed before anything is read of it.
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    let done = Done {
        code: output.status.code(),
        out: String::new(),
        err: String::from_utf8(output.stderr).unwrap(),
    };
    assert_eq!(done.code, Some(0), "{}", done.err);
    assert!(
        done.err.starts_with("the replay agrees with its record"),
        "{}",
        done.err
    );
}
