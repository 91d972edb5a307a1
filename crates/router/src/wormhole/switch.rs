//! Switch allocation and traversal: words, and the outputs that they leave by.

use super::channels::created;
use super::{Crossing, InputLane, Node, Wormhole};
use crate::allocate::{Allocator, Matches, Memory, Requests};
use crate::bits::Bits;
use flitwork_node::{Event, Outputs, Probe, Site};
use flitwork_topology::Topology;
use flitwork_types::{Cycle, Flit, Packets, Port, PortSet, Word};

impl<T: Topology, B: Bits, const N: usize, const P: usize> Wormhole<T, Node<B, N, P>> {
    /// Of each input port at most one word gets through the switch, and to each output port.
    ///
    /// `bids` are the input lanes whose heads have bid for an output lane in this cycle: with speculation
    /// they bid for the switch, too, after all others, for nothing where they didn't get the lane.
    #[inline]
    pub(super) fn allocate_switch<Pr: Probe>(
        &self,
        state: &mut Node<B, N, P>,
        now: Cycle,
        (bids, sendable): (B, PortSet),
        outputs: &mut Outputs<'_>,
        site: &mut Site<'_, Pr>,
    ) {
        let hopeful = if self.parameters.speculative {
            bids
        } else {
            B::NONE
        };
        let sure = state.active & state.filled & state.roomy & !state.timed & !hopeful;
        let sure = self.sendable(&state.inputs, sure, sendable);
        let mut rows = B::NONE;
        let mut columns = B::NONE;
        if sure.count() == 1 {
            let lane = sure.first();
            let ports = self.let_alone(state, lane);
            (rows, columns) = (B::only(ports.0), B::only(ports.1));
            self.let_through(state, now, lane, outputs, site);
        } else if !sure.is_empty() {
            let memory = &mut state.switch_memory;
            let found = self.match_ports(&state.inputs, memory, sure, site.packets);
            (rows, columns) = (found.rows, found.columns);
            for (input, output) in found.pairs() {
                let lane = self.choose_lane(state, sure, input, output, site.packets);
                self.let_through(state, now, lane, outputs, site);
            }
        }
        if !hopeful.is_empty() {
            let bids = (hopeful, sendable);
            self.speculate(state, now, bids, (rows, columns), outputs, site);
        }
    }

    /// The only lane that bids gets through; gives its input and output port.
    #[inline]
    fn let_alone(&self, state: &mut Node<B, N, P>, lane: usize) -> (usize, usize) {
        let input = usize::from(self.port_of[lane]);
        let output = usize::from(self.port_of[usize::from(state.inputs[lane].output)]);
        let allocator = self.parameters.switch_allocator;
        allocator.allocate_single(&mut state.switch_memory, self.ports, (input, output));
        if allocator != Allocator::Age {
            state.turn[input] = self.next_channel(lane);
        }
        (input, output)
    }

    /// The channel whose turn it is after a lane's.
    #[inline]
    fn next_channel(&self, lane: usize) -> u8 {
        let next = self.channel_of[lane] + 1;
        if usize::from(next) == self.channels {
            0
        } else {
            next
        }
    }

    /// Of `lanes` those whose links take words.
    #[inline]
    fn sendable(&self, inputs: &[InputLane; N], lanes: B, sendable: PortSet) -> B {
        if sendable.0 | PortSet::only(self.local).0 == u64::MAX {
            return lanes;
        }
        let mut found = lanes;
        for lane in lanes.numbers() {
            let port = Port(self.port_of[usize::from(inputs[lane].output)]);
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
        inputs: &[InputLane; N],
        memory: &mut Memory<B, P>,
        lanes: B,
        packets: &Packets,
    ) -> Matches<B, P> {
        let mut requests: Requests<B, P> = Requests::none();
        for lane in lanes.numbers() {
            let output = usize::from(inputs[lane].output);
            let ports = (self.port_of[lane], self.port_of[output]);
            requests.ask(ports.0.into(), ports.1.into());
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
    fn candidates(&self, inputs: &[InputLane; N], lanes: B, input: usize, output: usize) -> B {
        let mut found = lanes & self.lanes_of(input);
        for lane in found.numbers() {
            let port = self.port_of[usize::from(inputs[lane].output)];
            if usize::from(port) != output {
                found.take(lane);
            }
        }
        found
    }

    /// Of the lanes from an input port to an output port the next in turn, or the oldest.
    #[inline]
    fn choose_lane(
        &self,
        state: &mut Node<B, N, P>,
        lanes: B,
        input: usize,
        output: usize,
        packets: &Packets,
    ) -> usize {
        let found = self.candidates(&state.inputs, lanes, input, output);
        if self.parameters.switch_allocator == Allocator::Age {
            let oldest = found
                .numbers()
                .min_by_key(|lane| created(state.inputs[*lane].worm, packets));
            return oldest.expect("ports were matched for a lane's sake");
        }
        let first = input * self.channels;
        let lane = found.first_from(first + usize::from(state.turn[input]));
        state.turn[input] = self.next_channel(lane);
        lane
    }

    /// Heads that bid for an output lane and for the switch at once.
    fn speculate<Pr: Probe>(
        &self,
        state: &mut Node<B, N, P>,
        now: Cycle,
        (bids, sendable): (B, PortSet),
        taken: (B, B),
        outputs: &mut Outputs<'_>,
        site: &mut Site<'_, Pr>,
    ) {
        let mut requests: Requests<B, P> = Requests::none();
        for lane in bids.numbers() {
            let wanted = if state.active.has(lane) {
                B::only(state.inputs[lane].output.into())
            } else {
                // Who got no lane has bid for the switch all the same.
                state.preferred[lane] | state.fallback[lane]
            };
            for output in wanted.numbers() {
                requests.ask(self.port_of[lane].into(), self.port_of[output].into());
            }
        }
        requests.without(taken.0, taken.1);
        let (inputs, packets) = (&state.inputs, &*site.packets);
        let born = |input, _| oldest(inputs, bids & self.lanes_of(input), packets);
        let memory = &mut state.speculation_memory;
        let allocator = self.parameters.switch_allocator;
        let found = allocator.allocate(memory, self.ports, &requests, born);
        let lucky = bids & state.active & state.filled & state.roomy;
        let lucky = self.sendable(&state.inputs, lucky, sendable);
        for (input, output) in found.pairs() {
            let lanes = self.candidates(&state.inputs, lucky, input, output);
            if !lanes.is_empty() {
                let lane = self.choose_lane(state, lanes, input, output, site.packets);
                state.timed.take(lane);
                self.let_through(state, now, lane, outputs, site);
            }
        }
    }

    /// The next word of an input lane's worm goes through the switch.
    #[inline]
    fn let_through<Pr: Probe>(
        &self,
        state: &mut Node<B, N, P>,
        now: Cycle,
        lane: usize,
        outputs: &mut Outputs<'_>,
        site: &mut Site<'_, Pr>,
    ) {
        state.stirred = true;
        let front = &mut state.inputs[lane];
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
            state.filled.take(lane);
        }
        if self.parameters.switch_allocation_cycles > 1 {
            front.ready = now + self.parameters.switch_allocation_cycles;
            state.timed.put(lane);
        }
        state.words -= 1;
        if port != self.local {
            let room = &mut state.outputs[output].room_words;
            *room -= 1;
            if *room == 0 {
                state.roomy.take(lane);
            }
        }
        if is_last {
            self.end_worm(state, now, lane, output, site);
        }
        let (from, from_channel) = self.place(lane);
        if from == self.local {
            let known = now + self.parameters.injection_cycles;
            state.injection.give_room(known, from_channel);
        } else {
            outputs.credit(from, from_channel);
        }
        self.cross(state, now, port, word, outputs, site);
    }

    /// A word crosses the switch.
    #[inline]
    fn cross<Pr: Probe>(
        &self,
        state: &mut Node<B, N, P>,
        now: Cycle,
        port: Port,
        word: Word,
        outputs: &mut Outputs<'_>,
        site: &mut Site<'_, Pr>,
    ) {
        match self.parameters.crossing_cycles() {
            0 if !outputs.sent.contains(port) => self.send_word(now, port, word, outputs, site),
            1 | 2 => {
                let slot = self.slot(now);
                state.pipeline[slot][port.index()] = word;
                state.pipelined[slot].insert(port);
            }
            cycles => state.crossing.push_back(Crossing {
                leaves: now + cycles,
                port,
                word,
            }),
        }
    }

    /// Where words that are let through in this cycle stand in the pipeline, and before them those that
    /// leave in it.
    #[inline]
    fn slot(&self, now: Cycle) -> usize {
        match self.parameters.crossing_cycles() {
            2 => now.0 as usize & 1,
            _ => 0,
        }
    }

    /// A worm's tail has left an input lane; the next worm comes to the front.
    fn end_worm<Pr: Probe>(
        &self,
        state: &mut Node<B, N, P>,
        now: Cycle,
        lane: usize,
        output: usize,
        site: &mut Site<'_, Pr>,
    ) {
        self.leave_lane(state, output);
        state.active.take(lane);
        state.roomy.take(lane);
        state.timed.take(lane);
        state.occupied.take(lane);
        if let Some(worm) = state.behind[lane].pop_front() {
            let ready = now + (1 + self.parameters.route_cycles);
            self.begin(state, lane, worm, ready, site);
        }
    }

    /// Words that have crossed the switch leave, where their links take them.
    #[inline]
    pub(super) fn send_words<Pr: Probe>(
        &self,
        state: &mut Node<B, N, P>,
        now: Cycle,
        sendable: PortSet,
        outputs: &mut Outputs<'_>,
        site: &mut Site<'_, Pr>,
    ) {
        if !state.crossing.is_empty() {
            self.send_crossing(state, now, sendable, outputs, site);
        }
        let slot = self.slot(now);
        let ports = std::mem::take(&mut state.pipelined[slot]);
        for port in ports.iter() {
            let word = state.pipeline[slot][port.index()];
            let takes = sendable.contains(port) || port == self.local;
            if takes && !outputs.sent.contains(port) {
                state.stirred = true;
                self.send_word(now, port, word, outputs, site);
            } else {
                let leaves = now;
                state.crossing.push_back(Crossing { leaves, port, word });
            }
        }
    }

    /// The same for words that take long, or that were held up.
    fn send_crossing<Pr: Probe>(
        &self,
        state: &mut Node<B, N, P>,
        now: Cycle,
        sendable: PortSet,
        outputs: &mut Outputs<'_>,
        site: &mut Site<'_, Pr>,
    ) {
        let mut held = 0;
        while let Some(crossing) = state.crossing.get(held).copied()
            && crossing.leaves <= now
        {
            let Crossing { port, word, .. } = crossing;
            let takes = sendable.contains(port) || port == self.local;
            if !takes || outputs.sent.contains(port) {
                held += 1;
                continue;
            }
            state.crossing.remove(held);
            state.stirred = true;
            self.send_word(now, port, word, outputs, site);
        }
    }

    #[inline]
    fn send_word<Pr: Probe>(
        &self,
        now: Cycle,
        port: Port,
        word: Word,
        outputs: &mut Outputs<'_>,
        site: &mut Site<'_, Pr>,
    ) {
        let node = site.node;
        outputs.send(port, word);
        if Pr::HEARS_WORDS {
            let packet = site.packets[word.packet].id;
            site.probe.word(node, now, port, packet, word);
        }
        if word.flit.is_head() {
            let packet = site.packets[word.packet].id;
            site.probe.event(node, now, Event::Head { packet, port });
        }
        if word.flit.is_tail() {
            let packet = site.packets[word.packet];
            let tail = Event::Tail {
                packet: packet.id,
                port,
                words: packet.words,
            };
            site.probe.event(node, now, tail);
            if port == self.local {
                site.packets.remove(word.packet);
                site.probe.event(node, now + 1, Event::Delivered { packet });
            }
        }
    }
}

/// When the oldest of some lanes' packets was made.
fn oldest<B: Bits, const N: usize>(inputs: &[InputLane; N], lanes: B, packets: &Packets) -> u64 {
    let ages = lanes
        .numbers()
        .map(|lane| created(inputs[lane].worm, packets));
    ages.min().unwrap_or(u64::MAX)
}
