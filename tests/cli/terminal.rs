//! Help, versions, pipes, logs and narrow terminals.

use crate::harness::{Done, Folder};
use std::fs::OpenOptions;
use std::io::{BufRead, BufReader};
use std::process::Stdio;

#[test]
fn help_and_version() {
    let folder = Folder::new();
    for (args, says) in [
        (
            &["--help"][..],
            &[
                "Usage: flitwork",
                "run",
                "paper",
                "adversary",
                "Exit codes:\n  0    success",
            ][..],
        ),
        (&["-h"], &["Usage: flitwork"]),
        (&["help"], &["Usage: flitwork"]),
        (&["help", "run"], &["--out <DIR>"]),
        (
            &["run", "--help"],
            &[
                "<CONFIG>",
                "--set",
                "--seed",
                "--engine",
                "waits.csv",
                "sides = [8, 8]",
            ],
        ),
        (
            &["paper", "--help"],
            &[
                "--n <",
                "[default: 3]",
                "--plot",
                "--snapshot",
                "chinn-exp4",
            ],
        ),
        (
            &["adversary", "--help"],
            &["--config", "--out", "--corner", "traffic.file=FILE"],
        ),
        (&["reference", "--help"], &["Markdown"]),
        (&["reference"], &["| `traffic.load` |", "| `run.seed` |"]),
    ] {
        let done = folder.fine(args);
        assert_eq!(done.err, "");
        says.iter()
            .for_each(|say| assert!(done.out.contains(say), "{args:?}, {say}: {}", done.out));
    }
    let version = folder.fine(&["-V"]).out;
    assert_eq!(version, format!("flitwork {}\n", env!("CARGO_PKG_VERSION")));
    // Without a command there is nothing to do, and the help lists the commands.
    let done = folder.flitwork(&[]);
    assert_eq!((done.code, done.out.as_str()), (Some(2), ""));
    assert!(done.err.contains("Usage: flitwork"));
}

/// The minimal configuration in the help is valid.
#[test]
fn the_configuration_of_the_help_runs() {
    let folder = Folder::new();
    let help = folder.fine(&["run", "--help"]).out;
    let (_, text) = help.split_once("A minimal configuration:\n").unwrap();
    folder.write("least.toml", text.split_once("\n\n").unwrap().0);
    let results = folder.fine(&["run", "least.toml", "--json"]).json();
    assert_eq!(results["status"], "complete");
}

#[test]
fn a_narrow_terminal_gets_narrow_help() {
    let folder = Folder::new();
    for columns in ["40", "1", "0", "x", "99999"] {
        for command in ["run", "paper", "adversary"] {
            let done = Done::of(folder.command(&[command, "--help"]).env("COLUMNS", columns));
            assert_eq!(done.code, Some(0), "{}", done.err);
            assert!(done.out.contains("Usage"));
        }
        let done = Done::of(
            folder
                .command(&["run", "small.toml"])
                .env("COLUMNS", columns),
        );
        assert_eq!(done.code, Some(0), "{}", done.err);
    }
    let done = Done::of(folder.command(&["paper", "--help"]).env("COLUMNS", "40"));
    let widest = done.out.lines().map(|line| line.chars().count()).max();
    // The usage line isn't wrapped.
    assert!(widest <= Some(44), "{}", done.out);
}

/// `flitwork … | head -1`.
#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let folder = Folder::new();
    for args in [
        &["run", "small.toml", "--force", "--out", "out"][..],
        &["run", "small.toml", "--json"],
        &["paper", "chinn-exp2", "--n", "120", "--seeds", "1"],
        &["reference"],
        &["--help"],
        &["run", "--help"],
    ] {
        let mut command = folder.command(args);
        let mut child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::with_capacity(1, child.stdout.take().unwrap())
            .read_line(&mut line)
            .unwrap();
        let output = child.wait_with_output().unwrap();
        assert_eq!(
            (output.status.code(), output.stderr.as_slice()),
            (Some(0), &b""[..]),
            "{args:?}"
        );
        // A reader that never reads at all.
        let mut child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert_eq!(
            (output.status.code(), output.stderr.as_slice()),
            (Some(0), &b""[..]),
            "{args:?}"
        );
    }
    // Files are written nevertheless.
    assert_eq!(folder.json("out/results.json")["status"], "complete");
}

#[cfg(target_os = "linux")]
#[test]
fn outputs_that_are_full_are_failures_of_the_host() {
    let folder = Folder::new();
    let full = || OpenOptions::new().write(true).open("/dev/full").unwrap();
    for args in [
        &["run", "small.toml"][..],
        &["reference"],
        &["--help"],
        &["--version"],
    ] {
        let done = Done::of(folder.command(args).stdout(full()));
        assert_eq!(done.code, Some(1), "{args:?}");
        assert!(
            done.err.contains("standard output: "),
            "{args:?}: {}",
            done.err
        );
        assert!(!done.err.contains("panicked"), "{args:?}: {}", done.err);
    }
    // A closed standard error changes nothing.
    let done = Done::of(folder.command(&["run", "small.toml", "-vv"]).stderr(full()));
    assert_eq!(done.code, Some(0));
    let done = Done::of(
        folder
            .command(&["run", "missing.toml", "-vv"])
            .stderr(full()),
    );
    assert_eq!(done.code, Some(2));
}

#[test]
fn diagnostics_do_not_touch_standard_output() {
    let folder = Folder::new();
    let quiet = folder.fine(&["run", "small.toml", "--json"]);
    assert_eq!(quiet.err, "");
    for (more, log, says) in [
        (&["-v"][..], "", "running"),
        (&["-vv"], "", "resolved configuration"),
        (&["-vvvvv"], "", "running"),
        (&[], "debug", "resolved configuration"),
        (&[], "trace", "running"),
        (&[], "off, flitwork=debug,", "resolved configuration"),
        (&[], "///no[filter", "RUST_LOG"),
        (&[], "flitwork=loud", "RUST_LOG"),
    ] {
        let args: Vec<&str> = ["run", "small.toml", "--json"]
            .iter()
            .chain(more)
            .copied()
            .collect();
        let done = Done::of(folder.command(&args).env("RUST_LOG", log));
        assert_eq!(done.code, Some(0), "{}", done.err);
        assert_eq!(done.json()["digest"], quiet.json()["digest"]);
        assert!(done.err.contains(says), "{more:?}, {log:?}: {}", done.err);
        assert!(
            !done.err.contains('\u{1b}'),
            "colours for a file: {}",
            done.err
        );
    }
    let args = [
        "paper",
        "chinn-exp2",
        "--n",
        "120",
        "--seeds",
        "1",
        "--json",
        "-vv",
    ];
    let done = Done::of(folder.command(&args).env("RUST_LOG", "debug"));
    assert_eq!(done.json()["rows"].as_array().unwrap().len(), 2);
    assert!(done.err.contains("construction"));
}

/// Names that aren't plain ASCII, or aren't even text.
#[test]
fn odd_names_of_files() {
    let folder = Folder::new();
    let text = folder.read("small.toml");
    for name in ["a b.toml", "größe.toml", "-x.toml", "new\nline.toml"] {
        folder.write(name, &text);
        folder.fine(&["run", "--force", "--out", "aus gabe/é", "--", name]);
    }
    assert!(folder.path("aus gabe/é/results.json").exists());
    folder.write("\u{feff}.toml", format!("\u{feff}{text}"));
    folder.fine(&["run", "\u{feff}.toml"]);
    folder.write("dos.toml", text.replace('\n', "\r\n"));
    folder.fine(&["run", "dos.toml"]);
}
