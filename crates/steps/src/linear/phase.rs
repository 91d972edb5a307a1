//! The rule of a phase's parts: who is active, and who moves.

use super::STRIPS;
use super::frame::{Axis, Frame, Kind, back, coordinate, dimension};
use crate::{Beginning, Choice, Distances, Here, NoNotes, Offers, Rule, Seen};
use flitwork_types::{NodeId, PortSet};

/// A part of a phase (Chinn 1995, section 3.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Packets for strip i go to strip i - 3, and as far as they can in it.
    March,
    /// Packets for strip i go on to strip i - 2, in decreasing order of what they have to go across, and lie there in layers:
    /// if i is even.
    SmoothEven,
    /// If i is odd.
    SmoothOdd,
    /// A node that holds more than two sends across the one that has the farthest to go.
    Balance,
    /// The dimension order that ends the program.
    End,
}

impl Action {
    /// Those of a phase, in their order.
    pub const ALL: [Action; 4] = [
        Action::March,
        Action::SmoothEven,
        Action::SmoothOdd,
        Action::Balance,
    ];
}

/// The rule of a part of a phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Phase {
    /// The mesh' side, n.
    pub side: u32,
    /// Which packets move.
    pub kind: Kind,
    /// Along which lines.
    pub axis: Axis,
    /// A tile's side, s.
    pub tile: u32,
    /// By how much the tiling is shifted, in both dimensions.
    pub shift: u32,
    /// How many active packets for one strip a node takes in a March, q.
    pub most: u32,
    /// What they do.
    pub action: Action,
}

/// What a packet carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PhasePacket {
    kind: Option<Kind>,
    /// The strip of its destination, from 1, if it is active.
    strip: Option<u32>,
    /// Whether it lies in its layer.
    is_held: bool,
}

/// What a node remembers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NodeState {
    /// How many active packets it had after the last step.
    active: Option<usize>,
    /// Whether the next node has refused a packet that wanted to go as far as it can.
    is_last: bool,
    /// How many packets of a layer it has received.
    received: u32,
}

type SeenPacket<'a> = Seen<'a, Distances, PhasePacket>;

impl Phase {
    /// The lines of a strip, d.
    pub fn strip_lines(&self) -> u32 {
        self.tile / STRIPS
    }

    fn frame(&self) -> Frame {
        Frame::new(self.kind, self.axis)
    }

    /// The strip of a node in its tile, and the place of its line in the strip, both from 1.
    fn strip(&self, node: NodeId) -> (u32, u32) {
        let at = coordinate(self.side, node, self.frame().along);
        let in_tile = (at + self.tile - self.shift) % self.tile;
        let d = self.strip_lines();
        (in_tile / d + 1, in_tile % d + 1)
    }

    /// The strip of a packet's destination, if the packet is active: in one tile with it, and three strips or more from it.
    fn active(&self, packet: &Beginning<'_, Distances>) -> Option<u32> {
        let Frame { along, across } = self.frame();
        let from_to = |port| {
            let from = coordinate(self.side, packet.node, port) + self.tile - self.shift;
            (from, from + packet.to_go.along(dimension(port)))
        };
        let is_in_tile = |(from, to)| from / self.tile == to / self.tile;
        let (from, to) = from_to(along);
        let strip = |at: u32| at % self.tile / self.strip_lines() + 1;
        let is_far = is_in_tile((from, to)) && strip(to) >= strip(from) + 3;
        (is_far && is_in_tile(from_to(across))).then(|| strip(to))
    }

    /// The packet that a node sends in a March: of those that go on, the one that came last step, else one for a strip further
    /// on, else one that goes as far as it can in this strip.
    fn march(&self, here: &Here<'_, Phase>, before: u32) -> Option<(u32, usize)> {
        let (strip, place) = self.strip(here.node);
        let came_by = Some(back(self.frame().along));
        let rank = |(at, packet): (usize, &SeenPacket<'_>)| {
            let goes_on = packet.state.strip? > strip + 3;
            let goes_far = !here.state.is_last && place < self.strip_lines();
            if packet.arrived > before || !(goes_on || goes_far) {
                return None;
            }
            let has_come = packet.arrived > here.began
                && packet.arrived == before
                && packet.through == came_by;
            let rank = match (has_come, goes_on) {
                (true, _) => 0,
                (false, true) => 1,
                (false, false) => 2,
            };
            Some((rank, at))
        };
        here.packets.iter().enumerate().filter_map(rank).min()
    }

    /// The active packets of a node.
    fn active_of<'a>(here: &Here<'a, Phase>) -> impl Iterator<Item = &'a SeenPacket<'a>> {
        here.packets.iter().filter(|it| it.state.strip.is_some())
    }

    /// Whether packets for a strip move in this part.
    fn is_turn(&self, strip: u32) -> bool {
        match self.action {
            Action::SmoothEven => strip.is_multiple_of(2),
            Action::SmoothOdd => !strip.is_multiple_of(2),
            _ => false,
        }
    }

    /// The packet that a node sends in Sort and Smooth.
    fn smooth(&self, here: &Here<'_, Phase>) -> Option<usize> {
        let (strip, place) = self.strip(here.node);
        let mut held = here.packets.iter().enumerate();
        if self.is_turn(strip + 3) {
            if here.step - here.began < place {
                return None;
            }
            let across = dimension(self.frame().across);
            let of_strip = held.filter(|(_, it)| it.state.strip == Some(strip + 3));
            let first = of_strip.max_by_key(|(at, it)| (it.to_go.along(across), usize::MAX - at));
            return first.map(|(at, _)| at);
        }
        let passes = |it: &SeenPacket<'_>| {
            it.state.strip == Some(strip + 2) && it.arrived > here.began && !it.state.is_held
        };
        let passing = held.find(|(_, it)| self.is_turn(strip + 2) && passes(it));
        passing.map(|(at, _)| at)
    }

    /// The packet that a node sends across, by the 2-rule. One that has arrived stays; of a permutation none has to (Lemma 3.2).
    fn balance(&self, here: &Here<'_, Phase>) -> Option<usize> {
        let across = dimension(self.frame().across);
        let active = here.packets.iter().enumerate();
        let active = active.filter(|(_, it)| it.state.strip.is_some());
        let to_go = active.map(|(at, it)| (it.to_go.along(across), usize::MAX - at));
        let (count, farthest) = to_go.fold((0, None), |(count, most), it| {
            (count + 1, most.max(Some(it)))
        });
        let (links, at) = farthest.filter(|_| count > 2)?;
        (links > 0).then_some(usize::MAX - at)
    }

    /// East, then north, first come, first out.
    fn end(&self, here: &Here<'_, Phase>, choice: &mut Choice) {
        let (east, north) = (self.kind.east(), self.kind.north());
        for port in [east, north] {
            let goes = |it: &SeenPacket<'_>| {
                let first = if it.productive.contains(east) {
                    east
                } else {
                    north
                };
                it.state.kind == Some(self.kind) && first == port
            };
            // The oldest are first.
            if let Some(at) = here.packets.iter().position(goes) {
                choice.send(port, at);
            }
        }
    }
}

impl Rule for Phase {
    type Sight = Distances;
    type Node = NodeState;
    type Packet = PhasePacket;
    type Note = NoNotes;

    fn begin(&self, _: NodeId, _: &[PortSet]) -> NodeState {
        NodeState::default()
    }

    fn begin_packet(&self, node: &NodeState, packet: &Beginning<'_, Distances>) -> PhasePacket {
        let before = PhasePacket {
            kind: Kind::of(packet.productive),
            strip: None,
            is_held: false,
        };
        self.resume_packet(node, packet, &before)
    }

    /// A packet keeps its kind, and whether it is active in a phase.
    fn resume_packet(
        &self,
        _: &NodeState,
        packet: &Beginning<'_, Distances>,
        before: &PhasePacket,
    ) -> PhasePacket {
        let is_of_kind = before.kind == Some(self.kind);
        let strip = match self.action {
            Action::March if is_of_kind => self.active(packet),
            Action::March | Action::End => None,
            Action::SmoothEven | Action::SmoothOdd | Action::Balance => before.strip,
        };
        PhasePacket {
            kind: before.kind,
            strip,
            is_held: false,
        }
    }

    fn choose(&self, here: &Here<'_, Self>, choice: &mut Choice) {
        let Frame { along, across } = self.frame();
        let sent = match self.action {
            Action::March => self.march(here, here.step - 1).map(|(_, at)| (along, at)),
            Action::SmoothEven | Action::SmoothOdd => self.smooth(here).map(|at| (along, at)),
            Action::Balance => self.balance(here).map(|at| (across, at)),
            Action::End => return self.end(here, choice),
        };
        if let Some((port, at)) = sent {
            choice.send(port, at);
        }
    }

    /// Nodes don't know when a part ends. In Sort and Smooth some wait for their step, and in a March some for being refused.
    fn rests(&self, here: &Here<'_, Self>) -> bool {
        let (strip, place) = self.strip(here.node);
        match self.action {
            Action::March => here.state.active == Some(Phase::active_of(here).count()),
            Action::SmoothEven | Action::SmoothOdd => {
                !self.is_turn(strip + 3) || here.step - here.began >= place
            }
            Action::Balance | Action::End => true,
        }
    }

    fn accept(&self, here: &Here<'_, Self>, offers: &Offers<'_, Self>, accepted: &mut Vec<usize>) {
        let own = self.strip(here.node).0 + 3;
        let is_own = |strip: Option<u32>| self.action == Action::March && strip == Some(own);
        let held = here.packets.iter().filter(|it| is_own(it.state.strip));
        let is_full = held.count() >= self.most as usize;
        let fits = |at: &usize| !is_full || !is_own(offers[*at].packet.state.strip);
        accepted.extend((0..offers.len()).filter(fits));
    }

    fn has_state(&self) -> bool {
        true
    }

    fn after(&self, here: &Here<'_, Self>, node: &mut NodeState, packets: &mut [PhasePacket]) {
        let has_come = |it: &SeenPacket<'_>| it.arrived == here.step;
        match self.action {
            Action::March => {
                let left = Phase::active_of(here).filter(|it| !has_come(it)).count();
                // What was chosen is still there: it is refused, as only those are that go as far as they can.
                let is_refused =
                    node.active == Some(left) && self.march(here, here.step - 1).is_some();
                node.is_last |= is_refused;
                node.active = Some(Phase::active_of(here).count());
            }
            Action::SmoothEven | Action::SmoothOdd => {
                let (strip, place) = self.strip(here.node);
                let from_end = self.strip_lines() + 1 - place;
                let is_layer = |it: &SeenPacket<'_>| {
                    has_come(it) && it.state.strip == Some(strip + 2) && self.is_turn(strip + 2)
                };
                let came = here.packets.iter().zip(packets);
                for (_, packet) in came.filter(|(it, _)| is_layer(it)) {
                    node.received += 1;
                    packet.is_held = node.received.is_multiple_of(from_end);
                }
            }
            Action::Balance | Action::End => {}
        }
    }
}
