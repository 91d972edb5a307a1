//! Switch allocation: who of those that ask gets through.
//!
//! ```text
//!   lanes that may go ──▶ did they go together before? ──▶ all go
//!                          │ no
//!                          ▼
//!                    allocator: ports with ports ──▶ a lane of each input port that got through
//! ```

use super::channels::created;
use super::{InputLane, Node, Wormhole};
use crate::allocate::{Allocator, Matches, Memory, Requests};
use crate::bits::Bits;
use flitwork_topology::Topology;
use flitwork_types::Packets;
use std::hint::select_unpredictable;

impl<T: Topology, B: Bits, const N: usize, const P: usize> Wormhole<T, Node<B, N, P>> {
    /// Whether none of `lanes` has an input or output port of another, and the allocator lets all of them
    /// through then.
    #[inline]
    fn are_apart(&self, output: &[u8; N], lanes: B) -> bool {
        let (mut rows, mut columns, mut shared) = (0, 0, 0);
        for lane in lanes.numbers() {
            let row = self.spot(lane).ports.0;
            let column = self.spot(output[lane].into()).ports.0;
            shared |= (rows & row) | (columns & column);
            rows |= row;
            columns |= column;
        }
        shared == 0 && self.parameters.switch_allocator.settles_apart()
    }

    /// Of `lanes` those that get through.
    #[inline(never)]
    pub(super) fn match_lanes(&self, state: &mut Node<B, N, P>, lanes: B, packets: &Packets) -> B {
        let others = lanes & (lanes - B::from(1));
        let through = if self.parameters.switch_allocator != Allocator::Islip(1) {
            if !self.are_apart(&state.output, lanes) {
                state.settled = B::NONE;
                return self.match_otherwise(state, lanes, packets);
            }
            lanes
        } else if others.is_empty() {
            lanes
        } else if (others & (others - B::from(1))).is_empty() {
            self.match_two(state, (lanes.first(), others.first()))
        } else {
            let through = self.match_by_islip(state, lanes);
            state.settled = if through == lanes { lanes } else { B::NONE };
            return through;
        };
        for lane in through.numbers() {
            let (from, to) = (self.spot(lane), self.spot(state.output[lane].into()));
            let ports = (from.port.into(), to.port.into());
            let next = (from.next_port, to.next_port);
            state.switch_memory.note(ports, next);
            state.turn[usize::from(from.port)] = from.next_channel;
        }
        state.settled = if through == lanes { lanes } else { B::NONE };
        through
    }

    /// The same by an allocator that isn't iSLIP with one iteration, of lanes that aren't apart.
    #[inline(never)]
    fn match_otherwise(&self, state: &mut Node<B, N, P>, lanes: B, packets: &Packets) -> B {
        let mut through = B::NONE;
        let found = self.match_ports(state, lanes, packets);
        for (input, output) in found.pairs() {
            through.put(self.choose_lane(state, lanes, input, output, packets));
        }
        through
    }

    /// The same of two lanes by iSLIP with one iteration, which it remembers nothing of yet.
    #[inline]
    fn match_two(&self, state: &Node<B, N, P>, (one, other): (usize, usize)) -> B {
        let ports = |lane: usize| (self.port_of(lane), self.port_of(state.output[lane].into()));
        let ((row, column), (other_row, other_column)) = (ports(one), ports(other));
        let (same_row, same_column) = (row == other_row, column == other_column);
        if !(same_row | same_column) {
            return B::only(one) | B::only(other);
        }
        // What is in turn, of which two: nobody could guess.
        let memory = &state.switch_memory;
        let turn = row * self.channels + usize::from(state.turn[row]);
        let of_three = |lanes, columns, rows| {
            let of_row = select_unpredictable(same_column, lanes, columns);
            select_unpredictable(same_row, of_row, rows)
        };
        let from = of_three(turn, memory.column_in_turn(row), memory.row_in_turn(column));
        let first = of_three(one, column, row);
        let second = of_three(other, other_column, other_row);
        // Whether the first comes before the second from there on, around the end.
        let is_first = first.wrapping_sub(from) < second.wrapping_sub(from);
        B::only(select_unpredictable(is_first, one, other))
    }

    /// The same by iSLIP with one iteration. Not inlined: two lanes or one, which are common, take fewer
    /// registers.
    #[inline(never)]
    fn match_by_islip(&self, state: &mut Node<B, N, P>, lanes: B) -> B {
        let (heading, turn) = (&state.heading, &mut state.turn);
        let memory = &mut state.switch_memory;
        let mut through = B::NONE;
        let mut matched = |input, output: usize| {
            let found = lanes & heading[output] & self.lanes_of(input);
            through.put(self.take_turn(turn, found, input));
        };
        if Memory::<B, P>::ARE_FEW {
            // The first lane from a port's first on is the first port's from it on.
            let granted = |column: usize, from: u8| {
                let asking = lanes & heading[column];
                let later = asking & B::of(self.later[usize::from(from) % 8]);
                let first = if later.is_empty() { asking } else { later };
                (!asking.is_empty(), self.port_of(first.first()))
            };
            memory.islip_few(self.ports, granted, matched);
            return through;
        }
        let (mut columns, mut asked) = ([B::NONE; P], B::NONE);
        for lane in lanes.numbers() {
            let output = self.port_of(state.output[lane].into());
            columns[output].put(self.port_of(lane));
            asked.put(output);
        }
        memory.islip(self.ports, (&columns, asked), &mut matched);
        through
    }

    /// Input and output ports of words that may go.
    #[inline]
    fn match_ports(&self, state: &mut Node<B, N, P>, lanes: B, packets: &Packets) -> Matches<B, P> {
        let mut requests: Requests<B, P> = Requests::none();
        for lane in lanes.numbers() {
            let output = self.port_of(state.output[lane].into());
            requests.ask(self.port_of(lane), output);
        }
        let (inputs, held) = (&state.inputs, &state.output);
        let born = |input, output| {
            let lanes = self.candidates(held, lanes, input, output);
            oldest(inputs, lanes, packets)
        };
        let memory = &mut state.switch_memory;
        let allocator = self.parameters.switch_allocator;
        allocator.allocate(memory, self.ports, &requests, born)
    }

    /// Of `lanes` those from an input port to an output port.
    #[inline]
    pub(super) fn candidates(&self, held: &[u8; N], lanes: B, input: usize, output: usize) -> B {
        let mut found = lanes & self.lanes_of(input);
        for lane in found.numbers() {
            let port = self.port_of(held[lane].into());
            if port != output {
                found.take(lane);
            }
        }
        found
    }

    /// Of the lanes from an input port to an output port the next in turn, or the oldest.
    #[inline]
    pub(super) fn choose_lane(
        &self,
        state: &mut Node<B, N, P>,
        lanes: B,
        input: usize,
        output: usize,
        packets: &Packets,
    ) -> usize {
        if self.parameters.switch_allocator == Allocator::Age {
            let found = self.candidates(&state.output, lanes, input, output);
            let oldest = found
                .numbers()
                .min_by_key(|lane| created(state.inputs[*lane].worm, packets));
            return oldest.expect("ports were matched for a lane's sake");
        }
        self.next_lane(&state.output, &mut state.turn, lanes, (input, output))
    }

    /// Of the lanes from an input port to an output port the next in turn.
    #[inline]
    fn next_lane(
        &self,
        held: &[u8; N],
        turn: &mut [u8; P],
        lanes: B,
        (input, output): (usize, usize),
    ) -> usize {
        let mut found = lanes & self.lanes_of(input);
        if found.count() > 1 {
            found = self.candidates(held, found, input, output);
        }
        self.take_turn(turn, found, input)
    }

    /// Of some lanes of an input port the next in turn, after which the one behind it is next.
    #[inline]
    fn take_turn(&self, turn: &mut [u8; P], lanes: B, input: usize) -> usize {
        let first = input * self.channels;
        let lane = lanes.first_from(first + usize::from(turn[input]));
        turn[input] = self.spot(lane).next_channel;
        lane
    }
}

/// When the oldest of some lanes' packets was made.
pub(super) fn oldest<B: Bits, const N: usize>(
    inputs: &[InputLane<B>; N],
    lanes: B,
    packets: &Packets,
) -> u64 {
    let ages = lanes
        .numbers()
        .map(|lane| created(inputs[lane].worm, packets));
    ages.min().unwrap_or(u64::MAX)
}
