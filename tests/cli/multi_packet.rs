//! `flitwork paper kaufmann-sibeyn` and its algorithms on `flitwork route`: what columns, keys and options say.

use crate::harness::Folder;
use serde_json::Value;

/// What the study prints as JSON.
fn study(options: &str) -> Value {
    let options: Vec<&str> = options.split_whitespace().collect();
    let args = [&["paper", "kaufmann-sibeyn"], &options[..], &["--json"]].concat();
    Folder::new().fine(&args).json()
}

/// The first row of one seed on a mesh, with barriers.
fn row(options: &str) -> Value {
    let barrier = "--topology mesh --phases barrier --seeds 1";
    study(&format!("{barrier} {options}"))["rows"][0].clone()
}

#[test]
fn columns_by_hand() {
    // On 4 x 4 three packets a node go two rows and two columns on: four links at most; over the middle of each row 2 * 3 each way;
    // out of a corner's two links 3, and over 24 links each way 16 * 3 * 4 / 2 over both dimensions. No row has more than others.
    let greedy = row("--algorithm greedy --n 4 --k 3 --workload k-ls");
    let bounds = [
        "distance_bound",
        "bisection_bound",
        "availability_bound",
        "bounds",
    ];
    assert_eq!(bounds.map(|it| greedy[it].as_u64().unwrap()), [4, 6, 4, 6]);
    assert_eq!(
        (&greedy["steps"], &greedy["phase_steps"]),
        (&12.into(), &"6 6".into())
    );
    assert_eq!(greedy["fullest_line"], 3.0);
    assert!(greedy["queue_max"].as_u64() > Some(3));
    assert_eq!(greedy["flits"], 1);
    assert!(greedy["leading"].is_null() && greedy["excess"].is_null());
    assert!(greedy["smeared_max"].is_null() && greedy["information_max"].is_null());
    // One packet a node: six links from corner to corner, and two over the middle of a row.
    let one = row("--algorithm greedy --n 4 --k 1 --workload k-pr");
    assert_eq!(bounds.map(|it| one[it].as_u64().unwrap()), [6, 2, 2, 6]);
    assert_eq!(
        (&one["leading"], &one["average"]),
        (&8.0.into(), &Value::Null)
    );
    // A worm of 5 flits a node: two over the middle of a row take ten steps.
    let worms = row("--algorithm nowrap --worms --n 4 --k 5 --workload k-pr");
    assert_eq!((&worms["bounds"], &worms["flits"]), (&10.into(), &5.into()));
    assert!(worms["phase_lemmas"].is_null(), "no lemma is of worms");
    // With other orders either.
    assert!(row("--priority fifo --n 4 --k 2")["phase_lemmas"].is_null());
    assert!(row("--n 4 --k 2")["phase_lemmas"].is_string());
    // n = 32, k = 32: the leading terms are 512 and 384, and the term of lower order √(1024 ln 32) = 59.573.
    let random = row("--algorithm nowrap --n 32 --k 32 --workload random");
    let apart = random["average_excess"].as_f64().unwrap() - random["excess"].as_f64().unwrap();
    assert!((apart - 128.0 / 59.573).abs() < 0.02, "{apart}");
    // Spread evenly, eight packets a node are 14 at most; and what isn't usual has columns.
    let smeared = row("--algorithm nowrap --n 8 --k 8 --workload k-pr --smear");
    assert!((8..=14).contains(&smeared["smeared_max"].as_u64().unwrap()));
    assert_eq!(
        (&smeared["smear"], &smeared["randomise"]),
        (&true.into(), &true.into())
    );
    assert_eq!(
        smeared["phase_steps"].as_str().unwrap().split(' ').count(),
        5
    );
    let plain = row("--algorithm nowrap --n 8 --k 8 --workload k-pr --without-randomising");
    assert_eq!(
        (&plain["smear"], &plain["randomise"]),
        (&false.into(), &false.into())
    );
    assert!(plain["strips"].is_null());
    let own = study("--algorithm no-l --topology torus --n 8 --k 2 --seeds 1 --strips own");
    assert_eq!(own["rows"][0]["strips"], "own");
    // L of a workload is what packets go.
    assert_eq!(
        row("--algorithm greedy --n 16 --k 1 --workload blocks --l 8")["L"],
        8
    );
}

#[test]
fn cuts_by_hand() {
    // By the point reflection each row's four packets of either half cross its middle, in seven steps: busy 4/7.
    let of = |epsilon: u32| {
        let found = study(&format!(
            "--algorithm strips --topology mesh --epsilon {epsilon} --n 8 --k 1 --workload k-pr --phases barrier --seeds 1 --cuts"
        ));
        let cuts = found["cuts"].as_array().unwrap().clone();
        cuts.into_iter()
            .filter(|it| it["phase"] == 2)
            .collect::<Vec<Value>>()
    };
    let rows = of(1);
    assert_eq!(rows.len(), 16);
    for cut in rows {
        assert_eq!(
            (&cut["packets"], &cut["steps"], &cut["links"]),
            (&4.into(), &7.into(), &1.into())
        );
        assert!((cut["busy"].as_f64().unwrap() - 4.0 / 7.0).abs() < 1e-9);
    }
    for cut in of(2) {
        let number = |name: &str| cut[name].as_f64().unwrap();
        assert_eq!((number("packets"), number("links")), (8.0, 2.0));
        assert!((number("busy") * 2.0 * number("steps") - 8.0).abs() < 1e-9);
    }
}

/// What the study runs is routed alike by `flitwork route` from the configurations in its results.
#[test]
fn configurations_are_routed_to_the_same_steps() {
    let folder = Folder::new();
    for (options, holds) in [
        ("--algorithm nowrap,wrap --worms --k 8", "flits = 8"),
        (
            "--algorithm nowrap --smear --k 4 --phases barrier",
            "smear = true",
        ),
        (
            "--algorithm level --topology mesh --epsilon 2 --k 4",
            "epsilon = 2",
        ),
        (
            "--algorithm nowrap --without-randomising --k 4",
            "randomise = false",
        ),
        (
            "--algorithm no-l --topology torus --strips own --k 4",
            "strips = \"own\"",
        ),
        ("--algorithm greedy --workload shift --k 2", "shift = 1"),
        (
            "--algorithm wrap --priority random,nearest-first --k 4 --seeds 2",
            "priority = \"nearest-first\"",
        ),
    ] {
        let found = study(&format!("--n 8 {options}"));
        let configurations = found["provenance"]["configuration"].as_object().unwrap();
        let all: Vec<&str> = configurations
            .values()
            .map(|it| it.as_str().unwrap())
            .collect();
        assert!(
            all.iter().any(|it| it.contains(holds)),
            "{options}: {all:?}"
        );
        let mut routed = Vec::new();
        for text in all {
            folder.write("one.toml", text);
            let one = folder.fine(&["route", "one.toml", "--json"]).json();
            routed.push((
                one["steps"].as_u64(),
                one["moves"].as_u64(),
                one["queue_max"].as_u64(),
            ));
        }
        let rows = found["rows"].as_array().unwrap().iter();
        let mut rows: Vec<_> = rows
            .map(|it| {
                (
                    it["steps"].as_u64(),
                    it["moves"].as_u64(),
                    it["queue_max"].as_u64(),
                )
            })
            .collect();
        rows.sort_unstable();
        routed.sort_unstable();
        assert_eq!(rows, routed, "{options}");
    }
}

const NOWRAP: &str = "[network]\ntopology = \"mesh\"\nsides = [8, 8]\n[rule.nowrap]\n[traffic]\nprocess = \"once\"\npattern = \"shift\"\nk = 2\n";

#[test]
fn keys_of_algorithms_are_read() {
    let folder = Folder::new();
    folder.write("nowrap.toml", NOWRAP);
    let routed = |sets: &[&str]| {
        let sets = sets.iter().flat_map(|it| ["--set", it]);
        let args: Vec<&str> = ["route", "nowrap.toml", "--json"]
            .into_iter()
            .chain(sets)
            .collect();
        folder.fine(&args).json()
    };
    let phases = |sets: &[&str]| {
        let found = routed(sets);
        let phases = found["phase_steps"].as_array().unwrap().iter();
        let phases: Vec<u64> = phases.map(|it| it.as_u64().unwrap()).collect();
        assert_eq!(found["steps"], phases.iter().sum::<u64>());
        phases.len()
    };
    // Three phases, two smearings between them; one if they coalesce.
    assert_eq!(phases(&[]), 3);
    assert_eq!(phases(&["rule.nowrap.smear=true"]), 5);
    assert_eq!(phases(&["rule.nowrap.phases=coalesced"]), 1);
    assert_eq!(phases(&["rule.nowrap.randomise=false"]), 2);
    // Each seed draws other places.
    let moves = |seed: &str| routed(&[&format!("run.seed={seed}")])["moves"].clone();
    assert!(moves("1") != moves("2") || moves("1") != moves("3"));
    // A worm of 5 flits over one link.
    let line = ["network.sides=[2]", "traffic.k=1", "rule.nowrap.flits=5"];
    assert_eq!(routed(&line)["steps"], 5);
    let coalesced = [
        "route",
        "nowrap.toml",
        "--set",
        "rule.nowrap.smear=true",
        "--set",
        "rule.nowrap.phases=coalesced",
    ];
    let refused = folder.flitwork(&coalesced);
    assert_eq!(refused.code, Some(2));
    assert!(refused.err.contains("rule.nowrap.smear"), "{}", refused.err);
}

#[test]
fn what_nothing_reads_is_refused() {
    for (options, says) in [
        (
            "--lemmas --plot x",
            "--plot: the lemmas don't read it; allowed: with --lemmas",
        ),
        ("--lemmas --worms", "--worms: the lemmas don't read it"),
        (
            "--instances 5",
            "--instances: only the lemmas read it; allowed: with --lemmas",
        ),
        (
            "--algorithm nowrap --strips learnt",
            "--strips: none of nowrap reads it",
        ),
        (
            "--plot fig.svg",
            "--plot: fig.svg looks like a file; allowed: a folder",
        ),
        (
            "--initial-pointer random",
            "--initial-pointer: kaufmann-sibeyn doesn't read it",
        ),
        (
            "--algorithm level --k 8,7 --n 32",
            "--k: level on a mesh of side 32, k-ls: a node sends 7 packets",
        ),
    ] {
        let args: Vec<&str> = ["paper", "kaufmann-sibeyn"]
            .into_iter()
            .chain(options.split(' '))
            .collect();
        let refused = Folder::new().flitwork(&args);
        assert_eq!(refused.code, Some(2), "{options}");
        assert!(
            refused.err.starts_with(&format!("error: {says}")),
            "{options}: {}",
            refused.err
        );
    }
}

#[test]
fn help_of_an_experiment_shows_its_options_alone() {
    let folder = Folder::new();
    let own = folder.fine(&["paper", "kaufmann-sibeyn", "--help"]).out;
    assert!(
        own.contains("--lemmas") && own.contains("--json") && !own.contains("--matching"),
        "{own}"
    );
    assert!(
        own.contains("Usage: flitwork paper kaufmann-sibeyn [OPTIONS]"),
        "{own}"
    );
    let all = folder.fine(&["paper", "--help"]).out;
    assert!(all.contains("--lemmas") && all.contains("--matching"));
}

#[test]
fn lemmas_are_checked_on_all_small_instances() {
    let found = study("--lemmas --instances 300");
    let rows = found["rows"].as_array().unwrap();
    // 1 to 4 packets, each one of 6 pairs of a line of 4, or of 8 of a ring.
    let all = rows
        .iter()
        .filter(|it| it["which"].as_str().unwrap().starts_with("all of 1 to 4"));
    let counts = all.map(|it| {
        (
            it["topology"].as_str().unwrap(),
            it["instances"].as_u64().unwrap(),
        )
    });
    let counts: Vec<_> = counts.collect();
    assert!(!counts.is_empty());
    for (topology, count) in counts {
        let expected = if topology == "line" {
            6 + 36 + 216 + 1296
        } else {
            8 + 64 + 512 + 4096
        };
        assert_eq!(count, expected, "{topology}");
    }
    // Orders aren't each other: by random as many instances don't take all that Lemma 4 allows.
    let equal = |priority: &str| {
        let of = |it: &&Value| {
            it["lemma"] == 4
                && it["priority"] == priority
                && it["which"].as_str().unwrap().starts_with("random")
        };
        rows.iter().find(of).unwrap()["equal"].clone()
    };
    assert_ne!(equal("random"), equal("nearest-first"));
}
