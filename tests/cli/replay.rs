//! `replay`: its report.

use crate::harness::{Done, Folder};
use crate::live::live;
use crate::record_parts::{Parts, bytes, recorded};
use flitwork_trace::record::Chunk;
use flitwork_types::NodeId;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::process::{Command, Stdio};

#[test]
fn threads_change_nothing() {
    let folder = recorded();
    let reported = |threads| {
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
    assert_eq!(reported("1"), reported("2"));
    assert_eq!(reported("1"), reported("3"));
    let lines = |threads| {
        let done = folder.fine(&["replay", "run.flog", "--trace", "--threads", threads]);
        let mut lines: Vec<String> = done.out.lines().map(str::to_owned).collect();
        lines.sort_unstable();
        (lines, done.err)
    };
    assert_eq!(lines("1"), lines("3"));
}

#[test]
fn nodes_are_reported() {
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
            .contains("agrees with its record up to the cycle of --until"),
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

/// A node replayed without the others does the same as among them, and its report is the same.
#[test]
fn a_single_node_is_replayed() {
    let folder = Folder::new();
    for (runtime, slack) in [("threads", "16"), ("tokio", "4")] {
        let record = ["--force", "--record", "run.flog", "--record-heads"];
        folder.fine(&live(runtime, slack, &record));
        let replay = |more: &[&str]| folder.fine(&[&["replay", "run.flog"], more].concat());
        let parts = Parts::of(&bytes(&folder));
        let subset = replay(&["--node", "5,10"]);
        assert_eq!(
            subset.err,
            "replayed alone, the 2 nodes agree with their record\n"
        );
        let reported = |node: usize| {
            let end = &parts.trailer.nodes[node];
            let did = format!("{} cycles, digest {:016x}", end.cycles, end.digest);
            format!("node {node}: {did}; recorded: {did}\n")
        };
        assert_eq!(subset.out, reported(5) + &reported(10));
        // Every option that works for it among the others also works without them.
        let among = |line: &&str| line.split(' ').nth(1) == Some("5");
        let all = replay(&["--trace"]);
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
        let settled = |done: &Done| -> Vec<String> {
            let lines = done
                .out
                .lines()
                .filter(|line| line.starts_with("node 5: ") || line.starts_with("packet "));
            lines.map(str::to_owned).collect()
        };
        let until = ["--until", "5@1000"];
        let here = replay(&[&until[..], &["--node", "5"]].concat());
        assert!(!here.out.contains("results"), "{}", here.out);
        // Here the whole network is replayed, and the node's report is the same as without the others.
        let there = replay(&["--until", "5@1000", "--node", "5", "--what-if"]);
        assert!(there.out.contains("results"), "{}", there.out);
        assert_eq!(settled(&here), settled(&there));
        let json = replay(&["--node", "5", "--json"]);
        let digest = format!("{:016x}", parts.trailer.nodes[5].digest);
        let reported = &json.json()["replay"]["nodes"];
        assert_eq!(reported[0]["digest"], digest);
        assert_eq!(reported[0]["recorded_digest"], digest);
        assert_eq!(reported.as_array().unwrap().len(), 1);
        // JSON also shows what is in it.
        let json = replay(&["--until", "5@1000", "--node", "5", "--json"]).json();
        assert_eq!(as_text(&json["replay"]), here.out);
    }
}

/// A wrong entry about a node in a record is detected when that node is replayed without the others.
#[test]
fn a_single_node_is_compared_with_its_record() {
    let folder = Folder::new();
    let record = ["--force", "--record", "run.flog", "--record-heads"];
    folder.fine(&live("threads", "16", &record));
    let whole = Parts::of(&bytes(&folder));
    let replay_of_five = |name: &str| folder.flitwork(&["replay", name, "--node", "5"]);
    let first = |parts: &mut Parts, change: &dyn Fn(&mut Chunk)| {
        let chunks = parts.blocks.iter_mut().flatten();
        let mut of_five = chunks.filter(|chunk| chunk.node == NodeId(5) && !chunk.heads.is_empty());
        change(of_five.next().expect("a chunk with heads"));
    };
    // Another packet of the same source arrived, or one that is never made.
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
        let done = replay_of_five("serial.flog");
        assert_eq!(done.code, Some(4), "{}", done.err);
        assert!(done.err.contains("node 5 in its cycle "), "{}", done.err);
        assert!(done.err.contains(says), "{}", done.err);
    }
    let mut digest = whole;
    digest.trailer.nodes[5].digest ^= 1;
    digest.write(&folder, "digest.flog");
    assert_eq!(replay_of_five("digest.flog").code, Some(4));
    let mut short = Parts::of(&bytes(&folder));
    first(&mut short, &|chunk| chunk.heads.truncate(1));
    short.write(&folder, "short.flog");
    let done = replay_of_five("short.flog");
    assert_eq!(done.code, Some(2), "{}", done.err);
    let says = "bytes that don't say which packets arrived";
    assert!(
        done.err.contains("node 5, cycle ") && done.err.contains(says),
        "{}",
        done.err
    );
    // Cut anywhere, it is replayed to the last mark.
    let bytes = bytes(&folder);
    folder.write("cut.flog", &bytes[..bytes.len() - 30]);
    let done = replay_of_five("cut.flog");
    let all = folder.flitwork(&["replay", "cut.flog", "--node", "5", "--what-if"]);
    assert_eq!(done.code, all.code, "{}, {}", done.err, all.err);
    if done.code == Some(0) {
        let says = "up to the record's last mark; so far the replay agrees with its record\n";
        assert!(done.err.ends_with(says), "{}", done.err);
        assert!(all.out.ends_with(&done.out), "{}, {}", done.out, all.out);
    }
    folder.refuses(&["run", "small.toml", "--record-heads"], &["--record"]);
}

/// Nodes and packets of the JSON report, as the text report has them.
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
        let reported = as_text(&json["replay"]);
        // How far other nodes got depends on what the others waited for.
        let settled = |text: &str| -> Vec<String> {
            let lines = text.lines().filter(|line| !line.starts_with("node 3: "));
            lines.map(str::to_owned).collect()
        };
        assert_eq!(settled(&reported), settled(&done.out[from..]));
        let (node, cycle) = until.split_once('@').unwrap();
        assert_eq!(json["replay"]["until"]["node"].to_string(), node);
        assert_eq!(json["replay"]["until"]["cycle"].to_string(), cycle);
        assert_eq!(json["replay"]["until"]["reached"], true);
        packets += reported
            .lines()
            .filter(|line| line.starts_with("packet"))
            .count();
    }
    assert!(packets > 0);
}

/// A cycle that a node never reaches doesn't end the replay: all of it is compared, and the report doesn't
/// claim that the cycle was reached.
#[test]
fn an_end_after_the_nodes_last_cycle_is_reported_as_unreached() {
    let folder = recorded();
    let whole = folder.fine(&["replay", "run.flog"]);
    let ran = Parts::of(&bytes(&folder)).trailer.nodes[5].cycles;
    let until = "5@9999999";
    for more in [&[][..], &["--threads", "3"]] {
        let done = folder.fine(&[&["replay", "run.flog", "--until", until], more].concat());
        let says = format!("node 5 runs for {ran} cycles and never reaches cycle 9999999\n");
        assert_eq!(done.err, says + &whole.err);
        assert!(done.out.starts_with("results\n"), "{}", done.out);
    }
    let json = folder.fine(&["replay", "run.flog", "--until", until, "--json"]);
    assert_eq!(json.json()["replay"]["until"]["reached"], false);
    let heads = ["--force", "--record", "heads.flog", "--record-heads"];
    folder.fine(&live("threads", "16", &heads));
    let subset = folder.fine(&["replay", "heads.flog", "--node", "5", "--until", until]);
    assert!(
        subset.err.ends_with(
            "never reaches cycle 9999999\nreplayed alone, the node agrees with its record\n"
        ),
        "{}",
        subset.err
    );
}

/// A run that failed reports who waits for whom, and so does its replay.
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
    for more in [&[][..], &["--json"]] {
        let done = folder.fine(&[&["replay", "run.flog"], more].concat());
        let says = format!("{failure}the replay agrees with its record: digest ");
        assert!(
            done.err.starts_with(&says),
            "{more:?}: {}\n\n{says}",
            done.err
        );
    }
}

/// Opening a pipe without a writer never returns, and only regular files can be read twice.
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

/// Output that can't be written is a failure, whatever the replay has found.
#[cfg(target_os = "linux")]
#[test]
fn events_that_cant_be_printed_are_a_failure() {
    let folder = Folder::new();
    let record = ["--force", "--record", "run.flog", "--record-heads"];
    folder.fine(&live("threads", "16", &record));
    for more in [&[][..], &["--threads", "2"], &["--node", "5"]] {
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
