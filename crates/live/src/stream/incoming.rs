//! What comes to a node, from its record: whole packets instead of single words.

use crate::gate::Difference;
use flitwork_trace::record::{Corrupt, Decoder};
use flitwork_types::{Cycle, NodeId, Port, PortSet};
use std::collections::VecDeque;

/// Something that comes in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Arrival {
    /// A packet's head at a link's port, and by how many cycles the words behind it are late: see
    /// [`flitwork_types::Gaps`].
    Head(Port, Vec<(u16, u32)>),
    /// A credit at a link's port.
    Credit(Port),
    /// The node's source injects a packet.
    Injection,
}

/// What is known of a node's next arrival.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// It comes in this cycle and is known in full.
    Known(Cycle),
    /// None comes before this cycle; more of the record has to be read.
    NotBefore(Cycle),
    /// There is none.
    Never,
}

/// A packet whose words are coming in.
#[derive(Clone, Debug)]
struct Open {
    /// Which of all arrivals its head is.
    place: u64,
    head: Cycle,
    words: u16,
    late: Vec<(u16, u32)>,
}

/// Reads a node's part of a record ahead, as far as packets need it to be known in full.
pub(super) struct Incoming {
    pub(super) decoder: Decoder,
    packet_words: u16,
    /// Cycle, arrival and whether it is known in full, in order.
    queue: VecDeque<(Cycle, Arrival, bool)>,
    /// Arrivals taken out of the queue so far.
    taken: u64,
    open: Box<[Option<Open>]>,
    /// The first cycle that hasn't been decoded.
    at: Cycle,
    /// The first cycle that the node isn't to run, once that is known.
    pub(super) end: Option<Cycle>,
}

impl Incoming {
    pub(super) fn new(node: NodeId, packet_words: u16, links: usize) -> Incoming {
        Incoming {
            decoder: Decoder::new(node, packet_words, links),
            packet_words,
            queue: VecDeque::new(),
            taken: 0,
            open: vec![None; links].into(),
            at: Cycle::ZERO,
            end: None,
        }
    }

    /// The node's next arrival.
    pub(super) fn next(&mut self) -> Result<Next, Box<Corrupt>> {
        loop {
            if let Some((cycle, _, true)) = self.queue.front() {
                return Ok(Next::Known(*cycle));
            }
            if !self.decode()? {
                break;
            }
        }
        let waits = self.queue.front().map(|(cycle, _, _)| *cycle);
        Ok(match (waits, self.end) {
            // A packet of which some words never came, because the record ends before.
            (Some(cycle), Some(end)) if cycle < end => {
                self.cut_short();
                Next::Known(cycle)
            }
            (_, Some(_)) => Next::Never,
            (waits, None) => Next::NotBefore(waits.unwrap_or(self.decoder.upto())),
        })
    }

    pub(super) fn first(&self) -> Option<&Arrival> {
        self.queue.front().map(|(_, arrival, _)| arrival)
    }

    pub(super) fn take(&mut self) -> Option<Arrival> {
        self.taken += 1;
        self.queue.pop_front().map(|(_, arrival, _)| arrival)
    }

    /// The node's run ends within the first packet: what is missing of it doesn't matter any more.
    fn cut_short(&mut self) {
        let place = self.taken;
        for open in &mut self.open {
            if let Some(found) = open.take_if(|open| open.place == place) {
                self.complete(found, Some(u32::MAX >> 2));
                return;
            }
        }
    }

    /// Decodes the next cycles in which anything comes in; `false` where nothing more has been read.
    fn decode(&mut self) -> Result<bool, Box<Corrupt>> {
        let end = self.end.unwrap_or(Cycle::NEVER).min(self.decoder.upto());
        let next = self.decoder.next().max(self.at);
        if next >= end {
            return Ok(false);
        }
        let (steady, coming) = self.decoder.steady(next);
        let steady = steady.min(end.since(next));
        if steady > 0 && !coming.is_empty() {
            self.decoder.take_steady(next, steady);
            for port in coming.iter() {
                if let Some(open) = &mut self.open[port.index()] {
                    open.words += steady as u16;
                }
            }
            self.at = next + steady;
            return Ok(true);
        }
        let arrivals = self.decoder.take(next).map_err(Box::new)?;
        self.at = next + 1;
        for port in arrivals.credits.iter() {
            self.queue.push_back((next, Arrival::Credit(port), true));
        }
        if arrivals.injected {
            self.queue.push_back((next, Arrival::Injection, true));
        }
        self.words(next, arrivals.words);
        Ok(true)
    }

    fn words(&mut self, now: Cycle, ports: PortSet) {
        for port in ports.iter() {
            let open = self.open[port.index()].get_or_insert_with(|| {
                let place = self.taken + self.queue.len() as u64;
                let head = Arrival::Head(port, Vec::new());
                self.queue.push_back((now, head, false));
                Open {
                    place,
                    head: now,
                    words: 0,
                    late: Vec::new(),
                }
            });
            let late = now.since(open.head) - u32::from(open.words);
            if late > open.late.last().map_or(0, |(_, late)| *late) {
                open.late.push((open.words, late));
            }
            open.words += 1;
            if open.words == self.packet_words
                && let Some(open) = self.open[port.index()].take()
            {
                self.complete(open, None);
            }
        }
    }

    fn complete(&mut self, open: Open, missing: Option<u32>) {
        let place = (open.place - self.taken) as usize;
        if let Some((_, Arrival::Head(_, late), whole)) = self.queue.get_mut(place) {
            *late = open.late;
            late.extend(missing.map(|missing| (open.words, missing)));
            *whole = true;
        }
    }
}

/// What the record says that comes in, where it can't.
pub(super) fn impossible(node: NodeId, cycle: Cycle, arrival: &Arrival) -> Difference {
    let what = match arrival {
        Arrival::Head(port, _) => format!(
            "the record says that a packet comes in at port {}; none was sent there",
            port.0
        ),
        Arrival::Credit(port) => format!(
            "the record says that a credit comes in at port {}; none was sent there",
            port.0
        ),
        Arrival::Injection => "its source injects a packet that it doesn't have".into(),
    };
    Difference { node, cycle, what }
}

/// The record says that a packet comes into an input frame that isn't free.
pub(super) fn crowded(node: NodeId, cycle: Cycle, port: Port) -> Difference {
    let what = format!(
        "the record says that a packet comes in at port {}, whose input frame isn't free",
        port.0
    );
    Difference { node, cycle, what }
}
