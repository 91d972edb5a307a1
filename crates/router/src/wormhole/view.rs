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
use flitwork_node::{Buffer, BufferState, Capacity, Credit, Part, Place, Register, Value, View};
use flitwork_topology::Topology;
use flitwork_types::{Cycle, NodeId, Packets, Port};
use std::borrow::Cow;

impl<T: Topology, B: Bits, const N: usize, const P: usize> Wormhole<T, Node<B, N, P>> {
    /// Everything but what is under way.
    pub(super) fn view(
        &self,
        node: NodeId,
        state: &Node<B, N, P>,
        packets: &Packets,
        now: Cycle,
    ) -> View {
        let state = &*self.credited(state, now);
        let links = self.topology.links(node);
        let is_there = |port: Port| port == self.local || links.contains(port);
        let lanes: Vec<usize> = self.lanes_in_order().collect();
        let buffers = lanes.iter().map(|lane| {
            let (port, _) = self.lanes().place(*lane);
            let usual = match is_there(port) {
                true => BufferState::Usual,
                false => BufferState::Missing,
            };
            self.buffer(state, packets, (*lane, usual))
        });
        let mut view = View {
            buffers: buffers.chain([self.source(state, packets, now)]).collect(),
            ..View::default()
        };
        for lane in lanes {
            if is_there(self.lanes().place(lane).0) {
                view.credits.extend(self.far_room(state, lane));
                self.show_input(state, (lane, now), &mut view.registers);
                self.show_output(state, packets, lane, &mut view.registers);
            }
        }
        self.show_source(state, &mut view.registers);
        self.show_arbiters(state, &is_there, &mut view.registers);
        view
    }

    /// The node's lanes, port after port.
    pub(super) fn lanes_in_order(&self) -> impl Iterator<Item = usize> + '_ {
        (0..=self.local.0).flat_map(move |port| {
            let channels = 0..self.parameters.vcs;
            channels.map(move |channel| self.lanes().number(Port(port), channel))
        })
    }

    /// The registers with the credits from the processor that came back before `now`, which are taken when they matter.
    fn credited<'s>(&self, state: &'s Node<B, N, P>, now: Cycle) -> Cow<'s, Node<B, N, P>> {
        if !self.counts_ejection() || now == Cycle::ZERO {
            return Cow::Borrowed(state);
        }
        let mut state = state.clone();
        self.take_ejection_credits(&mut state, Cycle(now.0 - 1));
        Cow::Owned(state)
    }

    fn buffer(
        &self,
        state: &Node<B, N, P>,
        packets: &Packets,
        (lane, usual): (usize, BufferState),
    ) -> Buffer {
        let mut held = Vec::new();
        if state.occupied.has(lane) {
            held.push(Part {
                packet: packets[state.inputs[lane].worm].id,
                first: self.first(state, lane),
                words: state.words.get(lane),
            });
        }
        held.extend(self.behind(state, lane).map(|behind| Part {
            packet: packets[behind.worm].id,
            first: 0,
            words: behind.words,
        }));
        Buffer {
            place: self.input_place(lane),
            capacity: Capacity::Words(self.parameters.buffer_words.into()),
            held,
            state: usual,
        }
    }

    /// The place in its packet of the next word of an input lane's worm: counted from the tail if that has come, otherwise
    /// from the head if words are counted.
    fn first(&self, state: &Node<B, N, P>, lane: usize) -> u16 {
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
        state: &'s Node<B, N, P>,
        lane: usize,
    ) -> impl Iterator<Item = &'s Behind> + use<'s, T, B, N, P> {
        let second = state.has_second.has(lane);
        let second = second.then_some(&state.inputs[lane].second);
        let more = state.more.iter().flat_map(move |more| &more[lane]);
        second.into_iter().chain(more)
    }

    /// The words that have come from the source and haven't moved on.
    fn source(&self, state: &Node<B, N, P>, packets: &Packets, now: Cycle) -> Buffer {
        let injection = &state.injection;
        let sending = injection.waiting().map(|packet| {
            // At most one word comes in a cycle, also where all of them are counted when the first comes.
            let come = u32::from(injection.come).min(now.since(state.begun)) as u16;
            Part {
                packet: packets[packet].id,
                first: injection.gone,
                words: come - injection.gone,
            }
        });
        Buffer {
            place: Place::Input(self.local),
            capacity: Capacity::Unbounded,
            held: sending.into_iter().collect(),
            state: BufferState::Usual,
        }
    }

    /// The room at the far end of an output lane, if words there need credits.
    fn far_room(&self, state: &Node<B, N, P>, lane: usize) -> Option<Credit> {
        let (port, channel) = self.lanes().place(lane);
        let room = match port == self.local {
            true => self.ejection_room(state, channel)?,
            false => state.room_words.get(lane),
        };
        Some(Credit {
            port,
            channel,
            room: room.into(),
        })
    }

    /// An input lane's wait and, where its head bids, what for.
    fn show_input(
        &self,
        state: &Node<B, N, P>,
        (lane, now): (usize, Cycle),
        registers: &mut Vec<Register>,
    ) {
        let at = self.input_place(lane);
        let front = &state.inputs[lane];
        let left = front.ready.since(now);
        if state.in_stage.has(lane) && left > 0 {
            registers.push(shown("wait", at, Value::Cycles(left)));
        }
        if state.waiting.has(lane) {
            let wanted = [
                ("prefers", front.preferred),
                ("falls back on", front.fallback),
            ];
            for (name, lanes) in wanted {
                let lanes = lanes.numbers();
                let places = lanes.map(|lane| Value::Place(self.output_place(lane)));
                registers.extend(places.map(|place| shown(name, at, place)));
            }
        }
        if lane >= self.link_lanes {
            let room = Value::Number(state.room_words.get(lane).into());
            registers.push(shown("source's room", at, room));
        }
    }

    /// Who holds an output lane.
    fn show_output(
        &self,
        state: &Node<B, N, P>,
        packets: &Packets,
        lane: usize,
        registers: &mut Vec<Register>,
    ) {
        let at = self.output_place(lane);
        if state.free.has(lane) {
            registers.push(shown("free", at, Value::Flag(true)));
        } else if state.draining.has(lane) {
            registers.push(shown("draining", at, Value::Flag(true)));
        } else {
            let holder = usize::from(state.holder[lane]);
            let worm = packets[state.inputs[holder].worm].id;
            let holder = Value::Place(self.input_place(holder));
            registers.push(shown("holder", at, holder));
            registers.push(shown("worm", at, Value::Packet(worm)));
        }
    }

    /// Where the source's packet goes, and the next one.
    fn show_source(&self, state: &Node<B, N, P>, registers: &mut Vec<Register>) {
        let injection = &state.injection;
        let lane = |channel: u8| Value::Place(Place::InputChannel(self.local, channel));
        let at = Place::Input(self.local);
        if injection.is_sending() && injection.gone > 0 {
            registers.push(shown("lane", at, lane(injection.channel)));
        }
        registers.push(shown("next lane", at, lane(injection.turn)));
    }

    /// What the allocators remember.
    fn show_arbiters(
        &self,
        state: &Node<B, N, P>,
        is_there: &impl Fn(Port) -> bool,
        registers: &mut Vec<Register>,
    ) {
        let (parameters, count) = (&self.parameters, self.lanes().count);
        let speculation = parameters.speculative.then_some(parameters.speculation);
        let is_blind = speculation == Some(Speculation::Beside);
        for port in (0..=self.local.0).map(Port).filter(|port| is_there(*port)) {
            let row = self.lanes().row_of(self.lanes().number(port, 0));
            let turn = self.switch.channel_in_turn(&state.switch, row, is_blind);
            if let Some(turn) = turn.filter(|_| parameters.vcs > 1) {
                let lane = Value::Place(Place::InputChannel(port, turn as u8));
                registers.push(shown("next channel", Place::Input(port), lane));
            }
        }
        let of_lanes = Arbiters {
            names: ["channel arbiter", "channel diagonal"],
            input: |lane| self.input_place(lane),
            output: |lane| self.output_place(lane),
        };
        let allocator = parameters.vc_allocator;
        let remembered = allocator.remembered(&state.channel_memory, count);
        of_lanes.show(&remembered, is_there, registers);
        let of_ports = |names| Arbiters {
            names,
            input: |row| Place::Input(self.port_of(row)),
            output: |row| Place::Output(self.port_of(row)),
        };
        let remembered = self.switch.remembered(&state.switch);
        let names = ["switch arbiter", "switch diagonal"];
        of_ports(names).show(&remembered, is_there, registers);
        if speculation.is_some_and(|it| it != Speculation::Together) {
            let (allocator, ports) = (parameters.switch_allocator, self.lanes().ports);
            let remembered = allocator.remembered(&state.speculation_memory, ports);
            let names = ["speculation arbiter", "speculation diagonal"];
            of_ports(names).show(&remembered, is_there, registers);
        }
    }

    /// The port in a row of the switch.
    fn port_of(&self, row: usize) -> Port {
        self.lanes().place(row * self.lanes().channels).0
    }
}

/// A register of a port or a lane.
fn shown(name: &'static str, at: Place, value: Value) -> Register {
    Register {
        name,
        at: Some(at),
        value,
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
        registers: &mut Vec<Register>,
    ) {
        let [arbiter, diagonal] = self.names;
        let mut put = |at: Place, first: Place| {
            if let Place::Input(port)
            | Place::Output(port)
            | Place::InputChannel(port, _)
            | Place::OutputChannel(port, _) = at
                && is_there(port)
            {
                registers.push(shown(arbiter, at, Value::Place(first)));
            }
        };
        for (column, row) in remembered.first_rows.iter().enumerate() {
            put((self.output)(column), (self.input)(*row));
        }
        for (row, column) in remembered.first_columns.iter().enumerate() {
            put((self.input)(row), (self.output)(*column));
        }
        registers.extend(remembered.diagonal.map(|first| Register {
            name: diagonal,
            at: None,
            value: Value::Number(first as u64),
        }));
    }
}
