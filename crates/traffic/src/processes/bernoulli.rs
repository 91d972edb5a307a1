//! `bernoulli`: in each cycle each source tosses a coin.

use super::{Arrivals, ProcessEntry, ProcessParameters, load_key};
use crate::{Around, Bernoulli, Lengths, ReadySources, Site};
use flitwork_schema::{Datum, Entry, Given, Key, Parts, Refusal, entries, written};

/// How often coins show a packet.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BernoulliParameters {
    /// Words a node and cycle, 0 to 1.
    pub load: f64,
}

pub(super) const ENTRY: ProcessEntry = ProcessEntry::of::<BernoulliParameters>();

const KEYS: &[Key<BernoulliParameters>] = &[load_key(|it| &mut it.load)];

impl ProcessParameters for BernoulliParameters {
    const NAME: &'static str = "bernoulli";
    const HELP: &'static str = "a coin in each cycle";
    const ARRIVALS: Arrivals = Arrivals::OpenLoop;

    fn keys(_: &Parts) -> Vec<Entry> {
        entries(KEYS)
    }

    fn read(given: &Given<'_>, _: &Lengths, _: &Around<'_>) -> Result<Self, Refusal> {
        let load = given.needed("load")?;
        Ok(BernoulliParameters { load })
    }

    fn written(&self) -> Vec<(&'static str, Datum)> {
        written(KEYS, self)
    }

    fn sources(&self, site: &Site<'_>) -> ReadySources {
        let rate = self.load / site.lengths.mean_words();
        let sources = Bernoulli::new(site.pattern(), rate, site.until, site.seed, site.nodes());
        let sources = sources.expect("a resolved configuration's traffic");
        sources.with_lengths(site.lengths.clone()).into()
    }

    fn mean_load(&self) -> Option<f64> {
        Some(self.load)
    }

    fn leaves_nodes_alone(&self, pattern: bool) -> bool {
        self.load == 0.0 || pattern
    }
}
