//! `[run]`.

use super::{conflict, or};
use crate::config::error::ConfigError;
use crate::config::keys::MAX_RUN_CYCLES;
use crate::config::resolved::{EngineChoice, Process, RunParameters};
use crate::config::source::Source;
use crate::config::written::{Field, WrittenEngine, WrittenProcess, WrittenRun};
use flitwork_types::Cycle;
use toml::Spanned;

const WARMUP_CYCLES: u32 = 10_000;
const MEASURE_CYCLES: u32 = 50_000;
const DEADLINE_CYCLES: u32 = 100_000_000;

pub(super) fn mean(
    source: &Source<'_>,
    process: WrittenProcess,
    written: Option<WrittenRun>,
) -> Result<RunParameters, ConfigError> {
    let written = written.unwrap_or_default();
    let engine = match or(&written.engine, WrittenEngine::Sync) {
        WrittenEngine::Sync => EngineChoice::Sync,
        WrittenEngine::SyncStepped => EngineChoice::SyncStepped,
        WrittenEngine::SyncPlain => EngineChoice::SyncPlain,
        WrittenEngine::Clocked => EngineChoice::Clocked,
        WrittenEngine::Live => EngineChoice::Live,
    };
    let seed = or(&written.seed, 1);
    let unread = |key: &str, field: &Field<u32>, readers: &str| match field {
        None => Ok(()),
        Some(given) => {
            let allowed = format!("nothing: only traffic.process = {readers} reads {key}");
            Err(conflict(
                source,
                &given.span(),
                &format!("run.{key}"),
                allowed,
            ))
        }
    };
    if is_open_loop(process) {
        unread("deadline_cycles", &written.deadline_cycles, CLOSED)?;
        let [warmup_cycles, measure_cycles, drain_cycles, deadline_cycles] =
            phases(source, &written)?;
        return Ok(RunParameters {
            seed,
            engine,
            warmup_cycles,
            measure_cycles,
            drain_cycles,
            stop_at_overload: stop_at_overload(source, &written, engine)?,
            deadline_cycles,
        });
    }
    unread("warmup_cycles", &written.warmup_cycles, OPEN)?;
    unread("measure_cycles", &written.measure_cycles, OPEN)?;
    unread("drain_cycles", &written.drain_cycles, OPEN)?;
    if let Some(given) = &written.stop_at_overload {
        let allowed = format!("nothing: only traffic.process = {OPEN} reads stop_at_overload");
        let key = "run.stop_at_overload";
        return Err(conflict(source, &given.span(), key, allowed));
    }
    Ok(RunParameters {
        seed,
        engine,
        warmup_cycles: 0,
        measure_cycles: 0,
        drain_cycles: 0,
        stop_at_overload: false,
        deadline_cycles: or(&written.deadline_cycles, DEADLINE_CYCLES),
    })
}

/// Whether an overload ends the injection: by a look at what has happened on all nodes before a cycle, which a
/// live run has nobody for.
fn stop_at_overload(
    source: &Source<'_>,
    written: &WrittenRun,
    engine: EngineChoice,
) -> Result<bool, ConfigError> {
    match &written.stop_at_overload {
        Some(given) if *given.get_ref() && engine == EngineChoice::Live => {
            let allowed = "false on the live engine";
            let key = "run.stop_at_overload";
            Err(conflict(source, &given.span(), key, allowed))
        }
        given => Ok(or(given, false)),
    }
}

/// A trace has as long to be delivered after the last packet's own cycle as others have in all, unless the
/// deadline is `given`.
pub(super) fn hold_trace(run: &mut RunParameters, given: bool, process: &Process) {
    if let Process::Trace(trace) = process
        && let Some(last) = trace.last_cycle
        && !given
    {
        let deadline = last + run.deadline_cycles;
        run.deadline_cycles = deadline.min(Cycle::LAST).get();
    }
}

/// The processes that make packets whatever becomes of them, and those that end.
const OPEN: &str = "\"bernoulli\", \"modulated\", \"on-off\" or \"phases\"";
const CLOSED: &str = "\"batch\", \"h-h\", \"k-k\", \"once\" or \"trace\"";

/// Whether sources make packets whatever becomes of them.
fn is_open_loop(process: WrittenProcess) -> bool {
    use WrittenProcess::{Bernoulli, Modulated, OnOff, Phases};
    matches!(process, Bernoulli | Modulated | OnOff | Phases)
}

/// Warm-up, measurement, drain, and the run they make.
fn phases(source: &Source<'_>, written: &WrittenRun) -> Result<[u32; 4], ConfigError> {
    let warmup = or(&written.warmup_cycles, WARMUP_CYCLES);
    let measure = or(&written.measure_cycles, MEASURE_CYCLES);
    let before = u64::from(warmup) + u64::from(measure);
    let room = MAX_RUN_CYCLES.saturating_sub(before) / 2;
    // At most half of LAST, which 32 bits hold.
    let usual = (10 * before).min(room) as u32;
    let drain = or(&written.drain_cycles, usual);
    let total = before + 2 * u64::from(drain);
    if let Ok(deadline) = u32::try_from(total)
        && total <= MAX_RUN_CYCLES
    {
        return Ok([warmup, measure, drain, deadline]);
    }
    let given = [
        ("drain_cycles", &written.drain_cycles),
        ("measure_cycles", &written.measure_cycles),
        ("warmup_cycles", &written.warmup_cycles),
    ];
    // The longest of those that are given: the defaults alone fit.
    let longest = given
        .into_iter()
        .filter_map(|(key, field)| field.as_ref().map(|field| (key, field)))
        .max_by_key(|(_, field)| *field.get_ref());
    let allowed = format!(
        "warmup_cycles + measure_cycles + 2 * drain_cycles up to {MAX_RUN_CYCLES}; they are {warmup} + {measure} + 2 * {drain} = {total}"
    );
    match longest.map(|(key, field): (_, &Spanned<u32>)| (key, field.span())) {
        Some((key, span)) => Err(conflict(source, &span, &format!("run.{key}"), allowed)),
        None => unreachable!("the default phases of a run fit"),
    }
}
