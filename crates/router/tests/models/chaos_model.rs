//! A Chaos router's node as docs/src/routers/chaos.md describes it (Chinn 1995, section 4.1): frames hold packets,
//! and the table of cycles says when words, credits and heads are where.
//!
//! A packet's words come one a cycle. Cycles are plain numbers, and packets have numbers of the test's own.

use crate::bench::waits_for;
use crate::observed::enters;
use flitwork_node::{BEFORE_RUN, Place, WaitsFor, draw_below};
use flitwork_router::chaos::{
    ChaosParameters, Delivery, DerouteAmong, InitialPointer, MultiqueueFreed, MultiqueuePolicy,
    StallRule,
};
use flitwork_topology::{Grid, Topology};
use flitwork_types::{Cycle, NodeId, Port, PortSet};

/// A packet in an input frame or in the multiqueue, and the cycle from which it is ready.
#[derive(Clone, Copy, Debug)]
struct Held {
    packet: usize,
    destination: NodeId,
    ready: u32,
}

/// An output frame.
#[derive(Clone, Copy, Debug)]
enum Frame {
    /// It can be decided on from this cycle on.
    Empty { from: u32 },
    /// A packet waits for the link, its head ready from this cycle on.
    Full {
        packet: usize,
        ready: u32,
        deroute: bool,
    },
}

/// What a decision does for an output frame.
#[derive(Clone, Copy, Debug)]
enum Choice {
    /// The multiqueue's packet at this place goes, or is derouted.
    FromQueue(usize, bool),
    /// The packet in this input frame, or in the injection frame, goes.
    Bypass(usize),
    /// No packet goes to the output; the one in the paired input frame has stalled.
    Stalled,
}

pub(crate) struct Node {
    grid: Grid,
    node: NodeId,
    parameters: ChaosParameters,
    stall_rule: StallRule,
    seed: u64,
    /// The outputs in the order of the scan, and the position in it where the next scan starts.
    order: Vec<usize>,
    pointer: usize,
    inputs: Vec<Option<Held>>,
    queue: Vec<Held>,
    /// When multiqueue frames are free that packets are leaving.
    leaving: Vec<u32>,
    outputs: Vec<Frame>,
    /// For each link whether the far input frame is free.
    credits: Vec<bool>,
    /// What will be observed, and in which cycle.
    announced: Vec<(u32, String)>,
}

impl Node {
    pub(crate) fn new(
        grid: &Grid,
        node: NodeId,
        (parameters, stall_rule): (&ChaosParameters, StallRule),
        seed: u64,
    ) -> Node {
        let links = grid.ports();
        let scan = parameters.scan_order().iter().map(|port| port.index());
        Node {
            order: scan.chain([links]).collect(),
            // A random pointer starts at a link, never at delivery.
            pointer: match parameters.initial_pointer {
                InitialPointer::Fixed => 0,
                InitialPointer::Random => {
                    draw_below(links as u32, seed, node, BEFORE_RUN, 0) as usize
                }
            },
            inputs: vec![None; links + 1],
            queue: Vec::new(),
            leaving: Vec::new(),
            outputs: vec![Frame::Empty { from: 0 }; links + 1],
            credits: vec![true; links],
            announced: Vec::new(),
            grid: grid.clone(),
            node,
            parameters: parameters.clone(),
            stall_rule,
            seed,
        }
    }

    fn local(&self) -> usize {
        self.grid.ports()
    }

    fn words(&self) -> u32 {
        self.parameters.packet_words.into()
    }

    /// Cycles from a head's arrival in a frame until it is ready: none with cut-through, otherwise until the
    /// last word has arrived.
    fn lag(&self) -> u32 {
        match self.parameters.cut_through {
            true => 0,
            false => self.words() - 1,
        }
    }

    fn will(&mut self, at: u32, line: String) {
        self.announced.push((at, line));
    }

    /// A packet's words move into a frame one per cycle from `from` on.
    fn will_enter(&mut self, from: u32, place: Place) {
        for at in from..from + self.words() {
            let line = (at, enters(place));
            if !self.announced.contains(&line) {
                self.announced.push(line);
            }
        }
    }

    /// One cycle: packets whose heads arrive, by port, and links whose far input frame becomes free. Returns
    /// what is observed in this cycle.
    pub(crate) fn step(
        &mut self,
        now: u32,
        heads: &[(Port, usize, NodeId)],
        credits: &[Port],
    ) -> Vec<String> {
        credits
            .iter()
            .for_each(|port| self.credits[port.index()] = true);
        for (port, packet, destination) in heads {
            self.accept(now, *port, *packet, *destination);
        }
        for port in 0..=self.local() {
            if let Frame::Full {
                packet,
                ready,
                deroute,
            } = self.outputs[port]
                && ready <= now
                && (port == self.local() || self.credits[port])
            {
                self.launch(now, port, packet, deroute);
            }
        }
        let places = self.order.len();
        let scan = (0..places).map(|step| (self.pointer + step) % places);
        let decided = scan.into_iter().find_map(|place| {
            let choice = self.choose(now, self.order[place])?;
            Some((place, choice))
        });
        if let Some((place, choice)) = decided {
            self.pointer = (place + 1) % places;
            self.carry_out(now, self.order[place], choice);
        }
        let due = self.announced.extract_if(.., |(at, _)| *at <= now);
        let mut lines: Vec<String> = due.map(|(_, line)| line).collect();
        lines.sort();
        lines
    }

    /// A head arrives.
    fn accept(&mut self, now: u32, port: Port, packet: usize, destination: NodeId) {
        let is_own = port.index() == self.local();
        if is_own {
            self.will(now, format!("{now}: {packet} is injected"));
        }
        let vanishes = self.parameters.delivery == Delivery::Vanish;
        if vanishes && !is_own && destination == self.node {
            self.will(
                now,
                format!("{now}: {packet} is delivered after 0 hops, 0 deroutes"),
            );
            self.release(now, port.index());
            return;
        }
        let ready = now + self.lag();
        let held = Held {
            packet,
            destination,
            ready,
        };
        assert!(self.inputs[port.index()].replace(held).is_none());
    }

    /// The words of a packet in an output frame leave, one per cycle.
    fn launch(&mut self, now: u32, port: usize, packet: usize, deroute: bool) {
        let words = self.words();
        let name = Port(port as u8);
        let hops = u16::from(port != self.local());
        let record = format!("{hops} hops, {} deroutes", u16::from(deroute));
        for index in 0..words {
            let ends = (index == 0, index + 1 == words);
            let line = format!("word {index} of {packet} at {name:?} 0 {ends:?}, {record}");
            self.will(now + index, line);
        }
        let tail = now + words - 1;
        self.will(now, format!("{now}: head of {packet} at {name:?}"));
        self.will(
            tail,
            format!("{tail}: tail of {packet} at {name:?}, {words} words"),
        );
        let from = now + words + self.parameters.output_reopen_cycles;
        self.outputs[port] = Frame::Empty { from };
        if port == self.local() {
            // Reported with the last word.
            self.will(
                tail,
                format!("{}: {packet} is delivered after {record}", tail + 1),
            );
        } else {
            self.credits[port] = false;
        }
    }

    /// A decision has released an input frame: its credit leaves. The injection frame is free one cycle after
    /// its last word.
    fn release(&mut self, now: u32, port: usize) {
        let leaves = if port == self.local() {
            now + self.parameters.decision_latency_cycles + self.words() - 2
        } else {
            now + self.parameters.input_release_cycles - 1
        };
        let name = Port(port as u8);
        self.will(leaves, format!("{leaves}: a frame at {name:?} is freed"));
        self.will(leaves, format!("credit at {name:?} for 0"));
    }

    fn is_full(&self, now: u32) -> bool {
        let leaving = self.leaving.iter().filter(|free| **free > now).count();
        self.queue.len() + leaving == self.parameters.multiqueue_frames
    }

    fn is_good(&self, packet: &Held, output: usize) -> bool {
        if packet.destination == self.node {
            return output == self.local();
        }
        let productive = self.grid.productive(self.node, packet.destination);
        output != self.local() && productive.contains(Port(output as u8))
    }

    /// What is decided for an output frame, if it is interesting.
    fn choose(&self, now: u32, output: usize) -> Option<Choice> {
        let is_link = output != self.local();
        let has_link = !is_link || self.grid.links(self.node).contains(Port(output as u8));
        let is_empty = matches!(self.outputs[output], Frame::Empty { from } if from <= now);
        let threshold = self.parameters.stall_threshold_cycles;
        let stalled = |packet: Held| packet.ready + threshold <= now;
        let pair = self.inputs[output].filter(|_| is_link);
        let is_full = self.is_full(now);
        if has_link && !is_empty {
            // A packet in the output frame for which no credit has come waits for the neighbour.
            let waits = matches!(self.outputs[output], Frame::Full { .. });
            let counts = self.stall_rule == StallRule::BehindWaitingOutput && is_link && !is_full;
            let yields = counts && waits && !self.credits[output] && pair.is_some_and(stalled);
            return yields.then_some(Choice::Stalled);
        }
        if !has_link {
            return None;
        }
        let places = 0..self.queue.len();
        let ready: Vec<usize> = places
            .filter(|place| self.queue[*place].ready <= now)
            .collect();
        let good = ready.iter().copied();
        let good: Vec<usize> = good
            .filter(|place| self.is_good(&self.queue[*place], output))
            .collect();
        if !good.is_empty() {
            return Some(Choice::FromQueue(self.pick(now, &good), false));
        }
        if is_full {
            let among = match self.parameters.deroute_among {
                DerouteAmong::Ready => ready,
                DerouteAmong::All => (0..self.queue.len()).collect(),
            };
            let deroutes = self.parameters.derouting && is_link && !among.is_empty();
            return deroutes.then(|| {
                let place = among[self.draw(among.len(), now, 0)];
                Choice::FromQueue(place, !self.is_good(&self.queue[place], output))
            });
        }
        let waiting = |port: &usize| {
            let packet = self.inputs[*port].filter(|packet| packet.ready <= now)?;
            (self.may_bypass(*port) && self.is_good(&packet, output))
                .then_some((packet.ready, *port))
        };
        let longest = (0..self.inputs.len())
            .filter_map(|port| waiting(&port))
            .min();
        if let Some((_, port)) = longest {
            return Some(Choice::Bypass(port));
        }
        pair.is_some_and(stalled).then_some(Choice::Stalled)
    }

    /// Whether packets in an input frame may go past the multiqueue, which is the injection frame's only way.
    fn may_bypass(&self, port: usize) -> bool {
        self.parameters.bypass || port == self.local()
    }

    /// What packets in input frames and in the multiqueue wait for at `now`: one that may not move yet waits
    /// for room in the multiqueue or for one of its productive outputs.
    pub(crate) fn waits(&self, now: u32) -> Vec<String> {
        let outputs = 0..=self.local();
        let is_open = |output: &usize| {
            let port = Port(*output as u8);
            let is_empty = matches!(self.outputs[*output], Frame::Empty { from } if from <= now);
            is_empty && (*output == self.local() || self.grid.links(self.node).contains(port))
        };
        let open: Vec<usize> = outputs.clone().filter(is_open).collect();
        let held_up = |held: &Held| {
            let good = outputs.clone().filter(|output| self.is_good(held, *output));
            let good: Vec<usize> = good.collect();
            if good.iter().any(|output| open.contains(output)) {
                return WaitsFor::Nothing;
            }
            let mut ports = PortSet::EMPTY;
            good.iter()
                .for_each(|output| ports.insert(Port(*output as u8)));
            WaitsFor::Outputs(ports)
        };
        let mut lines = Vec::new();
        for held in &self.queue {
            lines.push(waits_for(held.packet as u32, Place::Queue, &held_up(held)));
        }
        let is_full = self.is_full(now);
        for (port, held) in self.inputs.iter().enumerate() {
            // If packets are stored, one whose last word hasn't arrived waits for that.
            let Some(held) = held.filter(|held| held.ready <= now) else {
                continue;
            };
            let what = match (is_full, self.may_bypass(port)) {
                (true, _) => WaitsFor::QueueRoom,
                (false, true) => held_up(&held),
                // The multiqueue takes it once its paired output is decided on, or by the other rule when it has stalled.
                (false, false) => match self.stall_rule {
                    StallRule::BehindOpenOutput if !open.contains(&port) => {
                        WaitsFor::Outputs(PortSet::only(Port(port as u8)))
                    }
                    _ => WaitsFor::Nothing,
                },
            };
            let place = Place::Input(Port(port as u8));
            lines.push(waits_for(held.packet as u32, place, &what));
        }
        lines.sort();
        lines
    }

    fn draw(&self, below: usize, now: u32, index: u32) -> usize {
        draw_below(below as u32, self.seed, self.node, Cycle(now), index) as usize
    }

    /// Which of the eligible multiqueue packets goes.
    fn pick(&self, now: u32, good: &[usize]) -> usize {
        match self.parameters.multiqueue_policy {
            MultiqueuePolicy::OldestFirst => good[0],
            MultiqueuePolicy::NewestFirst => good[good.len() - 1],
            MultiqueuePolicy::Random => good[self.draw(good.len(), now, 1)],
        }
    }

    fn carry_out(&mut self, now: u32, output: usize, choice: Choice) {
        let to = Place::Output(Port(output as u8));
        let latency = self.parameters.decision_latency_cycles;
        // A packet whose head isn't ready is treated as one that is decided on once it is.
        let mut acts = now;
        let moved = match choice {
            Choice::FromQueue(place, deroute) => {
                let held = self.queue.remove(place);
                acts = now.max(held.ready);
                if self.parameters.multiqueue_freed_at == MultiqueueFreed::Tail {
                    // Its words move from `acts` + latency - 1 on, one per cycle.
                    self.leaving.push(acts + latency + self.words() - 1);
                }
                Some((held.packet, Place::Queue, deroute))
            }
            Choice::Bypass(port) => {
                self.release(now, port);
                let held = self.inputs[port].take().expect("a packet waits there");
                Some((held.packet, Place::Input(Port(port as u8)), false))
            }
            Choice::Stalled => None,
        };
        if let Some((packet, from, deroute)) = moved {
            self.outputs[output] = Frame::Full {
                packet,
                ready: acts + latency + self.lag(),
                deroute,
            };
            let line = format!("{now}: {packet} moves from {from} to {to}, deroute {deroute}");
            self.will(now, line);
            self.will_enter(acts + latency - 1, to);
        }
        let pair = self.inputs[output].filter(|packet| packet.ready <= now);
        if let Some(held) = pair.filter(|_| output != self.local() && !self.is_full(now)) {
            let ready = now + latency + self.lag();
            self.inputs[output] = None;
            self.release(now, output);
            self.queue.push(Held { ready, ..held });
            let (from, to) = (Place::Input(Port(output as u8)), Place::Queue);
            let packet = held.packet;
            let line = format!("{now}: {packet} moves from {from} to {to}, deroute false");
            self.will(now, line);
            self.will_enter(now + latency - 1, to);
        }
        assert!(self.queue.len() <= self.parameters.multiqueue_frames);
    }
}
