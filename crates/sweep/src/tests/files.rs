//! The tables and figures that a sweep writes.

use super::*;

/// Tables and figures say where they come from, even those of a merge, which knows no file from which the configuration
/// was read.
#[test]
fn every_file_says_where_it_comes_from() {
    let folder = tempfile::tempdir().unwrap();
    let [made, merged] = ["made", "merged"].map(|name| folder.path().join(name));
    let plan = plan(&["traffic.load=0.1,0.2"], 2);
    whole(&plan, &made, 2);
    merge(
        std::slice::from_ref(&made),
        &merged,
        true,
        &program(),
        &Formats::default(),
    )
    .unwrap();
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
        let provenance: toml::Table = comment.join("\n").parse().unwrap();
        assert_eq!(
            provenance["command"].as_str(),
            Some("flitwork sweep small.toml")
        );
        assert_eq!(
            (
                provenance["seed"].as_integer(),
                provenance["seeds"].as_integer()
            ),
            (Some(1), Some(2))
        );
        assert!(
            provenance["configuration"]
                .as_str()
                .unwrap()
                .contains("stop_at_overload = true")
        );
        the_parquet_file_says_where_it_comes_from(folder, &plan.resolve(0).unwrap().to_toml());
        assert!(text("latency.svg").contains("<metadata>"));
        let png = fs::read(folder.join("accepted.png")).unwrap();
        assert!(png.windows(16).any(|it| it == b"flitwork.command"));
    }
}

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
    // Without a numeric axis there is no figure.
    let folder = tempfile::tempdir().unwrap();
    let summary = whole(&plan(&["run.engine=sync,sync-plain"], 1), folder.path(), 1);
    assert_eq!(
        summary.files,
        ["sweep.csv", "sweep.parquet"].map(|name| folder.path().join(name))
    );
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

/// Without a warm-up and far from saturation, some seeds' latencies seem to drift. They run for longer, up to eight
/// times, and are steady then; if run lengths are an axis they stay as they are, and are shown with the reason against
/// them.
#[test]
fn what_chance_calls_unsteady_runs_for_longer() {
    let short = |over: &[&str]| {
        let mut base = base();
        base.set = vec![
            Override::new("run.warmup_cycles", "0"),
            Override::new("traffic.load", "0.15"),
        ];
        if over.is_empty() {
            base.set.push(Override::new("run.measure_cycles", "1500"));
        }
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
    // The verdict is in the table in any case.
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

/// The diagonal of 4 x 4 nodes is silent under transpose: the offered load is three quarters of the configured load,
/// and figures draw points at the former. Beyond saturation a point still has a latency, that of its window.
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
        svg.contains("vertical line: saturation") && svg.contains("open markers: not steady"),
        "{svg}"
    );
    assert!(svg.contains("0.8") && !svg.contains("1.0"));
}

/// Three engines' curves: the one whose nodes have clocks is drawn in ps, at the values of the table, and the legend
/// says that the others aren't. Under equal clocks of 1,500 ps each mean is that in cycles times 1,500.
#[test]
fn latencies_in_ps_are_those_of_nodes_with_clocks() {
    let folder = tempfile::tempdir().unwrap();
    let mut base = base();
    base.set = vec![
        Override::new("clocks.period_ps", "1500"),
        Override::new("run.measure_cycles", "6000"),
    ];
    let axes = ["run.engine=sync,clocked", "traffic.load=0.05,0.1,1.0"];
    let axes = axes.iter().map(|text| text.parse().unwrap()).collect();
    let plan = Plan::new(base, axes, 1).unwrap();
    let written = whole(&plan, folder.path(), 4).files;
    let names = written.iter().map(|path| path.file_name().unwrap());
    let names: Vec<_> = names.map(|name| name.to_str().unwrap()).collect();
    assert!(
        names.contains(&"latency_ps.svg") && names.contains(&"latency_ps.png"),
        "{names:?}"
    );
    let svg = fs::read_to_string(folder.path().join("latency_ps.svg")).unwrap();
    for say in [
        "latency (ps)",
        "engine sync (cycles only)",
        "engine clocked\n",
    ] {
        assert!(svg.contains(say), "{say}: {svg}");
    }
    assert!(!svg.contains("latency (cycles)"));
    let svg = fs::read_to_string(folder.path().join("latency.svg")).unwrap();
    assert!(
        svg.contains("latency (cycles)") && svg.contains("engine sync\n"),
        "{svg}"
    );
    for [ps, cycles] in [
        ["latency_mean_ps", "latency_mean_cycles"],
        ["latency_window_mean_ps", "latency_window_mean_cycles"],
    ] {
        let [ps, cycles] = [ps, cycles].map(|name| column(folder.path(), name));
        assert!(ps[..3].iter().all(String::is_empty), "{ps:?}");
        // The sync engine's rows are the first three; the digests are the same, and so are latencies in cycles.
        assert_eq!(cycles[..3], cycles[3..]);
        let number = |cell: &String| cell.parse::<f64>().ok();
        for (ps, cycles) in ps[3..].iter().zip(&cycles[3..]) {
            let (ps, expected) = (number(ps), number(cycles).map(|it| it * 1500.0));
            assert_eq!(ps.is_some(), expected.is_some());
            let apart = ps
                .zip(expected)
                .map_or(0.0, |(ps, expected)| (ps / expected - 1.0).abs());
            assert!(apart < 1e-9, "{ps:?} {expected:?}");
        }
    }
}

#[test]
fn one_clock_gives_no_figure_in_ps() {
    let folder = tempfile::tempdir().unwrap();
    let written = whole(&plan(&["traffic.load=0.1,0.2"], 1), folder.path(), 2).files;
    assert_eq!(
        written
            .iter()
            .filter(|path| path.to_string_lossy().contains("latency."))
            .count(),
        2
    );
    assert!(
        !written
            .iter()
            .any(|path| path.to_string_lossy().contains("latency_ps"))
    );
    assert!(!folder.path().join("latency_ps.svg").exists());
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
