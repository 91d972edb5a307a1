//! What a node's step reports, on its way to the digest and to the probe.

use flitwork_node::{AnyProbe, Event, Probe};
use flitwork_trace::Digest;
use flitwork_types::{Cycle, NodeId, Packet};

/// Folds a digest and counts packets beside another probe.
pub(crate) struct Folding<'a> {
    pub(crate) digest: &'a mut Digest,
    pub(crate) probe: &'a mut AnyProbe,
    /// Packets in and packets out, in this cycle.
    pub(crate) packets_in: i64,
    pub(crate) packets_out: i64,
    /// What was delivered, where the traffic wants to know.
    pub(crate) delivered: Option<&'a mut Vec<(Cycle, Packet)>>,
}

impl<'a> Folding<'a> {
    #[inline]
    pub(crate) fn new(
        digest: &'a mut Digest,
        probe: &'a mut AnyProbe,
        delivered: Option<&'a mut Vec<(Cycle, Packet)>>,
    ) -> Folding<'a> {
        Folding {
            digest,
            probe,
            packets_in: 0,
            packets_out: 0,
            delivered,
        }
    }
}

impl Probe for Folding<'_> {
    flitwork_node::forward_probe!(self, (self.probe): wants, word, buffered, details);

    #[inline]
    fn event(&mut self, node: NodeId, cycle: Cycle, event: Event) {
        self.digest.event(node, cycle, event);
        if let Event::Injected { .. } = event {
            self.packets_in += 1;
        }
        if let Some(packet) = event.gone().copied() {
            self.packets_out += 1;
            if let Some(delivered) = &mut self.delivered
                && packet.loss.is_none()
            {
                delivered.push((cycle, packet));
            }
        }
        self.probe.event(node, cycle, event);
    }
}
