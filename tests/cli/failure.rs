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
