mod shown;

use super::*;
use crate::context::Context as _;
use crate::context::tests::{self, Silent};
use flitwork_debug::knot;

fn asked(line: &str) -> DeadlockFrequency {
    tests::asked(&ENTRY, line)
}

fn rows(line: &str) -> Vec<FrequencyRow> {
    tests::whole_rows(&asked(line))
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

/// The first cycle before which a plain run has a knot, and the packets that are delivered by then: it is looked at in every cycle, and
/// never copied.
fn first_by_steps(resolved: &Resolved, until: u32) -> Option<(u32, u64)> {
    let mut run = simulation(resolved, Use::Events, AnyProbe::new(Delivered::default()));
    let shape = &resolved.network.shape;
    let cycle_time = time_of(resolved, Cycle(1));
    let first = (1..until).find(|cycle| {
        run.advance(u64::from(*cycle) * cycle_time);
        knot(shape, &run.waits(), &|_| false).is_some()
    })?;
    Some((first, run.probe().probe::<Delivered>().0))
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
                        watched.ended.map(|ended| (ended, watched.seen.delivered)),
                        first_by_steps(&resolved, 6000),
                        "{line}, seed {seed}"
                    );
                }
                // A closed path on a mesh has as many links in one direction as in the other.
                assert_eq!(watched.seen.circle.unwrap() % 2, 0, "{line}, seed {seed}");
                assert!(watch(&resolved, seed, &mut || false).is_none());
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

/// With phases apart, a knot that closes within a cycle counts from the next one on.
#[test]
fn a_deadlock_within_a_cycle_is_in_the_next() {
    let line = "--axes timing --timing phases --frames 1 --sides 8 --deadline 6000 --routers minimal-chaos";
    let asked = asked(line);
    let point = &places(&asked).unwrap()[0].point;
    let silent = Silent::new(u32::MAX);
    let resolved = point.resolve(&asked, silent.catalogue(), 2).unwrap();
    let ended = watch(&resolved, 2, &mut || true).unwrap().ended;
    assert!(ended.is_some());
    assert_eq!(ended, first_by_steps(&resolved, 6000).map(|it| it.0));
}

/// The seeds are those that are asked for, each another run; and a seed gives the same among others as alone.
#[test]
fn a_seed_gives_the_same_among_others() {
    let line = "--axes frames --frames 1 --sides 8 --routers minimal-chaos --deadline 6000";
    let both = &rows(&format!("{line} --first-seed 8 --seeds 2"))[0].lifetimes;
    let alone = &rows(&format!("{line} --first-seed 9 --seeds 1"))[0].lifetimes;
    let seeds: Vec<u64> = both.runs.iter().map(|run| run.seed).collect();
    assert_eq!(seeds, [8, 9]);
    assert_eq!(both.runs[1], alone.runs[0]);
    assert_ne!(
        (both.runs[0].ended, both.runs[0].seen),
        (both.runs[1].ended, both.runs[1].seen)
    );
}

/// Far below saturation, what is delivered is what is offered: of about 2900 packets, to within 6 %, more than three deviations.
#[test]
fn what_is_accepted_is_what_is_offered() {
    let line =
        "--axes adaptivity --routers wormhole --loads 0.1 --sides 4 --seeds 3 --deadline 6000";
    let rows = rows(line);
    let accepted = rows[3].accepted().unwrap().mean;
    assert_eq!(rows[3].place.value, "dimension order");
    assert!((accepted - 0.1).abs() < 0.006, "{accepted}");
}

/// What runs at a place has the keys that its columns show.
#[test]
fn a_place_runs_what_it_shows() {
    let silent = Silent::new(u32::MAX);
    let line = "--axes adaptivity,packet,channels --words 10,20 --channels 2,4 --deadline 7000";
    let asked = asked(line);
    let of = |axis: &str, value: &str, router: &str| {
        let all = places(&asked).unwrap().into_iter();
        let mut all = all.filter(|it| it.axis == axis && it.value == value);
        let place = all.find(|it| it.point.router() == router).unwrap();
        let resolved = place.point.resolve(&asked, silent.catalogue(), 7);
        resolved.unwrap().to_toml()
    };
    for (value, routing) in [
        ("shortest paths", "fully-adaptive"),
        ("escape channels", "minimal-adaptive"),
        ("west first", "west-first"),
        ("dimension order", "dimension-order"),
    ] {
        let text = of("adaptivity", value, "wormhole");
        assert!(text.contains(&format!("routing = \"{routing}\"")), "{text}");
    }
    for (value, derouting) in [("shortest paths", false), ("with derouting", true)] {
        let text = of("adaptivity", value, "minimal-chaos");
        assert!(text.contains(&format!("derouting = {derouting}")), "{text}");
        assert!(text.contains("multiqueue_frames = 3"), "{text}");
        assert!(text.contains("seed = 7") && text.contains("measure_cycles = 7000"));
    }
    assert!(of("packet", "20", "wormhole").contains("packet_words = 20"));
    assert!(of("packet", "20", "minimal-chaos").contains("packet_words = 20"));
    assert!(of("channels", "4", "wormhole").contains("vcs = 4"));
}

/// Node 27 stops for good after 500 of 4000 cycles. What waits for it waits for ever, though nobody waits in a circle, and a knot closes soon after.
#[test]
fn what_waits_for_a_node_that_stops_is_a_knot() {
    let silent = Silent::new(u32::MAX);
    let of = |more: &str| {
        let line = "--frames 5 --loads 0.1 --routers minimal-chaos --deadline 4000 --set run.engine=clocked";
        let asked = asked(&format!("{line} {more}"));
        let resolved = starts(&asked)[0].resolve(&asked, silent.catalogue(), 1);
        watch(&resolved.unwrap(), 1, &mut || true).unwrap()
    };
    assert_eq!(of("").ended, None);
    let stopped = of("--set clocks.changes=[{at_ps=500000,nodes=[27],gated=true}]");
    assert!(
        stopped.ended.is_some_and(|at| (500..600).contains(&at)),
        "{stopped:?}"
    );
    assert_eq!(stopped.seen.circle, Some(0));
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
    // The start has a row where it isn't asked for, and comes first; where it is asked for, it is where it stands, once.
    for (timing, expected) in [
        ("phases", ["one-clock", "phases"]),
        ("one-clock,phases", ["one-clock", "phases"]),
        ("phases,one-clock", ["phases", "one-clock"]),
    ] {
        let found = values(&format!(
            "--axes timing --timing {timing} --routers wormhole"
        ));
        let begins = |it: &(&_, String, _), name: &&str| it.1.starts_with(*name);
        assert!(found.len() == 2, "{found:?}");
        assert!(
            found
                .iter()
                .zip(&expected)
                .all(|(it, name)| begins(it, name)),
            "{found:?}"
        );
    }
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
    for option in [
        "timing drift",
        "spread 1",
        "drift 1",
        "jitter 1",
        "wander 1",
        "tau 1",
        "edges 2",
    ] {
        let why = refused(&format!("--{option} --axes load"));
        let name = option.split(' ').next().unwrap();
        assert!(why.starts_with(&format!("--{name}: nothing")), "{why}");
        assert!(why.ends_with("with --axes timing"), "{why}");
    }
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

/// Thresholds go up on their axis, of Chaos alone; the first one is that of all other axes.
#[test]
fn the_threshold_is_that_of_the_run() {
    let asked = asked("--axes threshold,frames --thresholds 80,0 --frames 2");
    let thresholds = |axis: &str| -> Vec<(String, Option<String>)> {
        let own = places(&asked)
            .unwrap()
            .into_iter()
            .filter(|it| it.axis == axis);
        let of = |place: Place| {
            let text = place
                .point
                .resolve(&asked, &Catalogue::default(), 1)
                .unwrap()
                .to_toml();
            let mut lines = text.lines();
            let line = lines.find_map(|line| line.strip_prefix("stall_threshold_cycles = "));
            (place.value.clone(), line.map(str::to_owned))
        };
        own.map(of).collect()
    };
    let of = |value: &str, cycles: &str| (value.to_owned(), Some(cycles.to_owned()));
    assert_eq!(thresholds("threshold"), [of("0", "0"), of("80", "80")]);
    assert_eq!(thresholds("frames"), [of("2", "80")]);
    assert!(refused("--routers wormhole --axes channels --thresholds 3").contains("--thresholds"));
}
