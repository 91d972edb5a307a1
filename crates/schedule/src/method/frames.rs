//! `frames`: packets on fixed paths, in O(c + d) steps (Leighton, Maggs and Rao 1988, section 2).

use super::{About, MethodParameters, ScheduleResult, Unmade};
use crate::Request;
use crate::bounds::Model;
use crate::frames::{Frames, Paths, Scheduled, in_frames};
use flitwork_schema::{Allowed, Datum, Key, key};
use flitwork_topology::{Shape, Topology};
use flitwork_types::Port;

/// What bounds the queues, and what delays are drawn from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FramesParameters {
    /// The most packets that may wait in a node; no limit unless it is given.
    pub waiting: Option<u32>,
    /// The seed of the delays.
    pub seed: u64,
}

impl MethodParameters for FramesParameters {
    const NAME: &'static str = "frames";
    const HELP: &'static str = "packets on fixed paths with random delays, in O(c + d) steps";
    #[rustfmt::skip]
    const KEYS: &'static [Key<FramesParameters>] = &[
        key("waiting", |it| &mut it.waiting, Allowed::Whole(1, u32::MAX as u64), "no limit", "the most packets that may wait in a node at once: packets wait in frames"),
        key("seed", |it| &mut it.seed, Allowed::Whole(0, u64::MAX), "run.seed", "the seed of the random delays"),
    ];

    fn seeded(seed: u64) -> FramesParameters {
        FramesParameters {
            waiting: None,
            seed,
        }
    }

    fn model(&self) -> Model {
        Model::new(self.waiting.unwrap_or(0), false)
    }

    fn make(&self, shape: &Shape, requests: &[Request]) -> Result<ScheduleResult, Unmade> {
        let paths = paths(Self::NAME, shape, requests)?;
        let scheduled = in_frames(&paths, &Frames::new(self.seed));
        let scheduled = scheduled.map_err(|error| {
            let found = format!("{}: {error}", self.seed);
            Unmade::new(About::Key("seed"), found, "another seed")
        })?;
        if let Some(most) = self.waiting.filter(|most| scheduled.queue > *most as usize) {
            let found = format!("{most}, and {} packets wait in a node", scheduled.queue);
            let allowed = format!("{} or more", scheduled.queue);
            return Err(Unmade::new(About::Key("waiting"), found, allowed));
        }
        let summary = counted(&scheduled, &[("resamplings", scheduled.resamplings)]);
        let plans = scheduled.plans;
        Ok(ScheduleResult { plans, summary })
    }
}

/// What is reported of a schedule of packets on fixed paths, and more.
pub(super) fn counted(
    scheduled: &Scheduled,
    more: &[(&'static str, u64)],
) -> Vec<(&'static str, Option<Datum>)> {
    let all = [
        ("congestion", scheduled.congestion.into()),
        ("dilation", scheduled.dilation.into()),
        ("link_queue", scheduled.link_queue as u64),
    ];
    let all = all.iter().chain(more);
    all.map(|(name, count)| (*name, Some(Datum::Whole((*count).into()))))
        .collect()
}

/// Each packet along the first dimension, then the second, and so on; on a graph by the lowest port of a shortest path.
pub(super) fn paths(method: &str, shape: &Shape, requests: &[Request]) -> Result<Paths, Unmade> {
    if let Some(long) = requests.iter().find(|request| request.words != 1) {
        let found = format!("packets have {} words", long.words);
        let allowed = format!("1: {method} schedules packets of one word");
        return Err(Unmade::new(About::Words, found, allowed));
    }
    Ok(of(shape, requests))
}

fn of<T: Topology>(topology: &T, requests: &[Request]) -> Paths {
    let dimension = |port: &Port| {
        let grid = topology.grid();
        grid.map_or(port.index(), |grid| grid.dimension(*port))
    };
    let paths = requests.iter().map(|request| {
        let (mut at, mut path) = (request.source, Vec::new());
        while at != request.destination {
            let productive = topology.productive(at, request.destination);
            let port = productive.iter().min_by_key(dimension);
            let next = port.and_then(|port| Some((port, topology.neighbour(at, port)?)));
            let (port, far) = next.unwrap_or_else(|| panic!("node {at} has no way on"));
            path.push(port);
            at = far;
        }
        (request.source, path)
    });
    let paths: Vec<_> = paths.collect();
    let paths = paths
        .iter()
        .map(|(source, path)| (*source, path.as_slice()));
    Paths::new(topology, paths).unwrap_or_else(|error| panic!("shortest paths: {error}"))
}
