//! `flitwork route`: a rule of the papers' steps routes a static problem.

use crate::args::Route;
use crate::asking::Asking;
use crate::exit::{Code, Exit, FINE, INTERRUPTED, NETWORK_FAILED, print_found};
use crate::program::program;
use crate::run::{refused, warn_of_unread};
use flitwork_config::{Routing, unread_warning};
use flitwork_steps::{Ended, Routed, Scheduled};
use flitwork_topology::Topology;
use flitwork_types::NodeId;
use serde_json::json;
use std::fmt::Write;

pub(crate) fn run(args: &Route, asking: &Asking<'_>) -> Result<Code, Exit> {
    let loaded = asking
        .catalogue
        .load_routing(&args.config, &args.overrides()?);
    let loaded = loaded.map_err(|error| refused(&error))?;
    warn_of_unread(unread_warning(&loaded.unread));
    asking.places.prepare()?;
    let routing = &loaded.value;
    let packets = routing.packets.iter();
    let packets: Vec<Ends> = packets.map(|(from, to, _)| (*from, *to)).collect();
    let go_on = &mut |_| asking.interruption.flow().is_continue();
    let routed = routing.algorithm.route(routing.shape(), &packets, go_on);
    let routed = routed.map_err(Exit::failure)?;
    let mut found = as_json(routing, &packets, &routed);
    found["provenance"] = json!(program().ran(routing.to_toml(), routing.seed));
    print_found(&found, args.json, || as_text(routing, &packets, &routed))?;
    Ok(Code(match routed.ended {
        Ended::Done => FINE,
        Ended::Stuck => NETWORK_FAILED,
        Ended::Stopped => INTERRUPTED,
    }))
}

/// A packet's source and destination.
type Ends = (NodeId, NodeId);

fn ended(routed: &Routed) -> &'static str {
    match routed.ended {
        Ended::Done => "delivered",
        Ended::Stuck => "deadlock",
        Ended::Stopped => "interrupted",
    }
}

fn as_json(routing: &Routing, packets: &[Ends], routed: &Routed) -> serde_json::Value {
    let rule = &routing.algorithm;
    let offer = |it: &Scheduled| {
        let (from, to) = packets[it.packet.index()];
        json!({"node": it.from.0, "port": it.port.0, "to": it.to.0, "packet": it.packet.0, "source": from.0, "destination": to.0})
    };
    json!({
        "rule": rule.name(),
        "inqueue": rule.inqueue(),
        "store": rule.store().to_string(),
        "nodes": routing.shape().nodes(),
        "packets": packets.len(),
        "ended": ended(routed),
        "steps": routed.steps,
        "longest_distance": routing.longest_distance(),
        "queue_max": routed.queue_max,
        "moves": routed.moves,
        "undelivered": routed.undelivered,
        "phase_steps": routed.phase_steps,
        "circle": routed.circle.iter().map(offer).collect::<Vec<_>>(),
    })
}

fn as_text(routing: &Routing, packets: &[Ends], routed: &Routed) -> String {
    let rule = &routing.algorithm;
    let mut out = format!(
        "{}, {}, on {} nodes: {} packets\n\n",
        rule.name(),
        rule.store(),
        routing.shape().nodes(),
        packets.len()
    );
    let distance = routing.longest_distance();
    let _ = writeln!(out, "steps               {}", routed.steps);
    if routed.phase_steps.len() > 1 {
        let phases: Vec<String> = routed.phase_steps.iter().map(u32::to_string).collect();
        let _ = writeln!(out, "of the phases       {}", phases.join(", "));
    }
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
        let (source, destination) = packets[packet.index()];
        let _ = writeln!(
            out,
            "  node {from}: packet {} from {source} to {destination} waits to enter node {to}, which is full",
            packet.0
        );
    }
    out
}
