//! A step of a wormhole router, and what the book says about it: who may bid for what.

use super::model::{Model, Run};
use flitwork_node::{Place, Value, View};
use flitwork_router::routing::{Choices, Head, Rank, Routing};
use flitwork_router::wormhole::{Speculation, Switching, WormholeParameters};
use flitwork_topology::{Shape, Topology};
use flitwork_types::{NodeId, Packet, PacketId, Port, PortSet};
use std::collections::{BTreeSet, HashMap};

/// A step and its surroundings.
pub(super) struct Case<'a> {
    pub(super) node: NodeId,
    pub(super) shape: &'a Shape,
    pub(super) parameters: &'a WormholeParameters,
    pub(super) routing: &'a dyn Routing,
    pub(super) packets: &'a HashMap<PacketId, Packet>,
    pub(super) sendable: PortSet,
    /// The node before the step.
    pub(super) view: &'a View,
    /// What is there once words and credits have arrived, before and after the source's packet has moved on.
    pub(super) at_source: &'a Model,
    pub(super) standing: &'a Model,
    /// What the step did: decisions that were reported, and words that left their lanes.
    pub(super) moved: &'a [(PacketId, Place, Place, bool)],
    pub(super) crossed: &'a [(PacketId, Place, Place)],
}

/// A port and a virtual channel.
pub(super) type Lane = (Port, u8);

/// The lane that a place is.
pub(super) fn lane(place: Place) -> Lane {
    match place {
        Place::InputChannel(port, channel) | Place::OutputChannel(port, channel) => (port, channel),
        other => panic!("{other} is no lane"),
    }
}

/// Whether a place is a buffer of a worm.
pub(super) fn is_lane(place: Place) -> bool {
    matches!(place, Place::InputChannel(..))
}

impl Case<'_> {
    pub(super) fn local(&self) -> Port {
        self.shape.local()
    }

    /// What stands first in an input lane.
    pub(super) fn front(&self, at: Place) -> Option<&Run> {
        self.standing.at(at).next()
    }

    /// Input lanes with a worm, and the worm.
    pub(super) fn fronts(&self) -> impl Iterator<Item = (Place, &Run)> {
        let lanes = self.view.buffers.iter().map(|buffer| buffer.place);
        let lanes = lanes.filter(|place| is_lane(*place));
        lanes.filter_map(|place| Some((place, self.front(place)?)))
    }

    pub(super) fn register(&self, name: &str, at: Place) -> Option<Value> {
        let mut registers = self.view.registers.iter();
        let found = registers.find(|it| it.name == name && it.at == Some(at));
        found.map(|it| it.value)
    }

    /// Whether the worm at the front passes a stage: as was shown, or because it has just come.
    pub(super) fn waits(&self, at: Place) -> bool {
        match self.view.buffer(at).unwrap().held.is_empty() {
            true => self.parameters.route_cycles > 0,
            false => self.register("wait", at).is_some(),
        }
    }

    /// The output lane that the worm at the front held before the step.
    pub(super) fn held(&self, at: Place) -> Option<Lane> {
        let mut registers = self.view.registers.iter();
        let holds = registers.find(|it| it.name == "holder" && it.value == Value::Place(at));
        holds.map(|it| lane(it.at.unwrap()))
    }

    /// Whether no worm holds an output lane, nor waits for it to drain.
    pub(super) fn is_free(&self, output: Lane) -> bool {
        let at = Place::OutputChannel(output.0, output.1);
        let room = self.standing.room(output);
        let is_empty = room.is_none_or(|room| room == self.parameters.buffer_words);
        self.register("free", at).is_some() || self.register("draining", at).is_some() && is_empty
    }

    pub(super) fn has_room(&self, output: Lane) -> bool {
        self.standing.room(output).is_none_or(|room| room > 0)
    }

    /// The output lanes that the head at the front may take, by rank.
    pub(super) fn wanted(&self, at: Place, run: &Run) -> [Vec<Lane>; 2] {
        let packet = self.packets[&run.packet];
        if self.shape.home(packet.destination) == self.node {
            let channels = (0..self.parameters.vcs).map(|channel| (self.local(), channel));
            return [channels.collect(), Vec::new()];
        }
        let from = lane(at);
        let mut choices = Choices::default();
        let head = Head {
            here: self.node,
            packet: packet.id,
            destination: self.shape.home(packet.destination),
            terminal: packet.destination,
            deroutes: packet.deroutes,
            from: (from.0 != self.local()).then_some(from),
        };
        self.routing.choices(&head, &mut choices);
        let lanes = |rank: &Rank| -> Vec<Lane> {
            let channels = 0..self.parameters.vcs;
            let all = rank.iter().flat_map(|choice| {
                let its = channels.clone().filter(|it| choice.channels >> it & 1 == 1);
                its.map(|channel| (choice.port, channel))
            });
            all.collect()
        };
        [lanes(&choices.preferred), lanes(&choices.fallback)]
    }

    /// The output lanes that the head at the front bids for.
    pub(super) fn bids(&self, at: Place, run: &Run) -> Vec<Lane> {
        let switching = self.parameters.switching;
        let stores = switching == Switching::StoreAndForward && !run.is_whole();
        if self.held(at).is_some() || run.first > 0 || self.waits(at) || stores {
            return Vec::new();
        }
        let may_take = |output: &Lane| {
            let is_sure = switching == Switching::Wormhole || output.0 == self.local();
            let room = self.standing.room(*output);
            self.is_free(*output) && (is_sure || room.unwrap() >= run.length)
        };
        let [preferred, fallback] = self.wanted(at, run);
        let preferred: Vec<Lane> = preferred.into_iter().filter(may_take).collect();
        match preferred.is_empty() {
            true => fallback.into_iter().filter(may_take).collect(),
            false => preferred,
        }
    }

    /// The port that a word bids for whose worm holds an output lane, and whether that lane was given in this step.
    pub(super) fn sure_bid(&self, at: Place, run: &Run) -> Option<Port> {
        let given = self.moved.iter().find(|(_, from, ..)| *from == at);
        let is_new = given.is_some();
        let goal = self.held(at).or_else(|| given.map(|it| lane(it.2)))?;
        let waits = match is_new {
            true => self.parameters.vc_allocation_cycles > 0 || self.parameters.speculative,
            false => self.waits(at),
        };
        let takes = goal.0 == self.local() || self.sendable.contains(goal.0);
        let goes = !waits && takes && run.words > 0 && self.has_room(goal);
        goes.then_some(goal.0)
    }

    /// The ports that a head bids for speculatively which bids for output lanes.
    pub(super) fn hopes(&self, at: Place, run: &Run) -> BTreeSet<u8> {
        let wanted = self.wanted(at, run).concat();
        let ports = |lanes: &[Lane]| lanes.iter().map(|it| it.0.0).collect();
        let given = self.moved.iter().find(|(_, from, ..)| *from == at);
        match (self.parameters.speculation, given) {
            (Speculation::After, Some(given)) => ports(&[lane(given.2)]),
            (Speculation::After, None) => ports(&wanted),
            _ => {
                let is_open = |it: &Lane| self.is_free(*it) && self.has_room(*it);
                ports(&wanted.into_iter().filter(is_open).collect::<Vec<_>>())
            }
        }
    }
}
