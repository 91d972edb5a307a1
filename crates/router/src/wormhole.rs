//! The wormhole router: input-queued, with virtual channels and credits (Dally, "Virtual-channel flow
//! control", 1992; Dally and Towles 2004, chapters 16 and 17).
//!
//! ```text
//!            input buffers: one a virtual channel                    switch
//!   north ──▶ [ ■■■■■■■■ ] [ ■■■      ] ──────────────────────────┐
//!   east  ──▶ [          ] [          ] ──────────────────────┐   │     words that cross
//!   south ──▶ [ ■■       ] [          ] ──────────────────┐ ┌─┴───┴─┐ ┌─┬─┐
//!   west  ──▶ [          ] [ ■■■■■    ] ──────────────┐   └─┤       ├─│ │ │──▶ north
//!   source ─▶ injection ──▶ [ ■■■■ ] [ ]              └─────┤   ╳   ├─│ │ │──▶ east
//!                 ▲                                  ┌──────┤       ├─│ │ │──▶ south
//!                 └ a packet's words                 │      │       ├─│ │ │──▶ west
//!                                                    │      └───────┘ └─┴─┘──▶ processor
//!   credits ◀── one a word that left a buffer        │
//!   credits ──▶ wait ──▶ room at the far ends        route ─▶ virtual channel ─▶ switch ─▶ traversal
//! ```
//!
//! A head is routed, bids for a virtual channel of an output and then, as the words behind it, word by word
//! for the switch. A worm holds its virtual channel from its head to its tail; words of different worms
//! never mix in one.
//!
//! A *lane* is a virtual channel of a port: of an input, where it has a buffer, or of an output, where it
//! has a count of the room in the buffer at the far end.

mod channels;
mod injection;
mod parameters;
mod report;
mod switch;

pub use parameters::{
    MAX_BUFFER_WORDS, MAX_LANES, MAX_STAGE_CYCLES, Reallocation, Switching, WormholeError,
    WormholeParameters,
};

use crate::allocate::Memory;
use crate::bits::Bits;
use crate::routing::{Choices, Head, Rank, Routing};
use flitwork_node::{
    Buffers, Datapath, Inputs, Outputs, Passes, Probe, Router, Site, Stepped, Wait,
};
use flitwork_topology::Topology;
use flitwork_types::{Cycle, NodeId, PacketRef, Packets, Port, PortSet, Word};
use injection::Injection;
use std::collections::VecDeque;
use std::marker::PhantomData;

/// An input lane: the worm at the front of its buffer, and how it goes on.
#[derive(Clone, Copy, Debug, Default)]
struct InputLane {
    worm: PacketRef,
    /// The cycle from which the worm may take the next stage.
    ready: Cycle,
    /// The place in its packet of the worm's first word here.
    next: u16,
    /// Words of it that are in the buffer.
    words: u16,
    /// Whether its tail is in the buffer or has left it.
    whole: bool,
    /// The output lane that it holds.
    output: u8,
}

/// A worm in a buffer behind another.
#[derive(Clone, Copy, Debug)]
struct Behind {
    worm: PacketRef,
    words: u16,
    whole: bool,
}

/// An output lane: the room in the buffer at the far end, and the input lane that holds it.
#[derive(Clone, Copy, Debug, Default)]
struct OutputLane {
    room_words: u16,
    holder: u8,
}

/// A word on its way through the switch.
#[derive(Clone, Copy, Debug)]
struct Crossing {
    leaves: Cycle,
    port: Port,
    word: Word,
}

/// The registers of a node with up to `N` lanes and `P` ports, the local one included.
#[derive(Clone, Debug)]
pub struct Node<B, const N: usize, const P: usize> {
    /// Input lanes, those of a port behind each other.
    inputs: [InputLane; N],
    /// The output lanes that each input lane's head bids for, and those that it takes where it must.
    preferred: [B; N],
    fallback: [B; N],
    outputs: [OutputLane; N],
    /// Input lanes with a worm at the front.
    occupied: B,
    /// Of those, the ones whose head waits for an output lane, and whose worm holds one.
    waiting: B,
    active: B,
    /// Those with a word of that worm.
    filled: B,
    /// Those whose output lane has room at the far end.
    roomy: B,
    /// Those that wait for time to pass.
    timed: B,
    /// Output lanes that nobody holds, and those that nobody gets before their buffer is empty.
    free: B,
    draining: B,
    /// The channel that comes first at each input port.
    turn: [u8; P],
    channel_memory: Memory<B, N>,
    switch_memory: Memory<B, P>,
    speculation_memory: Memory<B, P>,
    /// Whether the latest step did anything.
    stirred: bool,
    /// Words in the buffers, behind each lane's first worm those of more.
    words: u32,
    behind: Box<[VecDeque<Behind>]>,
    /// Words in the switch, by the cycle in which they leave, where that takes one cycle or two; then
    /// their ports.
    pipeline: [[Word; P]; 2],
    pipelined: [PortSet; 2],
    /// Words that take longer, or whose link was full.
    crossing: VecDeque<Crossing>,
    /// Output lanes whose credits came in the latest cycle, where they wait for one.
    credited: B,
    /// Credits that wait longer, and the output lanes that they are for.
    credits: VecDeque<(Cycle, u8)>,
    injection: Injection,
}

/// The shape of a node of a plane with up to four virtual channels a link.
pub type Plane = Node<u32, 20, 5>;
/// The shape of a node with any number of ports and virtual channels that is allowed.
pub type Any = Node<u128, MAX_LANES, { flitwork_types::MAX_PORTS }>;

/// The wormhole router on a topology.
pub struct Wormhole<T, N> {
    topology: T,
    parameters: WormholeParameters,
    routing: Box<dyn Routing>,
    /// Whether packets may be derouted.
    deroutes: bool,
    /// Virtual channels of a link.
    channels: usize,
    /// Ports of a node, the local one included.
    ports: usize,
    /// Lanes of a node.
    lanes: usize,
    local: Port,
    /// The port of each lane, and its virtual channel.
    port_of: [u8; MAX_LANES],
    channel_of: [u8; MAX_LANES],
    node: PhantomData<fn() -> N>,
}

impl<T: Topology, N> Wormhole<T, N> {
    /// The router with validated parameters ([`WormholeParameters::check`]) and a routing function made
    /// for as many virtual channels.
    pub fn new(
        topology: T,
        parameters: WormholeParameters,
        routing: Box<dyn Routing>,
    ) -> Wormhole<T, N> {
        let channels = usize::from(parameters.vcs);
        let (ports, local) = (topology.ports() + 1, topology.local());
        let lanes = ports * channels;
        assert!(lanes <= MAX_LANES, "{lanes} lanes at a node");
        Wormhole {
            deroutes: routing.declaration().misroutes > 0,
            routing,
            channels,
            ports,
            lanes,
            local,
            port_of: std::array::from_fn(|lane| (lane / channels) as u8),
            channel_of: std::array::from_fn(|lane| (lane % channels) as u8),
            topology,
            parameters,
            node: PhantomData,
        }
    }

    /// The parameters.
    pub fn parameters(&self) -> &WormholeParameters {
        &self.parameters
    }

    /// The topology.
    pub fn topology(&self) -> &T {
        &self.topology
    }

    /// The lane of a port's virtual channel.
    #[inline]
    fn lane(&self, port: Port, channel: u8) -> usize {
        port.index() * self.channels + usize::from(channel)
    }

    /// The port of a lane, and its virtual channel.
    #[inline]
    fn place(&self, lane: usize) -> (Port, u8) {
        (Port(self.port_of[lane]), self.channel_of[lane])
    }

    /// All lanes of a port.
    #[inline]
    fn lanes_of<B: Bits>(&self, port: usize) -> B {
        B::below(self.channels) << (port * self.channels) as u32
    }

    /// The output lanes of some choices.
    fn lanes_among<B: Bits>(&self, choices: &Rank) -> B {
        let lanes = choices.iter().map(|choice| {
            let first = choice.port.index() * self.channels;
            B::of(choice.channels) << first as u32
        });
        lanes.fold(B::NONE, |all, lanes| all | lanes)
    }
}

impl<T: Topology, B: Bits, const N: usize, const P: usize> Wormhole<T, Node<B, N, P>> {
    /// A worm comes to the front of an input lane: it is routed, and its head may bid from `ready` on.
    fn begin(
        &self,
        state: &mut Node<B, N, P>,
        lane: usize,
        worm: Behind,
        ready: Cycle,
        site: &Site<'_, impl Probe>,
    ) {
        state.inputs[lane] = InputLane {
            worm: worm.worm,
            ready,
            next: 0,
            words: worm.words,
            whole: worm.whole,
            output: 0,
        };
        state.occupied.put(lane);
        state.filled.put(lane);
        state.waiting.put(lane);
        state.timed.put(lane);
        let packet = site.packets[worm.worm];
        let (port, channel) = self.place(lane);
        if packet.destination == site.node {
            state.preferred[lane] = self.lanes_of(self.local.index());
            state.fallback[lane] = B::NONE;
            return;
        }
        let head = Head {
            here: site.node,
            packet: packet.id,
            destination: packet.destination,
            deroutes: packet.deroutes,
            from: (port != self.local).then_some((port, channel)),
        };
        let mut choices = Choices::new();
        self.routing.choices(&head, &mut choices);
        state.preferred[lane] = self.lanes_among(&choices.preferred);
        state.fallback[lane] = self.lanes_among(&choices.fallback);
    }

    /// A word comes into the buffer of an input lane.
    #[inline]
    fn take_word(
        &self,
        state: &mut Node<B, N, P>,
        now: Cycle,
        lane: usize,
        word: Word,
        site: &Site<'_, impl Probe>,
    ) {
        state.words += 1;
        let whole = word.flit.is_tail();
        if word.flit.is_head() {
            let worm = Behind {
                worm: word.packet,
                words: 1,
                whole,
            };
            if state.occupied.has(lane) {
                state.behind[lane].push_back(worm);
            } else {
                self.begin(state, lane, worm, now + self.parameters.route_cycles, site);
            }
            return;
        }
        if let Some(last) = state.behind[lane].back_mut() {
            last.words += 1;
            last.whole = whole;
        } else {
            let front = &mut state.inputs[lane];
            front.words += 1;
            front.whole = whole;
            state.filled.put(lane);
        }
    }

    /// Each port's word goes into the buffer of its channel.
    #[inline]
    fn take_words(
        &self,
        state: &mut Node<B, N, P>,
        now: Cycle,
        inputs: &Inputs<'_>,
        site: &Site<'_, impl Probe>,
    ) {
        let mut arrived = inputs.arrived;
        arrived.remove(self.local);
        for port in arrived.iter() {
            let word = inputs.words[port.index()];
            state.stirred = true;
            self.take_word(state, now, self.lane(port, word.channel), word, site);
        }
    }

    /// Credits come in, and those that have waited long enough are used.
    #[inline]
    fn take_credits(&self, state: &mut Node<B, N, P>, now: Cycle, inputs: &Inputs<'_>) {
        let came = inputs.credits.iter();
        let came = came.map(|port| self.lane(port, inputs.credit_channels[port.index()]));
        let wait = self.parameters.credit_cycles;
        if wait > 1 {
            came.for_each(|lane| state.credits.push_back((now + wait, lane as u8)));
            while let Some((_, lane)) = state.credits.pop_front_if(|(from, _)| *from <= now) {
                self.use_credit(state, lane.into());
            }
            return;
        }
        let mut lanes = B::NONE;
        came.for_each(|lane| lanes.put(lane));
        if wait == 1 {
            lanes = std::mem::replace(&mut state.credited, lanes);
        }
        for lane in lanes.numbers() {
            self.use_credit(state, lane);
        }
    }

    #[inline]
    fn use_credit(&self, state: &mut Node<B, N, P>, lane: usize) {
        state.stirred = true;
        let output = &mut state.outputs[lane];
        output.room_words += 1;
        if state.draining.has(lane) {
            if output.room_words == self.parameters.buffer_words {
                state.draining.take(lane);
                state.free.put(lane);
            }
        } else if !state.free.has(lane) {
            state.roomy.put(output.holder.into());
        }
    }

    /// Whether words are in the switch or credits wait.
    #[inline]
    fn flows(&self, state: &Node<B, N, P>) -> bool {
        let [one, other] = state.pipelined;
        one.0 | other.0 != 0
            || !state.credited.is_empty()
            || !state.crossing.is_empty()
            || !state.credits.is_empty()
    }

    /// Lanes whose time has come don't wait for it any more.
    #[inline]
    fn pass_time(&self, state: &mut Node<B, N, P>, now: Cycle) {
        for lane in state.timed.numbers() {
            if state.inputs[lane].ready <= now {
                state.timed.take(lane);
            }
        }
    }
}

impl<T: Topology, B: Bits, const N: usize, const P: usize> Router for Wormhole<T, Node<B, N, P>> {
    type Node = Node<B, N, P>;

    fn nodes(&self) -> Vec<Self::Node> {
        let links = self.lanes - self.channels;
        let room = |lane| {
            if lane < links {
                self.parameters.buffer_words
            } else {
                u16::MAX
            }
        };
        let empty = Node {
            inputs: [InputLane::default(); N],
            preferred: [B::NONE; N],
            fallback: [B::NONE; N],
            outputs: std::array::from_fn(|lane| OutputLane {
                room_words: room(lane),
                holder: 0,
            }),
            occupied: B::NONE,
            waiting: B::NONE,
            active: B::NONE,
            filled: B::NONE,
            roomy: B::NONE,
            timed: B::NONE,
            free: B::below(self.lanes),
            draining: B::NONE,
            turn: [0; P],
            channel_memory: Memory::default(),
            switch_memory: Memory::default(),
            speculation_memory: Memory::default(),
            stirred: false,
            words: 0,
            behind: vec![VecDeque::new(); self.lanes].into(),
            pipeline: [[Word::BLANK; P]; 2],
            pipelined: [PortSet::EMPTY; 2],
            crossing: VecDeque::new(),
            credited: B::NONE,
            credits: VecDeque::new(),
            injection: Injection::new(self.channels, self.parameters.buffer_words),
        };
        vec![empty; self.topology.nodes() as usize]
    }

    fn waits(&self, node: NodeId, state: &Self::Node, packets: &Packets, _: Cycle) -> Vec<Wait> {
        self.waiting(node, state, packets)
    }

    fn packet_words(&self) -> Option<u16> {
        None
    }

    fn channels(&self) -> u8 {
        self.parameters.vcs
    }

    fn most_words_ahead(&self) -> u32 {
        u32::from(self.parameters.vcs) * u32::from(self.parameters.buffer_words)
    }

    /// The input buffers are the only ones, and what leaves them passes the switch. A decision (an output
    /// lane for a worm) moves no word yet.
    ///
    /// | a word | written | read | crossbar |
    /// |---|---|---|---|
    /// | comes from the source | local input buffer | | |
    /// | goes over a link | the far input buffer | input buffer | once |
    /// | is delivered | | input buffer | once |
    fn datapath(&self) -> Option<Datapath> {
        Some(Datapath {
            injected: Passes::new(1, 0, 0),
            linked: Passes::new(1, 1, 1),
            delivered: Passes::new(0, 1, 1),
            buffers: Buffers::Words("input buffers"),
            ..Datapath::NONE
        })
    }
}

impl<T: Topology, B: Bits, const N: usize, const P: usize> Stepped for Wormhole<T, Node<B, N, P>> {
    fn is_idle(&self, state: &Self::Node) -> bool {
        state.words == 0 && !self.flows(state) && state.injection.is_idle()
    }

    fn is_settled(&self, state: &Self::Node) -> bool {
        let links = self.lanes - self.channels;
        let room = self.parameters.buffer_words;
        self.is_idle(state)
            && state.occupied.is_empty()
            && state.outputs[..links]
                .iter()
                .all(|lane| lane.room_words == room)
    }

    fn next_step(&self, state: &Self::Node, now: Cycle) -> Cycle {
        let moves = state.stirred
            || !state.timed.is_empty()
            || self.flows(state)
            || state.injection.moves();
        if moves { now } else { Cycle::NEVER }
    }

    /// The longest that a word or a credit is kept by time alone.
    fn patience_cycles(&self) -> u32 {
        self.parameters.hop_cycles()
            + self.parameters.vc_allocation_cycles
            + self.parameters.credit_cycles
            + self.parameters.injection_cycles
            + 1
    }

    fn step<Pr: Probe>(
        &self,
        state: &mut Self::Node,
        now: Cycle,
        inputs: &Inputs<'_>,
        outputs: &mut Outputs<'_>,
        site: &mut Site<'_, Pr>,
    ) {
        state.stirred = false;
        let buffered = state.words;
        self.send_words(state, now, inputs.sendable, outputs, site);
        self.take_credits(state, now, inputs);
        self.take_words(state, now, inputs, site);
        self.inject(state, now, inputs, outputs, site);
        self.pass_time(state, now);
        let bids = self.allocate_channels(state, now, site);
        self.allocate_switch(state, now, (bids, inputs.sendable), outputs, site);
        if state.words != buffered {
            site.probe.buffered(site.node, now, state.words);
        }
    }
}
