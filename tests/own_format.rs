//! The example's format from another crate: every command that writes tables writes it beside the program's own.

use crate::examples::own_format::parts;
use flitwork_config::Catalogue;
use flitwork_experiment::simulate::simulate;
use flitwork_report::{Formats, Program};
use flitwork_results::{Files, Results};
use flitwork_sweep::{Axis, Base, Plan, Shard, Sweep, merge, sweep};
use std::fs;
use std::ops::ControlFlow;
use std::path::Path;

const TEXT: &str = "network = { topology = \"mesh\", sides = [3, 3] }\nrouter.chaos = {}\ntraffic.load = 0.1\n\
                    run = { warmup_cycles = 100, measure_cycles = 500 }\n";

fn program() -> Program {
    Program {
        version: "0".into(),
        revision: "none".into(),
        command: "own".into(),
    }
}

/// The cells of a table behind its provenance; only CSV has quotes.
fn rows(path: &Path, between: u8) -> Vec<Vec<String>> {
    let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{path:?}: {error}"));
    assert!(text.starts_with("# schema_version = "), "{text}");
    let mut reader = csv::ReaderBuilder::new();
    reader.delimiter(between).quoting(between == b',');
    let reader = reader.has_headers(false).comment(Some(b'#'));
    reader
        .from_reader(text.as_bytes())
        .deserialize()
        .map(Result::unwrap)
        .collect()
}

#[test]
fn a_runs_tables_are_written_in_a_format_from_outside() {
    let catalogue = Catalogue::new(parts());
    let resolved = catalogue.resolve(TEXT, "own.toml", Path::new(""), &[]);
    let resolved = resolved.unwrap();
    let run = simulate(&resolved, &mut |_| ControlFlow::Continue(()));
    let folder = tempfile::tempdir().unwrap();
    let files = Files {
        resolved: &resolved,
        run: &run,
        results: &Results::new(&resolved, &run),
        provenance: &program().ran(resolved.to_toml(), 1),
        formats: &Formats::of(&parts()),
        over_time: None,
    };
    flitwork_results::write_all(folder.path(), &files).unwrap();
    for table in ["results", "nodes", "links", "latency"] {
        let path = folder.path().join(table);
        let (own, csv) = (path.with_extension("tsv"), path.with_extension("csv"));
        assert_eq!(rows(&own, b'\t'), rows(&csv, b','), "{table}");
    }
    // A later run replaces it like its other files.
    assert!(flitwork_results::is_result(files.formats, "nodes.tsv"));
    assert!(!flitwork_results::is_result(
        &Formats::default(),
        "nodes.tsv"
    ));
}

#[test]
fn a_sweeps_table_is_written_in_a_format_from_outside() {
    let catalogue = Catalogue::new(parts());
    let base = Base::of_text(&catalogue, "own.toml", TEXT, Vec::new());
    let axis: Axis = "traffic.load=0.05,0.1".parse().unwrap();
    let plan = Plan::new(base, vec![axis], 1).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let asked = Sweep {
        plan: &plan,
        program: &program(),
        folder: folder.path(),
        shard: Shard::WHOLE,
        jobs: 1,
        skip_refused: false,
    };
    sweep(asked, &mut |_| ControlFlow::Continue(())).unwrap();
    let table = |folder: &Path| rows(&folder.join("sweep.tsv"), b'\t');
    let swept = table(folder.path());
    assert_eq!(swept.len(), 1 + 2);
    assert_eq!(swept, rows(&folder.path().join("sweep.csv"), b','));
    let merged = tempfile::tempdir().unwrap();
    let folders = [folder.path().to_owned()];
    let formats = Formats::of(&parts());
    merge(&folders, merged.path(), true, &program(), &formats).unwrap();
    assert_eq!(table(merged.path()), swept);
}

#[test]
fn the_command_line_knows_a_format_from_outside() {
    let mut program = flitwork::command(&parts());
    let run = program.find_subcommand_mut("run").unwrap();
    let help = run.render_long_help().to_string();
    assert!(help.contains("--packets <FILE.csv|parquet|tsv>"), "{help}");
    let formats = Formats::of(&parts());
    assert_eq!(formats.of_file(Path::new("p.tsv")).unwrap().ending, "tsv");
    assert_eq!(Formats::default().of_file(Path::new("p.tsv")), None);
}
