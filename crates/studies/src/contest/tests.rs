//! Rows, their text, and what a contest refuses.

use super::*;
use crate::context::tests::Silent;
use crate::options::{Repeats, RunOptions, Seeds};

fn seeds(seeds: u32) -> Repeats<5> {
    let over = Seeds {
        first_seed: 1,
        seeds,
    };
    Repeats {
        over,
        ..Repeats::default()
    }
}

#[derive(Debug, Args)]
struct Small {
    #[command(flatten)]
    curves: Curves,
}

impl Contested for Small {
    fn entrants(&self) -> Result<Vec<Entrant>, Failed> {
        const NETWORK: &[Contender] = &[
            (
                "chaos",
                "[network]\ntopology = \"mesh\"\nsides = [2, 2]\n[router.chaos]\n[traffic]\nload = 0.1",
            ),
            (
                "worms",
                "[network]\ntopology = \"mesh\"\nsides = [2, 2]\n[router.wormhole]\n[traffic]\nload = 0.1",
            ),
        ];
        Ok(NETWORK.iter().copied().map(Entrant::fixed).collect())
    }

    fn packet_words(&self) -> u16 {
        2
    }

    fn curves(&self) -> &Curves {
        &self.curves
    }

    fn panels(&self) -> Vec<Panel> {
        let patterns = ["uniform", "tornado"].map(String::from);
        Panel::all(&["mesh".into()], &[4], &patterns)
    }
}

fn small(loads: Vec<f64>, seeds: u32) -> Small {
    let first_seed = 1;
    let repeats = Repeats {
        over: Seeds { first_seed, seeds },
        set: Vec::new(),
        jobs: Some(2),
    };
    let cycles = 3000;
    let many = RunOptions { cycles, repeats };
    let curves = Curves { loads, many };
    Small { curves }
}

/// A contender at a load, with a run that was steady or not.
fn row(load: f64, is_steady: bool) -> ContestRow {
    ContestRow {
        network_and_pattern: "mesh of 4 x 4, uniform".into(),
        router: "chaos",
        choice: Choice::default(),
        candidates: Arc::default(),
        configured_load: load,
        runs: vec![Seen {
            offered: Some(load),
            accepted: Some(load),
            is_steady,
            ..Seen::default()
        }],
    }
}

/// "Steady up to" a load means that all the lower ones were steady, too: a load beyond one that wasn't doesn't count.
#[test]
fn steady_up_to_ends_at_the_first_load_that_is_not() {
    let steady_up_to = |steady: [bool; 3]| {
        let rows: Vec<_> = [0.125, 0.25, 0.375]
            .into_iter()
            .zip(steady)
            .map(|(load, steady)| row(load, steady))
            .collect();
        let text = contest_text(&seeds(1), None, &rows);
        let line = text.lines().find(|line| line.contains("chaos  "));
        // Its name, no latency, and then the load.
        let mut words = line.expect("the contender's line").split_whitespace();
        words.nth(2).expect("three columns").to_owned()
    };
    assert_eq!(steady_up_to([true, true, true]), "0.375");
    assert_eq!(steady_up_to([true, true, false]), "0.250");
    assert_eq!(steady_up_to([true, false, true]), "0.125");
    assert_eq!(steady_up_to([false, true, true]), "none");
}

/// At 0.5 and 0.25 words per node and cycle the second accepts half of what the first does.
#[test]
fn differences_are_from_the_best_or_from_the_reference() {
    let rows = [
        row(0.5, true),
        ContestRow {
            router: "worms",
            ..row(0.25, true)
        },
    ];
    let says = |reference| contest_text(&seeds(1), reference, &rows);
    // Who is alone beats nobody.
    assert!(!contest_text(&seeds(1), None, &rows[..1]).contains("accepts most"));
    let best = says(None);
    assert!(
        best.contains("chaos accepts most at overload:\n    100.00 ± ? % more than worms\n"),
        "{best}"
    );
    let from = says(Some("worms"));
    assert!(
        from.contains("accepted at overload, against worms:\n    +100.00 ± ? % chaos\n"),
        "{from}"
    );
    let from = says(Some("chaos"));
    assert!(
        from.contains("against chaos:\n    -50.00 ± ? % worms\n"),
        "{from}"
    );
}

/// A throughput that falls by 3 % in each of two seeds drifts, one that rises by 1 % doesn't.
#[test]
fn what_drifts_is_said() {
    let mut rows = [
        row(1.0, false),
        ContestRow {
            router: "worms",
            ..row(1.0, false)
        },
    ];
    for (row, change) in rows.iter_mut().zip([-0.03, 0.01]) {
        row.runs[0].served.change = Some(change);
        let other = row.runs[0].clone();
        row.runs.push(other);
    }
    let text = contest_text(&seeds(2), None, &rows);
    assert!(
        text.contains("chaos drifts at overload: -3.00 ± 0.00 % in the second half"),
        "{text}"
    );
    assert!(!text.contains("worms drifts"), "{text}");
}

/// A network that accepts 0.25 at half of the load, and an eighth at overload: the most that it accepted comes before that.
#[test]
fn the_most_is_accepted_at_any_load() {
    let mut rows = [row(0.25, true), row(0.5, false)];
    rows[1].runs[0].accepted = Some(0.125);
    let text = contest_text(&seeds(1), None, &rows);
    let line = text.lines().find(|line| line.contains("chaos  "));
    let words: Vec<&str> = line.unwrap().split_whitespace().collect();
    assert_eq!(words.join(" "), "chaos - 0.250 0.25 ± ? 0.12 ± ?");
}

#[test]
fn every_run_has_a_separate_row() {
    let asked = small(vec![0.05, 1.0], 2);
    let Ok(Ran::Whole(rows)) = asked.run(&mut Silent::new(u32::MAX)) else {
        panic!("no rows")
    };
    let titles = ["mesh of 4 x 4, uniform", "mesh of 4 x 4, tornado"];
    let expected = titles.into_iter().flat_map(|panel| {
        ["chaos", "worms"]
            .into_iter()
            .flat_map(move |name| [(panel, name, 0.05), (panel, name, 1.0)])
    });
    let of = |row: &'_ ContestRow| (row.router, row.configured_load);
    for (row, (panel, router, load)) in rows.iter().zip(expected) {
        assert_eq!(
            (row.network_and_pattern.as_str(), of(row)),
            (panel, (router, load))
        );
    }
    assert_eq!(rows.len(), 2 * 2 * 2);
    for row in rows.iter().filter(|row| row.configured_load == 0.05) {
        assert!((row.accepted().mean - 0.05).abs() < 0.01, "{row:?}");
        assert!(
            row.runs.iter().all(|run| run.is_steady && !run.has_failed),
            "{row:?}"
        );
        let seeds: Vec<u64> = row.runs.iter().map(|run| run.seed).collect();
        assert_eq!(seeds, [1, 2]);
    }
    let text = asked.text(&rows);
    assert!(text.contains("worms") && text.contains("tornado"), "{text}");
    assert_eq!(asked.figures(&rows).len(), 4);
    let tables = asked.details(&rows);
    assert_eq!(tables.len(), 1, "without a choice there are no candidates");
    let stopped = asked.run(&mut Silent::new(0));
    assert!(matches!(stopped, Ok(Ran::Nothing)));
    // Of the second panel alone.
    let files = |rows: &[ContestRow]| -> Vec<String> {
        asked.figures(rows).into_iter().map(|it| it.0).collect()
    };
    let expected = ["mesh-4-tornado-latency.svg", "mesh-4-tornado-accepted.svg"];
    assert_eq!(files(&rows[4..]), expected);
}

/// Contenders are compared: a panel is there with all of its rows, or isn't.
#[test]
fn whole_panels_are_left_of_an_interrupted_contest() {
    let mut asked = small(vec![0.05, 1.0], 2);
    asked.curves.many.repeats.jobs = Some(1);
    // One after the other, a panel's runs are 8.
    let (Ok(Ran::AsFar(rows)) | Ok(Ran::Whole(rows))) = asked.run(&mut Silent::new(9)) else {
        panic!("the first panel is done")
    };
    assert_eq!(rows.len() % 4, 0);
    assert!(rows[0].network_and_pattern.ends_with("uniform"));
    assert!(asked.text(&rows).contains("accepts most at overload"));
}

/// A contest of a router that may have buffers of a word or of eight: a word each is the worse choice, and comes first.
#[derive(Debug, Args)]
struct Buffers {
    #[command(flatten)]
    curves: Curves,
}

impl Contested for Buffers {
    fn entrants(&self) -> Result<Vec<Entrant>, Failed> {
        let text = "[network]\ntopology = \"mesh\"\nsides = [2, 2]\n[router.wormhole]\n[traffic]\nload = 0.1";
        let choice = |words: u32| Choice {
            label: format!("{words} words"),
            set: vec![set("router.wormhole.buffer_words", words)],
            ..Choice::default()
        };
        let choices = vec![choice(1), choice(8)];
        let name = "worms";
        Ok(vec![Entrant {
            name,
            text,
            choices,
        }])
    }

    fn packet_words(&self) -> u16 {
        4
    }

    fn curves(&self) -> &Curves {
        &self.curves
    }

    fn panels(&self) -> Vec<Panel> {
        let patterns = ["uniform", "transpose"].map(String::from);
        Panel::all(&["mesh".into()], &[4], &patterns)
    }
}

/// What accepts most at overload, with seeds that the comparison doesn't run, is compared.
#[test]
fn the_best_choice_is_compared_with_other_seeds() {
    let Small { curves } = small(vec![0.05, 0.2, 1.0], 3);
    let asked = Buffers { curves };
    let Ok(Ran::Whole(rows)) = asked.run(&mut Silent::new(u32::MAX)) else {
        panic!("no rows")
    };
    assert_eq!(rows.len(), 2 * 3);
    for row in &rows {
        assert_eq!(row.choice.label, "8 words", "{row:?}");
        let compared: Vec<u64> = row.runs.iter().map(|run| run.seed).collect();
        assert_eq!(compared, [1, 2, 3]);
        let [worse, better] = &row.candidates[..] else {
            panic!("two choices")
        };
        assert_eq!([worse.is_chosen, better.is_chosen], [false, true]);
        for candidate in [worse, better] {
            let tuned = candidate.seeds();
            assert!(
                tuned.iter().all(|seed| !compared.contains(seed)),
                "{tuned:?}"
            );
            assert_eq!(tuned.len(), 2 * 2, "two seeds at both loads");
        }
        assert!(better.throughput() > 1.2 * worse.throughput());
        // The lowest load is half empty: a packet of four words takes far less than it waits at overload.
        assert!(better.latency() < 40.0, "{}", better.latency());
    }
    // Two panels, two choices, and each with two seeds at both loads.
    let tables = asked.details(&rows);
    assert_eq!(tables[1].text().lines().count(), 1 + 2 * 2);
    assert_eq!(tables[2].text().lines().count(), 1 + 2 * 2 * 4);
    // Each panel has its own candidates.
    let [one, other] = [&rows[0], &rows[3]].map(|row| row.candidates[1].throughput());
    assert_ne!(one, other);
}
