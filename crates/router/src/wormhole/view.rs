//! What a node holds, for people and programs that look into a run.
//!
//! | register | at | what is in it |
//! |---|---|---|
//! | `wait` | an input lane | the cycles until its worm may take the next stage, if it waits |
//! | `prefers`, `falls back on` | an input lane | each output lane that its head may take |
//! | `source's room` | a local input lane | the words for which there is room, as the source knows |
//! | `free`, `draining` | an output lane | that no worm holds it, or none until its far buffer is empty |
//! | `holder`, `worm` | an output lane | the input lane that holds it, and the packet there |
//! | `lane` | the local input | the local lane to which the source's packet moves |
//! | `next lane` | the local input | the local lane whose turn it is |
//! | `next channel` | an input port | the lane whose turn it is at the switch |
//! | `channel arbiter`, `switch arbiter`, `speculation arbiter` | a lane or port | whom it grants or accepts first |
//! | `channel diagonal` and so on | the node | the diagonal of a wavefront that comes first |

use super::registers::Behind;
use super::{Node, Speculation, Wormhole};
use crate::allocate::Remembered;
use crate::bits::Bits;
use flitwork_node::{Capacity, Part, Place, Value, View, ViewBuilder};
use flitwork_topology::Topology;
use flitwork_types::{Cycle, NodeId, Packets, Port};
use std::borrow::Cow;

impl<T: Topology, B: Bits, const N: usize, const P: usize, const L: usize>
    Wormhole<T, Node<B, N, P, L>>
{
    /// Everything but what is under way.
    pub(super) fn view(
        &self,
        node: NodeId,
        state: &Node<B, N, P, L>,
        packets: &Packets,
        now: Cycle,
    ) -> View {
        let state = &*self.credited(state, now);
        let ports = self.topology.ports_of(node);
        let is_there = |port: Port| ports.contains(port);
        let mut view = ViewBuilder::of_ports(ports);
        for lane in self.lanes_in_order() {
            let words = Capacity::Words(self.parameters.buffer_words.into());
            let held = self.held(state, packets, lane);
            view.buffer(self.input_place(lane), words, held);
        }
        for local in 0..self.locals() {
            let source = self.at_source(state, (packets, now), local);
            view.buffer(self.source_place(local), Capacity::Unbounded, source);
        }
        for lane in self.lanes_in_order() {
            let (port, channel) = self.lanes().place(lane);
            if is_there(port) {
                if let Some(room) = self.far_room(state, lane) {
                    view.credit(port, channel, room);
                }
                self.show_input(state, (lane, now), &mut view);
                self.show_output(state, packets, lane, &mut view);
            }
        }
        for local in 0..self.locals() {
            self.show_source(state, local, &mut view);
        }
        self.show_arbiters(state, &is_there, &mut view);
        view.build()
    }

    /// The node's ports.
    pub(super) fn ports(&self) -> impl Iterator<Item = Port> + use<T, B, N, P, L> {
        (0..self.lanes().ports as u8).map(Port)
    }

    /// The node's lanes, port after port.
    pub(super) fn lanes_in_order(&self) -> impl Iterator<Item = usize> + '_ {
        self.ports().flat_map(move |port| {
            let channels = 0..self.parameters.vcs;
            channels.map(move |channel| self.lanes().number(port, channel))
        })
    }

    /// The registers with the credits from the processor that came back before `now`, which are taken when they matter.
    fn credited<'s>(&self, state: &'s Node<B, N, P, L>, now: Cycle) -> Cow<'s, Node<B, N, P, L>> {
        if !self.counts_ejection() || now == Cycle::ZERO {
            return Cow::Borrowed(state);
        }
        let mut state = state.clone();
        self.take_ejection_credits(&mut state, Cycle(now.0 - 1));
        Cow::Owned(state)
    }

    /// The worms in an input lane.
    fn held(
        &self,
        state: &Node<B, N, P, L>,
        packets: &Packets,
        lane: usize,
    ) -> impl Iterator<Item = Part> {
        let front = state.occupied.has(lane).then(|| {
            let first = self.first(state, lane);
            let words = first..first + state.words.get(lane);
            Part::new(packets[state.inputs[lane].worm].id, words)
        });
        let behind = self.behind(state, lane);
        let behind = behind.map(|it| Part::new(packets[it.worm].id, 0..it.words));
        front.into_iter().chain(behind)
    }

    /// The place in its packet of the next word of an input lane's worm: counted from the tail if that has come, otherwise
    /// from the head if words are counted.
    fn first(&self, state: &Node<B, N, P, L>, lane: usize) -> u16 {
        if state.at_head.has(lane) {
            0
        } else if state.has_tail.has(lane) {
            state.inputs[lane].length - state.words.get(lane)
        } else {
            state.sent_words[lane].max(1)
        }
    }

    /// The worms behind the front of an input lane.
    pub(super) fn behind<'s>(
        &self,
        state: &'s Node<B, N, P, L>,
        lane: usize,
    ) -> impl Iterator<Item = &'s Behind> + use<'s, T, B, N, P, L> {
        let second = state.has_second.has(lane);
        let second = second.then_some(&state.inputs[lane].second);
        let more = state.more.iter().flat_map(move |more| &more[lane]);
        second.into_iter().chain(more)
    }

    /// The words that have come from a source and haven't moved on.
    fn at_source(
        &self,
        state: &Node<B, N, P, L>,
        (packets, now): (&Packets, Cycle),
        local: usize,
    ) -> Option<Part> {
        let injection = &state.injections[local];
        let packet = injection.waiting()?;
        // At most one word comes in a cycle, also where all of them are counted when the first comes.
        let come = u32::from(injection.come).min(now.since(state.begun[local])) as u16;
        Some(Part::new(packets[packet].id, injection.gone..come))
    }

    /// The room at the far end of an output lane, if words there need credits.
    fn far_room(&self, state: &Node<B, N, P, L>, lane: usize) -> Option<u16> {
        match lane >= self.link_lanes {
            true => self.ejection_room(state, lane),
            false => Some(state.room_words.get(lane)),
        }
    }

    /// An input lane's wait and, where its head bids, what for.
    fn show_input(
        &self,
        state: &Node<B, N, P, L>,
        (lane, now): (usize, Cycle),
        view: &mut ViewBuilder,
    ) {
        let at = self.input_place(lane);
        let front = &state.inputs[lane];
        let left = front.ready.since(now);
        if state.in_stage.has(lane) && left > 0 {
            view.register("wait", at, Value::Cycles(left));
        }
        if state.waiting.has(lane) {
            let wanted = [
                ("prefers", front.preferred),
                ("falls back on", front.fallback),
            ];
            for (name, lanes) in wanted {
                for lane in lanes.numbers() {
                    view.register(name, at, self.output_place(lane));
                }
            }
        }
        if lane >= self.link_lanes {
            let room = Value::Number(state.room_words.get(lane).into());
            view.register("source's room", at, room);
        }
    }

    /// Who holds an output lane.
    fn show_output(
        &self,
        state: &Node<B, N, P, L>,
        packets: &Packets,
        lane: usize,
        view: &mut ViewBuilder,
    ) {
        let at = self.output_place(lane);
        if state.free.has(lane) {
            view.register("free", at, true);
        } else if state.draining.has(lane) {
            view.register("draining", at, true);
        } else {
            let holder = usize::from(state.holder[lane]);
            view.register("holder", at, self.input_place(holder));
            view.register("worm", at, packets[state.inputs[holder].worm].id);
        }
    }

    /// Where a source's packet goes, and the next one.
    fn show_source(&self, state: &Node<B, N, P, L>, local: usize, view: &mut ViewBuilder) {
        let injection = &state.injections[local];
        let lane = |channel: u8| self.input_place(self.local_lane(local, channel));
        let at = self.source_place(local);
        if injection.is_sending() && injection.gone > 0 {
            view.register("lane", at, lane(injection.channel));
        }
        view.register("next lane", at, lane(injection.turn));
    }

    /// What the allocators remember.
    fn show_arbiters(
        &self,
        state: &Node<B, N, P, L>,
        is_there: &impl Fn(Port) -> bool,
        view: &mut ViewBuilder,
    ) {
        let (parameters, count) = (&self.parameters, self.lanes().count);
        let speculation = parameters.speculative.then_some(parameters.speculation);
        let is_blind = speculation == Some(Speculation::Beside);
        for port in self.ports().filter(|port| is_there(*port)) {
            let row = self.lanes().row_of(self.lanes().number(port, 0));
            let turn = self.switch.channel_in_turn(&state.switch, row, is_blind);
            if let Some(turn) = turn.filter(|_| parameters.vcs > 1) {
                let lane = Place::InputChannel(port, turn as u8);
                view.register("next channel", Place::Input(port), lane);
            }
        }
        let of_lanes = Arbiters {
            names: ["channel arbiter", "channel diagonal"],
            input: |lane| self.input_place(lane),
            output: |lane| self.output_place(lane),
        };
        let allocator = parameters.vc_allocator;
        let remembered = allocator.remembered(&state.channel_memory, count);
        of_lanes.show(&remembered, is_there, view);
        let of_ports = |names| Arbiters {
            names,
            input: |row| Place::Input(self.port_of(row)),
            output: |row| Place::Output(self.port_of(row)),
        };
        let remembered = self.switch.remembered(&state.switch);
        let names = ["switch arbiter", "switch diagonal"];
        of_ports(names).show(&remembered, is_there, view);
        if speculation.is_some_and(|it| it != Speculation::Together) {
            let (allocator, ports) = (parameters.switch_allocator, self.lanes().ports);
            let remembered = allocator.remembered(&state.speculation_memory, ports);
            let names = ["speculation arbiter", "speculation diagonal"];
            of_ports(names).show(&remembered, is_there, view);
        }
    }

    /// The port in a row of the switch.
    fn port_of(&self, row: usize) -> Port {
        self.lanes().place(row * self.lanes().channels).0
    }
}

/// The arbiters of an allocator, and the places of its rows and columns.
struct Arbiters<I, O> {
    names: [&'static str; 2],
    input: I,
    output: O,
}

impl<I: Fn(usize) -> Place, O: Fn(usize) -> Place> Arbiters<I, O> {
    /// Those at places that are there.
    fn show(
        &self,
        remembered: &Remembered,
        is_there: &impl Fn(Port) -> bool,
        view: &mut ViewBuilder,
    ) {
        let [arbiter, diagonal] = self.names;
        let mut put = |at: Place, first: Place| {
            if at.port().is_some_and(is_there) {
                view.register(arbiter, at, first);
            }
        };
        for (column, row) in remembered.first_rows.iter().enumerate() {
            put((self.output)(column), (self.input)(*row));
        }
        for (row, column) in remembered.first_columns.iter().enumerate() {
            put((self.input)(row), (self.output)(*column));
        }
        if let Some(first) = remembered.diagonal {
            view.register(diagonal, None, Value::Number(first as u64));
        }
    }
}
