//! Schedules' files on graphs, whose ports have names with spaces.

use crate::harness::Folder;

/// Both directions of each link: a ring of 5 nodes with a chord, so that nodes have 2 or 3 ports.
const LINKS: &str = "\
0,0,1,1\n1,1,0,0\n1,0,2,1\n2,1,1,0\n2,0,3,1\n3,1,2,0\n3,0,4,1\n4,1,3,0\n4,0,0,1\n0,1,4,0\n0,2,2,2\n2,2,0,2\n";
const NETWORK: &str = "[network]\ntopology = \"links\"\nfile = \"links.csv\"\n";
const PACKETS: &str = "[traffic]\nprocess = \"once\"\npattern = \"random-permutation\"\n";
const SCHEDULED: &str = "[router.scheduled]\nschedule = \"file\"\nfile = \"s.csv\"\n[traffic]\nprocess = \"schedule\"\n";

#[test]
fn what_is_written_on_a_graph_is_run() {
    let folder = Folder::new();
    folder.write("links.csv", LINKS);
    folder.write(
        "c.toml",
        format!("{NETWORK}[schedule.multistage]\n{PACKETS}"),
    );
    folder.write("run.toml", format!("{NETWORK}{SCHEDULED}"));
    for (options, waiting) in [
        ("", "0"),
        ("--select earliest --waiting 2", "2"),
        ("--method frames", "16"),
        ("--method exact --waiting 1", "1"),
    ] {
        for seed in ["1", "2", "3"] {
            let line =
                format!("schedule c.toml --out s.csv --force --json --seed {seed} {options}");
            let made = folder.fine(&line.split_whitespace().collect::<Vec<_>>());
            let file = folder.read("s.csv");
            assert!(file.contains("port 0"), "{file}");
            let waiting = format!("router.scheduled.waiting={waiting}");
            let ran = folder.fine(&["run", "run.toml", "--json", "--set", &waiting]);
            let (ran, made) = (ran.json(), made.json());
            assert_eq!(
                ran["latency_max_cycles"], made["makespan"],
                "{line}: {file}"
            );
        }
    }
}

/// What no port is called is named by its first word; a cycle that is none with its port.
#[test]
fn a_wrong_hop_is_named() {
    let folder = Folder::new();
    folder.write("links.csv", LINKS);
    folder.write("run.toml", format!("{NETWORK}{SCHEDULED}"));
    for (path, says) in [
        (
            "port 0 port 9",
            ["a path with \"port\"", "port 0, port 1, port 2"],
        ),
        (
            "port 0 east",
            ["a path with \"east\"", "port 0, port 1, port 2"],
        ),
        ("port 0@x", ["a path with \"port 0@x\"", "port 0@CYCLE"]),
    ] {
        folder.write("s.csv", format!("source,words,start,path\n0,1,0,{path}\n"));
        folder.refuses(&["run", "run.toml"], &["s.csv:2:1", says[0], says[1]]);
    }
}
