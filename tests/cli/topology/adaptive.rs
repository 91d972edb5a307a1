//! Routing by queues through the command: throughput that papers state, one digest on all engines, and what is refused.

use crate::harness::{Done, Folder};

/// A dragonfly of nine groups of four nodes with two terminals each, with packets of a word.
fn dragonfly(folder: &Folder) {
    let text = "[network]\ntopology = \"dragonfly\"\ngroup_nodes = 4\nglobal_links = 2\n\
         [router.wormhole]\npreset = \"one-cycle\"\nvcs = 10\nbuffer_words = 32\n\
         [traffic]\npattern = \"adversarial\"\nload = 0.2\npacket_words = 1\n\
         [run]\nwarmup_cycles = 1000\nmeasure_cycles = 2000\n";
    folder.write("d.toml", text);
}

fn run(folder: &Folder, configuration: &str, sets: &[&str]) -> Done {
    let sets = sets.iter().flat_map(|set| ["--set", set]);
    let args: Vec<&str> = ["run", configuration, "--json"]
        .into_iter()
        .chain(sets)
        .collect();
    folder.flitwork(&args)
}

/// Of what a group's eight terminals send to the next group, one link takes all shortest paths: 1 / (a h) = 1/8 of a word for each. By way of other groups
/// up to 1/2 is possible (Kim and others 2008, section 4.2). Uniform traffic is carried by shortest paths, at their latency.
#[test]
fn detours_carry_what_shortest_paths_do_not() {
    let folder = Folder::new();
    dragonfly(&folder);
    let of = |routing: &str, pattern: &str, load: &str| {
        let routing = format!("router.wormhole.routing={routing}");
        let (pattern, load) = (
            format!("traffic.pattern={pattern}"),
            format!("traffic.load={load}"),
        );
        let done = run(&folder, "d.toml", &[&routing, &pattern, &load]);
        assert!(matches!(done.code, Some(0)), "{done:?}");
        done.json()
    };
    let accepted = |routing: &str, pattern: &str, load: &str| {
        let found = of(routing, pattern, load);
        found["accepted_load_words_per_node_cycle"]
            .as_f64()
            .unwrap()
    };
    for load in ["0.2", "0.5"] {
        let minimal = accepted("minimal", "adversarial", load);
        assert!((0.115..0.13).contains(&minimal), "{load}: {minimal}");
    }
    for routing in ["valiant", "ugal-l", "ugal-g", "par"] {
        let found = accepted(routing, "adversarial", "0.2");
        assert!((0.19..0.21).contains(&found), "{routing}: {found}");
    }
    for routing in ["valiant", "ugal-g", "par"] {
        let found = accepted(routing, "adversarial", "0.28");
        assert!((0.26..0.3).contains(&found), "{routing}: {found}");
    }
    let valiant = accepted("valiant", "uniform", "0.6");
    assert!((0.3..0.5).contains(&valiant), "{valiant}");
    for routing in ["minimal", "ugal-l", "ugal-g", "par"] {
        let found = accepted(routing, "uniform", "0.45");
        assert!((0.43..0.47).contains(&found), "{routing}: {found}");
    }
    let latency = |routing: &str| {
        let found = of(routing, "uniform", "0.1");
        found["latency_mean_cycles"].as_f64().unwrap()
    };
    let [minimal, local, valiant] = ["minimal", "ugal-l", "valiant"].map(latency);
    assert!(
        minimal <= local && local < (minimal + valiant) / 2.0,
        "{minimal} {local} {valiant}"
    );
}

/// A threshold beyond all queues leaves shortest paths only, in the same classes as before.
#[test]
fn a_large_threshold_leaves_no_detours() {
    let folder = Folder::new();
    dragonfly(&folder);
    for routing in ["ugal-l", "ugal-g", "par"] {
        let routing = format!("router.wormhole.routing={routing}");
        let hops = |threshold: &str| {
            let threshold = format!("router.wormhole.ugal_threshold_words={threshold}");
            let found = run(&folder, "d.toml", &[&routing, &threshold]).json();
            found["hops_per_packet"].as_f64().unwrap()
        };
        // Between two groups a shortest path has three links at most.
        assert!(hops("65535") <= 3.0, "{routing}");
        assert!(hops("0") > hops("65535") + 0.3, "{routing}");
    }
}

/// One digest on all engines that run a function: those that see other nodes need one clock.
#[test]
fn engines_agree_and_those_without_a_common_clock_refuse_ugal_g() {
    let folder = Folder::new();
    dragonfly(&folder);
    let ring = "[network]\ntopology = \"circulant\"\nnodes = 12\njumps = [1, 3]\n\
         [router.wormhole]\nvcs = 8\nbuffer_words = 6\n\
         [traffic]\npattern = \"random-permutation\"\nload = 0.7\npacket_words = 5\n\
         [run]\nwarmup_cycles = 200\nmeasure_cycles = 1000\n";
    folder.write("c.toml", ring);
    folder.write(
        "m.toml",
        ring.replace("circulant", "torus")
            .replace("nodes = 12\njumps = [1, 3]", "sides = [4, 3]"),
    );
    for (configuration, routing) in [
        ("d.toml", "ugal-l"),
        ("d.toml", "ugal-g"),
        ("d.toml", "par"),
        ("c.toml", "ugal-l"),
        ("c.toml", "ugal-g"),
        ("m.toml", "ugal-l"),
        ("m.toml", "ugal-g"),
    ] {
        let routing = format!("router.wormhole.routing={routing}");
        let on = |engine: &str| {
            let engine = format!("run.engine={engine}");
            run(
                &folder,
                configuration,
                &[&routing, &engine, "traffic.load=0.4"],
            )
        };
        let digest = |engine: &str| {
            let done = on(engine);
            assert_eq!(done.code, Some(0), "{engine}, {routing}: {done:?}");
            done.json()["digest"].clone()
        };
        let plain = digest("sync-plain");
        for engine in ["sync", "sync-stepped"] {
            assert_eq!(digest(engine), plain, "{configuration} {engine}, {routing}");
        }
        if !routing.ends_with("ugal-g") {
            assert_eq!(digest("clocked"), plain, "{configuration}, {routing}");
            continue;
        }
        for engine in ["clocked", "live"] {
            let done = on(engine);
            assert_eq!(done.code, Some(2), "{engine}: {done:?}");
            if configuration != "d.toml" || engine == "clocked" {
                let says = "router.wormhole.routing is \"ugal-g\"";
                let allowed = "allowed: run.engine = \"sync\", \"sync-stepped\" or \"sync-plain\": ugal-g sees the queues of all nodes, on one clock only";
                assert!(
                    done.err.contains(says) && done.err.contains(allowed),
                    "{done:?}"
                );
            }
        }
    }
}

/// A live run decides by what it sees, and its replay does the same.
#[test]
fn a_live_run_replays() {
    let folder = Folder::new();
    let text = "[network]\ntopology = \"fully-connected\"\nnodes = 6\n[router.wormhole]\nrouting = \"ugal-l\"\nvcs = 3\n\
         [traffic]\npattern = \"random-permutation\"\nload = 0.5\npacket_words = 4\n[run]\nwarmup_cycles = 100\nmeasure_cycles = 500\n";
    folder.write("f.toml", text);
    let live = [
        "run", "f.toml", "--engine", "live", "--record", "f.flog", "--json",
    ];
    let ran = folder.fine(&live).json();
    let replayed = folder.fine(&["replay", "f.flog", "--json"]).json();
    assert_eq!(replayed["digest"], ran["digest"]);
}

#[test]
fn what_does_not_fit_is_refused() {
    let folder = Folder::new();
    dragonfly(&folder);
    let refuses = |sets: &[&str], says: &[&str]| {
        let done = run(&folder, "d.toml", sets);
        assert_eq!(done.code, Some(2), "{sets:?}: {done:?}");
        for text in says {
            assert!(done.err.contains(text), "{sets:?}: {done:?}");
        }
    };
    let local = "router.wormhole.routing=ugal-l";
    refuses(
        &["router.wormhole.ugal_threshold_words=4"],
        &[
            "router.wormhole.ugal_threshold_words",
            "only with another routing function: minimal reads",
        ],
    );
    refuses(
        &[local, "router.wormhole.ugal_threshold_words=65536"],
        &["router.wormhole.ugal_threshold_words", "0 to 65535"],
    );
    refuses(
        &[local, "router.wormhole.vcs=3"],
        &[
            "router.wormhole.vcs is 3",
            "4 to 32 with ugal-l on this topology",
        ],
    );
    refuses(
        &["router.wormhole.routing=par", "router.wormhole.vcs=4"],
        &[
            "router.wormhole.vcs is 4",
            "5 to 32 with par on this topology",
        ],
    );
    refuses(
        &[local, "router.wormhole.axis_order=x-last"],
        &[
            "router.wormhole.axis_order",
            "only where nodes have coordinates",
        ],
    );
    folder.refuses(
        &["run", "small.toml", "--set", "traffic.pattern=adversarial"],
        &[
            "traffic.pattern is \"adversarial\"",
            "adversarial needs at least two groups of nodes",
        ],
    );
}
