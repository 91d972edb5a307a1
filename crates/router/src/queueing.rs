//! Dimension order with a queue at each incoming link: the hardware of the queueing algorithms of Chinn 1995, chapter 2.
//!
//! ```text
//!            k frames a link, whole packets           each link: the first of those that want it
//!   north ──▶ [ ■ ■   ] ─┐                          ┌──▶ north    channel 0: into the far queue,
//!   east  ──▶ [ ■     ] ─┤                          ├──▶ east                 if its link has a credit
//!   south ──▶ [       ] ─┼─▶ along the first ───────┼──▶ south    channel 1: home at the far end,
//!   west  ──▶ [ ■ ■ ■ ] ─┤   dimension, then the    ├──▶ west                 if both have one
//!   source ─▶ [ ■     ] ─┘   next                   └──▶ delivery, on arrival
//!
//!   credits ◀── the frames that packets left in this cycle, counted
//! ```
//!
//! Each terminal has a queue of its own at its local port. A packet is stored whole before it goes on. Of those that want a link one is chosen by an [`Order`]; if the far queue
//! has no room, the link stays idle. Several packets of one queue may leave at once over different links, so a credit
//! counts. A packet that reaches its destination at the far end takes none of that queue's frames, but doesn't go there unless one is
//! free: its sender doesn't know more of the queue than of any other.
//!
//! With links of one cycle a credit that leaves with its packet is there as the next decision is made. So where all packets
//! have w words and all begin at once, w cycles are a step of the papers' model, in which a node sees how much room there
//! is as the step begins.

mod deadlock;
mod explain;
mod frames;
mod keys;
mod order;
mod rules;

pub use keys::QueueingParameters;
pub use order::Order;

use crate::parameters::Deadlock;
use flitwork_node::{
    Buffers, Datapath, Inputs, Outputs, Passes, Place, Probe, Reported, Router, Site, View, Wait,
    WordRouter,
};
use flitwork_topology::{Topology, first_dimension};
use flitwork_types::{Cycle, Due, NodeId, PacketRef, Packets, Port, PortSet, Word};
use frames::{Frame, Room};

/// The channel of packets that go into a queue.
const QUEUE: u8 = 0;
/// The channel of packets that are home at the far end.
const HOME: u8 = 1;
/// What a credit counts for each packet that was home, of which one is whole in a cycle; below it are the frames of the queue,
/// fewer than a node has ports.
const HOME_CREDIT: u8 = 1 << 6;

/// The router on a topology.
pub struct Queueing<T> {
    topology: T,
    parameters: QueueingParameters,
    seed: u64,
    local_ports: PortSet,
}

/// The registers and frames of one node.
#[derive(Clone, Debug)]
pub struct Node {
    /// The frames that hold a packet, in the order in which their heads came.
    frames: Vec<Frame>,
    /// The room at the far end of each link.
    rooms: Box<[Room]>,
    /// The local ports whose source's last packet has come, and that may not send another yet.
    owed_sources: PortSet,
}

impl Node {
    /// The links over which a packet is being sent.
    fn sending(&self) -> PortSet {
        let sending = self.frames.iter().filter(|frame| frame.is_sending);
        sending.map(|frame| frame.wants).collect()
    }
}

impl<T: Topology> Queueing<T> {
    /// The router with checked parameters; `seed` keys the nodes' random streams.
    pub fn new(topology: T, parameters: QueueingParameters, seed: u64) -> Queueing<T> {
        Queueing {
            local_ports: topology.local_ports(),
            topology,
            parameters,
            seed,
        }
    }

    /// The room at the far end of a link all of whose frames are free.
    fn all_room(&self) -> Room {
        Room {
            queue: self.parameters.frames.into(),
            home: self.parameters.home_frames.into(),
        }
    }

    /// Whether the far end of its link has a frame for a packet.
    fn has_room(&self, state: &Node, frame: &Frame) -> bool {
        state.rooms[frame.wants.index()].takes(frame.channel_ahead())
    }

    /// The frame whose packet goes first of those that want a link that is free; of equals, the one that came first.
    fn first(&self, state: &Node, port: Port, now: Cycle, site: (NodeId, &Packets)) -> usize {
        let waiting = state.frames.iter().enumerate();
        let waiting = waiting.filter(|(_, frame)| frame.waits_for(port));
        let ranked = waiting.map(|(place, frame)| {
            let rank = self.rank(frame, now, site);
            ((rank, frame.arrived, frame.input), place)
        });
        ranked.min().expect("one that wants the link").1
    }

    /// The links that packets want and that are free.
    fn wanted(&self, state: &Node) -> PortSet {
        let waiting = state.frames.iter().filter(|frame| frame.is_waiting());
        let wanted: PortSet = waiting.map(|frame| frame.wants).collect();
        PortSet(wanted.0 & !state.sending().0)
    }

    /// A packet is chosen for a link: it goes on.
    fn decide<P: Probe>(&self, state: &mut Node, place: usize, now: Cycle, site: &mut Site<'_, P>) {
        let (node, port) = (site.node, state.frames[place].wants);
        site.witness(|witness, packets| {
            witness.decided(self.link(state, port, now, (node, packets)));
        });
        let frame = &mut state.frames[place];
        let channel = frame.channel_ahead();
        frame.is_sending = true;
        state.rooms[port.index()].take(channel);
        site.hops(now, frame.packet, port, false);
        site.moved(
            now,
            frame.packet,
            (frame.place(), frame.place_ahead()),
            false,
        );
    }

    /// The next word of a packet leaves.
    fn send<P: Probe>(
        &self,
        frame: &mut Frame,
        now: Cycle,
        outputs: &mut Outputs<'_>,
        site: &mut Site<'_, P>,
    ) {
        let word = Word {
            channel: frame.channel_ahead(),
            ..Word::of(frame.packet, frame.gone, frame.words)
        };
        frame.gone += 1;
        site.departs(now, frame.wants, word, frame.words);
        outputs.send(frame.wants, word);
    }

    /// Packets that are home leave the network.
    fn deliver<P: Probe>(&self, state: &mut Node, now: Cycle, site: &mut Site<'_, P>) {
        for frame in state.frames.iter_mut().filter(|frame| frame.at_destination) {
            site.witness(|witness, packets| witness.decided(explain::home(frame, packets)));
            let terminal = site.packets[frame.packet].destination;
            let home = Place::Output(self.topology.local_of(terminal));
            site.moved(now, frame.packet, (frame.place(), home), false);
            frame.gone = frame.words;
            site.delivered(now, frame.packet);
        }
    }

    /// Credits leave for the frames that packets have left.
    fn free(&self, state: &mut Node, outputs: &mut Outputs<'_>) {
        let gone = state.frames.iter().filter(|frame| frame.is_gone());
        let ports: PortSet = gone.map(|frame| frame.input).collect();
        for port in ports.iter().filter(|port| !self.topology.is_local(*port)) {
            let gone = state.frames.iter().filter(|frame| frame.is_gone());
            let of_port = gone.filter(|frame| frame.input == port);
            let credit = of_port.map(|frame| match frame.channel {
                HOME => HOME_CREDIT,
                _ => 1,
            });
            outputs.credit(port, credit.sum());
        }
        if !ports.is_empty() {
            state.frames.retain(|frame| !frame.is_gone());
        }
        for local in state.owed_sources.iter() {
            let own = state.frames.iter().filter(|frame| frame.input == local);
            if own.count() < usize::from(self.parameters.frames) {
                state.owed_sources.remove(local);
                outputs.credit(local, 0);
            }
        }
    }

    /// The node to which a packet goes.
    fn destination(&self, packet: PacketRef, packets: &Packets) -> NodeId {
        self.topology.home(packets[packet].destination)
    }

    /// The link that a packet takes: of the productive ones that of the lowest dimension; of two ways around, and where
    /// there are no dimensions, the lower port.
    fn first_dimension(&self, node: NodeId, packet: PacketRef, packets: &Packets) -> Port {
        let destination = self.destination(packet, packets);
        let productive = self.topology.productive(node, destination);
        let first = first_dimension(productive, self.topology.grid());
        first.expect("a packet that isn't home has a way")
    }
}

impl<T: Topology> Router for Queueing<T> {
    type Node = Node;

    fn nodes(&self) -> Vec<Node> {
        let node = Node {
            frames: Vec::new(),
            rooms: vec![self.all_room(); self.topology.ports()].into(),
            owed_sources: PortSet::EMPTY,
        };
        vec![node; self.topology.nodes() as usize]
    }

    fn heap_bytes(&self, state: &Node) -> usize {
        size_of_val(&*state.frames) + size_of_val(&*state.rooms)
    }

    fn waits(&self, node: NodeId, state: &Node, packets: &Packets, _: Cycle) -> Vec<Wait> {
        let frames = state.frames.iter();
        let wait = |frame: &Frame| {
            let (waits_for, until) = self.waits_for(state, frame);
            let packet = &packets[frame.packet];
            let wait = Wait::of(node, packet, frame.place(), waits_for).until(until);
            match frame.is_sending && !frame.is_gone() {
                true => wait.leaving_by(frame.wants, frame.channel_ahead()),
                false => wait,
            }
        };
        frames.map(wait).collect()
    }

    fn longest_packet_words(&self) -> u16 {
        self.parameters.frame_words
    }

    fn takes_faults(&self) -> bool {
        true
    }

    /// The frame's, once its packet has left.
    fn answer(&self, word: Word) -> Option<u8> {
        word.flit.is_tail().then_some(match word.channel {
            HOME => HOME_CREDIT,
            _ => 1,
        })
    }

    /// One for packets that go into the queue of the link, one for those that are home.
    fn channels(&self) -> u8 {
        2
    }

    fn credit_words(&self) -> Option<u32> {
        Some(self.parameters.credit_words())
    }

    fn returned(&self, credit: u8) -> [(u8, u8); 2] {
        let home = credit / HOME_CREDIT;
        [(QUEUE, credit % HOME_CREDIT), (HOME, home)]
    }

    /// Every packet is stored whole, and passes the crossbar on its way out.
    ///
    /// | a word | written | read | crossbar |
    /// |---|---|---|---|
    /// | comes from the source | frame | | |
    /// | goes over a link | the far frame | frame | once |
    /// | is delivered | | frame | |
    fn datapath(&self) -> Option<Datapath> {
        Some(Datapath {
            injected: Passes::new(1, 0, 0),
            linked: Passes::new(1, 1, 1),
            delivered: Passes::new(0, 1, 0),
            buffers: Buffers::Words("frames"),
            ..Datapath::NONE
        })
    }
}

impl<T: Topology> WordRouter for Queueing<T> {
    fn is_idle(&self, state: &Node) -> bool {
        state.frames.is_empty()
    }

    fn is_settled(&self, state: &Node) -> bool {
        let all = self.all_room();
        self.is_idle(state) && state.rooms.iter().all(|room| *room == all)
    }

    fn next_step(&self, state: &Node, now: Cycle) -> Due {
        // While a link carries a packet, its node acts anyway.
        let acts =
            |frame: &Frame| frame.is_sending || frame.is_waiting() && self.has_room(state, frame);
        Due::when(state.frames.iter().any(acts), now)
    }

    fn look(&self, node: NodeId, state: &Node, packets: &Packets, _: Cycle) -> View {
        self.view(node, state, packets)
    }

    fn reroute<P: Probe>(&self, state: &mut Node, _: Cycle, site: &mut Site<'_, P>) {
        let waiting = state.frames.iter_mut().filter(|frame| frame.is_waiting());
        for frame in waiting {
            self.route(frame, site.node, site.packets);
        }
    }

    fn step<P: Probe>(
        &self,
        state: &mut Node,
        now: Cycle,
        inputs: &Inputs<'_>,
        outputs: &mut Outputs<'_>,
        site: &mut Site<'_, P>,
    ) {
        let held = frames::held_words(state);
        self.receive(state, (site.node, now), inputs, site.packets);
        let own = inputs.arrived.0 & self.local_ports.0;
        for port in PortSet(own).iter() {
            let word = inputs.words[port.index()];
            if word.flit.is_head() {
                site.injected(now, word.packet);
            }
        }
        self.deliver(state, now, site);
        for port in PortSet(self.wanted(state).0 & inputs.sendable.0).iter() {
            let place = self.first(state, port, now, (site.node, site.packets));
            if self.has_room(state, &state.frames[place]) {
                self.decide(state, place, now, site);
            }
        }
        site.witness(|witness, packets| {
            self.tell_others(state, inputs.sendable, (witness, packets));
        });
        for frame in state.frames.iter_mut().filter(|frame| frame.is_sending) {
            if inputs.sendable.contains(frame.wants) {
                self.send(frame, now, outputs, site);
            }
        }
        self.free(state, outputs);
        if site.probe.wants(Reported::Buffered) {
            let words = frames::held_words(state);
            if words != held {
                site.probe.buffered(site.node, now, words);
            }
        }
    }
}
