//! The rows, on small rings.

use super::{Livelock, LivelockRow, Timing, laws};
use crate::context::Failed;
use crate::context::tests::Silent;
use crate::contract::{Ran, Study};
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
        .map(|it| (it.setting.n, it.setting.timing, it.livelocked()))
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
    let part = rows[0].part().unwrap();
    assert!(
        (part.low - 0.3976).abs() < 1e-4 && part.high == 1.0,
        "{part:?}"
    );
    assert_eq!(rows[0].survival.median(), None);
    // Under one clock every packet goes around for ever: as many deroutes as fit.
    assert!(
        rows[0]
            .runs
            .iter()
            .all(|run| run.deroutes == rows[0].runs[0].deroutes && run.deroutes > 1000)
    );
    assert!(
        rows[2]
            .runs
            .iter()
            .all(|run| run.escaped.is_some_and(|it| it < 20_000))
    );
}

#[test]
fn seeds_are_those_that_are_asked_for() {
    let of = |first: u32, count: u32| {
        let found = rows(&format!(
            "--n 8 --timing spread --spread 1 --first-seed {first} --seeds {count} --deadline 20000 --jobs 1"
        ));
        found[0].runs.clone()
    };
    let (all, two) = (of(1, 4), of(3, 2));
    assert_eq!(
        all.iter().map(|it| it.seed).collect::<Vec<_>>(),
        [1, 2, 3, 4]
    );
    assert_eq!(all[2..], two[..]);
}

#[test]
fn closer_periods_take_longer() {
    let rows =
        rows("--n 4 --timing spread --spread 0.03,0.1,0.3 --seeds 10 --deadline 200000 --jobs 1");
    let medians: Vec<u64> = rows
        .iter()
        .map(|it| it.survival.median().unwrap())
        .collect();
    assert!(
        medians[0] > medians[1] && medians[1] > medians[2],
        "{medians:?}"
    );
    let [(4, Timing::Spread, 2, law)] = laws(&rows)[..] else {
        panic!("one law")
    };
    assert!(law.exponent < -0.5 && law.exponent > -1.5, "{law:?}");
    let study = study("--timing spread");
    assert!(
        study
            .text(&rows)
            .contains("ring of 4, spread, 2 edges: escape in")
    );
    let names: Vec<String> = study.figures(&rows).into_iter().map(|it| it.0).collect();
    assert_eq!(
        names,
        ["livelock-escape-spread.svg", "livelock-survival-spread.svg"]
    );
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
    ] {
        assert!(refused(options).starts_with(says), "{}", refused(options));
    }
}

#[test]
fn every_timing_is_a_configuration() {
    let study = study("--n 4 --spread 1 --seeds 1");
    let configurations = study.configurations(&flitwork_config::Catalogue::default());
    assert_eq!(configurations.len(), Timing::ALL.len());
}
