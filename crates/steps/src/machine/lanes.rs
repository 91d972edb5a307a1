//! Packets that wait for a link in the order of their ranks: a rule that keeps ranks is asked once for each packet that comes,
//! not once a step for each that is there.

use super::{Machine, PacketId};
use crate::meddler::{PacketState, Scheduled};
use crate::rule::{Link, Rule, Seen};
use crate::store::Store;
use flitwork_topology::Topology;
use flitwork_types::{NodeId, Port};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// What waits for links. Beside it, no node has a list of what it holds.
#[derive(Debug, Default)]
pub(super) struct Lanes {
    /// Whether they are kept at all.
    are_kept: bool,
    /// By link.
    waiting: Vec<BinaryHeap<Reverse<Waiting>>>,
    /// By node: how many packets wait in it.
    waiting_in: Vec<u32>,
    /// By node: how many packets it holds.
    held_in: Vec<u32>,
    /// By packet: the port by which it came.
    through: Vec<Option<Port>>,
    /// By the link's far end: who comes, by its place among those that are scheduled. All are none between steps.
    coming: Vec<u32>,
}

const NONE: u32 = u32::MAX;

/// A packet that waits, ordered as a rule orders those that want a link: by stage and rank, and of equals as they came.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Waiting {
    stage: u32,
    rank: u64,
    arrived: u32,
    /// Of those that came in one step the port, of those that began there the number.
    tie: u32,
    packet: PacketId,
}

impl<T: Topology, R: Rule> Machine<'_, T, R> {
    /// Whether what waits is kept in lanes.
    #[inline]
    pub(super) fn has_lanes(&self) -> bool {
        R::KEEPS_RANKS && self.lanes.are_kept
    }

    /// All packets take their places, or none if the rule doesn't keep ranks.
    pub(super) fn begin_lanes(&mut self) {
        if !R::KEEPS_RANKS || self.store != Store::Unbounded || self.rule.has_state() {
            return;
        }
        let places = self.places();
        let held = std::mem::take(&mut self.held);
        self.lanes = Lanes {
            are_kept: true,
            waiting: vec![BinaryHeap::new(); places],
            waiting_in: vec![0; held.len()],
            held_in: held.iter().map(|it| it.len() as u32).collect(),
            through: self.carried.iter().map(|it| it.through).collect(),
            coming: vec![NONE; places],
        };
        for packet in held.into_iter().flatten() {
            self.wait_in_lane(packet);
        }
    }

    /// Lists what each node holds, by number, and forgets the lanes.
    pub(super) fn end_lanes(&mut self) {
        if !self.has_lanes() {
            return;
        }
        let lanes = std::mem::take(&mut self.lanes);
        self.held = vec![Vec::new(); lanes.held_in.len()];
        for (number, packet) in self.packets.iter().enumerate() {
            self.carried[number].through = lanes.through[number];
            let packet_id = PacketId(number as u32);
            let is_out = match &self.legs {
                Some(legs) => legs.is_out(packet_id),
                None => packet.is_delivered(),
            };
            if !is_out {
                self.held[packet.at.index()].push(packet_id);
            }
        }
    }

    /// How many packets wait in a node.
    #[inline]
    pub(super) fn waiting_in(&self, node: NodeId) -> u32 {
        self.lanes.waiting_in[node.index()]
    }

    /// How many packets a node holds.
    #[inline]
    pub(super) fn held_in_lanes(&self, node: NodeId) -> u32 {
        self.lanes.held_in[node.index()]
    }

    /// A packet leaves its node.
    #[inline]
    pub(super) fn leave_lanes(&mut self, node: NodeId) {
        self.lanes.held_in[node.index()] -= 1;
    }

    /// A packet comes into a node.
    #[inline]
    pub(super) fn come_to_lanes(&mut self, crossed: &Scheduled, is_at_goal: bool) {
        self.lanes.through[crossed.packet.index()] = Some(crossed.through);
        self.lanes.held_in[crossed.to.index()] += 1;
        if !is_at_goal {
            self.wait_in_lane(crossed.packet);
        }
    }

    /// A packet takes its place among those that want its link; one that stands has none.
    #[inline]
    pub(super) fn wait_in_lane(&mut self, packet: PacketId) {
        let PacketState {
            at,
            source,
            arrived,
            ..
        } = self.packets[packet.index()];
        let (productive, to_go) = self.sight_of(packet);
        let grid = self.grid;
        let Some(port) = self.rule.waits_for(at, source, productive, grid) else {
            return;
        };
        let through = self.lanes.through[packet.index()];
        let seen = Seen {
            source,
            productive,
            arrived,
            through,
            queue: None,
            state: &self.carried[packet.index()].state,
            to_go,
            leg: self.leg(packet),
        };
        let waiting = Waiting {
            stage: seen.stage(),
            rank: self
                .rule
                .rank(&Link::of(at, port, self.step + 1, grid), &seen),
            arrived,
            tie: match through {
                Some(through) => through.0.into(),
                None => packet.0,
            },
            packet,
        };
        let place = self.place(at, port);
        self.lanes.waiting[place].push(Reverse(waiting));
        self.lanes.waiting_in[at.index()] += 1;
    }

    /// Of each link the first of those that want it.
    pub(super) fn choose_first(&mut self) {
        let mut scheduled = std::mem::take(&mut self.scheduled);
        scheduled.clear();
        for node in self.busy.iter().copied() {
            for port in self.links[node.index()].iter() {
                let place = self.place(node, port);
                if self.lanes.waiting[place].is_empty() || self.is_held(place) {
                    continue;
                }
                let Some(Reverse(first)) = self.lanes.waiting[place].pop() else {
                    continue;
                };
                self.lanes.waiting_in[node.index()] -= 1;
                let (to, through) = self.far(node, port).expect("a port with a link");
                scheduled.push(Scheduled {
                    packet: first.packet,
                    from: node,
                    port,
                    to,
                    through,
                });
            }
        }
        self.scheduled = scheduled;
    }

    /// Destinations were exchanged: the packets of a node that stay take their places anew.
    pub(super) fn line_up_again(&mut self, node: NodeId) {
        self.lanes.waiting_in[node.index()] = 0;
        let mut stay = Vec::new();
        for port in self.links[node.index()].iter() {
            let place = self.place(node, port);
            stay.extend(self.lanes.waiting[place].drain());
        }
        for Reverse(waiting) in stay {
            self.wait_in_lane(waiting.packet);
        }
    }

    /// What is scheduled crosses, in the order of the nodes to which it comes and of their ports.
    pub(super) fn cross_all(&mut self) {
        self.crossing.clear();
        // A sort takes longer than a look at every link, if many are taken.
        if self.scheduled.len() * 16 < self.lanes.coming.len() {
            self.sort_scheduled();
            self.crossing.extend_from_slice(&self.scheduled);
        } else {
            for (number, it) in self.scheduled.iter().enumerate() {
                let place = self.ports * it.to.index() + it.through.index();
                self.lanes.coming[place] = number as u32;
            }
            for slot in &mut self.lanes.coming {
                let number = std::mem::replace(slot, NONE);
                if number != NONE {
                    self.crossing.push(self.scheduled[number as usize]);
                }
            }
        }
    }
}
