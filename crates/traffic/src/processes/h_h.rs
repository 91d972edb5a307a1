//! `h-h`: packets in cycle 0, of which each node sends at most h and receives at most h.

use super::{Arrivals, COUNT, Destinations, ProcessParameters, k_key};
use crate::{Lengths, ReadContext, RunContext, StaticPacket, h_h};
use flitwork_schema::{Allowed, Key, RawTable, Refusal, key};

/// The size of the relation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HHParameters {
    /// The most packets that a node sends or receives, at least 1.
    pub h: u32,
    /// Packets in all; by default h per node.
    pub packets: Option<u32>,
}

impl ProcessParameters for HHParameters {
    const NAME: &'static str = "h-h";
    const HELP: &'static str = "packets in cycle 0, at most h from each node and h to each";
    #[rustfmt::skip]
    const KEYS: &'static [Key<HHParameters>] = &[
        k_key(|it| &mut it.h),
        key("packets", |it| &mut it.packets, Allowed::Whole(0, COUNT), "k per node", "packets in the whole problem; h-h only"),
    ];
    const ARRIVALS: Arrivals = Arrivals::AtOnce;
    const DESTINATIONS: Destinations = Destinations::Process("its packets go to random nodes");

    fn read(given: &RawTable<'_>, _: &Lengths, context: &ReadContext<'_>) -> Result<Self, Refusal> {
        let mut relation = HHParameters {
            h: 1,
            packets: None,
        };
        given.set(Self::KEYS, &mut relation);
        let terminals = context.topology.terminals();
        let most = u64::from(relation.h) * u64::from(terminals);
        let packets = relation.packets.map(u64::from);
        if packets.is_some_and(|packets| packets > most) {
            let allowed = format!("0 to {most}: traffic.k per node");
            return Err(given.conflict("packets", allowed));
        }
        Ok(relation)
    }

    fn problem(&self, context: &RunContext<'_>) -> Option<Vec<StaticPacket>> {
        let (lengths, terminals) = (&context.lengths, context.terminals());
        let packets = h_h(self.h, self.packets, lengths, context.seed, terminals);
        Some(packets.expect("a resolved configuration's traffic"))
    }

    fn packets_at_once(&self) -> Option<u32> {
        Some(self.h)
    }

    fn may_leave_nodes_untouched(&self, _: bool) -> bool {
        self.packets.is_some()
    }
}
