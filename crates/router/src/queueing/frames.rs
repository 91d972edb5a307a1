//! What stands in a node's frames, and the room at the far ends of its links.

use super::{HOME, Node, QUEUE, Queueing};
use flitwork_node::{At, Inputs, Place, Router, Until, WaitsFor};
use flitwork_topology::Topology;
use flitwork_types::{Cycle, NodeId, PacketRef, Packets, Port, PortSet, Word};

/// A frame that holds a packet.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    pub(super) packet: PacketRef,
    /// The port by which it came.
    pub(super) input: Port,
    /// The channel on which it came: whose frame it takes.
    pub(super) channel: u8,
    /// The packet's words, those that have come, and those that have left.
    pub(super) words: u16,
    pub(super) came: u16,
    pub(super) gone: u16,
    /// The cycle in which the latest of its words came.
    pub(super) arrived: Cycle,
    /// The link that it takes, once it is whole and unless it is home.
    pub(super) wants: Port,
    /// Whether it will be home at the far end of that link.
    pub(super) is_last_hop: bool,
    /// Whether it is whole and home.
    pub(super) at_destination: bool,
    /// Whether its link is its own.
    pub(super) is_sending: bool,
}

/// The room at the far end of a link, in packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Room {
    pub(super) queue: u32,
    pub(super) home: u32,
}

impl Room {
    /// Whether a packet may be sent on a channel. What is home goes where the queue has room, too.
    pub(super) fn takes(self, channel: u8) -> bool {
        self.queue > 0 && (channel == QUEUE || self.home > 0)
    }

    /// A packet is sent on a channel.
    pub(super) fn take(&mut self, channel: u8) {
        match channel {
            HOME => self.home -= 1,
            _ => self.queue -= 1,
        }
    }

    fn put_back(&mut self, channel: u8, places: u8) {
        match channel {
            HOME => self.home += u32::from(places),
            _ => self.queue += u32::from(places),
        }
    }
}

impl Frame {
    fn new(word: Word, input: Port, words: u16, now: Cycle) -> Frame {
        Frame {
            packet: word.packet,
            input,
            channel: word.channel,
            words,
            came: 0,
            gone: 0,
            arrived: now,
            wants: input,
            is_last_hop: false,
            at_destination: false,
            is_sending: false,
        }
    }

    /// Where it is.
    pub(super) fn place(&self) -> Place {
        Place::InputChannel(self.input, self.channel)
    }

    /// The channel on which it goes on.
    pub(super) fn channel_ahead(&self) -> u8 {
        match self.is_last_hop {
            true => HOME,
            false => QUEUE,
        }
    }

    /// Whether all its words have come.
    pub(super) fn is_whole(&self) -> bool {
        self.came == self.words
    }

    /// Whether it waits for a link.
    pub(super) fn is_waiting(&self) -> bool {
        self.is_whole() && !self.is_sending && !self.at_destination
    }

    /// Whether it waits for this link.
    pub(super) fn waits_for(&self, port: Port) -> bool {
        self.is_waiting() && self.wants == port
    }

    /// Whether all its words have left.
    pub(super) fn is_gone(&self) -> bool {
        self.gone == self.words
    }
}

/// All words in a node's frames.
pub(super) fn held_words(state: &Node) -> u32 {
    let frames = state.frames.iter();
    frames.map(|frame| u32::from(frame.came - frame.gone)).sum()
}

impl<T: Topology> Queueing<T> {
    /// Credits and words that come in.
    pub(super) fn receive(
        &self,
        state: &mut Node,
        (node, now): (NodeId, Cycle),
        inputs: &Inputs<'_>,
        packets: &Packets,
    ) {
        for port in inputs.credits.iter() {
            for (channel, places) in self.returned(inputs.credit_channels[port.index()]) {
                state.rooms[port.index()].put_back(channel, places);
            }
        }
        for (port, word) in inputs.arrivals() {
            if word.flit.is_head() {
                let words = packets[word.packet].words;
                state.frames.push(Frame::new(word, port, words, now));
            }
            // A link carries a packet's words one after another.
            let mut frames = state.frames.iter_mut();
            let frame = frames.rfind(|frame| frame.input == port && !frame.is_whole());
            let frame = frame.expect("a head comes before its words");
            (frame.came, frame.arrived) = (frame.came + 1, now);
            if word.flit.is_tail() {
                self.route(frame, node, packets);
                if self.topology.is_local(port) {
                    state.owed_sources.insert(port);
                }
            }
        }
    }

    /// Routes a packet that is whole. One that no link leads to its destination leaves the network where it is.
    pub(super) fn route(&self, frame: &mut Frame, node: NodeId, packets: &Packets) {
        let destination = self.destination(frame.packet, packets);
        frame.at_destination = destination == node || !self.topology.is_joined(node, destination);
        if !frame.at_destination {
            frame.wants = self.first_dimension(node, frame.packet, packets);
            let far = self.topology.far(node, frame.wants);
            frame.is_last_hop = far.is_some_and(|(far, _)| far == destination);
        }
    }

    /// What a packet waits for, and what has to happen before it goes on. A packet whose words leave, or that is home,
    /// needs nothing; neither does one at its last link for its frame at home, which the processor empties.
    pub(super) fn waits_for(&self, state: &Node, frame: &Frame) -> (WaitsFor, Until) {
        let port = frame.wants;
        if !frame.is_waiting() {
            let comes = !frame.is_whole() && !self.topology.is_local(frame.input);
            let until = if comes {
                Until::Comes(frame.input)
            } else {
                Until::Time
            };
            return (WaitsFor::Nothing, until);
        }
        if state.sending().contains(port) {
            return (WaitsFor::Outputs(PortSet::only(port)), Until::Time);
        }
        let room = state.rooms[port.index()];
        match (room.takes(QUEUE), room.takes(frame.channel_ahead())) {
            (false, _) => {
                let far = At::Far(port, Some(QUEUE));
                let until = Until::Room(far, u32::from(self.parameters.frames) - 1);
                (WaitsFor::Room(port, QUEUE), until)
            }
            (true, false) => (WaitsFor::Room(port, HOME), Until::Time),
            (true, true) => (WaitsFor::Nothing, Until::Time),
        }
    }
}
