//! `flitwork trace export`: what is written, what is refused, and what a signal leaves.

use crate::harness::{Folder, interrupt};
use std::fs;

/// The formats that every program has, each with how its files begin.
const FORMATS: [(&str, &[u8]); 3] = [
    ("fst", &[0, 0, 0, 0, 0, 0, 0, 1, 0x49]),
    ("perfetto", &[0x0a]),
    ("vcd", b"$version"),
];

fn export<'a>(run: &'a str, format: &'a str, file: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    [&["trace", "export", run, format, file], more].concat()
}

#[test]
fn each_format_is_written_of_configurations_records_and_indexes() {
    let folder = Folder::new();
    let record = [
        "run",
        "small.toml",
        "--engine",
        "live",
        "--record",
        "run.flog",
    ];
    folder.fine(&record);
    folder.fine(&["run", "small.toml", "--trace", "small.fltrace"]);
    let mut sizes = Vec::new();
    for run in ["small.toml", "run.flog", "small.fltrace"] {
        for (format, begin) in FORMATS {
            let (option, file) = (format!("--{format}"), format!("file.{format}"));
            let done = folder.fine(&export(run, &option, &file, &["--force", "--to", "300"]));
            assert_eq!((&*done.out, &*done.err), ("", ""));
            let bytes = fs::read(folder.path(&file)).unwrap();
            assert!(
                bytes.starts_with(begin),
                "{run} {format}: {:?}",
                &bytes[..12]
            );
            sizes.push((format, bytes.len()));
        }
    }
    // An index is the run that it leads to. FST has no place for the command line.
    assert_eq!(sizes[0], sizes[6]);
    folder.fine(&export("small.toml", "--parquet", "events", &["--words"]));
    let events = fs::read(folder.path("events")).unwrap();
    assert!(events.starts_with(b"PAR1"));
    let clocked = ["--engine", "clocked", "--to", "100000"];
    folder.fine(&export("small.toml", "--vcd", "ps.vcd", &clocked));
    assert!(folder.read("ps.vcd").contains("$timescale 1 ps $end"));
    assert!(folder.read("file.vcd").contains("$timescale 1 ns $end"));
    // A folder that isn't there is made.
    folder.fine(&export(
        "small.toml",
        "--vcd",
        "new/folder/a.vcd",
        &["--to", "20"],
    ));
    assert!(folder.path("new/folder/a.vcd").is_file());
}

#[test]
fn what_is_wrong_is_refused_with_what_is_allowed() {
    let folder = Folder::new();
    let refuses = |more: &[&str], says: &[&str]| {
        for (format, _) in FORMATS {
            let option = format!("--{format}");
            folder.refuses(&export("small.toml", &option, "file", more), says);
            assert!(!folder.path("file").exists(), "{format} {more:?}");
        }
    };
    refuses(
        &["--where", "nod == 3"],
        &[
            "there is no column nod",
            "allowed: ",
            "node, node.x, node.y",
        ],
    );
    refuses(&["--where", "node == "], &["--where", "expected"]);
    refuses(
        &["--from", "200", "--to", "200"],
        &["--from 200", "--to 200", "allowed: 0 to 199"],
    );
    refuses(
        &["--from", "99999999"],
        &["--from 99999999", "the run ends before", "allowed: 0 to "],
    );
    refuses(
        &["--to", "99999999"],
        &["--to 99999999", "the run ends before", "allowed: 1 to "],
    );
    refuses(
        &["--from", "40000"],
        &["--from 40000", "the run is over at ", "allowed: 0 to "],
    );
    refuses(
        &["--limit", "10"],
        &[
            "--limit",
            "more than 10 ",
            "before ",
            "allowed: less of the run",
        ],
    );
    refuses(&["--limit", "0"], &["--limit"]);
    refuses(&["--vcd", "a", "--fst", "b"], &["cannot be used"]);
    folder.refuses(
        &["trace", "export", "small.toml"],
        &["--fst", "--vcd", "--perfetto"],
    );
    folder.refuses(&export("none.toml", "--fst", "file", &[]), &["none.toml"]);
    fs::create_dir(folder.path("folder")).unwrap();
    folder.refuses(
        &export("small.toml", "--fst", "folder", &[]),
        &["--fst", "folder", "directory"],
    );
    folder.write("old", "old");
    folder.refuses(
        &export("small.toml", "--fst", "old", &[]),
        &["old exists", "--force"],
    );
    folder.refuses(
        &export("small.toml", "--fst", "old/file", &[]),
        &["old/file"],
    );
    assert_eq!(folder.read("old"), "old");
}

#[test]
fn nothing_chosen_is_said() {
    let folder = Folder::new();
    let more = ["--where", "node > 99", "--to", "50"];
    for (format, _) in FORMATS {
        let (option, file) = (format!("--{format}"), format!("file.{format}"));
        let done = folder.fine(&export("small.toml", &option, &file, &more));
        assert!(done.err.contains("are chosen"), "{}", done.err);
        assert!(folder.path(&file).is_file());
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_a_failure_and_a_pipe_takes_what_goes_forwards_only() {
    let folder = Folder::new();
    for (format, _) in FORMATS {
        let option = format!("--{format}");
        let done = folder.flitwork(&export(
            "small.toml",
            &option,
            "/dev/full",
            &["--to", "100"],
        ));
        assert_eq!(done.code, Some(1), "{format}: {}", done.err);
        assert!(
            done.err.contains("/dev/full: can't be written"),
            "{}",
            done.err
        );
    }
    let done = folder.fine(&export(
        "small.toml",
        "--vcd",
        "/dev/stdout",
        &["--to", "100"],
    ));
    assert!(done.out.starts_with("$version"), "{}", done.out);
    let says = ["/dev/stdout is a pipe", "allowed: a file"];
    folder.refuses(
        &export("small.toml", "--fst", "/dev/stdout", &["--to", "100"]),
        &says,
    );
}

/// Ctrl-C gives what there is, as a file that is whole.
#[cfg(unix)]
#[test]
fn a_signal_leaves_a_whole_file_of_what_lies_before() {
    let folder = Folder::new();
    let long = [
        "--set",
        "run.measure_cycles=100000000",
        "--limit",
        "4000000000",
    ];
    for (format, begin) in FORMATS {
        let (option, file) = (format!("--{format}"), format!("file.{format}"));
        // Few signals, so that the disk isn't filled.
        let filter = match format {
            "perfetto" => "packet == 3.0",
            _ => "node == 3 && kind == 'packets'",
        };
        let args = export(
            "small.toml",
            &option,
            &file,
            &[&long[..], &["--where", filter]].concat(),
        );
        let mut child = folder.start(&args);
        std::thread::sleep(std::time::Duration::from_millis(1200));
        assert!(
            !folder.path(&file).exists(),
            "{format} has its name before it is whole"
        );
        interrupt(&child);
        let done = folder.end(&mut child);
        assert_eq!(done.code, Some(130), "{format}: {}", done.err);
        let said = format!("interrupted: {file} holds what lies before ");
        assert!(done.err.contains(&said), "{}", done.err);
        let bytes = fs::read(folder.path(&file)).unwrap();
        assert!(bytes.starts_with(begin), "{format}");
        let note = b"interrupted: what lies before ";
        assert!(bytes.windows(note.len()).any(|it| it == note), "{format}");
        let left = fs::read_dir(folder.path("")).unwrap();
        let names: Vec<_> = left.map(|entry| entry.unwrap().file_name()).collect();
        assert!(
            names
                .iter()
                .all(|name| !name.to_string_lossy().ends_with(".new")),
            "{names:?}"
        );
    }
}

/// A lone packet of four words passes two wormhole routers: its head takes a cycle to enter, four in each router and one over
/// the link, so that its words leave for the processor in the cycles 1 + 2 · 4 + 1 = 10 to 13
/// (`docs/src/routers/wormhole.md`). The packet is delivered in cycle 14, the last one, in which no word leaves.
#[test]
fn no_word_is_on_a_link_at_the_end_of_a_run() {
    let folder = Folder::new();
    folder.write(
        "lone.toml",
        "network = { topology = \"mesh\", sides = [2] }\nrouter.wormhole = {}\n\
         [traffic]\nprocess = \"once\"\npacket_words = 4\npattern = \"many-to-one\"\ndestination = 1\n",
    );
    let local = ["--where", "node == 1 && kind == 'link' && port == 'local'"];
    folder.fine(&export("lone.toml", "--vcd", "lone.vcd", &local));
    let text = folder.read("lone.vcd");
    let declared = text.lines().find(|line| line.contains(" word_index "));
    let code = declared.unwrap().split(' ').nth(3).unwrap();
    let (mut time, mut words) = (0, Vec::new());
    for line in text.lines() {
        if let Some(at) = line.strip_prefix('#') {
            time = at.parse::<u64>().unwrap();
        } else if let Some((value, of)) = line.split_once(' ')
            && of == code
        {
            words.push((time, value));
        }
    }
    let expected = [
        (0, "bz"),
        (10, "b0"),
        (11, "b1"),
        (12, "b10"),
        (13, "b11"),
        (14, "bz"),
    ];
    assert_eq!(words, expected, "{text}");
    assert_eq!(time, 15, "the cycle after the last: {text}");
}
