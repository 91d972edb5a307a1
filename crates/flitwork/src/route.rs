//! `flitwork route`: a rule of the papers' steps routes a static problem on a graph.

mod read;

use crate::args::Route;
use crate::exit::{Code, Exit, FINE, INTERRUPTED, Interruption, NETWORK_FAILED, print};
use crate::places::Places;
use crate::problem::Net;
use crate::program::program;
use flitwork_report::Configuration;
use flitwork_steps::{Ended, Routed, Scheduled};
use flitwork_topology::Topology;
use flitwork_types::NodeId;
use read::Read;
use serde_json::json;
use std::fmt::Write;

pub(crate) fn run(
    args: &Route,
    places: &Places,
    interruption: &Interruption,
) -> Result<Code, Exit> {
    let read = read::read(&args.config, places.inputs())?;
    places.prepare()?;
    let go_on = &mut |_| interruption.flow().is_continue();
    let routed = match &read.net {
        Net::Grid(grid) => routed(&read, &**grid, go_on),
        Net::Graph(graph) => routed(&read, &**graph, go_on),
    };
    let (routed, distance) = routed.map_err(|error| read::refused(&args.config, &error))?;
    let text = match args.json {
        true => {
            let configuration = Configuration::One(read.text.clone());
            let provenance = program().made(configuration, read.seed, 1);
            let mut found = as_json(&read, &routed, distance);
            found["provenance"] = json!(provenance);
            format!("{found:#}\n")
        }
        false => as_text(&read, &routed, distance),
    };
    print(&text)?;
    Ok(Code(match routed.ended {
        Ended::Done => FINE,
        Ended::Stuck => NETWORK_FAILED,
        Ended::Stopped => INTERRUPTED,
    }))
}

/// What came of it, and the longest distance of a packet.
fn routed<T: Topology>(
    read: &Read,
    topology: &T,
    go_on: flitwork_steps::GoOn<'_>,
) -> Result<(Routed, u32), flitwork_steps::MachineError> {
    let problem = read.problem.iter();
    let distances = problem.map(|(from, to)| topology.distance(*from, *to));
    let distance = distances.max().unwrap_or(0);
    let routed = read
        .chosen
        .route(topology, read.store, &read.problem, go_on)?;
    Ok((routed, distance))
}

fn ended(routed: &Routed) -> &'static str {
    match routed.ended {
        Ended::Done => "delivered",
        Ended::Stuck => "deadlock",
        Ended::Stopped => "interrupted",
    }
}

fn as_json(read: &Read, routed: &Routed, distance: u32) -> serde_json::Value {
    let offer = |it: &Scheduled| {
        let (from, to) = read.problem[it.packet.index()];
        json!({"node": it.from.0, "port": it.port.0, "to": it.to.0, "packet": it.packet.0, "source": from.0, "destination": to.0})
    };
    json!({
        "rule": read.chosen.rule.name,
        "inqueue": read.chosen.inqueue.name(),
        "store": read.store.to_string(),
        "nodes": read.net.nodes(),
        "packets": read.problem.len(),
        "ended": ended(routed),
        "steps": routed.steps,
        "longest_distance": distance,
        "queue_max": routed.queue_max,
        "moves": routed.moves,
        "undelivered": routed.undelivered,
        "circle": routed.circle.iter().map(offer).collect::<Vec<_>>(),
    })
}

fn as_text(read: &Read, routed: &Routed, distance: u32) -> String {
    let mut out = format!(
        "{}, {}, on {} nodes: {} packets\n\n",
        read.chosen.rule.name,
        read.store,
        read.net.nodes(),
        read.problem.len()
    );
    let _ = writeln!(out, "steps               {}", routed.steps);
    let _ = writeln!(out, "longest distance    {distance} links");
    let _ = writeln!(out, "largest queue       {} packets", routed.queue_max);
    let _ = writeln!(out, "moves               {}", routed.moves);
    if routed.undelivered > 0 {
        let _ = writeln!(out, "under way           {} packets", routed.undelivered);
    }
    if routed.ended == Ended::Stuck {
        out += "\nNothing moves any more: packets wait for each other in a circle\n\n";
    }
    for Scheduled {
        packet, from, to, ..
    } in &routed.circle
    {
        let (source, destination): (NodeId, NodeId) = read.problem[packet.index()];
        let _ = writeln!(
            out,
            "  node {from}: packet {} from {source} to {destination} wants into node {to}, which is full",
            packet.0
        );
    }
    out
}
