//! Packets on fixed paths, in O(c + d) steps with short queues (Leighton, Maggs and Rao 1988, section 2).
//!
//! The congestion c is the most packets that cross one link, and the dilation d the most links of a path: no schedule is shorter
//! than either. The *greedy* schedule, in which every packet always moves, is no schedule yet, since up to c packets may cross a
//! link in one step. The paper makes one of it by delays: it shows by the Lovász local lemma that there are some by which no
//! link is crossed too often in any short frame of time, refines this to frames of constant length, and gives each its steps.
//!
//! Its constants are out of any use, and its proof doesn't find the delays. What is here takes from it what does:
//!
//! 1. Each packet waits at its source for a delay below c, drawn at random. Delays are drawn again until no link is crossed more
//!    often in a frame than a cap allows. A frame has 32 steps, aligned: step 0 … 31, 32 … 63, and so on.
//! 2. One frame after the other, packets cross the links that the greedy schedule has in it, one a step, with waiting: of those
//!    that wait for a link the farthest goes first.
//!
//! ```text
//!   greedy, delayed       0 …………………… 31│32 …………………… 63│64 ……
//!   packets of a link          ≤ cap       ≤ cap
//!                              ╱  ╲        ╱    ╲
//!   schedule              0 …………………… 33│34 ……………………… 70│71 ……
//! ```
//!
//! Schedules on meshes and on random simple paths take 0.75 to 1.25 times c + d. With one frame for all, which is farthest-first
//! alone, they are shorter, and their queues longer: frames are what keeps queues short.
//!
//! The [`naive`] schedule takes at most c d steps.

mod delays;
mod naive;
mod paths;
mod play;
mod queues;
#[cfg(test)]
mod tests;

pub use naive::naive;
pub use paths::{PathError, Paths};

use crate::draws::Draws;
use crate::{Plan, makespan};
use queues::{Queues, queues};
use std::num::NonZeroU32;

/// How packets are scheduled in frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frames {
    /// The steps of a frame of the greedy schedule. With c + d of them there is only one, and delays don't matter.
    pub steps: NonZeroU32,
    /// The most packets that may cross a link in a frame. If this isn't well above `steps`, there may be no delays that keep it
    /// where c is much greater than d.
    pub cap: u32,
    /// How many delays may be drawn again.
    pub most_resamplings: u64,
    /// The seed of what is drawn.
    pub seed: u64,
}

impl Frames {
    /// Frames of 32 steps, in which a link is crossed by 36 packets at most.
    pub fn new(seed: u64) -> Frames {
        Frames {
            steps: NonZeroU32::new(32).expect("not 0"),
            cap: 36,
            most_resamplings: 10_000_000,
            seed,
        }
    }
}

/// A schedule of packets on fixed paths.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scheduled {
    /// The packets' ways, in the order of their paths.
    pub plans: Vec<Plan>,
    /// The steps until the last packet is there.
    pub length: u32,
    /// The congestion c.
    pub congestion: u32,
    /// The dilation d.
    pub dilation: u32,
    /// The most packets that wait in one node in one step, as [`check`](crate::check) counts them: not at their sources, and not
    /// at their destinations.
    pub queue: usize,
    /// The most of them that came by the same link. The paper's queues are at the ends of links.
    pub link_queue: usize,
    /// How many delays were drawn again.
    pub resamplings: u64,
}

impl Scheduled {
    fn new(paths: &Paths, plans: Vec<Plan>, resamplings: u64) -> Scheduled {
        let Queues { node, link } = queues(paths, &plans);
        Scheduled {
            length: makespan(paths.requests(), &plans),
            congestion: paths.congestion(),
            dilation: paths.dilation(),
            queue: node,
            link_queue: link,
            resamplings,
            plans,
        }
    }
}

/// No delays were found with which every link keeps its cap in every frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{resamplings} delays were drawn again, and still more than {cap} packets cross a link in one frame"
)]
pub struct TooManyResamplings {
    /// How many were drawn again.
    pub resamplings: u64,
    /// The cap.
    pub cap: u32,
}

/// Schedules packets in frames.
///
/// # Errors
/// [`TooManyResamplings`] if the cap isn't kept after as many as there may be.
pub fn in_frames(paths: &Paths, frames: &Frames) -> Result<Scheduled, TooManyResamplings> {
    let spread = delays::spread(paths, frames, &mut Draws::new(frames.seed))?;
    let plans = play::farthest_first(paths, frames.steps.get(), &spread.delays);
    Ok(Scheduled::new(paths, plans, spread.resamplings))
}
