//! The sources of a network whose nodes have clocks of their own, and when each has something for its node.

use crate::sources::Sources;
use flitwork_network::{Demand, Network};
use flitwork_node::Router;
use flitwork_topology::Topology;
use flitwork_types::{Cycle, Due, Packets, TerminalId, Word};

/// All sources of a network. They run on the nominal clock.
#[derive(Clone)]
pub(super) struct NominalSources {
    pub(super) all: Sources,
    /// By terminal: the reference cycle from which its source has something for its node.
    due: Vec<Due>,
}

impl NominalSources {
    pub(super) fn new<T: Topology, R: Router>(
        demand: Demand,
        network: &Network<T, R>,
    ) -> NominalSources {
        let all = Sources::new(demand, network);
        let terminals = (0..network.topology.terminals()).map(TerminalId);
        NominalSources {
            due: terminals.map(|terminal| all.of(terminal).due()).collect(),
            all,
        }
    }

    /// The reference cycle from which a terminal's source may have a word for its node.
    #[inline]
    pub(super) fn due(&self, terminal: TerminalId) -> Due {
        self.due[terminal.index()]
    }

    /// Whether a terminal's source may have a word for its node in a tick in reference cycle `reference`.
    #[inline]
    pub(super) fn are_due(&self, terminal: TerminalId, reference: Cycle) -> bool {
        self.due[terminal.index()] <= reference
    }

    /// The word that a source puts into the injection frame in a tick, if it has one.
    #[inline]
    pub(super) fn step(
        &mut self,
        terminal: TerminalId,
        reference: Cycle,
        packets: &mut Packets,
    ) -> Option<Word> {
        let word = self.all.step(terminal, reference, packets);
        let source = self.all.of(terminal);
        let over = reference >= self.all.demand.inject_until && !source.is_sending();
        self.due[terminal.index()] = Due::when(!over, source.due());
        word
    }

    /// The injection frame of a terminal is free from its node's next tick on.
    #[inline]
    pub(super) fn free(&mut self, terminal: TerminalId) {
        self.all.free(terminal, Cycle::ZERO);
        self.due[terminal.index()] = self.all.of(terminal).due();
    }

    /// A delivery may have given a source a packet.
    #[inline]
    pub(super) fn wake(&mut self, terminal: TerminalId) {
        self.all.wake(terminal);
        self.due[terminal.index()] = self.all.of(terminal).due();
    }
}
