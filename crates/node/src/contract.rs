//! What a router promises and what it is given.

use crate::{Datapath, Explanation, Probe, Site, View, Wait, witness};
use flitwork_types::{Cycle, Due, NodeId, PacketRef, Packets, Port, PortSet, Word};

/// A router's hardware, the same at every node: what it does to a node's state.
pub trait Router: Send + Sync {
    /// The registers and frames of one node.
    type Node: Clone + Send + 'static;

    /// The state of all nodes before the first cycle.
    fn nodes(&self) -> Vec<Self::Node>;

    /// What each packet in `node` waits for at `now`, the packets of a buffer in their order.
    fn waits(&self, node: NodeId, state: &Self::Node, packets: &Packets, now: Cycle) -> Vec<Wait>;

    /// Bytes of memory that a node takes outside of its own size, about: copies of a run are counted by it.
    fn heap_bytes(&self, _state: &Self::Node) -> usize {
        0
    }

    /// The length of every packet in words, if the router allows only one: shorter packets are padded.
    fn packet_words(&self) -> Option<u16> {
        None
    }

    /// The longest packet that it accepts, in words; 0 if it accepts only the packets that it was built for.
    fn longest_packet_words(&self) -> u16 {
        self.packet_words().unwrap_or(u16::MAX)
    }

    /// Virtual channels of a link.
    fn channels(&self) -> u8 {
        1
    }

    /// The words that a node may send over a link before a credit must come back: the room at the far end. `None`
    /// for a router that sends no credits over links and must forward at once whatever arrives: the clock of such
    /// a node is held while one of its links cannot take a word.
    fn credit_words(&self) -> Option<u32> {
        Some(self.packet_words().unwrap_or(u16::MAX).into())
    }

    /// The places that a credit of this number returns at a link's port: virtual channels, and how many places in each.
    /// A credit is of one place in the virtual channel of its number, unless a router counts: then several places may
    /// come back in one cycle.
    fn returned(&self, credit: u8) -> [(u8, u8); 2] {
        [(credit, 1), (credit, 0)]
    }

    /// Whether it takes half-duplex links. Then it begins a worm only over a link that takes a word
    /// ([`Inputs::sendable`]), sends no word of another over that link before the worm's last, and is never idle and
    /// skips no cycle while it has a worm to begin.
    fn takes_half_duplex(&self) -> bool {
        false
    }

    /// Whether links may fail while it runs: then [`WordRouter::reroute`] finds other ways.
    fn takes_faults(&self) -> bool {
        false
    }

    /// The number of the credit that the far end of a link returns for this word, if it returns one for it: of a word that a
    /// failed link loses, the link's own end returns it.
    fn answer(&self, word: Word) -> Option<u8> {
        Some(word.channel)
    }

    /// What words do to its buffers and its crossbar; `None` if this is unknown, so that no energy can be
    /// calculated.
    fn datapath(&self) -> Option<Datapath> {
        None
    }
}

/// A node's input wires at the beginning of a local cycle.
pub struct Inputs<'a> {
    /// The ports at which a word came in, the local one among them.
    pub arrived: PortSet,
    /// These words, by port; the values at other ports are meaningless.
    pub words: &'a [Word],
    /// The link ports at which a credit came in.
    pub credits: PortSet,
    /// The number of each of these credits, by port: its virtual channel, unless a router
    /// [counts](Router::returned).
    pub credit_channels: &'a [u8],
    /// The link ports that take a word in this cycle; all, where links are never full and full duplex. A half-duplex
    /// link takes words while its end here has the right to send.
    pub sendable: PortSet,
}

impl Inputs<'_> {
    /// The words that came in, and their ports.
    #[inline]
    pub fn arrivals(&self) -> impl Iterator<Item = (Port, Word)> + '_ {
        self.arrived
            .iter()
            .map(|port| (port, self.words[port.index()]))
    }

    /// The word that came in at a port.
    #[inline]
    pub fn word(&self, port: Port) -> Option<Word> {
        self.arrived
            .contains(port)
            .then(|| self.words[port.index()])
    }
}

/// A node's output wires in a local cycle.
pub struct Outputs<'a> {
    /// The ports at which a word goes out, the local one among them; none before the step.
    pub sent: PortSet,
    /// These words, by port.
    pub words: &'a mut [Word],
    /// The ports at which a credit goes out, the local one among them; none before the step.
    pub credits: PortSet,
    /// The number of each of these credits, by port: its virtual channel, unless a router
    /// [counts](Router::returned).
    pub credit_channels: &'a mut [u8],
    /// The output frames, by port, into which a word moved inside the node: the delivery frame at the local one. Only
    /// routers with frames of whole packets report it; none before the step.
    pub moved: PortSet,
    /// Whether a word moved into the central queue; only routers with frames of whole packets report it.
    pub queued: bool,
}

impl<'a> Outputs<'a> {
    /// Wires on which nothing stands yet, of as many ports as both slices have.
    #[inline]
    pub fn new(words: &'a mut [Word], credit_channels: &'a mut [u8]) -> Outputs<'a> {
        Outputs {
            sent: PortSet::EMPTY,
            words,
            credits: PortSet::EMPTY,
            credit_channels,
            moved: PortSet::EMPTY,
            queued: false,
        }
    }

    /// A word goes out at a port; at most one per port and cycle.
    #[inline]
    pub fn send(&mut self, port: Port, word: Word) {
        debug_assert!(!self.sent.contains(port), "two words at once at {port:?}");
        self.sent.insert(port);
        self.words[port.index()] = word;
    }

    /// A credit of this number goes out at a port; at most one per port and cycle.
    #[inline]
    pub fn credit(&mut self, port: Port, channel: u8) {
        debug_assert!(
            !self.credits.contains(port),
            "two credits at once at {port:?}"
        );
        self.credits.insert(port);
        self.credit_channels[port.index()] = channel;
    }
}

/// A router that is stepped word by word.
pub trait WordRouter: Router {
    /// Whether the node holds no packet and has no credit to send: only an arrival can wake it.
    fn is_idle(&self, state: &Self::Node) -> bool;

    /// Whether the node is idle and every credit that it is owed has come back: no message of an earlier
    /// packet can be under way to it.
    fn is_settled(&self, state: &Self::Node) -> bool {
        self.is_idle(state)
    }

    /// The first cycle from `now` on in which a step would do anything if nothing arrived: skipping earlier cycles in
    /// which nothing arrives changes nothing that a later step, an event or a wire shows. Never if there is no such cycle.
    ///
    /// An engine asks after each step, so the answer must be cheap, and may be early: the sooner it is, the more steps
    /// are in vain. The routers of this project answer exactly, as if all links took words: what a link refuses is due
    /// in each cycle.
    fn next_step(&self, state: &Self::Node, now: Cycle) -> Due {
        Due::when(!self.is_idle(state), now)
    }

    /// The same while only the links at these ports take words; it may be early, too, as if more did.
    fn next_step_over(&self, state: &Self::Node, now: Cycle, _sendable: PortSet) -> Due {
        self.next_step(state, now)
    }

    /// Cycles after which a node that no message has reached, and in which no word has moved since, will never
    /// move one again on its own.
    fn patience_cycles(&self) -> u32 {
        1
    }

    /// All that the node holds at the beginning of cycle `now`, for people and programs that look into a run. Pure, and
    /// the same on every engine that steps the router. A router declares its registers to a [`ViewBuilder`](crate::ViewBuilder).
    /// Those that don't describe themselves show which packets wait where, and no words.
    fn look(&self, node: NodeId, state: &Self::Node, packets: &Packets, now: Cycle) -> View {
        View::of_waits(&self.waits(node, state, packets, now))
    }

    /// What a step with these inputs decides, and why the packets that stay do so: the step is made on a copy of the node,
    /// and tells a [`Witness`](crate::Witness). Of routers that tell nothing, it is the moves that they report and what the
    /// other packets wait for. It takes its time, and no engine asks for it in a run.
    fn explain(
        &self,
        node: NodeId,
        state: &Self::Node,
        now: Cycle,
        inputs: &Inputs<'_>,
        packets: &Packets,
    ) -> Explanation {
        witness::explain(self, (node, now), state, inputs, packets)
    }

    /// The network's links aren't what they were: packets of the node that haven't been given a way yet are routed again, by
    /// this router, which is built for the links that there are. Called before a step, only on routers that
    /// [take faults](Router::takes_faults).
    ///
    /// # Panics
    /// If the router doesn't take faults.
    fn reroute<P: Probe>(&self, _state: &mut Self::Node, _now: Cycle, _site: &mut Site<'_, P>) {
        panic!("the router takes no faults");
    }

    /// One local cycle of one node: it reads its input wires and drives its output wires.
    ///
    /// # Wires
    /// At most one word and one credit leave at each port. A word that leaves in cycle `t` is on the far node's wires
    /// one link latency later. Words at the local port are for the processor, which always takes them. A node sends
    /// only over links that exist and, by [`Inputs::sendable`], can take a word.
    ///
    /// A credit at a link port returns a place to the sender at its far end, or [several](Router::returned). A credit at the local port permits
    /// the source to begin another packet from the next cycle on: one for each packet, once its last word has
    /// arrived from the source. The source sends a packet's words in order, and a head only when permitted.
    ///
    /// # Events
    /// The router reports what happens to [`Site::probe`], each event once, with the cycle `now`; only a delivery
    /// may lie one cycle later.
    /// - [`Event::Injected`](crate::Event::Injected) in the cycle in which a head arrives from the source, before
    ///   anything else about the packet.
    /// - [`Event::Moved`](crate::Event::Moved) when it is decided that a packet, or a part that is routed separately,
    ///   moves on inside the node: no later than its head leaves.
    /// - [`Event::Head`](crate::Event::Head) and [`Event::Tail`](crate::Event::Tail) in the cycles in which a worm's
    ///   first and last word leave at a port, including the local one, and at no other time.
    /// - [`Probe::word`] in the cycle in which a word leaves at any port.
    /// - [`Event::Freed`](crate::Event::Freed), by routers with frames of whole packets, in the cycle in which a
    ///   credit leaves at the port.
    /// - [`Event::Delivered`](crate::Event::Delivered) at its destination, after everything else about the packet.
    ///
    /// # When a packet counts as delivered
    /// In the first cycle in which none of its words is in transit any more. A tail that leaves at the local port in
    /// cycle `t` is then on the wires to the processor, so the packet is delivered in `t + 1`. A router that takes
    /// words off its links without sending them to the local port (deflection, hot potato, a schedule, a router
    /// whose packets vanish on arrival) holds nothing for a cycle: the packet is delivered in the very cycle in
    /// which its last word arrives or, if it vanishes, its head.
    ///
    /// # Packets
    /// The engine puts a packet into [`Site::packets`] before its head arrives; the router removes it in the step in
    /// which it reports the delivery, or, if it vanishes, once its last word has arrived. The router counts hops:
    /// [`Packet::hops`](flitwork_types::Packet::hops) rises by one with each decision that sends the head over a
    /// link, and [`Packet::deroutes`](flitwork_types::Packet::deroutes) if that is reported as a deroute. With each
    /// such decision it calls [`Probe::intervene`], in which an adversary may redirect the packet. If the words of
    /// a packet take different paths, each counts its own.
    fn step<P: Probe>(
        &self,
        state: &mut Self::Node,
        now: Cycle,
        inputs: &Inputs<'_>,
        outputs: &mut Outputs<'_>,
        site: &mut Site<'_, P>,
    );
}

/// What a streamed router announces to the far end of one of its links, ahead of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// From cycle `head` on the packet's words leave over the link at `port`, one per cycle.
    Send {
        /// The link's port.
        port: Port,
        /// Which packet.
        packet: PacketRef,
        /// The cycle in which the head leaves.
        head: Cycle,
    },
    /// In cycle `leaves` a credit leaves over the link at `port`.
    Credit {
        /// The link's port, or the local one for the injection frame.
        port: Port,
        /// The cycle in which the credit leaves.
        leaves: Cycle,
    },
    /// A packet may leave over the half-duplex link at `port` from cycle `from` on. It does so once the link takes it
    /// ([`TimestampRouter::depart`]), and nothing else may leave there before.
    Ready {
        /// The link's port.
        port: Port,
        /// The first cycle in which its head could leave.
        from: Cycle,
    },
}

/// A packet that leaves over a half-duplex link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Departure {
    /// Cycles from its head to its last word, both included.
    pub cycles: u32,
    /// The earliest cycle in which the node could act because of it.
    pub next: Due,
}

/// A router that can be driven by time stamps.
///
/// Each call may put signals for the node's neighbours into `signals`, and returns the earliest cycle in
/// which the node could act if nothing else arrived.
/// [`TimestampRouter::wake`] takes all the node's state into account, the other calls only what they deliver.
pub trait TimestampRouter: Router {
    /// Whether a step that takes a packet out of the network reports its delivery in the next cycle, the first
    /// without it, rather than in its own.
    fn delivers_after(&self) -> bool {
        false
    }

    /// The head of `packet` is at the input frame of `port` from cycle `at` on, the other words behind it.
    fn head<P: Probe>(
        &self,
        state: &mut Self::Node,
        port: Port,
        packet: PacketRef,
        at: Cycle,
        site: &mut Site<'_, P>,
        signals: &mut Vec<(NodeId, Signal)>,
    ) -> Due;

    /// The neighbour's input frame at `port` can be sent to from cycle `from` on.
    fn credit<P: Probe>(
        &self,
        state: &mut Self::Node,
        port: Port,
        from: Cycle,
        site: &mut Site<'_, P>,
        signals: &mut Vec<(NodeId, Signal)>,
    ) -> Due;

    /// Cycles from a wake until the soonest cycle in which a head that it sends, or declares ready, leaves; at least 1.
    /// From other calls it takes longer. An engine of half-duplex links may thus know ahead who sends.
    fn ahead_cycles(&self) -> u32 {
        1
    }

    /// The packet that is ready to leave over the half-duplex link at `port` ([`Signal::Ready`]) does so from cycle
    /// `head` on.
    ///
    /// # Panics
    /// If no packet is ready there.
    fn depart<P: Probe>(
        &self,
        _state: &mut Self::Node,
        port: Port,
        _head: Cycle,
        site: &mut Site<'_, P>,
        _signals: &mut Vec<(NodeId, Signal)>,
    ) -> Departure {
        panic!("node {}: no packet is ready at {port:?}", site.node)
    }

    /// Runs the node's local cycle `now`.
    fn wake<P: Probe>(
        &self,
        state: &mut Self::Node,
        now: Cycle,
        site: &mut Site<'_, P>,
        signals: &mut Vec<(NodeId, Signal)>,
    ) -> Due;
}
