use super::*;
use crate::square::{chaos, measured, pattern, square};
use flitwork_config::Catalogue;
use flitwork_experiment::simulate::simulate;
use std::ops::ControlFlow;

fn run(seed: u64, accepted: f64) -> Seen {
    Seen {
        seed,
        accepted: Some(accepted),
        ..Seen::default()
    }
}

/// Seeds 1 and 2: 3 for 2 and 5 for 4 are 50 and 25 % more, 37.5 % on average; Student's t with one degree of freedom is 12.706, the
/// standard error 12.5 %. Seed 3, which only one side has, and seed 4, where there is nothing to compare with, don't count.
#[test]
fn differences_are_by_pairs_of_one_seed() {
    let runs = [run(1, 3.0), run(2, 5.0), run(3, 99.0), run(4, 1.0)];
    let than = [run(2, 4.0), run(1, 2.0), run(4, 0.0), run(5, 7.0)];
    let more = more(&runs, &than, |run| run.accepted).unwrap();
    assert_eq!((more.mean, more.observations), (0.375, 2));
    assert!((more.half_width.unwrap() - 12.706 * 0.125).abs() < 1e-3);
    assert!(!differs(more, 0.0), "by chance");
}

#[test]
fn a_difference_is_beyond_chance_and_beyond_the_least() {
    let change = |mean, half_width| Estimate {
        half_width,
        ..Estimate::exact(mean)
    };
    assert!(differs(change(-0.02, Some(0.019)), MATERIAL));
    assert!(!differs(change(-0.02, Some(0.021)), MATERIAL));
    assert!(!differs(change(0.009, Some(0.001)), MATERIAL));
    assert!(
        !differs(change(0.5, None), MATERIAL),
        "one seed shows no chance"
    );
}

/// Where most runs were steady, the mean is that of theirs, (10 + 20) / 2; elsewhere that of all, (10 + 20 + 60) / 3.
#[test]
fn the_latency_is_that_of_the_steady_runs_if_they_are_most() {
    let mean = |steady: [bool; 3]| {
        let runs = [10.0, 20.0, 60.0].into_iter().zip(steady);
        let runs = runs.map(|(latency, is_steady)| Seen {
            latency: Some(latency),
            is_steady,
            ..Seen::default()
        });
        let runs: Vec<Seen> = runs.collect();
        (is_steady(&runs), latency(&runs).map(|it| it.mean))
    };
    assert_eq!(mean([true, true, false]), (true, Some(15.0)));
    assert_eq!(mean([true, false, false]), (false, Some(30.0)));
}

/// Worst sources of 0.2 and 0.4 of the mean are 0.3 on average, with an interval of 12.706 times the standard error of 0.1; a run without a wait
/// leaves the mean to the other. The unit of waits is in the columns' names.
#[test]
fn who_is_served_is_a_mean_over_runs() {
    let served = |worst, wait| Served {
        worst_source: Some(worst),
        longest_wait: wait,
        ..Served::default()
    };
    let row = vec![served(0.2, Some(7.0)), served(0.4, None)];
    let columns = served_columns("ns", |it: &Vec<Served>| it.clone());
    let cell = |name: &str| {
        let column = columns.iter().find(|it| it.header.name == name);
        column
            .unwrap_or_else(|| panic!("{name}"))
            .cell(&row)
            .number()
    };
    assert!((cell("source_worst_part").unwrap() - 0.3).abs() < 1e-12);
    assert!((cell("source_worst_part_half_width").unwrap() - 1.2706).abs() < 1e-4);
    assert_eq!(cell("source_longest_wait_mean_ns"), Some(7.0));
    assert_eq!((cell("source_jain"), cell("accepted_change")), (None, None));
    let of_seed = served_seed_columns("ns", |it: &Served| *it);
    let cells: Vec<Option<f64>> = of_seed.iter().map(|it| it.cell(&row[0]).number()).collect();
    assert_eq!(cells, [None, None, Some(0.2), None, Some(7.0)]);
    assert_eq!(of_seed[4].header.name, "source_longest_wait_ns");
}

/// Each figure is in its own column, over seeds and of one.
#[test]
fn figures_of_who_is_served_are_in_their_columns() {
    let run = Served {
        change: Some(0.1),
        source_jain: Some(0.2),
        worst_source: Some(0.3),
        worst_destination: Some(0.4),
        longest_wait: Some(5.0),
    };
    let over = served_columns("ns", |it: &Served| vec![*it]);
    // Behind each mean come three columns of its interval.
    let means = over.iter().step_by(4);
    let means: Vec<Option<f64>> = means.map(|it| it.cell(&run).number()).collect();
    let of_seed = served_seed_columns("ns", |it: &Served| *it);
    let of_seed: Vec<Option<f64>> = of_seed.iter().map(|it| it.cell(&run).number()).collect();
    let expected = [0.1, 0.2, 0.3, 0.4, 5.0].map(Some);
    assert_eq!((means, of_seed), (expected.to_vec(), expected.to_vec()));
}

/// What a run comes to: of the sources the worst got a quarter of the mean, of the destinations half, in windows whose second half accepted a tenth
/// more; Jain's index is that of the sources.
#[test]
fn who_is_served_is_of_sources_and_of_destinations() {
    let catalogue = Catalogue::default();
    let grid = square(false, 4).unwrap();
    let uniform = pattern(&catalogue, "uniform", &grid, |_| ()).unwrap();
    let run = measured(1, (100, 1000), 1000);
    let resolved = chaos(&catalogue, &grid, &[], (1.0, uniform), run).unwrap();
    let run = simulate(&resolved, &mut |_| ControlFlow::Continue(()));
    let mut results = Results::new(&resolved, &run);
    let worst = |shares: &mut Option<Shares>, part: f64, jain: f64| {
        let shares = shares.as_mut().unwrap();
        (shares.min.value, shares.jain) = (part * shares.mean, Some(jain));
    };
    worst(&mut results.fairness.by_source, 0.25, 0.9);
    worst(&mut results.fairness.by_destination, 0.5, 0.8);
    let halves = results.load.as_mut().unwrap().halves.as_mut().unwrap();
    halves.change.mean = 0.1;
    let served = Served::of(&results);
    let wait = results.fairness.longest_wait.unwrap().cycles;
    let expected = Served {
        change: Some(0.1),
        source_jain: Some(0.9),
        worst_source: Some(0.25),
        worst_destination: Some(0.5),
        longest_wait: Some(wait.into()),
    };
    assert_eq!(served, expected);
    assert!(wait > 0);
    // What was delivered from each node and to each, over so many cycles.
    (results.fairness.sent, results.fairness.got) = (vec![500, 250], vec![100, 650]);
    assert_eq!(results.measured_cycles, 1000);
    let seen = Seen::of(&results);
    assert_eq!((seen.sent, seen.got), (vec![0.5, 0.25], vec![0.1, 0.65]));
    // Of sources that sent nothing at all there is no part.
    results.fairness.by_source.as_mut().unwrap().mean = 0.0;
    assert_eq!(Served::of(&results).worst_source, None);
}

/// Each figure of a run is in its own column of the table of runs.
#[test]
fn figures_of_a_seed_are_in_their_columns() {
    let run = Seen {
        seed: 7,
        offered: Some(0.1),
        accepted: Some(0.2),
        served: Served {
            change: Some(0.3),
            source_jain: Some(0.4),
            worst_source: Some(0.5),
            worst_destination: Some(0.6),
            longest_wait: Some(8.0),
        },
        latency: Some(9.0),
        deroutes_per_hop: Some(0.7),
        ..Seen::default()
    };
    let columns = seed_columns(|it: &Seen| it);
    let cells = columns[..10].iter().map(|it| it.cell(&run).number());
    let expected = [7.0, 0.1, 0.2, 0.3, 9.0, 0.7, 0.4, 0.5, 0.6, 8.0];
    assert!(cells.eq(expected.map(Some)));
}
