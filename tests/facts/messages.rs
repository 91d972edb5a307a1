//! The program's answers to bad input: the whole of standard error, and the exit code. What is the same for every key is
//! stated as a rule, and every key is held against it; one message of each kind and part is recorded.

#[path = "messages/commands.rs"]
mod commands;
#[path = "messages/expected.rs"]
mod expected;
#[path = "messages/files.rs"]
mod files;
#[path = "messages/keys.rs"]
mod keys;
#[path = "messages/mistakes.rs"]
mod mistakes;
#[path = "messages/properties.rs"]
mod properties;
#[path = "messages/reference.rs"]
mod reference;
#[path = "messages/unread.rs"]
mod unread;
#[path = "messages/workloads.rs"]
mod workloads;
#[path = "messages/wrong.rs"]
mod wrong;

use crate::program::{Done, each, flitwork, root, temporary, typed};
use crate::record::{Fact, compare};
use std::fs;
use std::path::Path;

/// A configuration that leaves whatever it can to the defaults.
pub(crate) const SMALL: &str = "\
[network]
topology = \"mesh\"
sides = [4, 4]
[router.chaos]
[traffic]
load = 0.2
";

/// A bad input: files to write, and the command that reads them.
pub(crate) struct Case {
    /// The mistake, unless the command shows it.
    wrong: String,
    files: Vec<(&'static str, Vec<u8>)>,
    args: Vec<String>,
}

impl Case {
    fn new(wrong: impl Into<String>, args: &[&str]) -> Case {
        let args = args.iter().map(|arg| (*arg).to_owned()).collect();
        Case {
            wrong: wrong.into(),
            files: Vec::new(),
            args,
        }
    }

    /// `flitwork check` of a text.
    fn text(wrong: impl Into<String>, text: impl Into<Vec<u8>>) -> Case {
        Case::new(wrong, &["check", "x.toml"]).with("x.toml", text)
    }

    fn with(mut self, name: &'static str, bytes: impl Into<Vec<u8>>) -> Case {
        self.files.push((name, bytes.into()));
        self
    }
}

/// The files that the cases' files refer to: `../t.csv` and others.
fn put_shared(folder: &Path) {
    for (name, of) in [
        ("t.csv", "traces/read-miss.csv"),
        ("t.tra.bz2", "traces/read-miss.tra.bz2"),
        ("s.csv", "configs/schedule.csv"),
    ] {
        fs::copy(root().join(of), folder.join(name)).unwrap();
    }
    fs::write(folder.join("p.txt"), "0 1\n1 0\n2 3\n3 2\n").unwrap();
    fs::write(folder.join("n.csv"), "from,to\na,b\n").unwrap();
    fs::write(folder.join("l.csv"), "0,0,1,1\n1,0,2,1\n2,0,0,1\n").unwrap();
}

/// Runs a case in a separate folder beside the shared files.
fn run(shared: &Path, number: usize, case: &Case) -> Done {
    let folder = shared.join(number.to_string());
    fs::create_dir(&folder).unwrap();
    for (name, bytes) in &case.files {
        fs::write(folder.join(name), bytes).unwrap();
    }
    let args: Vec<&str> = case.args.iter().map(String::as_str).collect();
    flitwork(&folder, &args)
}

/// The outcome of a case.
fn said_of(shared: &Path, number: usize, case: &Case) -> Fact {
    let done = run(shared, number, case);
    let args: Vec<&str> = case.args.iter().map(String::as_str).collect();
    let wrong = if case.wrong.is_empty() {
        String::new()
    } else {
        format!(", {}", case.wrong)
    };
    let came = format!("{}\n{}", done.exit(), done.err);
    Fact::new(
        format!("{}{wrong}", typed(&args)),
        came.replace(shared.to_str().unwrap(), ".."),
    )
}

fn compare_cases(file: &str, cases: Vec<Case>) {
    let shared = temporary();
    put_shared(shared.path());
    let numbered: Vec<(usize, Case)> = cases.into_iter().enumerate().collect();
    let facts = each(&numbered, |(number, case)| {
        said_of(shared.path(), *number, case)
    });
    compare(file, &facts);
}

/// A configuration with this text for the network, the router and the traffic.
fn with(network: &str, router: &str, traffic: &str) -> String {
    format!("[network]\n{network}\n{router}\n[traffic]\n{traffic}\n")
}

const MESH: &str = "topology = \"mesh\"\nsides = [4, 4]";

#[test]
fn messages_of_mistakes() {
    let replaced = mistakes::REPLACED.iter().map(|(from, to)| {
        assert!(SMALL.contains(from), "{from:?}");
        Case::text(format!("{to:?} for {from:?}"), SMALL.replace(from, to))
    });
    let set = mistakes::SET
        .iter()
        .map(|set| Case::new("", &["check", "x.toml", "--set", set]).with("x.toml", SMALL));
    let appended = mistakes::APPENDED
        .iter()
        .map(|lines| Case::text(format!("{lines:?} below"), format!("{SMALL}{lines}")));
    let whole = mistakes::WHOLE
        .iter()
        .map(|text| Case::text(format!("{text:?} alone"), *text));
    compare_cases(
        "messages-mistakes.txt",
        replaced.chain(set).chain(appended).chain(whole).collect(),
    );
}

#[test]
fn messages_of_workloads() {
    let workloads = workloads::WORKLOADS.iter().map(|(router, traffic)| {
        Case::text(
            format!("{router:?} and {traffic:?}"),
            with(MESH, router, traffic),
        )
    });
    let on = |network: &'static str, all: &'static [&'static str]| {
        all.iter().map(move |lines| {
            let router = format!("[router.wormhole]\n{lines}");
            let text = with(network, &router, "load = 0.1");
            Case::new(
                format!("{network:?} and {lines:?}"),
                &["run", "x.toml", "--set", "run.measure_cycles=10"],
            )
            .with("x.toml", text)
        })
    };
    let schedules = workloads::SCHEDULES.iter().map(|lines| {
        let text = with(
            MESH,
            "[router.scheduled]\nschedule = \"file\"\nfile = \"w.csv\"",
            "process = \"schedule\"",
        );
        Case::text(format!("w.csv is {lines:?}"), text).with("w.csv", *lines)
    });
    let torus = on(
        "topology = \"torus\"\nsides = [4, 4]",
        workloads::ON_A_TORUS,
    );
    let three = on(
        "topology = \"mesh\"\nsides = [2, 3, 2]",
        workloads::IN_THREE_DIMENSIONS,
    );
    compare_cases(
        "messages-workloads.txt",
        workloads
            .chain(torus)
            .chain(three)
            .chain(schedules)
            .collect(),
    );
}

#[test]
fn messages_of_keys() {
    compare_cases("messages-keys.txt", keys::cases());
}

#[test]
fn messages_of_keys_that_nothing_reads() {
    compare_cases("messages-unread.txt", keys::unread());
}

#[test]
fn messages_of_files() {
    compare_cases("messages-files.txt", files::cases());
}

#[test]
fn messages_of_commands() {
    compare_cases("messages-commands.txt", commands::cases());
}
