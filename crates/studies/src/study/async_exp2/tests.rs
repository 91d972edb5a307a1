use super::*;
use crate::context::tests::{Silent, asked, whole_rows};
use crate::paper::PaperEntry;
use flitwork_schema::Parts;
use serde_json::Value;

fn tiny() -> AsyncExp2 {
    asked(
        &ENTRY,
        "--n 120 --spreads 0,10 --synchronizer 0,2 --seeds 2",
    )
}

fn rows(asked: &AsyncExp2) -> Vec<AsyncExp2Row> {
    whole_rows(asked)
}

fn of(rows: &[AsyncExp2Row], algorithm: Algorithm, clocking: Clocking) -> &AsyncExp2Row {
    let setting = Setting::under(clocking);
    let found = rows.iter();
    let mut found =
        found.filter(|row| (row.key.algorithm, row.key.setting) == (algorithm, setting));
    found.next().unwrap()
}

/// Equal clocks on the clocked engine give the synchronous engine's run, which is the paper's run.
#[test]
fn clocks_in_step_are_one_clock() {
    let rows = rows(&tiny());
    // One clock, in step, random pointers, self-timed, and two spreads with each of two synchronizers.
    assert_eq!(rows.len(), 2 * (4 + 2 * 2));
    let PaperEntry(paper) = Parts::new().find("chinn-exp2").unwrap();
    let args = ["chinn-exp2", "--n", "120", "--seeds", "2", "--json"];
    let mut context = Silent::new(u32::MAX);
    let end = paper.run(&paper.command().get_matches_from(args), &mut context);
    assert_eq!(end, Ok(crate::End::Fine));
    let paper: Value = serde_json::from_str(&context.printed()).unwrap();
    for algorithm in ALGORITHMS {
        let runs = paper["runs"].as_array().unwrap().iter();
        let runs = runs.filter(|run| run["algorithm"] == algorithm.name());
        let published: Vec<_> = runs
            .map(|run| (run["time_cycles"].as_u64(), run["digest"].as_str().unwrap()))
            .collect();
        assert_eq!(published.len(), 2);
        for clocking in [Clocking::OneClock, Clocking::InStep] {
            let row = of(&rows, algorithm, clocking);
            let cycles = row.runs.iter().map(|run| run.cycles.map(u64::from));
            let digests: Vec<_> = row.runs.iter().map(|run| run.digest.to_string()).collect();
            let same: Vec<_> = cycles.zip(digests.iter().map(String::as_str)).collect();
            assert_eq!(same, published);
            assert!(row.is_as_one_clock());
            assert_eq!(row.ratio().unwrap().mean, 1.0);
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
            .ratio()
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
        assert_eq!(row.stuck_runs(), 0);
        assert_eq!(row.cycles().unwrap().batches, 2);
        let clocked = row.key.setting.clocking.edges().is_some();
        assert!(!clocked || !row.is_as_one_clock());
    }
}

#[test]
fn the_report_mentions_every_row() {
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
        "chaos, self-timed, against one clock: ",
        "10 % against 0 %: ",
        "sections 4.2.2 and 4.2.1",
    ] {
        assert!(text.contains(say), "{say}: {text}");
    }
    let svg = async_exp2_figure(&rows);
    assert!(svg.contains("chaos, 10 % spread, 2 edges"));
}

#[test]
fn a_failed_check_and_stuck_runs_are_reported() {
    let asked = tiny();
    let mut rows = rows(&asked);
    for row in &mut rows {
        row.one_clock[0].deroutes += 1;
    }
    rows[5].runs[1].cycles = None;
    let text = async_exp2_text(&asked, &rows);
    assert!(text.contains("Check FAILED: equal clocks in step differ from one clock in 2 rows."));
    assert!(text.contains("1 of 2 runs are stuck"));
    assert!(text.contains("1 runs did not deliver every packet"));
}

/// Two meshes with two seeds each: when two of the four are done, the first mesh's rows are; the other one's take long.
#[test]
fn it_ends_with_the_meshes_that_are_done() {
    let asked: AsyncExp2 = asked(
        &ENTRY,
        "--n 120,1560 --spreads 0 --synchronizer 0 --seeds 2 --jobs 1",
    );
    let ran = |stops_at| asked.run(&mut Silent::new(stops_at)).unwrap();
    let (Ran::AsFar(rows) | Ran::Whole(rows)) = ran(2) else {
        panic!("half of the rows")
    };
    assert!(rows.len() >= 2 * 5 && rows[..10].iter().all(|row| row.key.n == 120));
    assert!(rows.iter().all(|row| row.runs.len() == 2));
    let first = async_exp2_text(&asked, &rows[..10]);
    assert!(first.contains("in all of 4 runs"), "{first}");
    assert!(matches!(ran(0), Ran::Nothing));
    async_exp2_text(&asked, &[]);
    async_exp2_figure(&[]);
}

/// The threshold of the thesis' reading is 7 cycles.
#[test]
fn keys_of_chaos_are_those_of_every_setting() {
    let digests = |set: &str| -> Vec<String> {
        let line = format!("--n 120 --spreads 0 --synchronizer 0 --seeds 1 {set}");
        let rows: Vec<AsyncExp2Row> = whole_rows::<AsyncExp2>(&asked(&ENTRY, &line));
        rows.iter()
            .map(|row| row.runs[0].digest.to_string())
            .collect()
    };
    let usual = digests("");
    assert_eq!(
        digests("--set router.chaos.stall_threshold_cycles=7"),
        usual
    );
    assert_ne!(
        digests("--set router.chaos.stall_threshold_cycles=0"),
        usual
    );
    let refused: AsyncExp2 = asked(&ENTRY, "--set clocks.period_ps=500");
    assert!(matches!(
        refused.run(&mut Silent::new(u32::MAX)),
        Err(Failed::BadInput(_))
    ));
}

/// What the experiment and its settings set can't be set: their rows would be called what they are not.
#[test]
fn keys_of_the_experiment_are_refused() {
    for key in [
        "derouting=false",
        "initial_pointer=random",
        "delivery=frame",
        "multiqueue_frames=3",
    ] {
        let line = format!("--n 120 --spreads 0 --seeds 1 --set router.chaos.{key}");
        let refused: AsyncExp2 = asked(&ENTRY, &line);
        match refused.run(&mut Silent::new(u32::MAX)) {
            Err(Failed::BadInput(why)) => assert!(why.contains("sets this key itself"), "{why}"),
            _ => panic!("{key} is accepted"),
        }
    }
}
