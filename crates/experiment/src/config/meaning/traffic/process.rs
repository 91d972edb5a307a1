//! When packets are made, and which keys that reads.

use super::{Around, conflict, missing, needed, refused, span};
use crate::config::error::ConfigError;
use crate::config::meaning::or;
use crate::config::resolved::{EngineChoice, Process};
use crate::config::source::Source;
use crate::config::written::{WrittenModulated, WrittenProcess, WrittenTraffic};
use crate::machine::AnyRouter;
use flitwork_router::parameters::Takes;
use flitwork_topology::Topology;
use flitwork_traffic::{
    Lengths, ModulatedParameters, ModulatedState, OnOffParameters, OpenLoop, ParameterError,
    build_pattern,
};
use flitwork_traffic::{Modulated, PatternParameters};
use flitwork_types::Cycle;
use std::ops::Range;
use toml::Spanned;

/// What a configuration calls a process.
pub(super) fn name(kind: WrittenProcess) -> &'static str {
    match kind {
        WrittenProcess::Batch => "batch",
        WrittenProcess::Bernoulli => "bernoulli",
        WrittenProcess::HH => "h-h",
        WrittenProcess::KK => "k-k",
        WrittenProcess::Modulated => "modulated",
        WrittenProcess::OnOff => "on-off",
        WrittenProcess::Once => "once",
        WrittenProcess::Phases => "phases",
        WrittenProcess::Schedule => "schedule",
        WrittenProcess::Trace => "trace",
    }
}

/// Whether a process sends where `traffic.pattern` says.
pub(super) fn reads_pattern(kind: WrittenProcess) -> bool {
    use WrittenProcess::{HH, KK, Phases, Schedule, Trace};
    !matches!(kind, HH | KK | Phases | Schedule | Trace)
}

/// Which processes read a key.
type Readers = &'static [WrittenProcess];

/// The keys that only some processes read, and where they are given.
fn keys_of_processes(
    written: &WrittenTraffic,
) -> [(&'static str, Readers, Option<Range<usize>>); 8] {
    use WrittenProcess::{Batch, Bernoulli, HH, KK, Modulated, OnOff, Once, Phases, Trace};
    [
        ("load", &[Bernoulli, OnOff, Modulated], span(&written.load)),
        ("k", &[Once, KK, HH], span(&written.k)),
        ("packets", &[HH], span(&written.packets)),
        ("on-off", &[OnOff], span(&written.on_off)),
        ("modulated", &[Modulated], span(&written.modulated)),
        ("repeat_cycles", &[Phases], span(&written.repeat_cycles)),
        ("batch", &[Batch], span(&written.batch)),
        ("trace", &[Trace], span(&written.trace)),
    ]
}

/// Refuses a key that the process doesn't read.
pub(super) fn refuse_unread(
    source: &Source<'_>,
    kind: WrittenProcess,
    written: &WrittenTraffic,
) -> Result<(), ConfigError> {
    let phases = written.phases.as_ref().map(Spanned::span);
    let phases: (_, Readers, _) = ("phases", &[WrittenProcess::Phases], phases);
    for (key, readers, given) in keys_of_processes(written).into_iter().chain([phases]) {
        let Some(given) = given.filter(|_| !readers.contains(&kind)) else {
            continue;
        };
        let key = format!("traffic.{key}");
        let allowed = match (kind, &*key) {
            (WrittenProcess::Once, "traffic.load") => {
                "nothing: with traffic.process = \"once\" all packets are there in cycle 0".into()
            }
            _ => format!(
                "nothing with traffic.process = {:?}: only {} reads it",
                name(kind),
                listed(readers)
            ),
        };
        return Err(conflict(source, &given, &key, allowed));
    }
    Ok(())
}

/// The names of some processes, one after the other.
fn listed(kinds: &[WrittenProcess]) -> String {
    let names: Vec<String> = kinds
        .iter()
        .map(|kind| format!("{:?}", name(*kind)))
        .collect();
    match names.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, first)) => format!("{} or {last}", first.join(", ")),
        None => String::new(),
    }
}

/// The processes whose parameters are a few numbers.
pub(super) fn mean(
    source: &Source<'_>,
    kind: WrittenProcess,
    lengths: &Lengths,
    table: &Spanned<WrittenTraffic>,
) -> Result<Process, ConfigError> {
    let written = table.get_ref();
    let k = or(&written.k, 1);
    Ok(match kind {
        WrittenProcess::OnOff => Process::OnOff(on_off(source, lengths, table)?),
        WrittenProcess::Modulated => Process::Modulated(modulated(source, lengths, table)?),
        WrittenProcess::Once => Process::Once { packets: k },
        WrittenProcess::KK => Process::KK { k },
        WrittenProcess::HH => Process::HH {
            h: k,
            packets: written.packets.as_ref().map(|packets| *packets.get_ref()),
        },
        // A load of -0.0 becomes 0.0.
        _ => Process::Bernoulli {
            load: needed(source, &written.load, &table.span(), "traffic.load")? + 0.0,
        },
    })
}

fn on_off(
    source: &Source<'_>,
    lengths: &Lengths,
    table: &Spanned<WrittenTraffic>,
) -> Result<OnOffParameters, ConfigError> {
    let written = table.get_ref();
    let Some(bursts) = &written.on_off else {
        return Err(missing(source, &table.span(), "traffic.on-off"));
    };
    let around = bursts.span();
    let given = bursts.get_ref();
    let parameters = OnOffParameters {
        load: needed(source, &written.load, &table.span(), "traffic.load")? + 0.0,
        peak_load: needed(
            source,
            &given.peak_load,
            &around,
            "traffic.on-off.peak_load",
        )? + 0.0,
        burst_cycles: needed(
            source,
            &given.burst_cycles,
            &around,
            "traffic.on-off.burst_cycles",
        )?,
    };
    let law = parameters.law(lengths.mean_words());
    law.map_err(|error| {
        let (key, span) = match error.parameter {
            "load" => ("traffic.load", span(&written.load)),
            "peak_load" => ("traffic.on-off.peak_load", span(&given.peak_load)),
            _ => ("traffic.on-off.burst_cycles", span(&given.burst_cycles)),
        };
        refused(source, &span.unwrap_or(around), key, &error)
    })?;
    Ok(parameters)
}

fn modulated(
    source: &Source<'_>,
    lengths: &Lengths,
    table: &Spanned<WrittenTraffic>,
) -> Result<ModulatedParameters, ConfigError> {
    const STATES: &str = "traffic.modulated.states";
    let written = table.get_ref();
    let Some(chain) = &written.modulated else {
        return Err(missing(source, &table.span(), "traffic.modulated"));
    };
    let given = chain.get_ref();
    let Some(states) = &given.states else {
        return Err(missing(source, &chain.span(), STATES));
    };
    let mut parameters = ModulatedParameters {
        states: Vec::new(),
        transitions: given.transitions.as_ref().map(|rows| {
            let rows = rows.get_ref().iter();
            rows.map(|row| row.get_ref().clone()).collect()
        }),
        load: written.load.as_ref().map(|load| *load.get_ref() + 0.0),
    };
    for (place, state) in states.get_ref().iter().enumerate() {
        let key = |name: &str| format!("{STATES}[{place}].{name}");
        let (around, state) = (state.span(), state.get_ref());
        parameters.states.push(ModulatedState {
            load: needed(source, &state.load, &around, &key("load"))? + 0.0,
            mean_cycles: needed(source, &state.mean_cycles, &around, &key("mean_cycles"))?,
        });
    }
    check_modulated(&parameters, lengths).map_err(|error| {
        let (key, span) = place_in_chain(source, chain, written, &error);
        refused(source, &span, &key, &error)
    })?;
    Ok(parameters)
}

/// Builds the chain as the run will, on the least network there is.
fn check_modulated(
    parameters: &ModulatedParameters,
    lengths: &Lengths,
) -> Result<(), ParameterError> {
    let grid = flitwork_topology::Grid::mesh(&[2]).expect("a mesh of two nodes");
    let uniform = PatternParameters {
        pattern: "uniform".into(),
        ..PatternParameters::default()
    };
    let open_loop = OpenLoop {
        pattern: build_pattern(&uniform, &grid).expect("a uniform pattern"),
        lengths: lengths.clone(),
        until: Cycle::ZERO,
        seed: 0,
        nodes: grid.nodes(),
    };
    Modulated::new(parameters, open_loop).map(|_| ())
}

/// The key that an error of a chain is about. Errors of states don't say which: the list is shown.
fn place_in_chain(
    source: &Source<'_>,
    chain: &Spanned<WrittenModulated>,
    written: &WrittenTraffic,
    error: &ParameterError,
) -> (String, Range<usize>) {
    let given = chain.get_ref();
    let (key, span) = match error.parameter {
        "load" => ("traffic.load", span(&written.load)),
        "transitions" => (
            "traffic.modulated.transitions",
            given.transitions.as_ref().map(Spanned::span),
        ),
        parameter => {
            let key = format!("traffic.modulated.{parameter}");
            let key = match source.schema.find(&key) {
                Some(line) => line.key.as_str(),
                None => "traffic.modulated.states",
            };
            (key, given.states.as_ref().map(Spanned::span))
        }
    };
    (key.into(), span.unwrap_or_else(|| chain.span()))
}

/// The most packets of a static problem, which are all held in memory.
const MOST_PACKETS: u64 = 1 << 30;

/// Refuses static problems of more packets than there may be.
fn hold_packets(
    source: &Source<'_>,
    around: &Around<'_>,
    process: &Process,
    table: &Spanned<WrittenTraffic>,
) -> Result<(), ConfigError> {
    let nodes = u64::from(around.grid.nodes());
    let (k, packets) = match process {
        Process::Once { packets } => (*packets, None),
        Process::KK { k } => (*k, None),
        Process::HH { h, packets } => (*h, *packets),
        _ => return Ok(()),
    };
    let written = table.get_ref();
    let most_k = MOST_PACKETS / nodes;
    if u64::from(k) > most_k {
        let span = span(&written.k).unwrap_or_else(|| table.span());
        let allowed = format!("1 to {most_k}: a problem has at most {MOST_PACKETS} packets");
        return Err(conflict(source, &span, "traffic.k", allowed));
    }
    let most = u64::from(k) * nodes;
    if packets.is_some_and(|packets| u64::from(packets) > most) {
        let span = span(&written.packets).unwrap_or_else(|| table.span());
        let allowed = format!("0 to {most}: traffic.k a node");
        return Err(conflict(source, &span, "traffic.packets", allowed));
    }
    Ok(())
}

/// Refuses packets that a schedule may not bring home before the last cycle that a run may have. Each worm
/// starts at the latest when all before it are home.
fn hold_schedule(
    source: &Source<'_>,
    around: &Around<'_>,
    (process, longest_words): (&Process, u16),
    table: &Spanned<WrittenTraffic>,
) -> Result<(), ConfigError> {
    let key_span = span(&table.get_ref().process).unwrap_or_else(|| table.span());
    let k = match process {
        Process::Once { packets } => *packets,
        Process::KK { k } => *k,
        Process::HH { h, .. } => *h,
        _ => {
            let allowed = "\"once\", \"k-k\" or \"h-h\": a schedule is made for packets that are there in cycle 0";
            return Err(conflict(source, &key_span, "traffic.process", allowed));
        }
    };
    let sides: u64 = around.grid.sides().into_iter().map(u64::from).sum();
    let worm = u64::from(longest_words) + sides * u64::from(around.link_latency_cycles);
    let packets = u64::from(k) * u64::from(around.grid.nodes());
    if packets * worm <= u64::from(Cycle::LAST.get()) {
        return Ok(());
    }
    let span = span(&table.get_ref().k).unwrap_or(key_span);
    let allowed = format!(
        "packets * (words + hops) up to {} cycles with router.scheduled; here they are {packets} * {worm}",
        Cycle::LAST
    );
    Err(conflict(source, &span, "traffic.k", allowed))
}

/// The packets of the router's schedule. Only a schedule from a file has any, and they are all that run by it.
pub(super) fn of_schedule(
    source: &Source<'_>,
    router: &AnyRouter,
    kind: WrittenProcess,
    table: &Spanned<WrittenTraffic>,
) -> Result<Option<Process>, ConfigError> {
    let asked = kind == WrittenProcess::Schedule;
    let span = span(&table.get_ref().process).unwrap_or_else(|| table.span());
    let allowed = match (router.packets(), asked) {
        (Some(routes), true) => {
            let longest_words = routes.iter().map(|route| route.words).max();
            let longest_words = longest_words.unwrap_or(1);
            return Ok(Some(Process::Schedule { longest_words }));
        }
        (Some(_), false) => {
            "\"schedule\" with router.scheduled.schedule = \"file\": the file has the packets"
        }
        (None, true) => "\"schedule\" only with router.scheduled.schedule = \"file\"",
        (None, false) => return Ok(None),
    };
    Err(conflict(source, &span, "traffic.process", allowed))
}

/// Refuses a process that the router or the engine can't take.
pub(super) fn hold(
    source: &Source<'_>,
    around: &Around<'_>,
    (process, longest_words): (&Process, u16),
    table: &Spanned<WrittenTraffic>,
) -> Result<(), ConfigError> {
    hold_packets(source, around, process, table)?;
    if around.router.facts().takes == Takes::AtOnce {
        hold_schedule(source, around, (process, longest_words), table)?;
    }
    let span = span(&table.get_ref().process).unwrap_or_else(|| table.span());
    let Process::Trace(trace) = process else {
        return Ok(());
    };
    let clocked = match around.run.engine {
        EngineChoice::Clocked => "clocked",
        EngineChoice::Live => "live",
        EngineChoice::Sync | EngineChoice::SyncStepped | EngineChoice::SyncPlain => return Ok(()),
    };
    let file = table.get_ref().trace.as_ref().map(Spanned::span);
    let span = file.unwrap_or(span);
    let is_local = |summary: &flitwork_traffic::TraceSummary| summary.is_local();
    match &trace.summary {
        _ if !trace.dependencies => Ok(()),
        Some(summary) if is_local(summary) => Ok(()),
        Some(_) => {
            let allowed = format!(
                "with run.engine = {clocked:?} a trace whose packets start where those end that they wait for; \
                 this one's don't: nothing would tell a node of a delivery elsewhere"
            );
            Err(conflict(source, &span, "traffic.trace", allowed))
        }
        None => {
            let allowed = format!("traffic.trace.read_first = true with run.engine = {clocked:?}");
            Err(conflict(source, &span, "traffic.trace", allowed))
        }
    }
}
