use super::*;
use std::ops::ControlFlow;

fn tiny() -> AsyncExp2 {
    AsyncExp2 {
        sizes: vec![120],
        spreads: vec![0.0, 10.0],
        synchronizers: vec![0, 2],
        seeds: 2,
    }
}

fn rows(asked: &AsyncExp2) -> Vec<AsyncExp2Row> {
    async_exp2(asked, &mut |_| ControlFlow::Continue(())).unwrap()
}

fn of(rows: &[AsyncExp2Row], algorithm: Algorithm, clocking: Clocking) -> &AsyncExp2Row {
    let setting = Setting {
        clocking,
        ..ONE_CLOCK
    };
    let found = rows.iter();
    let mut found =
        found.filter(|row| (row.key.algorithm, row.key.setting) == (algorithm, setting));
    found.next().unwrap()
}

/// Equal clocks on the clocked engine are the synchronous engine's one, and that is the paper's run.
#[test]
fn clocks_in_step_are_one_clock() {
    let rows = rows(&tiny());
    assert_eq!(rows.len(), 2 * (3 + 2 * 2));
    let paper = crate::paper::Request {
        experiment: "chinn-exp2".into(),
        sizes: vec![120],
        seeds: 2,
        initial_pointer: InitialPointer::Fixed,
        snapshot: None,
    };
    struct Nobody;
    impl crate::paper::Watcher for Nobody {
        fn begin(&mut self, _: &str) {}
        fn progress(&mut self, _: crate::paper::Progress) -> ControlFlow<()> {
            ControlFlow::Continue(())
        }
        fn row(&mut self, _: &crate::paper::Row) {}
    }
    let paper = crate::paper::run(&paper, &mut Nobody).unwrap();
    for published in paper {
        let one = of(&rows, published.algorithm, Clocking::OneClock);
        let in_step = of(&rows, published.algorithm, Clocking::InStep);
        let runs = published.runs.iter();
        let cycles: Vec<_> = runs
            .map(|run| (Some(run.cycles), run.digest.clone()))
            .collect();
        for row in [one, in_step] {
            let runs = row.runs.iter();
            let same: Vec<_> = runs.map(|run| (run.cycles, run.digest.clone())).collect();
            assert_eq!(same, cycles);
            assert!(row.same_as_one_clock);
            assert_eq!(row.ratio.unwrap().mean, 1.0);
        }
    }
}

/// Minimal Chaos is paced by the busiest link: a packet every 14 cycles under one clock, a cycle more
/// where phases differ (a word and its credit each wait for an edge, together one period), and four more
/// again for two edges each way. 15 / 14 and 19 / 14 are 1.07 and 1.36; the way to the hot spot adds to it.
#[test]
fn crossings_cost_what_they_hold_up() {
    let rows = rows(&tiny());
    let ratio = |edges| {
        let clocking = Clocking::Spread {
            percent: 0.0,
            edges,
        };
        of(&rows, Algorithm::MinimalChaos, clocking)
            .ratio
            .unwrap()
            .mean
    };
    assert!(
        1.0 < ratio(0) && ratio(0) < ratio(2),
        "{} {}",
        ratio(0),
        ratio(2)
    );
    for row in &rows {
        assert_eq!(row.stuck_runs, 0);
        assert_eq!(row.cycles.unwrap().batches, 2);
        let clocked = row.key.setting.clocking.edges().is_some();
        assert!(!clocked || !row.same_as_one_clock);
    }
}

#[test]
fn the_report_tells_of_every_row() {
    let asked = tiny();
    let rows = rows(&asked);
    let text = async_exp2_text(&asked, &rows);
    for say in [
        "2 seeds",
        "one clock, random pointers",
        "10 % spread",
        "Check: equal clocks in step give one clock's cycles, deroutes and digests in all of 4 runs.",
        "minimal-chaos, 0 edges, against one clock: ",
        "chaos, 2 edges, against one clock: ",
        "10 % against 0 %: ",
        "sections 4.2.2 and 4.2.1",
    ] {
        assert!(text.contains(say), "{say}: {text}");
    }
    let svg = async_exp2_figure(&rows);
    assert!(svg.contains("chaos, 10 % spread, 2 edges"));
}

#[test]
fn a_check_that_fails_is_said_and_so_are_runs_that_stand_still() {
    let asked = tiny();
    let mut rows = rows(&asked);
    for row in &mut rows {
        row.same_as_one_clock = false;
    }
    rows[5].stuck_runs = 1;
    let text = async_exp2_text(&asked, &rows);
    assert!(text.contains("Check FAILED: equal clocks in step differ from one clock in 2 rows."));
    assert!(text.contains("1 of 2 runs stand still"));
    assert!(text.contains("1 runs did not deliver every packet"));
}

/// What there is when the watcher breaks off: the first seed's runs under one clock.
#[test]
fn it_ends_with_the_runs_that_are_done() {
    let asked = tiny();
    let mut watcher = |step: crate::study::Step<'_>| match step.done {
        3 => ControlFlow::Break(()),
        _ => ControlFlow::Continue(()),
    };
    let rows = async_exp2(&asked, &mut watcher).unwrap();
    // A construction and two runs are done.
    assert_eq!(rows.len(), 2);
    assert!(rows.iter().all(|row| row.runs.len() == 1));
    assert!(async_exp2_text(&asked, &rows).contains("in all of 1 runs"));
    let nothing = async_exp2(&asked, &mut |_| ControlFlow::Break(())).unwrap();
    assert!(nothing.is_empty());
    async_exp2_text(&asked, &nothing);
    async_exp2_figure(&nothing);
}
