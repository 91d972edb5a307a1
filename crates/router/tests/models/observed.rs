//! What a node does, in words: one line for each word and credit that leaves and for each event.

use crate::bench::{Bench, Benched, Did};
use flitwork_node::{Event, Place};
use flitwork_types::{Cycle, Packet};

/// What a node did in a step, as sorted lines.
pub(crate) fn observed<R: Benched>(did: &Did, bench: &Bench<R>) -> Vec<String> {
    let mut lines = Vec::new();
    for (port, channel) in &did.credits {
        lines.push(format!("credit at {port:?} for {channel}"));
    }
    for (port, word) in &did.words {
        let worm = bench.id(word.packet).serial;
        let (index, channel) = (word.index, word.channel);
        let ends = (word.flit.is_head(), word.flit.is_tail());
        let record = after(&bench.packets[word.packet]);
        lines.push(format!(
            "word {index} of {worm} at {port:?} {channel} {ends:?}, {record}"
        ));
    }
    lines.extend(events(&did.events));
    lines.extend(did.buffered.map(buffers));
    lines.extend(did.moved.iter().map(|port| enters(Place::Output(port))));
    lines.extend(did.queued.then(|| enters(Place::Queue)));
    lines.sort();
    lines
}

/// Events as lines.
pub(crate) fn events(events: &[(Cycle, Event)]) -> Vec<String> {
    let mut lines = Vec::new();
    for (at, event) in events {
        lines.push(match event {
            Event::Moved {
                packet,
                from,
                to,
                deroute,
            } => {
                let worm = packet.serial;
                format!("{at}: {worm} moves from {from} to {to}, deroute {deroute}")
            }
            Event::Head { packet, port } => format!("{at}: head of {} at {port:?}", packet.serial),
            Event::Tail {
                packet,
                port,
                words,
            } => format!("{at}: tail of {} at {port:?}, {words} words", packet.serial),
            Event::Delivered { packet } => {
                let (serial, record) = (packet.id.serial, after(packet));
                format!("{at}: {serial} is delivered after {record}")
            }
            Event::Lost { packet, port } => {
                format!("{at}: {} is lost at {port:?}", packet.id.serial)
            }
            Event::Injected { packet } => format!("{at}: {} is injected", packet.id.serial),
            Event::Freed { port } => format!("{at}: a frame at {port:?} is freed"),
        });
    }
    lines
}

fn after(packet: &Packet) -> String {
    format!("{} hops, {} deroutes", packet.hops, packet.deroutes)
}

/// That a word, or more than one, moves into a frame inside the node.
pub(crate) fn enters(place: Place) -> String {
    format!("a word enters {place}")
}

/// That a node's buffers now hold another number of words.
pub(crate) fn buffers(words: u32) -> String {
    format!("buffers hold {words} words")
}
