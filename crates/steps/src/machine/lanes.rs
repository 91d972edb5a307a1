//! Packets that wait for a link in the order of their ranks: a rule that keeps ranks is asked once for each packet that comes,
//! not once a step for each that is there.

use super::{Machine, Move, PacketId};
use crate::leg::Leg;
use crate::meddler::Scheduled;
use crate::rule::{Link, Rule, Seen, Sight};
use crate::store::Store;
use flitwork_topology::Topology;
use flitwork_types::{NodeId, Port, PortSet};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::hint::black_box;

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
}

/// For how many nodes lanes are read ahead.
const AHEAD: usize = 16;

/// A packet that waits, ordered as a rule orders those that want a link: by rank, and of equals, which came in one step, by the port,
/// or by number where they began.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Waiting {
    stage: u16,
    rank: u64,
    through: u8,
    packet: PacketId,
}

const _: () = assert!(size_of::<Waiting>() == 16);

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
        };
        for packet in held.into_iter().flatten() {
            let through = self.carried[packet.index()].through;
            self.wait_in_lane(packet, through, self.leg(packet).copied());
        }
    }

    /// Lists what each node holds, by number, and forgets the lanes.
    pub(super) fn end_lanes(&mut self) {
        if !self.has_lanes() {
            return;
        }
        let lanes = std::mem::take(&mut self.lanes);
        for Reverse(it) in lanes.waiting.iter().flatten() {
            let number = it.packet.index();
            self.carried[number].through = self.packets[number].came_by(it.through);
        }
        self.held = vec![Vec::new(); lanes.held_in.len()];
        for number in 0..self.packets.len() {
            let packet = PacketId(number as u32);
            let is_out = match &self.legs {
                Some(legs) => legs.is_out(packet),
                None => self.packets[number].is_delivered(),
            };
            if !is_out {
                self.held[self.packets[number].at.index()].push(packet);
                self.look(packet);
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

    /// A packet that stands begins its leg.
    pub(super) fn set_out_in_lane(&mut self, packet: PacketId, came: Option<Port>, leg: Leg) {
        let has_moved = self.packets[packet.index()].arrived > 0;
        self.wait_in_lane(packet, came.filter(|_| has_moved), Some(leg));
    }

    /// A packet takes its place among those that want its link; one that stands has none.
    #[inline]
    fn wait_in_lane(&mut self, packet: PacketId, through: Option<Port>, leg: Option<Leg>) {
        let (at, arrived) = {
            let whereabouts = &self.packets[packet.index()];
            (whereabouts.at, whereabouts.arrived)
        };
        self.wait_at(packet, (at, arrived), through, leg);
    }

    #[inline]
    fn wait_at(
        &mut self,
        packet: PacketId,
        (at, arrived): (NodeId, u32),
        through: Option<Port>,
        leg: Option<Leg>,
    ) {
        let whereabouts = &self.packets[packet.index()];
        let (productive, to_go) = match (&leg, self.grid) {
            (Some(leg), _) if leg.links == 0 => return,
            (Some(leg), _) => (
                PortSet::only(leg.port),
                R::Sight::on_leg(self.topology, at, leg),
            ),
            (None, Some(grid)) => (
                grid.productive(at, whereabouts.destination),
                R::Sight::of(grid, at, whereabouts.destination),
            ),
            (None, None) => (
                self.topology.productive(at, whereabouts.destination),
                R::Sight::of(self.topology, at, whereabouts.destination),
            ),
        };
        let seen = Seen {
            source: whereabouts.source,
            productive,
            arrived,
            through,
            queue: None,
            state: &self.carried[packet.index()].state,
            to_go,
            leg: leg.as_ref(),
        };
        let wanted = match &leg {
            Some(leg) => Some(leg.port),
            None => self.rule.waits_for(at, seen.source, productive, self.grid),
        };
        let Some(port) = wanted else {
            return;
        };
        let rank = self
            .rule
            .rank(&Link::of(at, port, self.step + 1, self.grid), &seen);
        let waiting = Waiting {
            stage: seen.stage(),
            rank,
            through: through.map_or(0, |through| through.0),
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
        for (number, node) in self.busy.iter().copied().enumerate() {
            if number.is_multiple_of(AHEAD) {
                self.look_ahead(number + AHEAD);
            }
            for port in self.links[node.index()].iter() {
                let place = self.place(node, port);
                if self.lanes.waiting[place].is_empty() || self.is_held(place) {
                    continue;
                }
                let Some(Reverse(first)) = self.lanes.waiting[place].pop() else {
                    continue;
                };
                self.lanes.waiting_in[node.index()] -= 1;
                self.lanes.held_in[node.index()] -= 1;
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

    /// Reads lanes of the nodes from this place of the busy ones on, so that they come into the host's cache all at once and not one
    /// after the other. With half a million packets that takes a third off the whole.
    #[inline]
    fn look_ahead(&self, from: usize) {
        let mut read = 0;
        for node in self.busy.iter().skip(from).take(AHEAD) {
            for port in self.links[node.index()].iter() {
                let lane = self.lanes.waiting[self.place(*node, port)].as_slice();
                read ^= lane.last().map_or(0, |it| it.0.rank);
                // A line of the cache holds four.
                for it in lane.iter().step_by(2).take(8) {
                    read ^= it.0.rank;
                }
            }
        }
        black_box(read);
    }

    /// The same of packets that are about to arrive, and of the lanes in which they go straight on.
    #[inline]
    fn look_ahead_at(&self, arriving: &[u32]) {
        let mut read = 0;
        for it in arriving
            .iter()
            .map(|place| &self.scheduled[*place as usize])
        {
            let lane = self.lanes.waiting[self.place(it.to, it.port)].as_slice();
            let ends = [lane.last(), lane.get(lane.len() / 2)];
            read ^= ends.iter().flatten().fold(0, |read, it| read ^ it.0.rank);
            read ^= u64::from(self.packets[it.packet.index()].arrived);
            read ^= self.leg(it.packet).map_or(0, |leg| leg.links.into());
        }
        black_box(read);
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
            let number = waiting.packet.index();
            let through = self.packets[number].came_by(waiting.through);
            let leg = self.leg(waiting.packet).copied();
            self.wait_in_lane(waiting.packet, through, leg);
        }
    }

    /// What is scheduled crosses, in the order of the nodes to which it comes and of their ports.
    pub(super) fn cross_all(&mut self) {
        self.crossing.clear();
        self.moves.clear();
        self.moved += self.scheduled.len() as u64;
        let order = self.arrivals.order(&self.scheduled, self.ports);
        let mut ahead = order.chunks(4 * AHEAD).skip(1);
        for arriving in order.chunks(4 * AHEAD) {
            self.look_ahead_at(ahead.next().unwrap_or(&[]));
            arriving.iter().for_each(|place| self.cross(*place));
        }
        self.arrivals.take_back(order);
        let mut busy = std::mem::take(&mut self.busy);
        busy.retain(|node| {
            let is_busy = self.lanes.waiting_in[node.index()] > 0;
            self.is_busy[node.index()] = is_busy;
            is_busy
        });
        self.busy = busy;
    }

    /// One that is scheduled crosses its link.
    #[inline]
    fn cross(&mut self, place: u32) {
        let crossed = self.scheduled[place as usize];
        let Scheduled {
            packet,
            from,
            port,
            to,
            through,
        } = crossed;
        self.crossing.push(crossed);
        self.moves.push(Move { packet, from, port });
        if self.flits > 1 {
            let place = self.place(from, port);
            self.free_from[place] = self.step + self.flits;
        }
        let whereabouts = &mut self.packets[packet.index()];
        (whereabouts.at, whereabouts.arrived) = (to, self.step);
        let leg = match &mut self.legs {
            None if whereabouts.is_delivered() => {
                self.delivered += 1;
                return;
            }
            None => None,
            Some(legs) => {
                if legs.cross(packet) {
                    self.lanes.held_in[to.index()] += 1;
                    return;
                }
                Some(legs.on[packet.index()])
            }
        };
        self.lanes.held_in[to.index()] += 1;
        self.note_queue(to);
        self.wait_at(packet, (to, self.step), Some(through), leg);
        self.keep_busy(to);
    }
}
