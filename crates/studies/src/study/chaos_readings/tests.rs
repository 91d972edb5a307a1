//! What every reading comes to, seed by seed.

use super::*;
use crate::context::tests::{Silent, whole_rows};
use crate::{context, paper::PaperEntry};

fn asked(line: &str) -> ChaosReadings {
    context::tests::asked(&ENTRY, line)
}

#[test]
fn every_reading_is_another_run() {
    let asked = asked("--readings usual,link,b,all,b-tail --n 600 --seeds 1");
    let rows = whole_rows(&asked);
    assert_eq!(rows.len(), asked.readings.len() * 3 * 2);
    // Deroutes among all packets change Chaos alone, so its digests tell readings apart.
    let digests_of = |reading: &Reading| {
        let rows = rows
            .iter()
            .filter(|row| row.reading == *reading && row.algorithm == Algorithm::Chaos);
        rows.map(|row| sum_of_digests(&row.fixed))
            .collect::<Vec<_>>()
    };
    let mut digests: Vec<_> = asked.readings.iter().map(digests_of).collect();
    digests.sort();
    digests.dedup();
    assert_eq!(digests.len(), asked.readings.len());
    // Random pointers change which packets meet: another run of the same permutation.
    let is_random_another =
        |row: &ReadingRow| sum_of_digests(&row.fixed) != sum_of_digests(&row.random);
    assert!(rows.iter().any(is_random_another));
    assert!(asked.text(&rows).contains("b-tail"));
    assert_eq!(asked.figures(&rows).len(), 6);
    assert!(
        asked
            .figures(&rows)
            .iter()
            .all(|(name, svg)| asked.owns(name) && svg.starts_with("<svg"))
    );
}

/// 110 and 130 for a published 100 are 10 and 30 % late, 20 % on average; 99 for 110 gains a tenth, 65 for 130 a half. Student's t with one
/// degree of freedom is 12.706, the standard errors are half of the differences.
#[test]
fn figures_are_seed_by_seed() {
    let asked = asked("--readings usual --n 60 --first-seed 4 --seeds 2");
    let rows = whole_rows(&asked);
    let seeds: Vec<u64> = rows[0].random.iter().map(|run| run.seed).collect();
    assert_eq!(seeds, [4, 5]);
    let mut row = rows[0].clone();
    row.published = Some(100.0);
    let times = [(110, 99), (130, 65)];
    for (at, (fixed, random)) in times.into_iter().enumerate() {
        row.fixed[at].cycles = Some(fixed);
        row.random[at].cycles = Some(random);
    }
    let near = |of: Option<Estimate>, mean: f64, error: f64| {
        let of = of.unwrap();
        (of.mean - mean).abs() < 1e-12 && (of.half_width.unwrap() / error - 12.706).abs() < 1e-3
    };
    assert!(near(row.deviation(), 0.2, 0.1), "{:?}", row.deviation());
    assert!(near(row.gain(), 0.3, 0.2), "{:?}", row.gain());
    assert!(near(row.time(), 120.0, 10.0), "{:?}", row.time());
    assert!(
        near(row.random_time(), 82.0, 17.0),
        "{:?}",
        row.random_time()
    );
    let columns = asked.columns();
    let cell = |name: &str| {
        let column = columns.iter().find(|it| it.header.name == name);
        column.unwrap().cell(&row)
    };
    let means = [
        ("time_mean_cycles", 120.0),
        ("time_deviation", 0.2),
        ("random_pointers_time_mean_cycles", 82.0),
        ("random_pointers_gain", 0.3),
    ];
    for (name, mean) in means {
        let found = cell(name).number().unwrap();
        assert!((found - mean).abs() < 1e-9, "{name}: {found}");
    }
    assert_eq!(cell("digest").to_string(), sum_of_digests(&row.fixed));
    assert_eq!(cycles(row.time()), "120.0 ± 127.1");
    // Four runs of a row: each seed with fixed pointers, then each with random ones.
    let runs = asked.details(std::slice::from_ref(&row))[0].text();
    let shown_runs = runs.lines().skip(1).map(|line| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let pointer = words.iter().position(|it| ["fixed", "random"].contains(it));
        words[pointer.unwrap()..][..3].join(" ")
    });
    let shown_runs: Vec<String> = shown_runs.collect();
    assert_eq!(
        shown_runs,
        ["fixed 4 110", "fixed 5 130", "random 4 99", "random 5 65"]
    );
    assert_eq!(shown(row.gain()), "+30.0 ± 254.1 %");
    assert_eq!(shown(None), "-");
    let table = &asked.details(&rows)[0];
    assert_eq!(table.text().lines().count(), 1 + rows.len() * 2 * 2);
}

/// Fixed pointers are the runs of the paper's own command, seed by seed: also of the whole mesh of experiment 1. Corners of 14 x 14 nodes have
/// another permutation with each seed; those of 3 x 3 don't.
#[test]
fn fixed_pointers_are_the_papers_runs() {
    let asked = asked("--readings b --n 240 --first-seed 7 --seeds 2 --jobs 2");
    let rows = whole_rows(&asked);
    assert_eq!(rows.len(), 3 * 2);
    for experiment in EXPERIMENTS {
        let PaperEntry(paper) = flitwork_schema::Parts::new().find(experiment).unwrap();
        let line = "--n 240 --first-seed 7 --seeds 2 --preset chinn-1995-b --json";
        for pointer in ["fixed", "random"] {
            let line = format!("{experiment} {line} --initial-pointer {pointer}");
            let matches = paper.command().get_matches_from(line.split(' '));
            let mut context = Silent::new(u32::MAX);
            assert_eq!(paper.run(&matches, &mut context), Ok(crate::End::Fine));
            let found: serde_json::Value = serde_json::from_str(&context.printed()).unwrap();
            let digests = found["runs"].as_array().unwrap().iter();
            let theirs: Vec<String> = digests
                .map(|run| run["digest"].as_str().unwrap().into())
                .collect();
            let own = rows.iter().filter(|row| row.experiment == experiment);
            let own = own.flat_map(|row| match pointer {
                "fixed" => &row.fixed,
                _ => &row.random,
            });
            let own: Vec<String> = own.map(|run| run.digest.to_string()).collect();
            assert_eq!(own, theirs, "{experiment}, {pointer}");
        }
    }
}

/// The threshold of the usual reading is 7 cycles: to set it changes nothing, another changes runs.
#[test]
fn keys_of_chaos_are_those_of_every_reading() {
    let digests = |set: &str| -> Vec<String> {
        let rows = whole_rows(&asked(&format!("--readings usual --n 120 --seeds 1 {set}")));
        rows.iter().map(|row| sum_of_digests(&row.fixed)).collect()
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
    let refused = |set: &str| {
        let asked = asked(&format!("--n 60 --set {set}"));
        match asked.run(&mut Silent::new(u32::MAX)) {
            Err(Failed::BadInput(why)) => why,
            _ => panic!("{set} is accepted"),
        }
    };
    let why = refused("network.link_latency_cycles=2");
    assert!(why.ends_with("allowed: keys of router.chaos.*"), "{why}");
    assert!(refused("router.chaos.multiqueue_frames=3").contains("sets this key itself"));
    assert!(refused("router.chaos.x=3").contains("router.chaos.x"));
}

/// Of two meshes the first one's two runs are done when the user stops: those of the other, 676 times as large, take long.
#[test]
fn whole_rows_stay_when_the_user_stops() {
    let asked = asked("--readings usual --n 60,1560 --seeds 2 --jobs 1");
    match asked.run(&mut Silent::new(2)) {
        Ok(Ran::AsFar(rows) | Ran::Whole(rows)) => {
            let of: Vec<_> = rows.iter().map(|row| (row.n, row.fixed.len())).collect();
            assert_eq!(of[..2], [(60, 2); 2]);
        }
        other => panic!("{other:?}"),
    }
}

/// What experiments and readings set can't be set: all experiments would be run with it, whatever they are called.
#[test]
fn keys_of_experiments_and_readings_are_refused() {
    for key in [
        "derouting=false",
        "initial_pointer=random",
        "delivery=frame",
        "multiqueue_frames=3",
        "deroute_among=all",
        "multiqueue_freed_at=tail",
    ] {
        let asked = asked(&format!("--n 60 --seeds 1 --set router.chaos.{key}"));
        match asked.run(&mut Silent::new(u32::MAX)) {
            Err(Failed::BadInput(why)) => assert!(why.contains("sets this key itself"), "{why}"),
            _ => panic!("{key} is accepted"),
        }
    }
}

/// On the published meshes of 600 nodes a side, and on that of 1080 of experiment 3: its own times, router by router.
#[test]
fn each_row_has_its_own_published_time() {
    let catalogue = Catalogue::default();
    let asked = asked("--readings usual");
    let points = asked.points(&catalogue).unwrap();
    let sides = |experiment: &str| -> Vec<u32> {
        let own = points.iter().filter(|it| it.experiment == experiment);
        own.map(|it| it.mesh.plan.n).collect()
    };
    assert_eq!(sides("chinn-exp1"), [600, 720, 960, 1080, 1200, 1560]);
    assert_eq!(sides("chinn-exp2"), [600, 1080, 1560, 1800, 2280, 2520]);
    assert_eq!(sides("chinn-exp3"), [1080, 1560, 1800, 2280]);
    let published = |experiment: &str, n: u32| -> Vec<Option<f64>> {
        let own = |it: &&Point| (it.experiment, it.mesh.plan.n) == (experiment, n);
        let rows = points.iter().find(own).unwrap().rows(&[]);
        rows.iter().map(|row| row.published).collect()
    };
    assert_eq!(published("chinn-exp1", 600), [Some(10529.0), Some(9382.0)]);
    assert_eq!(published("chinn-exp2", 600), [Some(8318.0), Some(7075.0)]);
    assert_eq!(
        published("chinn-exp3", 1080),
        [Some(26655.0), Some(17666.0)]
    );
    let other = self::asked("--readings usual --n 610");
    let rows = other.points(&catalogue).unwrap()[0].rows(&[]);
    assert!(rows.iter().all(|row| row.published.is_none()));
}

/// A time half as long as the published one is a deviation of - 50 %: it changes the figure of its experiment and algorithm, and no other.
#[test]
fn figures_show_their_own_rows() {
    let asked = asked("--readings usual --n 60 --seeds 2");
    let mut rows = whole_rows(&asked);
    for row in &mut rows {
        row.published = Some(100.0);
        row.fixed.iter_mut().for_each(|run| run.cycles = Some(50));
    }
    let before = asked.figures(&rows);
    assert_eq!(before.len(), rows.len());
    for at in 0..rows.len() {
        let mut others = rows.clone();
        others[at].published = Some(200.0);
        let after = asked.figures(&others);
        let changed = before
            .iter()
            .zip(&after)
            .filter(|(one, other)| one != other);
        let changed: Vec<&str> = changed.map(|it| &*it.0.0).collect();
        let (experiment, algorithm) = (rows[at].experiment, rows[at].algorithm.name());
        let own = format!("chaos-readings-{experiment}-{algorithm}.svg");
        assert_eq!(changed, [own]);
    }
}
