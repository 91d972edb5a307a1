//! Causes and culprits in nodes with frames, held against what the network's shape says: which outputs a packet may take
//! follows from where it is and where it goes, and which of them are shut from what stands in their frames.

use crate::clause::{Clause, equal, holds};
use flitwork_node::{Buffer, BufferState, Cause, Doing, Place, View, What};
use flitwork_topology::Topology;
use flitwork_types::{NodeId, PacketId, Port, PortSet, TerminalId};

/// A node with output frames before a step.
pub(crate) struct Frames<'a, T> {
    pub(crate) topology: &'a T,
    pub(crate) node: NodeId,
    pub(crate) view: &'a View,
}

impl<T: Topology> Frames<'_, T> {
    fn output(&self, port: Port) -> &Buffer {
        let output = self.view.buffer(Place::Output(port));
        output.unwrap_or_else(|| {
            Clause::Looks.broken(format_args!("no frame at {port:?}: {:?}", self.view))
        })
    }

    /// The packet in an output frame.
    fn holder(&self, port: Port) -> Option<PacketId> {
        self.output(port).held.first().map(|part| part.packet)
    }

    /// Whether nothing is in an output frame and nothing keeps it shut. Words that arrive don't change that.
    fn is_open(&self, port: Port) -> bool {
        let output = self.output(port);
        output.held.is_empty() && output.state == BufferState::Usual
    }

    /// The outputs that a packet with this destination may take.
    fn wanted(&self, destination: TerminalId) -> PortSet {
        let home = self.topology.home(destination);
        match home == self.node {
            true => PortSet::only(self.topology.local_of(destination)),
            false => self.topology.productive(self.node, home),
        }
    }

    /// What is said of a packet that stays is so.
    pub(crate) fn check(&self, doing: &Doing, destination: TerminalId) {
        let What::Stays { cause, culprit } = doing.what else {
            return;
        };
        let wanted = self.wanted(destination);
        // Of the packets in an input frame of a link some wait for what is in the paired output frame, too.
        let pair = match doing.place {
            Place::Input(port) if !self.topology.is_local(port) => Some(port),
            _ => None,
        };
        let holders = wanted.iter().filter_map(|port| self.holder(port));
        let holders: Vec<PacketId> = holders.collect();
        let sole = (wanted.len() == 1)
            .then(|| holders.first().copied())
            .flatten();
        let sole = sole.filter(|holder| *holder != doing.packet);
        let paired = pair.and_then(|port| self.holder(port));
        let is_any_open = wanted.iter().any(|port| self.is_open(port));
        let is_pair_open = pair.is_some_and(|port| self.is_open(port));
        let what = || (self.node, doing, self.view);
        match cause {
            // Only a packet that may not bypass the multiqueue leaves an open output alone.
            Cause::OutputTaken => {
                holds!(
                    Clause::Explains,
                    !is_pair_open && (pair.is_some() || !is_any_open),
                    "{:?}",
                    what()
                );
                holds!(
                    Clause::Explains,
                    paired.is_some() || !holders.is_empty(),
                    "{:?}",
                    what()
                );
                let is_known = pair.is_none() && culprit == sole;
                let is_one = [sole, paired, None].contains(&culprit);
                holds!(
                    Clause::Explains,
                    is_known || pair.is_some() && is_one,
                    "{:?}",
                    what()
                );
            }
            Cause::StallRule => {
                let waits = paired.is_some_and(|packet| self.waits_at(pair, packet));
                holds!(Clause::Explains, is_pair_open || waits, "{:?}", what());
                holds!(
                    Clause::Explains,
                    [sole, None].contains(&culprit),
                    "{:?}",
                    what()
                );
            }
            Cause::Ejection => {
                holds!(Clause::Explains, !is_any_open, "{:?}", what());
                equal!(Clause::Explains, culprit, sole, "{:?}", what());
            }
            Cause::LostDecision => {
                let waits = paired.is_some_and(|packet| self.waits_at(pair, packet));
                holds!(
                    Clause::Explains,
                    is_any_open || is_pair_open || waits,
                    "{:?}",
                    what()
                );
            }
            _ => {}
        }
    }

    /// Whether a packet's head is in the output frame at a link whose far end has no room.
    fn waits_at(&self, port: Option<Port>, packet: PacketId) -> bool {
        let Some(port) = port else {
            return false;
        };
        let parts = self.output(port).held.iter();
        let mut parts = parts.filter(|part| (part.packet, part.first) == (packet, 0));
        let credits = self.view.credits.iter();
        let mut credits = credits.filter(|credit| credit.port == port);
        parts.next().is_some() && credits.all(|credit| credit.room == 0)
    }
}
