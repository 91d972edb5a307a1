//! What a node takes from its links and its source, and what it puts onto them.

use super::Clocked;
use super::ends::Seen;
use flitwork_node::{Probe, WordRouter};
use flitwork_topology::Topology;
use flitwork_types::{NodeId, PortSet};

impl<T: Topology, R: WordRouter, P: Probe> Clocked<T, R, P> {
    /// Takes what a node sees at its ports, and a word of its source if that may have one: the ports at which words
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
        if due
            && let Some(terminal) = self.network.terminal(node)
            && let Some(word) = self.sources.step(terminal, reference, &mut self.packets)
        {
            let local = self.network.topology.local();
            self.inbox[local.index()] = word;
            came.insert(local);
        }
        (came, credited)
    }

    /// Puts what a node has sent onto the links, at `at_ps`.
    #[inline]
    pub(super) fn send(&mut self, node: NodeId, at_ps: u64, (sent, credits): (PortSet, PortSet)) {
        let local = self.network.topology.local();
        for port in sent.iter() {
            // What leaves through the local port goes to the processor.
            if port != local {
                let word = self.outbox[port.index()];
                let stands = self.links.send_word((node, port), word, at_ps);
                self.call(stands);
            }
        }
        for port in credits.iter() {
            if port == local {
                let terminal = self.network.terminal(node);
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
