//! How long livelock lasts under clocks whose periods differ by chance, from the mean lengths of rounds: inversely proportional to the
//! difference.
//!
//! A crossing takes `c` = 1 + edges + 1/2 cycles in the mean, of which the receiver's edges are ticks of its own. Of the chains of
//! events through a packet's [round](super::rounds) at A and B the two longest are
//!
//! ```text
//!   B's loop   enters the multiqueue, words + 2 later its frame is free for A ── c ──▶ A sends ── c ──▶ enters
//!   A's loop   bypasses, words + 2 later its frame is free for B ── c ──▶ B sends ── c ──▶ bypasses
//! ```
//!
//! so that a round takes words + 2 + 2c cycles, most of them ticks of one of the two: with `heavy` = words + 2 + edges + 1/2 of them
//! and `light` = edges + 1/2 of the other's, the loops take `heavy` B + `light` A and `heavy` A + `light` B. The slower one sets the
//! pace of all events, but those on the faster loop come sooner for a time: up to words - 7 ticks, until the way of the packet itself
//! from A to B holds them.
//!
//! At a node two packets have their rounds. It begins with the western packet's decision 3 ticks after it has entered the multiqueue,
//! a tick of the western packet's B's loop, and the eastern output opens words ticks after its head has left, on the own packet's B's
//! loop: words - 3 - c ticks later. On the other side the western packet enters 6 + c ticks after the own one has bypassed, and gets
//! past when it comes sooner. A shift is counted in whole ticks, the first of which comes after half a tick's shift in the mean: both
//! distances are uniform within a tick to either side of half a tick less.
//!
//! What is left is geometry: with periods that differ by `s u`, u from -1 to 1, the time until one of n nodes has shifted far enough is
//! C(u) / s cycles. C's median is computed from draws.

use super::predict::{DECISION_CYCLES, goes_to_and_fro, has_rounds};
use super::setting::Setting;
use crate::timing::{LINK_PS, PERIOD_PS, Timing};
use flitwork_types::draws::split_mix;
use std::f64::consts::PI;

/// Of which the median is taken.
const DRAWS: u64 = 4001;

/// The rounds of a ring, in cycles.
#[derive(Clone, Copy, Debug, PartialEq)]
struct MeanRounds {
    heavy: f64,
    light: f64,
    round: f64,
    /// For how many ticks the faster loop's events may come sooner.
    slack: f64,
    /// The distances to the opening of the eastern output, and to the own packet's bypass.
    to_opening: f64,
    to_bypass: f64,
}

impl MeanRounds {
    /// Those of a number of words and edges. With fewer words packets are a tick or two from getting past, of which the mean says little,
    /// and with more the output frames hold events, too: none there, and without edges.
    fn new(words: u32, edges: u32) -> Option<MeanRounds> {
        let (words, edge) = (f64::from(words), f64::from(edges) + 0.5);
        let (crossing, decision) = (1.0 + edge, DECISION_CYCLES as f64);
        let rounds = MeanRounds {
            heavy: words + decision - 1.0 + edge,
            light: edge,
            round: words + decision - 1.0 + 2.0 * crossing,
            slack: words - 2.0 * decision - 1.0,
            to_opening: words - decision - crossing - 0.5,
            to_bypass: 2.0 * decision + crossing - 0.5,
        };
        let is_known = (10.0..=12.0).contains(&words) && (1..=3).contains(&edges);
        is_known.then_some(rounds)
    }

    /// How many rounds it takes until two events at a node have met, per part of a period; the node's period lies `own` above the
    /// nominal one, those of its neighbours `west` and `east`. `nearer` are how much nearer the two distances are.
    fn until_met(&self, [west, own, east]: [f64; 3], nearer: [f64; 2]) -> f64 {
        let loops = |a: f64, b: f64| {
            let of = |slow: f64, fast: f64| self.heavy * slow + self.light * fast;
            (of(b, a), of(a, b))
        };
        let (of_west, of_own) = (loops(west, own), loops(own, east));
        let on_b = |(b, a): (f64, f64), rounds: f64| (b * rounds).max(a * rounds - self.slack);
        let on_a = |(b, a): (f64, f64), rounds: f64| (b * rounds).max(a * rounds);
        let to_opening = |rounds: f64| on_b(of_west, rounds) - on_b(of_own, rounds);
        let to_bypass = |rounds: f64| on_a(of_own, rounds) - on_b(of_west, rounds);
        // From where on the packet's own way holds an event.
        let held = |(b, a): (f64, f64)| (a > b).then(|| self.slack / (a - b));
        let mut bends: Vec<f64> = [held(of_west), held(of_own)]
            .into_iter()
            .flatten()
            .collect();
        bends.sort_by(f64::total_cmp);
        let opening = crossed(&bends, to_opening, self.to_opening - nearer[0]);
        opening.min(crossed(&bends, to_bypass, self.to_bypass - nearer[1]))
    }

    /// The least time of all nodes of a ring, in cycles per part of a period.
    fn first_met(&self, periods: &[f64], mut nearer: impl FnMut() -> [f64; 2]) -> f64 {
        let nodes = periods.len();
        let around = |node: usize| {
            let west = periods[(node + nodes - 1) % nodes];
            [west, periods[node], periods[(node + 1) % nodes]]
        };
        let times = (0..nodes).map(|node| self.round * self.until_met(around(node), nearer()));
        times.fold(f64::INFINITY, f64::min)
    }

    /// Half of all rings take longer, in cycles per part of a period.
    fn median(&self, nodes: u64) -> f64 {
        let mut state = 0;
        let mut from_minus_1 = || {
            state += 1;
            (split_mix(state) >> 11) as f64 / (1u64 << 52) as f64 - 1.0
        };
        let ring = |_| {
            let periods: Vec<f64> = (0..nodes).map(|_| from_minus_1()).collect();
            self.first_met(&periods, || [from_minus_1(), from_minus_1()])
        };
        let mut times: Vec<f64> = (0..DRAWS).map(ring).collect();
        times.sort_by(f64::total_cmp);
        times[times.len() / 2]
    }
}

/// Where a function that starts at 0 and is straight between its bends first reaches a height.
fn crossed(bends: &[f64], of: impl Fn(f64) -> f64, height: f64) -> f64 {
    let mut from = 0.0;
    for bend in bends {
        if of(*bend) >= height {
            return from + (bend - from) * (height - of(from)) / (of(*bend) - of(from));
        }
        from = *bend;
    }
    let slope = of(from + 1.0) - of(from);
    match slope > 0.0 {
        true => from + (height - of(from)) / slope,
        false => f64::INFINITY,
    }
}

/// The median of the time until a packet gets past its neighbour, over all clocks whose periods differ so much, in cycles.
fn drift(setting: &Setting, part: f64) -> Option<f64> {
    let router = setting.router;
    let rounds = MeanRounds::new(router.words, setting.timed.edges);
    let rounds = rounds.filter(|_| has_rounds(setting) && router.threshold == 0)?;
    Some(rounds.median(setting.network.sides.nodes()) / (part * setting.timed.value))
}

/// The same for self-timed nodes whose steps are drawn anew each time, within a part `v` to either side.
///
/// In livelock both ports of a node have words in nearly every step, which takes the longer of two uniform draws: its variance is
/// 2/9 v². A node's steps walk away from its neighbour's with twice that, 4/9 v² a cycle, until what leaves in one step comes before
/// the next one's begin no longer, or already: they differ by a link, either way. From then on a slip follows a slip. A walk of
/// variance b a cycle is within a distance D for longer than t with a probability of 4/π exp(-π² b t / (8 D²)), nearly, and n
/// neighbours are with its n-th power.
fn walk(setting: &Setting) -> Option<f64> {
    if !goes_to_and_fro(setting) {
        return None;
    }
    let nodes = setting.network.sides.nodes() as f64;
    let part = setting.timed.value / 100.0;
    let variance = 4.0 / 9.0 * part * part;
    let distance = f64::from(LINK_PS) / f64::from(PERIOD_PS);
    let times = 8.0 / (PI * PI) * (4.0 / PI * 2_f64.powf(1.0 / nodes)).ln();
    Some(times * distance * distance / variance)
}

/// The median by what differs, in cycles.
pub(super) fn drift_median_cycles(setting: &Setting) -> Option<f64> {
    match setting.timed.timing {
        Timing::Spread => drift(setting, 1e-2),
        Timing::Drift => drift(setting, 1e-6),
        Timing::SelfTimedDrawn => walk(setting),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::study::livelock::setting::{Network, Router, Sides};
    use crate::timing::Timed;

    /// With 10 words and 2 edges a crossing takes 3.5 cycles, a round 12 + 7 = 19, 12 + 2.5 of them of one node's ticks. The packet's
    /// own way leaves 3 ticks; the distances are 7 - 3.5 and 6 + 3.5, less half a tick.
    ///
    /// If only the eastern neighbour is faster, by 1, the own packet's loop of that node gains 14.5 a round: after 3/14.5 rounds it is 3
    /// ticks sooner. Where 4 are needed, it gains 14.5 - 2.5 = 12 a round on its packet's way for 3 ticks, a quarter of a round, in which it
    /// has come 3.625 ticks sooner, and 2.5 a round from then on: 0.375 / 2.5 rounds more.
    #[test]
    fn two_rounds_meet_once_they_have_shifted_far_enough() {
        let rounds = MeanRounds::new(10, 2).unwrap();
        let expected = MeanRounds {
            heavy: 14.5,
            light: 2.5,
            round: 19.0,
            slack: 3.0,
            to_opening: 3.0,
            to_bypass: 9.0,
        };
        assert_eq!(rounds, expected);
        let near = |found: f64, expected: f64| assert!((found - expected).abs() < 1e-9, "{found}");
        let east = [0.0, 0.0, -1.0];
        near(rounds.until_met(east, [0.0, 0.0]), 3.0 / 14.5);
        near(rounds.until_met(east, [-1.0, 0.0]), 0.25 + 0.375 / 2.5);
        // If only the western one is faster, its packet is held by this node, and the loop gains 2.5 a round towards the bypass.
        let west = [-1.0, 0.0, 0.0];
        near(rounds.until_met(west, [0.0, 0.0]), 9.0 / 2.5);
        assert_eq!(rounds.until_met([0.0; 3], [0.0; 2]), f64::INFINITY);
        assert_eq!(
            [(13, 2), (9, 2), (10, 0)].map(|(w, e)| MeanRounds::new(w, e)),
            [None; 3]
        );
    }

    /// A ring of 8 with the usual routers, each with this.
    fn ring(timing: Timing, value: f64, change: impl FnOnce(&mut Setting)) -> Option<f64> {
        let mut setting = Setting {
            network: Network {
                topology: "torus",
                sides: Sides(vec![8]),
                pattern: "shift".into(),
                shift: None,
                packets: 1,
            },
            router: Router::USUAL,
            timed: Timed {
                timing,
                value,
                edges: 2,
            },
        };
        change(&mut setting);
        drift_median_cycles(&setting)
    }

    /// Of steps within 1 %, a walk has a variance of 4/9 of 0.0001 a cycle; a link is a tenth of a step, its square 225 times that. Of 8
    /// neighbours half are within it up to 8/π² ln(4/π 2^(1/8)) = 0.810569 (0.241564 + 0.086643) = 0.266035 of that: 59.858 cycles. With
    /// half of the percent it takes four times as long.
    #[test]
    fn steps_that_are_drawn_walk_apart_by_a_link() {
        let of = |percent| ring(Timing::SelfTimedDrawn, percent, |_| ()).unwrap();
        assert!((of(1.0) - 59.858).abs() < 1e-2, "{}", of(1.0));
        assert!((of(0.5) / of(1.0) - 4.0).abs() < 1e-9);
    }

    /// 3000 parts per million are 0.3 %, and ten times as much takes a tenth of the time.
    #[test]
    fn parts_per_million_are_ten_thousandths_of_a_percent() {
        let percent = ring(Timing::Spread, 0.3, |_| ()).unwrap();
        let million = ring(Timing::Drift, 3000.0, |_| ()).unwrap();
        assert!(
            (million / percent - 1.0).abs() < 1e-9,
            "{million} {percent}"
        );
        let more = ring(Timing::Spread, 3.0, |_| ()).unwrap();
        assert!((percent / more - 10.0).abs() < 1e-6, "{more} {percent}");
    }

    /// Packets that get to the next node are at home, and those that go further than half-way round go west; nothing is known of the rounds of
    /// several packets, of several frames, of routers that wait, or of four edges.
    #[test]
    fn what_is_known_of_no_round_is_not_predicted() {
        let drawn = |change: fn(&mut Setting)| ring(Timing::SelfTimedDrawn, 1.0, change);
        let is_known = |shift: u32| {
            let change = |it: &mut Setting| it.network.shift = Some(shift);
            ring(Timing::SelfTimedDrawn, 1.0, change).is_some()
        };
        assert_eq!([1, 2, 4, 5].map(is_known), [false, true, true, false]);
        assert_eq!(drawn(|it| it.network.packets = 2), None);
        assert_eq!(drawn(|it| it.network.topology = "mesh"), None);
        assert_eq!(drawn(|it| it.router.frames = 2), None);
        let spread = |change: fn(&mut Setting)| ring(Timing::Spread, 1.0, change);
        assert!(spread(|it| it.timed.edges = 3).is_some());
        assert_eq!(spread(|it| it.timed.edges = 4), None);
        assert_eq!(spread(|it| it.router.threshold = 1), None);
        assert_eq!(ring(Timing::Phases, 0.0, |_| ()), None);
    }
}
