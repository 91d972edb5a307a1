//! What a node holds, frame by frame.

use super::passage::Stage;
use super::{Passage, WordNode};
use crate::chaos::{Chaos, Mask};
use flitwork_node::{Capacity, Part, Place, Value, View, ViewBuilder};
use flitwork_topology::Topology;
use flitwork_types::{Cycle, Due, NodeId, PacketRef, Packets, PortSet};

impl<T: Topology, M: Mask, const P: usize, const Q: usize> Chaos<T, WordNode<M, P, Q>> {
    /// All that a node holds at the beginning of cycle `now`. Nothing is held of a packet that vanishes as it arrives.
    pub(in crate::chaos) fn view(
        &self,
        node: NodeId,
        state: &WordNode<M, P, Q>,
        (packets, now): (&Packets, Cycle),
    ) -> View {
        let held = |place| self.held_in(place, state, packets);
        let links = PortSet(self.links & !state.missing.get());
        let locals = self.topology.terminal_ports(node);
        let mut view = ViewBuilder::of_ports(PortSet(links.0 | locals.0));
        for port in PortSet(self.all).iter() {
            let place = Place::Input(port);
            view.frame(place, held(place), Self::reopens(state, place));
        }
        let frames = Capacity::Packets(self.parameters.multiqueue_frames as u32);
        view.buffer(Place::Queue, frames, held(Place::Queue));
        for port in PortSet(self.all).iter() {
            let opens_later = state.outputs[port.index()].open_from() > now;
            let place = Place::Output(port);
            view.frame(place, held(place), opens_later);
        }
        for port in links.iter() {
            view.credit(port, 0, !state.lacks_credit(port));
        }
        self.show_registers(state, now, &mut view);
        view.build()
    }

    /// Whether an input frame takes no packet yet if it is empty.
    fn reopens(state: &WordNode<M, P, Q>, place: Place) -> bool {
        let flow = &state.flow;
        let mut owed = flow.credits.iter();
        let owes = owed.any(|(owed, _)| Place::Input(*owed) == place);
        let mut vanish = flow.passages.iter().filter(|passage| passage.vanishes);
        owes || vanish.any(|passage| passage.first().place == place)
    }

    /// What stands in a frame or is to come into it. In the multiqueue those that leave come first, then the others
    /// from the oldest on.
    fn held_in(&self, place: Place, state: &WordNode<M, P, Q>, packets: &Packets) -> Vec<Part> {
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
        is_held.then(|| Part::new(packets[passage.packet].id, gone..stages[at].words))
    }

    /// The place of a packet that waits in the multiqueue, or is on its way into it: 0 for the oldest.
    pub(super) fn place_in_queue(state: &WordNode<M, P, Q>, packet: PacketRef) -> Option<usize> {
        Self::queue(state).position(|(held, _)| held.packet == packet)
    }

    /// What the decision engine reads, and what the node waits for.
    fn show_registers(&self, state: &WordNode<M, P, Q>, now: Cycle, view: &mut ViewBuilder) {
        let pointer = self.order[usize::from(state.pointer)];
        view.register("scan pointer", None, pointer);
        let mut show_waiting = |at: Place, ready: Due, wants| {
            view.register("may leave by", at, PortSet(wants));
            match ready.get().filter(|ready| *ready <= now) {
                Some(ready) => view.register("head ready for", at, Value::Cycles(now.since(ready))),
                None => view.register("head ready", at, false),
            }
        };
        for port in PortSet(state.occupied.get()).iter() {
            let (ready, wants) = (
                state.inputs[port.index()].ready,
                state.input_wants[port.index()],
            );
            show_waiting(Place::Input(port), ready, wants.get());
        }
        for (held, wants) in Self::queue(state) {
            show_waiting(Place::Queue, held.ready, wants);
        }
        if self.frees_at_tail() {
            let free = state.queue[self.free_places(state)].iter();
            let taken = free.filter(|held| held.ready > now).count();
            let name = "frames that packets still leave";
            view.register(name, Place::Queue, Value::Number(taken as u64));
        }
        let mut show_after = |name, at: Place, from: Due| {
            if let Some(from) = from.get().filter(|from| *from > now) {
                view.register(name, at, Value::Cycles(from.since(now)));
            }
        };
        let stages = state.flow.passages.iter().flat_map(Passage::stages);
        for Stage { place, starts, .. } in stages {
            show_after("words move in after", *place, *starts);
        }
        for port in PortSet(self.all & !state.blocked.get()).iter() {
            let open_from = state.outputs[port.index()].open_from();
            show_after("opens after", Place::Output(port), open_from.into());
        }
        for (port, leaves) in state.flow.credits.iter() {
            let left = Value::Cycles(leaves.since(now));
            view.register("credit leaves after", Place::Input(*port), left);
        }
    }
}
