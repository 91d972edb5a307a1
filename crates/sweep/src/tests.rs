//! Sweeps as a whole: the same results however they are run.

use crate::plan::tests::{SMALL, base, program};
use crate::plan::{Plan, tests::plan};
use crate::run::{Stage, Step, Summary, Sweep, sweep};
use crate::shard::Shard;
use crate::{Error, merge};
use flitwork_config::Override;
use flitwork_report::Program;
use proptest::prelude::*;
use std::fs;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::LazyLock;

/// Three loads, two queues, two seeds: twelve points.
fn twelve() -> Plan {
    plan(
        &[
            "traffic.load=0.05:0.45:0.2",
            "router.chaos.multiqueue_frames=2,5",
        ],
        2,
    )
}

fn asked<'a>(plan: &'a Plan, folder: &'a Path, shard: Shard, jobs: usize) -> Sweep<'a> {
    let skip_refused = false;
    static PROGRAM: LazyLock<Program> = LazyLock::new(program);
    Sweep {
        plan,
        program: &PROGRAM,
        folder,
        shard,
        jobs,
        skip_refused,
    }
}

fn whole(plan: &Plan, folder: &Path, jobs: usize) -> Summary {
    sweep(asked(plan, folder, Shard::WHOLE, jobs), &mut |_| {
        ControlFlow::Continue(())
    })
    .unwrap()
}

/// Runs until so many points are done.
fn some(plan: &Plan, folder: &Path, shard: Shard, points: u32) -> Summary {
    let watcher = &mut |step: Step| match step.stage {
        Stage::Running if step.done >= points => ControlFlow::Break(()),
        _ => ControlFlow::Continue(()),
    };
    sweep(asked(plan, folder, shard, 2), watcher).unwrap()
}

/// The table without what made it, and without its last column, the host's seconds.
fn table(folder: &Path) -> String {
    let text = fs::read_to_string(folder.join("sweep.csv")).unwrap();
    let lines = text
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| line.rsplit_once(',').unwrap().0.to_owned() + "\n");
    lines.collect()
}

fn shard(text: String) -> Shard {
    text.parse().unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    /// Any number of threads, interruptions after any point, a torn last line, and any number of shards,
    /// interrupted or not, in one folder or in many, give one table.
    #[test]
    fn results_depend_on_nothing_but_the_sweep(
        jobs in 1usize..5,
        stops in proptest::collection::vec(0u32..12, 0..4),
        torn in 0usize..60,
        shards in 1u32..6,
        apart in any::<bool>(),
    ) {
        let plan = twelve();
        let once = tempfile::tempdir().unwrap();
        whole(&plan, once.path(), 1);
        let expected = table(once.path());
        prop_assert_eq!(expected.lines().count(), 13);

        let broken = tempfile::tempdir().unwrap();
        for stop in &stops {
            some(&plan, broken.path(), Shard::WHOLE, *stop);
            let journal = broken.path().join("journal.jsonl");
            let bytes = fs::read(&journal).unwrap();
            fs::write(&journal, &bytes[..bytes.len().saturating_sub(torn)]).unwrap();
        }
        let summary = whole(&plan, broken.path(), jobs);
        prop_assert_eq!((summary.complete, summary.missing.len()), (12, 0));
        prop_assert_eq!(&table(broken.path()), &expected);

        let parts = tempfile::tempdir().unwrap();
        let place = |number: u32| parts.path().join(if apart { number.to_string() } else { "all".into() });
        for number in (1..=shards).rev() {
            let one = shard(format!("{number}/{shards}"));
            some(&plan, &place(number), one, stops.first().copied().unwrap_or(12));
            let done = sweep(asked(&plan, &place(number), one, jobs), &mut |_| ControlFlow::Continue(())).unwrap();
            prop_assert!(done.missing.is_empty());
        }
        let mut folders: Vec<_> = (1..=shards).map(place).collect();
        folders.dedup();
        let out = parts.path().join("out");
        let merged = merge(&folders, &out, true, &program()).unwrap();
        prop_assert_eq!(merged.complete, 12);
        prop_assert_eq!(&table(&out), &expected);
    }
}

/// Each stage is told from its beginning, before anything of it is done.
#[test]
fn a_stage_begins_with_what_was_done_before() {
    let folder = tempfile::tempdir().unwrap();
    let plan = twelve();
    for before in [0, 12] {
        let mut first = None;
        let watcher = &mut |step: Step| {
            if step.stage == Stage::Running {
                first.get_or_insert(step.done);
            }
            ControlFlow::Continue(())
        };
        sweep(asked(&plan, folder.path(), Shard::WHOLE, 4), watcher).unwrap();
        assert_eq!(first, Some(before));
    }
}

#[test]
fn finished_points_are_not_run_again() {
    let folder = tempfile::tempdir().unwrap();
    let plan = twelve();
    let first = some(&plan, folder.path(), Shard::WHOLE, 5);
    assert!(first.complete >= 5 && !first.missing.is_empty());
    let second = whole(&plan, folder.path(), 2);
    assert_eq!((second.before, second.complete), (first.complete, 12));
    let before = fs::read(folder.path().join("journal.jsonl")).unwrap();
    assert_eq!(whole(&plan, folder.path(), 2).before, 12);
    assert_eq!(
        fs::read(folder.path().join("journal.jsonl")).unwrap(),
        before
    );
}

#[test]
fn another_sweep_is_refused_with_what_differs() {
    let folder = tempfile::tempdir().unwrap();
    whole(&plan(&["traffic.load=0.1,0.2"], 1), folder.path(), 1);
    let refused = |plan: Plan| {
        let shard = "1/2".parse().unwrap();
        let error = sweep(asked(&plan, folder.path(), shard, 1), &mut |_| {
            ControlFlow::Continue(())
        });
        error.unwrap_err().to_string()
    };
    let error = refused(plan(&["traffic.load=0.1,0.3"], 1));
    assert!(
        error.contains("--over traffic.load: 0.1,0.2 there, 0.1,0.3 now"),
        "{error}"
    );
    let error = refused(plan(&["traffic.load=0.1,0.2"], 3));
    assert!(error.contains("--seeds: 1 there, 3 now"), "{error}");
    let mut other = base();
    other.text = SMALL.replace("[4, 4]", "[4, 5]");
    let axes = vec!["traffic.load=0.1,0.2".parse().unwrap()];
    let error = refused(Plan::new(other, axes, 1).unwrap());
    assert!(
        error.contains("line 3 is \"sides = [4, 4]\" there"),
        "{error}"
    );
    let mut other = base();
    other.set.push(Override::new("run.seed", "2"));
    let axes = vec!["traffic.load=0.1,0.2".parse().unwrap()];
    let error = refused(Plan::new(other, axes, 1).unwrap());
    assert!(error.contains("--set"), "{error}");
}

#[test]
fn a_refused_point_stops_everything_or_becomes_a_row() {
    let folder = tempfile::tempdir().unwrap();
    let plan = plan(
        &[
            "traffic.load=0.1,1.5,0.2",
            "router.chaos.multiqueue_frames=3,0",
        ],
        1,
    );
    let error = sweep(asked(&plan, folder.path(), Shard::WHOLE, 2), &mut |_| {
        ControlFlow::Continue(())
    });
    let error = error.unwrap_err();
    assert!(matches!(error, Error::Point { .. }));
    let text = error.to_string();
    assert!(
        text.starts_with("point 1 (traffic.load = 0.1, router.chaos.multiqueue_frames = 0): "),
        "{text}"
    );
    assert!(
        text.contains("--over router.chaos.multiqueue_frames=0"),
        "{text}"
    );
    assert!(!folder.path().join("sweep.csv").exists());
    let skipping = Sweep {
        skip_refused: true,
        ..asked(&plan, folder.path(), Shard::WHOLE, 2)
    };
    let summary = sweep(skipping, &mut |_| ControlFlow::Continue(())).unwrap();
    assert_eq!(
        (summary.complete, summary.refused, summary.missing.len()),
        (2, 4, 0)
    );
    let rows = table(folder.path());
    let row = rows.lines().nth(3).unwrap();
    assert!(
        row.starts_with("2,1.5,3,refused,command line: --over traffic.load=1.5"),
        "{row}"
    );
}

#[test]
fn a_folder_is_for_one_process_at_a_time() {
    let folder = tempfile::tempdir().unwrap();
    let plan = twelve();
    let mut seen = Vec::new();
    let busy = |shard: Shard| {
        let error = sweep(asked(&plan, folder.path(), shard, 1), &mut |_| {
            ControlFlow::Break(())
        });
        matches!(error, Err(Error::Locked(_)))
    };
    let first = shard("1/2".into());
    let watcher = &mut |step: Step| {
        if step.stage == Stage::Running && seen.is_empty() {
            seen = vec![busy(first), busy(Shard::WHOLE), busy(shard("2/2".into()))];
        }
        ControlFlow::Continue(())
    };
    sweep(asked(&plan, folder.path(), first, 1), watcher).unwrap();
    assert_eq!(seen, [true, true, false]);
}

#[test]
fn shards_of_different_results_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let plan = plan(&[], 1);
    let [a, b] = ["a", "b"].map(|name| folder.path().join(name));
    whole(&plan, &a, 1);
    whole(&plan, &b, 1);
    let text = fs::read_to_string(a.join("journal.jsonl")).unwrap();
    let (row, _) = text.trim_end().rsplit_once(",\"crc32\"").unwrap();
    let row = row
        .strip_prefix("{\"row\":")
        .unwrap()
        .replace("\"packets_created\":", "\"packets_created\":1");
    let line = format!(
        "{{\"row\":{row},\"crc32\":\"{:08x}\"}}\n",
        crc32fast::hash(row.as_bytes())
    );
    fs::write(a.join("journal.jsonl"), line).unwrap();
    let error = merge(&[a, b], &folder.path().join("out"), false, &program())
        .unwrap_err()
        .to_string();
    assert!(error.contains("point 0 has other results in"), "{error}");
}

#[test]
fn a_merge_tells_what_is_missing() {
    let folder = tempfile::tempdir().unwrap();
    let plan = twelve();
    let two = shard("2/3".into());
    sweep(asked(&plan, folder.path(), two, 2), &mut |_| {
        ControlFlow::Continue(())
    })
    .unwrap();
    let folders = [folder.path().to_owned()];
    let error = merge(&folders, folder.path(), true, &program())
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("8 of 12 points are missing: 0, 2, 3, 5"),
        "{error}"
    );
    assert!(!folder.path().join("sweep.csv").exists());
    let merged = merge(&folders, folder.path(), false, &program()).unwrap();
    assert_eq!((merged.complete, merged.missing.len()), (4, 8));
    assert_eq!(table(folder.path()).lines().count(), 5);
    // What was merged isn't run again.
    assert_eq!(whole(&plan, folder.path(), 2).before, 4);
    let no_sweep = merge(
        &[folder.path().join("none")],
        folder.path(),
        false,
        &program(),
    );
    assert!(
        no_sweep
            .unwrap_err()
            .to_string()
            .contains("sweep.toml: can't be read")
    );
}

/// Tables and figures say where they come from: those of a merge too, which knows no file that the configuration
/// was read from.
#[test]
fn every_file_says_where_it_comes_from() {
    let folder = tempfile::tempdir().unwrap();
    let [made, merged] = ["made", "merged"].map(|name| folder.path().join(name));
    let plan = plan(&["traffic.load=0.1,0.2"], 2);
    whole(&plan, &made, 2);
    merge(std::slice::from_ref(&made), &merged, true, &program()).unwrap();
    for folder in [&made, &merged] {
        let text = |name: &str| fs::read_to_string(folder.join(name)).unwrap();
        let manifest: toml::Table = text("sweep.toml").parse().unwrap();
        assert_eq!(manifest["first_seed"].as_str(), Some("1"));
        assert_eq!(
            manifest["command"].as_str(),
            Some("flitwork sweep small.toml")
        );
        let csv = text("sweep.csv");
        let comment = csv.lines().take_while(|line| line.starts_with('#'));
        let comment: Vec<&str> = comment
            .map(|line| line.trim_start_matches(['#', ' ']))
            .collect();
        let told: toml::Table = comment.join("\n").parse().unwrap();
        assert_eq!(told["command"].as_str(), Some("flitwork sweep small.toml"));
        assert_eq!(
            (told["seed"].as_integer(), told["seeds"].as_integer()),
            (Some(1), Some(2))
        );
        assert!(
            told["configuration"]
                .as_str()
                .unwrap()
                .contains("stop_at_overload = true")
        );
        #[cfg(feature = "parquet")]
        the_parquet_file_says_where_it_comes_from(folder, &plan.resolve(0).unwrap().to_toml());
        assert!(text("latency.svg").contains("<metadata>"));
        let png = fs::read(folder.join("accepted.png")).unwrap();
        assert!(png.windows(16).any(|it| it == b"flitwork.command"));
    }
}

#[cfg(feature = "parquet")]
fn the_parquet_file_says_where_it_comes_from(folder: &Path, resolved: &str) {
    use parquet::file::reader::{FileReader, SerializedFileReader};
    let file = fs::File::open(folder.join("sweep.parquet")).unwrap();
    let reader = SerializedFileReader::new(file).unwrap();
    let pairs = reader
        .metadata()
        .file_metadata()
        .key_value_metadata()
        .unwrap();
    let value = |key: &str| {
        let pair = pairs
            .iter()
            .find(|pair| pair.key == format!("flitwork.{key}"));
        pair.unwrap().value.clone().unwrap()
    };
    assert_eq!(value("configuration"), resolved);
    assert_eq!(
        (value("seed"), value("revision")),
        ("1".into(), "unknown".into())
    );
}

/// A reader of Parquet finds the values of the CSV file.
#[cfg(feature = "parquet")]
#[test]
fn both_tables_hold_the_same() {
    use parquet::file::reader::{FileReader, SerializedFileReader};
    use parquet::record::Field;
    let folder = tempfile::tempdir().unwrap();
    let mut plan = twelve();
    plan.axes
        .push("run.engine=sync,\"clocked\"".parse().unwrap());
    whole(&plan, folder.path(), 2);
    let file = fs::File::open(folder.path().join("sweep.parquet")).unwrap();
    let reader = SerializedFileReader::new(file).unwrap();
    let mut csv = csv::ReaderBuilder::new()
        .comment(Some(b'#'))
        .from_path(folder.path().join("sweep.csv"))
        .unwrap();
    let names = csv.headers().unwrap().clone();
    let mut count = 0;
    for (row, record) in reader.get_row_iter(None).unwrap().zip(csv.records()) {
        let (row, record) = (row.unwrap(), record.unwrap());
        for (index, (name, field)) in row.get_column_iter().enumerate() {
            assert_eq!(name, &names[index]);
            let text = match field {
                Field::Null => String::new(),
                Field::Long(number) => number.to_string(),
                Field::ULong(number) => number.to_string(),
                Field::Double(number) => number.to_string(),
                Field::Bool(truth) => truth.to_string(),
                Field::Str(text) => text.clone(),
                other => panic!("{name}: {other:?}"),
            };
            assert_eq!(text, record[index], "{name}");
        }
        count += 1;
    }
    assert_eq!(count, 24);
    let figures = crate::sweep_columns().len() - 1;
    assert_eq!(names.len(), 1 + 3 + figures);
}

#[test]
fn figures_are_drawn_over_the_load() {
    let folder = tempfile::tempdir().unwrap();
    let summary = whole(&twelve(), folder.path(), 2);
    let names: Vec<_> = summary
        .files
        .iter()
        .map(|file| file.file_name().unwrap().to_str().unwrap())
        .collect();
    assert_eq!(
        names,
        [
            "sweep.csv",
            #[cfg(feature = "parquet")]
            "sweep.parquet",
            "latency.svg",
            "latency.png",
            "accepted.svg",
            "accepted.png"
        ]
    );
    let svg = fs::read_to_string(folder.path().join("latency.svg")).unwrap();
    for text in [
        "multiqueue_frames 2",
        "multiqueue_frames 5",
        "offered load",
        "latency (cycles)",
    ] {
        assert!(svg.contains(text), "{text}");
    }
    // Without numbers to draw over there is no figure.
    let folder = tempfile::tempdir().unwrap();
    let summary = whole(&plan(&["run.engine=sync,sync-plain"], 1), folder.path(), 1);
    let tables = if cfg!(feature = "parquet") { 2 } else { 1 };
    assert_eq!(summary.files.len(), tables);
}

/// The value of a column in each row of a folder's table.
fn column(folder: &Path, name: &str) -> Vec<String> {
    let mut table = csv::ReaderBuilder::new();
    let table = table
        .comment(Some(b'#'))
        .from_path(folder.join("sweep.csv"));
    let mut table = table.unwrap();
    let place = table.headers().unwrap().iter().position(|it| it == name);
    let rows = table.records();
    rows.map(|row| row.unwrap()[place.unwrap()].to_owned())
        .collect()
}

fn numbers(folder: &Path, name: &str) -> Vec<f64> {
    let texts = column(folder, name);
    texts.iter().map(|it| it.parse().unwrap()).collect()
}

/// Without a warm-up and far from full, some seeds' latencies seem to move. They run for longer, up to eight times,
/// and then are steady; where lengths are an axis they stay, and are shown with what speaks against them.
#[test]
fn what_chance_calls_unsteady_runs_for_longer() {
    let short = |over: &[&str]| {
        let mut base = base();
        base.set = vec![
            Override::new("run.measure_cycles", "1500"),
            Override::new("run.warmup_cycles", "0"),
            Override::new("traffic.load", "0.15"),
        ];
        let axes = over.iter().map(|text| text.parse().unwrap()).collect();
        Plan::new(base, axes, 40).unwrap()
    };
    let [free, fixed] = [(); 2].map(|()| tempfile::tempdir().unwrap());
    whole(&short(&[]), free.path(), 4);
    whole(&short(&["run.measure_cycles=1500"]), fixed.path(), 4);
    let (states, times) = (
        column(free.path(), "not_steady"),
        numbers(free.path(), "times_the_cycles"),
    );
    assert!(states.iter().all(String::is_empty), "{states:?}");
    assert!(times.iter().all(|it| [1.0, 2.0, 4.0, 8.0].contains(it)));
    let once = column(fixed.path(), "not_steady");
    assert!(
        column(fixed.path(), "times_the_cycles")
            .iter()
            .all(|it| it == "1")
    );
    let waited: Vec<bool> = times.iter().map(|times| *times > 1.0).collect();
    let unsteady: Vec<bool> = once.iter().map(|rule| !rule.is_empty()).collect();
    assert_eq!(waited, unsteady);
    assert!(waited.contains(&true) && waited.contains(&false));
    // What was found is in the table in any case.
    assert!(
        numbers(fixed.path(), "latency_mean_cycles")
            .iter()
            .all(|it| *it > 10.0)
    );
    assert!(
        numbers(fixed.path(), "latency_p99_cycles")
            .iter()
            .all(|it| *it > 10.0)
    );
}

/// The diagonal of 4 x 4 nodes is silent under transpose: what is offered is three quarters of what is asked for, and
/// figures stand there. Beyond saturation a point has a latency still, of its window.
#[test]
fn the_load_axis_is_what_was_offered() {
    let folder = tempfile::tempdir().unwrap();
    let mut base = base();
    base.set = vec![
        Override::new("traffic.pattern", "transpose"),
        Override::new("run.measure_cycles", "40000"),
    ];
    let axes = vec!["traffic.load=0.2,0.4,1.0".parse().unwrap()];
    whole(&Plan::new(base, axes, 2).unwrap(), folder.path(), 4);
    let (asked, offered) = (
        numbers(folder.path(), "traffic.load"),
        numbers(folder.path(), "offered_load_words_per_node_cycle"),
    );
    for (asked, offered) in asked.iter().zip(offered) {
        assert!(
            (offered / asked - 0.75).abs() < 0.05,
            "{offered} of {asked}"
        );
    }
    let states = column(folder.path(), "not_steady");
    assert_eq!(states[4..], ["overload", "overload"]);
    assert!(
        column(folder.path(), "latency_mean_cycles")[4..]
            .iter()
            .all(String::is_empty)
    );
    let of_window = column(folder.path(), "latency_window_mean_cycles");
    assert!(
        of_window[4..]
            .iter()
            .all(|it| it.parse::<f64>().unwrap() > 0.0)
    );
    assert!(
        column(folder.path(), "latency_p50_cycles")[4..]
            .iter()
            .all(String::is_empty)
    );
    // The axis ends at 0.8, not at 1.
    let svg = fs::read_to_string(folder.path().join("accepted.svg")).unwrap();
    assert!(
        svg.contains("upright: saturation") && svg.contains("open: not steady"),
        "{svg}"
    );
    assert!(svg.contains("0.8") && !svg.contains("1.0"));
}

#[test]
fn a_live_engine_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let plan = plan(&["run.engine=sync,live"], 1);
    let error = sweep(asked(&plan, folder.path(), Shard::WHOLE, 1), &mut |_| {
        ControlFlow::Continue(())
    });
    let error = error.unwrap_err().to_string();
    assert!(
        error.contains("point 1 (run.engine = live)") && error.contains("results repeat"),
        "{error}"
    );
}
