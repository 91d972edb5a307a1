//! Switch allocation and traversal: words, and the outputs that they leave by.

use super::channels::created;
use super::stages::Way;
use super::{Core, InputLane, Node, Wormhole};
use crate::allocate::{Allocator, Matches, Memory, Requests};
use crate::bits::Bits;
use flitwork_node::{Probe, Site};
use flitwork_topology::Topology;
use flitwork_types::{Cycle, Flit, Packets, Port, PortSet, Word};

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
        let taken;
        if let Some(ports) = self.ports_apart(&core.inputs, sure) {
            taken = ports;
            for lane in sure.numbers() {
                self.let_alone(core, lane);
                self.let_through(core, now, lane, way, site);
            }
        } else {
            let memory = &mut core.switch_memory;
            let found = self.match_ports(&core.inputs, memory, sure, site.packets);
            taken = (found.rows, found.columns);
            for (input, output) in found.pairs() {
                let lane = self.choose_lane(core, sure, input, output, site.packets);
                self.let_through(core, now, lane, way, site);
            }
        }
        if !hopeful.is_empty() {
            let bids = (hopeful, sendable);
            self.speculate(core, now, bids, taken, way, site);
        }
    }

    /// The input and output ports of `lanes`, where none has a port of another and the allocator lets all
    /// of them through then.
    #[inline]
    fn ports_apart(&self, inputs: &[InputLane<B>; N], lanes: B) -> Option<(B, B)> {
        let (mut rows, mut columns, mut shared) = (B::NONE, B::NONE, B::NONE);
        for lane in lanes.numbers() {
            let row = B::only(self.port_of(lane));
            let column = B::only(self.port_of(inputs[lane].output.into()));
            shared |= (rows & row) | (columns & column);
            rows |= row;
            columns |= column;
        }
        let apart = shared.is_empty() && self.parameters.switch_allocator.settles_apart();
        apart.then_some((rows, columns))
    }

    /// A lane gets through with whose ports no other's bids have to do.
    #[inline]
    fn let_alone(&self, core: &mut Core<B, N, P>, lane: usize) {
        let (input, output) = (self.port_of(lane), core.inputs[lane].output);
        let ports = (input, self.port_of(output.into()));
        let allocator = self.parameters.switch_allocator;
        allocator.allocate_single(&mut core.switch_memory, self.ports, ports);
        if allocator != Allocator::Age {
            core.turn[input] = self.spots[lane].next_channel;
        }
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
        let found = self.candidates(&core.inputs, lanes, input, output);
        if self.parameters.switch_allocator == Allocator::Age {
            let oldest = found
                .numbers()
                .min_by_key(|lane| created(core.inputs[*lane].worm, packets));
            return oldest.expect("ports were matched for a lane's sake");
        }
        let first = input * self.channels;
        let lane = found.first_from(first + usize::from(core.turn[input]));
        core.turn[input] = self.spots[lane].next_channel;
        lane
    }

    /// Heads that bid for an output lane and for the switch at once.
    fn speculate<W: Way, Pr: Probe>(
        &self,
        core: &mut Core<B, N, P>,
        now: Cycle,
        (bids, sendable): (B, PortSet),
        taken: (B, B),
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
        requests.without(taken.0, taken.1);
        let (inputs, packets) = (&core.inputs, &*site.packets);
        let born = |input, _| oldest(inputs, bids & self.lanes_of(input), packets);
        let memory = &mut core.speculation_memory;
        let allocator = self.parameters.switch_allocator;
        let found = allocator.allocate(memory, self.ports, &requests, born);
        let lucky = bids & core.active & core.filled & core.roomy;
        let lucky = self.sendable(&core.inputs, lucky, sendable);
        for (input, output) in found.pairs() {
            let lanes = self.candidates(&core.inputs, lucky, input, output);
            if !lanes.is_empty() {
                let lane = self.choose_lane(core, lanes, input, output, site.packets);
                core.timed.take(lane);
                self.let_through(core, now, lane, way, site);
            }
        }
    }

    /// The next word of an input lane's worm goes through the switch.
    #[inline]
    fn let_through<W: Way, Pr: Probe>(
        &self,
        core: &mut Core<B, N, P>,
        now: Cycle,
        lane: usize,
        way: &mut W,
        site: &mut Site<'_, Pr>,
    ) {
        let front = &mut core.inputs[lane];
        front.words -= 1;
        let output = usize::from(front.output);
        let is_last = front.words == 0 && front.whole;
        let (port, channel) = self.place(output);
        let word = Word {
            packet: front.worm,
            index: front.next,
            channel,
            flit: match (front.next, is_last) {
                (0, true) => Flit::Only,
                (0, false) => Flit::Head,
                (_, true) => Flit::Tail,
                (_, false) => Flit::Body,
            },
        };
        front.next += 1;
        if front.words == 0 {
            core.filled.take(lane);
        }
        if self.parameters.switch_allocation_cycles > 1 {
            front.ready = now + self.parameters.switch_allocation_cycles;
            core.timed.put(lane);
        }
        if port != self.local {
            let room = &mut core.outputs[output].room_words;
            *room -= 1;
            if *room == 0 {
                core.roomy.take(lane);
            }
        }
        if is_last {
            self.end_worm(core, now, lane, output, site);
        }
        let (from, from_channel) = self.place(lane);
        if from == self.local {
            way.room(now, from_channel);
        } else {
            way.credit(from, from_channel);
        }
        way.cross(now, port, word, site);
    }

    /// A worm's tail has left an input lane; the next worm comes to the front.
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
