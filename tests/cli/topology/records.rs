//! Live runs of networks whose nodes have several terminals, or whose packets enter at other nodes than they leave: their records,
//! replays, and what is refused.

use crate::harness::Folder;
use crate::record_parts::{Parts, bytes};
use flitwork_trace::record::Arrivals;
use flitwork_types::{NodeId, PortSet};
use std::collections::BTreeMap;

/// Networks, with the local ports of a node.
const NETWORKS: [(&str, u8); 6] = [
    (
        "topology = \"concentrated-mesh\"\nsides = [6, 4]\nblock = [3, 2]",
        6,
    ),
    (
        "topology = \"dragonfly\"\ngroup_nodes = 4\nglobal_links = 2\nconcentration = 2",
        2,
    ),
    ("topology = \"fly\"\nradix = 3\nstages = 2", 3),
    ("topology = \"butterfly\"\ndimensions = 2", 1),
    ("topology = \"fat-tree\"\nradix = 2\nlevels = 3", 2),
    (
        "topology = \"hyperx\"\nsides = [3, 3]\nconcentration = 4",
        4,
    ),
];

/// A folder with a configuration of a network and a router.
fn folder(network: &str, router: &str) -> Folder {
    let folder = Folder::new();
    let text = format!(
        "[network]\n{network}\n[router.{router}\n[traffic]\nload = 0.15\npacket_words = 3\n[run]\nwarmup_cycles = 0\n\
         measure_cycles = 700\nseed = 9\n"
    );
    folder.write("n.toml", text);
    folder
}

/// The digest that a command prints, last of all.
fn digest(out: &str) -> &str {
    let at = out.rfind("digest").unwrap_or_else(|| panic!("{out}"));
    out[at + "digest".len()..]
        .split_whitespace()
        .next()
        .unwrap()
}

/// In lockstep one digest with the synchronous engine; otherwise a record, which any number of threads replays, and each node alone.
#[test]
fn records_of_networks_with_several_terminals_replay() {
    for (network, locals) in NETWORKS {
        for router in ["chaos]\npacket_words = 3", "wormhole]"] {
            let folder = folder(network, router);
            let run = |more: &[&str]| folder.fine(&[&["run", "n.toml"][..], more].concat());
            let live = ["--set", "run.engine=live", "--set"];
            let plain = run(&["--set", "run.engine=sync-plain"]);
            let lockstep = run(&[&live[..], &["live.slack=0"]].concat());
            assert_eq!(
                digest(&plain.out),
                digest(&lockstep.out),
                "{network}, {router}"
            );

            let is_chaos = router.starts_with("chaos");
            let heads: &[&str] = if is_chaos { &["--record-heads"] } else { &[] };
            let record = ["live.slack=7", "--record", "run.flog"];
            let free = run(&[&live[..], &record, heads].concat());
            let header = Parts::of(&bytes(&folder)).header;
            assert_eq!(header.locals, locals, "{network}");
            for threads in ["1", "3"] {
                let replayed = folder.fine(&["replay", "run.flog", "--threads", threads]);
                let all = replayed.out + &replayed.err;
                assert_eq!(
                    digest(&all),
                    digest(&free.out),
                    "{network}, {router}, {threads}"
                );
            }
            for node in (0..header.nodes)
                .filter(|_| is_chaos)
                .map(|node| node.to_string())
            {
                folder.fine(&["replay", "run.flog", "--node", &node]);
            }
        }
    }
}

/// A node's record, with the injection that `change` moves.
fn moved(
    folder: &Folder,
    change: impl Fn(&mut BTreeMap<u32, Arrivals>, u32) -> bool,
) -> (NodeId, u32) {
    let mut parts = Parts::of(&bytes(folder));
    for node in (0..parts.header.nodes).map(NodeId) {
        let arrivals = parts.arrivals(node);
        for now in arrivals.range(200..).map(|(now, _)| *now) {
            let mut changed = arrivals.clone();
            if change(&mut changed, now) {
                parts.encode(node, &changed);
                parts.write(folder, "changed.flog");
                return (node, now);
            }
        }
    }
    panic!("nothing to change");
}

/// Changes what arrives in a node's cycle, and says whether it did.
type Change<'a> = &'a dyn Fn(&mut BTreeMap<u32, Arrivals>, u32) -> bool;

/// An injection that a record moves to another terminal of the node, or whose packet it makes a terminal inject that isn't there, is
/// a difference (exit code 4); the same record with a byte that its checksums don't cover any more is refused (2).
#[test]
fn changed_records_of_several_terminals_are_differences() {
    let folder = folder(NETWORKS[0].0, "wormhole]");
    let live = ["--set", "run.engine=live", "--record", "run.flog"];
    folder.fine(&[&["run", "n.toml"][..], &live].concat());
    let ports = 4;
    // All terminals but the one that has injected.
    let others = |all: &mut BTreeMap<u32, Arrivals>, now: u32| {
        let arrivals = all.get_mut(&now).unwrap();
        let other = PortSet(arrivals.injected.0 << 1 & !(1 << (ports + 6)));
        let moves = arrivals.injected.len() == 1 && other.len() == 1;
        arrivals.injected = other;
        moves
    };
    let more = |all: &mut BTreeMap<u32, Arrivals>, now: u32| {
        let arrivals = all.get_mut(&now).unwrap();
        let before = arrivals.injected;
        arrivals.injected = PortSet(0b11_1111 << ports);
        before.len() == 1
    };
    let changes: [Change; 2] = [&others, &more];
    for change in changes {
        let (node, cycle) = moved(&folder, change);
        for threads in ["1", "2"] {
            let done = folder.flitwork(&["replay", "changed.flog", "--threads", threads]);
            assert_eq!(done.code, Some(4), "{}", done.err);
            assert!(
                done.err.contains(" differs from its record: node "),
                "{}",
                done.err
            );
        }
        let done = folder.flitwork(&["replay", "changed.flog", "--threads", "1"]);
        let impossible = "the record says that a source injects a packet at port ";
        let says = format!("node {node} in its cycle {cycle}: {impossible}");
        assert!(done.err.contains(&says), "{says}: {}", done.err);
    }
    let mut damaged = bytes(&folder);
    let middle = damaged.len() / 2;
    damaged[middle] ^= 4;
    folder.write("damaged.flog", damaged);
    folder.refuses(&["replay", "damaged.flog"], &["damaged.flog: "]);

    // Of another number of terminals.
    let mut parts = Parts::of(&bytes(&folder));
    parts.header.locals = 5;
    parts.write(&folder, "header.flog");
    let says = "the record is of 24 nodes with 4 links, 5 terminals each and packets of various lengths; the configuration has 24 nodes \
                with 4 links, 6 terminals each";
    folder.refuses(&["replay", "header.flog"], &[says]);
}

/// What looks into a run takes such records, and says what each local port does by its name.
#[test]
fn records_of_several_terminals_are_looked_into() {
    let folder = folder(NETWORKS[0].0, "wormhole]");
    let live = ["--set", "run.engine=live", "--record", "run.flog"];
    folder.fine(&[&["run", "n.toml"][..], &live].concat());
    let (id, _) = folder.slowest("run.flog", &[]);
    let id = id.as_str();
    for question in [
        &["trace", "why", "run.flog", id][..],
        &["trace", "packet", "run.flog", id],
    ] {
        let done = folder.fine(question);
        assert!(!done.out.contains('?'), "{}", done.out);
    }
    let node = folder.fine(&["trace", "node", "run.flog", "1@200"]).out;
    for local in ["local 0", "local 5"] {
        assert!(node.contains(&format!("input {local} ")), "{node}");
    }
    folder.fine(&["view", "run.flog", "--export", "page"]);
    assert!(folder.path("page/index.html").exists());
}

/// A source that answers what is delivered can't be where nothing is delivered to it, when nodes have no common time.
#[test]
fn sources_apart_from_their_deliveries_dont_run_live() {
    for (network, code) in [(2, 2), (3, 2), (0, 0), (1, 0)] {
        let folder = folder(NETWORKS[network].0, "wormhole]");
        let text = folder
            .read("n.toml")
            .replace("load = 0.15\npacket_words = 3", "process = \"batch\"");
        let text = text.replace("warmup_cycles = 0\nmeasure_cycles = 700\n", "");
        folder.write("n.toml", text);
        let ran = |engine: &str| {
            let engine = format!("run.engine={engine}");
            folder.flitwork(&[
                "run",
                "n.toml",
                "--set",
                "traffic.batch.requests=4",
                "--set",
                &engine,
            ])
        };
        assert_eq!(ran("sync").code, Some(0), "{}", ran("sync").err);
        let live = ran("live");
        assert_eq!(live.code, Some(code), "{}", live.err);
        let says = "allowed: another engine: on the live one no source waits for deliveries at another node, and here packets enter";
        assert_eq!(live.err.contains(says), code == 2, "{}", live.err);
    }
}
