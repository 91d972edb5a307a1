//! What is counted when packets are made, and when they enter the network.

use super::Observer;
use flitwork_types::{Cycle, NodeId, Packet, TerminalId};

impl Observer {
    /// Counts the creation of this many identical packets.
    #[inline]
    pub(super) fn made(
        &mut self,
        source: TerminalId,
        created: Cycle,
        (words, packets): (u16, u64),
        injected: Option<Cycle>,
    ) {
        let sums = &mut self.observation;
        sums.created += packets;
        match injected {
            Some(cycle) => {
                sums.injected += packets;
                self.waits.entered(source, created, cycle, sums.window);
            }
            None => self.waits.never_entered(source, created),
        }
        if let Some(part) = sums.words_created.part(created) {
            sums.words_created.record_many(part, words.into(), packets);
            sums.throughput.made[source.index()] += u64::from(words) * packets;
        }
        for (at, sum) in [sums.window.start(), sums.window.end()]
            .iter()
            .zip(&mut sums.backlog)
        {
            let waits = created < *at && injected.is_none_or(|injected| injected >= *at);
            *sum += u64::from(waits) * packets;
        }
    }

    #[inline(never)]
    pub(super) fn injected(&mut self, node: NodeId, cycle: Cycle, packet: &Packet) {
        let source = packet.id.source;
        self.made(source, packet.created, (packet.words, 1), Some(cycle));
        if let Some(watch) = &mut self.stopwatch {
            watch.injected(packet, self.now_ps);
        }
        if let Some(ledger) = &self.ledger {
            ledger.injected(cycle);
        }
        let held = self.load_of(packet.words);
        self.held.change(node, held, self.left_of_window(cycle));
        let sums = &mut self.observation;
        sums.last_injection = sums.last_injection.max(Some(cycle));
        if sums.window.contains(cycle) {
            let words = u64::from(packet.words);
            sums.activity.injected_words += words;
            sums.throughput.addressed[packet.destination.index()] += words;
        }
    }

    /// Undoes what [`Observer::injected`] and [`Observer::made`] added.
    pub(super) fn never_injected(&mut self, node: NodeId, cycle: Cycle, packet: &Packet) {
        if let Some(watch) = &mut self.stopwatch {
            watch.never_injected(packet);
        }
        let held = self.load_of(packet.words);
        self.held.change(node, -held, self.left_of_window(cycle));
        let (created, words) = (packet.created, u64::from(packet.words));
        let sums = &mut self.observation;
        sums.created -= 1;
        sums.injected -= 1;
        if let Some(part) = sums.words_created.part(created) {
            sums.words_created.take_back(part, words);
            sums.throughput.made[packet.id.source.index()] -= words;
        }
        for (at, sum) in [sums.window.start(), sums.window.end()]
            .iter()
            .zip(&mut sums.backlog)
        {
            *sum -= u64::from(created < *at && cycle >= *at);
        }
        if sums.window.contains(cycle) {
            sums.activity.injected_words -= words;
            sums.throughput.addressed[packet.destination.index()] -= words;
        }
    }
}
