//! `modulated`: each source moves through states with loads of their own.

use super::{Arrivals, MAX_WORDS, ProcessParameters, load_key};
use crate::{
    Lengths, Modulated, ModulatedParameters, ModulatedState, ReadContext, ReadySources, RunContext,
};
use flitwork_schema::{
    Allowed, Datum, Entry, Key, Parts, RawTable, Refusal, entries, key, settings,
};

const TABLE: &str = "modulated";
const STATES: &str = "states";
const KEYS: &[Key<ModulatedParameters>] = &[load_key(|it| &mut it.load)];
#[rustfmt::skip]
const CHAIN: &[Key<ModulatedParameters>] = &[
    key("transitions", |it| &mut it.transitions, Allowed::list(&Allowed::List(1, usize::MAX, &Allowed::Number(0.0, 1.0, ""))), "all other states equally likely", "row i: the probability that each state follows state i; 0 on the diagonal"),
];
#[rustfmt::skip]
const STATE: &[Key<ModulatedState>] = &[
    key("load", |it| &mut it.load, Allowed::Number(0.0, MAX_WORDS as f64, "words per cycle"), "required", "the load that a source offers in the state; scaled if traffic.load is given"),
    key("mean_cycles", |it| &mut it.mean_cycles, Allowed::Number(1.0, 1e9, "cycles"), "required", "the mean length of a stay in the state"),
];

impl ProcessParameters for ModulatedParameters {
    const NAME: &'static str = "modulated";
    const HELP: &'static str =
        "a Markov chain of states for each source, each with a load of its own";
    const ARRIVALS: Arrivals = Arrivals::OpenLoop;

    fn keys(_: &Parts) -> Vec<Entry> {
        let meaning = "the states, one table [[traffic.modulated.states]] each; 1 to 64";
        let states = Entry::tables(STATES, "required", meaning, entries(STATE));
        let chain = entries(CHAIN).into_iter().chain([states]).collect();
        let meaning = "a Markov chain of states, independent for each source; modulated only";
        let chain = Entry::table(TABLE, "required for modulated", meaning, chain);
        entries(KEYS).into_iter().chain([chain]).collect()
    }

    fn read(given: &RawTable<'_>, lengths: &Lengths, _: &ReadContext<'_>) -> Result<Self, Refusal> {
        let chain = given.table(TABLE).ok_or_else(|| given.missing(TABLE))?;
        if !chain.has(STATES) {
            return Err(chain.missing(STATES));
        }
        let mut parameters = ModulatedParameters::default();
        given.set(KEYS, &mut parameters);
        chain.set(CHAIN, &mut parameters);
        for state in chain.tables(STATES) {
            parameters.states.push(ModulatedState {
                load: state.needed("load")?,
                mean_cycles: state.needed("mean_cycles")?,
            });
        }
        let checked = parameters.chain(lengths.mean_words());
        // An error in a state doesn't say in which one, so it points at the whole list.
        checked.map_err(|error| match error.key {
            "load" => given.wrong(&error, &[]),
            _ => chain.wrong(&error, &[STATES]),
        })?;
        Ok(parameters)
    }

    fn settings(&self) -> Vec<(&'static str, Datum)> {
        let mut chain = settings(CHAIN, self);
        let states = self.states.iter();
        let states = Datum::list(states.map(|state| Datum::table(settings(STATE, state))));
        chain.push((STATES, states));
        let mut all = settings(KEYS, self);
        all.push((TABLE, Datum::table(chain)));
        all
    }

    fn sources(&self, context: &RunContext<'_>) -> ReadySources {
        let sources = Modulated::new(self, context.open_loop());
        sources.expect("a resolved configuration's traffic").into()
    }

    fn mean_load(&self) -> Option<f64> {
        self.load
    }
}
