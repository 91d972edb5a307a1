//! What a command reads and writes is compared, by file and not by spelling, before anything is opened for writing.

use crate::harness::Folder;
use std::fs;

/// A folder with a configuration of a trace, the record of a live run, and the index of a run.
fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("t.csv", "cycle,src,dst,words\n1,0,5,8\n2,3,4,8\n");
    let network =
        "network = { topology = \"mesh\", sides = [4, 4] }\nrouter.wormhole = { vcs = 2 }\n";
    let traced =
        "[traffic]\nprocess = \"trace\"\ntrace.file = \"t.csv\"\n[run]\ndeadline_cycles = 400\n";
    folder.write("traced.toml", format!("{network}{traced}"));
    folder.fine(&[
        "run",
        "small.toml",
        "--engine",
        "live",
        "--record",
        "keep.flog",
    ]);
    folder.fine(&["run", "small.toml", "--trace", "keep.fltrace"]);
    folder
}

/// The file is what it was after a command that must be refused, with all of `says`.
pub(crate) fn keeps(folder: &Folder, file: &str, command: &str, says: &[&str]) {
    let before = fs::read(folder.path(file)).unwrap();
    let args: Vec<&str> = command.split(' ').collect();
    folder.refuses(&args, says);
    assert!(
        fs::read(folder.path(file)).unwrap() == before,
        "{command} changes {file}"
    );
}

#[test]
#[rustfmt::skip]
fn what_is_read_is_never_overwritten() {
    let folder = folder();
    let link = |to: &str, name: &str| {
        std::os::unix::fs::symlink(to, folder.path(name)).unwrap();
    };
    link("small.toml", "link.toml");
    link("t.csv", "link.csv");
    fs::create_dir(folder.path("deep")).unwrap();
    link("../small.toml", "deep/up.toml");
    fs::hard_link(folder.path("small.toml"), folder.path("twin.jsonl")).unwrap();
    let read = "which is read and never overwritten";
    for (file, command, option) in [
        ("keep.flog", "replay keep.flog --log keep.flog", "RECORD"),
        ("keep.flog", "trace info keep.flog --log ./keep.flog", "RUN"),
        ("small.toml", "run small.toml --log small.toml", "CONFIG"),
        ("small.toml", "run small.toml --trace deep/../small.toml --force", "CONFIG"),
        ("small.toml", "run small.toml --trace link.toml --force", "CONFIG"),
        ("small.toml", "run link.toml --trace small.toml --force", "CONFIG"),
        ("small.toml", "run small.toml --trace deep/up.toml --force", "CONFIG"),
        ("small.toml", "run small.toml --trace twin.jsonl --force", "CONFIG"),
        ("small.toml", "run deep/up.toml --log twin.jsonl --trace x --force", "CONFIG"),
        ("t.csv", "run traced.toml --packets t.csv --force", "t.csv"),
        ("t.csv", "run traced.toml --packets link.csv --force", "t.csv"),
        ("t.csv", "run traced.toml --log t.csv --trace x --force", "t.csv"),
        ("t.csv", "trace export traced.toml --to 60 --vcd t.csv --force", "t.csv"),
        ("small.toml", "saturate small.toml --out out --log small.toml --force", "CONFIG"),
        ("small.toml", "adversary --config small.toml --out small.toml --force", "--config"),
        ("small.toml", "compare small.toml traced.toml --log small.toml", "A.toml"),
        ("keep.fltrace", "trace export keep.fltrace --to 60 --vcd keep.fltrace --force", "RUN"),
        ("keep.fltrace", "view keep.fltrace --export page --log keep.fltrace", "RUN"),
    ] {
        keeps(
            &folder,
            file,
            command,
            &[read, option, "allowed: another file"],
        );
    }
}

/// In a folder that a command fills, its own files are told by their names.
#[test]
fn what_is_read_is_not_in_a_folder_that_is_filled() {
    let folder = folder();
    fs::create_dir(folder.path("in")).unwrap();
    fs::copy(folder.path("small.toml"), folder.path("in/results.json")).unwrap();
    fs::copy(
        folder.path("small.toml"),
        folder.path("in/saturation-tried.csv"),
    )
    .unwrap();
    folder.fine(&["sweep", "traced.toml", "--seeds", "2", "--out", "s"]);
    let read = "which is read and never overwritten";
    for (file, command) in [
        ("in/results.json", "run in/results.json --out in --force"),
        (
            "in/results.json",
            "run in/../in/results.json --out ./in --force",
        ),
        (
            "in/saturation-tried.csv",
            "saturate in/saturation-tried.csv --out in --force",
        ),
        (
            "s/sweep.csv",
            "sweep traced.toml --over traffic.trace.file=t.csv,s/sweep.csv --out s",
        ),
        (
            "s/sweep.csv",
            "sweep traced.toml --set traffic.trace.file=s/sweep.csv --out s",
        ),
    ] {
        let (_, name) = file.split_once('/').unwrap();
        keeps(
            &folder,
            file,
            command,
            &["--out", name, read, "allowed: another folder"],
        );
    }
    // A link in the folder, through which the configuration would be overwritten.
    fs::create_dir(folder.path("linked")).unwrap();
    std::os::unix::fs::symlink("../small.toml", folder.path("linked/links.csv")).unwrap();
    let command = "run small.toml --out linked --force";
    keeps(&folder, "small.toml", command, &["--out", read]);
    // Any other file may be there.
    fs::copy(folder.path("small.toml"), folder.path("in/own.toml")).unwrap();
    folder.fine(&["run", "in/own.toml", "--out", "in", "--force"]);
}

/// A record and an index are read wherever they lie, and an index leads to the record and to the files of its run.
#[test]
fn what_an_index_leads_to_is_read() {
    let folder = folder();
    folder.fine(&["run", "traced.toml", "--trace", "traced.fltrace"]);
    let live = "run small.toml --engine live --record live.flog --trace live.fltrace";
    folder.fine(&live.split(' ').collect::<Vec<_>>());
    for (index, read) in [("traced.fltrace", "t.csv"), ("live.fltrace", "live.flog")] {
        let export = format!("trace export {index} --to 60 --vcd {read} --force");
        keeps(
            &folder,
            read,
            &export,
            &["--vcd", read, "never overwritten"],
        );
    }
}

#[test]
#[rustfmt::skip]
fn two_outputs_are_never_one_file() {
    let folder = folder();
    std::os::unix::fs::symlink("n.csv", folder.path("to-n.csv")).unwrap();
    fs::create_dir(folder.path("at")).unwrap();
    std::os::unix::fs::symlink("at", folder.path("also-at")).unwrap();
    let one = "are the same file";
    for (command, says) in [
        ("run small.toml --packets n.csv --trace n.csv", [one, "--packets n.csv", "--trace n.csv"]),
        ("run small.toml --packets n.csv --trace ./n.csv", [one, "--packets", "--trace ./n.csv"]),
        ("run small.toml --packets n.csv --log to-n.csv", [one, "--packets n.csv", "--log to-n.csv"]),
        ("run small.toml --packets at/n.csv --log also-at/../at/n.csv", [one, "--packets", "--log"]),
        ("run small.toml --engine live --record r.flog --trace r.flog --force", [one, "--record r.flog", "--trace r.flog"]),
        ("run small.toml --out oo --packets oo/links.csv", ["--packets oo/links.csv", "--out oo", "may write links.csv"]),
        ("run small.toml --out oo --log oo/results.json", ["--log oo/results.json", "--out oo", "may write results.json"]),
        ("run small.toml --out at --trace also-at/nodes.csv", ["--trace", "--out at", "nodes.csv"]),
        ("run small.toml --out oo --packets oo.csv/../oo/links.csv", ["--packets", "--out", "links.csv"]),
        ("run small.toml --out x.csv --packets x.csv", ["--out x.csv", "--packets x.csv", "the same path"]),
        ("run small.toml --out x.csv/o --packets x.csv", ["--out x.csv/o", "--packets x.csv", "lies in"]),
        ("run small.toml --packets x.csv --trace x.csv/i", ["--trace x.csv/i", "--packets", "lies in"]),
        ("sweep small.toml --out s --log s/journal.jsonl", ["--log", "--out s", "journal.jsonl"]),
        ("sweep small.toml --log small-sweep/sweep.csv", ["--log", "--out small-sweep", "sweep.csv"]),
        ("merge s --log s/shard-1-of-2.jsonl", ["--log", "s", "shard-1-of-2.jsonl"]),
        ("view small.toml --export page --log page/log.jsonl", ["--log", "--export page", "log.jsonl"]),
        ("study routers --out r --log r/routers.csv", ["--log", "--out r", "routers.csv"]),
        ("study async-load --plot a --log a/async-load-mesh-uniform.svg", ["--log", "--plot a", "async-load-mesh-uniform.svg"]),
        ("study greedy-steps --plot g.svg --log g.svg", [one, "--plot g.svg", "--log g.svg"]),
        ("paper chinn-exp1 --plot e.svg --log e.svg", [one, "--plot e.svg", "--log e.svg"]),
        ("paper chinn-exp1 --n 120 --snapshot 9 --log chinn-exp1-n120-chaos-cycle9.svg", ["--log", "--snapshot-dir .", "chinn-exp1-n120-chaos-cycle9.svg"]),
        ("saturate small.toml --out s --log s/saturation.csv", ["--log", "--out s", "saturation.csv"]),
        ("compare small.toml small.toml --out c --log c/comparison.csv", ["--log", "--out c", "comparison.csv"]),
        ("trace export small.toml --vcd v --log v", [one, "--vcd v", "--log v"]),
    ] {
        folder.refuses(&command.split(' ').collect::<Vec<_>>(), &says);
        // Not even a log was begun.
        let names: Vec<String> = crate::clashes::names(&folder);
        let usual = [
            "also-at",
            "at",
            "keep.flog",
            "keep.fltrace",
            "small.toml",
            "t.csv",
            "to-n.csv",
            "traced.toml",
        ];
        assert_eq!(names, usual, "{command}");
    }
    // Names that only look alike, and files beside each other.
    let fine = "run small.toml --out oo --packets oo/packets.csv --log log.jsonl --trace oo/links";
    folder.fine(&fine.split(' ').collect::<Vec<_>>());
    assert!(folder.read("oo/links.csv").starts_with('#'));
    assert!(folder.read("oo/packets.csv").starts_with('#'));
}

/// The sorted names in a folder.
fn names(folder: &Folder) -> Vec<String> {
    let entries = fs::read_dir(folder.path("")).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.collect();
    names.sort();
    names
}

/// A log is an output like others: it replaces a file with `--force` only, and where a command has no such option, never.
#[test]
fn a_log_replaces_nothing_unasked() {
    let folder = folder();
    folder.write("old.jsonl", "old");
    for (command, hint) in [
        ("run small.toml --log old.jsonl", "or --force"),
        ("reference --log old.jsonl", "allowed: another file\n"),
        (
            "replay keep.flog --log old.jsonl",
            "allowed: another file\n",
        ),
        ("study routers --log old.jsonl", "or --force"),
    ] {
        keeps(
            &folder,
            "old.jsonl",
            command,
            &["--log: old.jsonl exists", hint],
        );
    }
    // It says all that it would have said in a new file.
    folder.fine(&["run", "small.toml", "--log", "new.jsonl"]);
    folder.fine(&["run", "small.toml", "--log", "old.jsonl", "--force"]);
    let lines = |name: &str| folder.read(name).lines().count();
    assert!(lines("new.jsonl") > 1, "{}", folder.read("new.jsonl"));
    assert_eq!(lines("old.jsonl"), lines("new.jsonl"));
}

/// A refused command changes nothing: it begins no log, and empties none.
#[test]
#[rustfmt::skip]
fn a_refused_command_leaves_no_log() {
    let folder = folder();
    folder.write("old.jsonl", "old");
    let refused = [
        ("run no.toml", "no.toml"),
        ("run small.toml --set traffic.laod=0.1", "laod"),
        ("run small.toml --set traffic.load=7", "traffic.load"),
        ("run small.toml --engine live --rehearse panic:99@5", "there is no node 99"),
        ("run small.toml --memory 1kB", "memory"),
        ("run small.toml --every 1 --out o --set run.drain_cycles=100000000", "--every 1"),
        ("saturate small.toml --set router.chaos.nonsense=1", "nonsense"),
    ];
    for (command, says) in refused {
        let with = |log: &'static str| command.split(' ').chain(["--log", log]).collect::<Vec<_>>();
        folder.refuses(&with("new.jsonl"), &[says]);
        assert!(!folder.path("new.jsonl").exists(), "{command}");
        let forced: Vec<&str> = with("old.jsonl").into_iter().chain(["--force"]).collect();
        folder.refuses(&forced, &[says]);
        assert_eq!(folder.read("old.jsonl"), "old", "{command}");
        assert!(!folder.path("o").exists(), "{command}");
    }
    // These have no --force.
    for (command, says) in [
        ("sweep small.toml --over traffic.load=0.1,7 --jobs 1 --out s", "traffic.load"),
        ("check no.toml", "no.toml"),
        ("replay small.toml", "small.toml"),
        ("trace packets keep.fltrace --where nonsense", "--where"),
        ("list nonsense", "nonsense"),
    ] {
        let args: Vec<&str> = command.split(' ').chain(["--log", "new.jsonl"]).collect();
        folder.refuses(&args, &[says]);
        assert!(!folder.path("new.jsonl").exists(), "{command}");
    }
    // So the corrected command finds its log free, and makes its folder.
    let log = "ov/log.jsonl";
    folder.refuses(&["run", "small.toml", "--set", "traffic.load=7", "--out", "ov", "--log", log], &["traffic.load"]);
    assert!(!folder.path("ov").exists());
    folder.fine(&["run", "small.toml", "--out", "ov", "--log", log]);
    assert!(folder.read(log).lines().count() > 1);
}

/// A link to nothing is no folder, for whatever fills one. A folder that only a refused command would have filled isn't made.
#[cfg(target_os = "linux")]
#[test]
fn a_folder_behind_a_broken_link_is_refused() {
    let folder = Folder::new();
    std::os::unix::fs::symlink("nowhere", folder.path("link")).unwrap();
    for command in [
        "run small.toml --force --out link",
        "sweep small.toml --over traffic.load=0.1 --jobs 1 --out link",
        "view small.toml --export link",
    ] {
        let args: Vec<&str> = command.split(' ').collect();
        folder.refuses(&args, &["link: can't be written: not a directory"]);
    }
    folder.refuses(&["merge", "none"], &["none", "No such file"]);
    assert!(!folder.path("none").exists());
}

/// What holds nothing may be named twice.
#[cfg(target_os = "linux")]
#[test]
fn pipes_and_devices_are_written_to_by_several() {
    let folder = Folder::new();
    folder.fine(&[
        "run",
        "small.toml",
        "--log",
        "/dev/null",
        "--trace",
        "/dev/null",
        "--packets",
        "/dev/null",
    ]);
    let both = [
        "run",
        "small.toml",
        "--packets",
        "pipe.csv",
        "--log",
        "pipe.csv",
    ];
    let made = std::process::Command::new("mkfifo")
        .arg(folder.path("pipe.csv"))
        .status();
    assert!(made.unwrap().success());
    let reader = std::process::Command::new("cat")
        .arg(folder.path("pipe.csv"))
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    folder.fine(&both);
    let read = String::from_utf8(reader.wait_with_output().unwrap().stdout).unwrap();
    assert!(
        read.contains("source,") && read.contains("\"level\""),
        "{read}"
    );
    // Standard output, wherever it goes: what is in the file stays, and both follow it.
    for (stream, option) in [("stdout", "--trace"), ("stderr", "--log")] {
        let path = format!("/dev/{stream}");
        let mut command = folder.command(&["run", "small.toml", option, &path]);
        folder.write("into", "before\n");
        let into = fs::OpenOptions::new()
            .append(true)
            .open(folder.path("into"))
            .unwrap();
        let done = match stream {
            "stdout" => command.stdout(into).output().unwrap(),
            _ => command.stderr(into).output().unwrap(),
        };
        assert!(done.status.success(), "{done:?}");
        let into = fs::read(folder.path("into")).unwrap();
        assert!(
            into.starts_with(b"before\n") && into.len() > 500,
            "{}",
            into.len()
        );
    }
}
