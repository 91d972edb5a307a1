//! What a node takes from its links and its source, and what it puts onto them.

use super::Clocked;
use super::ends::Seen;
use flitwork_node::{Probe, WordRouter};
use flitwork_topology::Topology;
use flitwork_types::{NodeId, PortSet};

impl<T: Topology, R: WordRouter, P: Probe> Clocked<T, R, P> {
    /// Takes what a node sees at its ports, and words of its sources if these may have one: the ports at which words
    /// came, and those at which credits did.
    #[inline]
    pub(super) fn take(&mut self, node: NodeId, seen: Seen, due: bool) -> (PortSet, PortSet) {
        let ends = self.links.ends(node);
        let (words, credits) = (!ends.words.is_empty(), !ends.credits.is_empty());
        let mut came = PortSet::EMPTY;
        if words {
            came = self.links.take_words(node, seen, &mut self.inbox);
            let reported = PortSet(came.0 & self.links.ends(node).reports.0);
            for port in reported.iter() {
                let taken = self.links.report_taken((node, port), seen.shared_ps);
                self.call(taken);
            }
        }
        let mut credited = PortSet::EMPTY;
        if credits {
            let channels = &mut self.inbox_channels;
            credited = self.links.take_credits(node, seen, channels);
        }
        let reference = self.reference.cycle;
        if due {
            for (port, terminal) in self.network.terminals(node) {
                if let Some(word) = self.sources.step(terminal, reference, &mut self.packets) {
                    self.inbox[port.index()] = word;
                    came.insert(port);
                }
            }
        }
        (came, credited)
    }

    /// Puts what a node has sent onto the links, at `at_ps`.
    #[inline]
    pub(super) fn send(&mut self, node: NodeId, at_ps: u64, (sent, credits): (PortSet, PortSet)) {
        for port in sent.iter() {
            // What leaves through a local port goes to the processor.
            if !self.network.topology.is_local(port) {
                let word = self.outbox[port.index()];
                let stands = self.links.send_word((node, port), word, at_ps);
                self.call(stands);
            }
        }
        for port in credits.iter() {
            if self.network.topology.is_local(port) {
                let terminal = self.network.topology.source_at(node, port);
                let terminal = terminal.expect("what frees an injection frame has a terminal");
                self.sources.free(terminal);
            } else {
                let channel = self.outbox_channels[port.index()];
                let stands = self.links.send_credit((node, port), channel, at_ps);
                self.call(stands);
            }
        }
    }
}
