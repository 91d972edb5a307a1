//! Delays that spread the packets of every link over the frames.
//!
//! Each packet waits at its source for a delay drawn below c, and then crosses a link in every step. A link of which more packets
//! cross in one frame than its cap allows is a bad event, in the words of the Lovász local lemma (Lemma 3): it depends only on
//! the delays of the packets that cross the link. Its constructive form draws again the delays on which some bad event depends,
//! until there is none; here only those of the packets that cross the link in that frame.

use super::paths::Paths;
use super::{Frames, TooManyResamplings};
use crate::draws::Draws;

/// How many packets cross each link in each frame.
struct Loads<'p> {
    paths: &'p Paths,
    frame_steps: u32,
    frames: usize,
    cap: u32,
    loads: Vec<u32>,
    /// Links and frames that were over their cap when they were put here.
    over: Vec<(usize, usize)>,
}

impl Loads<'_> {
    fn add(&mut self, packet: usize, delay: u32) {
        for (step, crossing) in (delay..).zip(self.paths.crossings(packet)) {
            let (link, frame) = (crossing.link.index(), (step / self.frame_steps) as usize);
            let load = &mut self.loads[link * self.frames + frame];
            *load += 1;
            if *load == self.cap + 1 {
                self.over.push((link, frame));
            }
        }
    }

    fn is_over(&self, link: usize, frame: usize) -> bool {
        self.loads[link * self.frames + frame] > self.cap
    }

    fn remove(&mut self, packet: usize, delay: u32) {
        for (step, crossing) in (delay..).zip(self.paths.crossings(packet)) {
            let frame = (step / self.frame_steps) as usize;
            self.loads[crossing.link.index() * self.frames + frame] -= 1;
        }
    }
}

/// What has been drawn.
pub(super) struct Spread {
    /// For each packet the steps for which it waits before it moves.
    pub(super) delays: Vec<u32>,
    pub(super) resamplings: u64,
}

/// Draws a delay for each packet, and draws again until every link keeps its cap in every frame.
pub(super) fn spread(
    paths: &Paths,
    frames: &Frames,
    draws: &mut Draws,
) -> Result<Spread, TooManyResamplings> {
    let (cap, frame_steps) = (frames.cap, frames.steps.get());
    let below = paths.congestion().max(1);
    let count = ((below - 1 + paths.dilation()) / frame_steps + 1) as usize;
    let mut loads = Loads {
        paths,
        frame_steps,
        frames: count,
        cap,
        loads: vec![0; count * paths.users().len()],
        over: Vec::new(),
    };
    let mut delay = || draws.below(below as usize) as u32;
    let mut delays: Vec<u32> = (0..paths.packets()).map(|_| delay()).collect();
    for (packet, delay) in delays.iter().enumerate() {
        loads.add(packet, *delay);
    }
    let mut resamplings = 0;
    while let Some((link, frame)) = loads.over.pop() {
        if !loads.is_over(link, frame) {
            continue;
        }
        for &(packet, hop) in &paths.users()[link] {
            let before = delays[packet];
            if (before + hop) / frame_steps != frame as u32 {
                continue;
            }
            if resamplings == frames.most_resamplings {
                return Err(TooManyResamplings { resamplings, cap });
            }
            resamplings += 1;
            loads.remove(packet, before);
            delays[packet] = delay();
            loads.add(packet, delays[packet]);
        }
        // `add` finds only what wasn't over its cap before.
        if loads.is_over(link, frame) {
            loads.over.push((link, frame));
        }
    }
    Ok(Spread {
        delays,
        resamplings,
    })
}
