//! `flitwork trace hang`.

use super::session::Session;
use super::table::{Form, print_events};
use crate::args::AskHang;
use crate::asking::{Asking, Stop};
use crate::exit::{Code, Exit, print};
use flitwork_debug::rows::event_columns;
use flitwork_debug::{Hang, Timeline, follow, hang, wanderers};
use flitwork_experiment::hardware::StoppedNodes;
use flitwork_experiment::simulation::Use;
use flitwork_types::{NodeId, Packet};
use flitwork_view::shown::named;
use serde_json::{Value, json};

pub(super) fn run(args: &AskHang, asking: &Asking<'_>) -> Result<Code, Stop> {
    let session = Session::of(&args.of, asking)?;
    let (mut timeline, differs) = session.timeline(Use::Views)?;
    let end = session.recalled.end();
    let go_on = &mut || session.interruption().flow().is_continue();
    let shape = &session.recalled.resolved.network.shape;
    let stopped = StoppedNodes::of(&session.recalled.resolved);
    let has_stopped = |node, time| {
        stopped
            .as_ref()
            .is_some_and(|it| it.has_stopped(node, time))
    };
    let found = hang(&mut timeline, (shape, &has_stopped), end, go_on)?;
    let gated: Vec<(NodeId, u64)> = stopped.iter().flat_map(|it| it.by(end)).collect();
    let wandering = args.deroutes_over.map(|deroutes| {
        let packets = wanderers(&mut timeline, end, deroutes);
        let ways = packets.iter().map(|packet| way(&mut timeline, packet, end));
        let ways: Vec<Vec<u32>> = ways.collect();
        packets.into_iter().zip(ways).collect::<Vec<_>>()
    });
    if args.of.json {
        let found = json!({
            "circle": found.as_ref().map(|found| circle_json(&session, found)),
            "closed": found.as_ref().map(|found| found.closed),
            "stopped": gated.iter().map(|(node, from_ps)| json!({"node": node.0, "from_ps": from_ps})).collect::<Vec<_>>(),
            "wanderers": wandering.as_ref().map(|all| wanderers_json(all)),
        });
        print(&format!("{found:#}\n"))?;
    } else {
        match &found {
            Some(found) => show(&session, &timeline, found)?,
            None => print("no packets wait for each other in a circle for good\n")?,
        }
        for (node, from_ps) in &gated {
            let node = session.nodes.name(*node);
            print(&format!(
                "the clock of node {node} is gated for good from {from_ps} ps on: what waits for it never moves again\n"
            ))?;
        }
        if let Some(wandering) = &wandering {
            print(&wanderers_text(wandering))?;
        }
    }
    session.agree(&differs)
}

/// The nodes to which a packet has come, in order.
fn way(timeline: &mut Timeline, packet: &Packet, end: u64) -> Vec<u32> {
    let journey = follow(timeline, packet.id, 0, end);
    let stays = journey.map(|journey| journey.stays).unwrap_or_default();
    stays.iter().map(|stay| stay.node.0).collect()
}

fn show(session: &Session<'_>, timeline: &Timeline, found: &Hang) -> Result<(), Exit> {
    let nodes = &session.nodes;
    let mut text = format!(
        "{} packets wait for each other in a circle, which closed at {}\n\n",
        found.packets(),
        found.closed
    );
    for (wait, link) in &found.circle {
        let behind = link
            .as_ref()
            .map_or(String::new(), |link| format!("behind {link} "));
        text += &format!(
            "node {}: packet {} to node {}, in the {}, waits {behind}for the next\n",
            nodes.name(wait.node),
            named(wait.packet),
            nodes.terminal_name(wait.destination),
            nodes.place(wait.place)
        );
    }
    print(&format!(
        "{text}\nthe last events in these nodes before that\n"
    ))?;
    let columns = event_columns(nodes, timeline.unit());
    print_events(nodes, &columns, Form::Text, &found.last)
}

fn circle_json(session: &Session<'_>, found: &Hang) -> Vec<Value> {
    let steps = found.circle.iter().map(|(wait, link)| {
        json!({
            "node": wait.node.0,
            "packet": named(wait.packet),
            "destination": wait.destination.0,
            "place": session.nodes.place(wait.place),
            "link": link,
        })
    });
    steps.collect()
}

fn wanderers_json(all: &[(Packet, Vec<u32>)]) -> Vec<Value> {
    let all = all.iter().map(|(packet, way)| {
        json!({"packet": named(packet.id), "deroutes": packet.deroutes, "hops": packet.hops, "way": way})
    });
    all.collect()
}

fn wanderers_text(all: &[(Packet, Vec<u32>)]) -> String {
    let mut text = format!(
        "\n{} packets in the network have been derouted more often\n",
        all.len()
    );
    for (packet, way) in all {
        let way: Vec<String> = way.iter().map(u32::to_string).collect();
        text += &format!(
            "packet {} to node {}: {} deroutes, {} hops: {}\n",
            named(packet.id),
            packet.destination,
            packet.deroutes,
            packet.hops,
            way.join(" ")
        );
    }
    text
}
