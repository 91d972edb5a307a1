//! A configuration, run.

use crate::config::{EngineChoice, Process, Resolved};
use crate::machine::{Driver, PostingDriver, StreamedDriver, drive, drive_posting, drive_streamed};
use crate::observe::{Observation, Observer};
pub use flitwork_engine::Progress;
use flitwork_engine::{Awake, Clocked, Control, Ended, Engine, Fast, Outcome, Plain, Posted};
use flitwork_measure::Window;
use flitwork_network::{Clocks, Load, Network};
use flitwork_node::{Posting, Probe, Stepped, Streamed, Wait};
use flitwork_topology::{Grid, Topology};
use flitwork_trace::Digest;
use flitwork_traffic::{Bernoulli, Once, Workload, build_pattern};
use flitwork_types::{Cycle, NodeId};
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
}

/// Runs a configuration to its end, or until the control breaks it off; on the live engine
/// [`crate::live::simulate_live`] does.
pub fn simulate(resolved: &Resolved, control: Control<'_>) -> Simulated {
    let probe = (Digest::default(), observer(resolved));
    let finished = execute(resolved, load(resolved), probe, control);
    let (digest, observer) = finished.probe;
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
    conclude(resolved, seen, digest)
}

/// An observer of a configuration's run.
pub(crate) fn observer(resolved: &Resolved) -> Observer {
    let latency = resolved.network.link_latency_cycles;
    Observer::new(&resolved.network.grid, latency, window(resolved))
}

/// What a finished run gives.
pub(crate) fn conclude(
    resolved: &Resolved,
    finished: Finished<Observer>,
    digest: Digest,
) -> Simulated {
    // Engines stop looking at different times once nothing is left; the last delivery is the same.
    let last = finished.probe.after_last_delivery();
    let end = match (resolved.traffic.process, finished.outcome.ended) {
        // An open-loop run that ended early had nothing left to do in the rest of its window.
        (Process::Bernoulli { .. }, Ended::Empty) => last.max(window(resolved).end()),
        (Process::Once, Ended::Empty) => last,
        _ => finished.outcome.cycle,
    };
    Simulated {
        observation: finished.probe.finish(end),
        cycles: end,
        digest,
        outcome: finished.outcome,
        waits: finished.waits,
        elapsed: finished.elapsed,
    }
}

/// The cycles that are measured: after the warm-up, or for a static problem the whole run.
fn window(resolved: &Resolved) -> Window {
    let run = &resolved.run;
    let (start, end) = match resolved.traffic.process {
        Process::Bernoulli { .. } => (
            Cycle(run.warmup_cycles),
            Cycle(run.warmup_cycles) + run.measure_cycles,
        ),
        Process::Once => (Cycle::ZERO, Cycle(run.deadline_cycles)),
    };
    Window::new(start, end).expect("a configuration measures at least one cycle")
}

/// What the sources make, and until when. Open-loop sources stop with the measurement; what they have
/// made by then may enter the network during the drain, and the network has as long again to empty.
pub fn load(resolved: &Resolved) -> Load {
    let grid = &resolved.network.grid;
    let run = &resolved.run;
    let made_until = window(resolved).end();
    match resolved.traffic.process {
        Process::Once => Load::until(once(resolved), Cycle(run.deadline_cycles)),
        Process::Bernoulli { load } => {
            let pattern = build_pattern(&resolved.traffic.pattern, grid)
                .unwrap_or_else(|error| panic!("a resolved configuration's pattern: {error}"));
            let rate = load / f64::from(resolved.packet_words());
            let sources = Bernoulli::new(pattern, rate, made_until, run.seed, grid.nodes());
            let sources = sources.unwrap_or_else(|error| panic!("a resolved load: {error}"));
            let sources = sources.of_words(resolved.packet_words());
            let inject_until = made_until + run.drain_cycles;
            Load {
                workload: Box::new(sources),
                inject_until,
                end: inject_until + run.drain_cycles,
            }
        }
    }
}

/// One packet a source, in cycle 0, to wherever the pattern sends it.
fn once(resolved: &Resolved) -> Box<dyn Workload> {
    let grid = &resolved.network.grid;
    let pattern = build_pattern(&resolved.traffic.pattern, grid)
        .unwrap_or_else(|error| panic!("a resolved configuration's pattern: {error}"));
    let pairs: Vec<(NodeId, NodeId)> = (0..grid.nodes())
        .map(NodeId)
        .filter_map(|source| {
            let mut draws = flitwork_traffic::Draws::new(resolved.run.seed, source);
            pattern
                .destination(source, &mut draws)
                .map(|destination| (source, destination))
        })
        .collect();
    Box::new(Once::new(&pairs).of_words(resolved.packet_words()))
}

/// Runs a load on a configuration's network and deterministic engine under a probe. A configuration of the
/// live engine runs on the plain one, whose events a live run in lockstep has: nothing here depends on the
/// host's timing.
pub fn execute<P: Probe>(
    resolved: &Resolved,
    load: Load,
    probe: P,
    control: Control<'_>,
) -> Finished<P> {
    let engine = OneThread {
        resolved,
        load,
        probe,
        control,
    };
    let engine = match resolved.run.engine {
        EngineChoice::Sync if engine.load.workload.foresees() => {
            match drive_streamed(resolved, engine) {
                Ok(finished) => return finished,
                Err(engine) => engine,
            }
        }
        _ => engine,
    };
    let engine = match resolved.run.engine {
        EngineChoice::Sync => match drive_posting(resolved, engine) {
            Ok(finished) => return finished,
            Err(engine) => engine,
        },
        _ => engine,
    };
    drive(resolved, engine)
}

/// Runs a load on a configuration's network and the clocked engine with clocks that aren't the
/// configuration's; `shuffle` keys the order in which nodes are visited, which must not matter.
pub fn execute_clocked<P: Probe>(
    resolved: &Resolved,
    load: Load,
    (clocks, shuffle): (Clocks, u64),
    probe: P,
    control: Control<'_>,
) -> Finished<P> {
    let engine = WithClocks {
        load,
        clocks,
        shuffle,
        probe,
        control,
    };
    drive(resolved, engine)
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

/// An engine on one thread.
struct OneThread<'a, 'c, P> {
    resolved: &'a Resolved,
    load: Load,
    probe: P,
    control: Control<'c>,
}

impl<P: Probe> Driver for OneThread<'_, '_, P> {
    type Outcome = Finished<P>;

    fn drive<R>(self, network: Network<Grid, R>) -> Finished<P>
    where
        R: Stepped + Send + Sync + 'static,
        R::Node: 'static,
    {
        let OneThread {
            resolved,
            load,
            probe,
            control,
        } = self;
        let seed = resolved.run.seed;
        match resolved.run.engine {
            EngineChoice::Sync | EngineChoice::SyncStepped => {
                finish(|| Awake::new(&network, load, probe), control)
            }
            EngineChoice::Clocked => {
                let clocks = resolved.clocks();
                let start = || Clocked::new(&network, clocks, load, probe, seed);
                finish(start, control)
            }
            EngineChoice::SyncPlain | EngineChoice::Live => {
                finish(|| Plain::new(&network, load, probe, seed), control)
            }
        }
    }
}

impl<P: Probe> StreamedDriver for OneThread<'_, '_, P> {
    type Outcome = Finished<P>;

    fn drive_streamed<R>(self, network: Network<Grid, R>) -> Finished<P>
    where
        R: Streamed + Send + Sync + 'static,
        R::Node: 'static,
    {
        finish(|| Fast::new(&network, self.load, self.probe), self.control)
    }
}

impl<P: Probe> PostingDriver for OneThread<'_, '_, P> {
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
    let empty = outcome.ended == Ended::Empty;
    let waits = if empty {
        Vec::new()
    } else {
        run.waits(outcome.cycle)
    };
    Finished {
        outcome,
        waits,
        elapsed,
        probe: run.into_probe(),
    }
}
