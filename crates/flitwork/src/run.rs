//! `flitwork run`.

use crate::args::{Run, Settings, with_short};
use crate::asking::Asking;
use crate::exit::{Code, Exit, complain};
use crate::paths::absolute;
use crate::program::provenance;
use crate::progress;
use crate::show::Show;
use crate::side_outputs::{SideOutputs, check_intervals, packet_format};
use flitwork_config::{
    Catalogue, ConfigError, EngineChoice, MistakeKind, Override, Resolved, unread_warning,
};
use flitwork_experiment::examine;
use flitwork_experiment::live::{LiveRun, ToRecord, simulate_live_with};
use flitwork_experiment::memory;
use flitwork_experiment::simulate::{Simulated, simulate_with};
use flitwork_report::Formats;
use flitwork_types::NodeId;
use std::collections::BTreeSet;
use std::fmt::Display;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

pub(crate) fn run(args: &Run, asking: &Asking<'_>) -> Result<Code, Exit> {
    let formats = &asking.places.formats;
    let resolved = prepare(args, asking.catalogue, formats)?;
    asking.places.prepare()?;
    tracing::info!(engine = ?resolved.run.engine, seed = resolved.run.seed, "running");
    let (outputs, extras) = SideOutputs::begin(args, formats, &resolved, asking.interruption)?;
    let record = args.record.as_deref();
    let file = to_record(args, &resolved)?;
    crate::log::work_begins();
    let bar = progress::of_run(&resolved);
    let control = &mut |now| {
        bar.show(now);
        asking.interruption.flow_of(now)
    };
    let run = match resolved.run.engine {
        EngineChoice::Live => {
            let mut resolved = absolute(&resolved, &args.config);
            resolved.live.rehearsal = args.rehearse;
            simulate_live_with(&resolved, file, extras, control)
        }
        _ => {
            let (simulated, extras) = simulate_with(&resolved, extras, control);
            let run = LiveRun {
                simulated,
                record_bytes: None,
                fault: None,
            };
            Ok((run, extras))
        }
    };
    bar.end();
    let (run, extras) = run.map_err(|error| {
        let option = record.map(|path| format!("\n  --record {}", path.display()));
        Exit::Failure(format!("{error}{}", option.unwrap_or_default()))
    })?;
    let (over_time, packets) = outputs.end(extras, &resolved, &run.simulated);
    let show = Show {
        out: args.out.as_deref(),
        json: args.json,
        formats,
        is_broken_off: run.fault.is_some(),
    };
    let code = show.results(&resolved, &run.simulated, over_time.as_ref())?;
    if let (Some(path), Some(bytes)) = (record, run.record_bytes) {
        say_record(path, bytes, &run.simulated);
    }
    packets?;
    refuse_trace(&resolved, &run.simulated)?;
    match run.fault {
        Some(fault) => Err(broken_off(&fault, record)),
        None => Ok(Code(code)),
    }
}

/// The configuration, once everything has been checked that can be before the run.
fn prepare(args: &Run, catalogue: &Catalogue, formats: &Formats) -> Result<Resolved, Exit> {
    let resolved = resolve(
        catalogue,
        &args.config,
        &args.settings,
        args.live.overrides(),
    )?;
    check_options(args, &resolved)?;
    if let Some(every) = args.every {
        check_intervals(every, &resolved)?;
    }
    for warning in examine::warnings(&resolved) {
        complain(&format!("warning: {warning}"));
    }
    let packets = args.packets.as_deref();
    let packets = packets.map(|path| packet_format(path, formats).copied());
    let kept = memory::Beside {
        packets: packets.transpose()?,
        every_cycles: args.every,
    };
    memory::admit_with(&resolved, kept).map_err(Exit::bad_input)?;
    Ok(resolved)
}

/// The destination of a live run's record, if one is requested.
fn to_record(args: &Run, resolved: &Resolved) -> Result<Option<ToRecord>, Exit> {
    let Some(path) = args.record.as_deref() else {
        return Ok(None);
    };
    let unwritable = |error| format!("--record {}: can't be written: {error}", path.display());
    let out = flitwork_files::begin(path).map_err(unwritable)?;
    tracing::info!(record = %path.display(), "recording");
    Ok(Some(ToRecord {
        out: Box::new(out),
        heads: args.record_heads,
        remark: provenance(resolved).remark(),
    }))
}

/// The error of a live run that lost a node or couldn't write its record.
fn broken_off(fault: &impl Display, record: Option<&Path>) -> Exit {
    let left = record.map_or(String::new(), |path| {
        format!("\n  the record up to then is in {}", path.display())
    });
    Exit::Failure(format!("the run was aborted: {fault}{left}"))
}

/// Refuses options that the configuration doesn't support.
fn check_options(args: &Run, resolved: &Resolved) -> Result<(), Exit> {
    let live = resolved.run.engine == EngineChoice::Live;
    if !live && (args.record.is_some() || args.rehearse.is_some()) {
        let option = match args.record {
            Some(_) => "--record",
            None => "--rehearse",
        };
        return Err(Exit::bad_input(format!(
            "{option}: the engine is {}; only runs of the live engine can be recorded or have faults injected\n  \
             hint: --engine live",
            resolved.run.engine.name()
        )));
    }
    if live && args.trace.is_some() && args.record.is_none() {
        return Err(Exit::bad_input(
            "--trace: the engine is live, and no two live runs are the same; allowed: with --record FILE.flog",
        ));
    }
    if args.record_heads && resolved.router.fixed_words().is_none() {
        return Err(Exit::bad_input(format!(
            "--record-heads: the router is {}, whose packets vary in length; allowed: a router whose packets have \
             one fixed length, chaos or greedy-hp",
            resolved.router.name()
        )));
    }
    if args.record_heads && resolved.faults.faults.is_some() {
        return Err(Exit::bad_input(
            "--record-heads: links fail ([[faults]]), and a packet may be cut after its head; allowed: a network whose links work",
        ));
    }
    let process = &resolved.traffic.process;
    if args.record_heads && process.waits_for_deliveries() {
        return Err(Exit::bad_input(format!(
            "--record-heads: traffic.process is {:?}, whose packets depend on deliveries at other nodes; allowed: a \
             process whose packets are known in advance",
            process.name()
        )));
    }
    if let Some(rehearsal) = &args.rehearse {
        check_node("--rehearse", rehearsal.node, resolved)?;
    }
    Ok(())
}

/// Reports an error in a trace that was found during the run; the packets before it have been simulated.
fn refuse_trace(resolved: &Resolved, simulated: &Simulated) -> Result<(), Exit> {
    let followed = resolved.traffic.process.followed_file();
    match (followed, &simulated.trace_error) {
        (Some(path), Some(error)) => Err(Exit::bad_input(format!(
            "{}: {error}\n  the packets before it were simulated, none after it\n  \
             hint: traffic.trace.read_first = true checks the trace before the run",
            path.display()
        ))),
        _ => Ok(()),
    }
}

/// Refuses a node that doesn't exist.
pub(crate) fn check_node(option: &str, node: NodeId, resolved: &Resolved) -> Result<(), Exit> {
    let nodes = resolved.network.nodes();
    if node.0 < nodes {
        return Ok(());
    }
    Err(Exit::bad_input(format!(
        "{option}: there is no node {node}; allowed: 0 to {}",
        nodes - 1
    )))
}

fn say_record(path: &Path, bytes: u64, simulated: &Simulated) {
    let bits = bytes as f64 * 8.0 / simulated.outcome.steps.max(1) as f64;
    complain(&format!(
        "record: {}, {bytes} bytes, {bits:.3} bits per node-cycle",
        path.display()
    ));
}

/// The configuration with the overrides of the command line; `further` are those of a command's own options.
pub(crate) fn resolve(
    catalogue: &Catalogue,
    config: &Path,
    settings: &Settings,
    further: impl IntoIterator<Item = Override>,
) -> Result<Resolved, Exit> {
    let overrides = with_short(settings.overrides()?, further)?;
    let read = catalogue.load_with_unread(config, &overrides);
    let (resolved, unread) = read.map_err(|error| refused(&error))?;
    warn_of_unread(unread_warning(&unread));
    tracing::debug!("resolved configuration:\n{}", resolved.to_toml());
    Ok(resolved)
}

/// Says what overrides leave unread, if they do: once, however many runs of the command it is true of.
pub(crate) fn warn_of_unread(warning: Option<String>) {
    static SAID: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    let Some(warning) = warning else {
        return;
    };
    let mut said = SAID.lock().unwrap_or_else(PoisonError::into_inner);
    if !said.contains(&warning) {
        complain(&format!("warning: {warning}"));
        said.insert(warning);
    }
}

/// The end of a command whose configuration is refused.
pub(crate) fn refused(error: &ConfigError) -> Exit {
    let lost =
        |error: ConfigError| error.kind() == MistakeKind::Unknown && error.allowed().is_none();
    let hint = match error.each().any(lost) {
        true => "\n  hint: `flitwork reference` lists all keys",
        false => "",
    };
    Exit::bad_input(format!("{error}{hint}"))
}
