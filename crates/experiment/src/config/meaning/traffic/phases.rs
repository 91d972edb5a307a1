//! Phases of the whole network.

use super::{Around, conflict, missing, needed, pattern, refused, span};
use crate::config::error::ConfigError;
use crate::config::meaning::or;
use crate::config::source::Source;
use crate::config::written::{WrittenPhaseOfTraffic, WrittenTraffic};
use flitwork_traffic::{
    Lengths, ParameterError, PhaseError, PhaseParameters, Phases, PhasesParameters,
};
use flitwork_types::Cycle;
use toml::Spanned;

const TABLES: &str = "traffic.phases";

pub(super) fn mean(
    source: &Source<'_>,
    around: &Around<'_>,
    lengths: &Lengths,
    table: &Spanned<WrittenTraffic>,
) -> Result<PhasesParameters, ConfigError> {
    let traffic = table.get_ref();
    let Some(list) = &traffic.phases else {
        return Err(missing(source, &table.span(), TABLES));
    };
    let written = list.get_ref();
    let mut phases = Vec::new();
    for (place, phase) in written.iter().enumerate() {
        let fields = pattern::Fields::of_phase(place, phase);
        let given = phase.get_ref();
        let key = format!("{TABLES}[{place}].load");
        phases.push(PhaseParameters {
            from_cycle: or(&given.from_cycle, 0),
            pattern: pattern::mean(source, around, &fields)?,
            load: needed(source, &given.load, &phase.span(), &key)? + 0.0,
        });
    }
    let parameters = PhasesParameters {
        phases,
        repeat_cycles: traffic.repeat_cycles.as_ref().map(|it| *it.get_ref()),
    };
    let (lengths, seed) = (lengths.clone(), around.run.seed);
    match Phases::new(&parameters, around.grid, lengths, Cycle::ZERO, seed) {
        Ok(_) => Ok(parameters),
        Err(PhaseError::Parameter { phase, error }) => Err(match written.get(phase) {
            Some(table) => wrong(source, phase, table, &error),
            None => refused(source, &list.span(), TABLES, &error),
        }),
        Err(PhaseError::Repeat(error)) => {
            let span = span(&traffic.repeat_cycles).unwrap_or_else(|| list.span());
            Err(refused(source, &span, "traffic.repeat_cycles", &error))
        }
        Err(error) => Err(conflict(source, &list.span(), TABLES, error.to_string())),
    }
}

/// The mistake of one phase beside the others.
fn wrong(
    source: &Source<'_>,
    place: usize,
    phase: &Spanned<WrittenPhaseOfTraffic>,
    error: &ParameterError,
) -> ConfigError {
    let given = phase.get_ref();
    let (key, span) = match error.parameter {
        "load" => ("load", span(&given.load)),
        _ => ("from_cycle", span(&given.from_cycle)),
    };
    let key = format!("{TABLES}[{place}].{key}");
    refused(source, &span.unwrap_or_else(|| phase.span()), &key, error)
}
