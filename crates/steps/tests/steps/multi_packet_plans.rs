//! The legs that the algorithms of Kaufmann and Sibeyn 1991 plan, by hand.

use crate::multi_packet_runs::{shift, square};
use flitwork_steps::multi_packet::algorithms::{
    Level, LevelImproved, LevelSuperior, Local, NoL, NoWrap, Wrap,
};
use flitwork_steps::multi_packet::{Algorithm, Planned, Setting, Where};
use flitwork_topology::{Grid, Shape};
use std::collections::BTreeSet;

/// The legs of packets from one place to another: each once, of all colours and levels, by axis, place and phase.
fn plans<A: Algorithm>(
    algorithm: &A,
    setting: &Setting,
    (from, to): (&[u32], &[u32]),
) -> BTreeSet<Vec<(usize, String, u32)>> {
    let mut all = BTreeSet::new();
    for packet in 0..500 {
        let planned = Planned {
            packet,
            from,
            to,
            learnt: 0,
        };
        let mut moves = Vec::new();
        algorithm.plan(setting, &planned, &mut moves);
        let legs = moves
            .iter()
            .map(|it| (it.axis, format!("{:?}", it.to), it.phase));
        all.insert(legs.collect());
    }
    all
}

fn setting(shape: &Shape, k: u32) -> Setting {
    let problem = shift(shape.grid().unwrap(), k, 1);
    Setting::new::<NoWrap>(shape, &problem, 1, 1).unwrap()
}

/// A leg.
fn leg(axis: usize, to: Where, phase: u32) -> (usize, String, u32) {
    (axis, format!("{to:?}"), phase)
}

#[test]
fn colours_go_along_different_axes_in_every_phase() {
    let cube = Shape::from(Grid::mesh(&[4, 4, 4]).unwrap());
    let setting = setting(&cube, 1);
    let ends = (&[0, 0, 0][..], &[1, 2, 3][..]);
    let at = |axis: usize| Where::At(ends.1[axis]);
    let nowrap = |first: usize| {
        let axis = |number: usize| (first + number) % 3;
        vec![
            leg(axis(0), Where::Anywhere, 0),
            leg(axis(1), Where::Anywhere, 1),
            leg(axis(2), at(axis(2)), 2),
            leg(axis(0), at(axis(0)), 3),
            leg(axis(1), at(axis(1)), 4),
        ]
    };
    let found = plans(&NoWrap::default(), &setting, ends);
    assert_eq!(found, (0..3).map(nowrap).collect());
    let wrap = |first: usize| {
        let axis = |number: usize| (first + number) % 3;
        let mut legs: Vec<_> = (0..3)
            .map(|it| leg(axis(it), Where::Anywhere, it as u32))
            .collect();
        legs.extend((0..3).map(|it| leg(axis(it), at(axis(it)), 3 + it as u32)));
        legs
    };
    assert_eq!(plans(&Wrap, &setting, ends), (0..3).map(wrap).collect());
}

#[test]
fn levels_follow_each_other() {
    // Two levels; each of two colours, whose rows and columns are exchanged.
    let shape = square(false, 16);
    let of_four = setting(&shape, 4);
    let ends = (&[3, 9][..], &[12, 5][..]);
    let level = |row: usize, level: u32| {
        let column = 1 - row;
        vec![
            leg(column, Where::Strip(2), 2 * level),
            leg(row, Where::At(ends.1[row]), 2 * level + 1),
            leg(column, Where::At(ends.1[column]), 2 * level + 3),
        ]
    };
    let both = |level: &dyn Fn(usize, u32) -> Vec<(usize, String, u32)>, levels: u32| {
        let all = (0..levels).flat_map(|it| [level(0, it), level(1, it)]);
        all.collect::<BTreeSet<_>>()
    };
    assert_eq!(plans(&Level::default(), &of_four, ends), both(&level, 2));
    // k = 36, ε = 2: 18 levels, of which the highest 2n/ε = 16 are spread in the first pass.
    let of_36 = setting(&shape, 36);
    let improved = |row: usize, level: u32| {
        let column = 1 - row;
        vec![
            leg(column, Where::Strip(2), u32::from(level >= 2)),
            leg(row, Where::At(ends.1[row]), level + 1),
            leg(column, Where::At(ends.1[column]), level + 2),
        ]
    };
    let found = plans(&LevelImproved::default(), &of_36, ends);
    assert_eq!(found, both(&improved, 18));
}

/// The stages of packets' legs, each list once.
fn stages<A: Algorithm>(algorithm: &A, setting: &Setting) -> BTreeSet<Vec<u16>> {
    let stages = |packet| {
        let (from, to) = (&[3, 9][..], &[12, 5][..]);
        let planned = Planned {
            packet,
            from,
            to,
            learnt: 0,
        };
        let mut moves = Vec::new();
        algorithm.plan(setting, &planned, &mut moves);
        moves.iter().map(|it| it.stage).collect()
    };
    (0..500).map(stages).collect()
}

#[test]
fn lower_levels_and_then_spreading_go_first() {
    let shape = square(false, 16);
    let of_four = setting(&shape, 4);
    let both = |first: u16| vec![first, first + 1, first + 3];
    assert_eq!(
        stages(&Level::default(), &of_four),
        BTreeSet::from([both(0), both(2)])
    );
    // A pass has a stage of spreading, and one of routing.
    assert_eq!(
        stages(&LevelSuperior::default(), &of_four),
        BTreeSet::from([both(0), both(2)])
    );
    // 18 levels, of which those from 2 on are spread in the first pass.
    let improved = (0..18).map(|level| vec![u16::from(level >= 2), level + 1, level + 2]);
    assert_eq!(
        stages(&LevelImproved::default(), &setting(&shape, 36)),
        improved.collect()
    );
}

#[test]
fn a_wider_spread_is_in_proportion_to_the_first() {
    // n = 24, k = 64: up to 3 nodes either way. Once 8 is learnt, up to 4: 1, 2, 3 become 4/3, 8/3 and 4.
    let shape = square(true, 24);
    let setting = setting(&shape, 64);
    let second = |packet| {
        let planned = Planned {
            packet,
            from: &[0, 0],
            to: &[1, 1],
            learnt: 8,
        };
        let mut moves = Vec::new();
        NoL::default().plan(&setting, &planned, &mut moves);
        match moves[1].to {
            Where::At(place) => place,
            other => panic!("{other:?}"),
        }
    };
    let places: BTreeSet<u32> = (0..500).map(second).collect();
    assert_eq!(places, BTreeSet::from([0, 1, 3, 4, 20, 21, 23]));
}

#[test]
fn packets_of_corners_are_spread_towards_the_middle() {
    // n = 16, ε = 2: corners are places 0, 1, 14 and 15 of both axes.
    let shape = square(false, 16);
    let setting = setting(&shape, 2);
    let spread = |from: [u32; 2]| {
        let found = plans(&LevelSuperior::default(), &setting, (&from, &[8, 8]));
        let first = found.into_iter().map(|legs| (legs[0].0, legs[0].1.clone()));
        first.collect::<Vec<_>>()
    };
    let both = |of_x: Where, of_y: Where| vec![(0, format!("{of_x:?}")), (1, format!("{of_y:?}"))];
    let (low, high) = (Where::Between(2, 7), Where::Between(8, 13));
    assert_eq!(spread([0, 1]), both(low, low));
    assert_eq!(spread([15, 1]), both(high, low));
    assert_eq!(spread([1, 14]), both(low, high));
    assert_eq!(spread([14, 15]), both(high, high));
    // The middle of 17 places is place 8.
    let odd = plans(
        &LevelSuperior { epsilon: Some(2) },
        &self::setting(&square(false, 17), 2),
        (&[0, 1], &[8, 8]),
    );
    let odd: BTreeSet<String> = odd.into_iter().map(|legs| legs[0].1.clone()).collect();
    assert_eq!(odd, BTreeSet::from([format!("{low:?}")]));
    let strip = Where::Strip(2);
    for from in [[2, 0], [0, 2], [13, 1], [7, 15], [8, 8]] {
        assert_eq!(spread(from), both(strip, strip), "{from:?}");
    }
}

#[test]
fn local_packets_are_spread_by_half_of_the_locality() {
    let ends = (&[0, 0][..], &[1, 1][..]);
    let local = Local { locality: Some(5) };
    let first = |wraps| {
        let found = plans(&local, &setting(&square(wraps, 16), 2), ends);
        let first = found.into_iter().map(|legs| legs[0].1.clone());
        first.collect::<BTreeSet<_>>()
    };
    assert_eq!(first(true), BTreeSet::from(["Within(2)".to_owned()]));
    assert_eq!(first(false), BTreeSet::from(["Strip(5)".to_owned()]));
}
