//! A simulated network that fails ends the program with exit code 3 and a report on who waits for whom.

use crate::harness::Folder;

/// Minimal Chaos on a torus, with the smallest multiqueue: nothing prevents a deadlock.
const DEADLOCK: &str = r#"
[network]
topology = "torus"
sides = [8, 8]

[router.chaos]
derouting = false
multiqueue_frames = 1

[traffic]
pattern = "bit-complement"
load = 1.0

[run]
warmup_cycles = 200
measure_cycles = 500
drain_cycles = 1000
"#;

#[test]
fn a_deadlock_is_reported() {
    let folder = Folder::new();
    folder.write("deadlock.toml", DEADLOCK);
    for engine in ["sync", "sync-plain"] {
        let out = format!("out-{engine}");
        let args = ["run", "deadlock.toml", "--engine", engine, "--out", &out];
        let done = folder.flitwork(&args);
        assert_eq!(done.code, Some(3), "{}", done.err);
        assert!(done.out.starts_with("results (FAILED"), "{}", done.out);
        assert!(done.err.contains("lock: "), "{}", done.err);
        assert!(
            done.err
                .contains("nodes that wait for each other in a circle:\n  node ")
        );
        let wait = done
            .err
            .lines()
            .find(|line| line.contains("in the output frame"))
            .unwrap();
        assert!(wait.starts_with("node "), "{wait}");
        assert!(wait.contains(" waits for node ") && wait.contains("to free its input frame"));
        let waits = folder.read(&format!("{out}/waits.csv"));
        let lines = waits.lines().filter(|line| !line.starts_with('#'));
        let waits = lines.fold(String::new(), |all, line| all + line + "\n");
        let head = "node,coordinates,source,serial,destination,place,waits_for\n";
        assert!(waits.starts_with(head), "{waits}");
        let waits_for = wait.split(" waits for ").nth(1).unwrap();
        assert!(waits.contains(waits_for), "{wait}");
        let results = folder.json(&format!("{out}/results.json"));
        assert_eq!(results["status"], "failed");
        let failure = &results["failure"];
        assert_eq!(
            failure["waits"].as_array().unwrap().len() + 1,
            waits.lines().count()
        );
        assert!(
            failure["circle"].as_array().unwrap().len() >= 2,
            "{}",
            failure["circle"]
        );
        let left = results["packets_in_network"].as_u64().unwrap();
        assert_eq!(failure["packets"].as_u64().unwrap(), left);
    }
    let digest = |out: &str| folder.json(&format!("{out}/results.json"))["digest"].clone();
    assert_eq!(digest("out-sync"), digest("out-sync-plain"));
}

#[test]
fn a_deadlock_keeps_standard_output_pure_and_its_exit_code_through_a_pipe() {
    let folder = Folder::new();
    folder.write("deadlock.toml", DEADLOCK);
    let done = folder.flitwork(&["run", "deadlock.toml", "--json"]);
    assert_eq!(done.code, Some(3));
    assert_eq!(done.json()["failure"]["kind"], "deadlock");
    // Derouting prevents the deadlock.
    folder.fine(&[
        "run",
        "deadlock.toml",
        "--set",
        "router.chaos.derouting=true",
        "--set",
        "run.drain_cycles=2000",
    ]);
}

#[test]
fn a_deadline_that_comes_too_early_is_distinguished_from_a_deadlock() {
    let folder = Folder::new();
    let done = folder.flitwork(&["run", "small.toml", "--set", "run.drain_cycles=0"]);
    assert_eq!(done.code, Some(3));
    assert!(done.err.starts_with("deadline: "), "{}", done.err);
    assert!(done.err.contains("run.drain_cycles"), "{}", done.err);
    folder.write(
        "once.toml",
        "network = { topology = \"mesh\", sides = [4, 4] }\n\
        router.chaos = {}\ntraffic = { process = \"once\" }\nrun.deadline_cycles = 20\n",
    );
    let done = folder.flitwork(&["run", "once.toml"]);
    assert_eq!(done.code, Some(3));
    assert!(done.err.contains("run.deadline_cycles"), "{}", done.err);
}

/// Words of long packets cross slow switches while no head moves: 40,000 cycles are too few, and nobody waits in a circle.
#[test]
fn slow_words_are_no_deadlock() {
    let folder = Folder::new();
    folder.write(
        "slow.toml",
        "network = { topology = \"mesh\", sides = [4, 4] }\nrouter.wormhole = {}\ntraffic = { load = 0.5 }\n\
        [run]\nwarmup_cycles = 0\nmeasure_cycles = 1000\n",
    );
    let long = ["--set", "traffic.packet_words=4096", "--set"];
    let long = [&long[..], &["router.wormhole.switch_allocation_cycles=20"]].concat();
    let drained = |cycles: &str, more: &[&str]| {
        let drain = format!("run.drain_cycles={cycles}");
        folder.flitwork(&[&["run", "slow.toml", "--set", &drain], more].concat())
    };
    let done = drained("40000", &long);
    assert_eq!(done.code, Some(3), "{}", done.err);
    assert!(done.err.contains("\ndeadline: "), "{}", done.err);
    assert!(!done.err.contains("circle"), "{}", done.err);
    assert_eq!(drained("80000", &long).code, Some(0));
    let slow = "network.sides=[3,3] traffic.load=1 traffic.packet_words=200 router.wormhole.switch_allocation_cycles=300";
    let slow: Vec<&str> = slow.split(' ').flat_map(|set| ["--set", set]).collect();
    let done = drained("20000", &slow);
    assert_eq!(done.code, Some(3), "{}", done.err);
    assert!(done.err.contains("\ndeadline: "), "{}", done.err);
}

/// Queues on rings of five nodes fill while links of 1,024 cycles are busy: a circle is one on every engine, also where
/// nothing has moved for less time than the slowest of them may stand still.
#[test]
fn a_circle_behind_long_links_is_found_on_every_engine() {
    let folder = Folder::new();
    folder.write(
        "long.toml",
        "network = { topology = \"torus\", sides = [3, 5], link_latency_cycles = 1024 }\n\
        router.queueing = { allow_deadlock = true, frames = 1 }\n\
        traffic = { load = 1.0, pattern = \"tornado\" }\n\
        [run]\nwarmup_cycles = 0\nmeasure_cycles = 3000\ndrain_cycles = 100\n",
    );
    let reports = ["sync", "sync-stepped", "sync-plain", "clocked"].map(|engine| {
        let done = folder.flitwork(&["run", "long.toml", "--json", "--engine", engine]);
        assert_eq!(done.code, Some(3), "{engine}: {}", done.err);
        done.json()["failure"].clone()
    });
    assert_eq!(reports[0]["kind"], "deadlock");
    assert!(!reports[0]["circle"].as_array().unwrap().is_empty());
    for report in &reports[1..] {
        assert_eq!(report, &reports[0]);
    }
}

/// On a ring of five nodes each sends a packet of four words two nodes on. All nodes do the same at the same time: when the heads
/// reach the second node, its output still belongs to that node's own packet, and when that has left, it has taken four words
/// of the next buffer. Three of seven are left, and a packet is let in as a whole: none of the five ever moves. Two
/// packets have room in eight words.
#[test]
fn a_buffer_with_room_for_all_but_a_word_of_a_packet_lets_none_in() {
    let folder = Folder::new();
    folder.write(
        "ring.toml",
        "network = { topology = \"torus\", sides = [5] }\n\
        traffic = { process = \"once\", pattern = \"tornado\", packet_words = 4 }\n\
        run.deadline_cycles = 1000\n\
        [router.wormhole]\nvcs = 1\nrouting = \"fully-adaptive\"\nallow_deadlock = true\n",
    );
    for switching in ["cut-through", "store-and-forward"] {
        let switching = format!("router.wormhole.switching={switching}");
        let run = |words: &str| {
            let room = format!("router.wormhole.buffer_words={words}");
            folder.flitwork(&[
                "run",
                "ring.toml",
                "--json",
                "--set",
                &switching,
                "--set",
                &room,
            ])
        };
        let done = run("7");
        assert_eq!(done.code, Some(3), "{switching}: {}", done.err);
        let failure = &done.json()["failure"];
        assert_eq!(failure["kind"], "deadlock", "{switching}: {failure}");
        assert_eq!(failure["stuck"], 5, "{switching}: {failure}");
        assert_eq!(failure["circle"].as_array().unwrap().len(), 5, "{failure}");
        assert_eq!(run("8").code, Some(0), "{switching}");
    }
}
