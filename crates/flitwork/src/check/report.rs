//! What `flitwork check` found, as text and as JSON.

use crate::program::provenance;
use flitwork_config::Resolved;
use flitwork_experiment::examine::{Astray, Circle, Deadlock, Examination, Livelock, SomeNodes};
use flitwork_topology::{Shape, Topology};
use flitwork_types::{NodeId, TerminalId};
use serde_json::{Value, json};
use std::fmt::Write;

pub(super) fn text(found: &Examination) -> String {
    let width = found.facts.iter().map(|(name, _)| name.len()).max();
    let width = width.unwrap_or(0);
    let mut text = String::new();
    for (name, value) in &found.facts {
        let _ = writeln!(text, "{name:width$}  {value}");
    }
    let _ = writeln!(text, "\n{}\n{}", found.deadlock, found.livelock);
    text
}

/// The names are promised.
pub(super) fn json(resolved: &Resolved, found: &Examination) -> Value {
    let shape = &resolved.network.shape;
    let links = |node: u32| shape.links(NodeId(node)).len() as u64;
    let deadlock = match found.deadlock {
        Deadlock::Free(_) => "free",
        Deadlock::May(_) => "may",
        Deadlock::Unknown(_) => "unknown",
    };
    let livelock = match found.livelock {
        Livelock::None(_) => "free",
        Livelock::ProbabilityZero(_) => "probability-zero",
        Livelock::May(_) => "may",
        Livelock::Unknown(_) => "unknown",
    };
    let (channels, dependencies) = found.dependencies.unzip();
    let of_circle = found.circle.as_ref().map(|it| it.dependencies);
    let warnings: Vec<String> = found.warnings.iter().map(ToString::to_string).collect();
    json!({
        "network": resolved.network.to_string(),
        "router": resolved.router.name(),
        "nodes": shape.nodes(),
        "terminals": shape.terminals(),
        "links_one_way": (0..shape.nodes()).map(links).sum::<u64>(),
        "deadlock": deadlock,
        "deadlock_why": found.deadlock.to_string(),
        "livelock": livelock,
        "livelock_why": found.livelock.to_string(),
        "channels": channels,
        "dependencies": dependencies.or(of_circle),
        "circle": found.circle.as_ref().map_or_else(Vec::new, circle),
        "faults": found.astray.iter().map(|it| fault(it, shape)).collect::<Vec<_>>(),
        "warnings": warnings,
        "provenance": provenance(resolved),
    })
}

/// Each channel of a circle, held by a packet that waits for the next one, the last for the first.
fn circle(circle: &Circle) -> Vec<Value> {
    let held = circle.held.iter().map(|held| {
        let [node, port, destination] = &held.names;
        json!({
            "node": held.node.0,
            "node_name": node,
            "port": port,
            "channel": held.channel,
            "destination": held.destination.0,
            "destination_name": destination,
        })
    });
    held.collect()
}

/// What is wrong with the ways to a destination.
fn fault(astray: &Astray, shape: &Shape) -> Value {
    let nodes =
        |some: &SomeNodes| -> Vec<u32> { some.first.iter().map(|(node, _)| node.0).collect() };
    let terminals =
        (0..shape.terminals()).filter(|it| shape.home(TerminalId(*it)) == astray.destination);
    json!({
        "destination": astray.destination.0,
        "destination_name": astray.name,
        "terminals": terminals.collect::<Vec<u32>>(),
        "loop": astray.circle.iter().map(|node| node.0).collect::<Vec<u32>>(),
        "no_route_at": nodes(&astray.unrouted),
        "no_route_nodes": astray.unrouted.count,
        "unreached_from": nodes(&astray.unreached),
        "unreached_from_nodes": astray.unreached.count,
        "lines": astray.lines(),
    })
}
