//! Events in a sentence.

use crate::shown::named;
use flitwork_debug::rows::Nodes;
use flitwork_debug::{Happening, What};
use flitwork_node::Event;
use flitwork_types::Loss;

/// What happens, and where.
pub(super) fn describe(nodes: &Nodes, it: &Happening) -> String {
    format!("node {}: {}", nodes.name(it.node), what(nodes, it))
}

/// What happens.
pub(super) fn what(nodes: &Nodes, it: &Happening) -> String {
    let (word, moves) = match &it.what {
        What::Event(event) => return of_event(nodes, event),
        What::Word(word) => (word, "leaves"),
        What::Arrived(word) => (word, "arrives"),
    };
    let (packet, port) = (named(word.packet), nodes.port(word.port));
    format!("word {} of {packet} {moves} at {port}", word.index)
}

fn of_event(nodes: &Nodes, event: &Event) -> String {
    match event {
        Event::Injected { packet } => format!(
            "{} enters, for node {}",
            named(packet.id),
            nodes.terminal_name(packet.destination)
        ),
        Event::Delivered { packet } => format!("{} is delivered", named(packet.id)),
        Event::Lost { packet, port } => {
            let why = packet.loss.map_or("", Loss::name);
            format!(
                "{} is lost at {}: {why}",
                named(packet.id),
                nodes.port(*port)
            )
        }
        Event::Moved {
            packet,
            from,
            to,
            deroute,
        } => {
            let (from, to) = (nodes.place(*from), nodes.place(*to));
            let deroute = if *deroute { ", a deroute" } else { "" };
            format!("{} moves from {from} to {to}{deroute}", named(*packet))
        }
        Event::Head { packet, port, .. } => {
            format!("{}'s head leaves at {}", named(*packet), nodes.port(*port))
        }
        Event::Tail { packet, port, .. } => {
            format!("{}'s tail leaves at {}", named(*packet), nodes.port(*port))
        }
        Event::Freed { port } => format!("the frame at {} is free", nodes.port(*port)),
    }
}
