//! What a node holds, frame by frame.

use super::passage::Stage;
use super::{CountedNode, Passage};
use crate::chaos::{Chaos, Mask};
use flitwork_node::{Buffer, BufferState, Capacity, Credit, Part, Place, Register, Value, View};
use flitwork_topology::Topology;
use flitwork_types::{Cycle, PacketRef, Packets, Port, PortSet};

impl<T: Topology, M: Mask, const P: usize, const Q: usize> Chaos<T, CountedNode<M, P, Q>> {
    /// All that a node holds at the beginning of cycle `now`. Nothing is held of a packet that vanishes as it arrives.
    pub(in crate::chaos) fn view(
        &self,
        state: &CountedNode<M, P, Q>,
        packets: &Packets,
        now: Cycle,
    ) -> View {
        let frame = |place, state_if_empty| {
            let held = self.held_in(place, state, packets);
            Buffer {
                place,
                capacity: Capacity::Packets(1),
                state: match held.is_empty() {
                    true => state_if_empty,
                    false => BufferState::Usual,
                },
                held,
            }
        };
        let ports = || PortSet(self.all).iter();
        let inputs = ports().map(|port| frame(Place::Input(port), self.empty_input(state, port)));
        let outputs =
            ports().map(|port| frame(Place::Output(port), self.empty_output(state, port, now)));
        let queue = Buffer {
            place: Place::Queue,
            capacity: Capacity::Packets(self.parameters.multiqueue_frames as u32),
            held: self.held_in(Place::Queue, state, packets),
            state: BufferState::Usual,
        };
        let links = PortSet(self.links & !state.missing.get()).iter();
        let credits = links.map(|port| Credit {
            port,
            channel: 0,
            room: u32::from(!state.lacks_credit(port)),
        });
        View {
            credits: credits.collect(),
            buffers: inputs.chain([queue]).chain(outputs).collect(),
            registers: self.registers(state, now),
        }
    }

    /// What holds for an input frame if it is empty.
    fn empty_input(&self, state: &CountedNode<M, P, Q>, port: Port) -> BufferState {
        let flow = &state.flow;
        let owes = flow.credits.iter().any(|(owed, _)| *owed == port);
        let vanish = flow.passages.iter().filter(|passage| passage.vanishes);
        let vanishes = vanish
            .map(|passage| passage.first().place)
            .any(|at| at == Place::Input(port));
        if self.is_missing(state, port) {
            BufferState::Missing
        } else if owes || vanishes {
            BufferState::Reopening
        } else {
            BufferState::Usual
        }
    }

    /// What holds for an output frame if it is empty.
    fn empty_output(&self, state: &CountedNode<M, P, Q>, port: Port, now: Cycle) -> BufferState {
        if self.is_missing(state, port) {
            BufferState::Missing
        } else if state.outputs[port.index()].open_from() > now {
            BufferState::Reopening
        } else {
            BufferState::Usual
        }
    }

    fn is_missing(&self, state: &CountedNode<M, P, Q>, port: Port) -> bool {
        state.missing.get() >> port.0 & 1 == 1
    }

    /// What stands in a frame or is to come into it. In the multiqueue those that leave come first, then the others
    /// from the oldest on.
    fn held_in(&self, place: Place, state: &CountedNode<M, P, Q>, packets: &Packets) -> Vec<Part> {
        let passages = state.flow.passages.iter();
        let held = passages.filter_map(|passage| {
            let part = self.part_in(place, passage, packets)?;
            let waits = passage.last().place == Place::Queue;
            let queued = Self::place_in_queue(state, passage.packet);
            Some((queued.filter(|_| waits), part))
        });
        let mut held: Vec<(Option<usize>, Part)> = held.collect();
        held.sort_by_key(|(queued, part)| (*queued, part.packet));
        held.into_iter().map(|(_, part)| part).collect()
    }

    /// The words of a packet that stand in a frame or are to come into it.
    fn part_in(&self, place: Place, passage: &Passage, packets: &Packets) -> Option<Part> {
        let stages = passage.stages();
        let at = stages.iter().position(|stage| stage.place == place)?;
        let gone = stages.get(at + 1).map_or(passage.sent, |next| next.words);
        let is_held = !passage.vanishes && gone < self.parameters.packet_words;
        is_held.then(|| Part {
            packet: packets[passage.packet].id,
            first: gone,
            words: stages[at].words - gone,
        })
    }

    /// The place of a packet that waits in the multiqueue, or is on its way into it: 0 for the oldest.
    pub(super) fn place_in_queue(state: &CountedNode<M, P, Q>, packet: PacketRef) -> Option<usize> {
        Self::queue(state).position(|(held, _)| held.packet == packet)
    }

    /// What the decision engine reads, and what the node waits for.
    fn registers(&self, state: &CountedNode<M, P, Q>, now: Cycle) -> Vec<Register> {
        let register = |name, at, value| Register { name, at, value };
        let pointer = self.order[usize::from(state.pointer)];
        let mut registers = vec![register("scan pointer", None, Value::Port(pointer))];
        let waiting = |at, ready: Cycle, wants| {
            let ready = match ready <= now {
                true => register("head ready for", Some(at), Value::Cycles(now.since(ready))),
                false => register("head ready", Some(at), Value::Flag(false)),
            };
            let wants = Value::Ports(PortSet(wants));
            [register("may leave by", Some(at), wants), ready]
        };
        for port in PortSet(state.occupied.get()).iter() {
            let (ready, wants) = (
                state.inputs[port.index()].ready,
                state.input_wants[port.index()],
            );
            registers.extend(waiting(Place::Input(port), ready, wants.get()));
        }
        for (held, wants) in Self::queue(state) {
            registers.extend(waiting(Place::Queue, held.ready, wants));
        }
        if self.frees_at_tail() {
            let free = state.queue[self.free_places(state)].iter();
            let taken = free.filter(|held| held.ready > now).count();
            let taken = Value::Number(taken as u64);
            registers.push(register(
                "frames that packets still leave",
                Some(Place::Queue),
                taken,
            ));
        }
        let after = |name, at, from: Cycle| {
            let waits = from > now && from != Cycle::NEVER;
            waits.then(|| register(name, Some(at), Value::Cycles(from.since(now))))
        };
        let stages = state.flow.passages.iter().flat_map(Passage::stages);
        registers.extend(stages.filter_map(|Stage { place, starts, .. }| {
            after("words move in after", *place, *starts)
        }));
        let empty = PortSet(self.all & !state.blocked.get()).iter();
        registers.extend(empty.filter_map(|port| {
            let open_from = state.outputs[port.index()].open_from();
            after("opens after", Place::Output(port), open_from)
        }));
        let credits = state.flow.credits.iter();
        registers.extend(credits.map(|(port, leaves)| {
            let left = Value::Cycles(leaves.since(now));
            register("credit leaves after", Some(Place::Input(*port)), left)
        }));
        registers
    }
}
