//! Sweeps as a whole: the same results however they are run.

mod files;

use crate::plan::tests::{SMALL, base, program};
use crate::plan::{Plan, tests::plan};
use crate::run::{Stage, Step, Summary, Sweep, sweep};
use crate::shard::Shard;
use crate::{Error, merge};
use flitwork_config::Override;
use flitwork_report::{Formats, Program};
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

/// Runs until this many points are done.
fn some(plan: &Plan, folder: &Path, shard: Shard, points: u32) -> Summary {
    let watcher = &mut |step: Step| match step.stage {
        Stage::Running if step.done >= points => ControlFlow::Break(()),
        _ => ControlFlow::Continue(()),
    };
    sweep(asked(plan, folder, shard, 2), watcher).unwrap()
}

/// The table without its provenance, and without its last column, the host's seconds.
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
    #![proptest_config(ProptestConfig { cases: 4, ..ProptestConfig::default() })]

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
        let merged = merge(&folders, &out, true, &program(), &Formats::default()).unwrap();
        prop_assert_eq!(merged.complete, 12);
        prop_assert_eq!(&table(&out), &expected);
    }
}

/// Each stage is reported from its beginning, before any of its work is done.
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
    // An axis that the other sweep lacks isn't a different order of the axes.
    let error = refused(plan(&["traffic.load=0.1,0.2", "run.seed=1,2"], 1));
    assert!(
        error.contains("--over run.seed: not given there, 1,2 now"),
        "{error}"
    );
    assert!(!error.contains("the order of the axes"), "{error}");
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
fn a_merge_names_what_the_other_folder_has() {
    let (one, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    whole(&plan(&["traffic.load=0.1"], 1), one.path(), 1);
    whole(&plan(&["traffic.load=0.2"], 1), other.path(), 1);
    let folders = [one.path().to_owned(), other.path().to_owned()];
    let error = merge(&folders, one.path(), false, &program(), &Formats::default());
    let error = error.unwrap_err().to_string();
    let named = other.path().display().to_string();
    assert!(error.starts_with(&named), "{error}");
    assert!(
        error.contains("--over traffic.load: 0.2 there, 0.1 now"),
        "{error}"
    );
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
    let error = merge(
        &[a, b],
        &folder.path().join("out"),
        false,
        &program(),
        &Formats::default(),
    )
    .unwrap_err()
    .to_string();
    assert!(error.contains("point 0 has other results in"), "{error}");
}

#[test]
fn a_merge_reports_what_is_missing() {
    let folder = tempfile::tempdir().unwrap();
    let plan = twelve();
    let two = shard("2/3".into());
    sweep(asked(&plan, folder.path(), two, 2), &mut |_| {
        ControlFlow::Continue(())
    })
    .unwrap();
    let folders = [folder.path().to_owned()];
    let error = merge(
        &folders,
        folder.path(),
        true,
        &program(),
        &Formats::default(),
    )
    .unwrap_err()
    .to_string();
    assert!(
        error.contains("8 of 12 points are missing: 0, 2, 3, 5"),
        "{error}"
    );
    assert!(!folder.path().join("sweep.csv").exists());
    let merged = merge(
        &folders,
        folder.path(),
        false,
        &program(),
        &Formats::default(),
    )
    .unwrap();
    assert_eq!((merged.complete, merged.missing.len()), (4, 8));
    assert_eq!(table(folder.path()).lines().count(), 5);
    // Merged points aren't run again.
    assert_eq!(whole(&plan, folder.path(), 2).before, 4);
    let no_sweep = merge(
        &[folder.path().join("none")],
        folder.path(),
        false,
        &program(),
        &Formats::default(),
    );
    assert!(
        no_sweep
            .unwrap_err()
            .to_string()
            .contains("sweep.toml: can't be read")
    );
}
