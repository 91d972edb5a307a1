//! `phases`: patterns and loads that change for the whole network.

use super::{Arrivals, BernoulliParameters, Destinations, LOAD, ProcessParameters};
use crate::{
    AnyProcess, Lengths, PhaseError, PhaseParameters, Phases, PhasesParameters, ReadContext,
    ReadySources, RunContext, patterns,
};
use flitwork_schema::{
    Allowed, Datum, Entry, Key, Parts, RawTable, Refusal, entries, key, settings,
};
use flitwork_types::Cycle;

const TABLES: &str = "phases";
const CYCLES: u64 = Cycle::LAST.get() as u64;
#[rustfmt::skip]
const KEYS: &[Key<PhasesParameters>] = &[
    key("repeat_cycles", |it| &mut it.repeat_cycles, Allowed::Whole(1, CYCLES), "the last phase never ends", "cycles after which the phases repeat; phases only"),
];
#[rustfmt::skip]
const PHASE: &[Key<PhaseParameters>] = &[
    key("from_cycle", |it| &mut it.from_cycle, Allowed::Whole(0, CYCLES), "0", "its first cycle: 0 for the first phase, then increasing"),
    key("load", |it| &mut it.load, Allowed::Number(0.0, 1.0, LOAD), "required", "the load that the sources offer in the phase"),
];

impl ProcessParameters for PhasesParameters {
    const NAME: &'static str = "phases";
    const HELP: &'static str =
        "patterns and loads that change for the whole network: hot spots that move";
    const ARRIVALS: Arrivals = Arrivals::OpenLoop;
    const DESTINATIONS: Destinations = Destinations::Process("each phase has its own");

    fn keys(parts: &Parts) -> Vec<Entry> {
        let meaning = "phases of the whole network, one table [[traffic.phases]] each; phases only";
        let mut phases = Entry::tables(TABLES, "required for phases", meaning, entries(PHASE));
        phases.share(patterns::keys_of_phases(parts));
        entries(KEYS).into_iter().chain([phases]).collect()
    }

    fn read(
        given: &RawTable<'_>,
        lengths: &Lengths,
        context: &ReadContext<'_>,
    ) -> Result<Self, Refusal> {
        if !given.has(TABLES) {
            return Err(given.missing(TABLES));
        }
        let tables = given.tables(TABLES);
        let mut parameters = PhasesParameters::default();
        given.set(KEYS, &mut parameters);
        for table in &tables {
            parameters.phases.push(PhaseParameters {
                from_cycle: table.get("from_cycle").unwrap_or(0),
                pattern: patterns::read(table, context)?,
                load: table.needed("load")?,
            });
        }
        let (lengths, seed) = (lengths.clone(), context.seed);
        let built = Phases::new(&parameters, context.topology, lengths, Cycle::ZERO, seed);
        match built {
            Ok(_) => Ok(parameters),
            Err(PhaseError::Parameter { phase, error }) => Err(tables[phase].wrong(&error, &[])),
            Err(PhaseError::Repeat(error)) => Err(given.wrong(&error, &[])),
            Err(PhaseError::None) => Err(given.conflict(TABLES, "a list of one or more tables")),
            Err(error) => Err(given.conflict(TABLES, error.to_string())),
        }
    }

    fn settings(&self) -> Vec<(&'static str, Datum)> {
        let mut all = settings(KEYS, self);
        let phases = self.phases.iter().map(|phase| {
            let mut within = settings(PHASE, phase);
            within.push(("pattern", Datum::text(phase.pattern.name())));
            within.extend(phase.pattern.settings());
            Datum::table(within)
        });
        all.push((TABLES, Datum::list(phases)));
        all
    }

    fn sources(&self, context: &RunContext<'_>) -> ReadySources {
        let lengths = context.lengths.clone();
        let sources = Phases::new(self, context.topology, lengths, context.until, context.seed);
        sources.expect("a resolved configuration's traffic").into()
    }

    fn scaled_down(&self, _: f64, _: u32) -> AnyProcess {
        BernoulliParameters { load: 1.0 }.into()
    }
}
