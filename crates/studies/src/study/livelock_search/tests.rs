//! The rows, on small networks.

use super::{ENTRY, LivelockSearch, Livelocked, SearchRow, TRIED, With};
use crate::context::Failed;
use crate::context::tests::{Silent, asked, whole_rows};
use crate::contract::{Ran, Study};
use crate::timing::Timing;

fn rows(options: &str) -> Vec<SearchRow> {
    whole_rows::<LivelockSearch>(&asked(&ENTRY, options))
}

/// On a ring of 4 the shift by two livelocks, whose destinations are 2, 3, 0, 1: each node's packet goes to and fro. It is the only one
/// of 24: in any other some node has no packet of two hops, or its own at home already, and its east output is free in time.
#[test]
fn one_permutation_of_a_ring_of_four_livelocks() {
    let rows = rows("--n 4 --topology torus --deadline 5000 --jobs 1");
    let [row] = &rows[..] else { panic!("one row") };
    let found: Vec<&[u32]> = row
        .livelocked
        .iter()
        .map(|it| &it.destinations[..])
        .collect();
    assert_eq!((row.tried, row.is_all, row.part()), (24, true, None));
    assert_eq!(found, [[2, 3, 0, 1]]);
    // Phases and steps of one length leave it there; periods 1 % apart and drawn steps don't.
    let escapes: Vec<u64> = (0..4)
        .map(|tried| row.escaped(tried, With::EverySeed))
        .collect();
    assert_eq!(escapes, [0, 1, 0, 1]);
    assert_eq!(row.example().as_deref(), Some("[2,3,0,1]"));
}

/// On a line of 4 nobody livelocks, and with 2 frames, which draw at random, nobody on a ring of 4.
#[test]
fn a_line_of_nodes_and_two_frames_let_everyone_go() {
    for options in ["--n 4 --topology mesh", "--n 4 --topology torus --frames 2"] {
        let rows = rows(&format!("{options} --deadline 5000 --jobs 1"));
        assert!(rows[0].livelocked.is_empty(), "{options}");
    }
    let drawn = rows("--n 4 --topology mesh --most 20 --deadline 5000 --jobs 1");
    // None of 20: the upper end is 1 - 0.025^(1/20).
    let part = drawn[0].part().unwrap();
    assert!(part.low == 0.0 && (part.high - 0.16843).abs() < 1e-5);
}

/// A ring of 6 where phases decide: 16 of 23 permutations escape with seed 1 alone. With more seeds fewer escape with each of them, and more with
/// some; a seed of its own finds the same as among others. Keys of Chaos are those of every run: with the design's threshold nobody livelocks.
#[test]
fn what_escapes_by_luck_is_told_from_what_always_does() {
    let line = "--n 6 --topology torus --deadline 5000";
    let row = |more: &str| rows(&format!("{line} {more}")).remove(0);
    let (one, three) = (row("--seeds 1"), row("--seeds 3"));
    let escaped =
        |row: &SearchRow, with| -> Vec<u64> { (0..4).map(|it| row.escaped(it, with)).collect() };
    assert_eq!(
        escaped(&one, With::EverySeed),
        escaped(&one, With::SomeSeed)
    );
    assert_eq!(escaped(&one, With::EverySeed), [16, 23, 12, 23]);
    let (every, some) = (
        three.escaped(0, With::EverySeed),
        three.escaped(0, With::SomeSeed),
    );
    assert!(every < 16 && 16 < some, "{every} {some}");
    assert_eq!(three.shown_escaped(0), format!("{every} to {some}"));
    assert_eq!(three.shown_escaped(1), "23");
    let third = row("--first-seed 3 --seeds 1");
    let of_third = three.livelocked.iter().map(|it| it.escapes[2]);
    assert!(of_third.eq(third.livelocked.iter().map(|it| it.escapes[0])));
    let slower = row("--seeds 1 --set router.chaos.output_reopen_cycles=3");
    assert_ne!(slower.livelocked.len(), one.livelocked.len());
}

/// Longer links have no handshake that tells how long they are: a timing that is tried refuses them.
#[test]
fn what_the_search_sets_itself_is_refused() {
    for set in [
        "clocks.phase=zero",
        "run.seed=2",
        "traffic.k=2",
        "router.wormhole.vcs=2",
        "router.chaos.derouting=false",
        "network.link_latency_cycles=3",
    ] {
        let asked: LivelockSearch = asked(&ENTRY, &format!("--n 4 --set {set}"));
        let ran = asked.run(&mut Silent::new(u32::MAX));
        assert!(matches!(ran, Err(Failed::BadInput(_))), "{set}");
    }
}

/// Five permutations and two seeds, 4 and 5. With seed 4 as many escape as are in `SOME`, the first ones, with seed 5 no more than are in `EVERY`:
/// a figure of each timing that no other has. Times are 100 a permutation, 10 a timing, and the seed.
fn five() -> (LivelockSearch, SearchRow) {
    let line = "--n 4 --topology torus --deadline 5000 --first-seed 4 --seeds 2";
    let asked: LivelockSearch = asked(&ENTRY, line);
    let mut row = whole_rows(&asked).remove(0);
    let escapes = |place: u32, seed: u64| {
        let most = if seed == 4 { SOME } else { EVERY };
        let at = |timing: u32| 100 * place + 10 * timing + seed as u32;
        let of = |timing: usize| (place < most[timing]).then(|| at(timing as u32));
        (seed, std::array::from_fn::<_, { TRIED.len() }, _>(of))
    };
    let of = |place: u32| Livelocked {
        destinations: vec![place, 9],
        escapes: [4, 5].map(|seed| escapes(place, seed)).to_vec(),
    };
    row.livelocked = (0..5).map(of).collect();
    (asked, row)
}

const EVERY: [u32; 4] = [0, 1, 2, 3];
const SOME: [u32; 4] = [2, 3, 4, 5];

#[test]
fn columns_are_those_of_their_timings() {
    let (asked, row) = five();
    let columns = asked.columns();
    let cell = |name: &str| {
        let column = columns.iter().find(|it| it.header.name == name);
        column
            .unwrap_or_else(|| panic!("{name}"))
            .cell(&row)
            .number()
    };
    let names = ["phases", "spread", "self_timed", "self_timed_drawn"];
    for (at, name) in names.into_iter().enumerate() {
        let both = [
            format!("escaped_{name}"),
            format!("some_seed_escaped_{name}"),
        ];
        let both = both.map(|name| cell(&name).unwrap());
        assert_eq!(both, [EVERY[at], SOME[at]].map(f64::from), "{name}");
    }
    assert_eq!((cell("livelocked"), cell("seeds")), (Some(5.0), Some(2.0)));
    let text = asked.text(std::slice::from_ref(&row));
    let line: Vec<&str> = text
        .lines()
        .find(|it| it.contains("[0,9]"))
        .unwrap()
        .split_whitespace()
        .collect();
    assert!(
        line.join(" ").contains("0 to 2 1 to 3 2 to 4 3 to 5 [0,9]"),
        "{text}"
    );
    assert!(text.contains("2 seeds from 4 on"), "{text}");
}

/// Of the third permutation, with seed 4: self-timed steps, 224 cycles, and drawn ones, 234; with seed 5 drawn ones, 235.
#[test]
fn every_seed_of_every_permutation_is_in_the_table() {
    let (asked, row) = five();
    let table = asked.details(std::slice::from_ref(&row)).remove(0).text();
    let lines: Vec<&str> = table.lines().skip(1).collect();
    assert_eq!(lines.len(), 5 * 2);
    let ends = |line: &str, expected: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        assert!(words.join(" ").ends_with(expected), "{line}");
    };
    ends(lines[0], "[0,9] 4 4 14 24 34");
    ends(lines[4], "[2,9] 4 - 214 224 234");
    ends(lines[5], "[2,9] 5 - - - 235");
}

/// Of a ring of 6's 720 permutations, 23 of which livelock, 300 are drawn with the first seed.
#[test]
fn permutations_are_drawn_with_the_first_seed() {
    let found = |seed: u64| -> Vec<Vec<u32>> {
        let line = "--n 6 --topology torus --most 300 --deadline 5000 --seeds 1 --first-seed";
        let row = rows(&format!("{line} {seed}")).remove(0);
        assert_eq!((row.tried, row.is_all), (300, false));
        let found = row.livelocked.into_iter();
        found.map(|it| it.destinations).collect()
    };
    let (one, two) = (found(1), found(2));
    assert!(!one.is_empty() && !two.is_empty() && one != two);
}

/// A ring of 4 has 24 permutations; of a ring of 8's 40,000, all but some aren't tried when the user stops after 30.
#[test]
fn networks_that_are_done_stay_when_the_user_stops() {
    let line = "--n 4,8 --topology torus --most 40000 --deadline 5000 --jobs 1";
    let asked: LivelockSearch = asked(&ENTRY, line);
    match asked.run(&mut Silent::new(30)) {
        Ok(Ran::AsFar(rows)) => assert_eq!(rows.len(), 1),
        other => panic!("{other:?}"),
    }
    assert!(matches!(asked.run(&mut Silent::new(0)), Ok(Ran::Nothing)));
}

/// Periods and drawn steps differ by the percent, and crossings wait the edges, that are asked for.
#[test]
fn timings_are_as_asked_for() {
    let asked: LivelockSearch = asked(&ENTRY, "--n 4 --topology torus --spread 0.5 --edges 3");
    let settings = asked.tried(&asked.settings());
    let text = |timing: Timing| {
        let setting = settings.iter().find(|it| it.timed.timing == timing);
        let catalogue = flitwork_config::Catalogue::default();
        let resolved = asked.resolve(&catalogue, setting.unwrap(), 1, &[2, 3, 0, 1]);
        resolved.unwrap().to_toml()
    };
    let spread = text(Timing::Spread);
    assert!(spread.contains("spread_percent = 0.5"), "{spread}");
    for timing in [Timing::Phases, Timing::Spread] {
        assert!(text(timing).contains("edges = 3"), "{}", text(timing));
    }
    // Of a million ps.
    let drawn = text(Timing::SelfTimedDrawn);
    assert!(
        drawn.contains("995000") && drawn.contains("1005000"),
        "{drawn}"
    );
}
