//! `[traffic]`: who sends to whom, when, and how much.

mod batch;
mod lengths;
mod pattern;
mod permutation;
mod phases;
mod process;
mod trace;

use super::{conflict, missing, or};
use crate::config::error::{ConfigError, Fault};
use crate::config::resolved::{Process, RunParameters, TrafficParameters};
use crate::config::source::Source;
use crate::config::written::{Field, WrittenProcess, WrittenTraffic};
use crate::machine::AnyRouter;
use flitwork_topology::Grid;
use flitwork_traffic::{Lengths, ParameterError, PatternParameters};
use std::ops::Range;
use std::path::Path;
use toml::Spanned;

/// What traffic is for.
pub(super) struct Around<'a> {
    pub(super) base_dir: &'a Path,
    pub(super) grid: &'a Grid,
    pub(super) router: &'a AnyRouter,
    pub(super) run: &'a RunParameters,
    pub(super) link_latency_cycles: u32,
}

/// Which process was asked for. What others read is refused before all else that hangs on it.
pub(super) fn kind(
    source: &Source<'_>,
    table: &Spanned<WrittenTraffic>,
) -> Result<WrittenProcess, ConfigError> {
    let kind = or(&table.get_ref().process, WrittenProcess::Bernoulli);
    process::refuse_unread(source, kind, table.get_ref())?;
    Ok(kind)
}

/// Who sends to whom, when, and how much.
pub(super) fn mean(
    source: &Source<'_>,
    around: &Around<'_>,
    table: &Spanned<WrittenTraffic>,
) -> Result<TrafficParameters, ConfigError> {
    let written = table.get_ref();
    let kind = kind(source, table)?;
    let of_schedule = process::of_schedule(source, around.router, kind, table)?;
    let law = lengths::mean(source, around.router, kind, table)?;
    let lengths = Lengths::new(&law).expect("a law that was checked as it was read");
    let fields = pattern::Fields::of_traffic(table);
    let pattern = if process::reads_pattern(kind) {
        pattern::mean(source, around, &fields)?
    } else {
        pattern::refuse_any(source, kind, &fields)?;
        PatternParameters {
            pattern: "uniform".into(),
            seed: around.run.seed,
            ..PatternParameters::default()
        }
    };
    let process = match of_schedule {
        Some(scheduled) => scheduled,
        None => of_kind(source, around, (kind, &lengths), table)?,
    };
    let traffic = TrafficParameters {
        process,
        lengths: law,
        pattern,
        permutation_file: written.file.as_ref().map(|file| file.get_ref().clone()),
    };
    let process = (&traffic.process, traffic.longest_words());
    process::hold(source, around, process, table)?;
    Ok(traffic)
}

/// What only the kind of process says.
fn of_kind(
    source: &Source<'_>,
    around: &Around<'_>,
    (kind, lengths): (WrittenProcess, &Lengths),
    table: &Spanned<WrittenTraffic>,
) -> Result<Process, ConfigError> {
    Ok(match kind {
        WrittenProcess::Batch => Process::Batch(batch::mean(source, around.router, table)?),
        WrittenProcess::Trace => {
            let trace = trace::mean(source, around, table)?;
            Process::Trace(Box::new(trace))
        }
        WrittenProcess::Phases => Process::Phases(phases::mean(source, around, lengths, table)?),
        _ => process::mean(source, kind, lengths, table)?,
    })
}

/// Where a key is given, if it is.
fn span<T>(field: &Field<T>) -> Option<Range<usize>> {
    field.as_ref().map(Spanned::span)
}

/// The value of a key that must be there.
fn needed<T: Copy>(
    source: &Source<'_>,
    field: &Field<T>,
    table: &Range<usize>,
    key: &str,
) -> Result<T, ConfigError> {
    let value = field.as_ref().map(|value| *value.get_ref());
    value.ok_or_else(|| missing(source, table, key))
}

/// A parameter that a process refuses, at its place.
fn refused(
    source: &Source<'_>,
    span: &Range<usize>,
    key: &str,
    error: &ParameterError,
) -> ConfigError {
    let found = format!("{key} is {}", error.found);
    source
        .error(Fault::Conflict, span, found)
        .about(key)
        .allowed_is(&*error.allowed)
}

/// Where it is said how long packets are.
pub(super) fn span_of_lengths(written: &WrittenTraffic) -> Option<Range<usize>> {
    let tables = [
        span(&written.batch),
        span(&written.trace),
        span(&written.lengths),
        span(&written.packet_words),
    ];
    tables.into_iter().flatten().next()
}
