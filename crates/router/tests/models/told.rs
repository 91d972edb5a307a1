//! What nodes show and explain in cases small enough to be worked out by hand, as lines.
//!
//! On a mesh of 3 x 3 nodes the node in the centre is number 4; its ports 0 to 3 lead north to node 1, east to 5, south
//! to 7 and west to 3, and 4 is the local one. A packet is named by its serial number.

mod chaos;
mod others;

use crate::bench::{Bench, Benched};
use flitwork_node::{Decision, Explanation, Place, Subject, View, What};
use flitwork_types::{Cycle, NodeId, Packet, PacketId, PacketRef, Port, TerminalId, Word};

const NORTH: Port = Port(0);
const EAST: Port = Port(1);
const SOUTH: Port = Port(2);
const WEST: Port = Port(3);
const LOCAL: Port = Port(4);
const CENTRE: NodeId = NodeId(4);

/// Short names of places.
fn at(place: Place) -> String {
    match place {
        Place::Input(port) => format!("in{}", port.0),
        Place::Output(port) => format!("out{}", port.0),
        Place::Queue => "queue".into(),
        Place::SideBuffer => "side".into(),
        Place::Assembly => "assembly".into(),
        other => panic!("{other:?} in a node without channels"),
    }
}

/// What each packet does.
fn doings(told: &Explanation) -> Vec<String> {
    let lines = told.packets.iter().map(|doing| {
        let (packet, place) = (doing.packet.serial, at(doing.place));
        match doing.what {
            What::Moves { to, deroute } => {
                let deroute = if deroute { ", derouted" } else { "" };
                format!("{packet}: {place} -> {}{deroute}", at(to))
            }
            What::Sends { to } => format!("{packet}: {place} sends to {}", at(to)),
            What::Stays { cause, culprit } => {
                let culprit = culprit.map(|culprit| format!(" ({})", culprit.serial));
                let culprit = culprit.unwrap_or_default();
                format!("{packet}: {place}, {}{culprit}", cause.name())
            }
        }
    });
    lines.collect()
}

/// What is decided: the candidates with their ranks, and the winner.
fn decided(decision: &Decision) -> String {
    let subject = match decision.subject {
        Subject::Place(place) => at(place),
        Subject::Ejection => "ejection".into(),
        Subject::Injection => "injection".into(),
        Subject::Switch(_) => panic!("a node without a switch"),
    };
    let candidates = decision.candidates.iter().enumerate();
    let candidates = candidates.map(|(place, one)| {
        let wins = if decision.winner == Some(place) {
            "!"
        } else {
            ""
        };
        let deroute = if one.deroute { "~" } else { "" };
        format!(
            "{}{deroute}@{}#{}{wins}",
            one.packet.serial,
            at(one.from),
            one.rank
        )
    });
    let candidates: Vec<String> = candidates.collect();
    let draw = decision.draw.map(|draw| format!(", 1 of {}", draw.below));
    let draw = draw.unwrap_or_default();
    format!(
        "{subject} by {}: {}{draw}",
        decision.rule.name,
        candidates.join(" ")
    )
}

fn decisions(told: &Explanation) -> Vec<String> {
    told.decisions.iter().map(decided).collect()
}

/// The parts in the buffers that hold any: the first word, and how many there are.
fn held(view: &View) -> Vec<String> {
    let buffers = view.buffers.iter().flat_map(|buffer| {
        let parts = buffer.held.iter();
        parts.map(|part| {
            let (packet, first, words) = (part.packet.serial, part.first, part.words);
            format!("{}: {packet} from {first}, {words} words", at(buffer.place))
        })
    });
    buffers.collect()
}

/// Registers, each with its place.
fn registers(view: &View) -> Vec<String> {
    let registers = view.registers.iter().map(|register| {
        let place = register.at.map(|place| format!(" of {}", at(place)));
        let (name, place) = (register.name, place.unwrap_or_default());
        format!("{name}{place}: {:?}", register.value)
    });
    registers.collect()
}

/// A packet with a number.
fn packet<R: Benched>(
    bench: &mut Bench<R>,
    serial: u32,
    destination: u32,
    words: u16,
) -> PacketRef {
    bench.packets.insert(Packet {
        id: PacketId {
            source: TerminalId(0),
            serial,
        },
        destination: TerminalId(destination),
        words,
        ..Packet::default()
    })
}

/// Packets whose words arrive one per cycle.
struct Streams {
    words: u16,
    streams: Vec<(Port, PacketRef, u32)>,
}

impl Streams {
    /// Packets of this many words: at which port each arrives, and its head's cycle.
    fn new(words: u16, streams: &[(Port, PacketRef, u32)]) -> Streams {
        let streams = streams.to_vec();
        Streams { words, streams }
    }

    /// What arrives in a cycle.
    fn at(&self, now: u32) -> Vec<(Port, Word)> {
        let streams = self.streams.iter().filter_map(|(port, packet, head)| {
            let index = now.checked_sub(*head)?;
            let index = u16::try_from(index)
                .ok()
                .filter(|index| *index < self.words)?;
            Some((*port, Word::of(*packet, index, self.words)))
        });
        streams.collect()
    }
}

/// Steps a node up to the cycle before `until`.
fn run<R: Benched>(bench: &mut Bench<R>, streams: &Streams, cycles: std::ops::Range<u32>) {
    for now in cycles {
        bench.step_as_explained(Cycle(now), &streams.at(now), &[]);
    }
}

/// What the next step will do.
fn explain<R: Benched>(bench: &Bench<R>, streams: &Streams, now: u32) -> Explanation {
    bench.explain(Cycle(now), &streams.at(now), &[])
}
