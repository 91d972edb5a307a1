//! The rows, on small rings.

use super::law::{Law, laws};
use super::{Livelock, LivelockRow, Prediction, Seen, Watched};
use crate::context::Failed;
use crate::context::tests::Silent;
use crate::contract::{Ran, Study};
use crate::timing::Timing;
use clap::{Args, Command, FromArgMatches};

fn study(options: &str) -> Livelock {
    let command = Livelock::augment_args(Command::new("x")).mut_args(|it| match it.get_action() {
        clap::ArgAction::Append => it.value_delimiter(','),
        _ => it,
    });
    let words = std::iter::once("x").chain(options.split_whitespace());
    Livelock::from_arg_matches(&command.get_matches_from(words)).unwrap()
}

fn rows(options: &str) -> Vec<LivelockRow> {
    match study(options).run(&mut Silent::new(u32::MAX)).unwrap() {
        Ran::Whole(rows) => rows,
        _ => panic!("stopped"),
    }
}

#[test]
fn one_clock_never_escapes_and_clocks_that_differ_do() {
    let rows = rows(
        "--n 4,8 --timing one-clock,self-timed,spread --spread 1 --seeds 4 --deadline 20000 --jobs 1",
    );
    let found: Vec<_> = rows
        .iter()
        .map(|it| {
            let setting = &it.setting;
            (
                setting.network.sides.nodes(),
                setting.timed.timing,
                it.lifetimes.left(),
            )
        })
        .collect();
    let expected = [4, 8].map(|n| {
        [
            (n, Timing::OneClock, 4),
            (n, Timing::SelfTimed, 4),
            (n, Timing::Spread, 0),
        ]
    });
    assert_eq!(found, expected.concat());
    // Four of four: 0.025^(1/4) to 1.
    let part = rows[0].lifetimes.part_left().unwrap();
    assert!(
        (part.low - 0.3976).abs() < 1e-4 && part.high == 1.0,
        "{part:?}"
    );
    assert_eq!(rows[0].lifetimes.survival.median(), None);
    // Under one clock every packet goes to and fro for ever, in rounds of 16 cycles: (words + 6), a deroute each. Four packets for
    // 20,000 cycles.
    let deroutes = |row: &LivelockRow| -> Vec<u64> {
        row.lifetimes
            .runs
            .iter()
            .map(|run| run.seen.deroutes)
            .collect()
    };
    assert_eq!(deroutes(&rows[0]), [4 * 20_000 / 16; 4]);
    let escapes = rows[2].lifetimes.runs.iter();
    assert!(
        escapes
            .clone()
            .all(|run| run.ended.is_some_and(|it| it < 20_000))
    );
}

/// Routers that decide later go to and fro in longer rounds, of which nothing is predicted; what the study sets itself is refused.
#[test]
fn keys_change_what_runs_and_end_what_is_predicted() {
    const LINE: &str =
        "--n 4 --timing one-clock,spread --spread 1 --seeds 2 --deadline 20000 --jobs 1";
    let (usual, late) = (
        rows(LINE),
        rows(&format!(
            "{LINE} --set router.chaos.decision_latency_cycles=5"
        )),
    );
    assert!(usual[1].prediction.median.is_some() && usual[1].prediction.drift.is_some());
    assert!(late.iter().all(|it| it.prediction.median.is_none()));
    assert!(late.iter().all(|it| it.prediction.drift.is_none()));
    // What is seen is shown all the same.
    assert!(late[1].prediction.first.is_some());
    // In the same time fewer rounds, a deroute each, of 4 packets: those of 10 + 2 * 3 cycles are 1250.
    let of = |row: &LivelockRow| row.lifetimes.runs[0].seen.deroutes;
    assert_eq!(of(&usual[0]), 4 * 1250);
    assert!(of(&late[0]) < of(&usual[0]), "{}", of(&late[0]));
    for key in [
        "router.chaos.packet_words=4",
        "clocks.phase=random",
        "traffic.k=2",
    ] {
        let refused = study(&format!("{LINE} --set {key}")).run(&mut Silent::new(0));
        let Err(Failed::BadInput(why)) = refused else {
            panic!("{key} is accepted")
        };
        assert!(why.contains("sets this key itself"), "{why}");
    }
}

#[test]
fn seeds_are_those_that_are_asked_for() {
    let of = |first: u32, count: u32| {
        let found = rows(&format!(
            "--n 8 --timing spread --spread 1 --first-seed {first} --seeds {count} --deadline 20000 --jobs 1"
        ));
        found[0].lifetimes.runs.clone()
    };
    let (all, two) = (of(1, 4), of(3, 2));
    assert_eq!(
        all.iter().map(|it| it.seed).collect::<Vec<_>>(),
        [1, 2, 3, 4]
    );
    assert_eq!(all[2..], two[..]);
}

/// What the clocks say is what the network does: nothing is read off a run, rows compare the two.
#[test]
fn the_first_delivery_follows_when_a_packet_gets_past_its_neighbour() {
    for options in [
        "--n 4,6,8 --shift 2 --edges 0,1,2,3",
        "--n 5 --shift 2 --words 8,9,12,20",
        "--n 4,16 --shift 2 --threshold 0,3,7",
    ] {
        let rows = rows(&format!(
            "{options} --timing spread,drift --spread 0.3 --drift 2500 --seeds 5 --deadline 300000 --jobs 1"
        ));
        for row in &rows {
            for run in &row.lifetimes.runs {
                let (first, predicted) = (run.seen.first.unwrap(), run.seen.predicted.unwrap());
                // From the decision on there are two nodes to go through, each in a round at most: words + 2 and two crossings, or
                // words + 6, and what a packet waits for the multiqueue.
                let (router, edges) = (row.setting.router, row.setting.timed.edges);
                let round = router.words + 6 + router.threshold + 2 * (edges + 2);
                let late = first.checked_sub(predicted);
                assert!(
                    late.is_some_and(|late| late <= 2 * round),
                    "{} {first} {predicted}",
                    row.setting
                );
            }
        }
    }
}

#[test]
fn phases_alone_let_nobody_past() {
    let rows = rows("--n 4,8 --timing phases --edges 0,1,2,3 --seeds 20 --deadline 5000 --jobs 1");
    for row in rows {
        assert_eq!(
            (row.lifetimes.left(), row.prediction.median),
            (20, None),
            "{}",
            row.setting
        );
    }
}

/// Four values in the range: 20 * 4 nodes * 16 cycles = 1280. With 5 % half of the seeds take less.
#[test]
fn the_law_is_fitted_where_the_wait_is_nearly_all() {
    let rows = rows(
        "--n 4 --timing spread --spread 0.03,0.06,0.1,0.2,5 --seeds 10 --deadline 200000 --jobs 1",
    );
    let medians: Vec<u64> = rows
        .iter()
        .map(|it| it.lifetimes.survival.median().unwrap())
        .collect();
    assert!(medians.is_sorted_by(|a, b| a > b), "{medians:?}");
    assert!(medians[3] >= 1280 && medians[4] < 1280, "{medians:?}");
    let found = laws(&rows);
    let [
        Law {
            law,
            interval,
            points: 4,
            range: (0.03, 0.2),
            ..
        },
    ] = &found[..]
    else {
        panic!("{found:?}")
    };
    assert!(interval.low < law.exponent && law.exponent < interval.high);
    assert!(law.exponent < -0.5 && law.exponent > -1.5, "{law:?}");
    let study = study("--timing spread");
    let text = study.text(&rows);
    assert!(
        text.contains("ring of 4, spread, 2 edges: escape in"),
        "{text}"
    );
    assert!(text.contains("from 4 values, 0.03 to 0.2"), "{text}");
    let names: Vec<String> = study.figures(&rows).into_iter().map(|it| it.0).collect();
    assert_eq!(
        names,
        ["livelock-escape-spread.svg", "livelock-survival-spread.svg"]
    );
}

/// The mean lengths of rounds against the rounds themselves: 100 seeds' median varies by about 15 %, and with 12 words the mean is up to
/// 30 % too short.
#[test]
fn mean_rounds_give_the_median() {
    for options in [
        "--n 4,8,16",
        "--n 8 --shift 2 --edges 1,3",
        "--n 4 --words 12",
    ] {
        let rows = rows(&format!(
            "{options} --timing spread --spread 0.3 --seeds 100 --deadline 20000 --jobs 2"
        ));
        for row in rows {
            let (median, drift) = (
                row.prediction.median.unwrap(),
                row.prediction.drift.unwrap(),
            );
            let ratio = drift / median as f64;
            assert!((0.65..1.35).contains(&ratio), "{} {ratio}", row.setting);
        }
    }
}

#[test]
fn what_makes_no_sense_is_refused() {
    let refused = |options: &str| {
        let words = options.split_whitespace();
        let given: Vec<String> = words
            .filter_map(|it| it.strip_prefix("--").map(str::to_owned))
            .collect();
        let study = study(options);
        let ran = study
            .refuse_unread(&given)
            .and_then(|()| study.run(&mut Silent::new(u32::MAX)));
        match ran {
            Err(Failed::BadInput(why)) => why,
            other => panic!("{options}: {other:?}"),
        }
    };
    assert_eq!(
        refused("--n 5"),
        "--n: a ring of 5 has no opposite nodes; allowed: even numbers"
    );
    for (options, says) in [
        (
            "--timing one-clock --spread 1",
            "--spread: no timing that is asked for reads it; allowed: with --timing spread",
        ),
        ("--timing spread --drift 1", "--drift: no timing"),
        ("--timing spread --jitter 1", "--jitter: no timing"),
        ("--timing self-timed --edges 1", "--edges: no timing"),
        ("--timing spread --wander 1", "--wander: no timing"),
        (
            "--timing spread --tau 1",
            "--tau: no timing that is asked for reads it; allowed: with --timing arbiters",
        ),
        ("--pattern tornado --shift 2", "--shift: no pattern"),
    ] {
        assert!(refused(options).starts_with(says), "{}", refused(options));
    }
}

#[test]
fn every_timing_is_a_configuration() {
    let study = study("--n 4 --spread 1 --seeds 1 --threshold 0,3");
    let configurations = study.configurations(&flitwork_config::Catalogue::default());
    assert_eq!(configurations.len(), 2 * study.timings.timing.len());
}

/// Rows of a ring of 4 with periods up to so many percent apart, of which all three seeds escape after so many cycles. The first packets of
/// the seeds arrive after 30, 50 and 44 cycles; 20, 25 and 40 are predicted.
fn escaped(of: &[(f64, u32)]) -> Vec<LivelockRow> {
    let asked = study("--n 4 --timing spread");
    let setting = asked.settings().unwrap().remove(0);
    let row = |(value, escape): &(f64, u32)| {
        let mut setting = setting.clone();
        setting.timed.value = *value;
        let run = |(seed, (first, predicted)): (u64, (u32, u32))| Watched {
            seed,
            ended: Some(*escape),
            seen: Seen {
                first: Some(first),
                deroutes: 0,
                predicted: Some(predicted),
            },
        };
        let runs = (1..).zip([(30, 20), (50, 25), (44, 40)]).map(run);
        LivelockRow::new(setting, runs.collect(), &asked)
    };
    of.iter().map(row).collect()
}

/// 30 of 20 are 1.5 times as much, 50 of 25 twice, 44 of 40 1.1 times.
#[test]
fn what_is_seen_is_over_what_is_predicted() {
    let row = &escaped(&[(0.1, 40_000)])[0];
    let (low, middle, high) = row.prediction.ratios.unwrap();
    let near = |one: f64, other: f64| (one - other).abs() < 1e-12;
    assert!(near(low, 1.1) && near(middle, 1.5) && near(high, 2.0));
    assert_eq!(
        (row.prediction.first, row.prediction.median),
        (Some(44), Some(25))
    );
    let text = study("--timing spread").text(&escaped(&[(0.1, 40_000)]));
    assert!(text.contains(" 1.50 (1.10-2.00) "), "{text}");
}

/// Half as long with twice the percent: 4000 cycles over the percent, by three values. Two have no law: any line fits them.
#[test]
fn a_law_takes_three_values() {
    let rows = escaped(&[(0.1, 40_000), (0.2, 20_000), (0.4, 10_000)]);
    let found = laws(&rows);
    let [
        Law {
            law,
            points: 3,
            range: (0.1, 0.4),
            ..
        },
    ] = &found[..]
    else {
        panic!("{found:?}")
    };
    assert!((law.exponent + 1.0).abs() < 1e-9 && (law.coefficient - 4000.0).abs() < 1e-6);
    assert_eq!(laws(&rows[..2]), []);
}

/// The dashed line is that of the mean rounds, which every value has, whatever the rounds of the seeds say.
#[test]
fn mean_rounds_are_drawn() {
    let rows = escaped(&[(0.1, 40_000), (0.2, 20_000)]);
    let drawn = |change: fn(&mut Prediction)| {
        let mut rows = rows.clone();
        change(&mut rows[0].prediction);
        study("--timing spread").figures(&rows).remove(0)
    };
    let usual = drawn(|_| ());
    assert_eq!(usual.0, "livelock-escape-spread.svg");
    assert_eq!(drawn(|it| it.median = Some(9)), usual);
    assert_ne!(drawn(|it| it.drift = Some(9.0)), usual);
}
