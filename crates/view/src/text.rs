//! What a node holds and decides, as text.

use crate::shown::{capacity, named, subject, value};
use flitwork_debug::rows::Nodes;
use flitwork_debug::{Explained, Next, TimeUnit};
use flitwork_node::{BufferState, Decision, View, What};
use std::fmt::Write;

/// What a node holds, line by line, and below it what its next step decides, if there is one.
pub fn node_text(nodes: &Nodes, view: &View, next: Option<&Explained>) -> String {
    let mut text = String::new();
    write_view(nodes, &mut text, view);
    if let Some(next) = next {
        write_explained(nodes, &mut text, next);
    }
    text
}

/// What is said of a node whose next step isn't known.
pub fn idle_text(next: &Next, unit: TimeUnit) -> Option<String> {
    match next {
        Next::Step(_) => None,
        Next::NotBefore(time) => {
            let when = match unit {
                TimeUnit::Cycles => format!("cycle {time}"),
                TimeUnit::Picoseconds => format!("{time} ps"),
                TimeUnit::Steps => format!("step {time}"),
            };
            Some(format!("nothing happens in it before {when}, if ever"))
        }
        Next::Never => Some("nothing happens in it any more".to_owned()),
    }
}

fn write_view(nodes: &Nodes, text: &mut String, view: &View) {
    for buffer in &view.buffers {
        let state = match buffer.state {
            BufferState::Usual => "",
            BufferState::Reopening => ", reopens",
            BufferState::Missing => ", no link",
        };
        let held: Vec<String> = buffer
            .held
            .iter()
            .map(|part| match part.words {
                0 => format!("{} (words to come)", named(part.packet)),
                words => {
                    let last = part.first + words - 1;
                    format!("{} words {} to {last}", named(part.packet), part.first)
                }
            })
            .collect();
        let held = match held.is_empty() {
            true => "empty".to_owned(),
            false => held.join(", "),
        };
        let (place, room) = (nodes.place(buffer.place), capacity(buffer.capacity));
        let _ = writeln!(text, "{place:<30}  {held}  (capacity {room}{state})");
    }
    for credit in &view.credits {
        let port = nodes.port(credit.port);
        let name = format!("room behind {port}, channel {}", credit.channel);
        let _ = writeln!(text, "{name:<30}  {}", credit.room);
    }
    for register in &view.registers {
        let at = register.at.map(|place| format!("{}: ", nodes.place(place)));
        let name = at.unwrap_or_default() + register.name;
        let _ = writeln!(text, "{name:<30}  {}", value(nodes, register.value));
    }
}

fn write_explained(nodes: &Nodes, text: &mut String, next: &Explained) {
    let _ = writeln!(text, "\nthe step of its cycle {}", next.cycle);
    for decision in &next.explanation.decisions {
        write_decision(nodes, text, decision);
    }
    for doing in &next.explanation.packets {
        let what = match doing.what {
            What::Moves { to, deroute: false } => {
                format!("moves to {}", nodes.place(to))
            }
            What::Moves { to, deroute: true } => {
                format!("is derouted to {}", nodes.place(to))
            }
            What::Sends { to } => format!("sends a word to {}", nodes.place(to)),
            What::Stays { cause, culprit } => {
                let culprit = culprit.map(|packet| format!(", by {}", named(packet)));
                format!("stays: {}{}", cause.name(), culprit.unwrap_or_default())
            }
        };
        let (packet, place) = (named(doing.packet), nodes.place(doing.place));
        let _ = writeln!(text, "{packet:<10}  in {place:<26}  {what}");
    }
}

fn write_decision(nodes: &Nodes, text: &mut String, decision: &Decision) {
    let subject = subject(nodes, decision.subject);
    let _ = writeln!(
        text,
        "{subject}: {} ({})",
        decision.rule.summary, decision.rule.source
    );
    for (place, candidate) in decision.candidates.iter().enumerate() {
        let wins = if decision.winner == Some(place) {
            "▶"
        } else {
            " "
        };
        let from = nodes.place(candidate.from);
        let deroute = if candidate.deroute { ", a deroute" } else { "" };
        let _ = writeln!(
            text,
            "  {wins} {} in {from}, rank {}{deroute}",
            named(candidate.packet),
            candidate.rank
        );
    }
    if let Some(draw) = decision.draw {
        let _ = writeln!(text, "    drawn: {} of {}", draw.drawn, draw.below);
    }
}
