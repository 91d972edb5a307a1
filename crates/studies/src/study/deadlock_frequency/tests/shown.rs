//! Rows, columns and texts.

use super::*;
use crate::study::deadlock_frequency::row::Against;

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
    let start = "start: minimal-chaos, shortest paths, 1 frames, threshold 7, 10 words, mesh of 8 x 8, uniform, load 1, one-clock\n";
    assert!(text.contains(start), "{text}");
}

/// A line for each topology over the side of the network, and one over the load.
#[test]
fn networks_of_each_topology_have_their_line() {
    for (axis, lines) in [
        ("network", ["minimal-chaos, mesh", "minimal-chaos, torus"]),
        ("load", ["minimal-chaos", "minimal-chaos"]),
    ] {
        let line = "--sides 4,8 --loads 1,0.5 --routers minimal-chaos --deadline 1000 --axes";
        let asked = asked(&format!("{line} {axis}"));
        let (places, starts) = (places(&asked).unwrap(), starts(&asked));
        let runs = || vec![run(1, Some(100)), run(2, Some(300))];
        let all = places.iter().map(|place| (place.point.clone(), runs()));
        let ran: Vec<_> = all.collect();
        let rows = rows_of(places, &starts, &ran, 1000);
        let figures = asked.figures(&rows);
        let name = format!("deadlock-frequency-rate-{axis}.svg");
        let svg = &figures.iter().find(|it| it.0 == name).unwrap().1;
        for name in lines {
            assert!(svg.lines().any(|it| it == name), "{axis}, {name}: {svg}");
        }
        assert_eq!(svg.contains(", mesh"), axis == "network");
    }
}
