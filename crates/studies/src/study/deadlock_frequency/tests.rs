use super::row::Against;
use super::*;
use crate::context::Context as _;
use crate::context::tests::Silent;
use clap::FromArgMatches;
use flitwork_debug::knot;

fn asked(line: &str) -> DeadlockFrequency {
    let words = std::iter::once("deadlock-frequency").chain(line.split_whitespace());
    let matches = ENTRY.command().try_get_matches_from(words).unwrap();
    DeadlockFrequency::from_arg_matches(&matches).unwrap()
}

fn rows(line: &str) -> Vec<FrequencyRow> {
    match asked(line).run(&mut Silent::new(u32::MAX)) {
        Ok(Ran::Whole(rows)) => rows,
        other => panic!("{other:?}"),
    }
}

fn refused(line: &str) -> String {
    let asked = asked(line);
    let given = line
        .split_whitespace()
        .filter_map(|it| it.strip_prefix("--"));
    let given: Vec<String> = given.map(String::from).collect();
    let run = |()| asked.run(&mut Silent::new(u32::MAX)).map(|_| ());
    match asked.refuse_unread(&given).and_then(run) {
        Err(Failed::BadInput(why)) => why,
        other => panic!("{line}: {other:?}"),
    }
}

/// The first cycle before which a plain run has a knot: it is looked at in every cycle, and never copied.
fn first_by_steps(resolved: &Resolved, until: u32) -> Option<u32> {
    let mut run = simulation(resolved, Use::Views, AnyProbe::new(()));
    let shape = &resolved.network.shape;
    let cycle_time = time_of(resolved, Cycle(1));
    (1..until).find(|cycle| {
        run.advance(u64::from(*cycle) * cycle_time);
        knot(shape, &run.waits(), &|_| false).is_some()
    })
}

/// The moment is found to the cycle, whichever engine runs; the clocked one finds the tick after which nothing moves.
#[test]
fn the_first_knot_is_the_first() {
    let silent = Silent::new(u32::MAX);
    let catalogue = silent.catalogue();
    let chaos = "--frames 1 --sides 8 --deadline 6000 --routers minimal-chaos";
    let worms = "--channels 1 --sides 8 --deadline 6000 --routers wormhole";
    for (line, seeds) in [(chaos, 1..4), (worms, 4..7)] {
        for seed in seeds {
            let mut found = Vec::new();
            for engine in ["sync", "sync-plain", "sync-stepped"] {
                let asked = asked(&format!("{line} --set run.engine={engine}"));
                let start = &starts(&asked)[0];
                let resolved = start.resolve(&asked, catalogue, seed).unwrap();
                let watched = watch(&resolved, seed, &mut || true).unwrap();
                found.push((watched.ended, watched.seen.circle, watched.seen.stuck));
                if engine == "sync-plain" {
                    assert_eq!(
                        watched.ended,
                        first_by_steps(&resolved, 6000),
                        "{line}, seed {seed}"
                    );
                }
            }
            assert!(found[0].0.is_some(), "{line}, seed {seed}");
            assert!(found.iter().all(|it| *it == found[0]), "{found:?}");
        }
    }
}

/// With clocks of one period and phase, and no edges, nodes tick together, and the knot closes in the same cycle.
#[test]
fn clocks_that_tick_together_deadlock_in_the_same_cycle() {
    let line = "--frames 1 --sides 8 --deadline 6000 --routers minimal-chaos";
    let silent = Silent::new(u32::MAX);
    let catalogue = silent.catalogue();
    let of = |more: &str| {
        let asked = asked(&format!("{line} {more}"));
        let resolved = starts(&asked)[0].resolve(&asked, catalogue, 2).unwrap();
        watch(&resolved, 2, &mut || true).unwrap()
    };
    let one = of("");
    let clocked = of("--set run.engine=clocked");
    assert!(one.ended.is_some());
    assert_eq!(one, clocked);
}

/// Axes vary one thing each; a pointer is none of a wormhole's, and a turn model isn't free of deadlock on a torus.
#[test]
fn axes_vary_one_thing() {
    let values = |line: &str| -> Vec<(&str, String, &str)> {
        let all = places(&asked(line)).unwrap().into_iter();
        all.map(|it| (it.axis, it.value, it.point.router()))
            .collect()
    };
    let (chaos, worms) = ("minimal-chaos", "wormhole");
    let of = |axis: &'static str, value: &str, router| (axis, value.to_owned(), router);
    assert_eq!(
        values("--axes frames,channels --frames 3,1 --channels 2,4"),
        [
            of("frames", "1", chaos),
            of("frames", "3", chaos),
            of("channels", "2", worms),
            of("channels", "4", worms)
        ]
    );
    assert_eq!(
        values("--axes timing --timing one-clock,random-pointers,spread --spread 1"),
        [
            of("timing", "one-clock", chaos),
            of("timing", "one-clock", worms),
            of("timing", "random-pointers", chaos),
            of("timing", "spread, 1 %, 2 edges", chaos),
            of("timing", "spread, 1 %, 2 edges", worms)
        ]
    );
    let adaptivity = |topology: &str| {
        let line = format!("--axes adaptivity --topology {topology} --routers wormhole");
        values(&line).into_iter().map(|it| it.1).collect::<Vec<_>>()
    };
    assert_eq!(
        adaptivity("mesh"),
        [
            "shortest paths",
            "escape channels",
            "west first",
            "dimension order"
        ]
    );
    assert_eq!(
        adaptivity("torus"),
        ["shortest paths", "escape channels", "dimension order"]
    );
    // The point from which all start has the first values.
    let start = &starts(&asked("--sides 4,8 --loads 0.5,1"))[0];
    assert_eq!(
        (start.side, start.load, start.words, start.frames()),
        (4, 0.5, 10, Some(3))
    );
}

#[test]
fn what_nothing_reads_is_refused() {
    assert!(refused("--axes channels --routers minimal-chaos").contains("varies nothing"));
    assert!(refused("--frames 2 --routers wormhole").contains("--routers minimal-chaos"));
    assert!(refused("--channels 2 --routers minimal-chaos").contains("--routers wormhole"));
    assert!(refused("--spread 1 --axes load").starts_with("--spread: nothing"));
    assert!(refused("--spread 1 --axes timing --timing drift").starts_with("--spread"));
    assert!(
        refused("--axes frames --frames 3 --set traffic.load=0.3").contains("sets this key itself")
    );
    assert!(refused("--axes x").contains("allowed: frames, channels"));
}

/// Chaos with derouting, wormholes with escape channels, west first or dimension by dimension don't deadlock where the same without do.
#[test]
fn what_is_free_of_deadlock_does_not() {
    let line = "--axes adaptivity --sides 8 --frames 1 --channels 2 --seeds 3 --deadline 6000";
    for row in rows(line) {
        let deadlocks = row.place.value == "shortest paths";
        assert_eq!(
            row.deadlocked(),
            if deadlocks { 3 } else { 0 },
            "{:?}",
            row.place
        );
    }
}

fn run(seed: u64, ended: Option<u32>) -> Watched<Knotted> {
    let seen = Knotted {
        delivered: 100,
        circle: ended.map(|_| 4 + 2 * seed as u32),
        stuck: ended.map(|_| 10),
    };
    Watched { seed, ended, seen }
}

/// Of the start two of three deadlock, after 100 and 300 of 1000 cycles: 2 in 1400. With one frame all do, after 50, 60, 90: 3 in 200.
#[test]
fn rows_by_hand() {
    let asked =
        asked("--axes frames --frames 3,1 --sides 4 --routers minimal-chaos --deadline 1000");
    let (places, starts) = (places(&asked).unwrap(), starts(&asked));
    let one = places[0].point.clone();
    let of_start = vec![run(1, Some(100)), run(2, None), run(3, Some(300))];
    let of_one = vec![run(1, Some(50)), run(2, Some(60)), run(3, Some(90))];
    let ran = [(starts[0].clone(), of_start), (one, of_one)];
    let found = rows_of(places.clone(), &starts, &ran, 1000);
    let [one, start] = &found[..] else {
        panic!("two places")
    };
    assert_eq!((start.deadlocked(), one.deadlocked()), (2, 3));
    let rates = [start, one].map(|row| row.mean_rate().unwrap().round());
    assert_eq!(rates, [143.0, 1500.0]);
    // Circles of 6 and 10 links; 300 packets of 10 words to 16 nodes in 1400 cycles.
    assert_eq!(start.circle(), Some(8.0));
    assert!((start.accepted().unwrap().mean - 3000.0 / 16.0 / 1400.0).abs() < 1e-12);
    assert_eq!(start.against, None);
    let against = one.against.unwrap();
    // 3 of 5 are 0.1466 to 0.9473; times 1400/200.
    let ratio = against.ratio.unwrap();
    assert!(
        (ratio.low - 7.0 * 0.1466 / 0.8534).abs() < 0.01,
        "{ratio:?}"
    );
    assert!(
        (ratio.high - 7.0 * 0.9473 / 0.0527).abs() < 0.5,
        "{ratio:?}"
    );
    // As many packets were delivered in both: the same odds without the times.
    let by_packets = against.by_packets.unwrap();
    assert!(
        (by_packets.low - ratio.low / 7.0).abs() < 1e-9
            && (by_packets.high - ratio.high / 7.0).abs() < 1e-9
    );
    // At 50: 1 of 6, at 60: 1 of 5, at 90: 1 of 4 are expected 1/2, 2/5, 1/4: 1.85 more than 1.15, variance 0.25 + 0.24 + 0.1875.
    let chi_square: f64 = 1.85 * 1.85 / 0.6775;
    let probability = against.probability.unwrap();
    assert!(
        (chi_square - 5.05).abs() < 0.01 && (probability - 0.0246).abs() < 2e-4,
        "{probability}"
    );
    assert_eq!(against.corrected, against.probability);
    // Without the start's runs there is nothing to compare with, and a place without runs is left out.
    assert!(rows_of(places.clone(), &starts, &ran[1..], 1000).is_empty());
    assert_eq!(rows_of(places, &starts, &ran[..1], 1000).len(), 1);
}

/// Comparisons are corrected among those of a router on an axis: the least of two is doubled, whatever the other router's are.
#[test]
fn comparisons_are_corrected_by_axis_and_router() {
    let line =
        "--axes packet --words 10,5,20 --sides 8 --seeds 6 --frames 1 --channels 1 --deadline 3000";
    let found = rows(line);
    let of = |kind: Kind| -> Vec<Against> {
        let own = found.iter().filter(|row| row.place.point.kind == kind);
        own.filter_map(|row| row.against).collect()
    };
    for kind in Kind::ALL {
        let pair = of(kind);
        assert_eq!(pair.len(), 2);
        let [one, other] = [0, 1].map(|at| pair[at].probability.unwrap());
        let least = pair
            .iter()
            .min_by(|a, b| a.probability.unwrap().total_cmp(&b.probability.unwrap()))
            .unwrap();
        assert!((least.corrected.unwrap() - (2.0 * one.min(other)).min(1.0)).abs() < 1e-12);
    }
}

/// Names of figures, and what the text says.
#[test]
fn text_and_figures() {
    let line = "--axes frames,adaptivity --frames 1,2 --sides 8 --seeds 4 --routers minimal-chaos --deadline 3000";
    let (asked, found) = (asked(line), rows(line));
    let files: Vec<String> = asked.figures(&found).into_iter().map(|it| it.0).collect();
    assert_eq!(
        files,
        [
            "deadlock-frequency-survival-frames-minimal-chaos.svg",
            "deadlock-frequency-rate-frames.svg",
            "deadlock-frequency-survival-adaptivity-minimal-chaos.svg"
        ]
    );
    let text = asked.text(&found);
    assert!(
        text.contains("4 seeds, watched for 3000 cycles") && text.contains("with derouting"),
        "{text}"
    );
    assert!(text.contains("0 of 4"), "{text}");
}
