//! How often clocks tick in cycles that the engine needn't simulate.

use super::draws::Draws;
use super::oscillator::{Oscillator, PARTS};
use super::tick::JITTER_DRAW;
use flitwork_network::{Clock, Clocks, Periodic};
use flitwork_types::Cycle;

/// How often all nodes' clocks tick in cycles of the nominal clock from `from` to before `to`, as long as nothing makes
/// them wait.
pub fn ticks_between(clocks: &Clocks, from: Cycle, to: Cycle) -> u64 {
    let mut nodes = vec![0; clocks.domains.len()];
    for domain in &clocks.domain_of {
        nodes[*domain as usize] += 1;
    }
    let begins_ps = |cycle: Cycle| u64::from(cycle.get()).saturating_mul(clocks.nominal_ps.max(1));
    let ticks = (0..).zip(&clocks.domains).zip(nodes);
    let ticks = ticks.map(|((number, clock), nodes)| match clock {
        Clock::SelfTimed(_) => 0,
        Clock::Periodic(clock) => {
            let draws = Draws::of_clock(clocks.seed, number);
            let before = |cycle| ticks_before(clock, draws, begins_ps(cycle));
            nodes * before(to).saturating_sub(before(from))
        }
    });
    ticks.sum()
}

/// How often a clock ticks before an instant.
fn ticks_before(clock: &Periodic, draws: Draws, until_ps: u64) -> u64 {
    match clock.wander.is_none() && clock.changes().is_empty() {
        true => even_ticks_before(clock, draws, until_ps),
        false => varying_ticks_before(clock, draws, until_ps),
    }
}

/// Of a clock that wanders or changes: one by one.
fn varying_ticks_before(clock: &Periodic, draws: Draws, until_ps: u64) -> u64 {
    let mut oscillator = Oscillator::new(clock);
    let mut next_ps = oscillator.first(draws).tick_ps;
    let mut ticks = 0;
    while let Some(now_ps) = next_ps.filter(|now_ps| *now_ps < until_ps) {
        ticks += 1;
        // A run has at most as many ticks as 32 bits count.
        let next = oscillator.advance(ticks as u32, draws).after(now_ps);
        next_ps = next.tick_ps;
    }
    ticks
}

/// Of one that does neither.
fn even_ticks_before(clock: &Periodic, draws: Draws, until_ps: u64) -> u64 {
    let parts = (PARTS as i64 + i64::from(clock.drift_ppb)).max(1) as u128;
    let step = u128::from(clock.period_ps.max(1)) * parts;
    let steady_ps = |number: u64| {
        let steps_ps = u128::from(number) * step / u128::from(PARTS);
        u64::try_from(steps_ps).map_or(u64::MAX, |ps| ps.saturating_add(clock.phase_ps))
    };
    // Those that come before the instant even if they are as late as they may be.
    let surely_ps = until_ps.saturating_sub(clock.phase_ps + clock.jitter_ps);
    let surely = (u128::from(surely_ps) * u128::from(PARTS)).div_ceil(step);
    let surely = u64::try_from(surely).unwrap_or(u64::MAX);
    let later = (surely..).take_while(|number| steady_ps(*number) < until_ps);
    let later = later.filter(|number| {
        // A run has at most as many ticks as 32 bits count.
        let late_ps = draws.up_to(clock.jitter_ps, *number as u32, JITTER_DRAW);
        steady_ps(*number) + late_ps < until_ps
    });
    surely + later.count() as u64
}

#[cfg(test)]
mod tests {
    use super::super::tick::Ticker;
    use super::*;
    use flitwork_network::{Delay, LinkTiming, SelfTimed, StageDelays, Wander};

    fn ticks(clock: &Periodic, count: u32) -> Vec<u64> {
        let mut ticker = Ticker::new(clock, 3, 7, 2);
        let mut now_ps = ticker.first_ps().unwrap();
        let ticks = (0..count).map(|_| {
            let next_ps = ticker.next(now_ps).tick_ps.unwrap();
            std::mem::replace(&mut now_ps, next_ps)
        });
        ticks.collect()
    }

    /// Counted one by one.
    #[test]
    fn ticks_before_an_instant_are_those_that_come() {
        for (period_ps, phase_ps, drift_ppb, jitter_ps) in [
            (100, 0, 0, 0),
            (100, 37, 0, 99),
            (333, 5, 7_000_000, 200),
            (97, 1000, -99_000_000, 80),
            (1, 0, 0, 0),
        ] {
            let clock = Periodic::new(period_ps, phase_ps)
                .with_drift(drift_ppb)
                .with_jitter(jitter_ps);
            let come = ticks(&clock, 300);
            let draws = Draws::of_clock(7, 3);
            for until_ps in 0..come[290] {
                let before = come.iter().filter(|tick| **tick < until_ps).count();
                assert_eq!(
                    ticks_before(&clock, draws, until_ps),
                    before as u64,
                    "{clock:?} {until_ps}"
                );
            }
        }
    }

    /// Two nodes with a clock of 300 ps from 100 ps on, one without a clock, and one with a clock of 1,000 ps. In the
    /// nominal cycles from 2,000 to before 5,000 ps the first ticks at 2,200, 2,500, …, 4,900, ten times, and the last at
    /// 2,000, 3,000 and 4,000.
    #[test]
    fn ticks_are_counted_for_each_node() {
        let clock = |period_ps, phase_ps| Clock::Periodic(Periodic::new(period_ps, phase_ps));
        let stages = StageDelays {
            word: Delay::fixed(5),
            decision: Delay::fixed(5),
            allocation: None,
            credit: None,
        };
        let clocks = Clocks {
            nominal_ps: 1000,
            domains: vec![
                clock(300, 100),
                Clock::SelfTimed(SelfTimed::new(stages)),
                clock(1000, 0),
            ],
            domain_of: vec![0, 1, 0, 2],
            links: LinkTiming::wires(1, 1, 0),
            seed: 1,
        };
        assert_eq!(ticks_between(&clocks, Cycle(2), Cycle(5)), 2 * 10 + 3);
        assert_eq!(ticks_between(&clocks, Cycle(5), Cycle(5)), 0);
    }

    /// A clock that is gated and changes, and one that wanders: the same.
    #[test]
    fn ticks_of_clocks_that_vary_are_counted_too() {
        let gated = Periodic::new(100, 0)
            .with_gate_from(1000)
            .with_period_from(2500, 70);
        let wanders = Periodic::new(100, 0).with_wander(Wander {
            most_ps: 40,
            bound_ps: None,
        });
        for clock in [gated, wanders] {
            let come = ticks(&clock, 300);
            let draws = Draws::of_clock(7, 3);
            for until_ps in 0..come[290] {
                let before = come.iter().filter(|tick| **tick < until_ps).count();
                assert_eq!(
                    ticks_before(&clock, draws, until_ps),
                    before as u64,
                    "{until_ps}"
                );
            }
        }
    }
}
