//! `frames`: packets on fixed paths, in O(c + d) steps (Leighton, Maggs and Rao 1988, section 2).

use super::method::{Ask, Made, Method};
use crate::exit::Exit;
use crate::problem::Net;
use flitwork_schedule::frames::{Frames, Paths, in_frames};
use flitwork_topology::Topology;
use flitwork_types::Port;
use serde_json::json;

pub(super) const METHOD: Method = Method {
    name: "frames",
    keys: &["waiting", "seed"],
    make,
};

fn make(ask: &Ask) -> Result<Made, Exit> {
    let paths = paths(ask)?;
    let most = ask.settings.number("waiting");
    if most == Some(0) {
        let what = "schedule.waiting is 0, and packets wait in frames";
        return Err(ask.wrong(
            "waiting",
            what,
            "1 or more packets in a node, or none given",
        ));
    }
    let seed = ask.seed(true, "")?;
    let scheduled = in_frames(&paths, &Frames::new(seed))
        .map_err(|error| ask.refused("schedule", error, "another seed"))?;
    if most.is_some_and(|most| scheduled.queue as u64 > most) {
        let what = format!("{} packets wait in a node", scheduled.queue);
        return Err(ask.wrong("waiting", what, format!("{} or more", scheduled.queue)));
    }
    Ok(Made {
        says: vec![
            ("congestion", json!(scheduled.congestion)),
            ("dilation", json!(scheduled.dilation)),
            ("link_queue", json!(scheduled.link_queue)),
            ("resamplings", json!(scheduled.resamplings)),
        ],
        plans: scheduled.plans,
    })
}

/// Each packet along the first dimension, then the second, and so on; on a graph by the lowest port of a shortest path.
pub(super) fn paths(ask: &Ask) -> Result<Paths, Exit> {
    if let Some(long) = ask.requests.iter().find(|request| request.words != 1) {
        let what = format!("problem.words is {}", long.words);
        let allowed = format!("1: {} schedules packets of one word", ask.method.name);
        return Err(ask.wrong_words(what, allowed));
    }
    match &ask.net {
        Net::Grid(grid) => of(ask, &**grid),
        Net::Graph(graph) => of(ask, &**graph),
    }
}

fn of<T: Topology>(ask: &Ask, topology: &T) -> Result<Paths, Exit> {
    let dimension = |port: &Port| {
        let grid = topology.grid();
        grid.map_or(port.index(), |grid| grid.dimension(*port))
    };
    let mut paths = Vec::with_capacity(ask.requests.len());
    for request in &ask.requests {
        let (mut at, mut path) = (request.source, Vec::new());
        while at != request.destination {
            let productive = topology.productive(at, request.destination);
            let port = productive.iter().min_by_key(dimension);
            let next = port.and_then(|port| Some((port, topology.neighbour(at, port)?)));
            let Some((port, far)) = next else {
                return Err(Exit::Failure(format!("node {at} has no way on")));
            };
            path.push(port);
            at = far;
        }
        paths.push((request.source, path));
    }
    let paths = paths
        .iter()
        .map(|(source, path)| (*source, path.as_slice()));
    Paths::new(topology, paths).map_err(|error| Exit::Failure(error.to_string()))
}
