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

fn run(seed: u64, ended: Option<u32>) -> Watched<Knotted> {
    let seen = Knotted {
        delivered: 100,
        circle: ended.map(|_| 4 + 2 * seed as u32),
        stuck: ended.map(|_| 20),
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

/// Rows of frames 1, 2 and 3, where the start has 3: it deadlocks in four of six runs, after 100, 200, 300 and 400 of 1000 cycles, with one
/// frame in all of three, with two in none of three.
fn three_rows() -> (DeadlockFrequency, Vec<FrequencyRow>) {
    let line = "--axes frames --frames 3,1,2 --sides 4 --routers minimal-chaos --deadline 1000";
    let asked = asked(line);
    let (places, starts) = (places(&asked).unwrap(), starts(&asked));
    let ends: [&[Option<u32>]; 3] = [
        &[Some(50), Some(60), Some(90)],
        &[None; 3],
        &[Some(100), Some(200), Some(300), Some(400), None, None],
    ];
    let runs = |ends: &[Option<u32>]| (1..).zip(ends).map(|it| run(it.0, *it.1)).collect();
    let ran = places.iter().zip(ends);
    let ran: Vec<_> = ran
        .map(|(place, ends)| (place.point.clone(), runs(ends)))
        .collect();
    let rows = rows_of(places, &starts, &ran, 1000);
    (asked, rows)
}

/// 4 in 3000 cycles and in 600 packets; 4 are 1.0899 to 10.2416 (Garwood), 4 of 6 are 0.2228 to 0.9567 (Clopper and Pearson). Constancy as in
/// its own test. Circles of 6, 8, 10 and 12 links. Of 7 deadlocks, 3 are 0.0990 to 0.8159, odds of 0.10988 to 4.433: times 3000/200 cycles,
/// or 600/300 packets.
#[test]
fn columns_show_what_they_say() {
    let (_, rows) = three_rows();
    let columns = row_columns();
    let cell = |row: &FrequencyRow, name: &str| {
        let column = columns.iter().find(|it| it.header.name == name);
        column.unwrap().cell(row).number()
    };
    let near = |row: &FrequencyRow, name: &str, expected: f64| {
        let found = cell(row, name).unwrap();
        assert!(
            (found - expected).abs() < 1e-3 * expected.abs(),
            "{name}: {found}, not {expected}"
        );
    };
    let [one, two, start] = &rows[..] else {
        panic!("three places")
    };
    for (name, expected) in [
        ("multiqueue_frames", 3.0),
        ("packet_words", 10.0),
        ("side", 4.0),
        ("seeds", 6.0),
        ("deadlocked_seeds", 4.0),
        ("deadlocked_part_low", 0.2228),
        ("deadlocked_part_high", 0.9567),
        ("deadlock_median_cycles", 300.0),
        ("watched_cycles", 3000.0),
        ("deadlocks_per_100000_cycles", 133.33),
        ("deadlocks_per_100000_cycles_low", 36.33),
        ("deadlocks_per_100000_cycles_high", 341.39),
        ("deadlocks_per_million_packets", 6666.7),
        ("deadlocks_per_million_packets_low", 1816.5),
        ("deadlocks_per_million_packets_high", 17_069.3),
        ("total_time_part", 0.41667),
        ("constant_rate_probability", 0.5637),
        ("accepted_load_words_per_node_cycle", 0.125),
        ("circle_links_mean", 9.0),
        ("knot_waits_mean", 20.0),
    ] {
        near(start, name, expected);
    }
    for (name, expected) in [
        ("ratio_low", 1.648),
        ("ratio_high", 66.50),
        ("ratio_by_packets_low", 0.2198),
        ("ratio_by_packets_high", 8.866),
    ] {
        near(one, name, expected);
        assert_eq!(cell(start, name), None, "{name}");
    }
    assert_eq!(cell(start, "vcs"), None);
    let [of_one, of_two] = [one, two].map(|row| row.against.unwrap());
    let chance = |row: &FrequencyRow| cell(row, "logrank_probability");
    assert_eq!(
        [chance(one), chance(two)],
        [of_one, of_two].map(|it| it.probability)
    );
    let corrected = cell(one, "logrank_probability_corrected");
    assert_eq!(corrected, of_one.corrected);
    assert_ne!(corrected, of_one.probability);
}

/// The same figures with three digits that count; and the runs, with links and waits of the knot apart.
#[test]
fn text_and_runs_show_the_same() {
    let (asked, rows) = three_rows();
    let text = asked.text(&rows);
    let line = |value: &str| {
        let mut lines = text
            .lines()
            .filter(|line| line.trim_start().starts_with(value));
        let words = lines.next().expect(&text).split_whitespace();
        words.collect::<Vec<_>>().join(" ")
    };
    let one = line("1 ");
    assert!(
        one.starts_with("1 minimal-chaos 3 of 3 60 1500 309 to 4384 1.65 to 66.5 0.220 to 8.87 "),
        "{one}"
    );
    // None in 3000 cycles are up to 3.6889 (Garwood); of four deadlocks, none are up to 0.6024, odds of 1.515.
    let two = line("2 ");
    assert!(
        two.starts_with("2 minimal-chaos 0 of 3 - 0 0 to 123 0 to 1.51 0 to 3.03 "),
        "{two}"
    );
    let start = line("3 ");
    assert!(
        start.ends_with("4 of 6 300 133 36.3 to 341 - - - 0.564 0.1250 9.0"),
        "{start}"
    );
    let runs = asked.details(&rows)[0].text();
    let fourth = runs.lines().nth(3 + 3 + 4).unwrap();
    assert!(
        fourth
            .split_whitespace()
            .rev()
            .take(5)
            .eq(["20", "12", "100", "400", "4"]),
        "{fourth}"
    );
}

/// Where the start never deadlocks, nothing bounds how many times as often others do: of 3, all are 0.2924 or more, odds of 0.4132, times
/// 3000/200.
#[test]
fn a_ratio_to_nothing_has_no_upper_end() {
    let (asked, rows) = three_rows();
    let starts = starts(&asked);
    let ran = [
        (starts[0].clone(), rows[1].lifetimes.runs.clone()),
        (rows[0].place.point.clone(), rows[0].lifetimes.runs.clone()),
    ];
    let rows = rows_of(places(&asked).unwrap(), &starts, &ran, 1000);
    let columns = row_columns();
    let column = columns.iter().find(|it| it.header.name == "ratio_high");
    assert_eq!(column.unwrap().cell(&rows[0]).number(), None);
    assert!(asked.text(&rows).contains("above 6.20"));
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
