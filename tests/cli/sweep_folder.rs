//! What is in a sweep's folder: its own files, and somebody else's.

use crate::clashes::keeps;
use crate::harness::Folder;
use std::fs;

/// A sweep resumes in its own folder; in another one it replaces nothing.
#[test]
fn a_sweep_replaces_no_tables_but_its_own() {
    let folder = Folder::new();
    fs::create_dir(folder.path("mine")).unwrap();
    for name in ["sweep.csv", "latency.svg"] {
        folder.write(&format!("mine/{name}"), "mine");
        let command = "sweep small.toml --over traffic.load=0.1 --out mine";
        let says = [
            "--out: mine has",
            name,
            "no sweep.toml",
            "allowed: the folder of a sweep",
        ];
        keeps(&folder, &format!("mine/{name}"), command, &says);
        let sweep = [
            "sweep",
            "small.toml",
            "--over",
            "traffic.load=0.1",
            "--out",
            "own",
        ];
        folder.fine(&sweep);
        keeps(
            &folder,
            &format!("mine/{name}"),
            "merge own --out mine",
            &says,
        );
        fs::remove_file(folder.path(&format!("mine/{name}"))).unwrap();
    }
}

/// A sweep that was killed while it wrote a file leaves it half-written under another name. The next one removes it, and no
/// file that only looks like one.
#[test]
fn a_resumed_sweep_removes_what_it_left_half_written() {
    let folder = Folder::new();
    let sweep = ["sweep", "small.toml", "--over", "traffic.load=0.1,0.2"];
    folder.fine(&sweep);
    let left = [
        ".sweep.toml.x7Fq2a.new",
        ".sweep.csv.AbCd12.new",
        ".latency.png.000000.new",
    ];
    let others = [
        ".sweep.toml.my.new",
        ".notes.txt.x7Fq2a.new",
        ".sweep.toml.x7Fq2a.old",
        "sweep.toml.x7Fq2a.new",
    ];
    for name in left.iter().chain(&others) {
        folder.write(&format!("small-sweep/{name}"), "half");
    }
    let done = folder.fine(&sweep);
    assert!(done.out.contains("2 of them done earlier"), "{}", done.out);
    for name in left {
        assert!(
            !folder.path(&format!("small-sweep/{name}")).exists(),
            "{name}"
        );
    }
    for name in others {
        assert_eq!(folder.read(&format!("small-sweep/{name}")), "half");
    }
}
