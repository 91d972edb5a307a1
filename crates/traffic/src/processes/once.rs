//! `once`: every source has so many packets in cycle 0.

use super::{Arrivals, ProcessEntry, ProcessParameters, hold_packets, k_key};
use crate::{Around, Lengths, ReadySources, Site, at_once};
use flitwork_schema::{Datum, Entry, Given, Key, Parts, Refusal, entries, written};

/// How many packets a source has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OnceParameters {
    /// Packets a source, at least 1.
    pub packets: u32,
}

pub(super) const ENTRY: ProcessEntry = ProcessEntry::of::<OnceParameters>();

const KEYS: &[Key<OnceParameters>] = &[k_key(|it| &mut it.packets)];

impl ProcessParameters for OnceParameters {
    const NAME: &'static str = "once";
    const HELP: &'static str = "one packet a source in cycle 0, or k";
    const ARRIVALS: Arrivals = Arrivals::AtOnce;
    const UNREAD: &'static [(&'static str, &'static str)] =
        &[("load", "all packets are there in cycle 0")];

    fn keys(_: &Parts) -> Vec<Entry> {
        entries(KEYS)
    }

    fn read(given: &Given<'_>, _: &Lengths, around: &Around<'_>) -> Result<Self, Refusal> {
        let mut once = OnceParameters { packets: 1 };
        given.set(KEYS, &mut once);
        hold_packets(given, once.packets, around.topology.nodes())?;
        Ok(once)
    }

    fn written(&self) -> Vec<(&'static str, Datum)> {
        written(KEYS, self)
    }

    fn sources(&self, site: &Site<'_>) -> ReadySources {
        let pattern = site.pattern();
        let (lengths, nodes) = (&site.lengths, site.nodes());
        let sources = at_once(self.packets, pattern.as_ref(), lengths, site.seed, nodes);
        sources.expect("a resolved configuration's traffic").into()
    }

    fn packets_at_once(&self) -> Option<u32> {
        Some(self.packets)
    }
}
