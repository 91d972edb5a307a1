//! One node with all that is its own: registers, packets, source. What it does in a local cycle depends
//! on nothing but what comes in, so that it can run anywhere.
//!
//! Between cells go [`Message`]s, at most one a link and cycle. A head carries its packet with it, as a
//! header; the words behind it only their numbers.

use crate::Network;
use flitwork_node::{Inputs, Outputs, Probe, Site, Stepped, Wait};
use flitwork_topology::Topology;
use flitwork_traffic::Birth;
use flitwork_types::{Cycle, NodeId, Packet, PacketId, PacketRef, Packets, Port, PortSet, Word};

/// What a link carries from one cell to the next: what a node put on its wires in one cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Message {
    /// The sender's cycle.
    pub sent: Cycle,
    /// Whether a credit goes along.
    pub credit: bool,
    /// The word that goes along.
    pub flit: Option<Flit>,
}

/// A word on its way between cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flit {
    /// A packet's first word.
    Head(Packet),
    /// A later word, by its place in the packet.
    Body(u16),
}

/// A node's source: the packet it makes next, and the one whose words it puts into the injection frame.
#[derive(Clone, Copy, Debug)]
struct Source {
    next: Option<Birth>,
    free_from: Cycle,
    sending: Option<(PacketRef, u16)>,
    serial: u32,
}

/// A node and what is its own.
pub struct Cell<N> {
    node: NodeId,
    now: Cycle,
    state: N,
    packets: Packets,
    source: Source,
    /// The packet whose words come in at each port.
    coming: Box<[PacketRef]>,
}

/// What stands on a node's wires in one cycle, both ways; ports count from 0, the local one last.
pub struct Wires {
    words: Vec<Option<Word>>,
    credits: PortSet,
    out_words: Vec<Option<Word>>,
    out_credits: PortSet,
    /// Whether anything came in.
    any: bool,
}

impl Wires {
    /// Empty wires of a node with so many link ports.
    pub fn new(links: usize) -> Wires {
        Wires {
            words: vec![None; links + 1],
            credits: PortSet::EMPTY,
            out_words: vec![None; links + 1],
            out_credits: PortSet::EMPTY,
            any: false,
        }
    }

    /// The link ports through which the last step sent something.
    #[inline]
    pub fn outgoing(&self) -> PortSet {
        let mut ports = self.out_credits.0;
        for (port, word) in self.out_words.iter().enumerate() {
            ports |= u64::from(word.is_some()) << port;
        }
        PortSet(ports)
    }
}

impl<N> Cell<N> {
    /// A node before its first cycle; `first` is its source's first packet.
    pub fn new(node: NodeId, state: N, links: usize, first: Option<Birth>) -> Cell<N> {
        Cell {
            node,
            now: Cycle::ZERO,
            state,
            packets: Packets::new(),
            source: Source {
                next: first,
                free_from: Cycle::ZERO,
                sending: None,
                serial: 0,
            },
            coming: vec![PacketRef::default(); links].into(),
        }
    }

    /// Which node it is.
    pub fn node(&self) -> NodeId {
        self.node
    }

    /// The local cycle it is in: the first that it hasn't completed.
    #[inline]
    pub fn now(&self) -> Cycle {
        self.now
    }

    /// The packet that its source makes next.
    #[inline]
    pub fn next_birth(&self) -> Option<Birth> {
        self.source.next
    }

    /// Whether its source puts the words of a packet into the injection frame.
    #[inline]
    pub fn is_injecting(&self) -> bool {
        self.source.sending.is_some()
    }

    /// The first cycle from now on in which its source would put a packet's head into the injection
    /// frame, if it did so before `until`.
    #[inline]
    pub fn injects_at(&self, until: Cycle) -> Cycle {
        match self.source.next {
            Some(birth) if self.source.sending.is_none() => {
                let at = birth.created.max(self.source.free_from).max(self.now);
                if at < until { at } else { Cycle::NEVER }
            }
            _ => Cycle::NEVER,
        }
    }

    /// Whether its source has a packet and the injection frame takes one.
    #[inline]
    pub fn can_inject(&self) -> bool {
        let Source {
            next,
            free_from,
            sending,
            ..
        } = &self.source;
        next.is_some() && sending.is_none() && *free_from <= self.now
    }

    /// The node's registers.
    pub fn state(&self) -> &N {
        &self.state
    }

    /// What its packets wait for.
    pub fn waits<R: flitwork_node::Router<Node = N>>(&self, router: &R) -> Vec<Wait> {
        router.waits(self.node, &self.state, &self.packets, self.now)
    }

    /// Lets cycles pass in which nothing comes in and the node has nothing to do.
    #[inline]
    pub fn skip_to(&mut self, cycle: Cycle) {
        debug_assert!(cycle >= self.now && self.source.sending.is_none());
        self.now = cycle;
    }

    /// A message stands on the wires of `port` in this cycle. `latency_cycles` is the link's.
    #[inline]
    pub fn receive(
        &mut self,
        wires: &mut Wires,
        port: Port,
        message: &Message,
        latency_cycles: u32,
    ) {
        wires.any = true;
        if message.credit {
            wires.credits.insert(port);
        }
        let coming = &mut self.coming[port.index()];
        let index = match message.flit {
            None => return,
            Some(Flit::Body(index)) => index,
            Some(Flit::Head(mut packet)) => {
                let expected = i64::from(message.sent.get()) + i64::from(latency_cycles);
                packet.skew += i64::from(self.now.get()) - expected;
                *coming = self.packets.insert(packet);
                0
            }
        };
        let packet = *coming;
        wires.words[port.index()] = Some(Word { packet, index });
    }

    /// The source puts its packet's head into the injection frame in this cycle; `next` is the packet
    /// that it makes after that.
    ///
    /// # Panics
    /// Where the source has no packet: see [`Cell::next_birth`].
    pub fn inject(&mut self, next: Option<Birth>) {
        let birth = self
            .source
            .next
            .expect("a source that injects has a packet");
        let id = PacketId {
            source: self.node,
            serial: self.source.serial,
        };
        let packet = self.packets.insert(Packet {
            id,
            destination: birth.destination,
            created: birth.created,
            injected: self.now,
            hops: 0,
            deroutes: 0,
            skew: 0,
        });
        self.source = Source {
            next,
            free_from: Cycle::NEVER,
            sending: Some((packet, 0)),
            serial: self.source.serial + 1,
        };
    }

    /// One local cycle. What goes out stands on the wires until it is taken with [`Cell::sent`].
    #[inline]
    pub fn step<T: Topology, R: Stepped<Node = N>, P: Probe>(
        &mut self,
        network: &Network<T, R>,
        wires: &mut Wires,
        probe: &mut P,
    ) {
        let local = network.topology.local();
        if let Some((packet, index)) = self.source.sending {
            wires.words[local.index()] = Some(Word { packet, index });
            wires.any = true;
            let more = index + 1 < network.router.packet_words();
            self.source.sending = more.then_some((packet, index + 1));
        }
        let inputs = Inputs {
            words: &wires.words,
            credits: wires.credits,
            sendable: PortSet(u64::MAX),
        };
        let mut outputs = Outputs {
            words: &mut wires.out_words,
            credits: PortSet::EMPTY,
        };
        let mut site = Site {
            node: self.node,
            packets: &mut self.packets,
            probe,
        };
        network
            .router
            .step(&mut self.state, self.now, &inputs, &mut outputs, &mut site);
        wires.out_credits = outputs.credits;
        if wires.out_credits.contains(local) {
            self.source.free_from = self.now + 1;
            wires.out_credits.remove(local);
        }
        // What leaves through the local port is the processor's.
        wires.out_words[local.index()] = None;
        if wires.any {
            wires.words.fill(None);
            wires.credits = PortSet::EMPTY;
            wires.any = false;
        }
        self.now += 1;
    }

    /// What the last step sent through one of the [`Wires::outgoing`] ports; `words` a packet. A packet
    /// whose last word it is, is gone from here.
    #[inline]
    pub fn sent(&mut self, wires: &mut Wires, port: Port, words: u16) -> Message {
        let word = wires.out_words[port.index()].take();
        let credit = wires.out_credits.contains(port);
        let flit = word.map(|word| {
            let flit = match word.index {
                0 => Flit::Head(self.packets[word.packet]),
                index => Flit::Body(index),
            };
            if word.index + 1 == words {
                self.packets.remove(word.packet);
            }
            flit
        });
        Message {
            sent: self.now - 1,
            credit,
            flit,
        }
    }
}
