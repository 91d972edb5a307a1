//! A study and a paper's experiment from another crate: the command line runs both with every feature of its built-in
//! ones.

use crate::examples::own_study::parts;
use flitwork_config::Catalogue;
use flitwork_report::{Formats, Program};
use flitwork_schema::{Part, Parts};
use flitwork_studies::paper::PaperEntry;
use flitwork_studies::paths::OwnFolder;
use flitwork_studies::study::StudyEntry;
use flitwork_studies::{Context, End, Failed, StudyProgress};
use std::cell::RefCell;
use std::ops::ControlFlow;
use std::path::Path;

/// A front end that collects its output, and interrupts before a given run.
struct Kept {
    catalogue: Catalogue,
    out: RefCell<String>,
    folders: Vec<OwnFolder>,
    stops_at: u32,
    at: u32,
}

impl Context for Kept {
    fn program(&self) -> Program {
        Program {
            version: "0".into(),
            revision: "none".into(),
            command: "own".into(),
        }
    }

    fn catalogue(&self) -> &Catalogue {
        &self.catalogue
    }

    fn prepare(&self) -> Result<(), Failed> {
        let is_free = |folder: &OwnFolder| {
            let found = flitwork_files::own_files(&folder.path, &folder.owns);
            found.is_ok_and(|found| found.is_empty())
        };
        match self.folders.iter().all(is_free) {
            true => Ok(()),
            false => Err(Failed::bad_input("there already")),
        }
    }

    fn show(&mut self, at: StudyProgress<'_>) {
        if at.of.is_some() {
            self.at = at.position as u32;
        }
    }

    fn remark(&mut self, _: &str) {}

    fn done(&mut self) {}

    fn flow(&self) -> ControlFlow<()> {
        match self.is_interrupted() {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    }

    fn is_interrupted(&self) -> bool {
        self.at >= self.stops_at
    }

    fn print(&self, text: &str) -> Result<(), Failed> {
        self.out.borrow_mut().push_str(text);
        Ok(())
    }

    fn complain(&self, text: &str) {
        self.out.borrow_mut().push_str(text);
    }

    fn wrote(&self, _: &Path) {}
}

/// A command line of the program with the example's parts, interrupted before a given run.
fn run(stops_at: u32, line: &str) -> (Result<End, Failed>, String) {
    run_with(parts(), stops_at, line)
}

/// The same command line with other parts.
pub(crate) fn run_with(parts: Parts, stops_at: u32, line: &str) -> (Result<End, Failed>, String) {
    let all = ["flitwork"].into_iter().chain(line.split(' '));
    let matches = flitwork::command(&parts).try_get_matches_from(all);
    let matches = matches.unwrap_or_else(|error| panic!("{error}"));
    let mut kept = Kept {
        catalogue: Catalogue::new(parts.clone()),
        out: RefCell::default(),
        folders: Vec::new(),
        stops_at,
        at: 0,
    };
    let formats = Formats::of(&parts);
    let end = match matches.subcommand() {
        Some(("study", study)) => {
            let (name, matches) = study.subcommand().unwrap();
            let entry = parts.find::<StudyEntry>(name).unwrap();
            kept.folders = entry.folders(matches, &formats);
            entry.run(matches, &mut kept)
        }
        Some(("paper", matches)) => {
            let name = matches.get_one::<String>("experiment").unwrap();
            let PaperEntry(entry) = parts.find(name).unwrap();
            // Experiments share names of options: each reads its own.
            let own = line.split(' ').skip(2);
            let own = entry
                .command()
                .no_binary_name(true)
                .try_get_matches_from(own)
                .unwrap();
            kept.folders = entry.folders(&own, &formats);
            entry.run(&own, &mut kept)
        }
        other => panic!("{other:?}"),
    };
    (end, kept.out.into_inner())
}

#[test]
fn a_study_from_outside_is_run_by_the_command_line() {
    let (end, text) = run(9, "study low-load");
    assert_eq!(end, Ok(End::Fine));
    assert!(text.starts_with("side  latency_mean_cycles  "), "{text}");
    assert_eq!(text.lines().count(), 1 + 2, "{text}");
    let (end, json) = run(9, "study low-load --sides 4 --json");
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(end, Ok(End::Fine));
    assert_eq!(json["rows"][0]["side"], 4);
    assert!(json["rows"][0]["latency_mean_cycles"].as_f64().unwrap() > 10.0);
    assert_eq!(json["provenance"]["command"], "own");
    let configuration = json["provenance"]["configuration"]["side 4"].as_str();
    assert!(configuration.unwrap().contains("sides = [4, 4]"), "{json}");
    for (sides, why) in [("0", "--sides: "), ("2,2", "--sides: 2 is given twice")] {
        let (end, said) = run(9, &format!("study low-load --sides {sides}"));
        assert!(
            matches!(&end, Err(Failed::BadInput(it)) if it.starts_with(why)),
            "{end:?}"
        );
        assert_eq!(said, "");
    }
}

/// Uniform traffic on a mesh of k x k nodes takes 2k / 3 hops a packet; at a low load next to nothing is derouted.
#[test]
fn a_papers_experiment_from_outside_is_run_by_the_command_line() {
    let (end, text) = run(9, "paper mean-distance --sides 3");
    assert_eq!(end, Ok(End::Fine));
    assert!(
        text.starts_with("side     hops  published\n   3 "),
        "{text}"
    );
    assert!(text.ends_with("      2.000\n"), "{text}");
    let (_, json) = run(9, "paper mean-distance --sides 2,4,6 --json");
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    for row in json["rows"].as_array().unwrap() {
        let of = |name: &str| row[name].as_f64().unwrap();
        let error = of("hops_per_packet") / of("published_hops") - 1.0;
        assert!(error.abs() < 0.03, "{row}");
    }
}

#[test]
fn both_end_with_the_rows_that_are_done() {
    for line in [
        "study low-load --sides 2,3,4",
        "paper mean-distance --sides 2,3,4",
    ] {
        let (end, said) = run(1, line);
        assert_eq!(end, Ok(End::Interrupted));
        let last = "interrupted: only the rows that were done are shown";
        assert!(said.ends_with(last), "{said}");
        assert_eq!(said.lines().count(), 1 + 1 + 1, "{said}");
    }
}

#[test]
fn files_say_where_they_come_from_and_are_not_replaced() {
    for (command, table) in [
        ("study low-load", "low-load"),
        ("paper mean-distance", "mean-distance"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let line = format!("{command} --sides 2 --out {}", folder.path().display());
        assert_eq!(run(9, &line).0, Ok(End::Fine));
        let table = folder.path().join(format!("{table}.csv"));
        let table = std::fs::read_to_string(table).unwrap();
        assert!(table.starts_with("# schema_version = "), "{table}");
        assert!(table.contains("\nside,"), "{table}");
        let there = Failed::bad_input("there already");
        assert_eq!(run(9, &line), (Err(there), String::new()));
    }
}

#[test]
fn help_names_both_among_the_others() {
    let parts = parts();
    let names = parts.names::<StudyEntry>();
    assert!(
        names.is_sorted() && names.contains(&"low-load"),
        "{names:?}"
    );
    let names = parts.names::<PaperEntry>();
    assert!(
        names.is_sorted() && names.contains(&"mean-distance"),
        "{names:?}"
    );
    let mut command = flitwork::command(&parts);
    let mut help = |name: &str| {
        let subcommand = command.find_subcommand_mut(name).unwrap();
        subcommand.render_help().to_string()
    };
    let study = parts.find::<StudyEntry>("low-load").unwrap();
    assert!(help("study").contains(study.help()));
    let paper = help("paper");
    assert!(
        paper.contains("mean-distance") && paper.contains("--sides"),
        "{paper}"
    );
}
