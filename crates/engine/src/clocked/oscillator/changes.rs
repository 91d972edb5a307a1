//! Ticks of clocks that change, by hand.

use super::Next;
use super::tests::ticks;
use crate::clocked::tick::Ticker;
use flitwork_network::{Clock, Periodic, Wander};
use flitwork_node::draw;
use flitwork_types::{Cycle, NodeId};

/// Up to eight ticks.
fn few(clock: Periodic) -> Vec<u64> {
    ticks(&clock, 8)
}

fn even() -> Periodic {
    Periodic::new(1000, 0)
}

/// The interval that begins with the first tick at or after the change is the first new one.
#[test]
fn a_period_holds_from_the_first_tick_at_or_after_the_change() {
    let from = |at_ps| few(even().with_period_from(at_ps, 300))[..5].to_vec();
    assert_eq!(from(0), [0, 300, 600, 900, 1200]);
    assert_eq!(from(1), [0, 1000, 1300, 1600, 1900]);
    assert_eq!(from(1999), [0, 1000, 2000, 2300, 2600]);
    // Exactly on a tick: that is the first at or after it.
    assert_eq!(from(2000), [0, 1000, 2000, 2300, 2600]);
    assert_eq!(from(2001), [0, 1000, 2000, 3000, 3300]);
    assert_eq!(from(u64::MAX / 4), [0, 1000, 2000, 3000, 4000]);
}

/// Of two changes between two ticks the later one holds.
#[test]
fn the_last_change_before_a_tick_holds() {
    let clock = even()
        .with_period_from(1200, 300)
        .with_period_from(1700, 500);
    assert_eq!(few(clock)[..5], [0, 1000, 2000, 2500, 3000]);
    // One on the tick and one just after it.
    let clock = even()
        .with_period_from(2000, 300)
        .with_period_from(2001, 500);
    assert_eq!(few(clock)[..6], [0, 1000, 2000, 2300, 2800, 3300]);
    // And back again, in any order.
    let clock = even()
        .with_period_from(3000, 1000)
        .with_period_from(1000, 500);
    let expected = [0, 1000, 1500, 2000, 2500, 3000, 4000, 5000];
    assert_eq!(few(clock), expected);
}

/// No tick at or after the gate, not even exactly at it; the first one after it exactly where it ends.
#[test]
fn a_gate_takes_ticks_and_its_end_is_one() {
    assert_eq!(few(even().with_gate_from(2000)), [0, 1000]);
    assert_eq!(few(even().with_gate_from(2001)), [0, 1000, 2000]);
    assert_eq!(few(even().with_gate_from(1)), [0]);
    let clock = even().with_gate_from(1500).with_period_from(5017, 400);
    assert_eq!(few(clock)[..5], [0, 1000, 5017, 5417, 5817]);
    // The old period, repeated.
    let clock = even().with_gate_from(1500).with_period_from(5017, 1000);
    assert_eq!(few(clock)[..4], [0, 1000, 5017, 6017]);
    // It ends exactly where a tick would have been.
    let clock = even().with_gate_from(1500).with_period_from(5000, 1000);
    assert_eq!(few(clock)[..4], [0, 1000, 5000, 6000]);
}

#[test]
fn a_clock_may_be_gated_from_the_start() {
    assert!(few(even().with_gate_from(0)).is_empty());
    let clock = even().with_gate_from(0).with_period_from(7, 300);
    assert_eq!(few(clock)[..3], [7, 307, 607]);
    let clock = even()
        .with_gate_from(0)
        .with_period_from(1, 300)
        .with_gate_from(2);
    assert_eq!(few(clock), [1]);
}

/// A second gate changes nothing; the first period after them ends both.
#[test]
fn a_clock_may_be_gated_twice() {
    let clock = even().with_gate_from(1500).with_gate_from(1600);
    assert_eq!(few(clock), [0, 1000]);
    let clock = even()
        .with_gate_from(1500)
        .with_gate_from(9000)
        .with_period_from(9500, 250);
    assert_eq!(few(clock)[..4], [0, 1000, 9500, 9750]);
}

#[test]
fn a_gate_may_lie_between_two_ticks() {
    let clock = even().with_gate_from(1200).with_period_from(1500, 1000);
    assert_eq!(few(clock)[..5], [0, 1000, 1500, 2500, 3500]);
    // The shortest: a ps after the last tick, for a ps.
    let clock = even().with_gate_from(1001).with_period_from(1002, 1000);
    assert_eq!(few(clock)[..4], [0, 1000, 1002, 2002]);
    // A period that never held, since the gate came before the tick.
    let clock = even().with_period_from(1200, 300).with_gate_from(1700);
    assert_eq!(few(clock.clone()), [0, 1000]);
    assert_eq!(
        few(clock.with_period_from(1800, 50))[..4],
        [0, 1000, 1800, 1850]
    );
}

/// Gates in a row: each end is a tick, however short the time until the next gate.
#[test]
fn each_end_of_a_gate_is_a_tick() {
    let clock = even()
        .with_gate_from(1500)
        .with_period_from(3000, 1000)
        .with_gate_from(3001)
        .with_period_from(3002, 700)
        .with_gate_from(5000)
        .with_period_from(5100, 10);
    // 3,002 and 3,702, 4,402; the next would be at 5,102.
    assert_eq!(few(clock), [0, 1000, 3000, 3002, 3702, 4402, 5100, 5110]);
}

/// A phase is the first tick's place whatever the period; a gate's end takes it.
#[test]
fn changes_may_come_before_the_first_tick() {
    let late = Periodic::new(1000, 700);
    let of = |clock: Periodic| few(clock)[..3].to_vec();
    assert_eq!(
        of(late.clone().with_period_from(300, 500)),
        [700, 1200, 1700]
    );
    let two = late
        .clone()
        .with_period_from(300, 500)
        .with_period_from(699, 50);
    assert_eq!(of(two), [700, 750, 800]);
    let gated = late.clone().with_gate_from(300);
    assert_eq!(
        of(gated.clone().with_period_from(500, 1000)),
        [500, 1500, 2500]
    );
    assert_eq!(of(gated.with_period_from(900, 1000)), [900, 1900, 2900]);
    assert_eq!(
        of(late.with_gate_from(701).with_period_from(800, 9)),
        [700, 800, 809]
    );
}

/// A drift of 0.05 %: 1,000.5 ps and then 300.15 ps. What is left of a ps carries over: 2,001 + 300.15 k.
#[test]
fn drift_stays_and_adds_up_over_changes() {
    let drifting = even().with_drift(500_000);
    assert_eq!(few(drifting.clone())[..4], [0, 1000, 2001, 3001]);
    let clock = drifting.clone().with_period_from(2001, 300);
    assert_eq!(few(clock), [0, 1000, 2001, 2301, 2601, 2901, 3201, 3501]);
    // 1,000.5 + 300.15 k: the half ps is still there.
    let clock = drifting.clone().with_period_from(1000, 300);
    assert_eq!(few(clock), [0, 1000, 1300, 1600, 1900, 2201, 2501, 2801]);
    // A gate's end is exact, and drift begins anew: 5,000 + 300.15 k.
    let clock = drifting.with_gate_from(1001).with_period_from(5000, 300);
    assert_eq!(few(clock), [0, 1000, 5000, 5300, 5600, 5900, 6200, 6500]);
}

/// What counts is when a tick comes. Tick 5 of the jittering clock is some ps late: a change a ps after its place without
/// jitter holds from it, and a gate there takes it.
#[test]
fn a_tick_counts_with_its_jitter() {
    let late = even().with_jitter(900);
    let ticks = few(late.clone());
    let tick = (1..7)
        .find(|number| ticks[*number] > 1000 * *number as u64 + 1)
        .unwrap();
    let (steady_ps, at_ps) = (1000 * tick as u64, ticks[tick]);
    let changed = few(late.clone().with_period_from(steady_ps + 1, 2000));
    assert_eq!(changed[..=tick], ticks[..=tick]);
    // The same draw, a period of 1,000 ps more.
    assert_eq!(changed[tick + 1], ticks[tick + 1] + 1000);
    let after = few(late.clone().with_period_from(at_ps + 1, 2000));
    assert_eq!(after[tick + 1], ticks[tick + 1]);
    assert_eq!(
        few(late.clone().with_gate_from(steady_ps + 1)),
        ticks[..tick]
    );
    assert_eq!(few(late.clone().with_gate_from(at_ps)), ticks[..tick]);
    assert_eq!(few(late.clone().with_gate_from(at_ps + 1)), ticks[..=tick]);
    // The end of a gate isn't late; the ticks after it are.
    let again = few(late.with_gate_from(at_ps).with_period_from(20_000, 1000));
    assert_eq!(again[tick], 20_000);
    assert_eq!(
        again[tick + 1],
        21_000 + (ticks[tick + 1] - 1000 * (tick as u64 + 1))
    );
}

/// The walk goes on over a change of the period; after a gate it begins anew, with the draws of its ticks.
#[test]
fn the_walk_begins_anew_after_a_gate() {
    let most_ps = 50;
    let walking = even().with_wander(Wander {
        most_ps,
        bound_ps: None,
    });
    let steps = |ticks: &[u64], period_ps: u64| -> Vec<i64> {
        let steps = ticks.windows(2);
        steps
            .map(|two| (two[1] - two[0]) as i64 - period_ps as i64)
            .collect()
    };
    let plain = ticks(&walking, 9);
    let walk = steps(&plain, 1000);
    let faster = ticks(&walking.clone().with_period_from(plain[4], 400), 9);
    assert_eq!(faster[..5], plain[..5]);
    assert_eq!(steps(&faster[4..], 400), walk[4..]);
    let gated = walking
        .with_gate_from(plain[4] + 1)
        .with_period_from(99_000, 400);
    let gated = ticks(&gated, 9);
    assert_eq!((&gated[..5], gated[5]), (&plain[..5], 99_000));
    assert_eq!(steps(&gated[5..], 400), walk[5..]);
    // With a bound as narrow as a step, what follows on a gate stays around its end.
    let bound_ps = Some(most_ps);
    let bounded = even()
        .with_wander(Wander { most_ps, bound_ps })
        .with_gate_from(50_500)
        .with_period_from(77_000, 1000);
    let ticks = ticks(&bounded, 150);
    let end = ticks.iter().position(|tick| *tick == 77_000).unwrap();
    let off = (0u64..)
        .zip(&ticks[end..])
        .map(|(number, tick)| tick.abs_diff(77_000 + 1000 * number));
    assert!(off.max().unwrap() <= most_ps);
}

/// A cycle ends with the next tick, or when that would have come if a gate takes it.
#[test]
fn a_cycle_ends_although_its_clock_is_gated() {
    let next = |clock: &Periodic| {
        let mut ticker = Ticker::new(clock, 0, 1, 2);
        let now_ps = ticker.first_ps().unwrap();
        ticker.next(now_ps)
    };
    let ends = |ends_ps, tick_ps| Next { ends_ps, tick_ps };
    let gated = even().with_gate_from(400);
    assert_eq!(next(&gated), ends(1000, None));
    assert_eq!(
        next(&gated.clone().with_period_from(9000, 5)),
        ends(1000, Some(9000))
    );
    assert_eq!(next(&gated.with_period_from(600, 5)), ends(600, Some(600)));
    assert_eq!(next(&even()), ends(1000, Some(1000)));
}

/// A clock with up to five random changes, some of them within a period of each other.
fn drawn(case: u32) -> Periodic {
    let random = |index, below: u64| draw(1, NodeId(index), Cycle(case), 0) % below;
    let bound_ps = (random(0, 2) == 0).then(|| 100 + random(1, 900));
    let wander = (random(2, 3) > 0).then(|| Wander {
        most_ps: 1 + random(3, 100),
        bound_ps,
    });
    let clock = Periodic::new(400 + random(4, 800), random(5, 3000))
        .with_drift(random(6, 200_000_000) as i32 - 100_000_000)
        .with_jitter(random(7, 2) * random(8, 250))
        .with_wander(wander);
    let mut at_ps = 0;
    (0..random(9, 6) as u32).fold(clock, |clock, change| {
        let of = |index| 10 * (change + 1) + index;
        at_ps += 1 + random(of(0), [3, 900, 20_000][random(of(1), 3) as usize]);
        match random(of(2), 3) {
            0 => clock.with_gate_from(at_ps),
            _ => clock.with_period_from(at_ps, 400 + random(of(3), 2000)),
        }
    })
}

/// What a clock says of its spans holds for every pair of ticks, and its gates have no tick in them and one at their end.
#[test]
fn ticks_keep_the_bounds_that_their_clock_states() {
    let mut gated = 0;
    for case in 0..3000 {
        let clock = drawn(case);
        let ticks = ticks(&clock, 400);
        for gate in clock.gates() {
            let is_within = |at_ps: &u64| {
                *at_ps >= gate.from_ps && gate.until_ps.is_none_or(|until_ps| *at_ps < until_ps)
            };
            assert!(!ticks.iter().any(is_within), "{clock:?}");
            let end = gate.until_ps.filter(|end| Some(end) <= ticks.last());
            assert!(end.is_none_or(|end| ticks.contains(&end)), "{clock:?}");
            gated += 1;
        }
        let states = Clock::Periodic(clock.clone());
        for span in [1, 2, 3, 8, 50] {
            let (least, most) = states.span_ps(span);
            for (tick, from_ps) in ticks.iter().enumerate() {
                let Some(to_ps) = ticks.get(tick + span as usize) else {
                    continue;
                };
                let apart = to_ps - from_ps;
                assert!(
                    (least..=most).contains(&apart),
                    "{clock:?}: {apart} over {span}"
                );
            }
        }
        assert_eq!(states.stops_ps().is_some(), ticks.len() < 400, "{clock:?}");
        let (_, most) = states.running_step_ps();
        for two in ticks.windows(2) {
            let is_between = |from_ps: u64| (two[0]..=two[1]).contains(&from_ps);
            if !clock.gates().any(|gate| is_between(gate.from_ps)) {
                assert!(two[1] - two[0] <= most, "{clock:?}");
            }
        }
    }
    assert!(gated > 1000, "{gated}");
}
