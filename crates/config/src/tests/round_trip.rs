//! A configuration that is written out reads back unchanged.

use crate::{Catalogue, Resolved, resolve};
use flitwork_topology::{Grid, Topology};
use flitwork_types::Port;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use std::path::Path;

fn network() -> BoxedStrategy<(Grid, String)> {
    let sides = prop::collection::vec(2u32..6, 1..5);
    (any::<bool>(), sides, 1u32..=1024).prop_map(|(torus, sides, latency)| {
        let shape = if torus { "torus" } else { "mesh" };
        let text = format!(
            "[network]\ntopology = \"{shape}\"\nsides = {sides:?}\nlink_latency_cycles = {latency}\n"
        );
        let grid = if torus { Grid::torus(&sides) } else { Grid::mesh(&sides) };
        (grid.unwrap(), text)
    })
.boxed()
}

/// A `[router]` whose scan order is shuffled by `seed`.
fn router(grid: &Grid) -> BoxedStrategy<String> {
    let ports: Vec<String> = (0..grid.ports() as u8)
        .map(|it| grid.port_name(Port(it)))
        .collect();
    let orders = Just(ports).prop_shuffle();
    let numbers = (1u32..=4096, 1u32..=64, 0u32..1000, 1u32..1000, 0u32..100);
    let names = (
        select(vec!["chinn-1995", "chinn-1995-b", "chaos-chip"]),
        select(vec!["fixed", "random"]),
        select(vec!["oldest-first", "newest-first", "random"]),
        select(vec!["frame", "vanish"]),
    );
    let written = prop::collection::vec(any::<bool>(), 16);
    let chaos = (orders, numbers, names, any::<[bool; 5]>(), written).prop_map(
        |(order, (words, frames, stall, latency, late), names, truths, written)| {
            let lines = [
                format!("packet_words = {words}"),
                format!("decision_latency_cycles = {latency}"),
                format!("frame_words = {words}"),
                format!("input_release_cycles = {}", words + latency - 1 + late),
                format!("multiqueue_frames = {frames}"),
                format!("stall_threshold_cycles = {stall}"),
                format!("scan_order = {order:?}"),
                format!("initial_pointer = {:?}", names.1),
                format!("multiqueue_policy = {:?}", names.2),
                format!("derouting = {}", truths[0]),
                format!("bypass = {}", truths[1]),
                format!("cut_through = {}", truths[2]),
                format!("delivery = {:?}", names.3),
                format!("output_reopen_cycles = {late}"),
                format!(
                    "deroute_among = {:?}",
                    ["ready", "all"][usize::from(truths[3])]
                ),
                format!(
                    "multiqueue_freed_at = {:?}",
                    ["decision", "tail"][usize::from(truths[4])]
                ),
            ];
            let mut text = format!("[router.chaos]\npreset = {:?}\n", names.0);
            // The first two are always written, since the next two depend on them.
            for (index, line) in lines.iter().enumerate() {
                if index < 2 || written[index] {
                    text += line;
                    text.push('\n');
                }
            }
            text
        },
    );
    let assignments = [
        "",
        "assignment = \"greedy\"\n",
        "assignment = \"matching\"\n",
    ];
    let hot = prop::sample::select(assignments.to_vec())
        .prop_map(|assignment| format!("[router.greedy-hp]\n{assignment}"));
    prop_oneof![4 => chaos, 1 => hot].boxed()
}

fn pattern(grid: &Grid) -> BoxedStrategy<String> {
    let nodes = grid.nodes();
    let node = (0..nodes).boxed();
    let hot = prop::collection::btree_set(node.clone(), 1..=nodes.min(5) as usize);
    let hot = (hot, 0.0..=1.0f64).prop_map(|(hot, fraction)| {
        format!("pattern = \"hot-spot\"\nhot_nodes = {hot:?}\nhot_fraction = {fraction:?}\n")
            .replace(['{', '}'], "|")
            .replacen('|', "[", 1)
            .replacen('|', "]", 1)
    });
    let many = (node, any::<bool>()).prop_map(move |(to, listed)| {
        let source = (to + 1) % nodes;
        let sources = if listed {
            format!("sources = [{source}]\n")
        } else {
            String::new()
        };
        format!("pattern = \"many-to-one\"\ndestination = {to}\n{sources}")
    });
    let plain = select(vec![
        "",
        "pattern = \"uniform\"\n",
        "pattern = \"neighbour\"\n",
        "pattern = \"shift\"\nshift = 1\n",
    ]);
    prop_oneof![
        hot,
        many,
        plain.prop_map(str::to_owned),
        Just("pattern = \"permutation\"\nfile = \"per\\\"m é.txt\"\n".to_owned()),
    ]
    .boxed()
}

fn traffic_and_run(grid: &Grid, engine: &'static str) -> BoxedStrategy<String> {
    let phases = (
        0u32..1_000_000_000,
        1u32..1_000_000_000,
        any::<Option<Index>>(),
    );
    let load = prop_oneof![Just(0.0), Just(1.0), Just(f64::MIN_POSITIVE), 0.0..=1.0f64];
    (any::<Option<u64>>(), phases, pattern(grid), prop::option::of(load)).prop_map(
        move |(seed, (warmup, measure, drain), pattern, load)| {
            let seed = seed.map_or(String::new(), |seed| format!("seed = {seed}\n"));
            let drain = drain.map_or(String::new(), |drain| {
                format!("drain_cycles = {}\n", drain.index(1_000_000_000))
            });
            match load {
                Some(load) => format!(
                    "[traffic]\nload = {load:?}\n{pattern}[run]\n{seed}{engine}warmup_cycles = {warmup}\nmeasure_cycles = {measure}\n{drain}"
                ),
                None => format!(
                    "[traffic]\nprocess = \"once\"\n{pattern}[run]\n{seed}{engine}deadline_cycles = {measure}\n"
                ),
            }
        },
    )
.boxed()
}

/// The engine, and the other keys that it reads and writes.
#[derive(Clone, Debug)]
struct Engine {
    /// The key in `[run]`.
    key: &'static str,
    /// Keys of `[network]`.
    network: String,
    /// `[clocks]` or `[live]`.
    tables: String,
}

fn engine(grid: &Grid) -> BoxedStrategy<Engine> {
    let plain = select(vec!["", "engine = \"sync\"\n", "engine = \"sync-plain\"\n"]);
    let plain = plain.prop_map(|key| Engine {
        key,
        network: String::new(),
        tables: String::new(),
    });
    let clocked = (clocks(grid), links()).prop_map(|(tables, network)| Engine {
        key: "engine = \"clocked\"\n",
        network,
        tables,
    });
    let live = live().prop_map(|tables| Engine {
        key: "engine = \"live\"\n",
        network: String::new(),
        tables,
    });
    prop_oneof![2 => plain, 2 => clocked, 1 => live].boxed()
}

/// Lines of which some are left out.
fn some_of(lines: Vec<String>) -> BoxedStrategy<String> {
    let count = lines.len();
    prop::sample::subsequence(lines, 0..=count)
        .prop_map(|lines| lines.concat())
        .boxed()
}

fn links() -> BoxedStrategy<String> {
    // This many words are enough for greedy-hp too, where periods are 500 ps and more.
    (1u64..=100_000, 9_000u32..=65_535, 0u32..=16)
        .prop_flat_map(|(latency, words, edges)| {
            some_of(vec![
                format!("link_latency_ps = {latency}\n"),
                format!("link_capacity_words = {words}\n"),
                format!("synchronizer_edges = {edges}\n"),
            ])
        })
        .boxed()
}

fn live() -> BoxedStrategy<String> {
    let slack = prop_oneof![
        Just("\"none\"".to_owned()),
        (0u32..=1_000_000).prop_map(|slack| slack.to_string())
    ];
    let numbers = (1u32..=1024, 1025u32..=65_536, 1u32..=4096);
    let runtime = select(vec!["threads", "tokio"]);
    (runtime, slack, numbers, any::<bool>())
        .prop_flat_map(|(runtime, slack, (workers, capacity, burst), pinning)| {
            some_of(vec![
                format!("runtime = {runtime:?}\n"),
                format!("slack = {slack}\n"),
                format!("workers = {workers}\n"),
                format!("channel_capacity = {capacity}\n"),
                format!("burst_cycles = {burst}\n"),
                format!("pinning = {pinning}\n"),
            ])
        })
        .prop_map(|lines| format!("[live]\n{lines}"))
        .boxed()
}

/// `[clocks]` with periods of 500 to 4000 ps.
fn clocks(grid: &Grid) -> BoxedStrategy<String> {
    let block: Vec<u32> = grid.sides().iter().map(|side| side.div_ceil(2)).collect();
    let spread = prop_oneof![
        Just(String::new()),
        (select(vec!["uniform", "normal"]), 0.0..15.0f64).prop_map(|(spread, percent)| {
            format!("spread = {spread:?}\nspread_percent = {percent:?}\n")
        }),
    ];
    let domains = select(vec![
        String::new(),
        "domains = \"one\"\n".to_owned(),
        "domains = \"blocks\"\n".to_owned(),
        format!("domains = \"blocks\"\nblock_sides = {block:?}\n"),
    ]);
    let phase = select(vec!["", "phase = \"zero\"\n", "phase = \"random\"\n"]);
    let numbers = (0.0..=100_000.0f64, 0u64..200, phase, wander());
    let oscillators =
        (spread, domains, numbers).prop_map(|(spread, domains, (drift, jitter, phase, wander))| {
            format!("{phase}{spread}{domains}drift_ppm = {drift:?}\njitter_ps = {jitter}\n{wander}")
        });
    let laws = || select(vec!["", "uniform", "normal", "data"]);
    let delay = move |name: &'static str| {
        let range = (500u64..1000, 1u64..1000, laws());
        let drawn = range.prop_map(move |(least, more, law)| {
            let law = match law {
                "" => String::new(),
                law => format!("{name}_law = {law:?}\n"),
            };
            format!("{name}_ps = [{least}, {}]\n{law}", least + more)
        });
        let fixed = (500u64..1000).prop_map(move |ps| format!("{name}_ps = {ps}\n"));
        prop_oneof![drawn, fixed]
    };
    let maybe = move |name| prop_oneof![Just(String::new()), delay(name)];
    let stages = (
        delay("word"),
        delay("decision"),
        maybe("allocation"),
        maybe("credit"),
    );
    let spread = select(vec![
        "",
        "spread = \"none\"\n",
        "spread = \"normal\"\nspread_percent = 4.5\n",
    ]);
    let arbiter = select(vec!["", "[clocks.arbiter]\nwindow_ps = 5\ntau_ps = 70\n"]);
    let others = (0u64..1000, -50.0..100.0f64, spread, arbiter);
    let self_timed = (stages, others).prop_map(
        |((word, decision, allocation, credit), (count, corner, spread, arbiter))| {
            format!(
                "[clocks.self-timed]\n{word}{decision}{allocation}{credit}count_ps = {count}\ncorner_percent = {corner:?}\n{spread}{arbiter}"
            )
        },
    );
    let stepping = prop_oneof![3 => oscillators, 1 => self_timed];
    let delays = select(vec![
        "",
        "[clocks.delays]\nspread = \"uniform\"\nspread_percent = 7.5\n",
        "[clocks.delays]\nfile = \"d é.csv\"\n",
        "[clocks.delays]\nfile = \"d é.csv\"\nspread = \"normal\"\nspread_percent = 0.0\n",
    ]);
    let all = (1000u64..4000, stepping, delays, islands(grid));
    all.prop_flat_map(|(period, stepping, delays, islands)| {
        let has_clocks = !stepping.contains("self-timed") || !islands.is_empty();
        changes(has_clocks).prop_map(move |changes| {
            format!("[clocks]\nperiod_ps = {period}\n{stepping}{delays}{islands}{changes}")
        })
    })
    .boxed()
}

/// How much clocks wander, or nothing.
fn wander() -> BoxedStrategy<String> {
    let bound = prop_oneof![
        Just(String::new()),
        (200u64..1000).prop_map(|bound| format!("wander_bound_ps = {bound}\n"))
    ];
    let drawn = (1u64..200, bound).prop_map(|(most, bound)| format!("wander_ps = {most}\n{bound}"));
    prop_oneof![Just(String::new()), Just("wander_ps = 0\n".into()), drawn].boxed()
}

/// Changes of all clocks, if there are any. Gates are short, so that greedy-hp's links hold what is sent meanwhile.
fn changes(has_clocks: bool) -> BoxedStrategy<String> {
    let period = prop_oneof![3 => (500u64..4000).prop_map(Some), 1 => Just(None)];
    let change = (500u64..100_000, period);
    prop::collection::vec(change, 0..4)
        .prop_map(move |changes| {
            let mut at = 0;
            let mut written = String::new();
            for (later, period) in changes.into_iter().filter(|_| has_clocks) {
                at += later;
                let what = match period {
                    Some(period) => format!("period_ps = {period}"),
                    None => "gated = true".into(),
                };
                written += &format!("[[clocks.changes]]\nat_ps = {at}\n{what}\n");
            }
            written
        })
        .boxed()
}

/// No island, or some islands of a few nodes each. Some node is in none, so that all other keys of clocks are read.
fn islands(grid: &Grid) -> BoxedStrategy<String> {
    let nodes: Vec<u32> = (0..grid.nodes()).collect();
    let most = (nodes.len() - 1).min(6);
    let chosen = prop::sample::subsequence(nodes, 0..=most);
    let clock = (
        500u64..4000,
        0u64..10_000,
        0u64..200,
        -100_000.0..=100_000.0f64,
        wander(),
    );
    (chosen, 1usize..4, prop::collection::vec(clock, 6)).prop_map(|(chosen, size, clocks)| {
        let islands = chosen.chunks(size).zip(clocks);
        let written = islands.map(|(nodes, (period, phase, jitter, drift, wander))| {
            format!(
                "[[clocks.islands]]\nnodes = {nodes:?}\nperiod_ps = {period}\nphase_ps = {phase}\njitter_ps = {jitter}\ndrift_ppm = {drift:?}\n{wander}"
            )
        });
        written.collect()
    })
.boxed()
}

/// A valid configuration.
pub(super) fn configuration() -> BoxedStrategy<String> {
    network()
        .prop_flat_map(|(grid, network)| {
            let router = router(&grid);
            engine(&grid).prop_flat_map(move |engine| {
                let Engine {
                    key,
                    network: links,
                    tables,
                } = engine;
                let network = format!("{network}{links}");
                let rest = (router.clone(), traffic_and_run(&grid, key));
                rest.prop_map(move |(router, rest)| format!("{network}{router}{rest}{tables}"))
            })
        })
        .boxed()
}

fn read(text: &str, directory: &Path) -> Resolved {
    resolve(text, "x.toml", directory, &[]).unwrap_or_else(|error| panic!("{error}\n\n{text}"))
}

#[test]
fn the_full_configuration_reads_back() {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("per\"m é.txt"), "0 1\n1 0\n").unwrap();
    let delays = "stage,node,port,ps\nlatency,*,*,640\nlatency,0,*,900\n";
    std::fs::write(directory.path().join("d é.csv"), delays).unwrap();
    proptest!(|(text in configuration())| {
        let lenient = Catalogue::default().resolve_with_unread(&text, "x.toml", directory.path(), &[]);
        let (resolved, _) = lenient.unwrap_or_else(|error| panic!("{error}\n\n{text}"));
        let full = resolved.to_toml();
        let again = read(&full, directory.path());
        prop_assert_eq!(&again, &resolved);
        prop_assert_eq!(again.to_toml(), full);
    });
}

#[test]
fn the_full_configuration_to_the_letter() {
    let full = "\
[network]
topology = \"mesh\"
sides = [4, 4]
link_latency_cycles = 1
duplex = \"full\"

[router.chaos]
packet_words = 10
multiqueue_frames = 5
stall_threshold_cycles = 7
decision_latency_cycles = 3
input_release_cycles = 13
output_reopen_cycles = 0
scan_order = [\"south\", \"north\", \"east\", \"west\"]
initial_pointer = \"fixed\"
multiqueue_policy = \"oldest-first\"
derouting = true
deroute_among = \"ready\"
multiqueue_freed_at = \"decision\"
bypass = true
cut_through = true
delivery = \"frame\"

[traffic]
process = \"bernoulli\"
load = 0.2
pattern = \"uniform\"
own_node = false

[run]
seed = 1
engine = \"sync\"
warmup_cycles = 10000
measure_cycles = 50000
drain_cycles = 600000
stop_at_overload = false
";
    assert_eq!(super::right(super::SHORT).to_toml(), full);
}
