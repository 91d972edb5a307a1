//! The sending side of the terminals: what each source puts into its injection frame.

use crate::delivered::Deliveries;
use crate::engine::conclude_at;
use crate::{Control, Outcome, Stopped};
use flitwork_network::{Demand, Network, Source};
use flitwork_node::{Probe, Router};
use flitwork_topology::Topology;
use flitwork_types::{Cycle, Due, Packets, TerminalId, Word};

/// All sources of a network whose words come one by one, and the demand that they meet.
#[derive(Clone)]
pub(crate) struct Sources {
    pub(crate) demand: Demand,
    /// Words per packet, if all packets have the same length.
    fixed: Option<u16>,
    /// By terminal.
    all: Vec<Source>,
    /// Those that may make a packet before anything else is delivered.
    open: usize,
}

impl Sources {
    /// The sources before their first cycle.
    pub(crate) fn new<T: Topology, R: Router>(
        mut demand: Demand,
        network: &Network<T, R>,
    ) -> Sources {
        let all = demand.first_sources(network.topology.terminals());
        Sources {
            demand,
            fixed: network.router.packet_words(),
            open: all.iter().filter(|source| source.is_open()).count(),
            all,
        }
    }

    /// That of a terminal.
    #[inline]
    pub(crate) fn of(&self, terminal: TerminalId) -> &Source {
        &self.all[terminal.index()]
    }

    /// Whether no packet enters the network from `now` on.
    #[inline]
    pub(crate) fn are_done(&self, now: Cycle) -> bool {
        self.open == 0 || now >= self.demand.inject_until
    }

    /// The word that a terminal's source puts into the injection frame in cycle `now`, if it has one.
    #[inline]
    pub(crate) fn step(
        &mut self,
        terminal: TerminalId,
        now: Cycle,
        packets: &mut Packets,
    ) -> Option<Word> {
        let source = &mut self.all[terminal.index()];
        let (open, until) = (source.is_open(), self.demand.inject_until);
        let workload = &mut self.demand.workload;
        let ask = |now| workload.next(terminal, now);
        source.begin_due(terminal, (now, until), self.fixed, packets, ask);
        let word = source.word();
        self.open -= usize::from(open && !source.is_open());
        word
    }

    /// The injection frame of a terminal can take a packet from `cycle` on.
    #[inline]
    pub(crate) fn free(&mut self, terminal: TerminalId, cycle: Cycle) {
        self.all[terminal.index()].free(cycle);
    }

    /// A terminal's source may have come to have a packet. Returns whether that opens it.
    #[inline]
    pub(crate) fn wake(&mut self, terminal: TerminalId) -> bool {
        let woken = self.all[terminal.index()].wake();
        self.open += usize::from(woken);
        woken
    }

    /// Reports deliveries to the traffic, and wakes the sources that may have come to have a packet: `woken` is called
    /// with each of them.
    #[inline]
    pub(crate) fn report(
        &mut self,
        deliveries: &mut Deliveries,
        mut woken: impl FnMut(TerminalId),
    ) {
        let Sources {
            demand, all, open, ..
        } = self;
        let wake = |terminal: TerminalId| {
            *open += usize::from(all[terminal.index()].wake());
            woken(terminal);
        };
        let workload = demand.workload.as_mut();
        deliveries.report(Due::NEVER, workload, |cycle| cycle, wake);
    }

    /// The outcome of a run that has stopped: the sources are asked what they are left with at `end`.
    pub(crate) fn conclude<P: Probe>(
        &mut self,
        end: Cycle,
        stopped: Stopped,
        probe: &mut P,
        control: Control<'_>,
    ) -> Outcome {
        let sources = (&mut self.all[..], self.fixed);
        conclude_at(end, stopped, &mut self.demand, sources, (probe, control))
    }
}
