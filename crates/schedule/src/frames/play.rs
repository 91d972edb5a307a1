//! Frame after frame, each in as many steps as it takes.

use super::paths::Paths;
use crate::Plan;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Which of the packets that wait for a link goes first: the greatest. By the links that it has still to cross in this frame,
/// then by all that it has, then the first.
type Rank = (u32, u32, Reverse<usize>);

/// A schedule in the making.
struct Play<'p> {
    paths: &'p Paths,
    /// For each packet the steps of the hops that it has made.
    steps: Vec<Vec<u32>>,
    /// For each packet the hop before which it stops, as the frame ends.
    stops: Vec<u32>,
    /// For each link the packets that wait for it.
    waiting: Vec<BinaryHeap<Rank>>,
    /// The links for which some wait.
    busy: Vec<usize>,
    now: u32,
}

impl Play<'_> {
    /// Lets a packet wait for its next link, if the frame has another one for it.
    fn queue(&mut self, packet: usize) {
        let (path, hop) = (self.paths.crossings(packet), self.steps[packet].len());
        let left = self.stops[packet] - hop as u32;
        if left > 0 {
            let link = path[hop].link.index();
            if self.waiting[link].is_empty() {
                self.busy.push(link);
            }
            let all = (path.len() - hop) as u32;
            self.waiting[link].push((left, all, Reverse(packet)));
        }
    }

    /// One step: over each link for which packets wait goes the first of them.
    fn step(&mut self) {
        let first = |link: &usize| self.waiting[*link].pop().map(|(_, _, it)| it.0);
        let moved: Vec<usize> = self.busy.iter().filter_map(first).collect();
        self.busy.retain(|link| !self.waiting[*link].is_empty());
        for packet in moved {
            self.steps[packet].push(self.now);
            self.queue(packet);
        }
        self.now += 1;
    }
}

/// For each frame the packets that move in it, if each moves in every step once its delay is over.
fn members(paths: &Paths, frame_steps: u32, delays: &[u32]) -> Vec<Vec<usize>> {
    let mut frames = Vec::new();
    for (packet, delay) in delays.iter().enumerate() {
        let links = paths.crossings(packet).len() as u32;
        if links > 0 {
            let first = (delay / frame_steps) as usize;
            let last = ((delay + links - 1) / frame_steps) as usize;
            if frames.len() <= last {
                frames.resize(last + 1, Vec::new());
            }
            let its = &mut frames[first..=last];
            its.iter_mut().for_each(|frame| frame.push(packet));
        }
    }
    frames
}

/// The schedule in which each frame of the greedy schedule with these delays begins as the one before it is over.
pub(super) fn farthest_first(paths: &Paths, frame_steps: u32, delays: &[u32]) -> Vec<Plan> {
    let packets = 0..paths.packets();
    let mut play = Play {
        paths,
        steps: packets.clone().map(|_| Vec::new()).collect(),
        stops: vec![0; packets.len()],
        waiting: paths.users().iter().map(|_| BinaryHeap::new()).collect(),
        busy: Vec::new(),
        now: 0,
    };
    let mut end = 0;
    for members in members(paths, frame_steps, delays) {
        end += frame_steps;
        for packet in members {
            let links = paths.crossings(packet).len() as u32;
            play.stops[packet] = links.min(end - delays[packet]);
            play.queue(packet);
        }
        while !play.busy.is_empty() {
            play.step();
        }
    }
    let plans = play.steps.into_iter().enumerate();
    plans
        .map(|(packet, steps)| paths.plan(packet, steps))
        .collect()
}
