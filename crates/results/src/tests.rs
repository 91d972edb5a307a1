//! Figures whose values are known in advance.

mod clocking;
mod fairness;

use super::*;
use flitwork_config::resolve;
use flitwork_experiment::simulate::simulate;
use flitwork_report::{Formats, Program};
use flitwork_types::{Cycle, NodeId};
use std::ops::ControlFlow;
use std::path::Path;

pub(crate) fn run(text: &str) -> (Resolved, Simulated, Results) {
    let resolved = resolve(text, "text", Path::new(""), &[]);
    let resolved = resolved.unwrap_or_else(|error| panic!("{error}"));
    let run = simulate(&resolved, &mut |_| ControlFlow::Continue(()));
    let results = Results::new(&resolved, &run);
    (resolved, run, results)
}

/// A packet of `words` words from one corner of 4 x 4 nodes to the other: six hops, seven nodes.
fn lone_packet(router: &str, words: &str, rest: &str) -> Results {
    let text = format!(
        "[network]\ntopology = \"mesh\"\nsides = [4, 4]\n[router.{router}]\n[traffic]\n\
        process = \"once\"\npattern = \"many-to-one\"\ndestination = 15\nsources = [0]\n{words}\n{rest}"
    );
    run(&text).2
}

const PRICES: &str = "[energy]\nbuffer_write_pj = 1.5\nbuffer_read_pj = 0.5\ncrossbar_pj = 2\n\
    link_pj = 3\ndecision_pj = 10\nleak_pj_per_node_cycle = 0.25\n";

fn near(one: f64, other: f64) -> bool {
    (one - other).abs() <= 1e-9 * one.abs().max(other.abs())
}

/// Ten words are written into the injection frame and, in each of seven nodes, into an output frame, and
/// over each of six links into an input frame: 10 * (1 + 7 + 6). What is written is read. They pass a
/// crossbar in each node, and a decision is made there.
#[test]
fn a_lone_packet_costs_what_its_path_costs_in_chaos() {
    let results = lone_packet("chaos", "", PRICES);
    let energy = results.energy.unwrap();
    assert_eq!(energy.counts[..5], [140, 140, 70, 60, 7].map(Some));
    assert_eq!(energy.delivered_words, 10);
    let node_cycles = energy.counts[5].unwrap();
    assert_eq!(node_cycles, 16 * u64::from(results.measured_cycles));
    let joules = energy.joules.unwrap();
    let leaked = 0.25 * node_cycles as f64;
    let pj = 140.0 * 1.5 + 140.0 * 0.5 + 70.0 * 2.0 + 60.0 * 3.0 + 7.0 * 10.0 + leaked;
    assert!(near(joules.total, pj * 1e-12), "{joules:?}");
    assert!(near(joules.per_delivered_word.unwrap(), pj * 1e-13));
}

/// As above, but without output frames: 10 * (1 + 6) writes, and a crossbar in each of seven nodes.
#[test]
fn a_lone_packet_costs_what_its_path_costs_in_wormhole() {
    let results = lone_packet("wormhole", "packet_words = 10", "[energy]\nlink_pj = 1\n");
    let energy = results.energy.unwrap();
    assert_eq!(energy.counts[..5], [70, 70, 70, 60, 7].map(Some));
    let joules = energy.joules.unwrap();
    let priced = joules.parts.iter().map(Option::is_some);
    let priced: Vec<usize> = priced
        .enumerate()
        .filter(|it| it.1)
        .map(|it| it.0)
        .collect();
    assert_eq!(priced, [3]);
    assert!(near(joules.total, 60e-12));
}

/// The head stays in each of seven buffers for the cycle in which it is routed and the one in which it gets a virtual
/// channel, and the words behind it stay as long. So a node holds two words of a stream.
#[test]
fn a_lone_packet_fills_buffers_as_long_as_its_head_waits() {
    let results = lone_packet("wormhole", "packet_words = 10", "");
    let buffers = results.buffers.unwrap();
    assert_eq!((buffers.name, buffers.unit), ("input buffers", "words"));
    assert_eq!(buffers.max, 2);
    let word_cycles = buffers.mean * 16.0 * f64::from(results.measured_cycles);
    assert!(near(word_cycles, 10.0 * 7.0 * 2.0), "{word_cycles}");
    assert!(results.energy.unwrap().joules.is_none());
}

#[test]
fn tables_of_a_lone_packet_hold_nothing_else() {
    let results = lone_packet("greedy-hp", "", "");
    assert!(results.buffers.is_none());
    let [row] = &results.latency_by_distance[..] else {
        panic!("{:?}", results.latency_by_distance);
    };
    assert_eq!((row.hops, row.hops_to, row.latency.packets), (6, 6, 1));
    assert_eq!(results.latency_by_class.len(), 1);
    // These are all packets: the mean is exact.
    assert_eq!(row.latency.mean.unwrap().half_width, Some(0.0));
    // One packet over the whole run, from node 0 to node 15; no other node counts.
    let cycles = f64::from(results.measured_cycles);
    let fairness = results.fairness;
    for (shares, node) in [(fairness.by_source, 0), (fairness.by_destination, 15)] {
        let shares = shares.unwrap();
        assert_eq!(
            (shares.nodes, shares.min.node, shares.jain),
            (1, node, Some(1.0))
        );
        assert!(near(shares.max.value, 1.0 / cycles));
    }
}

/// All nodes except (3, 3) send to it, farther ones through the inputs of nearer ones.
#[test]
fn a_starved_source_shows() {
    let text = "[network]\ntopology = \"mesh\"\nsides = [4, 4]\n[router.chaos]\n[traffic]\n\
        load = 0.5\npattern = \"many-to-one\"\ndestination = 15\n\
        [run]\nwarmup_cycles = 1000\nmeasure_cycles = 5000\n";
    let results = run(text).2;
    let sources = results.fairness.by_source.unwrap();
    assert_eq!(sources.nodes, 15);
    assert!(sources.min.value < sources.mean && sources.mean < sources.max.value);
    assert!(sources.jain.unwrap() < 0.95, "{sources:?}");
    let shared = sources.mean * 15.0;
    let destination = results.fairness.by_destination.unwrap();
    assert_eq!((destination.nodes, destination.jain), (1, Some(1.0)));
    assert!(near(destination.mean, shared));
}

fn overloaded() -> (Resolved, Simulated, Results) {
    run(
        "[network]\ntopology = \"mesh\"\nsides = [4, 4]\n[router.chaos]\n[traffic]\nload = 0.9\n\
        [run]\nwarmup_cycles = 1000\nmeasure_cycles = 5000\n",
    )
}

#[test]
fn an_overloaded_run_has_no_latency() {
    let (_, run, results) = overloaded();
    for latency in [&results.latency, &results.network_latency] {
        assert_eq!(latency.not_steady, Some("overload"));
        assert!(latency.mean.is_none() && latency.percentiles.get("max").is_none());
        let raw = latency.transient.as_ref().unwrap();
        assert!(raw.packets > 1000 && raw.percentiles.get("max").is_some());
    }
    // Packets that left in the window had waited less than those that were made in it and kept waiting.
    let raw = results.latency.transient.as_ref().unwrap();
    let (window, all) = (
        raw.window_mean.unwrap(),
        raw.sum as f64 / raw.packets as f64,
    );
    assert!(window > 0.0 && window < all, "{window} {all}");
    assert_eq!(results.latency.mean_or_window().unwrap().mean, window);
    let raw = results.latency.transient.as_ref().unwrap();
    assert_eq!(raw.sum, run.observation.latency.sum());
    let rows = results.latency_by_distance.iter().map(|row| &row.latency);
    assert!(
        rows.clone()
            .all(|row| row.mean.is_none() && row.packets > 0)
    );
    assert!(results.latency_by_class[0].latency.mean.is_none());

    let shown = text(&results);
    assert!(shown.contains("  latency                not steady (overload)\n"));
    assert!(shown.contains("  network latency        not steady (overload)\n"));
    assert!(!shown.contains("cycles mean") && !shown.contains("latency by distance"));

    let json = serde_json::to_value(&results).unwrap();
    assert!(json["latency_mean_cycles"].is_null() && json["latency_p50_cycles"].is_null());
    assert_eq!(json["not_steady"], "overload");
    assert_eq!(json["latency_packets"], raw.packets);
    assert!(json["latency_transient_p50_cycles"].is_u64());
}

/// Writes the files of a run into a folder.
fn write(folder: &Path, (resolved, run, results): (&Resolved, &Simulated, &Results)) {
    let program = Program {
        version: "1".into(),
        revision: "unknown".into(),
        command: "flitwork run".into(),
    };
    let files = Files {
        resolved,
        run,
        results,
        provenance: &program.ran(resolved.to_toml(), resolved.run.seed),
        formats: &Formats::default(),
        over_time: None,
    };
    write_all(folder, &files).unwrap();
}

/// A table of a folder.
fn read(folder: &Path, name: &str) -> csv::Reader<std::fs::File> {
    let mut reader = csv::ReaderBuilder::new();
    reader.comment(Some(b'#'));
    reader.from_path(folder.join(name)).unwrap()
}

#[test]
fn an_overloaded_run_leaves_cells_empty() {
    let (resolved, run, results) = overloaded();
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), (&resolved, &run, &results));
    let read = |name: &str| read(folder.path(), name);
    let mut table = read("results.csv");
    let names = table.headers().unwrap().clone();
    let row = table.records().next().unwrap().unwrap();
    let cell = |name: &str| &row[names.iter().position(|other| other == name).unwrap()];
    assert_eq!((cell("steady"), cell("not_steady")), ("false", "overload"));
    let hidden = |name: &&str| {
        let seen = ["packets", "transient", "window"];
        name.contains("latency") && !seen.iter().any(|part| name.contains(part))
    };
    // Ten figures in cycles, of which eight are also taken in ps.
    assert_eq!(names.iter().filter(hidden).count(), 2 * (10 + 8));
    for name in names.iter().filter(hidden) {
        assert_eq!(cell(name), "", "{name}");
    }
    for name in ["latency_by_distance.csv", "latency_by_class.csv"] {
        let mut table = read(name);
        let names = table.headers().unwrap().clone();
        for row in table.records() {
            let row = row.unwrap();
            let hidden = names.iter().zip(&row).filter(|(name, _)| hidden(name));
            let cells: Vec<&str> = hidden.map(|(_, cell)| cell).collect();
            assert_eq!(cells, [""; 10], "{name}: {row:?}");
        }
    }
}

/// Without a warm-up the latencies of some seeds drift: they are shown together with the rule that says so.
#[test]
fn what_chance_calls_unsteady_is_shown_with_a_flag() {
    let text_of = |seed: u32| {
        format!(
            "[network]\ntopology = \"mesh\"\nsides = [4, 4]\n[router.chaos]\n[traffic]\nload = 0.3\n\
            [run]\nseed = {seed}\nwarmup_cycles = 0\nmeasure_cycles = 4000\n"
        )
    };
    let unsteady = (1..=60).map(|seed| run(&text_of(seed))).find(|(_, _, it)| {
        let reason = it.steady.unwrap().reason();
        // Latency drifts, which may be chance: up to one steady run in a hundred seems to drift.
        matches!(
            reason,
            Some(Reason::WarmUpTooShort { .. } | Reason::Trend { .. })
        )
    });
    let (resolved, run, results) = unsteady.expect("one seed in six, without a warm-up");
    let name = results.steady.unwrap().reason().unwrap().name();
    for latency in [&results.latency, &results.network_latency] {
        assert_eq!(latency.not_steady, Some(name));
        assert!(latency.transient.is_none() && latency.percentiles.get("p99").is_some());
    }
    let mean = results.latency.mean.unwrap().mean;
    assert_eq!(mean, run.observation.latency.mean().unwrap());

    let shown = text(&results);
    assert!(shown.contains(" cycles mean (not steady)\n"), "{shown}");
    assert!(shown.contains(" (cycles, mean; not steady)\n"), "{shown}");
    assert!(
        shown.contains("  steady state           not steady: "),
        "{shown}"
    );
    let json = serde_json::to_value(&results).unwrap();
    assert_eq!(json["latency_mean_cycles"], mean);
    assert_eq!(json["not_steady"], name);
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), (&resolved, &run, &results));
    let mut table = read(folder.path(), "results.csv");
    let columns = table.headers().unwrap().clone();
    let cells = table.records().next().unwrap().unwrap();
    let cell = |name: &str| &cells[columns.iter().position(|it| it == name).unwrap()];
    assert_eq!(cell("latency_mean_cycles"), mean.to_string());
    assert_eq!(cell("not_steady"), name);
    let mut by_class = read(folder.path(), "latency_by_class.csv");
    let row = by_class.records().next().unwrap().unwrap();
    assert_eq!(&row[row.len() - 1], name);
}

#[test]
fn a_steady_run_shows_its_tables() {
    let (_, run, mut results) = run(
        "[network]\ntopology = \"mesh\"\nsides = [4, 4]\n[router.chaos]\n[traffic]\nload = 0.1\n\
        [run]\nwarmup_cycles = 2000\nmeasure_cycles = 40000\n[energy]\nlink_pj = 2.5\n",
    );
    assert!(results.steady.unwrap().is_steady(), "{:?}", results.steady);
    let half_width = |latency: &Latency| latency.mean.unwrap().half_width;
    assert!(half_width(&results.network_latency).is_some());
    let rows = &results.latency_by_distance;
    assert_eq!(rows.len(), 6);
    let counted: u64 = rows.iter().map(|row| row.latency.packets).sum();
    assert_eq!(counted, results.latency.packets);
    // Every additional hop takes longer.
    let means = rows.iter().map(|row| row.latency.mean.unwrap().mean);
    assert!(means.is_sorted());
    // Of 240 ordered pairs 48 are neighbours and 4 are opposite corners.
    assert!(half_width(&rows[0].latency).is_some());
    // Little's law: packets in the network = packets that enter per cycle times their cycles in it. It holds
    // to within those that are in the network at the window's ends, a few among thousands.
    let cycles = f64::from(results.measured_cycles);
    let entered = run.observation.throughput.addressed.iter().sum::<u64>() as f64 / 10.0;
    let in_it = results.network_latency.mean.unwrap().mean * entered / cycles;
    let seen = results.node_packets_mean.unwrap() * 16.0;
    assert!((seen / in_it - 1.0).abs() < 0.01, "{seen} for {in_it}");
    // What a node sends is what it makes, to within what is under way.
    let words = &run.observation.throughput;
    for (sent, made) in words.sent.iter().zip(&words.made) {
        assert!(
            *sent > 3000 && sent.abs_diff(*made) <= 100,
            "{sent}, {made}"
        );
    }
    // In a mesh under uniform traffic the shares of destinations aren't those of sources.
    assert_ne!(words.sent, words.got);

    let shown = text(&results);
    for say in [
        "  latency by distance    ",
        " at 1 hop, ",
        " at 6 hops (cycles, mean)\n",
        "  fairness, sources      0.",
        "  multiqueue             0.",
        "  buffer writes, words   ",
        "  energy, links          ",
        " per delivered word)\n",
    ] {
        assert!(shown.contains(say), "{say:?} in {shown}");
    }
    assert!(!shown.contains("class"), "there is but one: {shown}");
    assert!(
        shown.lines().all(|line| line.chars().count() <= 80),
        "{shown}"
    );
    let mut another = results.latency_by_class[0].clone();
    another.class = 3;
    results.latency_by_class.push(another);
    let shown = text(&results);
    assert!(shown.contains("  latency, class 0       "), "{shown}");
    assert!(shown.contains("  latency, class 3       "), "{shown}");
}

/// A packet from the west end of a line of three nodes in the lower plane to the node above the last one: its words
/// appear along its path, and each map has its name.
#[test]
fn use_of_links_is_shown_by_ports_and_planes() {
    let text = "[network]\ntopology = \"mesh\"\nsides = [3, 1, 2]\n[router.wormhole]\n[traffic]\n\
        process = \"once\"\npattern = \"many-to-one\"\ndestination = 5\nsources = [0]\npacket_words = 4\n";
    let (resolved, run, _) = run(text);
    let cycles = f64::from(run.observation.measured_cycles);
    let atlas = maps::link_use(resolved.network.grid(), &run, cycles);
    let labels: Vec<&str> = atlas.sheets.iter().map(|sheet| &*sheet.label).collect();
    let expected = [
        "to north, z = 0",
        "to north, z = 1",
        "to east, z = 0",
        "to east, z = 1",
        "to south, z = 0",
        "to south, z = 1",
        "to west, z = 0",
        "to west, z = 1",
        "to lower z, z = 0",
        "to lower z, z = 1",
        "to higher z, z = 0",
        "to higher z, z = 1",
    ];
    assert_eq!(labels, expected);
    let of = |label: &str| {
        let at = labels.iter().position(|other| *other == label).unwrap();
        let words = atlas.sheets[at].values.iter().map(|use_| use_ * cycles);
        words.map(f64::round).collect::<Vec<f64>>()
    };
    assert!(of("to north, z = 0").iter().all(|words| words.is_nan()));
    // By dimension order: east twice, then up.
    assert_eq!(of("to east, z = 0")[..2], [4.0, 4.0]);
    assert!(of("to east, z = 0")[2].is_nan());
    assert_eq!(of("to higher z, z = 0"), [0.0, 0.0, 4.0]);
    assert!(of("to higher z, z = 1").iter().all(|words| words.is_nan()));
    assert_eq!(of("to west, z = 0")[1..], [0.0, 0.0]);
    assert_eq!(of("to lower z, z = 1"), [0.0, 0.0, 0.0]);
}

/// A failure of which only this much is known.
fn failure(kind: FailureKind, packets: u64, in_sources: u64, last_head: Option<u32>) -> Failure {
    Failure {
        kind,
        cycle: 500,
        last_head,
        packets,
        in_sources,
        owed: 0,
        owed_replies: 0,
        owed_at_least: false,
        stuck: 0,
        circle: Vec::new(),
        waits: Vec::new(),
    }
}

/// When a packet last moved matters only if one is in the network.
#[test]
fn the_last_move_is_reported_if_packets_are_in_the_network() {
    let report_of = |packets, in_sources, last_head| {
        let failure = failure(FailureKind::Deadline, packets, in_sources, last_head);
        failure.to_string()
    };
    assert_eq!(
        report_of(0, 3, Some(40)),
        "deadline: by cycle 500 3 packets in the sources are not delivered\n"
    );
    assert_eq!(
        report_of(1, 0, Some(40)),
        "deadline: by cycle 500 1 packet in the network is not delivered; the last one to leave a node did so in \
        cycle 40\n"
    );
    assert_eq!(
        report_of(2, 1, None),
        "deadline: by cycle 500 2 packets in the network and 1 packet in the sources are not delivered; none has \
        left its node\n"
    );
}

/// Who never moves again is counted beside who isn't delivered.
#[test]
fn packets_that_never_move_again_are_counted() {
    let report_of = |stuck| {
        let deadlock = failure(FailureKind::Deadlock, 5, 0, Some(40));
        Failure { stuck, ..deadlock }.to_string()
    };
    let left = "deadlock: by cycle 500 5 packets in the network are not delivered; ";
    let last = "the last one to leave a node did so in cycle 40\n";
    assert_eq!(report_of(0), format!("{left}{last}"));
    assert_eq!(
        report_of(1),
        format!("{left}1 packet never moves again; {last}")
    );
    assert_eq!(
        report_of(4),
        format!("{left}4 packets never move again; {last}")
    );
}

/// An interrupted run without one complete batch: the load offered in the simulated cycles is still known, over all
/// of them, without an interval.
#[test]
fn a_run_of_less_than_a_batch_has_an_offered_load() {
    let text = "[network]\ntopology = \"mesh\"\nsides = [8, 8]\n[router.chaos]\n[traffic]\nload = 0.5\n\
        [run]\nwarmup_cycles = 0\nmeasure_cycles = 10_000_000\n";
    let resolved = resolve(text, "text", Path::new(""), &[]).unwrap();
    let mut calls = 0;
    let run = simulate(&resolved, &mut |_| {
        calls += 1;
        match calls {
            2 => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        }
    });
    let results = Results::new(&resolved, &run);
    let cycles = run.observation.measured_cycles;
    assert!((1..300_000).contains(&cycles), "{cycles}");
    let offered = results.load.unwrap().offered;
    assert_eq!((offered.batches, offered.half_width), (0, None));
    // 0.05 packets of 10 words per node and cycle: binomial, and each counts ten words.
    let tosses = 64.0 * f64::from(cycles);
    let bound = 5.0 * 10.0 * (0.05 * 0.95 / tosses).sqrt();
    assert!((offered.mean - 0.5).abs() < bound, "{offered:?}");
}

/// What an engine knows internally does not count, a live one's watch over its nodes' clocks neither: where nobody waits for
/// each other, it isn't a deadlock.
#[test]
fn what_an_engine_calls_stuck_is_no_deadlock_without_a_knot() {
    use flitwork_config::EngineChoice;
    let text = "[network]\ntopology = \"mesh\"\nsides = [2, 2]\n[router.chaos]\n[traffic]\nload = 0.5\n\
        [run]\nwarmup_cycles = 0\nmeasure_cycles = 500\n";
    let (mut resolved, mut run, _) = run(text);
    run.outcome.ended = Ended::Stuck;
    run.outcome.cycle = Cycle(600);
    let seen = &mut run.observation;
    seen.injected = seen.delivered + 1;
    seen.created = seen.injected;
    (seen.last_injection, seen.last_head) = (Some(Cycle(590)), Some(Cycle(599)));
    for engine in [
        EngineChoice::Live,
        EngineChoice::Sync,
        EngineChoice::SyncPlain,
    ] {
        for slack in [Some(2), None] {
            resolved.run.engine = engine;
            resolved.live.slack.0 = slack;
            let kind = Failure::of(&resolved, &run).unwrap().kind;
            assert_eq!(kind, FailureKind::Deadline, "{engine:?}");
        }
    }
}
