//! A configuration, run.

#[cfg(test)]
mod tests;

use crate::config::{EngineChoice, Resolved};
use crate::exchange::Exchange;
use crate::extras::Extras;
use crate::machine::{
    Driver, PostingDriver, StreamedDriver, drive, drive_posting, drive_streamed, drive_timed,
};
use crate::observe::{Observation, Observer, review};
use crate::workload::prepare_for;
pub use crate::workload::{Prepared, load, prepare};
pub use flitwork_engine::Progress;
use flitwork_engine::{Awake, Clocked, Control, Ended, Engine, Fast, Outcome, Plain, Posted};
use flitwork_measure::Window;
use flitwork_network::{Clocks, Load, Network};
use flitwork_node::{Posting, Probe, Stepped, Streamed, Wait, Watched};
use flitwork_topology::Grid;
use flitwork_trace::Digest;
use flitwork_traffic::{TraceAccount, TraceError, TraceHandle};
use flitwork_types::Cycle;
use std::time::{Duration, Instant};

/// A finished run, or what there is of one that was broken off.
#[derive(Clone, Debug)]
pub struct Finished<P> {
    /// How it ended.
    pub outcome: Outcome,
    /// What watched it.
    pub probe: P,
    /// What the packets still in the network wait for; empty after a run that ended empty.
    pub waits: Vec<Wait>,
    /// Host time of the run.
    pub elapsed: Duration,
}

impl<P> Finished<P> {
    /// The same with what the probe is made into.
    fn map_probe<Q>(self, into: impl FnOnce(P) -> Q) -> Finished<Q> {
        Finished {
            outcome: self.outcome,
            probe: into(self.probe),
            waits: self.waits,
            elapsed: self.elapsed,
        }
    }
}

/// What a configuration's run gives.
#[derive(Clone, Debug)]
pub struct Simulated {
    /// What was observed.
    pub observation: Observation,
    /// The digest of all events.
    pub digest: Digest,
    /// The first cycle that was not simulated, the same on each engine.
    pub cycles: Cycle,
    /// How it ended.
    pub outcome: Outcome,
    /// What the packets still in the network wait for.
    pub waits: Vec<Wait>,
    /// Host time of the run.
    pub elapsed: Duration,
    /// What became of the trace, where there is one.
    pub trace: Option<TraceEnd>,
}

/// What became of a run's trace.
#[derive(Clone, Debug)]
pub struct TraceEnd {
    /// How far it came.
    pub account: TraceAccount,
    /// What ended it before its end.
    pub error: Option<TraceError>,
}

impl TraceEnd {
    /// What a trace's handle tells after the run.
    pub(crate) fn of(handle: &TraceHandle) -> TraceEnd {
        TraceEnd {
            account: handle.account(),
            error: handle.error(),
        }
    }
}

/// Runs a configuration to its end, or until the control breaks it off; on the live engine
/// [`crate::live::simulate_live`] does.
pub fn simulate(resolved: &Resolved, control: Control<'_>) -> Simulated {
    let prepared = prepare(resolved);
    run(resolved, prepared, (), control).0
}

/// The same with probes beside it, which are given back.
pub fn simulate_with(
    resolved: &Resolved,
    extras: Extras,
    control: Control<'_>,
) -> (Simulated, Extras) {
    let prepared = prepare_for(resolved, &extras);
    run(resolved, prepared, extras, control)
}

fn run<P: Probe + Send + 'static>(
    resolved: &Resolved,
    Prepared { mut load, trace }: Prepared,
    beside: P,
    control: Control<'_>,
) -> (Simulated, P) {
    let mut observer = observer(resolved);
    if resolved.run.stop_at_overload {
        let (ledger, review) = review(resolved);
        observer = observer.with_ledger(ledger);
        load.review = Some(review);
    }
    let probe = (Digest::default(), observer, beside);
    // What most runs are: compiled for its own probe.
    let finished = match resolved.run.engine {
        EngineChoice::Sync | EngineChoice::SyncStepped => fast(resolved, load, probe, control),
        _ => execute(resolved, load, probe, control),
    };
    let (digest, observer, beside) = finished.probe;
    let Finished {
        outcome,
        waits,
        elapsed,
        ..
    } = finished;
    let seen = Finished {
        outcome,
        probe: observer,
        waits,
        elapsed,
    };
    let simulated = conclude(resolved, seen, digest);
    let simulated = Simulated {
        trace: trace.as_ref().map(TraceEnd::of),
        ..simulated
    };
    (simulated, beside)
}

/// An observer of a configuration's run.
pub(crate) fn observer(resolved: &Resolved) -> Observer {
    let latency = resolved.network.link_latency_cycles;
    let observer = Observer::new(&resolved.network.grid, latency, window(resolved));
    match resolved.router.words_travel_alone() {
        true => observer.of_lone_words(),
        false => observer,
    }
}

/// What a finished run gives.
pub(crate) fn conclude(
    resolved: &Resolved,
    finished: Finished<Observer>,
    digest: Digest,
) -> Simulated {
    // Engines stop looking at different times once nothing is left; the last delivery is the same.
    let last = finished.probe.after_last_delivery();
    let open_loop = resolved.traffic.process.is_open_loop();
    let end = match finished.outcome.ended {
        // An open-loop run that ended early had nothing left to do in the rest of its window.
        Ended::Empty if open_loop => last.max(window(resolved).end()),
        Ended::Empty => last,
        _ => finished.outcome.cycle,
    };
    Simulated {
        observation: finished.probe.finish(end),
        cycles: end,
        digest,
        outcome: finished.outcome,
        waits: finished.waits,
        elapsed: finished.elapsed,
        trace: None,
    }
}

/// The cycles that are measured: after the warm-up, or the whole run where the traffic isn't open-loop.
pub fn window(resolved: &Resolved) -> Window {
    let run = &resolved.run;
    let (start, end) = if resolved.traffic.process.is_open_loop() {
        (
            Cycle(run.warmup_cycles),
            Cycle(run.warmup_cycles) + run.measure_cycles,
        )
    } else {
        (Cycle::ZERO, Cycle(run.deadline_cycles))
    };
    Window::new(start, end).expect("a configuration measures at least one cycle")
}

/// The cycle before which a run ends in any case.
pub fn last_cycle(resolved: &Resolved) -> Cycle {
    let run = &resolved.run;
    match resolved.traffic.process.is_open_loop() {
        true => window(resolved).end() + run.drain_cycles + run.drain_cycles,
        false => Cycle(run.deadline_cycles),
    }
}

/// Runs a load on a configuration's network and deterministic engine under a probe. A configuration of the
/// live engine runs on the plain one, whose events a live run in lockstep has: nothing here depends on the
/// host's timing.
pub fn execute<P: Probe + Send + 'static>(
    resolved: &Resolved,
    load: Load,
    probe: P,
    control: Control<'_>,
) -> Finished<P> {
    execute_watched(resolved, load, Watched::new(probe), control).map_probe(Watched::into_probe)
}

/// The same for all probes: compiled once.
fn execute_watched(
    resolved: &Resolved,
    load: Load,
    probe: Watched,
    control: Control<'_>,
) -> Finished<Watched> {
    match resolved.run.engine {
        EngineChoice::Sync | EngineChoice::SyncStepped => fast(resolved, load, probe, control),
        EngineChoice::SyncPlain | EngineChoice::Live => {
            let seed = resolved.run.seed;
            let slow = Plainly {
                load,
                seed,
                probe,
                control,
            };
            drive(resolved, slow)
        }
        EngineChoice::Clocked => {
            let clocks = (resolved.clocks(), resolved.run.seed);
            clocked(resolved, load, clocks, probe, control)
        }
    }
}

/// Runs a load on the engines that touch a node only where something can happen.
fn fast<P: Probe>(resolved: &Resolved, load: Load, probe: P, control: Control<'_>) -> Finished<P> {
    let streamed = resolved.run.engine == EngineChoice::Sync && load.workload.foresees();
    let engine = Quick {
        load,
        probe,
        control,
    };
    let engine = match streamed {
        true => drive_streamed(resolved, engine),
        false => Err(engine),
    };
    let engine = match engine {
        Err(engine) if resolved.run.engine == EngineChoice::Sync => drive_posting(resolved, engine),
        other => other,
    };
    engine.unwrap_or_else(|engine| drive(resolved, engine))
}

/// Runs a load on a configuration's network and the clocked engine with clocks that aren't the
/// configuration's; `shuffle` keys the order in which nodes are visited, which must not matter.
pub fn execute_clocked<P: Probe + Send + 'static>(
    resolved: &Resolved,
    load: Load,
    clocks: (Clocks, u64),
    probe: P,
    control: Control<'_>,
) -> Finished<P> {
    let probe = Watched::new(probe);
    clocked(resolved, load, clocks, probe, control).map_probe(Watched::into_probe)
}

fn clocked(
    resolved: &Resolved,
    load: Load,
    (clocks, shuffle): (Clocks, u64),
    probe: Watched,
    control: Control<'_>,
) -> Finished<Watched> {
    let exchange = |chaos: &_| Exchange::of_clocks(chaos, &resolved.network.grid, &clocks);
    let engine = WithClocks {
        load,
        clocks: clocks.clone(),
        shuffle,
        probe,
        control,
    };
    drive_timed(resolved, engine, exchange)
}

/// The clocked engine with clocks that are given.
struct WithClocks<'c, P> {
    load: Load,
    clocks: Clocks,
    shuffle: u64,
    probe: P,
    control: Control<'c>,
}

impl<P: Probe> Driver for WithClocks<'_, P> {
    type Outcome = Finished<P>;

    fn drive<R>(self, network: Network<Grid, R>) -> Finished<P>
    where
        R: Stepped + Send + Sync + 'static,
        R::Node: 'static,
    {
        let WithClocks {
            load,
            clocks,
            shuffle,
            probe,
            control,
        } = self;
        let start = || Clocked::new(&network, clocks, load, probe, shuffle);
        finish(start, control)
    }
}

/// The plain engine.
struct Plainly<'c, P> {
    load: Load,
    seed: u64,
    probe: P,
    control: Control<'c>,
}

impl<P: Probe> Driver for Plainly<'_, P> {
    type Outcome = Finished<P>;

    fn drive<R>(self, network: Network<Grid, R>) -> Finished<P>
    where
        R: Stepped + Send + Sync + 'static,
        R::Node: 'static,
    {
        let start = || Plain::new(&network, self.load, self.probe, self.seed);
        finish(start, self.control)
    }
}

/// The engines that touch a node only where something can happen.
struct Quick<'c, P> {
    load: Load,
    probe: P,
    control: Control<'c>,
}

impl<P: Probe> Driver for Quick<'_, P> {
    type Outcome = Finished<P>;

    fn drive<R>(self, network: Network<Grid, R>) -> Finished<P>
    where
        R: Stepped + Send + Sync + 'static,
        R::Node: 'static,
    {
        finish(|| Awake::new(&network, self.load, self.probe), self.control)
    }
}

impl<P: Probe> StreamedDriver for Quick<'_, P> {
    type Outcome = Finished<P>;

    fn drive_streamed<R>(self, network: Network<Grid, R>) -> Finished<P>
    where
        R: Streamed + Send + Sync + 'static,
        R::Node: 'static,
    {
        finish(|| Fast::new(&network, self.load, self.probe), self.control)
    }
}

impl<P: Probe> PostingDriver for Quick<'_, P> {
    type Outcome = Finished<P>;

    fn drive_posting<R>(self, network: Network<Grid, R>) -> Finished<P>
    where
        R: Posting + Send + Sync + 'static,
        R::Node: 'static,
    {
        finish(
            || Posted::new(&network, self.load, self.probe),
            self.control,
        )
    }
}

fn finish<E: Engine>(start: impl FnOnce() -> E, control: Control<'_>) -> Finished<E::Probe> {
    let begun = Instant::now();
    let mut run = start();
    let outcome = run.run(control);
    let elapsed = begun.elapsed();
    let waits = match outcome.ended {
        // Of a run that was broken off nobody asks, and who broke it off doesn't wait.
        Ended::Empty | Ended::Interrupted => Vec::new(),
        Ended::Deadline | Ended::Stuck => run.waits(outcome.cycle),
    };
    Finished {
        outcome,
        waits,
        elapsed,
        probe: run.into_probe(),
    }
}
