//! A configuration, run live or replayed.

mod printed;
pub mod replay;

use crate::around::around;
use crate::extras::Extras;
use crate::simulate::{Finished, Prepared, Simulated, conclude, observer};
use crate::workload::prepare_for;
use flitwork_config::Resolved;
use flitwork_engine::{Control, Outcome};
pub use flitwork_live::{
    BadRecord, Cause, CutEnd, Difference, NodeFault, Rehearsal, RehearsalKind, panics_are_contained,
};
use flitwork_live::{
    Lived, MARKS_EVERY, Options, RecordTo, ReplayError, ReplayOptions, Replayed, Subset,
    SubsetOptions,
};
use flitwork_network::Demand;
use flitwork_node::{AnyProbe, Probe, Wait};
use flitwork_observe::Observer;
use flitwork_topology::Topology;
use flitwork_trace::Digest;
use flitwork_trace::record::{EmbeddedFile, Header};
use std::io::{self, Read, Write};
use std::time::{Duration, Instant};

/// A live run that has ended.
#[derive(Clone, Debug)]
pub struct LiveRun {
    /// What it gives.
    pub simulated: Simulated,
    /// The fault that ended it, if any.
    pub fault: Option<NodeFault>,
    /// The bytes of its record, if one was written.
    pub record_bytes: Option<u64>,
}

/// Where a live run's record goes.
pub struct ToRecord {
    /// Its file.
    pub out: Box<dyn Write + Send>,
    /// Whether it records which packets arrived, so that single nodes can be replayed.
    pub heads: bool,
    /// The record's provenance, as TOML comments ahead of the configuration.
    pub remark: String,
}

/// The files whose texts a configuration's record has.
fn embedded(resolved: &Resolved) -> Vec<EmbeddedFile> {
    let files = resolved.texts.iter().map(|(name, text)| EmbeddedFile {
        name: name.to_owned(),
        text: text.clone(),
    });
    files.collect()
}

/// The header of a configuration's record.
pub fn header(resolved: &Resolved, heads: bool) -> Header {
    Header {
        flitwork: env!("CARGO_PKG_VERSION").into(),
        configuration: resolved.to_toml(),
        files: embedded(resolved),
        nodes: resolved.network.nodes(),
        ports: resolved.network.shape.ports() as u8,
        locals: resolved.network.shape.locals() as u8,
        packet_words: resolved.predicted_words(),
        heads,
        runtime: resolved.live.runtime.name().into(),
    }
}

/// Runs a configuration live, to its end or until the control or a fault stops it, and records it if there is a file to
/// record to. Extra probes are returned with what the probes of all workers observed.
///
/// # Errors
/// As [`flitwork_live::live`].
pub fn simulate_live_with(
    resolved: &Resolved,
    record: Option<ToRecord>,
    mut extras: Extras,
    control: Control<'_>,
) -> io::Result<(LiveRun, Extras)> {
    let record = record.map(|to| RecordTo {
        out: to.out,
        header: Header {
            configuration: to.remark + &resolved.to_toml(),
            ..header(resolved, to.heads)
        },
        marks_every: MARKS_EVERY,
    });
    let begun = Instant::now();
    let probes = || (observer(resolved), extras.another());
    let Prepared { demand, trace } = prepare_for(resolved, &extras);
    let lived = execute_live(resolved, demand, &resolved.live, record, probes, control)?;
    let digest = lived.digest();
    let Lived {
        outcome,
        fault,
        probes,
        waits,
        record_bytes,
        ..
    } = lived;
    let probes = probes.into_iter();
    let probes = probes.map(AnyProbe::into_probe::<(Observer, Extras)>);
    let (probes, more): (Vec<_>, Vec<_>) = probes.unzip();
    more.into_iter().for_each(|more| extras.merge(more));
    let simulated = Simulated {
        trace_error: trace.and_then(|trace| trace.error()),
        ..simulated_of(resolved, outcome, waits, probes, begun.elapsed(), digest)
    };
    let run = LiveRun {
        simulated,
        fault,
        record_bytes,
    };
    Ok((run, extras))
}

/// What the workers' probes observed together.
pub fn simulated_of(
    resolved: &Resolved,
    outcome: Outcome,
    waits: Vec<Wait>,
    probes: Vec<Observer>,
    elapsed: Duration,
    digest: Digest,
) -> Simulated {
    let mut probes = probes.into_iter();
    // If every worker was lost, nothing was observed.
    let mut all = probes.next().unwrap_or_else(|| observer(resolved));
    probes.for_each(|probe| all.merge(probe));
    let finished = Finished {
        outcome,
        probe: (digest, all),
        waits,
        elapsed,
    };
    conclude(resolved, finished)
}

/// Runs a demand live on a configuration's network.
///
/// # Errors
/// As [`flitwork_live::live`].
pub fn execute_live<P: Probe + Send + 'static>(
    resolved: &Resolved,
    demand: Demand,
    options: &Options,
    record: Option<RecordTo>,
    mut probes: impl FnMut() -> P,
    control: Control<'_>,
) -> io::Result<Lived> {
    let probes = &mut || AnyProbe::new(probes());
    let words = around(resolved).words();
    words.live(demand, options, record, probes, control)
}

/// Replays a record on a configuration's network; `open` opens its file.
///
/// # Errors
/// As [`flitwork_live::replay`].
pub fn execute_replay<P: Probe + Send + 'static>(
    resolved: &Resolved,
    demand: Demand,
    options: &ReplayOptions,
    open: impl Fn() -> io::Result<Box<dyn Read + Send>>,
    mut probes: impl FnMut() -> P,
    control: Control<'_>,
) -> Result<Replayed, ReplayError> {
    let probes = &mut || AnyProbe::new(probes());
    let words = around(resolved).words();
    words.replay(demand, options, &open, probes, control)
}

/// Replays single nodes of a record on a configuration's network; `open` opens its file.
///
/// # Errors
/// As [`flitwork_live::replay_subset`].
pub fn execute_subset<P: Probe + Send + 'static>(
    resolved: &Resolved,
    demand: Demand,
    options: &SubsetOptions,
    open: impl Fn() -> io::Result<Box<dyn Read + Send>>,
    probe: P,
    control: Control<'_>,
) -> Result<Subset, ReplayError> {
    let (words, probe) = (around(resolved).words(), AnyProbe::new(probe));
    words.replay_subset(demand, options, &open, probe, control)
}
