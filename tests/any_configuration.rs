//! Any configuration is either refused with a reason, or runs to its end and loses nothing.

use flitwork_config::{Catalogue, MistakeKind, RouterEntry, resolve};
use flitwork_engine::Ended;
use flitwork_experiment::examine::{Deadlock, examine};
use flitwork_experiment::simulate::simulate;
use flitwork_router::allocate::ALLOCATORS;
use flitwork_router::deflection::PRIORITIES;
use flitwork_router::routing::ROUTINGS;
use flitwork_schema::Parts;
use flitwork_traffic::PatternEntry;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::Path;

/// A random subset of some lines.
fn some(lines: Vec<BoxedStrategy<String>>) -> BoxedStrategy<String> {
    let lines: Vec<_> = lines
        .into_iter()
        .map(|line| prop::option::weighted(0.15, line))
        .collect();
    lines
        .prop_map(|lines| {
            lines
                .into_iter()
                .flatten()
                .map(|line| line + "\n")
                .collect()
        })
        .boxed()
}

fn number(key: &'static str, range: std::ops::Range<u32>) -> BoxedStrategy<String> {
    range
        .prop_map(move |value| format!("{key} = {value}"))
        .boxed()
}

fn name(key: &'static str, names: Vec<&'static str>) -> BoxedStrategy<String> {
    select(names)
        .prop_map(move |name| format!("{key} = {name:?}"))
        .boxed()
}

fn truth(key: &'static str) -> BoxedStrategy<String> {
    any::<bool>()
        .prop_map(move |value| format!("{key} = {value}"))
        .boxed()
}

fn network() -> BoxedStrategy<String> {
    let sides = prop_oneof![
        5 => prop::collection::vec(1u32..6, 2..=2),
        1 => prop::collection::vec(1u32..9, 1..=1),
        2 => prop::collection::vec(1u32..4, 3..=4),
    ];
    (select(vec!["mesh", "torus"]), sides, 1u32..4)
        .prop_map(|(shape, sides, latency)| {
            format!("[network]\ntopology = {shape:?}\nsides = {sides:?}\nlink_latency_cycles = {latency}\n")
        })
        .boxed()
}

fn wormhole() -> BoxedStrategy<String> {
    let allocators = || ALLOCATORS.iter().map(|it| it.name).collect::<Vec<_>>();
    let switchings = vec!["wormhole", "cut-through", "store-and-forward"];
    let lines = vec![
        name("preset", vec!["booksim-iq", "one-cycle", "four-stage"]),
        number("vcs", 0..9),
        number("buffer_words", 0..20),
        name("routing", ROUTINGS.iter().map(|it| it.name).collect()),
        name("dateline", vec!["wrapping", "crossed", "descending"]),
        name("axis_order", vec!["x-first", "x-last"]),
        number("misroutes", 0..6),
        name("switching", switchings),
        name("reallocation", vec!["tail-sent", "buffer-empty"]),
        number("route_cycles", 0..4),
        number("vc_allocation_cycles", 0..4),
        number("switch_allocation_cycles", 0..4),
        number("traversal_cycles", 0..4),
        number("credit_cycles", 0..4),
        number("injection_cycles", 0..4),
        truth("speculative"),
        name("vc_allocator", allocators()),
        name("switch_allocator", allocators()),
        number("switch_iterations", 0..4),
        name("matrix_first", vec!["lowest", "highest"]),
        name("speculation", vec!["after", "beside", "together"]),
        truth("ejection_credits"),
        name("port_order", vec!["compass", "pairs"]),
        name("first_turn", vec!["link", "local"]),
    ];
    some(lines)
        .prop_map(|lines| format!("[router.wormhole]\n{lines}"))
        .boxed()
}

fn deflection() -> BoxedStrategy<String> {
    let lines = vec![
        name(
            "preset",
            vec!["flit-bless", "worm-bless", "chipper", "minbd"],
        ),
        name("switching", vec!["flit", "worm"]),
        name("priority", PRIORITIES.iter().map(|it| it.name).collect()),
        name("port_choice", vec!["ordered", "random"]),
        number("eject_words", 0..5),
        number("side_buffer_flits", 0..6),
        number("redirection_cycles", 0..5),
        number("epoch_cycles", 0..50),
        number("transactions", 0..20),
    ];
    some(lines)
        .prop_map(|lines| format!("[router.deflection]\n{lines}"))
        .boxed()
}

fn chaos() -> BoxedStrategy<String> {
    let lines = vec![
        name("preset", vec!["chinn-1995", "chinn-1995-b", "chaos-chip"]),
        number("packet_words", 0..30),
        number("multiqueue_frames", 1..8),
        number("stall_threshold_cycles", 0..20),
        number("decision_latency_cycles", 0..6),
        number("output_reopen_cycles", 0..3),
        name("deroute_among", vec!["ready", "all"]),
        name("multiqueue_freed_at", vec!["decision", "tail"]),
        name(
            "multiqueue_policy",
            vec!["oldest-first", "newest-first", "random"],
        ),
        name("delivery", vec!["frame", "vanish"]),
    ];
    some(lines)
        .prop_map(|lines| format!("[router.chaos]\n{lines}"))
        .boxed()
}

fn traffic() -> BoxedStrategy<String> {
    let patterns = || Parts::new().names::<PatternEntry>();
    let open = prop_oneof![
        6 => (0.01..1.05f64).prop_map(|load| format!("load = {load}\n")),
        2 => (0.01..0.5f64, 0.4..1.2f64, 0.5..40.0f64).prop_map(|(load, peak, burst)| {
            format!("process = \"on-off\"\nload = {load}\non-off = {{ peak_load = {peak}, burst_cycles = {burst} }}\n")
        }),
        1 => (select(vec!["many-to-one\"\ndestination", "hot-spot\"\nhot_fraction = 0.2\nhot_nodes", "shift\"\nshift", "swap\"\nlocality", "reflection\"\nlocality"]), 0u32..20)
            .prop_map(|(pattern, node)| {
                let node = if pattern.starts_with("hot") { format!("[{node}]") } else { node.to_string() };
                format!("load = 0.1\npattern = \"{pattern} = {node}\n")
            }),
        2 => number("process = \"once\"\nk", 0..4),
        1 => number("process = \"k-k\"\nk", 0..4),
        1 => (0u32..4, 0u32..60).prop_map(|(k, packets)| format!("process = \"h-h\"\nk = {k}\npackets = {packets}\n")),
        2 => (0u32..6, 0u32..4, 0u32..9, 0u32..9, any::<bool>()).prop_map(|(requests, outstanding, words, reply, replies)| {
            let replies = if replies {
                format!("outstanding = {outstanding}, reply_words = {reply}")
            } else {
                "replies = false".into()
            };
            format!("process = \"batch\"\nbatch = {{ requests = {requests}, request_words = {words}, {replies} }}\n")
        }),
    ];
    let lines = vec![
        name("pattern", patterns()),
        number("packet_words", 0..24),
        (1u32..9, 1u32..20)
            .prop_map(|(least, most)| {
                format!(
                    "lengths = {{ law = \"uniform\", least_words = {least}, most_words = {most} }}"
                )
            })
            .boxed(),
    ];
    (open, some(lines))
        .prop_map(|(process, lines): (String, String)| {
            // Each key is given once.
            let twice = |line: &&str| process.contains("pattern") && line.starts_with("pattern");
            let lines: Vec<&str> = lines.lines().filter(|line| !twice(line)).collect();
            format!("[traffic]\n{process}\n{}\n", lines.join("\n"))
        })
        .boxed()
}

fn text() -> BoxedStrategy<String> {
    // Every router with its defaults, and those with many keys in many variants.
    let plain = select(Parts::new().names::<RouterEntry>());
    let router = prop_oneof![
        5 => wormhole(),
        3 => deflection(),
        2 => chaos(),
        3 => plain.prop_map(|name| format!("[router.{name}]\n")),
    ];
    let engine = select(vec!["sync", "sync-stepped", "sync-plain", "clocked"]);
    (network(), router, traffic(), engine, any::<u64>())
        .prop_map(|(network, router, traffic, engine, seed)| {
            let cycles = if traffic.contains("load") {
                "warmup_cycles = 50\nmeasure_cycles = 300\ndrain_cycles = 200000\n"
            } else {
                "deadline_cycles = 400000\n"
            };
            format!("{network}{router}{traffic}[run]\nengine = {engine:?}\nseed = {seed}\n{cycles}")
        })
        .boxed()
}

/// The configuration of a seed.
fn configuration(seed: u64) -> String {
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &bytes);
    let mut runner = TestRunner::new_with_rng(Config::default(), rng);
    text().new_tree(&mut runner).unwrap().current()
}

/// Whether a configuration can have this key, this table, or an array with this element.
fn is_known(key: &str) -> bool {
    let key = key.split('[').next().unwrap_or_default();
    let known = |name: &str| {
        let rest = name.strip_prefix(key);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    let keys = Catalogue::default().describe_keys();
    keys.iter().any(|other| known(&other.key))
}

/// The outcome of the configurations of some seeds: how many were refused, by the kind of mistake, and how
/// many ran on each router.
fn outcomes(seeds: std::ops::Range<u64>) -> BTreeMap<String, u64> {
    let mut outcomes = BTreeMap::new();
    for seed in seeds {
        let text = configuration(seed);
        let outcome = match resolve(&text, "any.toml", Path::new(""), &[]) {
            Err(error) => {
                let typed = matches!(
                    error.kind(),
                    MistakeKind::Value | MistakeKind::Conflict | MistakeKind::Missing
                );
                assert!(
                    typed && error.allowed().is_some(),
                    "seed {seed}: {error}\n{text}"
                );
                if let Some(key) = error.key() {
                    assert!(is_known(key), "seed {seed}: {error}\n{text}");
                }
                format!("refused: {:?}", error.kind())
            }
            Ok(resolved) => {
                let run = simulate(&resolved, &mut |_| ControlFlow::Continue(()));
                let seen = &run.observation;
                let known = !matches!(examine(&resolved).deadlock, Deadlock::Unknown(_));
                let empty = run.outcome.ended == Ended::Empty;
                assert!(empty || !known, "seed {seed}: {:?}\n{text}", run.outcome);
                if empty {
                    assert_eq!(seen.injected, seen.delivered, "seed {seed}\n{text}");
                    let left = seen.created - seen.delivered;
                    assert_eq!(left, run.outcome.backlog, "seed {seed}\n{text}");
                }
                format!("ran: {}", resolved.router.name())
            }
        };
        *outcomes.entry(outcome).or_default() += 1;
    }
    outcomes
}

#[test]
fn a_thousand_configurations_are_refused_or_lose_nothing() {
    let outcomes = outcomes(0..1000);
    let ran: u64 = outcomes
        .iter()
        .filter(|it| it.0.starts_with("ran"))
        .map(|it| it.1)
        .sum();
    // Not all were refused and not all ran, and every router is among those that ran.
    assert!((200..900).contains(&ran), "{outcomes:?}");
    for name in Parts::new().names::<RouterEntry>() {
        assert!(
            outcomes.contains_key(&format!("ran: {name}")),
            "{outcomes:?}"
        );
    }
}

/// `FLITWORK_SOAK_RUNS=100000 cargo test --test networks any_configuration:: -- --ignored`.
#[test]
#[ignore = "minutes: FLITWORK_SOAK_RUNS, 20,000 by default, from FLITWORK_SOAK_SEED on"]
fn many_configurations_are_refused_or_lose_nothing() {
    let number = |name: &str, usual| {
        let given = std::env::var(name).ok();
        given.map_or(usual, |text| text.parse().expect("a number"))
    };
    let first = number("FLITWORK_SOAK_SEED", 1000);
    let runs = number("FLITWORK_SOAK_RUNS", 20_000);
    let outcomes = outcomes(first..first + runs);
    assert_eq!(outcomes.values().sum::<u64>(), runs);
}
