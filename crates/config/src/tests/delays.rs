//! `[clocks.delays]`: what a table and a distribution give, and what is refused.

use crate::{ConfigError, Resolved, resolve};
use flitwork_network::{Clock, Clocks, Delay, Law, Segment, SelfTimed, StageDelays};
use flitwork_topology::Topology;
use flitwork_types::{NodeId, Port};
use std::path::Path;
use std::sync::Arc;

/// A line of three nodes; ports are east (0), west (1), local (2) and the central queue (3).
pub(super) const LINE: &str = "\
[network]
topology = \"mesh\"
sides = [3]
[router.chaos]
[traffic]
load = 0.2
[run]
engine = \"clocked\"
";
pub(super) const KEYS: &str = "[clocks.self-timed]\nword_ps = 700\ndecision_ps = 500\n";
pub(super) const FILE: &str = "[clocks.delays]\nfile = \"d.csv\"\n";

pub(super) fn east() -> Port {
    let grid = flitwork_topology::Grid::mesh(&[3]).unwrap();
    let mut ports = (0..2).map(Port);
    ports.find(|port| grid.port_name(*port) == "east").unwrap()
}

pub(super) fn west() -> Port {
    Port(1 - east().0)
}

const LOCAL: Port = Port(2);
const QUEUE: Port = Port(3);

/// A configuration beside a table.
pub(super) fn with_table(text: &str, table: &[u8]) -> Result<Resolved, ConfigError> {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("d.csv"), table).unwrap();
    resolve(text, "x.toml", directory.path(), &[])
}

pub(super) fn right(text: &str, table: &str) -> Resolved {
    with_table(text, table.as_bytes()).unwrap_or_else(|error| panic!("{error}"))
}

pub(super) fn line(further: &str, table: &str) -> Resolved {
    right(&format!("{LINE}{KEYS}{FILE}{further}"), table)
}

pub(super) fn node(clocks: &Clocks, node: u32) -> &SelfTimed {
    match &clocks.domains[clocks.domain_of[node as usize] as usize] {
        Clock::SelfTimed(node) => node,
        Clock::Periodic(_) => panic!("node {node} has a clock"),
    }
}

pub(super) fn at(clocks: &Clocks, number: u32, port: Port) -> StageDelays {
    *node(clocks, number).delays.of(port.index())
}

fn latency_ps(clocks: &Clocks, node: u32, port: Port) -> Option<u64> {
    let own = clocks.links.own(NodeId(node), port)?;
    own.latency_ps
}

#[test]
fn a_table_that_says_what_keys_say_changes_nothing() {
    let keys = line("", "stage,node,port,ps\n").clocks();
    let table = "\u{feff}# as the keys\n\nport , stage,ps,node\r\n*, word,700,*\n\"*\",\"decision\",500,*\r\n";
    let both = right(&format!("{LINE}[clocks.self-timed]\n{FILE}"), table);
    assert_eq!(both.clocks(), keys);
    assert!(!both.to_toml().contains("word_ps"));
    // Keys that the table takes the place of may be there.
    let other = line("", &table.replace("700", "800")).clocks();
    assert_eq!(at(&other, 1, LOCAL).word, Delay::fixed(800));
}

/// From the most specific to the least: node and port, node, port, neither; in any order in the file.
#[test]
fn the_more_specific_line_counts() {
    let lines = [
        "word,*,*,1",
        "word,*,east,2",
        "word,1,*,3",
        "word,1,east,4",
        "word,*,queue,5",
    ];
    let expected = [
        ((0, east()), 2),
        ((0, LOCAL), 1),
        ((0, QUEUE), 5),
        ((1, east()), 4),
        ((1, west()), 3),
        ((1, LOCAL), 3),
        ((1, QUEUE), 3),
        ((2, west()), 1),
        ((2, LOCAL), 1),
    ];
    for turn in 0..lines.len() {
        let mut lines = lines;
        lines.rotate_left(turn);
        let clocks = line("", &format!("stage,node,port,ps\n{}", lines.join("\n"))).clocks();
        for ((node, port), ps) in expected {
            let delays = at(&clocks, node, port);
            assert_eq!(delays.word, Delay::fixed(ps), "node {node}, {port:?}");
            assert_eq!(delays.decision, Delay::fixed(500));
        }
    }
}

#[test]
fn bounds_and_laws_are_taken() {
    let table = "stage,node,port,least_ps,most_ps,law\nword,*,*,3,9,normal\ndecision,*,*,4,8,\n\
        allocation,*,*,1,1000000000,data\ncredit,*,*,7,7,data\ncount,*,*,0,0,\ncount,2,*,30,30,uniform\n";
    let clocks = line("", table).clocks();
    let drawn = |least_ps, most_ps, law| Delay {
        least_ps,
        most_ps,
        law,
    };
    let stages = StageDelays {
        word: drawn(3, 9, Law::Normal),
        decision: drawn(4, 8, Law::Uniform),
        allocation: Some(drawn(1, 1_000_000_000, Law::Data)),
        credit: Some(Delay::fixed(7)),
    };
    assert_eq!(at(&clocks, 2, QUEUE), stages);
    let counts = [0, 1, 2].map(|it| node(&clocks, it).count_ps);
    assert_eq!(counts, [0, 0, 30]);
}

/// A link is named by the end from which words leave; the others are a nominal period long.
#[test]
fn links_have_latencies_of_their_own() {
    let table = "stage,node,port,ps\nlatency,*,*,1000\nlatency,1,east,640\nlatency,2,1,70000\n";
    let resolved = line("", &table.replace("2,1", &format!("2,{}", west().0)));
    let clocks = resolved.clocks();
    let own = [
        (0, east()),
        (1, east()),
        (1, west()),
        (2, west()),
        (0, west()),
    ];
    let own = own.map(|(node, port)| latency_ps(&clocks, node, port));
    assert_eq!(
        own,
        [1000, 640, 1000, 70_000]
            .map(Some)
            .iter()
            .copied()
            .chain([None])
            .collect::<Vec<_>>()[..]
    );
    // 2 * (70,000 + 3 * 700) / 700 + 2 words: the round trip is that of the longest.
    assert_eq!(resolved.network.links.capacity_words, 208);
    // Nodes with clocks have links, too.
    let clocked = right(&format!("{LINE}{FILE}"), table);
    assert_eq!(latency_ps(&clocked.clocks(), 1, east()), Some(640));
}

#[test]
fn nodes_that_are_alike_share_their_delays() {
    let all = |clocks: &Clocks| {
        let nodes = (0..3).map(|it| node(clocks, it).delays.clone());
        nodes.collect::<Vec<_>>()
    };
    for table in ["stage,node,port,ps\n", "stage,node,port,ps\nword,*,*,7\n"] {
        let delays = all(&line("", table).clocks());
        assert!(Arc::ptr_eq(&delays[0], &delays[1]) && Arc::ptr_eq(&delays[0], &delays[2]));
        assert_eq!(delays[0].all().len(), 1);
    }
    let table = "stage,node,port,ps\nword,*,*,7\nword,1,east,8\ndecision,*,*,3\n";
    let delays = all(&line("", table).clocks());
    assert!(Arc::ptr_eq(&delays[0], &delays[2]) && !Arc::ptr_eq(&delays[0], &delays[1]));
    assert_eq!([0, 1].map(|it| delays[it].all().len()), [1, 4]);
}

#[test]
fn corner_and_spread_of_nodes_are_on_top_of_the_table() {
    let keys = KEYS.replace("700", "700\ncorner_percent = 50");
    let table = "stage,node,port,ps\nword,*,*,333\n";
    let clocks = right(&format!("{LINE}{keys}{FILE}"), table).clocks();
    let node = node(&clocks, 1);
    // 333 * 1.5 = 499.5.
    assert_eq!(node.scaled_ps(node.delays.of(0).word.least_ps), 500);
}

#[test]
fn the_full_configuration_names_the_file_and_reads_back() {
    let directory = tempfile::tempdir().unwrap();
    std::fs::create_dir(directory.path().join("in")).unwrap();
    let table =
        "stage,node,port,least_ps,most_ps\nword,*,*,7,9\nword,1,east,8,20\nlatency,*,*,5,5\n";
    std::fs::write(directory.path().join("in/d.csv"), table).unwrap();
    let text = format!(
        "{LINE}[clocks.self-timed]\ndecision_ps = 5\n[clocks.delays]\nfile = \"in/d.csv\"\nspread = \"normal\"\nspread_percent = 4.5\n"
    );
    let read = |text: &str| resolve(text, "x.toml", directory.path(), &[]).unwrap();
    let resolved = read(&text);
    let full = resolved.to_toml();
    let delays =
        "[clocks.delays]\nfile = \"in/d.csv\"\nspread = \"normal\"\nspread_percent = 4.5\n";
    assert!(full.contains(delays), "{full}");
    let again = read(&full);
    assert_eq!(again, resolved);
    assert_eq!(again.clocks(), resolved.clocks());
    assert_eq!(again.to_toml(), full);
    // Nothing is written of what isn't given.
    assert!(
        !read(&format!("{LINE}{KEYS}[clocks.delays]\n"))
            .to_toml()
            .contains("delays]")
    );
}

/// A mesh of 32 x 32 whose delays are long, so that rounding doesn't matter.
fn many(delays: &str) -> Clocks {
    let text = LINE.replace("[3]", "[32, 32]");
    let keys =
        "[clocks.self-timed]\nword_ps = 1_000_000\ndecision_ps = 2_000_000\ncount_ps = 3_000_000\n";
    let text = text.replace("[32, 32]", "[32, 32]\nlink_latency_ps = 4_000_000");
    let text = format!("{text}{keys}[clocks.delays]\n{delays}");
    resolve(&text, "x.toml", Path::new(""), &[])
        .unwrap()
        .clocks()
}

/// How far each delay lies from its value: of the words and decisions at each port of each node, of its counted cycles,
/// and of each link. 32 * 32 nodes have 4 * 32 * 31 links.
fn off(clocks: &Clocks) -> Vec<Vec<f64>> {
    let (mut words, mut decisions, mut counts) = (Vec::new(), Vec::new(), Vec::new());
    for number in 0..32 * 32 {
        let (x, y) = (number % 32, number / 32);
        // North, east, south, west, local and the central queue.
        let there = [y > 0, x < 31, y < 31, x > 0, true, true];
        for port in (0..6).filter(|port| there[*port as usize]) {
            let delays = at(clocks, number, Port(port));
            words.push(delays.word.least_ps as f64 / 1e6 - 1.0);
            decisions.push(delays.decision.least_ps as f64 / 2e6 - 1.0);
        }
        counts.push(node(clocks, number).count_ps as f64 / 3e6 - 1.0);
    }
    let links = clocks.links.own.values();
    let links = links.map(|own| own.latency_ps.unwrap() as f64 / 4e6 - 1.0);
    let all = vec![words, decisions, counts, links.collect()];
    let (links, nodes) = (4 * 32 * 31, 32 * 32);
    let lengths: Vec<usize> = all.iter().map(Vec::len).collect();
    assert_eq!(
        lengths,
        [links + 2 * nodes, links + 2 * nodes, nodes, links]
    );
    all
}

fn mean_and_deviation(all: &[f64]) -> (f64, f64) {
    let mean = all.iter().sum::<f64>() / all.len() as f64;
    let squares: f64 = all.iter().map(|it| (it - mean) * (it - mean)).sum();
    (mean, (squares / all.len() as f64).sqrt())
}

/// Uniform within 10 %: the deviation is 0.1 / sqrt(3) = 0.0577. The standard error of the mean of n draws is that by
/// sqrt(n), and that of the deviation, as the kurtosis is 1.8, that by sqrt(0.8 / (4 n)). Normal with 4 %, cut at three
/// deviations: 0.04 * sqrt(0.9733) = 0.03946, and sqrt(1 / (2 n)) by it at most.
#[test]
fn each_delay_is_spread_on_its_own() {
    for (law, percent, deviation, most, of_deviation) in [
        ("uniform", 10, 0.1 / 3f64.sqrt(), 0.1, 0.2f64),
        ("normal", 4, 0.04 * 0.9733f64.sqrt(), 0.12, 0.5),
    ] {
        let clocks = many(&format!("spread = \"{law}\"\nspread_percent = {percent}\n"));
        let all = off(&clocks);
        for all in &all {
            let n = all.len() as f64;
            let (mean, drawn) = mean_and_deviation(all);
            assert!(mean.abs() < 3.5 * deviation / n.sqrt(), "{law}: {mean}");
            let error = deviation * (of_deviation / n).sqrt();
            assert!((drawn - deviation).abs() < 3.5 * error, "{law}: {drawn}");
            assert!(all.iter().all(|it| it.abs() <= most + 1e-6), "{law}");
        }
        // Words and decisions at the same port are drawn independently: the correlation's standard error is 1 / sqrt(n).
        let pairs = all[0].iter().zip(&all[1]).map(|(one, other)| one * other);
        let n = all[0].len() as f64;
        let correlation = pairs.sum::<f64>() / n / (deviation * deviation);
        assert!(correlation.abs() < 3.5 / n.sqrt(), "{law}: {correlation}");
    }
}

#[test]
fn a_spread_follows_the_seed_and_nothing_else() {
    let spread = "spread = \"uniform\"\nspread_percent = 20\n";
    let with = |seed: u32, rest: &str| {
        let text = LINE.replace("[run]", &format!("[run]\nseed = {seed}"));
        let text = format!("{text}{KEYS}{rest}[clocks.delays]\n{spread}");
        resolve(&text, "x.toml", Path::new(""), &[])
            .unwrap()
            .clocks()
    };
    let alone = with(3, "");
    assert_eq!(alone, with(3, ""));
    let other = with(4, "");
    assert_ne!(at(&alone, 0, LOCAL).word, at(&other, 0, LOCAL).word);
    assert_ne!(latency_ps(&alone, 0, east()), latency_ps(&other, 0, east()));
    // An island changes no other node's draws and no link's.
    let beside = with(3, "[[clocks.islands]]\nnodes = [1]\nperiod_ps = 900\n");
    for number in [0, 2] {
        assert_eq!(node(&alone, number), node(&beside, number));
    }
    assert_eq!(alone.links.own, beside.links.own);
}

/// The drawn factor multiplies least and most alike, and a table's delays, too.
#[test]
fn a_spread_is_around_the_tables_delays() {
    let table =
        "stage,node,port,least_ps,most_ps\nword,*,*,1000000,3000000\nlatency,*,*,500000,500000\n";
    let further = "spread = \"uniform\"\nspread_percent = 30\n";
    let clocks = line(further, table).clocks();
    let word = at(&clocks, 1, LOCAL).word;
    let ratio = word.most_ps as f64 / word.least_ps as f64;
    assert!((ratio - 3.0).abs() < 1e-5, "{word:?}");
    assert!((700_000..=1_300_000).contains(&word.least_ps) && word.least_ps != 1_000_000);
    let latency = latency_ps(&clocks, 1, east()).unwrap();
    assert!((350_000..=650_000).contains(&latency) && latency != 500_000);
}

/// Links with handshakes: the segments that differ, and those that don't.
#[test]
fn segments_are_those_of_other_links_unless_they_are_spread() {
    let usual = [Segment {
        request_ps: 300_000,
        acknowledge_ps: 200_000,
    }; 2];
    let plain = line("", "stage,node,port,ps\n");
    assert_eq!(segments(&plain, 1, east(), &usual), usual);
    let spread = line(
        "spread = \"uniform\"\nspread_percent = 30\n",
        "stage,node,port,ps\n",
    );
    let own = segments(&spread, 1, east(), &usual);
    for (place, segment) in own.iter().enumerate() {
        assert!((210_000..=390_000).contains(&segment.request_ps), "{own:?}");
        assert!(
            (140_000..=260_000).contains(&segment.acknowledge_ps),
            "{own:?}"
        );
        assert_ne!(*segment, own[1 - place]);
    }
    assert_ne!(own, segments(&spread, 0, east(), &usual));
}

/// Node and port decide before the segment does: a line that names neither of them counts for a segment only where no line
/// names the node or the port, whatever segment those name.
#[test]
fn a_line_of_a_segment_counts_before_one_of_all_segments() {
    let table = "stage,node,port,segment,ps\nrequest,*,*,*,10\nrequest,*,*,1,20\nrequest,*,east,*,30\n\
        request,1,*,0,40\nrequest,1,east,*,50\nrequest,1,east,1,60\n";
    let segment = "request_ps = 300\nacknowledge_ps = 200\n";
    let handshake =
        format!("[network.handshake]\n{segment}[[network.handshake.stages]]\n{segment}");
    let links = line(&handshake, table).clocks().links;
    let expected = [
        ((0, east()), [30, 30]),
        ((1, east()), [50, 60]),
        ((1, west()), [40, 20]),
        ((2, west()), [10, 20]),
    ];
    for ((node, port), requests_ps) in expected {
        let segments = links.segments_of(NodeId(node), port).unwrap();
        let found: Vec<u64> = segments.iter().map(|it| it.request_ps).collect();
        assert_eq!(found, requests_ps, "node {node}, {port:?}");
        assert!(segments.iter().all(|it| it.acknowledge_ps == 200));
    }
}

fn segments(resolved: &Resolved, node: u32, port: Port, usual: &[Segment]) -> Vec<Segment> {
    let shape = &resolved.network.shape;
    let delays = crate::delay_draws::Delays::of(&resolved.clocks, shape, resolved.run.seed);
    delays.segments(NodeId(node), port, usual)
}
