//! Switch allocation and traversal: words, and the outputs that they leave by.

use super::channels::created;
use super::stages::{Leaving, Way};
use super::{Core, InputLane, Node, Wormhole};
use crate::allocate::{Allocator, Matches, Memory, Requests};
use crate::bits::Bits;
use flitwork_node::{Probe, Site};
use flitwork_topology::Topology;
use flitwork_types::{Cycle, Packets, Port, PortSet};

impl<T: Topology, B: Bits, const N: usize, const P: usize> Wormhole<T, Node<B, N, P>> {
    /// Of each input port at most one word gets through the switch, and to each output port.
    ///
    /// `bids` are the input lanes whose heads have bid for an output lane in this cycle: with speculation
    /// they bid for the switch, too, after all others, for nothing where they didn't get the lane.
    #[inline]
    pub(super) fn allocate_switch<W: Way, Pr: Probe>(
        &self,
        core: &mut Core<B, N, P>,
        now: Cycle,
        (bids, sendable): (B, PortSet),
        way: &mut W,
        site: &mut Site<'_, Pr>,
    ) {
        let hopeful = if self.parameters.speculative {
            bids
        } else {
            B::NONE
        };
        let sure = core.active & core.filled & core.roomy & !core.timed & !hopeful;
        let sure = self.sendable(&core.inputs, sure, sendable);
        let mut through = sure;
        if !sure.is_empty() {
            let apart = self.are_apart(&core.inputs, sure);
            if !apart {
                through = self.match_lanes(core, sure, site.packets);
            }
            // The same for all matches of some allocators, which is known ahead.
            let notes = apart || self.notes_matches;
            self.let_through(core, now, (through, notes), way, site);
        }
        if !hopeful.is_empty() {
            let bids = (hopeful, sendable);
            self.speculate(core, now, bids, through, way, site);
        }
    }

    /// Whether none of `lanes` has an input or output port of another, and the allocator lets all of them
    /// through then.
    #[inline]
    fn are_apart(&self, inputs: &[InputLane<B>; N], lanes: B) -> bool {
        let allocator = self.parameters.switch_allocator;
        let others = lanes & (lanes - B::from(1));
        if others.is_empty() {
            return allocator.settles_apart();
        }
        let (mut rows, mut columns, mut shared) = (0, 0, 0);
        for lane in lanes.numbers() {
            let row = self.spot(lane).ports.0;
            let column = self.spot(inputs[lane].output.into()).ports.0;
            shared |= (rows & row) | (columns & column);
            rows |= row;
            columns |= column;
        }
        shared == 0 && allocator.settles_apart()
    }

    /// Of `lanes` those that get through.
    #[inline(never)]
    fn match_lanes(&self, core: &mut Core<B, N, P>, lanes: B, packets: &Packets) -> B {
        let mut through = B::NONE;
        if self.parameters.switch_allocator == Allocator::Islip(1) {
            let (mut columns, mut asked) = ([B::NONE; P], B::NONE);
            for lane in lanes.numbers() {
                let output = self.port_of(core.inputs[lane].output.into());
                columns[output].put(self.port_of(lane));
                asked.put(output);
            }
            let (inputs, turn) = (&core.inputs, &mut core.turn);
            let memory = &mut core.switch_memory;
            memory.islip(self.ports, (&columns, asked), |input, output| {
                through.put(self.next_lane(inputs, turn, lanes, (input, output)));
            });
            return through;
        }
        let found = self.match_ports(&core.inputs, &mut core.switch_memory, lanes, packets);
        for (input, output) in found.pairs() {
            through.put(self.choose_lane(core, lanes, input, output, packets));
        }
        through
    }

    /// Of `lanes` those whose links take words.
    #[inline]
    fn sendable(&self, inputs: &[InputLane<B>; N], lanes: B, sendable: PortSet) -> B {
        if sendable.0 | PortSet::only(self.local).0 == u64::MAX {
            return lanes;
        }
        let mut found = lanes;
        for lane in lanes.numbers() {
            let port = Port(self.spots[usize::from(inputs[lane].output)].port);
            if port != self.local && !sendable.contains(port) {
                found.take(lane);
            }
        }
        found
    }

    /// Input and output ports of words that may go.
    #[inline]
    fn match_ports(
        &self,
        inputs: &[InputLane<B>; N],
        memory: &mut Memory<B, P>,
        lanes: B,
        packets: &Packets,
    ) -> Matches<B, P> {
        let mut requests: Requests<B, P> = Requests::none();
        for lane in lanes.numbers() {
            let output = usize::from(inputs[lane].output);
            requests.ask(self.port_of(lane), self.port_of(output));
        }
        let born = |input, output| {
            let lanes = self.candidates(inputs, lanes, input, output);
            oldest(inputs, lanes, packets)
        };
        let allocator = self.parameters.switch_allocator;
        allocator.allocate(memory, self.ports, &requests, born)
    }

    /// Of `lanes` those from an input port to an output port.
    #[inline]
    fn candidates(&self, inputs: &[InputLane<B>; N], lanes: B, input: usize, output: usize) -> B {
        let mut found = lanes & self.lanes_of(input);
        for lane in found.numbers() {
            let port = self.port_of(inputs[lane].output.into());
            if port != output {
                found.take(lane);
            }
        }
        found
    }

    /// Of the lanes from an input port to an output port the next in turn, or the oldest.
    #[inline]
    fn choose_lane(
        &self,
        core: &mut Core<B, N, P>,
        lanes: B,
        input: usize,
        output: usize,
        packets: &Packets,
    ) -> usize {
        if self.parameters.switch_allocator == Allocator::Age {
            let found = self.candidates(&core.inputs, lanes, input, output);
            let oldest = found
                .numbers()
                .min_by_key(|lane| created(core.inputs[*lane].worm, packets));
            return oldest.expect("ports were matched for a lane's sake");
        }
        self.next_lane(&core.inputs, &mut core.turn, lanes, (input, output))
    }

    /// Of the lanes from an input port to an output port the next in turn.
    #[inline]
    fn next_lane(
        &self,
        inputs: &[InputLane<B>; N],
        turn: &mut [u8; P],
        lanes: B,
        (input, output): (usize, usize),
    ) -> usize {
        let mut found = lanes & self.lanes_of(input);
        if found.count() > 1 {
            found = self.candidates(inputs, found, input, output);
        }
        let first = input * self.channels;
        let lane = found.first_from(first + usize::from(turn[input]));
        turn[input] = self.spot(lane).next_channel;
        lane
    }

    /// Heads that bid for an output lane and for the switch at once.
    #[inline(never)]
    fn speculate<W: Way, Pr: Probe>(
        &self,
        core: &mut Core<B, N, P>,
        now: Cycle,
        (bids, sendable): (B, PortSet),
        taken: B,
        way: &mut W,
        site: &mut Site<'_, Pr>,
    ) {
        let mut requests: Requests<B, P> = Requests::none();
        for lane in bids.numbers() {
            let wanted = if core.active.has(lane) {
                B::only(core.inputs[lane].output.into())
            } else {
                // Who got no lane has bid for the switch all the same.
                core.inputs[lane].preferred | core.inputs[lane].fallback
            };
            for output in wanted.numbers() {
                requests.ask(self.port_of(lane), self.port_of(output));
            }
        }
        let (mut rows, mut columns) = (B::NONE, B::NONE);
        for lane in taken.numbers() {
            rows.put(self.port_of(lane));
            columns.put(self.port_of(core.inputs[lane].output.into()));
        }
        requests.without(rows, columns);
        let (inputs, packets) = (&core.inputs, &*site.packets);
        let born = |input, _| oldest(inputs, bids & self.lanes_of(input), packets);
        let memory = &mut core.speculation_memory;
        let allocator = self.parameters.switch_allocator;
        let found = allocator.allocate(memory, self.ports, &requests, born);
        let lucky = bids & core.active & core.filled & core.roomy;
        let lucky = self.sendable(&core.inputs, lucky, sendable);
        let mut through = B::NONE;
        for (input, output) in found.pairs() {
            let lanes = self.candidates(&core.inputs, lucky, input, output);
            if !lanes.is_empty() {
                let lane = self.choose_lane(core, lanes, input, output, site.packets);
                through.put(lane);
            }
        }
        core.timed &= !through;
        self.let_through(core, now, (through, false), way, site);
    }

    /// The next words of the worms of `lanes` go through the switch. `notes` says that the allocator is
    /// told of each as of one whose ports have nothing to do with the others'.
    #[inline(always)]
    fn let_through<W: Way, Pr: Probe>(
        &self,
        core: &mut Core<B, N, P>,
        now: Cycle,
        (lanes, notes): (B, bool),
        way: &mut W,
        site: &mut Site<'_, Pr>,
    ) {
        for lane in lanes.numbers() {
            core.buffered -= 1;
            let front = &mut core.inputs[lane];
            let words = &mut core.words[lane];
            *words -= 1;
            let is_empty = *words == 0;
            let output = usize::from(front.output);
            let (to, from) = (self.spot(output), self.spot(lane));
            let word = Leaving {
                packet: front.worm,
                index: front.next,
                is_head: front.next == 0,
                is_tail: is_empty && core.whole.has(lane),
            };
            front.next += 1;
            if is_empty {
                core.filled.take(lane);
            }
            if to.port != self.local.0 {
                let room = &mut core.room_words[output];
                *room -= 1;
                if *room == 0 {
                    core.closed.put(output);
                    core.roomy.take(lane);
                }
            }
            if word.is_tail {
                self.end_worm(core, now, lane, output, site);
            } else if self.parameters.switch_allocation_cycles > 1 {
                core.inputs[lane].ready = now + self.parameters.switch_allocation_cycles;
                core.timed.put(lane);
            }
            if notes {
                let ports = (from.port.into(), to.port.into());
                core.switch_memory
                    .note(ports, (from.next_port, to.next_port));
                core.turn[usize::from(from.port)] = from.next_channel;
            }
            if from.port == self.local.0 {
                way.room(now, lane, from);
            } else {
                way.credit(lane, from);
            }
            way.cross(now, (output, to), word, site);
        }
    }

    /// A worm's tail has left an input lane; the next worm comes to the front.
    #[inline(never)]
    fn end_worm<Pr: Probe>(
        &self,
        core: &mut Core<B, N, P>,
        now: Cycle,
        lane: usize,
        output: usize,
        site: &mut Site<'_, Pr>,
    ) {
        self.leave_lane(core, output);
        core.active.take(lane);
        core.roomy.take(lane);
        core.timed.take(lane);
        core.occupied.take(lane);
        let ready = now + (1 + self.parameters.route_cycles);
        self.follow(core, lane, ready, site);
    }
}

/// When the oldest of some lanes' packets was made.
fn oldest<B: Bits, const N: usize>(inputs: &[InputLane<B>; N], lanes: B, packets: &Packets) -> u64 {
    let ages = lanes
        .numbers()
        .map(|lane| created(inputs[lane].worm, packets));
    ages.min().unwrap_or(u64::MAX)
}
