//! `once`: every source has k packets in cycle 0.

use super::{Arrivals, ProcessParameters, k_key};
use crate::{Lengths, ReadContext, RunContext, StaticPacket, at_once};
use flitwork_schema::{Key, RawTable, Refusal};

/// The packets of each source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OnceParameters {
    /// Packets per source, at least 1.
    pub packets: u32,
}

impl ProcessParameters for OnceParameters {
    const NAME: &'static str = "once";
    const HELP: &'static str = "k packets per source in cycle 0, one by default";
    const KEYS: &'static [Key<OnceParameters>] = &[k_key(|it| &mut it.packets)];
    const ARRIVALS: Arrivals = Arrivals::AtOnce;
    const UNREAD: &'static [(&'static str, &'static str)] =
        &[("load", "all packets exist in cycle 0")];

    fn read(given: &RawTable<'_>, _: &Lengths, _: &ReadContext<'_>) -> Result<Self, Refusal> {
        let mut once = OnceParameters { packets: 1 };
        given.set(Self::KEYS, &mut once);
        Ok(once)
    }

    fn problem(&self, context: &RunContext<'_>) -> Option<Vec<StaticPacket>> {
        let pattern = context.pattern();
        let (lengths, terminals) = (&context.lengths, context.terminals());
        let packets = at_once(
            self.packets,
            pattern.as_ref(),
            lengths,
            context.seed,
            terminals,
        );
        Some(packets.expect("a resolved configuration's traffic"))
    }

    fn packets_at_once(&self) -> Option<u32> {
        Some(self.packets)
    }
}
