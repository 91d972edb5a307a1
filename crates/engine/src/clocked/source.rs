//! The sending side of the processors: what each source puts into its node's injection frame, and when.

use flitwork_network::{Demand, Source};
use flitwork_types::{Cycle, NodeId, Packets, Word};

/// All sources of a network. They run on the nominal clock.
#[derive(Clone)]
pub(super) struct Sources {
    pub(super) demand: Demand,
    /// Words per packet, if all packets have the same length.
    pub(super) fixed: Option<u16>,
    pub(super) sources: Vec<Source>,
    /// The reference cycle from which each source has something for its node.
    due: Vec<Cycle>,
    /// Sources that may make a packet before anything else is delivered.
    open: usize,
}

impl Sources {
    pub(super) fn new(mut demand: Demand, nodes: u32, fixed: Option<u16>) -> Sources {
        let sources = demand.first_sources(nodes);
        Sources {
            demand,
            fixed,
            due: sources.iter().map(Source::due).collect(),
            open: sources.iter().filter(|source| source.is_open()).count(),
            sources,
        }
    }

    /// The reference cycle before which the run ends.
    pub(super) fn end(&self) -> Cycle {
        self.demand.end
    }

    /// Whether no packet enters the network from `reference` on.
    #[inline]
    pub(super) fn are_done(&self, reference: Cycle) -> bool {
        self.open == 0 || reference >= self.demand.inject_until
    }

    /// The reference cycle from which a node's source may have a word for it.
    #[inline]
    pub(super) fn due(&self, node: NodeId) -> Cycle {
        self.due[node.index()]
    }

    /// Whether a node's source may have a word for it in a tick in reference cycle `reference`.
    #[inline]
    pub(super) fn are_due(&self, node: NodeId, reference: Cycle) -> bool {
        self.due[node.index()] <= reference
    }

    /// The word that a source puts into the injection frame in a tick, if it has one.
    #[inline]
    pub(super) fn step(
        &mut self,
        node: NodeId,
        reference: Cycle,
        packets: &mut Packets,
    ) -> Option<Word> {
        let source = &mut self.sources[node.index()];
        let (open, until) = (source.is_open(), self.demand.inject_until);
        let workload = &mut self.demand.workload;
        let word = source.step(node, (reference, until), self.fixed, packets, |now| {
            workload.next(node, now)
        });
        self.open -= usize::from(open && !source.is_open());
        let over = reference >= until && !source.is_sending();
        self.due[node.index()] = if over { Cycle::NEVER } else { source.due() };
        word
    }

    /// The injection frame of a node is free from its next tick on.
    #[inline]
    pub(super) fn free(&mut self, node: NodeId) {
        let source = &mut self.sources[node.index()];
        source.free(Cycle::ZERO);
        self.due[node.index()] = source.due();
    }

    /// A delivery may have given a source a packet.
    #[inline]
    pub(super) fn wake(&mut self, node: NodeId) {
        let source = &mut self.sources[node.index()];
        self.open += usize::from(source.wake());
        self.due[node.index()] = source.due();
    }
}
