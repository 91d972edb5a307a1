//! A wormhole router's node as docs/src/routers/wormhole.md describes it: buffers are queues of words, room
//! is a number, and each cycle goes through the stages of the pipeline in order.
//!
//! A *lane* is a virtual channel of a port, numbered port by port. Cycles are plain numbers.

use crate::arbiters::{Arbiters, Matrix};
use crate::bench::waits_for;
use flitwork_node::{Place, WaitsFor};
use flitwork_router::allocate::Allocator;
use flitwork_router::wormhole::{Reallocation, Switching, WormholeParameters};
use flitwork_types::{Port, PortSet};
use std::collections::{BTreeMap, VecDeque};

/// A word of a worm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Flit {
    /// The worm, by a number that the test assigns.
    pub(crate) worm: usize,
    pub(crate) index: u16,
    pub(crate) is_last: bool,
}

/// What is known about a worm at this node.
#[derive(Clone, Debug)]
pub(crate) struct Worm {
    pub(crate) words: u16,
    pub(crate) created: u64,
    /// The output lanes that its head bids for, and those that it bids for if none of these is available.
    pub(crate) preferred: Vec<usize>,
    pub(crate) fallback: Vec<usize>,
}

/// An input lane.
#[derive(Clone, Debug, Default)]
struct Input {
    buffer: VecDeque<Flit>,
    /// The cycle from which the head at the front bids for an output lane, while it holds none.
    routed: Option<u32>,
    /// The worm at the front, even while none of its words is in the buffer.
    worm: Option<usize>,
    /// The output lane that it holds, and the cycle from which its words bid for the switch.
    holds: Option<(usize, u32)>,
}

/// An output lane.
#[derive(Clone, Copy, Debug)]
struct Output {
    is_held: bool,
    /// Whether the last worm's words must leave the far buffer before another gets the lane.
    drains: bool,
    /// The room in the far buffer.
    room: u16,
}

/// What the node did in a cycle.
#[derive(Debug, Default)]
pub(crate) struct Done {
    /// Worms that were given an output lane: from which input lane, and which.
    pub(crate) moved: Vec<(usize, usize, usize)>,
    /// Words that were granted the switch: from which input lane, to which output lane.
    pub(crate) through: Vec<(usize, usize, Flit)>,
    /// A word of the source that has moved to a local input lane.
    pub(crate) injected: Option<(usize, Flit)>,
    /// Whether that was the last of its packet.
    pub(crate) source_is_free: bool,
    /// The words in the input buffers, if their number has changed.
    pub(crate) buffered: Option<u32>,
}

pub(crate) struct Node {
    parameters: WormholeParameters,
    ports: usize,
    /// The links that take words in this cycle.
    pub(crate) sendable: PortSet,
    pub(crate) worms: BTreeMap<usize, Worm>,
    inputs: Vec<Input>,
    outputs: Vec<Output>,
    channel_arbiters: Arbiters,
    switch_arbiters: Arbiters,
    speculation_arbiters: Arbiters,
    /// For each input port, the virtual channel that has its turn.
    turns: Vec<usize>,
    /// The source's words that have come, the channel that they move to, and the one that has its turn next.
    source: VecDeque<Flit>,
    /// The worm whose words come from the source, until the last has moved on.
    sends: Option<usize>,
    source_channel: usize,
    source_turn: usize,
    /// The room in each channel of the local port, as far as the source knows.
    source_room: Vec<u16>,
    /// What is under way, with the cycle of its arrival: credits of output lanes, words to local input lanes,
    /// room back to the source.
    credits: Vec<(u32, usize)>,
    entering: Vec<(u32, usize, Flit)>,
    room_back: Vec<(u32, usize)>,
}

/// Removes what has arrived by now.
fn due<T>(all: &mut Vec<T>, is_due: impl Fn(&T) -> bool) -> Vec<T> {
    all.extract_if(.., |one| is_due(one)).collect()
}

impl Node {
    /// A node with this many ports, the last of which is the local one.
    pub(crate) fn new(parameters: WormholeParameters, ports: usize) -> Node {
        let channels = usize::from(parameters.vcs);
        let lanes = ports * channels;
        let output = Output {
            is_held: false,
            drains: false,
            room: parameters.buffer_words,
        };
        let switch = parameters.switch_allocator;
        Node {
            ports,
            sendable: PortSet(u64::MAX),
            worms: BTreeMap::new(),
            inputs: vec![Input::default(); lanes],
            outputs: vec![output; lanes],
            channel_arbiters: Arbiters::new(parameters.vc_allocator, lanes),
            switch_arbiters: Arbiters::new(switch, ports),
            speculation_arbiters: Arbiters::new(switch, ports),
            turns: vec![0; ports],
            source: VecDeque::new(),
            sends: None,
            source_channel: 0,
            source_turn: 0,
            source_room: vec![parameters.buffer_words; channels],
            credits: Vec::new(),
            entering: Vec::new(),
            room_back: Vec::new(),
            parameters,
        }
    }

    fn channels(&self) -> usize {
        self.parameters.vcs.into()
    }

    fn port(&self, lane: usize) -> usize {
        lane / self.channels()
    }

    fn is_local(&self, lane: usize) -> bool {
        self.port(lane) + 1 == self.ports
    }

    /// One cycle: words that arrive over links, a word from the source, credits of output lanes.
    pub(crate) fn step(
        &mut self,
        now: u32,
        words: &[(usize, Flit)],
        source: Option<Flit>,
        credits: &[usize],
    ) -> Done {
        let (mut done, before) = (Done::default(), self.buffered());
        let usable = now + self.parameters.credit_cycles;
        self.credits
            .extend(credits.iter().map(|lane| (usable, *lane)));
        for (_, lane) in due(&mut self.credits, |(at, _)| *at <= now) {
            let output = &mut self.outputs[lane];
            output.room += 1;
            output.drains &= output.room < self.parameters.buffer_words;
        }
        for (lane, flit) in words {
            self.arrive(now, *lane, *flit);
        }
        self.source.extend(source);
        self.sends = source.map(|flit| flit.worm).or(self.sends);
        for (_, channel) in due(&mut self.room_back, |(at, _)| *at <= now) {
            self.source_room[channel] += 1;
        }
        self.send_on(now, &mut done);
        for (_, lane, flit) in due(&mut self.entering, |(at, ..)| *at <= now) {
            self.arrive(now, lane, flit);
        }
        let bidding = self.allocate_channels(now, &mut done);
        let speculative = match self.parameters.speculative {
            true => bidding,
            false => Vec::new(),
        };
        let sure = self.certain_bids(now, &speculative);
        self.allocate_switch(now, &sure, &mut done);
        self.speculate(now, &speculative, &mut done);
        done.buffered = Some(self.buffered()).filter(|words| *words != before);
        done
    }

    fn buffered(&self) -> u32 {
        let words = self.inputs.iter().map(|input| input.buffer.len() as u32);
        words.sum()
    }

    fn place(&self, lane: usize) -> (Port, u8) {
        let channels = self.channels();
        (Port((lane / channels) as u8), (lane % channels) as u8)
    }

    /// What each worm waits for: a head for any of the lanes that it may take, a worm that holds one for room at
    /// its far end, others for the worm before them or for room in the node.
    pub(crate) fn waits(&self) -> Vec<String> {
        let mut lines = Vec::new();
        let mut report =
            |worm: usize, place, what| lines.push(waits_for(worm as u32, place, &what));
        for (lane, input) in self.inputs.iter().enumerate() {
            let (port, channel) = self.place(lane);
            let place = Place::InputChannel(port, channel);
            let Some(front) = input.worm else {
                continue;
            };
            let worm = &self.worms[&front];
            let what = match input.holds {
                None => {
                    let mut lanes = [&worm.preferred[..], &worm.fallback].concat();
                    lanes.sort_unstable();
                    lanes.dedup();
                    WaitsFor::Channels(lanes.iter().map(|lane| self.place(*lane)).collect())
                }
                Some((output, _)) if self.is_local(output) || self.outputs[output].room > 0 => {
                    WaitsFor::Nothing
                }
                Some((output, _)) => {
                    let (port, channel) = self.place(output);
                    WaitsFor::Room(port, channel)
                }
            };
            report(front, place, what);
            let behind = |flit: &&Flit| flit.index == 0 && flit.worm != front;
            for flit in input.buffer.iter().filter(behind) {
                report(flit.worm, place, WaitsFor::Front);
            }
        }
        if let Some(worm) = self.sends {
            let local = Port((self.ports - 1) as u8);
            report(worm, Place::Input(local), WaitsFor::InputRoom);
        }
        lines.sort();
        lines
    }

    /// Whether no word is here.
    pub(crate) fn is_empty(&self) -> bool {
        let no_words = |input: &Input| input.buffer.is_empty() && input.holds.is_none();
        self.inputs.iter().all(no_words) && self.source.is_empty() && self.entering.is_empty()
    }

    /// A word enters a buffer. A head that is at the front then bids after the cycles of routing.
    fn arrive(&mut self, now: u32, lane: usize, flit: Flit) {
        let input = &mut self.inputs[lane];
        input.buffer.push_back(flit);
        assert!(input.buffer.len() <= self.parameters.buffer_words.into());
        if input.routed.is_none() && input.holds.is_none() {
            assert_eq!(flit.index, 0);
            input.worm = Some(flit.worm);
            input.routed = Some(now + self.parameters.route_cycles);
        }
    }

    /// The source's next word moves to a local lane with room. Packets take lanes in turn, and if buffers
    /// must be empty, only an empty one.
    fn send_on(&mut self, now: u32, done: &mut Done) {
        let Some(flit) = self.source.front().copied() else {
            return;
        };
        let channels = self.channels();
        let least = match (flit.index, self.parameters.reallocation) {
            (0, Reallocation::BufferEmpty) => self.parameters.buffer_words,
            _ => 1,
        };
        let candidates: Vec<usize> = match flit.index {
            0 => (0..channels)
                .map(|step| (self.source_turn + step) % channels)
                .collect(),
            _ => vec![self.source_channel],
        };
        let has_room = |channel: &&usize| self.source_room[**channel] >= least;
        let Some(channel) = candidates.iter().find(has_room).copied() else {
            return;
        };
        self.source.pop_front();
        self.source_room[channel] -= 1;
        if flit.index == 0 {
            (self.source_channel, self.source_turn) = (channel, (channel + 1) % channels);
        }
        done.source_is_free = flit.is_last;
        self.sends = self.sends.filter(|_| !flit.is_last);
        let lane = (self.ports - 1) * channels + channel;
        let arrives = now + self.parameters.injection_cycles;
        self.entering.push((arrives, lane, flit));
        done.injected = Some((lane, flit));
    }

    /// Whether a head may take an output lane: no worm holds it, and it has the room required.
    fn may_take(&self, worm: &Worm, output: usize) -> bool {
        let Output {
            is_held,
            drains,
            room,
        } = self.outputs[output];
        let has_room = self.parameters.switching == Switching::Wormhole
            || self.is_local(output)
            || room >= worm.words;
        !is_held && !drains && has_room
    }

    /// The output lanes that the head at the front of an input lane bids for.
    fn bids(&self, now: u32, lane: usize) -> Vec<usize> {
        let Input { buffer, routed, .. } = &self.inputs[lane];
        if routed.is_none_or(|from| from > now) {
            return Vec::new();
        }
        let head = buffer.front().expect("a head that bids is in the buffer");
        let worm = &self.worms[&head.worm];
        let has_come = |flit: &Flit| flit.worm == head.worm && flit.is_last;
        let stores = self.parameters.switching == Switching::StoreAndForward;
        if stores && !buffer.iter().any(has_come) {
            return Vec::new();
        }
        let free = |outputs: &[usize]| -> Vec<usize> {
            let outputs = outputs.iter().copied();
            outputs
                .filter(|output| self.may_take(worm, *output))
                .collect()
        };
        let preferred = free(&worm.preferred);
        match preferred.is_empty() {
            true => free(&worm.fallback),
            false => preferred,
        }
    }

    /// Gives heads output lanes. Returns the lanes whose heads have bid.
    fn allocate_channels(&mut self, now: u32, done: &mut Done) -> Vec<usize> {
        let lanes = self.inputs.len();
        let mut asked = vec![vec![false; lanes]; lanes];
        let mut bidding = Vec::new();
        for (lane, row) in asked.iter_mut().enumerate() {
            let bids = self.bids(now, lane);
            bids.iter().for_each(|output| row[*output] = true);
            if !bids.is_empty() {
                bidding.push(lane);
            }
        }
        let ages: Vec<u64> = (0..lanes).map(|lane| self.age(lane)).collect();
        let pairs = self.channel_arbiters.allocate(&asked, |lane, _| ages[lane]);
        for (lane, output) in pairs {
            self.outputs[output].is_held = true;
            let bids_from = now + self.parameters.vc_allocation_cycles;
            let input = &mut self.inputs[lane];
            input.routed = None;
            input.holds = Some((output, bids_from));
            done.moved.push((lane, output, input.buffer[0].worm));
        }
        bidding
    }

    /// When the packet at the front of an input lane was made.
    fn age(&self, lane: usize) -> u64 {
        let front = self.inputs[lane].buffer.front();
        front.map_or(u64::MAX, |flit| self.worms[&flit.worm].created)
    }

    /// Whether an input lane has a word for an output lane with room, whose link takes words.
    fn can_go(&self, lane: usize) -> Option<usize> {
        let (output, _) = self.inputs[lane].holds?;
        let has_room = self.is_local(output) || self.outputs[output].room > 0;
        let takes = self.is_local(output) || self.sendable.contains(self.place(output).0);
        (has_room && takes && !self.inputs[lane].buffer.is_empty()).then_some(output)
    }

    /// The input lanes whose words bid for the switch, and where to.
    fn certain_bids(&self, now: u32, speculative: &[usize]) -> Vec<(usize, usize)> {
        let bid = |lane: usize| {
            let (_, from) = self.inputs[lane].holds?;
            let output = self.can_go(lane)?;
            (from <= now && !speculative.contains(&lane)).then_some((lane, output))
        };
        (0..self.inputs.len()).filter_map(bid).collect()
    }

    /// Chooses one of the lanes of an input port that bid for an output port: the oldest packet's if the
    /// oldest goes first, otherwise the next in turn.
    fn choose(&mut self, input: usize, lanes: &[usize]) -> usize {
        if self.parameters.switch_allocator == Allocator::Age {
            let oldest = lanes.iter().min_by_key(|lane| (self.age(**lane), **lane));
            return *oldest.expect("a lane bid");
        }
        let channels = self.channels();
        let in_turn = (0..channels).map(|step| (self.turns[input] + step) % channels);
        let mut in_turn = in_turn.map(|channel| input * channels + channel);
        let lane = in_turn.find(|lane| lanes.contains(lane));
        let lane = lane.expect("a lane bid");
        self.turns[input] = (lane % channels + 1) % channels;
        lane
    }

    /// One word from each input port, one to each output port.
    fn allocate_switch(&mut self, now: u32, bids: &[(usize, usize)], done: &mut Done) {
        let mut asked: Matrix = vec![vec![false; self.ports]; self.ports];
        let mut ages = vec![vec![u64::MAX; self.ports]; self.ports];
        for (lane, output) in bids {
            let (row, column) = (self.port(*lane), self.port(*output));
            asked[row][column] = true;
            ages[row][column] = ages[row][column].min(self.age(*lane));
        }
        let pairs = self
            .switch_arbiters
            .allocate(&asked, |row, column| ages[row][column]);
        for (row, column) in pairs {
            let among =
                |bid: &&(usize, usize)| (self.port(bid.0), self.port(bid.1)) == (row, column);
            let lanes: Vec<usize> = bids.iter().filter(among).map(|bid| bid.0).collect();
            let lane = self.choose(row, &lanes);
            self.let_through(now, lane, done);
        }
    }

    /// Heads that bid for an output lane also bid for the switch: each for the port of the lane that it was
    /// given, or for those of all lanes that it may take. They get what certain bids have left. If a head
    /// without a lane wins, nothing goes.
    fn speculate(&mut self, now: u32, speculative: &[usize], done: &mut Done) {
        let mut asked: Matrix = vec![vec![false; self.ports]; self.ports];
        let mut ages = vec![vec![u64::MAX; self.ports]; self.ports];
        for lane in speculative {
            let wanted = match self.inputs[*lane].holds {
                Some((output, _)) => vec![output],
                None => {
                    let worm = &self.worms[&self.inputs[*lane].buffer[0].worm];
                    [&worm.preferred[..], &worm.fallback].concat()
                }
            };
            for output in wanted {
                let (row, column) = (self.port(*lane), self.port(output));
                let free = |taken: &(usize, usize, Flit)| {
                    self.port(taken.0) != row && self.port(taken.1) != column
                };
                asked[row][column] = done.through.iter().all(free);
                ages[row][column] = ages[row][column].min(self.age(*lane));
            }
        }
        let pairs = self
            .speculation_arbiters
            .allocate(&asked, |row, column| ages[row][column]);
        for (row, column) in pairs {
            let goes = |lane: &usize| {
                let to_column = |output: usize| self.port(output) == column;
                self.port(*lane) == row && self.can_go(*lane).is_some_and(to_column)
            };
            let lanes: Vec<usize> = speculative.iter().copied().filter(goes).collect();
            if !lanes.is_empty() {
                let lane = self.choose(row, &lanes);
                self.let_through(now, lane, done);
            }
        }
    }

    /// A word has been granted the switch.
    fn let_through(&mut self, now: u32, lane: usize, done: &mut Done) {
        let input = &mut self.inputs[lane];
        let (output, _) = input.holds.expect("a word that goes has an output lane");
        let flit = input.buffer.pop_front().expect("a word that goes is there");
        done.through.push((lane, output, flit));
        if self.is_local(lane) {
            let known = now + self.parameters.injection_cycles;
            self.room_back.push((known, lane % self.channels()));
        }
        if !self.is_local(output) {
            self.outputs[output].room -= 1;
        }
        let input = &mut self.inputs[lane];
        if !flit.is_last {
            // The next word bids when this one has passed the stage.
            let wait = self.parameters.switch_allocation_cycles.max(1);
            input.holds = Some((output, now + wait));
            return;
        }
        input.holds = None;
        // The worm behind moves to the front in the next cycle.
        input.worm = input.buffer.front().map(|flit| flit.worm);
        let from = now + 1 + self.parameters.route_cycles;
        input.routed = input.worm.map(|_| from);
        let waits = self.parameters.reallocation == Reallocation::BufferEmpty;
        let waits = waits && !self.is_local(output);
        let output = &mut self.outputs[output];
        (output.is_held, output.drains) = (false, waits);
    }
}
