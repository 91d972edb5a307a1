//! What sweeps refuse: axes, options and folders.

use crate::harness::Folder;
use std::fs;

#[test]
fn mistakes_are_reported_before_anything_runs() {
    let folder = Folder::new();
    let sweep = |more: &[&'static str]| [&["sweep", "small.toml", "--out", "out"], more].concat();
    for (more, says) in [
        (
            &["--over", "traffic.laod=1,2"][..],
            &["point 0 (traffic.laod = 1)", "did you mean traffic.load?"][..],
        ),
        (
            &["--over", "traffic.load=0.1,1.5"],
            &[
                "point 1 (traffic.load = 1.5)",
                "--over traffic.load=1.5",
                "0 to 1",
            ],
        ),
        (
            &["--over", "traffic.load=0.1:0.5:0.3"],
            &["the steps pass 0.5: from 0.4 to 0.7"],
        ),
        (&["--over", "traffic.load"], &["not KEY=VALUES"]),
        (&["--over", "traffic.load="], &["empty"]),
        (
            &["--over", "run.seed=1:1000001:1"],
            &["1000001 values", "1,000,000"],
        ),
        (
            &["--over", "run.seed=1:2000:1", "--seeds", "2"],
            &["--seeds"],
        ),
        (
            &[
                "--over",
                "run.seed=1:2000:1",
                "--over",
                "run.warmup_cycles=1:2000:1",
            ],
            &["4000000 points"],
        ),
        (
            &[
                "--over",
                "router.chaos.multiqueue_frames=3,4",
                "--set",
                "router.chaos.multiqueue_frame=3",
            ],
            &["point 0", "did you mean"],
        ),
        (
            &["--over", "run.engine=sync,live"],
            &["point 1 (run.engine = live)"],
        ),
    ] {
        folder.refuses(&sweep(more), says);
        assert!(!folder.path("out/sweep.csv").exists());
    }
    folder.refuses(&["sweep", "none.toml"], &["none.toml: doesn't exist"]);
    let skipped = folder.fine(&sweep(&[
        "--over",
        "traffic.load=0.1,1.5",
        "--skip-refused",
        "--set",
        "run.seed=7",
    ]));
    assert!(
        skipped.out.contains("refused                1: not run"),
        "{}",
        skipped.out
    );
}

#[test]
fn options_that_make_no_sense_are_refused() {
    let folder = Folder::new();
    for (more, says) in [
        (&["--shard", "4/3"][..], "3/16"),
        (&["--jobs", "0"], "allowed"),
        (&["--seeds", "0"], "allowed"),
    ] {
        let done = folder.flitwork(&[&["sweep", "small.toml"], more].concat());
        assert_eq!(done.code, Some(2));
        assert!(done.err.contains(says), "{}", done.err);
    }
}

#[test]
fn folders_that_cant_be_used_are_refused() {
    let folder = Folder::new();
    folder.fine(&[
        "sweep",
        "small.toml",
        "--over",
        "traffic.load=0.1,0.2",
        "--out",
        "out",
    ]);
    let other = [
        "sweep",
        "small.toml",
        "--over",
        "traffic.load=0.1,0.3",
        "--out",
        "out",
    ];
    folder.refuses(
        &other,
        &[
            "out: holds another sweep",
            "--over traffic.load: 0.1,0.2 there, 0.1,0.3 now",
        ],
    );
    folder.write("file", "");
    folder.refuses(
        &["sweep", "small.toml", "--out", "file"],
        &["file: can't be written: not a directory"],
    );
    folder.refuses(
        &["sweep", "small.toml", "--out", "file/below"],
        &["can't be written"],
    );
    fs::create_dir(folder.path("stray")).unwrap();
    folder.write("stray/journal.jsonl", "");
    folder.refuses(
        &["sweep", "small.toml", "--out", "stray"],
        &["a journal without its sweep.toml"],
    );
    let part = ["sweep", "small.toml", "--out", "stray", "--shard", "1/2"];
    folder.refuses(&part, &["a journal without its sweep.toml"]);
    let left: Vec<_> = fs::read_dir(folder.path("stray")).unwrap().collect();
    assert_eq!(left.len(), 1, "{left:?}");
    // A point that is refused leaves nothing either.
    let over = "traffic.load=0.1,7";
    folder.refuses(
        &["sweep", "small.toml", "--over", over, "--out", "refused"],
        &["traffic.load is 7"],
    );
    assert!(
        fs::read_dir(folder.path("refused"))
            .unwrap()
            .next()
            .is_none()
    );
    folder.write("stray/sweep.toml", "format = 1");
    folder.refuses(
        &["sweep", "small.toml", "--out", "stray"],
        &["sweep.toml: not a sweep's"],
    );
    folder.refuses(&["merge", "stray"], &["not a sweep's"]);
    folder.refuses(&["merge", "none"], &["none/sweep.toml: can't be read"]);
}
