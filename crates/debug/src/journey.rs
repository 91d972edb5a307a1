//! A packet's way through a network: when it came to each node, and when it left.
//!
//! What is followed is one of its words: the head, which shows the way to the others; or, where words go their own ways,
//! the one that completes the packet.

use crate::gather::{Happening, Wanted, What};
use crate::timeline::{Stopped, Timeline};
use flitwork_node::{Event, Place};
use flitwork_types::{NodeId, Packet, PacketId, Port, TerminalId};
use std::collections::VecDeque;

/// A packet's way, as far as it has come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Journey {
    /// The packet, as it is known last.
    pub packet: Packet,
    /// Its injection.
    pub injected: Happening,
    /// The nodes that it came to, its source first.
    pub stays: Vec<Stay>,
    /// Its delivery, if it has come to that.
    pub delivered: Option<Happening>,
    /// Its loss, if it has come to that.
    pub lost: Option<Happening>,
    /// All that happened to it, in order.
    pub happened: Vec<Happening>,
    /// The word that is followed.
    pub word: u16,
}

/// A stay in a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stay {
    /// The node.
    pub node: NodeId,
    /// When the word arrived there.
    pub arrived: Happening,
    /// When it left, and where: over a link, or for the processor.
    pub left: Option<(Happening, Port)>,
    /// Whether it left through a port that leads away from its destination.
    pub deroute: bool,
}

impl Journey {
    /// The way of a packet to which this has happened, in order, since its injection; `None` without that. `home` is the node
    /// of a terminal.
    pub fn of(
        happened: Vec<Happening>,
        home: impl FnOnce(TerminalId) -> NodeId,
    ) -> Option<Journey> {
        let injected = happened.iter().find_map(|it| match it.what {
            What::Event(Event::Injected { packet }) => Some((*it, packet)),
            _ => None,
        });
        let (injected, injected_as) = injected?;
        let delivered = happened.iter().find(|it| it.delivered().is_some());
        let lost = happened.iter().find(|it| it.lost().is_some());
        let arrived = delivered.and_then(Happening::delivered);
        let gone = arrived.or_else(|| Some(lost?.lost()?.0));
        let packet = gone.copied().unwrap_or(injected_as);
        let word = match travel_alone(&happened, &packet) {
            true => completing_word(&happened, home(packet.destination)),
            false => 0,
        };
        Some(Journey {
            packet,
            injected,
            stays: stays(&happened, word),
            delivered: delivered.copied(),
            lost: lost.copied(),
            happened,
            word,
        })
    }

    /// Whether something that happened to it concerns the packet, or the word that is followed, and no other word.
    pub fn is_of_its_word(&self, it: &Happening) -> bool {
        match it.what {
            What::Arrived(word) | What::Word(word) => word.index == self.word,
            What::Event(_) => true,
        }
    }

    /// The stay to which a packet wants to go from a node where it is at a time.
    pub(crate) fn next_stop(&self, node: NodeId, time: u64) -> Option<&Stay> {
        let is_there = |stay: &Stay| {
            let left = stay.left.is_none_or(|(left, _)| time <= left.time);
            stay.node == node && stay.arrived.time <= time && left
        };
        let place = self.stays.iter().position(is_there)?;
        self.stays.get(place + 1)
    }

    /// The port by which it leaves the node, of those stays that have begun by a time the last: a packet may come to a node
    /// more than once, and what happens on the link counts for the node before it.
    pub fn way_out(&self, node: NodeId, time: u64) -> Option<Port> {
        let in_node = || self.stays.iter().filter(|stay| stay.node == node);
        let begun = in_node()
            .take_while(|stay| stay.arrived.time <= time)
            .last();
        // Before it comes, it waits at its source.
        let stay = begun.or_else(|| in_node().next())?;
        stay.left.map(|(_, port)| port)
    }
}

/// Why a packet's way can't be told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoJourney {
    /// The packet never enters the network.
    #[error("packet {}.{} never enters the network", .0.source, .0.serial)]
    Unknown(PacketId),
    /// It was to stop before it knew.
    #[error("{0}")]
    Stopped(#[from] Stopped),
}

/// Follows a packet from a time at or before its injection. Stops at its delivery, at `end`, or where nothing more happens.
///
/// # Errors
/// If it isn't injected between these times.
pub fn follow(
    timeline: &mut Timeline,
    packet: PacketId,
    from: u64,
    end: u64,
) -> Result<Journey, NoJourney> {
    follow_while(timeline, packet, (from, end), &mut || true)
}

/// The same, as long as it is to go on: `go_on` is asked now and then.
///
/// # Errors
/// If it isn't injected between these times, or it was to stop.
pub fn follow_while(
    timeline: &mut Timeline,
    packet: PacketId,
    (from, end): (u64, u64),
    go_on: &mut dyn FnMut() -> bool,
) -> Result<Journey, NoJourney> {
    let wanted = Wanted {
        events: true,
        words: true,
        arrivals: true,
        only: Some(packet),
        explain: None,
    };
    let mut branch = timeline.copy_while(from, wanted, go_on)?;
    let mut all = Vec::new();
    // What happens until the packet is delivered.
    let cycles = (64, 1 << 13, timeline.cycle_time());
    branch.stretches(end, cycles, go_on, |_, happened| {
        all.extend(happened);
        all.last().and_then(Happening::delivered).copied()
    })?;
    all.extend(branch.rest());
    let home = |terminal| timeline.present().home(terminal);
    Journey::of(all, home).ok_or(NoJourney::Unknown(packet))
}

/// The word that completes a packet whose words travel alone: the one that is taken out of the network when it is delivered.
/// One that has been in the side buffer is known by the port at which it came. If the packet isn't delivered, the one that
/// has come last to its destination.
fn completing_word(happened: &[Happening], destination: NodeId) -> u16 {
    let last_at = |port: Option<Port>, before: usize| {
        let arrivals = happened[..before]
            .iter()
            .rev()
            .filter(|it| it.node == destination);
        let mut indices = arrivals.filter_map(|it| match it.what {
            What::Arrived(word) if port.is_none_or(|port| port == word.port) => Some(word.index),
            _ => None,
        });
        indices.next()
    };
    let mut waiting = VecDeque::new();
    let mut taken = None;
    for (place, it) in happened
        .iter()
        .enumerate()
        .filter(|(_, it)| it.node == destination)
    {
        match it.what {
            What::Event(Event::Moved { from, to, .. }) => {
                let word = match from {
                    Place::Input(port) => last_at(Some(port), place),
                    Place::SideBuffer => waiting.pop_front(),
                    _ => None,
                };
                match to {
                    // First in, first out.
                    Place::SideBuffer => waiting.extend(word),
                    _ => taken = word,
                }
            }
            What::Event(Event::Delivered { .. } | Event::Lost { .. }) => break,
            _ => {}
        }
    }
    let is_delivered = happened.iter().any(|it| it.delivered().is_some());
    let taken = taken.filter(|_| is_delivered);
    taken.or_else(|| last_at(None, happened.len())).unwrap_or(0)
}

/// Whether each word makes its own decisions: then each is a worm by itself.
fn travel_alone(happened: &[Happening], packet: &Packet) -> bool {
    happened.iter().any(|it| match it.what {
        What::Event(Event::Tail { words, .. }) => words < packet.words,
        _ => false,
    })
}

fn stays(happened: &[Happening], word: u16) -> Vec<Stay> {
    let mut stays: Vec<Stay> = Vec::new();
    for it in happened {
        match it.what {
            What::Arrived(came) if came.index == word => stays.push(Stay {
                node: it.node,
                arrived: *it,
                left: None,
                deroute: false,
            }),
            What::Word(left) if left.index == word => {
                if let Some(stay) = stays.last_mut().filter(|stay| stay.node == it.node) {
                    stay.left = Some((*it, left.port));
                }
            }
            What::Event(Event::Moved { deroute: true, .. }) => {
                if let Some(stay) = stays.last_mut().filter(|stay| stay.node == it.node) {
                    stay.deroute = true;
                }
            }
            _ => {}
        }
    }
    stays
}

#[cfg(test)]
mod tests;
