//! Delays of single stages and links: a lone word's latency to the ps, and digests.

use crate::common::machine::{shown_observer, watch_clocked};
use flitwork_config::{Resolved, resolve};
use flitwork_trace::Digest;
use std::path::Path;

/// A line of four self-timed hot-potato nodes.
const LINE: &str = "\
[network]
topology = \"mesh\"
sides = [4]
link_latency_ps = 900
[router.greedy-hp]
[traffic]
process = \"once\"
pattern = \"permutation\"
file = \"pairs\"
[run]
engine = \"clocked\"
[clocks.self-timed]
word_ps = 700
decision_ps = 500
[clocks.delays]
file = \"delays.csv\"
";

fn with_table(text: &str, lines: &str, pairs: &str) -> Resolved {
    let folder = tempfile::tempdir().unwrap();
    let table = format!("stage,node,port,ps\n{lines}");
    std::fs::write(folder.path().join("delays.csv"), table).unwrap();
    std::fs::write(folder.path().join("pairs"), pairs).unwrap();
    resolve(text, "x.toml", folder.path(), &[]).unwrap_or_else(|error| panic!("{error}"))
}

/// The latency of the only packet, in ps.
fn latency_ps(resolved: &Resolved) -> u64 {
    let clocks = resolved.clocks();
    let observer = shown_observer(resolved).of_clocks(clocks.nominal_ps);
    let (outcome, observer, _) = watch_clocked(resolved, &clocks, 1, observer);
    let seen = observer.finish(outcome.cycle);
    let latency = &seen.exact.as_ref().unwrap().latency.latency;
    assert_eq!(latency.count(), 1);
    latency.sum() as u64
}

/// A word from node 0 to node 3, made at 0 ps. At nodes 0 to 2 it comes in (from the processor, or from the west), is
/// decided on and leaves to the east, all in one step, which takes the longest of the three delays; then it crosses the
/// link. It is delivered when it stands at node 3. With the keys' delays, each of the three steps takes 700 ps and each
/// link 900: 4,800 ps. A line changes what is on the word's way, and nothing else does.
#[test]
fn one_slow_port_delays_a_lone_word_by_as_much() {
    const USUAL: u64 = 3 * 700 + 3 * 900;
    let stages = "word,*,*,700\ndecision,*,*,500\nlatency,*,*,900\n";
    for (line, more) in [
        ("", 0),
        // Node 1's step: 1,234 instead of 700 ps.
        ("word,1,east,1234\n", 534),
        ("word,1,west,1001\n", 301),
        // Faster than what comes in, and slower than it.
        ("word,1,east,3\n", 0),
        ("word,1,*,3\n", -200),
        ("word,1,*,600\n", -100),
        ("decision,2,east,2000\n", 1300),
        ("decision,*,east,701\n", 3),
        // The source's word comes in at the local port.
        ("word,0,local,800\n", 100),
        // It doesn't leave there.
        ("word,2,local,5000\n", 0),
        ("decision,1,west,5000\n", 0),
        ("word,3,*,5000\n", 0),
        // The source may send another word: a credit to it leaves in node 0's step.
        ("credit,*,*,5000\n", 4300),
        ("latency,0,east,1\n", -899),
        ("latency,2,east,1000000\n", 999_100),
        // The way back.
        ("latency,1,west,5000\n", 0),
        ("latency,*,west,5000\n", 0),
    ] {
        let resolved = with_table(LINE, &format!("{stages}{line}"), "0 3\n");
        let expected = USUAL.checked_add_signed(more).unwrap();
        assert_eq!(latency_ps(&resolved), expected, "{line}");
    }
}

/// The same way back: a link's latency belongs to the end at which words leave.
#[test]
fn each_direction_of_a_link_has_its_own_latency() {
    let lines = "latency,*,east,100\nlatency,*,west,2000\nlatency,2,west,3000\n";
    assert_eq!(latency_ps(&with_table(LINE, lines, "0 3\n")), 3 * 700 + 300);
    assert_eq!(
        latency_ps(&with_table(LINE, lines, "3 0\n")),
        3 * 700 + 7000
    );
}

/// The digest and the last cycle of a loaded Chaos mesh.
fn digest(delays: &str, table: &str) -> (Digest, u32) {
    let text = format!(
        "[network]\ntopology = \"mesh\"\nsides = [4, 4]\nlink_latency_ps = 800\n\
         [router.chaos]\npreset = \"chinn-1995\"\n[traffic]\nload = 0.1\n\
         [run]\nengine = \"clocked\"\nwarmup_cycles = 100\nmeasure_cycles = 2000\n\
         [clocks.self-timed]\nword_ps = [800, 1000]\ndecision_ps = [1000, 1400]\ndecision_law = \"normal\"\n\
         allocation_ps = 200\ncredit_ps = 300\nspread = \"normal\"\nspread_percent = 3\n{delays}"
    );
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("delays.csv"), table).unwrap();
    let resolved = resolve(&text, "x.toml", folder.path(), &[]).unwrap();
    let (outcome, digest, _) = watch_clocked(&resolved, &resolved.clocks(), 1, Digest::default());
    (digest, outcome.cycle.get())
}

#[test]
fn a_table_that_says_what_keys_say_gives_their_digest() {
    const FILE: &str = "[clocks.delays]\nfile = \"delays.csv\"\n";
    let header = "stage,node,port,least_ps,most_ps,law\n";
    let nodes = "word,*,*,800,1000,uniform\ndecision,*,*,1000,1400,normal\nallocation,*,*,200,200,\ncredit,*,*,300,300,\ncount,*,*,0,0,\n";
    let keys = digest("", "");
    let everywhere = format!("{header}{nodes}latency,*,*,800,800,\n");
    assert_eq!(digest(FILE, &everywhere), keys);
    // Each port of each node by itself.
    let mut each = header.to_owned();
    for node in 0..16 {
        let (x, y) = (node % 4, node / 4);
        let there = [y > 0, x < 3, y < 3, x > 0];
        let links = ["north", "east", "south", "west"];
        let links = links.iter().zip(there).filter(|(_, there)| *there);
        let links: Vec<&str> = links.map(|(port, _)| *port).collect();
        for port in links.iter().chain(&["local", "queue"]) {
            each += &format!(
                "word,{node},{port},800,1000,uniform\ndecision,{node},{port},1000,1400,normal\nallocation,{node},{port},200,200,\n"
            );
            if *port != "queue" {
                each += &format!("credit,{node},{port},300,300,\n");
            }
        }
        for port in links {
            each += &format!("latency,{node},{port},800,800,\n");
        }
        each += &format!("count,{node},*,0,0,\n");
    }
    assert_eq!(digest(FILE, &each), keys);
    let slow = everywhere.replace("count", "word,5,east,5000,5000,\ncount");
    assert_ne!(digest(FILE, &slow).0, keys.0);
    let spread = "[clocks.delays]\nspread = \"normal\"\nspread_percent = 5\n";
    assert_ne!(digest(spread, "").0, keys.0);
    assert_eq!(
        digest(
            "[clocks.delays]\nspread = \"uniform\"\nspread_percent = 0\n",
            ""
        )
        .0,
        keys.0
    );
}

/// The example is read from its folder, and what it prints of itself runs again.
#[test]
fn the_example_reads_back() {
    let configs = Path::new(env!("CARGO_MANIFEST_DIR")).join("configs");
    let text = std::fs::read_to_string(configs.join("back-annotated.toml")).unwrap();
    let read = |text: &str| resolve(text, "x.toml", &configs, &[]).unwrap();
    let resolved = read(&text);
    assert_eq!(read(&resolved.to_toml()), resolved);
    assert!(resolved.clocks.delays.table.is_some());
}
