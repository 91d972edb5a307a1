//! `flitwork adversary`: constructed permutations, routed.

use crate::harness::Folder;
use std::collections::HashSet;

/// A mesh, a router, and one packet per source.
fn config(sides: &str, router: &str) -> String {
    format!(
        "[network]\ntopology = \"mesh\"\nsides = {sides}\n[router.{router}\n\
         [traffic]\nprocess = \"once\"\npattern = \"permutation\"\n"
    )
}

const MINIMAL: &str = "chaos]\nderouting = false\n";

/// The pairs of a written permutation: each node sends at most one packet, and receives at most one.
fn pairs(folder: &Folder, nodes: u64) -> usize {
    let written = folder.json("perm.json");
    let packets = written["packets"].as_array().unwrap();
    let side = |at: usize| -> HashSet<u64> {
        packets
            .iter()
            .map(|pair| pair[at].as_u64().unwrap())
            .filter(|node| *node < nodes)
            .collect()
    };
    assert_eq!(
        (side(0).len(), side(1).len()),
        (packets.len(), packets.len())
    );
    packets.len()
}

#[test]
fn a_constructed_permutation_routes_as_predicted() {
    let folder = Folder::new();
    for (sides, frames, nodes, corner) in [
        // cn = 7 n / (12 (k + 2)), k = frames + 3, n the shorter side.
        ("[60, 60]", 5, 3600, 3),
        ("[120, 100]", 5, 12_000, 5),
        ("[100, 120]", 5, 12_000, 5),
        ("[60, 60]", 2, 3600, 5),
    ] {
        let router = format!("{MINIMAL}multiqueue_frames = {frames}");
        folder.write("minimal.toml", config(sides, &router));
        let done = folder.fine(&[
            "adversary",
            "--config",
            "minimal.toml",
            "--out",
            "perm.json",
            "--force",
        ]);
        assert!(
            done.out.contains("Lemma 2.12             holds"),
            "{}",
            done.out
        );
        assert_eq!(done.err, "");
        assert_eq!(pairs(&folder, nodes), corner * corner, "{sides}");
        let written = folder.json("perm.json");
        assert_eq!(written["lemma_2_12"], true);
        assert_eq!(written["corner"], corner);
        for engine in ["sync", "sync-plain"] {
            let mut args = vec!["run", "minimal.toml", "--json", "--engine", engine];
            args.extend(["--set", "traffic.file=perm.json"]);
            let results = folder.fine(&args).json();
            assert_eq!(results["digest"], written["digest"], "{sides}, {engine}");
            // Every packet is made in cycle 0.
            assert_eq!(
                results["latency_max_cycles"], written["cycles"],
                "{sides}, {engine}"
            );
            let packets = written["packets"].as_array().unwrap().len();
            assert_eq!(results["packets_delivered"], packets);
        }
        assert!(done.out.contains(written["digest"].as_str().unwrap()));
    }
}

#[test]
fn a_corner_and_a_seed_can_be_chosen() {
    let folder = Folder::new();
    folder.write("minimal.toml", config("[60, 60]", MINIMAL));
    let args = [
        "adversary",
        "--config",
        "minimal.toml",
        "--out",
        "perm.json",
        "--force",
        "--corner",
        "8",
    ];
    folder.fine(&args);
    assert_eq!(pairs(&folder, 3600), 64);
    let one = folder.read("perm.json");
    folder.fine(&args);
    assert_eq!(folder.read("perm.json"), one);
    folder.fine(
        &args
            .iter()
            .chain(&["--seed", "2"])
            .copied()
            .collect::<Vec<_>>(),
    );
    assert_ne!(folder.json("perm.json")["packets"].to_string(), "");
    assert_ne!(folder.read("perm.json"), one);
}

#[test]
fn greedy_hp_gets_unique_destinations() {
    let folder = Folder::new();
    for sides in ["[60, 60]", "[120, 100]"] {
        folder.write("hp.toml", config(sides, "greedy-hp]"));
        let done = folder.fine(&[
            "adversary",
            "--config",
            "hp.toml",
            "--out",
            "perm.json",
            "--force",
        ]);
        assert!(!done.out.contains("Lemma"), "{}", done.out);
        assert!(pairs(&folder, 12_000) >= 9);
        let written = folder.json("perm.json");
        assert!(written["lemma_2_12"].is_null());
        let args = [
            "run",
            "hp.toml",
            "--json",
            "--set",
            "traffic.file=perm.json",
        ];
        let results = folder.fine(&args).json();
        assert_eq!(results["latency_max_cycles"], written["cycles"], "{sides}");
    }
}

/// The reported digest belongs to the cycles that are reported with it.
#[test]
fn greedy_hp_reports_the_digest_of_the_run_on_its_permutation() {
    let folder = Folder::new();
    folder.write("hp.toml", config("[60, 60]", "greedy-hp]"));
    folder.fine(&[
        "adversary",
        "--config",
        "hp.toml",
        "--out",
        "perm.json",
        "--force",
    ]);
    let args = [
        "run",
        "hp.toml",
        "--json",
        "--set",
        "traffic.file=perm.json",
    ];
    assert_eq!(
        folder.fine(&args).json()["digest"],
        folder.json("perm.json")["digest"]
    );
}

/// A configuration and options that don't fit it, and what the message contains.
const MISFITS: &[(&str, &[&str], &[&str])] = &[
    (
        "chaos.toml",
        &[],
        &[
            "chaos.toml: router.chaos.derouting is true",
            "allowed: false",
        ],
    ),
    (
        "minimal.toml",
        &["--set", "router.chaos.derouting=true"],
        &["--set router.chaos.derouting=true", "allowed: false"],
    ),
    (
        "minimal.toml",
        &["--set", "router.chaos.multiqueue_policy=random"],
        &["multiqueue_policy", "oldest-first or newest-first"],
    ),
    (
        "minimal.toml",
        &["--set", "network.topology=torus"],
        &["torus", "allowed: a mesh"],
    ),
    (
        "minimal.toml",
        &["--set", "network.sides=[60]"],
        &["allowed: a mesh of two"],
    ),
    (
        "minimal.toml",
        &["--set", "network.sides=[3, 3]"],
        &["side 3", "network.sides"],
    ),
    (
        "minimal.toml",
        &["--set", "network.sides=[600, 3]"],
        &["side 3", "--corner"],
    ),
    (
        "minimal.toml",
        &["--d", "40/3", "--set", "network.sides=[600, 600]"],
        &["--d: a corner", "allowed: 2 to"],
    ),
    (
        "minimal.toml",
        &["--d", "0.5"],
        &["--d", "allowed: a whole number, or a fraction such as 1/3"],
    ),
    (
        "hp.toml",
        &["--exchange", "link"],
        &[
            "command line: --exchange is given",
            "allowed: with router.chaos",
        ],
    ),
    (
        "hp.toml",
        &["--d", "1/3"],
        &["command line: --d is given", "allowed: with router.chaos"],
    ),
    (
        "minimal.toml",
        &["--corner", "1"],
        &["--corner 1", "allowed: 2 to"],
    ),
    (
        "minimal.toml",
        &["--corner", "40"],
        &["--corner 40", "allowed: 2 to"],
    ),
    (
        "minimal.toml",
        &["--corner", "0"],
        &["--corner", "allowed: "],
    ),
    (
        "minimal.toml",
        &["--corner", "x"],
        &["--corner", "allowed: "],
    ),
    (
        "minimal.toml",
        &["--seed", "-1"],
        &["--seed -1", "run.seed"],
    ),
];

#[test]
fn configurations_that_the_construction_is_not_made_for() {
    let folder = Folder::new();
    folder.write("chaos.toml", config("[60, 60]", "chaos]\n"));
    folder.write("minimal.toml", config("[60, 60]", MINIMAL));
    folder.write("hp.toml", config("[60, 60]", "greedy-hp]\n"));
    folder.write("perm.json", "precious");
    for (file, more, says) in MISFITS {
        let args = [
            "adversary",
            "--config",
            file,
            "--out",
            "perm.json",
            "--force",
        ];
        folder.refuses(&[&args[..], more].concat(), says);
    }
    assert_eq!(folder.read("perm.json"), "precious");
    folder.refuses(
        &["adversary", "--config", "minimal.toml"],
        &["--out <FILE>"],
    );
    folder.refuses(&["adversary", "--out", "perm.json"], &["--config <FILE>"]);
}

/// A corner that is a little too large is refused as fast as any other.
#[test]
fn corners_that_do_not_fit_are_refused_quickly() {
    let folder = Folder::new();
    folder.write("minimal.toml", config("[240, 240]", MINIMAL));
    let args = [
        "adversary",
        "--config",
        "minimal.toml",
        "--out",
        "perm.json",
        "--corner",
        "60",
    ];
    let mut child = folder.start(&args);
    let done = folder.end(&mut child);
    assert_eq!(done.code, Some(2), "{}", done.err);
    assert!(done.err.contains("allowed: 2 to"), "{}", done.err);
}
