//! Live runs into memory, and their replays.

use super::machine::{shown_observer, window_of};
use flitwork_config::Resolved;
use flitwork_experiment::live::{execute_live, execute_replay, simulated_of};
use flitwork_experiment::simulate::{Simulated, demand};
use flitwork_experiment::simulation::Parts;
use flitwork_live::{
    Lived, MARKS_EVERY, Options, RecordTo, ReplayOptions, Replayed, Runtime, Slack,
};
use flitwork_node::AnyProbe;
use flitwork_observe::{Observation, Observer};
use flitwork_topology::Topology;
use flitwork_trace::record::Header;
use std::io::{self, Cursor, Read, Write};
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// A file in memory.
#[derive(Clone, Default)]
pub(crate) struct Memory(Arc<Mutex<Vec<u8>>>);

impl Memory {
    /// What has been written.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        self.0.lock().unwrap().clone()
    }
}

impl Write for Memory {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

pub(crate) fn options(runtime: Runtime, slack: Option<u32>, workers: usize, burst: u32) -> Options {
    Options {
        runtime,
        slack: Slack(slack),
        workers,
        // The minimum that the random link with the longest latency needs.
        channel_capacity: 20,
        burst_cycles: burst,
        pinning: false,
        rehearsal: None,
    }
}

pub(crate) fn header(resolved: &Resolved, runtime: Runtime) -> Header {
    Header {
        flitwork: "test".into(),
        configuration: resolved.to_toml(),
        files: Vec::new(),
        nodes: resolved.network.nodes(),
        ports: resolved.network.shape.ports() as u8,
        locals: resolved.network.shape.locals() as u8,
        packet_words: resolved.predicted_words(),
        heads: false,
        runtime: runtime.name().into(),
    }
}

pub(crate) fn live(resolved: &Resolved, options: &Options, record: Option<Memory>) -> Lived {
    live_marked(resolved, options, record, MARKS_EVERY)
}

/// The same, with marks in its record at this interval.
pub(crate) fn live_marked(
    resolved: &Resolved,
    options: &Options,
    record: Option<Memory>,
    marks_every: Duration,
) -> Lived {
    let record = record.map(|memory| RecordTo {
        out: Box::new(memory),
        header: header(resolved, options.runtime),
        marks_every,
    });
    let probes = || shown_observer(resolved);
    let control = &mut |_| ControlFlow::Continue(());
    execute_live(resolved, demand(resolved), options, record, probes, control).unwrap()
}

/// A live run, and the record that it made.
pub(crate) fn recorded(resolved: &Resolved, options: &Options) -> (Lived, Arc<Parts>) {
    let memory = Memory::default();
    let lived = live(resolved, options, Some(memory.clone()));
    assert_eq!(lived.fault, None);
    let (_, parts) = Parts::read(Box::new(Cursor::new(memory.bytes()))).unwrap();
    (lived, Arc::new(parts))
}

pub(crate) fn replay(resolved: &Resolved, bytes: &[u8], threads: usize) -> Replayed {
    let options = ReplayOptions {
        threads,
        until: None,
        channel_capacity: 1 << 16,
        what_if: false,
    };
    let bytes = bytes.to_vec();
    let open = || Ok(Box::new(Cursor::new(bytes.clone())) as Box<dyn Read + Send>);
    let probes = || shown_observer(resolved);
    let control = &mut |_| ControlFlow::Continue(());
    execute_replay(resolved, demand(resolved), &options, open, probes, control).unwrap()
}

/// Parameters of a configuration's live run in lockstep.
pub(crate) fn lockstep(resolved: &Resolved, runtime: Runtime) -> Options {
    Options {
        runtime,
        slack: Slack(Some(0)),
        workers: 2,
        burst_cycles: runtime.usual_burst_cycles(),
        ..Options::new(resolved.network.link_latency_cycles)
    }
}

/// The result of a record's replay on one thread.
pub(crate) fn replayed(resolved: &Resolved, bytes: &[u8]) -> Simulated {
    let again = replay(resolved, bytes, 1);
    assert_eq!(again.verdict.difference, None);
    let digest = again.digest();
    let Replayed {
        outcome,
        waits,
        probes,
        ..
    } = again;
    let probes = probes.into_iter().map(AnyProbe::into_probe);
    let elapsed = Duration::from_secs(1);
    simulated_of(resolved, outcome, waits, probes.collect(), elapsed, digest)
}

pub(crate) fn observation(resolved: &Resolved, probes: Vec<AnyProbe>) -> Observation {
    let mut observers = probes.into_iter().map(AnyProbe::into_probe::<Observer>);
    let mut all = observers.next().unwrap();
    observers.for_each(|observer| all.merge(observer));
    all.finish(window_of(resolved).end())
}
