//! Switch allocation and traversal: words that bid, and the outputs that they leave by.

use super::matching::oldest;
use super::stages::{Leaving, Way};
use super::{Core, Node, Wormhole};
use crate::allocate::Requests;
use crate::bits::Bits;
use flitwork_node::{Probe, Site};
use flitwork_topology::Topology;
use flitwork_types::{Cycle, Port, PortSet};

impl<T: Topology, B: Bits, const N: usize, const P: usize> Wormhole<T, Node<B, N, P>> {
    /// Of each input port at most one word gets through the switch, and to each output port.
    ///
    /// `hopeful` are the input lanes whose heads have bid for an output lane in this cycle and, by
    /// speculation, bid for the switch, too: after all others, for nothing where they didn't get the lane.
    #[inline]
    pub(super) fn allocate_switch<W: Way, Pr: Probe>(
        &self,
        core: &mut Core<B, N, P>,
        now: Cycle,
        (hopeful, sendable): (B, PortSet),
        way: &mut W,
        site: &mut Site<'_, Pr>,
    ) {
        let sure = core.active & core.filled & core.roomy & !core.timed & !hopeful;
        let sure = self.sendable(&core.output, sure, sendable);
        let mut through = sure;
        if !sure.is_empty() {
            if !(sure & !core.settled).is_empty() {
                through = self.match_lanes(core, sure, site.packets);
            }
            self.let_through(core, now, through, way, site);
        }
        if !hopeful.is_empty() {
            let bids = (hopeful, sendable);
            self.speculate(core, now, bids, through, way, site);
        }
    }

    /// Of `lanes` those whose links take words.
    #[inline]
    fn sendable(&self, output: &[u8; N], lanes: B, sendable: PortSet) -> B {
        if sendable.0 | PortSet::only(self.local).0 == u64::MAX {
            return lanes;
        }
        let mut found = lanes;
        for lane in lanes.numbers() {
            let port = Port(self.spot(output[lane].into()).port);
            if port != self.local && !sendable.contains(port) {
                found.take(lane);
            }
        }
        found
    }

    /// The output lanes for whose ports a head bids that has bid for an output lane in this cycle: the one that
    /// it got, or all that it may take, as it would have bid for the switch all the same.
    #[inline]
    fn hoped_for(&self, core: &Core<B, N, P>, lane: usize) -> B {
        if core.active.has(lane) {
            B::only(core.output[lane].into())
        } else {
            core.inputs[lane].preferred | core.inputs[lane].fallback
        }
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
        core.settled = B::NONE;
        let mut requests: Requests<B, P> = Requests::none();
        for lane in bids.numbers() {
            for output in self.hoped_for(core, lane).numbers() {
                requests.ask(self.port_of(lane), self.port_of(output));
            }
        }
        let (mut rows, mut columns) = (B::NONE, B::NONE);
        for lane in taken.numbers() {
            rows.put(self.port_of(lane));
            columns.put(self.port_of(core.output[lane].into()));
        }
        requests.without(rows, columns);
        // Borrowed apart from the rest, which ages hang on.
        let mut memory = std::mem::take(&mut core.speculation_memory);
        let born = |input, output| {
            let mut lanes = bids & self.lanes_of(input);
            for lane in lanes.numbers() {
                if (self.hoped_for(core, lane) & self.lanes_of(output)).is_empty() {
                    lanes.take(lane);
                }
            }
            oldest(&core.inputs, lanes, site.packets)
        };
        let allocator = self.parameters.switch_allocator;
        let found = allocator.allocate(&mut memory, self.ports, &requests, born);
        core.speculation_memory = memory;
        let lucky = bids & core.active & core.filled & core.roomy;
        let lucky = self.sendable(&core.output, lucky, sendable);
        let mut through = B::NONE;
        for (input, output) in found.pairs() {
            let lanes = self.candidates(&core.output, lucky, input, output);
            if !lanes.is_empty() {
                let lane = self.choose_lane(core, lanes, input, output, site.packets);
                through.put(lane);
            }
        }
        core.timed &= !through;
        self.let_through(core, now, through, way, site);
    }

    /// The next words of the worms of `lanes` go through the switch.
    #[inline(always)]
    fn let_through<W: Way, Pr: Probe>(
        &self,
        core: &mut Core<B, N, P>,
        now: Cycle,
        lanes: B,
        way: &mut W,
        site: &mut Site<'_, Pr>,
    ) {
        if Pr::HEARS_BUFFERED {
            core.buffered -= lanes.count();
        }
        // Nobody could guess when a buffer runs empty or full.
        let (mut emptied, mut closed, mut stopped) = (B::NONE, B::NONE, B::NONE);
        for lane in lanes.numbers() {
            let output = usize::from(core.output[lane]);
            let is_last = B::from(core.words.take_one(lane).into());
            emptied |= is_last << lane as u32;
            way.credit(now, lane, self.spot(lane));
            if output < self.link_lanes {
                let is_full = B::from(core.room_words.take_one(output).into());
                closed |= is_full << output as u32;
                stopped |= is_full << lane as u32;
                way.send(output);
            }
        }
        core.filled &= !emptied;
        core.closed |= closed;
        core.roomy &= !stopped;
        let ends = core.fresh | core.whole & emptied;
        let tells_all =
            W::TELLS_ALL || Pr::HEARS_WORDS || self.parameters.switch_allocation_cycles > 1;
        let told = if tells_all { lanes } else { lanes & ends };
        for lane in told.numbers() {
            self.let_word_through(core, now, lane, way, site);
        }
    }

    /// A head, a tail, or a word that is told of, goes through the switch.
    #[inline(never)]
    fn let_word_through<W: Way, Pr: Probe>(
        &self,
        core: &mut Core<B, N, P>,
        now: Cycle,
        lane: usize,
        way: &mut W,
        site: &mut Site<'_, Pr>,
    ) {
        let output = usize::from(core.output[lane]);
        let word = Leaving {
            packet: core.inputs[lane].worm,
            index: core.gone[lane],
            is_head: core.fresh.has(lane),
            is_tail: core.whole.has(lane) && !core.filled.has(lane),
        };
        if W::TELLS_ALL || Pr::HEARS_WORDS {
            core.gone[lane] = if word.is_tail { 0 } else { word.index + 1 };
        }
        core.fresh.take(lane);
        if word.is_tail {
            self.end_worm(core, now, lane, output, site);
        } else if self.parameters.switch_allocation_cycles > 1 {
            let wait = self.parameters.switch_allocation_cycles;
            core.wait(now, lane, (wait, self.waits_are_short));
        }
        let leaves = now + self.parameters.crossing_cycles();
        let to = (output, self.spot(output), output >= self.link_lanes);
        way.cross((now, leaves), to, word, site);
    }

    /// A worm's tail has left an input lane; the next worm comes to the front.
    #[inline]
    fn end_worm<Pr: Probe>(
        &self,
        core: &mut Core<B, N, P>,
        now: Cycle,
        lane: usize,
        output: usize,
        site: &mut Site<'_, Pr>,
    ) {
        self.leave_lane(core, output);
        core.heading[self.port_of(output)].take(lane);
        core.active.take(lane);
        core.roomy.take(lane);
        core.timed.take(lane);
        core.occupied.take(lane);
        self.follow(core, lane, now, site);
    }
}
