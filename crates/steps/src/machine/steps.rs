//! The phases of a step.

use super::{Machine, Move, PacketId};
use crate::choice::Choice;
use crate::meddler::{PacketState, Scheduled};
use crate::rule::Sight;
use crate::rule::{Here, Offer, Rule, Seen};
use flitwork_topology::Topology;
use flitwork_types::{NodeId, Port, PortSet};

impl<T: Topology, R: Rule> Machine<'_, T, R> {
    #[inline]
    pub(super) fn seen(&self, packet: PacketId) -> Seen<'_, R::Sight, R::Packet> {
        let PacketState {
            source, arrived, ..
        } = self.packets[packet.index()];
        let carried = &self.carried[packet.index()];
        Seen {
            source,
            productive: carried.productive,
            arrived,
            through: carried.through,
            queue: carried.queue,
            state: &carried.state,
            to_go: carried.to_go,
            leg: match R::READS_LEGS {
                true => self.leg(packet),
                false => None,
            },
        }
    }

    #[inline]
    fn here<'b>(
        &'b self,
        node: NodeId,
        packets: &'b [Seen<'b, R::Sight, R::Packet>],
        notes: &'b [(Port, R::Note)],
    ) -> Here<'b, R> {
        Here {
            node,
            links: self.links[node.index()],
            grid: self.grid,
            step: self.step,
            began: self.began,
            store: self.store,
            state: &self.nodes[node.index()],
            packets,
            notes,
        }
    }

    /// The links that bring a packet closer, and what else the rule's sight tells.
    #[inline]
    pub(super) fn sight_of(&self, packet: PacketId) -> (PortSet, <R::Sight as Sight>::Of) {
        (self.productive(packet), self.to_go(packet))
    }

    #[inline]
    fn productive(&self, packet: PacketId) -> PortSet {
        let PacketState {
            at, destination, ..
        } = self.packets[packet.index()];
        match (&self.legs, self.grid) {
            (Some(legs), _) => legs.productive(packet),
            (None, Some(grid)) => grid.productive(at, destination),
            (None, None) => self.topology.productive(at, destination),
        }
    }

    #[inline]
    fn to_go(&self, packet: PacketId) -> <R::Sight as Sight>::Of {
        let PacketState {
            at, destination, ..
        } = self.packets[packet.index()];
        match (&self.legs, self.grid) {
            (Some(legs), _) => R::Sight::on_leg(self.topology, at, &legs.on[packet.index()]),
            (None, Some(grid)) => R::Sight::of(grid, at, destination),
            (None, None) => R::Sight::of(self.topology, at, destination),
        }
    }

    /// Looks again at where a packet goes.
    #[inline]
    pub(super) fn look(&mut self, packet: PacketId) {
        self.carried[packet.index()].productive = self.productive(packet);
        self.carried[packet.index()].to_go = self.to_go(packet);
    }

    /// The node of a packet whose destination was exchanged is asked again.
    pub(super) fn wake(&mut self, packet: PacketId) {
        let at = self.packets[packet.index()].at;
        self.resting.retain(|it| *it != at);
        if self.has_lanes() {
            self.line_up_again(at);
        }
        self.keep_busy(at);
    }

    /// A node is asked in the next step, if it may have something to send.
    #[inline]
    pub(super) fn keep_busy(&mut self, node: NodeId) {
        if !self.is_busy[node.index()] && self.is_asked(node) {
            self.is_busy[node.index()] = true;
            self.busy.push(node);
        }
    }

    /// Whether a worm holds the link at a place.
    #[inline]
    pub(super) fn is_held(&self, place: usize) -> bool {
        self.free_from
            .get(place)
            .is_some_and(|from| *from > self.step)
    }

    /// Every node that holds packets chooses what it sends.
    pub(super) fn choose(&mut self) {
        let mut scheduled = std::mem::take(&mut self.scheduled);
        let mut notes = std::mem::take(&mut self.notes);
        let mut resting = std::mem::take(&mut self.resting);
        scheduled.clear();
        notes.clear();
        resting.clear();
        let (mut seen, mut choice) = (Vec::new(), Choice::default());
        for node in self.busy.iter().copied() {
            let held = &self.held[node.index()];
            seen.clear();
            seen.extend(held.iter().map(|packet| self.seen(*packet)));
            choice.clear();
            let here = self.here(node, &seen, &[]);
            self.rule.choose(&here, &mut choice);
            if choice.sent.is_empty() && !R::HAS_NOTES && self.rule.rests(&here) {
                resting.push(node);
            }
            for (number, (port, place)) in choice.sent.iter().enumerate() {
                let before = &choice.sent[..number];
                let is_free = before.iter().all(|it| it.0 != *port && it.1 != *place);
                let far = self.far(node, *port);
                let Some((to, through)) = far.filter(|_| is_free && *place < held.len()) else {
                    self.is_no_choice(node, &choice);
                };
                if self.is_held(self.place(node, *port)) {
                    continue;
                }
                scheduled.push(Scheduled {
                    packet: held[*place],
                    from: node,
                    port: *port,
                    to,
                    through,
                });
            }
            if !choice.notes.is_empty() {
                self.post(node, &choice, &mut notes);
            }
        }
        notes.sort_unstable_by_key(|(to, through, _)| (*to, *through));
        self.scheduled = scheduled;
        self.notes = notes;
        self.resting = resting;
    }

    /// Puts a node's notes on their links.
    fn post(
        &self,
        node: NodeId,
        choice: &Choice<R::Note>,
        notes: &mut Vec<(NodeId, Port, R::Note)>,
    ) {
        for (number, (port, note)) in choice.notes.iter().enumerate() {
            let is_sent = choice.sent.iter().any(|(taken, _)| taken == port);
            let is_noted = choice.notes[..number]
                .iter()
                .any(|(taken, _)| taken == port);
            let far = self.far(node, *port);
            match far.filter(|_| R::HAS_NOTES && !is_sent && !is_noted) {
                Some((to, through)) => notes.push((to, through, *note)),
                None => self.is_no_choice(node, choice),
            }
        }
    }

    /// A rule that sends what it hasn't, or where it can't, is a bug.
    #[cold]
    fn is_no_choice(&self, node: NodeId, choice: &Choice<R::Note>) -> ! {
        let held = &self.held[node.index()];
        panic!(
            "{:?} can't send from node {node}, which holds {held:?}, in step {}: {choice:?}",
            self.rule, self.step
        );
    }

    /// Every node that is offered packets says which come.
    pub(super) fn accept(&mut self) {
        let mut crossing = std::mem::take(&mut self.crossing);
        crossing.clear();
        let (mut seen, mut offers, mut accepted) = (Vec::new(), Vec::new(), Vec::new());
        for offered in self.scheduled.chunk_by(|one, other| one.to == other.to) {
            let node = offered[0].to;
            seen.clear();
            seen.extend(self.held[node.index()].iter().map(|it| self.seen(*it)));
            offers.clear();
            offers.extend(offered.iter().map(|it| {
                let (room, queues) = self.room(it);
                Offer {
                    through: it.through,
                    room,
                    queues,
                    packet: self.seen(it.packet),
                }
            }));
            accepted.clear();
            let here = self.here(node, &seen, &[]);
            self.rule.accept(&here, &offers, &mut accepted);
            accepted.sort_unstable();
            accepted.dedup();
            crossing.extend(accepted.iter().map(|place| offered[*place]));
        }
        self.crossing = crossing;
    }

    /// Packets cross links, and states follow.
    pub(super) fn carry_out(&mut self) {
        for node in &self.resting {
            self.is_busy[node.index()] = false;
        }
        if !self.resting.is_empty() {
            self.busy.retain(|node| self.is_busy[node.index()]);
        }
        let crossing = std::mem::take(&mut self.crossing);
        for crossed in &crossing {
            self.take_from(crossed.from, crossed.packet);
        }
        self.moved += crossing.len() as u64;
        self.moves.clear();
        for crossed in &crossing {
            self.moves.push(Move {
                packet: crossed.packet,
                from: crossed.from,
                port: crossed.port,
            });
            if self.flits > 1 {
                let place = self.place(crossed.from, crossed.port);
                self.free_from[place] = self.step + self.flits;
            }
            self.put_in(crossed);
            self.keep_busy(crossed.to);
        }
        self.crossing = crossing;
        if self.rule.has_state() {
            let busy = std::mem::take(&mut self.busy);
            self.after(&busy);
            self.busy = busy;
        }
        let mut busy = std::mem::take(&mut self.busy);
        busy.retain(|node| {
            let is_asked = self.is_asked(*node);
            self.is_busy[node.index()] = is_asked;
            is_asked
        });
        self.busy = busy;
    }

    /// A packet leaves a node that holds it.
    #[inline]
    pub(super) fn take_from(&mut self, node: NodeId, packet: PacketId) {
        if self.has_lanes() {
            return self.leave_lanes(node);
        }
        let held = &mut self.held[node.index()];
        let place = held.iter().position(|it| *it == packet);
        held.remove(place.expect("a node sends what it holds"));
    }

    /// A packet has crossed a link: it is where it goes, or in a queue.
    fn put_in(&mut self, crossed: &Scheduled) {
        let Scheduled {
            packet,
            to,
            through,
            ..
        } = *crossed;
        let whereabouts = &mut self.packets[packet.index()];
        (whereabouts.at, whereabouts.arrived) = (to, self.step);
        match &mut self.legs {
            Some(legs) => {
                legs.cross(packet);
            }
            None if whereabouts.is_delivered() => {
                self.delivered += 1;
                return;
            }
            None => {}
        }
        self.look(packet);
        let queue = self.queue(crossed, self.carried[packet.index()].productive);
        let carried = &mut self.carried[packet.index()];
        (carried.through, carried.queue) = (Some(through), queue);
        self.held[to.index()].push(packet);
        self.note_queue(to);
        self.check_room(to, queue);
    }

    /// A packet has come: it counts, unless it may leave at once since it has come to the goal of its last leg.
    #[inline]
    pub(super) fn note_queue(&mut self, node: NodeId) {
        if self.legs.is_none() {
            self.queue_max = self.queue_max.max(self.held(node));
        }
    }

    /// The states after the step, of all nodes at once: each sees those before it.
    fn after(&mut self, busy: &[NodeId]) {
        let mut nodes: Vec<R::Node> = Vec::with_capacity(busy.len());
        let mut states: Vec<R::Packet> = Vec::with_capacity(busy.len());
        let (mut seen, mut notes) = (Vec::new(), Vec::new());
        for node in busy.iter().copied() {
            let held = &self.held[node.index()];
            let begin = states.len();
            seen.clear();
            seen.extend(held.iter().map(|packet| self.seen(*packet)));
            states.extend(seen.iter().map(|packet| packet.state.clone()));
            if R::HAS_NOTES {
                let posted = self.notes.partition_point(|it| it.0 < node);
                notes.clear();
                let to_node = self.notes[posted..].iter().take_while(|it| it.0 == node);
                notes.extend(to_node.map(|(_, through, note)| (*through, *note)));
            }
            let mut state = self.nodes[node.index()].clone();
            let here = self.here(node, &seen, &notes);
            self.rule.after(&here, &mut state, &mut states[begin..]);
            nodes.push(state);
        }
        let mut states = states.into_iter();
        for (node, state) in busy.iter().zip(nodes) {
            self.nodes[node.index()] = state;
            for packet in &self.held[node.index()] {
                let state = states.next().expect("one for each packet");
                self.carried[packet.index()].state = state;
            }
        }
    }
}
