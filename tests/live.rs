//! Live runs and their replays.

mod common;

use common::machine::{machines, run, shown_observer, window_of};
use flitwork_engine::Ended;
use flitwork_experiment::config::{EngineChoice, Resolved};
use flitwork_experiment::live::{execute_live, execute_replay};
use flitwork_experiment::observe::{Observation, Observer};
use flitwork_experiment::simulate::load;
use flitwork_live::{Lived, Options, RecordTo, ReplayOptions, Replayed, Runtime};
use flitwork_topology::Topology;
use flitwork_trace::record::Header;
use proptest::prelude::*;
use std::io::{self, Cursor, Read, Write};
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex};

/// A file in memory.
#[derive(Clone, Default)]
struct Memory(Arc<Mutex<Vec<u8>>>);

impl Write for Memory {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn options(runtime: Runtime, slack: Option<u32>, workers: usize, burst: u32) -> Options {
    Options {
        runtime,
        slack,
        workers,
        channel_capacity: 8,
        burst_cycles: burst,
        pinning: false,
        rehearsal: None,
    }
}

fn header(resolved: &Resolved, runtime: Runtime) -> Header {
    Header {
        flitwork: "test".into(),
        configuration: resolved.to_toml(),
        nodes: resolved.network.grid.nodes(),
        ports: resolved.network.grid.ports() as u8,
        packet_words: resolved.packet_words(),
        runtime: runtime.name().into(),
    }
}

fn live(resolved: &Resolved, options: &Options, record: Option<Memory>) -> Lived<Observer> {
    let record = record.map(|memory| RecordTo {
        out: Box::new(memory),
        header: header(resolved, options.runtime),
    });
    let probes = || shown_observer(resolved);
    let control = &mut |_| ControlFlow::Continue(());
    execute_live(resolved, load(resolved), options, record, probes, control).unwrap()
}

fn replay(resolved: &Resolved, bytes: &[u8], threads: usize) -> Replayed<Observer> {
    let options = ReplayOptions {
        threads,
        until: None,
        what_if: false,
    };
    let bytes = bytes.to_vec();
    let open = || Ok(Box::new(Cursor::new(bytes.clone())) as Box<dyn Read + Send>);
    let probes = || shown_observer(resolved);
    let control = &mut |_| ControlFlow::Continue(());
    execute_replay(resolved, load(resolved), &options, open, probes, control).unwrap()
}

fn observation(resolved: &Resolved, observers: Vec<Observer>) -> Observation {
    let mut observers = observers.into_iter();
    let mut all = observers.next().unwrap();
    observers.for_each(|observer| all.merge(observer));
    all.finish(window_of(resolved).end())
}

fn runtimes() -> impl Strategy<Value = Runtime> {
    prop_oneof![Just(Runtime::Threads), Just(Runtime::Tokio)]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, ..ProptestConfig::default() })]

    #[test]
    fn in_lockstep_a_live_run_is_the_synchronous_one(
        resolved in machines(),
        runtime in runtimes(),
        workers in 1usize..5,
        burst in 1u32..9,
    ) {
        let plain = run(&resolved, EngineChoice::SyncPlain);
        let live = live(&resolved, &options(runtime, Some(0), workers, burst), None);
        prop_assert_eq!(&live.fault, &None);
        prop_assert_eq!(live.digest(), plain.digest);
        prop_assert_eq!(live.outcome.backlog, plain.backlog);
        prop_assert_eq!(observation(&resolved, live.probes), plain.observation);
    }

    #[test]
    fn a_replay_does_what_its_record_did(
        resolved in machines(),
        runtime in runtimes(),
        workers in 1usize..5,
        slack in prop_oneof![Just(None), Just(Some(0)), Just(Some(1)), Just(Some(4)), Just(Some(16))],
        burst in 1u32..20,
        threads in 1usize..4,
    ) {
        let memory = Memory::default();
        let options = options(runtime, slack, workers, burst);
        let live = live(&resolved, &options, Some(memory.clone()));
        prop_assert_eq!(&live.fault, &None);
        let bytes = memory.0.lock().unwrap().clone();
        let again = replay(&resolved, &bytes, threads);
        prop_assert_eq!(&again.difference, &None);
        prop_assert_eq!(&again.nodes, &live.nodes);
        prop_assert_eq!(again.outcome, live.outcome);
        prop_assert_eq!(again.trailer.as_ref().map(|end| end.digest), Some(live.digest().get()));
        let live_saw = observation(&resolved, live.probes);
        if live.outcome.ended == Ended::Empty {
            prop_assert_eq!(live_saw.injected, live_saw.delivered);
            prop_assert_eq!(live_saw.created, live_saw.delivered + live.outcome.backlog);
        }
        prop_assert_eq!(observation(&resolved, again.probes), live_saw);
    }
}
