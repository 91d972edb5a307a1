//! The published rows that are quick to compute, within the deviations that the reproduction promises.

use flitwork_engine::Progress;
use flitwork_studies::paper::{
    Algorithm, Cycle, InitialPointer, Request, Row, Watcher, figure, run, text,
};
use std::ops::ControlFlow;

struct Silent;

impl Watcher for Silent {
    fn begin(&mut self, _: &str) {}
    fn progress(&mut self, _: Progress) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
    fn row(&mut self, _: &Row) {}
}

fn request(experiment: &str, sizes: &[u32], seeds: u32) -> Request {
    Request {
        experiment: experiment.into(),
        sizes: sizes.to_vec(),
        seeds,
        initial_pointer: InitialPointer::Fixed,
        snapshot: None,
    }
}

fn rows(request: &Request) -> Vec<Row> {
    run(request, &mut Silent).expect("published sizes fit")
}

/// Minimal Chaos within 3.5 %, Chaos within 10 % and 5 % on average, GreedyHP within 5 % of Tables 4.1 and 4.2.
fn compare_with_published(experiments: &[(&str, &[u32])]) {
    for (experiment, sizes) in experiments {
        let rows = rows(&request(experiment, sizes, 3));
        let chaos = rows.iter().filter(|row| row.algorithm == Algorithm::Chaos);
        let errors: Vec<f64> = chaos.filter_map(|row| row.error()).map(f64::abs).collect();
        let mean = errors.iter().sum::<f64>() / errors.len().max(1) as f64;
        assert!(
            mean <= 0.05,
            "{experiment}: Chaos is {mean:.4} off on average"
        );
        for row in rows {
            let allowed = match row.algorithm {
                Algorithm::MinimalChaos => 0.035,
                Algorithm::Chaos => 0.10,
                Algorithm::GreedyHp => 0.05,
            };
            let error = row.error().expect("these rows are published");
            let (n, algorithm) = (row.n, row.algorithm);
            assert!(
                error.abs() <= allowed,
                "{experiment}, n = {n}, {algorithm:?}: {error:+.4}"
            );
            assert_eq!(row.packets, u64::from(row.cn * row.cn));
        }
    }
}

/// The small sizes: the time of a row grows with the cube of its size.
#[test]
fn published_rows_are_reproduced() {
    compare_with_published(&[
        ("chinn-exp1", &[600, 720]),
        ("chinn-exp2", &[600, 1080]),
        ("chinn-exp3", &[1080]),
        ("chinn-exp4", &[1080]),
    ]);
}

#[test]
#[ignore = "half a minute: larger sizes too"]
fn larger_published_rows_are_reproduced() {
    compare_with_published(&[
        ("chinn-exp1", &[600, 720, 960, 1080, 1200]),
        ("chinn-exp2", &[600, 1080, 1560]),
        ("chinn-exp3", &[1080, 1560]),
        ("chinn-exp4", &[1080, 1560]),
    ]);
}

/// The same request gives the same rows; another initial pointer gives other rows, in which Chaos is no
/// slower than the thesis observed (at most 10 % faster, section 4.2.2) at this size; at larger sizes the
/// gain is greater here.
#[test]
fn rows_repeat_and_depend_on_the_initial_pointer() {
    let fixed = request("chinn-exp2", &[600], 2);
    let (one, two) = (rows(&fixed), rows(&fixed));
    let digests = |rows: &[Row]| {
        rows.iter()
            .map(|row| row.digest.clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(digests(&one), digests(&two));
    let random = Request {
        initial_pointer: InitialPointer::Random,
        ..fixed
    };
    let random = rows(&random);
    assert_ne!(digests(&one), digests(&random));
    let chaos = |rows: &[Row]| {
        rows.iter()
            .find(|row| row.algorithm == Algorithm::Chaos)
            .unwrap()
            .cycles
    };
    let faster = 1.0 - chaos(&random) / chaos(&one);
    assert!((-0.05..0.10).contains(&faster), "{faster}");
}

#[test]
fn sizes_that_were_not_published_run_too() {
    for experiment in ["chinn-exp1", "chinn-exp2", "chinn-exp3", "chinn-exp4"] {
        let rows = rows(&request(experiment, &[121, 333], 1));
        assert!(
            rows.iter()
                .all(|row| row.published.is_none() && row.cycles > 0.0)
        );
        assert!(text(experiment, &rows).contains("333"));
        assert!(figure(experiment, &rows).unwrap().contains("<svg"));
        let refused = request(experiment, &[600, 5], 1);
        assert!(run(&refused, &mut Silent).is_err());
    }
}

/// At cycle 0 every node of the corner holds its one packet; at the end no node holds any.
#[test]
fn snapshots_count_packets() {
    for (cycle, expected) in [(0, 35 * 35), (100_000, 0)] {
        let asked = Request {
            snapshot: Some(Cycle(cycle)),
            ..request("chinn-exp2", &[600], 1)
        };
        for row in rows(&asked) {
            let snapshot = row.snapshot.expect("the first seed has one");
            let sum: f64 = snapshot.packets.iter().sum();
            assert_eq!(sum, f64::from(expected), "{:?}", row.algorithm);
        }
    }
}
