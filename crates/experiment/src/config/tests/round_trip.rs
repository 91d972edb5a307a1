//! What is written out reads back as the same.

use crate::config::{Resolved, resolve};
use flitwork_topology::{Grid, Topology};
use flitwork_types::Port;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use std::path::Path;

fn network() -> impl Strategy<Value = (Grid, String)> {
    let sides = prop::collection::vec(2u32..6, 1..5);
    (any::<bool>(), sides, 1u32..=1024).prop_map(|(torus, sides, latency)| {
        let shape = if torus { "torus" } else { "mesh" };
        let text = format!(
            "[network]\ntopology = \"{shape}\"\nsides = {sides:?}\nlink_latency_cycles = {latency}\n"
        );
        let grid = if torus { Grid::torus(&sides) } else { Grid::mesh(&sides) };
        (grid.unwrap(), text)
    })
}

/// A `[router]` whose scan order is shuffled by `seed`.
fn router(grid: &Grid) -> BoxedStrategy<String> {
    let ports: Vec<String> = (0..grid.ports() as u8)
        .map(|it| grid.port_name(Port(it)))
        .collect();
    let orders = Just(ports).prop_shuffle();
    let numbers = (
        1u32..=4096,
        0u32..100,
        1u32..=64,
        0u32..1000,
        1u32..1000,
        0u32..100,
    );
    let names = (
        select(vec!["chinn-1995", "chaos-chip"]),
        select(vec!["fixed", "random"]),
        select(vec!["oldest-first", "newest-first", "random"]),
        select(vec!["frame", "vanish"]),
    );
    let written = prop::collection::vec(any::<bool>(), 13);
    let chaos = (orders, numbers, names, any::<[bool; 3]>(), written).prop_map(
        |(order, (words, room, frames, stall, latency, late), names, truths, written)| {
            let lines = [
                format!("packet_words = {words}"),
                format!("decision_latency_cycles = {latency}"),
                format!("frame_words = {}", (words + room).min(4096)),
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
    prop_oneof![4 => chaos, 1 => Just("[router.greedy-hp]\n".to_owned())].boxed()
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
    ]);
    prop_oneof![
        hot,
        many,
        plain.prop_map(str::to_owned),
        Just("pattern = \"permutation\"\nfile = \"per\\\"m é.txt\"\n".to_owned()),
    ]
    .boxed()
}

fn traffic_and_run(grid: &Grid) -> impl Strategy<Value = String> + use<> {
    let engine = select(vec!["", "engine = \"sync\"\n", "engine = \"sync-plain\"\n"]);
    let phases = (
        0u32..1_000_000_000,
        1u32..1_000_000_000,
        any::<Option<Index>>(),
    );
    let load = prop_oneof![Just(0.0), Just(1.0), Just(f64::MIN_POSITIVE), 0.0..=1.0f64];
    (any::<Option<u64>>(), engine, phases, pattern(grid), prop::option::of(load)).prop_map(
        |(seed, engine, (warmup, measure, drain), pattern, load)| {
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
}

/// A valid configuration.
pub(super) fn configuration() -> impl Strategy<Value = String> {
    network().prop_flat_map(|(grid, network)| {
        let rest = (router(&grid), traffic_and_run(&grid));
        rest.prop_map(move |(router, rest)| format!("{network}{router}{rest}"))
    })
}

fn read(text: &str, directory: &Path) -> Resolved {
    resolve(text, "x.toml", directory, &[]).unwrap_or_else(|error| panic!("{error}\n\n{text}"))
}

#[test]
fn the_full_configuration_reads_back() {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("per\"m é.txt"), "0 1\n1 0\n").unwrap();
    proptest!(|(text in configuration())| {
        let resolved = read(&text, directory.path());
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

[router.chaos]
packet_words = 10
frame_words = 10
multiqueue_frames = 5
stall_threshold_cycles = 7
decision_latency_cycles = 3
input_release_cycles = 13
scan_order = [\"south\", \"north\", \"east\", \"west\"]
initial_pointer = \"fixed\"
multiqueue_policy = \"oldest-first\"
derouting = true
bypass = true
cut_through = true
delivery = \"frame\"

[traffic]
process = \"bernoulli\"
load = 0.2
pattern = \"uniform\"

[run]
seed = 1
engine = \"sync\"
warmup_cycles = 10000
measure_cycles = 50000
drain_cycles = 600000
";
    assert_eq!(super::right(super::SHORT).to_toml(), full);
}
