//! One node with everything that belongs to it: registers, packets, sources. What it does in a local cycle depends only
//! on what arrives, so a node can run anywhere.
//!
//! Cells exchange [`Message`]s, at most one per link and cycle. A head carries its packet as a header; the words behind
//! it carry only their numbers.

use crate::{Locals, Network, WireEnds};
use flitwork_node::{Inputs, Outputs, Probe, Site, View, Wait, WordRouter, step_in_detail};
use flitwork_topology::Topology;
use flitwork_traffic::Offer;
use flitwork_types::{
    Cycle, Due, Flit, NodeId, Packet, PacketRef, Packets, Port, PortSet, TerminalId, Word,
};

/// What a link carries from one cell to the next: what a node sent in one cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Message {
    /// The sender's cycle.
    pub sent: Cycle,
    /// The virtual channel of the credit in this message.
    pub credit: Option<u8>,
    /// The word in this message. A packet's last word brings the right to send over a half-duplex link.
    pub word: Option<Carried>,
    /// Whether the right to send comes without a word.
    pub right: bool,
}

/// A word on its way between cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Carried {
    /// The packet, with its worm's first word, and with the last of one that won't arrive.
    pub header: Option<Packet>,
    /// The word's place in the packet.
    pub index: u16,
    /// Its virtual channel.
    pub channel: u8,
    /// Its place in the worm.
    pub flit: Flit,
}

/// A node and what belongs to it.
#[derive(Clone)]
pub struct Cell<N> {
    node: NodeId,
    now: Cycle,
    state: N,
    packets: Packets,
    /// The terminals at its local ports, and what they send.
    pub(crate) locals: Locals,
    /// The packet whose words are arriving at each port and channel.
    coming: Box<[PacketRef]>,
    channels: u8,
    turns: Turns,
}

/// Who decides when a packet may begin to leave over a link.
#[derive(Clone, Debug)]
enum Turns {
    /// The node alone: links are full duplex.
    Any,
    /// The right to send over half-duplex links.
    Rights(WireEnds),
    /// A record says when it was the node's turn.
    Told {
        /// The ports at which it is its turn in this cycle.
        now: PortSet,
        /// The ports at which a packet is leaving.
        sending: PortSet,
        /// The ports at which it no longer matters.
        free: PortSet,
    },
}

/// What is on a node's wires in one cycle, in both directions; ports count from 0, the local ones last.
#[derive(Default)]
pub struct Wires {
    arrived: PortSet,
    words: Vec<Word>,
    credits: PortSet,
    credit_channels: Vec<u8>,
    sent: PortSet,
    out_words: Vec<Word>,
    out_credits: PortSet,
    out_credit_channels: Vec<u8>,
    /// Half-duplex links over which the right to send leaves without a word, and over which a packet begins to leave.
    out_rights: PortSet,
    turns: PortSet,
}

impl Wires {
    /// Empty wires for a node with this many ports, local ones included.
    pub fn new(ports: usize) -> Wires {
        Wires {
            words: vec![Word::BLANK; ports],
            credit_channels: vec![0; ports],
            out_words: vec![Word::BLANK; ports],
            out_credit_channels: vec![0; ports],
            ..Wires::default()
        }
    }

    /// The link ports through which the last step sent something.
    #[inline]
    pub fn outgoing(&self) -> PortSet {
        PortSet(self.out_credits.0 | self.sent.0 | self.out_rights.0)
    }

    /// The half-duplex links over which a packet began to leave in the last step.
    #[inline]
    pub fn turns(&self) -> PortSet {
        self.turns
    }
}

impl<N> Cell<N> {
    /// A node before its first cycle, with the sources of its terminals; it has so many ports for links, with this many virtual
    /// channels.
    pub fn new((node, state): (NodeId, N), links: usize, channels: u8, locals: Locals) -> Cell<N> {
        Cell {
            node,
            now: Cycle::ZERO,
            state,
            packets: Packets::new(),
            locals,
            coming: vec![PacketRef::default(); links * usize::from(channels)].into(),
            channels,
            turns: Turns::Any,
        }
    }

    /// The same with these ends of half-duplex links.
    #[must_use]
    pub fn with_wire_ends(self, ends: WireEnds) -> Cell<N> {
        let turns = Turns::Rights(ends);
        Cell { turns, ..self }
    }

    /// The same with half-duplex links and its turns on them to be [told](Cell::take_turns), as a replay knows them.
    #[must_use]
    pub fn with_turns_told(self) -> Cell<N> {
        let turns = Turns::Told {
            now: PortSet::EMPTY,
            sending: PortSet::EMPTY,
            free: PortSet::EMPTY,
        };
        Cell { turns, ..self }
    }

    /// It is the node's turn in this cycle at the ports of `turns`, and at those of `free` always.
    #[inline]
    pub fn take_turns(&mut self, turns: PortSet, always: PortSet) {
        if let Turns::Told { now, free, .. } = &mut self.turns {
            (*now, *free) = (turns, always);
        }
    }

    /// The first cycle from now on in which it has to pass on the right to send over a half-duplex link.
    #[inline]
    pub fn passes_at(&self) -> Due {
        match &self.turns {
            Turns::Rights(ends) => ends.next_pass(self.now),
            Turns::Any | Turns::Told { .. } => Due::NEVER,
        }
    }

    /// A cycle in which nothing arrives but rights to send, and the node has nothing to do but to pass them on.
    pub fn pass_rights(&mut self, wires: &mut Wires) {
        (wires.sent, wires.out_credits) = (PortSet::EMPTY, PortSet::EMPTY);
        self.end_turns(wires);
        self.now += 1;
    }

    /// What the node has sent in this cycle ends turns or continues them; rights that it has not used leave.
    #[inline]
    fn end_turns(&mut self, wires: &mut Wires) {
        let words = &wires.out_words;
        let of_flits = |of: fn(Flit) -> bool| -> PortSet {
            let ports = wires.sent.iter();
            ports.filter(|port| of(words[port.index()].flit)).collect()
        };
        match &mut self.turns {
            Turns::Any => {}
            Turns::Rights(ends) => {
                wires.out_rights = ends.pass(self.now, wires.sent, words);
                wires.turns = of_flits(Flit::is_head);
            }
            Turns::Told { now, sending, .. } => {
                wires.turns = of_flits(Flit::is_head);
                sending.0 = (sending.0 | wires.turns.0) & !of_flits(Flit::is_tail).0;
                *now = PortSet::EMPTY;
            }
        }
    }

    /// Which node it is.
    pub fn node(&self) -> NodeId {
        self.node
    }

    /// The local cycle that it is in: the first that it has not completed.
    #[inline]
    pub fn now(&self) -> Cycle {
        self.now
    }

    /// The terminals whose packets it injects, with their sources.
    #[inline]
    pub fn locals(&self) -> &Locals {
        &self.locals
    }

    /// Whether a source is putting a packet's words into its injection frame.
    #[inline]
    pub fn is_injecting(&self) -> bool {
        self.locals.are_sending()
    }

    /// The first cycle from now on in which a source would put a packet's head into its injection
    /// frame, or ask for a packet, if that is before `until`.
    #[inline]
    pub fn injects_at(&self, until: Cycle) -> Due {
        let at = self.locals.begins_at().not_before(self.now);
        Due::when(at < until, at)
    }

    /// A delivery to a terminal may have given it a packet. Returns whether that opens its source.
    #[inline]
    pub fn wake_source(&mut self, terminal: TerminalId) -> bool {
        self.locals.wake(terminal)
    }

    /// The node's registers.
    pub fn state(&self) -> &N {
        &self.state
    }

    /// The packets in it, as they are known here.
    pub fn packets(&self) -> &Packets {
        &self.packets
    }

    /// What it holds.
    pub fn look<R: WordRouter<Node = N>>(&self, router: &R) -> View {
        router.look(self.node, &self.state, &self.packets, self.now)
    }

    /// What its packets wait for.
    pub fn waits<R: flitwork_node::Router<Node = N>>(&self, router: &R) -> Vec<Wait> {
        router.waits(self.node, &self.state, &self.packets, self.now)
    }

    /// Skips cycles in which nothing arrives and the node has nothing to do.
    #[inline]
    pub fn skip_to(&mut self, cycle: Cycle) {
        debug_assert!(cycle >= self.now && !self.locals.are_sending());
        self.now = cycle;
    }

    /// A message arrives at `port` in this cycle, over a link of `latency_cycles`.
    #[inline]
    pub fn receive(
        &mut self,
        wires: &mut Wires,
        port: Port,
        message: &Message,
        latency_cycles: u32,
    ) {
        if let Some(channel) = message.credit {
            wires.credits.insert(port);
            wires.credit_channels[port.index()] = channel;
        }
        let is_last = message.word.is_some_and(|word| word.flit.is_tail());
        if let Turns::Rights(ends) = &mut self.turns
            && (message.right || is_last)
        {
            ends.receive(port, self.now);
        }
        let Some(word) = message.word else { return };
        let lane = port.index() * usize::from(self.channels) + usize::from(word.channel);
        let coming = &mut self.coming[lane];
        if let Some(packet) = word.header
            && !word.flit.is_head()
        {
            let here = &mut self.packets[*coming].loss;
            *here = here.or(packet.loss);
        } else if let Some(mut packet) = word.header {
            let expected = message.sent.get().wrapping_add(latency_cycles);
            let lead = self.now.get().wrapping_sub(expected);
            packet.skew = packet.skew.wrapping_add(lead as i32);
            *coming = self.packets.insert(packet);
        }
        wires.arrived.insert(port);
        wires.words[port.index()] = Word {
            packet: *coming,
            index: word.index,
            channel: word.channel,
            flit: word.flit,
        };
    }

    /// The source at a place among the [locals](Cell::locals) puts its packet's head into the injection frame in this cycle, if it
    /// has a packet and the frame can take one: returns whether it does. `ask` returns what a terminal has, and what it has after
    /// that. `fixed` is the length of all packets, if they have only one.
    #[inline]
    pub fn inject(
        &mut self,
        place: usize,
        fixed: Option<u16>,
        mut ask: impl FnMut(TerminalId, Cycle) -> Offer,
    ) -> bool {
        let local = self.locals.at(place);
        let terminal = local.terminal;
        let can = local.source.can_begin(self.now, |now| ask(terminal, now));
        if can {
            let packets = &mut self.packets;
            local.begin(self.now, fixed, packets, |now| ask(terminal, now));
        }
        can
    }

    /// One local cycle. What the node sends stays on the wires until [`Cell::sent`] takes it.
    #[inline]
    pub fn step<T: Topology, R: WordRouter<Node = N>, P: Probe>(
        &mut self,
        network: &Network<T, R>,
        wires: &mut Wires,
        probe: &mut P,
    ) {
        for (port, word) in self.locals.words() {
            wires.words[port.index()] = word;
            wires.arrived.insert(port);
        }
        let inputs = Inputs {
            arrived: wires.arrived,
            words: &wires.words,
            credits: wires.credits,
            credit_channels: &wires.credit_channels,
            sendable: match &self.turns {
                Turns::Any => PortSet(u64::MAX),
                Turns::Rights(ends) => ends.sendable(self.now),
                Turns::Told { now, sending, free } => PortSet(now.0 | sending.0 | free.0),
            },
        };
        let mut outputs = Outputs::new(&mut wires.out_words, &mut wires.out_credit_channels);
        let mut site = Site::new(self.node, &mut self.packets, probe);
        let (router, state) = (&network.router, &mut self.state);
        step_in_detail(router, state, self.now, &inputs, &mut outputs, &mut site);
        (wires.sent, wires.out_credits) = (outputs.sent, outputs.credits);
        (wires.arrived, wires.credits) = (PortSet::EMPTY, PortSet::EMPTY);
        let local_ports = network.topology.local_ports().0;
        for port in PortSet(wires.out_credits.0 & local_ports).iter() {
            self.locals.free(port, self.now + 1);
        }
        // What leaves through the local ports goes to the terminals.
        wires.out_credits.0 &= !local_ports;
        wires.sent.0 &= !local_ports;
        self.end_turns(wires);
        self.now += 1;
    }

    /// What the last step sent through one of the [`Wires::outgoing`] ports. A worm whose last word this is has left
    /// the node.
    #[inline]
    pub fn sent(&mut self, wires: &mut Wires, port: Port) -> Message {
        let credit = wires.out_credits.contains(port);
        let credit = credit.then(|| wires.out_credit_channels[port.index()]);
        let sent = wires.sent.contains(port);
        let word = sent.then(|| wires.out_words[port.index()]).map(|word| {
            let packet = self.packets[word.packet];
            let tells = word.flit.is_head() || word.flit.is_tail() && packet.loss.is_some();
            let header = tells.then_some(packet);
            if word.flit.is_tail() {
                self.packets.remove(word.packet);
            }
            Carried {
                header,
                index: word.index,
                channel: word.channel,
                flit: word.flit,
            }
        });
        Message {
            sent: self.now - 1,
            credit,
            word,
            right: wires.out_rights.contains(port),
        }
    }
}
