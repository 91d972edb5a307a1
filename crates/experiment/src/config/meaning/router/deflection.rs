//! `[router.deflection]`.

use super::set;
use crate::config::error::{ConfigError, Fault};
use crate::config::meaning::{conflict, or};
use crate::config::source::Source;
use crate::config::written::{
    DeflectionPreset, Field, WrittenDeflected, WrittenDeflection, WrittenPortChoice,
};
use flitwork_router::deflection::{
    DeflectionError, DeflectionParameters, Extent, Golden, PRIORITIES, PortChoice, Priority,
    Switching,
};
use flitwork_topology::{Grid, Topology};
use std::ops::Range;
use toml::Spanned;

const TABLE: &str = "router.deflection";

pub(super) fn mean(
    source: &Source<'_>,
    grid: &Grid,
    link_latency_cycles: u32,
    table: &Spanned<WrittenDeflection>,
) -> Result<DeflectionParameters, ConfigError> {
    let written = table.get_ref();
    let mut parameters = match or(&written.preset, DeflectionPreset::FlitBless) {
        DeflectionPreset::FlitBless => DeflectionParameters::flit_bless(),
        DeflectionPreset::WormBless => DeflectionParameters::worm_bless(),
        DeflectionPreset::Chipper => DeflectionParameters::chipper(Golden::USUAL),
        DeflectionPreset::Minbd => DeflectionParameters::minbd(Golden::USUAL),
    };
    set(&mut parameters.switching, &written.switching);
    set(&mut parameters.port_choice, &written.port_choice);
    set(&mut parameters.eject_words, &written.eject_words);
    set(
        &mut parameters.side_buffer_flits,
        &written.side_buffer_flits,
    );
    let redirection = &written.redirection_cycles;
    set(&mut parameters.redirection_cycles, redirection);
    if let Some(name) = &written.priority {
        let mut entries = PRIORITIES.iter();
        if let Some(entry) = entries.find(|entry| entry.name == name.get_ref()) {
            parameters.priority = entry.priority;
        }
    }
    if let Priority::Golden(_) = parameters.priority {
        let extent = Extent {
            nodes: grid.nodes(),
            diameter_hops: grid.diameter_hops(),
            link_latency_cycles,
        };
        let home = parameters.home_cycles(extent);
        let usual = u32::try_from(home).unwrap_or(u32::MAX).min(1 << 24);
        parameters.priority = Priority::Golden(Golden {
            epoch_cycles: or(&written.epoch_cycles, usual),
            transactions: or(&written.transactions, Golden::USUAL.transactions),
        });
    } else {
        refuse_golden(source, parameters.priority, written)?;
    }
    let checked = parameters.check();
    checked.map_err(|error| refused(source, table, &error))?;
    Ok(parameters)
}

/// Refuses what only golden packets make sense of.
fn refuse_golden(
    source: &Source<'_>,
    priority: Priority,
    written: &WrittenDeflection,
) -> Result<(), ConfigError> {
    let given = [
        ("epoch_cycles", span(&written.epoch_cycles)),
        ("transactions", span(&written.transactions)),
    ];
    match given.into_iter().find_map(|(key, span)| Some((key, span?))) {
        None => Ok(()),
        Some((key, span)) => {
            let name = priority.name();
            let allowed =
                format!("nothing: the priority is {name:?}, and only \"golden\" reads it");
            Err(conflict(source, &span, &format!("{TABLE}.{key}"), allowed))
        }
    }
}

fn span<T>(field: &Field<T>) -> Option<Range<usize>> {
    field.as_ref().map(Spanned::span)
}

/// The mistake that the router's own check found.
fn refused(
    source: &Source<'_>,
    table: &Spanned<WrittenDeflection>,
    error: &DeflectionError,
) -> ConfigError {
    let written = table.get_ref();
    let own = match error.key {
        "eject_words" => span(&written.eject_words),
        "side_buffer_flits" => span(&written.side_buffer_flits),
        "redirection_cycles" => span(&written.redirection_cycles),
        "epoch_cycles" => span(&written.epoch_cycles),
        "transactions" => span(&written.transactions),
        _ => span(&written.priority),
    };
    let span = own.or(span(&written.switching)).or(span(&written.preset));
    let span = span.unwrap_or_else(|| table.span());
    let key = format!("{TABLE}.{}", error.key);
    source
        .error(Fault::Conflict, &span, format!("{key} is {}", error.found))
        .about(&key)
        .allowed_is(&*error.allowed)
}

impl From<WrittenDeflected> for Switching {
    fn from(written: WrittenDeflected) -> Switching {
        match written {
            WrittenDeflected::Flit => Switching::Flit,
            WrittenDeflected::Worm => Switching::Worm,
        }
    }
}

impl From<WrittenPortChoice> for PortChoice {
    fn from(written: WrittenPortChoice) -> PortChoice {
        match written {
            WrittenPortChoice::Ordered => PortChoice::Ordered,
            WrittenPortChoice::Random => PortChoice::Random,
        }
    }
}
