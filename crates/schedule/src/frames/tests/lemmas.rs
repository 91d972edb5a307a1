//! Lemmas 1 and 2 of section 2, as properties of random schedules.

use super::*;
use crate::{Plan, Request};

/// A frame congestion C in frames of T steps, and so a relative congestion C / T.
#[derive(Clone, Copy, Debug)]
struct Relative {
    packets: u32,
    steps: u32,
}

impl Relative {
    /// In any frame of so many steps.
    fn of(grid: &Grid, requests: &[Request], plans: &[Plan], steps: u32) -> Relative {
        let packets = frame_congestion(grid, requests, plans, steps);
        Relative { packets, steps }
    }

    /// Whether this is at most so many times the other.
    fn at_most(self, (times, of): (u32, u32), other: Relative) -> bool {
        let [one, all] = [
            [self.packets, other.steps, of],
            [other.packets, self.steps, times],
        ]
        .map(|factors| factors.map(u64::from).iter().product::<u64>());
        one <= all
    }

    /// The greatest in frames of T to 2T - 1 steps.
    fn greatest(grid: &Grid, requests: &[Request], plans: &[Plan], least: u32) -> Relative {
        let each = (least..2 * least).map(|steps| Relative::of(grid, requests, plans, steps));
        each.reduce(|one, other| {
            if one.at_most((1, 1), other) {
                other
            } else {
                one
            }
        })
        .expect("a frame has a step")
    }
}

/// Packets on a small mesh, each of which begins after its own delay and then doesn't wait, within so many steps. Many packets
/// may cross a link in one step.
fn crowded(sides: (u32, u32), packets: u32, steps: u32, seed: u64) -> (Grid, Paths, Vec<Plan>) {
    let grid = Grid::mesh(&[sides.0, sides.1]).unwrap();
    let mut draws = Draws::new(seed);
    let ways = walks(&grid, (packets, steps.min(24)), false, &mut draws);
    let paths = paths(&grid, &ways).unwrap();
    let spare = ways.iter().map(|(_, ports)| steps - ports.len() as u32);
    // Half of them without a delay, if the first draw says so.
    let crowd = draws.below(2) == 0;
    let delay = |spare: u32| match crowd && draws.below(2) == 0 {
        true => 0,
        false => draws.below(spare as usize + 1) as u32,
    };
    let delays: Vec<u32> = spare.map(delay).collect();
    let plans = paths.greedy(&delays);
    (grid, paths, plans)
}

/// The step that a packet of delay x makes in step t of a block: one delay every I steps in its first x I steps, and one every I
/// steps in its last I (I - x), so that all packets have I delays in the end.
fn delayed(step: u32, x: u32, (size, block): (u32, u32)) -> u32 {
    let to_come = (size - x).min((block - 1 - step) / size);
    step + x.min(step / size) + (size - x) - to_come
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Lemma 1: if the relative congestion of a schedule is at most r in any frame of I steps or more, then after delays have
    /// been inserted it is at most r (1 + 1 / I) in any frame of I^2 steps or more, whatever the delays.
    ///
    /// Checked: a block of 2 I^3 + 2 I^2 - I steps of a schedule in which packets begin when they like, r its greatest relative
    /// congestion in frames of I to 2 I - 1 steps (which is enough by Lemma 2), delays x from 1 to I inserted as the paper says,
    /// every frame from I^2 steps to the whole block.
    #[test]
    fn lemma_1_delays_hardly_add_to_the_congestion_of_long_frames(
        size in 2u32..5,
        sides in (2u32..5, 1u32..5),
        packets in 1u32..150,
        seed: u64,
    ) {
        let block = 2 * size.pow(3) + 2 * size.pow(2) - size;
        let (grid, paths, mut plans) = crowded(sides, packets, block, seed);
        let before = Relative::greatest(&grid, paths.requests(), &plans, size);
        let mut draws = Draws::new(!seed);
        for plan in &mut plans {
            let x = 1 + draws.below(size as usize) as u32;
            for hop in &mut plan.hops {
                hop.step = delayed(hop.step, x, (size, block));
            }
            prop_assert!(plan.hops.is_sorted_by(|one, other| one.step < other.step));
            prop_assert!(plan.end(1) <= block + size);
        }
        for steps in size * size..=block + size {
            let after = Relative::of(&grid, paths.requests(), &plans, steps);
            prop_assert!(after.at_most((size + 1, size), before), "{after:?} {before:?}");
        }
    }

    /// Lemma 2: in any schedule, if the relative congestion in every frame of T to 2 T - 1 steps is at most R, then it is at most
    /// R in any frame of T steps or more.
    ///
    /// Checked: schedules in which packets begin when they like, and those that wait in between; R their greatest relative
    /// congestion in frames of T to 2 T - 1 steps; every longer frame up to the whole schedule and beyond.
    #[test]
    fn lemma_2_short_frames_bound_long_ones(
        least in 1u32..20,
        sides in (2u32..5, 1u32..5),
        packets in 1u32..150,
        steps in 1u32..120,
        waits: bool,
        seed: u64,
    ) {
        let (grid, paths, mut plans) = crowded(sides, packets, steps, seed);
        if waits {
            plans = naive(&paths).plans;
        }
        let short = Relative::greatest(&grid, paths.requests(), &plans, least);
        let whole = makespan(paths.requests(), &plans);
        for steps in least..=whole + least {
            let long = Relative::of(&grid, paths.requests(), &plans, steps);
            prop_assert!(long.at_most((1, 1), short), "{long:?} {short:?}");
        }
    }
}
