//! What Kaufmann and Sibeyn 1991 promise, in steps, worked out by hand.

use crate::multi_packet_runs::{named, shift, square};
use flitwork_steps::multi_packet::algorithms::{Level, LevelSuperior, Local, NoL, NoWrap, Wrap};
use flitwork_steps::multi_packet::{Algorithm, Setting};
use flitwork_topology::{Grid, Shape};

/// What an algorithm says of n^d nodes that send k packets of so many flits each, two links along every axis.
fn of_shift(
    of: &dyn Fn(&Setting) -> f64,
    wraps: bool,
    n: u32,
    d: usize,
    (k, flits): (u32, u32),
) -> f64 {
    let sides = vec![n; d];
    let grid = match wraps {
        true => Grid::torus(&sides),
        false => Grid::mesh(&sides),
    };
    let shape = Shape::from(grid.unwrap());
    let problem = shift(shape.grid().unwrap(), k, 2);
    of(&Setting::new::<NoWrap>(&shape, &problem, flits, 1).unwrap())
}

#[test]
fn leading_terms_by_hand() {
    let leading = |of: &dyn Fn(&Setting) -> f64, wraps, n, d: usize, k, flits| {
        of_shift(of, wraps, n, d, (k, flits))
    };
    let nowrap = |it: &Setting| NoWrap::default().leading_steps(it);
    // Theorem 2's table: 3n up to k = 4, 2n + kn/4 up to 8, kn/2 from there.
    assert_eq!(
        [2, 4, 6, 8, 16].map(|k| leading(&nowrap, false, 16, 2, k, 1)),
        [48.0, 48.0, 56.0, 64.0, 128.0]
    );
    // 3kn/8 on a torus, and kn(d + 1)/4d in general.
    assert_eq!(leading(&nowrap, true, 16, 2, 16, 1), 96.0);
    assert_eq!(leading(&nowrap, true, 6, 3, 36, 1), 72.0);
    // d = 3, n = 6, k = 12 on a mesh: 4 max(6, 6) + max(6, 12).
    assert_eq!(leading(&nowrap, false, 6, 3, 12, 1), 36.0);
    // Worms of k = 8 flits, n = 16: kn/2 + 2n/2k + 3n/2; at least 3n.
    assert_eq!(leading(&nowrap, false, 16, 2, 1, 8), 64.0 + 2.0 + 24.0);
    assert_eq!(leading(&nowrap, false, 16, 2, 1, 2), 16.0 + 8.0 + 24.0);
    let wrap = |it: &Setting| Wrap.leading_steps(it);
    assert_eq!(
        [4, 8, 16].map(|k| leading(&wrap, true, 16, 2, k, 1)),
        [32.0, 32.0, 64.0]
    );
    assert_eq!(
        [8, 16].map(|k| leading(&wrap, false, 16, 2, k, 1)),
        [64.0, 128.0]
    );
    // d = 3, n = 8, worms of 2 flits: of a colour less than a word a node, so that no phase takes more than n.
    assert_eq!(leading(&nowrap, false, 8, 3, 1, 2), 40.0);
    assert_eq!(leading(&wrap, false, 8, 3, 1, 2), 48.0);
    let average = |it: &Setting| NoWrap::default().average_steps(it).unwrap();
    assert_eq!(leading(&average, false, 8, 3, 1, 2), 40.0);
    // n = 16, worms of 8 flits on the other kinds of network: 4 (16 + 1 + 8), and 2 (8 + 8) + 32 + 8.
    assert_eq!(leading(&wrap, false, 16, 2, 1, 8), 100.0);
    assert_eq!(leading(&nowrap, true, 16, 2, 1, 8), 72.0);
    // kn/4 + dn.
    assert_eq!(leading(&wrap, true, 16, 2, 1, 8), 32.0 + 32.0);
    // L = 2: max(5, 2k) + max(1, k/8).
    let local = |it: &Setting| Local::default().leading_steps(it);
    assert_eq!(
        [2, 16].map(|k| leading(&local, true, 16, 2, k, 1)),
        [6.0, 34.0]
    );
    // On a mesh of 16, two links away from home along a line that doesn't lead around: L = 14. 4L for k = 1, 2; 9L/2 for 3; kL + L.
    assert_eq!(
        [1, 2, 3, 4, 8, 16].map(|k| leading(&local, false, 16, 2, k, 1) / 14.0),
        [4.0, 4.0, 4.5, 5.0, 9.0, 18.0]
    );
    let no_l = |it: &Setting| NoL::default().leading_steps(it);
    // max(n, k/8) + 2k.
    assert_eq!(leading(&no_l, true, 16, 2, 16, 1), 48.0);
    let superior = |it: &Setting| LevelSuperior { epsilon: Some(2) }.leading_steps(it);
    // 8k + 16 + k/2.
    assert_eq!(leading(&superior, false, 16, 2, 8, 1), 64.0 + 16.0 + 4.0);
    let of = |name: &str, k| {
        let shape = square(false, 16);
        let problem = shift(shape.grid().unwrap(), k, 2);
        let algorithm = named(name);
        let setting = algorithm.setting(&shape, &problem, 1, 1).unwrap();
        algorithm.promises(&setting).leading.unwrap()
    };
    // ε = n/8 = 2: (k/2 + 1)(n + ε), (k + 1)n/2 + kε/8, 2n, 2n + ε.
    assert_eq!(
        [
            of("level", 8),
            of("level-improved", 32),
            of("greedy", 1),
            of("strips", 1)
        ],
        [90.0, 272.0, 32.0, 34.0]
    );
}

#[test]
fn where_the_paper_promises_nothing_nothing_is_said() {
    // Beside section 7, random problems are as any; and where the paper has no theorem there is no promise.
    let promised = |name: &str, wraps, k| {
        let shape = square(wraps, 16);
        let problem = shift(shape.grid().unwrap(), k, 2);
        let algorithm = named(name);
        let setting = algorithm.setting(&shape, &problem, 1, 1).unwrap();
        let promises = algorithm.promises(&setting);
        (promises.leading.is_some(), promises.average.is_some())
    };
    assert_eq!(promised("wrap", false, 8), (true, true));
    assert_eq!(promised("level", false, 8), (true, false));
    for (name, k) in [
        ("level", 8),
        ("level-improved", 32),
        ("level-superior", 8),
        ("greedy", 1),
        ("strips", 1),
    ] {
        assert_eq!(promised(name, true, k), (false, false), "{name} on a torus");
    }
    assert_eq!(promised("greedy", false, 2), (false, false));
}

#[test]
fn terms_of_lower_order_by_hand() {
    let unit =
        |of: &dyn Fn(&Setting) -> f64, wraps, k, flits| of_shift(of, wraps, 16, 2, (k, flits));
    let is = |found: f64, expected: f64| {
        assert!(
            (found / expected - 1.0).abs() < 1e-5,
            "{found} for {expected}"
        );
    };
    // √(64 ln 16); 8 √(16 ln 16); 5 √(16 ln 16); √(32 ln 16); √((16 + 32) ln 16).
    is(
        unit(&|it| NoWrap::default().excess_unit(it), false, 4, 1),
        13.3209,
    );
    is(
        unit(&|it| NoWrap::default().excess_unit(it), false, 1, 8),
        53.2835,
    );
    is(
        unit(&|it| Level::default().excess_unit(it), false, 8, 1),
        33.3022,
    );
    is(
        unit(&|it| Local::default().excess_unit(it), true, 16, 1),
        9.41928,
    );
    is(
        unit(&|it| NoL::default().excess_unit(it), true, 16, 1),
        11.5362,
    );
}

#[test]
fn an_eighth_of_the_side_is_rounded_down_and_limits_are_allowed() {
    let allowed = |name: &str, epsilon: Option<i64>, n, k| {
        let shape = square(false, n);
        let problem = shift(shape.grid().unwrap(), k, 1);
        let values: Vec<_> = epsilon
            .map(|it| ("epsilon", flitwork_schema::Datum::Whole(it.into())))
            .into_iter()
            .collect();
        let algorithm = named(name).with(&values);
        let setting = algorithm.setting(&shape, &problem, 1, 1).ok()?;
        Some((
            algorithm.epsilon(&setting),
            algorithm.promises(&setting).leading,
        ))
    };
    // 12/8: (4/2 + 1)(12 + 1).
    assert_eq!(allowed("level", None, 12, 4), Some((Some(1), Some(39.0))));
    assert!(allowed("level-superior", Some(5), 32, 2).is_some());
    assert!(allowed("level-superior", Some(6), 32, 2).is_none());
    assert!(allowed("level", Some(16), 16, 2).is_some());
    assert!(allowed("level", Some(17), 16, 2).is_none());
    // Levels have numbers of 16 bits.
    assert!(allowed("level", None, 2, 1 << 15).is_some());
    assert!(allowed("level", None, 2, (1 << 15) + 2).is_none());
    // L = 8 and k = 64, where kL/16 is more than n: 32 + 512.
    let shape = square(true, 16);
    let problem = shift(shape.grid().unwrap(), 64, 8);
    let setting = Setting::new::<NoWrap>(&shape, &problem, 1, 1).unwrap();
    assert_eq!(NoL::default().leading_steps(&setting), 544.0);
}
