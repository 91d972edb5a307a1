//! A study of a crate outside: a structure, and one line that adds it to the table.

use clap::Args;
use flitwork_report::Program;
use flitwork_schema::Parts;
use flitwork_studies::study::{Made, Output, Ran, Step, Study, StudyEntry};
use flitwork_studies::{At, Context, End, Failed};
use flitwork_topology::{Grid, Topology};
use serde::Serialize;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// How many nodes meshes of these sides have.
#[derive(Debug, Args)]
struct Sides {
    /// Sides of the meshes, in nodes.
    #[arg(long, value_delimiter = ',', default_value = "2,3")]
    sides: Vec<u32>,
    /// Print the rows as JSON.
    #[arg(long)]
    json: bool,
    /// Write the rows into this folder.
    #[arg(long)]
    out: Option<PathBuf>,
}

#[derive(Serialize)]
struct Row {
    side: u32,
    nodes: u32,
}

impl Study for Sides {
    type Row = Row;

    fn run(&self, context: &mut dyn Context) -> Result<Ran<Row>, Failed> {
        let mut rows = Vec::new();
        for side in &self.sides {
            let (name, done, of) = ("sides", rows.len() as u32, self.sides.len() as u32);
            if context.over_runs(|watcher| watcher(Step { name, done, of }).is_break()) {
                break;
            }
            let mesh = Grid::mesh(&[*side, *side]);
            let nodes = mesh.map_err(|error| Failed::bad_input(format!("--sides: {error}")))?;
            let (side, nodes) = (*side, nodes.nodes());
            rows.push(Row { side, nodes });
        }
        Ok(Ran::AsFar(rows))
    }

    fn configurations(&self) -> BTreeMap<String, String> {
        BTreeMap::new()
    }

    fn seeds(&self) -> (u64, u32) {
        (1, 1)
    }

    fn json(&self) -> bool {
        self.json
    }

    fn text(&self, rows: &[Row]) -> String {
        let line = |row: &Row| format!("{} {}\n", row.side, row.nodes);
        rows.iter().map(line).collect()
    }

    fn output(&self) -> Option<Output<'_>> {
        let path = self.out.as_deref()?;
        let (option, force, is_folder) = ("--out", false, true);
        Some(Output {
            option,
            path,
            force,
            is_folder,
        })
    }

    fn owns(&self, name: &str) -> bool {
        name == "sides.csv"
    }

    fn files(&self, rows: &[Row]) -> Vec<Made> {
        vec![Made::csv("sides.csv", self.text(rows))]
    }
}

/// A front end that collects its output, and stops before a run.
struct Kept {
    out: RefCell<String>,
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

    fn prepare_file(&self, _: &str, _: &Path, _: bool) -> Result<(), Failed> {
        Ok(())
    }

    fn prepare_folder(
        &self,
        option: &str,
        path: &Path,
        _: bool,
        owns: &dyn Fn(&str) -> bool,
    ) -> Result<(), Failed> {
        let found = flitwork_files::own_files(path, owns);
        match found
            .map_err(|error| Failed::unwritable(option, &error))?
            .is_empty()
        {
            true => Ok(()),
            false => Err(Failed::bad_input("there already")),
        }
    }

    fn show(&mut self, at: At<'_>) {
        if let At::Run(step) = at {
            self.at = step.done;
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

fn run(stops_at: u32, args: &[&str]) -> (Result<End, Failed>, String) {
    let parts = Parts::new().with(StudyEntry::of::<Sides>("sides", "Meshes"));
    let mut all = vec!["flitwork", "study", "sides"];
    all.extend(args);
    let matches = flitwork::command(&parts).try_get_matches_from(all).unwrap();
    let (_, study) = matches.subcommand().unwrap();
    let (name, matches) = study.subcommand().unwrap();
    let entry = parts.find::<StudyEntry>(name).unwrap();
    let out = RefCell::default();
    let mut kept = Kept {
        out,
        stops_at,
        at: 0,
    };
    let end = (entry.run)(matches, &mut kept);
    (end, kept.out.into_inner())
}

#[test]
fn a_study_from_outside_is_run_by_the_command_line() {
    assert_eq!(run(9, &[]), (Ok(End::Fine), "2 4\n3 9\n".into()));
    let (end, json) = run(9, &["--sides", "5", "--json"]);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(end, Ok(End::Fine));
    assert_eq!(json["rows"][0]["nodes"], 25);
    assert_eq!(json["provenance"]["command"], "own");
    let (end, _) = run(9, &["--sides", "0"]);
    assert!(matches!(end, Err(Failed::BadInput(why)) if why.starts_with("--sides: ")));
}

#[test]
fn it_ends_with_the_rows_that_are_done() {
    let (end, said) = run(1, &["--sides", "2,3,4"]);
    assert_eq!(end, Ok(End::Interrupted));
    assert_eq!(
        said,
        "2 4\ninterrupted: only the rows that were done are shown"
    );
}

#[test]
fn its_files_say_where_they_come_from_and_are_not_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().to_str().unwrap();
    assert_eq!(run(9, &["--out", out]).0, Ok(End::Fine));
    let table = std::fs::read_to_string(folder.path().join("sides.csv")).unwrap();
    assert!(table.starts_with("# schema_version = "), "{table}");
    assert!(table.ends_with("2 4\n3 9\n"), "{table}");
    let (end, said) = run(9, &["--out", out]);
    assert_eq!(
        (end, said),
        (Err(Failed::bad_input("there already")), String::new())
    );
}

#[test]
fn help_names_it_among_the_others() {
    let parts = Parts::new().with(StudyEntry::of::<Sides>("sides", "Meshes"));
    let names = parts.names::<StudyEntry>();
    assert!(names.is_sorted() && names.contains(&"sides"), "{names:?}");
    let mut command = flitwork::command(&parts);
    let study = command.find_subcommand_mut("study").unwrap();
    assert!(
        study
            .render_help()
            .to_string()
            .contains("  sides         Meshes\n")
    );
}
