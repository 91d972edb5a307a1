//! Links that fail, through the command: what becomes of a lone packet, worked out by hand, on every engine; and what is refused.
//!
//! The packet has four words, is made in cycle 100 at the first of three nodes in a row and goes to the last. Wormhole routers of the preset
//! `one-cycle` take two cycles a hop: its head leaves node 0 in cycle 101 and node 1 in 103, its last word in 104 and 106, and it is delivered
//! in 109. Queueing routers store it whole: it leaves node 0 from 103 to 106 and node 1 from 107 to 110, and is delivered in 111.

use crate::harness::Folder;
use serde_json::json;

const WORMHOLE: &str = "[router.wormhole]\npreset = \"one-cycle\"\nrouting = \"up-down\"\n";
const QUEUEING: &str = "[router.queueing]\n";
/// The link between nodes 1 and 2.
const LINK: &str = "links = [[1, 2]]";

/// A configuration of the three nodes.
fn configuration(fault: &str, router: &str, more: &str) -> String {
    format!(
        "[network]\ntopology = \"mesh\"\nsides = [3]\n\n[[faults]]\n{fault}\n\n{router}\n[traffic]\nprocess = \"trace\"\n{more}\n\
         [traffic.trace]\nfile = \"p.csv\"\nnodes = 3\n\n[run]\ndeadline_cycles = 1000\n"
    )
}

/// A folder with the lone packet, or more of them.
fn folder(configuration: &str) -> Folder {
    let folder = Folder::new();
    folder.write(
        "p.csv",
        "cycle,src,dst,words,id,class,after\n100,0,2,4,0,0,\n",
    );
    folder.write("c.toml", configuration);
    folder
}

/// What became of the packet on an engine: the cycle of its delivery or of its loss, and why it was lost; none if its source
/// refused it.
fn fate(folder: &Folder, engine: &str) -> Option<(u32, String)> {
    let set = format!("run.engine={engine}");
    let packets = format!("{engine}.csv");
    // Live nodes keep step, so that their cycles are those of the others.
    let mut run = vec!["run", "c.toml", "--set", &set, "--packets", &packets];
    if engine == "live" {
        run.extend(["--set", "live.slack=0"]);
    }
    let done = folder.flitwork(&run);
    assert_eq!(done.code, Some(0), "{}{}", done.out, done.err);
    let table = folder.read(&packets);
    let mut lines = table.lines().filter(|line| !line.starts_with('#'));
    let names: Vec<&str> = lines.next().unwrap().split(',').collect();
    let row: Vec<&str> = lines.next()?.split(',').collect();
    let of = |name: &str| row[names.iter().position(|it| *it == name).unwrap()];
    let cycle = if of("loss").is_empty() {
        "delivered_cycle"
    } else {
        "lost_cycle"
    };
    Some((of(cycle).parse().unwrap(), of("loss").to_owned()))
}

const ENGINES: [&str; 5] = ["sync", "sync-stepped", "sync-plain", "clocked", "live"];

/// The fault and what becomes of the packet.
type Situation = (&'static str, Option<(u32, &'static str)>);

#[track_caller]
fn each(router: &str, situations: &[Situation]) {
    for (fault, expected) in situations {
        let fault = fault.replace("LINK", LINK);
        let folder = folder(&configuration(&fault, router, ""));
        for engine in ENGINES {
            let fate = fate(&folder, engine);
            let fate = fate.as_ref().map(|(cycle, why)| (*cycle, why.as_str()));
            assert_eq!(fate, *expected, "{engine}: {fault}");
        }
    }
}

/// What becomes of the worm.
const WORMS: &[Situation] = &[
    // Its head leaves over the link in 103, in the first failed cycle, in a later one or in the last.
    (
        "LINK\nfrom_cycle = 103\ndetection_cycles = \"never\"",
        Some((106, "failed-link")),
    ),
    (
        "LINK\nfrom_cycle = 90\ndetection_cycles = \"never\"",
        Some((106, "failed-link")),
    ),
    (
        "LINK\nfrom_cycle = 90\nuntil_cycle = 104\ndetection_cycles = \"never\"",
        Some((106, "failed-link")),
    ),
    (
        "LINK\nfrom_cycle = 103\nin_flight = \"finishes\"\ndetection_cycles = \"never\"",
        Some((106, "failed-link")),
    ),
    // The link works again in that cycle, or fails after the last word.
    (
        "LINK\nfrom_cycle = 90\nuntil_cycle = 103\ndetection_cycles = \"never\"",
        Some((109, "")),
    ),
    ("LINK\nfrom_cycle = 107", Some((109, ""))),
    // It fails in between: the packet is lost where it would have been delivered, or it isn't lost.
    ("LINK\nfrom_cycle = 104", Some((109, "cut"))),
    ("LINK\nfrom_cycle = 106", Some((109, "cut"))),
    (
        "LINK\nfrom_cycle = 105\nuntil_cycle = 106\ndetection_cycles = \"never\"",
        Some((109, "cut")),
    ),
    (
        "LINK\nfrom_cycle = 104\nin_flight = \"finishes\"",
        Some((109, "")),
    ),
    // The source knows in the packet's first cycle, or as it is made.
    ("LINK\nfrom_cycle = 90", None),
    ("LINK\nfrom_cycle = 90\ndetection_cycles = 10", None),
    // Node 1 knows before it sends the packet on: it leaves the network there, two cycles after its head came in 102.
    (
        "LINK\nfrom_cycle = 90\ndetection_cycles = 11",
        Some((107, "no-path")),
    ),
    (
        "LINK\nfrom_cycle = 90\ndetection_cycles = 12",
        Some((107, "no-path")),
    ),
    // It knows once the packet has its output.
    (
        "LINK\nfrom_cycle = 90\ndetection_cycles = 13",
        Some((106, "failed-link")),
    ),
    // The source doesn't know yet that the link works again, or does.
    (
        "LINK\nfrom_cycle = 50\nuntil_cycle = 90\ndetection_cycles = 11",
        None,
    ),
    (
        "LINK\nfrom_cycle = 50\nuntil_cycle = 90\ndetection_cycles = 10",
        Some((109, "")),
    ),
    // The destination's router, after the packet has crossed and before it is there.
    (
        "routers = [2]\nfrom_cycle = 107\ndetection_cycles = \"never\"",
        Some((109, "failed-router")),
    ),
    (
        "routers = [2]\nfrom_cycle = 109\ndetection_cycles = \"never\"",
        Some((109, "failed-router")),
    ),
    (
        "routers = [2]\nfrom_cycle = 110\ndetection_cycles = \"never\"",
        Some((109, "")),
    ),
    (
        "routers = [2]\nfrom_cycle = 104\nin_flight = \"finishes\"\ndetection_cycles = \"never\"",
        Some((109, "failed-router")),
    ),
    // The source's own, which it knows at once; its link from 101 on.
    (
        "routers = [0]\nfrom_cycle = 100\ndetection_cycles = \"never\"",
        None,
    ),
    (
        "routers = [0]\nfrom_cycle = 101\ndetection_cycles = \"never\"",
        Some((104, "failed-link")),
    ),
    (
        "fraction = 1.0\nfrom_cycle = 101\ndetection_cycles = \"never\"",
        Some((104, "failed-link")),
    ),
    ("fraction = 0.0", Some((109, ""))),
];

#[test]
fn a_worm_is_lost_cut_or_refused() {
    each(WORMHOLE, WORMS);
}

#[test]
fn a_stored_packet_is_lost_cut_or_refused() {
    each(
        QUEUEING,
        &[
            (
                "LINK\nfrom_cycle = 107\ndetection_cycles = \"never\"",
                Some((110, "failed-link")),
            ),
            ("LINK\nfrom_cycle = 108", Some((111, "cut"))),
            ("LINK\nfrom_cycle = 111", Some((111, ""))),
            // Node 1 has the whole packet in 107, and knows then; or it knows too late.
            (
                "LINK\nfrom_cycle = 90\ndetection_cycles = 17",
                Some((107, "no-path")),
            ),
            (
                "LINK\nfrom_cycle = 90\ndetection_cycles = 18",
                Some((110, "failed-link")),
            ),
        ],
    );
}

/// Lost in 106 and 50 cycles after it entered, in 150, sent again: the link fails until 200. The second is lost in 156, and the third, of 200,
/// arrives in 209. With 2 cycles, the second is of 107, one cycle after the loss.
#[test]
fn what_is_lost_is_sent_again() {
    for (resend, second, last) in [(50, 150, 209), (2, 107, 206)] {
        let fault =
            format!("{LINK}\nfrom_cycle = 103\nuntil_cycle = 200\ndetection_cycles = \"never\"");
        let more = format!("resend_after_cycles = {resend}");
        let folder = folder(&configuration(&fault, WORMHOLE, &more));
        for engine in &ENGINES[..4] {
            let set = format!("run.engine={engine}");
            let done = folder.flitwork(&[
                "run",
                "c.toml",
                "--set",
                &set,
                "--packets",
                "p2.csv",
                "--out",
                "out",
                "--force",
            ]);
            assert_eq!(done.code, Some(0), "{}{}", done.out, done.err);
            let table = folder.read("p2.csv");
            let rows: Vec<Vec<&str>> = table
                .lines()
                .filter(|line| !line.starts_with('#'))
                .skip(1)
                .map(|line| line.split(',').collect())
                .collect();
            let made: Vec<&str> = rows.iter().map(|row| row[6]).collect();
            assert_eq!(made[..2], ["100", &second.to_string()], "{table}");
            let lost = rows.len() - 1;
            assert_eq!(
                rows.iter().filter(|row| row[8].is_empty()).count(),
                lost,
                "{table}"
            );
            if resend == 50 {
                assert_eq!(made, ["100", "150", "200"]);
                assert_eq!(rows[2][8], last.to_string());
            }
            let line = format!("{lost} over failed links, {lost} sent again");
            assert!(done.out.contains(&line), "{}", done.out);
        }
    }
}

/// Tables, what is found in them, and what is allowed.
const REFUSED: &[(&str, &str, &str)] = &[
    (
        "links = [[0, 2]]",
        "faults[0].links names a link of nodes 0 and 2, which aren't linked",
        "node 0 is linked to 1",
    ),
    (
        "links = [[0, 3]]",
        "faults[0].links names node 3, which the network doesn't have",
        "nodes 0 to 2",
    ),
    (
        "links = [[0, 1], [1, 0]]",
        "names a link of nodes 1 and 0 twice",
        "each link once",
    ),
    (
        "routers = [3]",
        "faults[0].routers names router 3, which the network doesn't have",
        "routers 0 to 2",
    ),
    ("routers = [1, 1]", "names router 1 twice", "each once"),
    (
        "from_cycle = 3",
        "faults[0] names nothing that fails",
        "links, routers or a fraction",
    ),
    (
        "fraction = 0.5\nrouters = [1]",
        "faults[0].routers is [1]",
        "only without fraction",
    ),
    (
        "links = [[0, 1]]\nseed = 3",
        "faults[0].seed is 3",
        "only with fraction",
    ),
    (
        "links = [[0, 1]]\nfrom_cycle = 9\nuntil_cycle = 9",
        "faults[0].until_cycle is 9",
        "more than from_cycle, 9",
    ),
    (
        "links = [[0, 1]]\ndetection_cycles = \"late\"",
        "faults[0].detection_cycles is \"late\"",
        "or \"never\"",
    ),
    (
        "links = [[0, 1]]\nfrom_cycle = 4000000000\ndetection_cycles = 1",
        "detection_cycles is 1",
        "up to 0",
    ),
];

/// A key that nobody reads, and what no network has.
#[test]
fn what_can_not_fail_is_refused() {
    let refused = |fault: &str, router: &str, found: &str, allowed: &str| {
        let folder = folder(&configuration(fault, router, ""));
        let done = folder.flitwork(&["run", "c.toml"]);
        assert_eq!(done.code, Some(2), "{}{}", done.out, done.err);
        assert!(done.err.contains(found), "{}", done.err);
        assert!(done.err.contains(allowed), "{}", done.err);
    };
    for (fault, found, allowed) in REFUSED {
        refused(fault, WORMHOLE, found, allowed);
    }
    let link = "links = [[0, 1]]";
    let deflection = "[router.deflection]\n";
    refused(
        link,
        deflection,
        "faults is given, with router.deflection",
        "router.queueing or router.wormhole",
    );
    let ordered = "[router.wormhole]\nrouting = \"dimension-order\"\n";
    refused(
        link,
        ordered,
        "dimension-order on a graph of 3 nodes",
        "[[faults]] makes the mesh of 3 nodes a graph",
    );
}

/// What is left of a network may need more.
#[test]
fn routes_for_what_is_left_need_channels() {
    // Without the link from 1 to 2 a ring of four is a row, whose ends are three hops apart.
    let ring = "[network]\ntopology = \"ring\"\nnodes = 4\n\n[[faults]]\nlinks = [[1, 2]]\nfrom_cycle = 70\n\n[router.wormhole]\nvcs = 2\n\
                routing = \"minimal\"\n[traffic]\nload = 0.1\n";
    let folder = folder(ring);
    let done = folder.flitwork(&["run", "c.toml"]);
    assert_eq!(done.code, Some(2), "{}", done.err);
    assert!(
        done.err
            .contains("with the links that work from cycle 70 on"),
        "{}",
        done.err
    );
    let set = ["run", "c.toml", "--set", "router.wormhole.vcs=3"];
    assert_eq!(folder.flitwork(&set).code, Some(0));
    let heads = [
        "run",
        "c.toml",
        "--set",
        "router.wormhole.vcs=3",
        "--engine",
        "live",
        "--record",
        "r.flog",
        "--record-heads",
    ];
    assert_eq!(folder.flitwork(&heads).code, Some(2));
}

/// Without a failure in a cycle that is simulated a run has the digest of the same network as a graph, and `check` says what it knows.
#[test]
fn verdicts_are_of_all_that_is_left() {
    let folder = folder(&configuration(
        "links = [[1, 2]]\nfrom_cycle = 50",
        WORMHOLE,
        "",
    ));
    let value = folder.flitwork(&["check", "c.toml", "--json"]).json();
    assert_eq!(value["deadlock"], json!("unknown"));
    let why = value["deadlock_why"].as_str().unwrap();
    assert!(
        why.starts_with("not known to be free of deadlock once paths change"),
        "{why}"
    );
    assert_eq!(value["livelock"], json!("free"));
    let never = configuration(
        "links = [[1, 2]]\ndetection_cycles = \"never\"",
        WORMHOLE,
        "",
    );
    folder.write("c.toml", never);
    let value = folder.flitwork(&["check", "c.toml", "--json"]).json();
    assert_eq!(value["deadlock"], json!("free"));
    let chaos = "[router.chaos]\npacket_words = 4\ninput_release_cycles = 7\n";
    let chaos = configuration(
        "links = [[1, 2]]\nfrom_cycle = 50",
        chaos,
        "packet_words = 4",
    );
    folder.write(
        "c.toml",
        chaos
            .replace("process = \"trace\"", "load = 0.1")
            .split("[traffic.trace]")
            .next()
            .unwrap(),
    );
    let value = folder.flitwork(&["check", "c.toml", "--json"]).json();
    assert_eq!(value["deadlock"], json!("free"), "{value}");
}

/// `trace packet` and `trace events` say where and why.
#[test]
fn a_trace_says_where_a_packet_was_lost() {
    let folder = folder(&configuration(
        "links = [[1, 2]]\nfrom_cycle = 103\ndetection_cycles = \"never\"",
        WORMHOLE,
        "",
    ));
    let done = folder.flitwork(&["trace", "packet", "c.toml", "0.0"]);
    assert!(
        done.out
            .contains("lost in cycle 106 at node 1 (1), east: failed-link"),
        "{}{}",
        done.out,
        done.err
    );
    let done = folder.flitwork(&["trace", "events", "c.toml", "--where", "kind == 'lost'"]);
    let lines = done
        .out
        .lines()
        .filter(|line| line.contains("lost"))
        .count();
    assert_eq!(lines, 1, "{}{}", done.out, done.err);
    let done = folder.flitwork(&["trace", "packets", "c.toml", "--where", "state == 'lost'"]);
    assert!(done.out.contains("failed-link"), "{}{}", done.out, done.err);
}
