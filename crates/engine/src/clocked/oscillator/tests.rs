//! Drift and jitter.

use crate::clocked::tick::Ticker;
use flitwork_network::Periodic;

/// The first ticks, up to a number; fewer if there are no more.
pub(super) fn ticks(clock: &Periodic, count: u32) -> Vec<u64> {
    let mut ticker = Ticker::new(clock, 3, 7, 2);
    let mut next_ps = ticker.first_ps();
    let ticks = (0..count).map_while(|number| {
        assert_eq!(ticker.ticks(), number);
        let now_ps = next_ps?;
        next_ps = ticker.next(now_ps).tick_ps;
        Some(now_ps)
    });
    ticks.collect()
}

#[test]
fn drift_adds_up_exactly() {
    // 333 ps per tick and 7 parts per billion: the drift is a picosecond after 429,001 ticks.
    for (period_ps, drift_ppb) in [(333, 7), (333, -7), (1000, 123_456_789), (1, -999_999)] {
        let clock = &Periodic::new(period_ps, 17).with_drift(drift_ppb);
        let factor = (1_000_000_000 + i64::from(drift_ppb)) as u128;
        let exact =
            |number: u64| 17 + (u128::from(number * period_ps) * factor / 1_000_000_000) as u64;
        let mut last = None;
        for (number, tick) in ticks(clock, 1_000_000).iter().enumerate() {
            // With a period below 1 ps several ticks would fall on one picosecond; they are separated.
            let expected = last.map_or(0, |last| last + 1).max(exact(number as u64));
            assert_eq!(*tick, expected, "tick {number}");
            last = Some(*tick);
        }
    }
}

#[test]
fn jitter_stays_in_its_bounds_and_reaches_them() {
    let clock = &Periodic::new(100, 0).with_jitter(9);
    let late: Vec<u64> = (0u64..)
        .zip(ticks(clock, 1000))
        .map(|(number, tick)| tick - 100 * number)
        .collect();
    for jitter in 0..=9 {
        assert!(late.contains(&jitter));
    }
    assert!(late.iter().all(|jitter| *jitter <= 9));
}
