//! The processors' sending side: what each source puts into its node's injection frame, and when.

use crate::fast::Serials;
use flitwork_network::Load;
use flitwork_node::Probe;
use flitwork_traffic::Birth;
use flitwork_types::{Cycle, NodeId, Packet, PacketRef, Packets, Word};

/// A source: the packet it makes next, and the one whose words it puts into the injection frame.
#[derive(Clone, Copy)]
struct Source {
    next: Option<Birth>,
    sending: Option<(PacketRef, u16)>,
    /// Whether the injection frame is free, from the node's next tick on.
    free: bool,
}

/// All sources of a network. They work on the nominal clock.
pub(super) struct Sources {
    load: Load,
    packet_words: u16,
    sources: Vec<Source>,
    /// The reference cycle from which each source has something for its node.
    due: Vec<Cycle>,
    serials: Serials,
    /// Sources that have not made their last packet.
    open: usize,
}

impl Sources {
    pub(super) fn new(mut load: Load, nodes: u32, packet_words: u16) -> Sources {
        let idle = Source {
            next: None,
            sending: None,
            free: true,
        };
        let mut sources = vec![idle; nodes as usize];
        let mut due = vec![Cycle::NEVER; nodes as usize];
        let mut open = 0;
        for source in load.workload.sources() {
            let next = load.workload.next(source);
            due[source.index()] = next.map_or(Cycle::NEVER, |birth| birth.created);
            sources[source.index()].next = next;
            open += usize::from(next.is_some());
        }
        Sources {
            load,
            packet_words,
            sources,
            due,
            serials: Serials::new(nodes),
            open,
        }
    }

    /// The reference cycle before which the run ends.
    pub(super) fn end(&self) -> Cycle {
        self.load.end
    }

    /// Whether no packet enters the network from `reference` on.
    #[inline]
    pub(super) fn are_done(&self, reference: Cycle) -> bool {
        self.open == 0 || reference >= self.load.inject_until
    }

    /// Whether a node's source may have a word for it in a tick in reference cycle `reference`.
    #[inline]
    pub(super) fn are_due(&self, node: NodeId, reference: Cycle) -> bool {
        self.due[node.index()] <= reference
    }

    /// The word that a source puts into the injection frame in a tick, where it has one.
    #[inline]
    pub(super) fn feed(
        &mut self,
        node: NodeId,
        reference: Cycle,
        packets: &mut Packets,
    ) -> Option<Word> {
        let source = &mut self.sources[node.index()];
        let (packet, index) = match (source.sending, source.next) {
            (Some(sending), _) => sending,
            (None, Some(birth)) if reference < self.load.inject_until => {
                let packet = Packet {
                    id: self.serials.next(node),
                    destination: birth.destination,
                    created: birth.created,
                    injected: reference,
                    hops: 0,
                    deroutes: 0,
                    skew: 0,
                };
                source.free = false;
                source.next = self.load.workload.next(node);
                self.open -= usize::from(source.next.is_none());
                (packets.insert(packet), 0)
            }
            (None, _) => {
                self.due[node.index()] = Cycle::NEVER;
                return None;
            }
        };
        let more = index + 1 < self.packet_words;
        source.sending = more.then_some((packet, index + 1));
        self.settle(node);
        Some(Word { packet, index })
    }

    /// The injection frame of a node is free from its next tick on.
    #[inline]
    pub(super) fn free(&mut self, node: NodeId) {
        self.sources[node.index()].free = true;
        self.settle(node);
    }

    #[inline]
    fn settle(&mut self, node: NodeId) {
        self.due[node.index()] = match self.sources[node.index()] {
            Source {
                sending: Some(_), ..
            } => Cycle::ZERO,
            Source {
                free: true,
                next: Some(birth),
                ..
            } => birth.created,
            _ => Cycle::NEVER,
        };
    }

    /// Births before `end` that never entered the network: told, and counted.
    pub(super) fn leave_over<P: Probe>(&mut self, end: Cycle, probe: &mut P) -> u64 {
        let mut backlog = 0;
        for (node, source) in self.sources.iter_mut().enumerate() {
            let node = NodeId(node as u32);
            while let Some(birth) = source.next
                && birth.created < end
            {
                backlog += 1;
                probe.left_over(node, birth.created);
                source.next = self.load.workload.next(node);
            }
        }
        backlog
    }
}
