//! `bernoulli`: in each cycle each source tosses a coin.

use super::{Arrivals, ProcessParameters, load_key};
use crate::{Bernoulli, Lengths, ReadContext, ReadySources, RunContext};
use flitwork_schema::{Key, RawTable, Refusal};

/// The load of Bernoulli sources.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BernoulliParameters {
    /// In words per node and cycle, from 0 to 1.
    pub load: f64,
}

impl ProcessParameters for BernoulliParameters {
    const NAME: &'static str = "bernoulli";
    const HELP: &'static str = "each source makes a packet with a fixed probability in each cycle";
    const KEYS: &'static [Key<BernoulliParameters>] = &[load_key(|it| &mut it.load)];
    const ARRIVALS: Arrivals = Arrivals::OpenLoop;

    fn read(given: &RawTable<'_>, _: &Lengths, _: &ReadContext<'_>) -> Result<Self, Refusal> {
        let load = given.needed("load")?;
        Ok(BernoulliParameters { load })
    }

    fn sources(&self, context: &RunContext<'_>) -> ReadySources {
        let rate = self.load / context.lengths.mean_words();
        let sources = Bernoulli::new(
            context.pattern(),
            rate,
            context.until,
            context.seed,
            context.terminals(),
        );
        let sources = sources.expect("a resolved configuration's traffic");
        sources.with_lengths(context.lengths.clone()).into()
    }

    fn mean_load(&self) -> Option<f64> {
        Some(self.load)
    }

    fn may_leave_nodes_untouched(&self, pattern: bool) -> bool {
        self.load == 0.0 || pattern
    }
}
