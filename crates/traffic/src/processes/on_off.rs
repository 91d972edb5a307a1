//! `on-off`: bursts and silences of each source.

use super::{Arrivals, MAX_WORDS, ProcessParameters, load_key};
use crate::{Lengths, OnOffParameters, ReadContext, ReadySources, RunContext};
use flitwork_schema::{
    Allowed, Datum, Entry, Key, Parts, RawTable, Refusal, entries, key, settings,
};

const TABLE: &str = "on-off";
const KEYS: &[Key<OnOffParameters>] = &[load_key(|it| &mut it.load)];
#[rustfmt::skip]
const BURSTS: &[Key<OnOffParameters>] = &[
    key("peak_load", |it| &mut it.peak_load, Allowed::Number(0.0, MAX_WORDS as f64, "words per cycle"), "required", "the load that a source offers while it is on; from the mean load to one packet per cycle"),
    key("burst_cycles", |it| &mut it.burst_cycles, Allowed::Number(1.0, 1e9, "cycles"), "required", "the mean length of a burst"),
];

impl ProcessParameters for OnOffParameters {
    const NAME: &'static str = "on-off";
    const HELP: &'static str = "bursts and silences of each source";
    const ARRIVALS: Arrivals = Arrivals::OpenLoop;

    fn keys(_: &Parts) -> Vec<Entry> {
        let meaning = "bursts, independent for each source; on-off only";
        let bursts = Entry::table(TABLE, "required for on-off", meaning, entries(BURSTS));
        entries(KEYS).into_iter().chain([bursts]).collect()
    }

    fn read(given: &RawTable<'_>, lengths: &Lengths, _: &ReadContext<'_>) -> Result<Self, Refusal> {
        let bursts = given.table(TABLE).ok_or_else(|| given.missing(TABLE))?;
        let parameters = OnOffParameters {
            load: given.needed("load")?,
            peak_load: bursts.needed("peak_load")?,
            burst_cycles: bursts.needed("burst_cycles")?,
        };
        let law = parameters.law(lengths.mean_words());
        law.map_err(|error| match error.key {
            "load" => given.wrong(&error, &[]),
            _ => bursts.wrong(&error, &[]),
        })?;
        Ok(parameters)
    }

    fn settings(&self) -> Vec<(&'static str, Datum)> {
        let mut all = settings(KEYS, self);
        all.push((TABLE, Datum::table(settings(BURSTS, self))));
        all
    }

    fn sources(&self, context: &RunContext<'_>) -> ReadySources {
        let sources = self.traffic(context.open_loop());
        sources.expect("a resolved configuration's traffic").into()
    }

    fn mean_load(&self) -> Option<f64> {
        Some(self.load)
    }
}
