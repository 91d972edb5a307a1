//! Networks as objects, one for each way in which engines drive a router.

use crate::Finished;
use flitwork_engine::{Awake, Clocked, Control, Ended, Engine, Fast, Plain, Posted, can_post};
use flitwork_live::{
    Alone, AloneOptions, Lived, Options, RecordTo, ReplayError, ReplayOptions, Replayed, live,
    replay, replay_alone, replay_stepped,
};
use flitwork_network::{Clocks, Load, Network};
use flitwork_node::{Datapath, Posting, Stepped, Streamed, Watched};
use flitwork_observe::Observer;
use flitwork_router::parameters::Offers;
use flitwork_topology::Topology;
use flitwork_trace::Digest;
use std::io::{self, Read};
use std::time::Instant;

/// The probe of most runs: engines are compiled for it.
pub type Main = (Digest, Observer);

/// A live run.
pub struct Live<'a, 'c> {
    /// What the sources make.
    pub load: Load,
    /// How it runs.
    pub options: &'a Options,
    /// Where it is recorded, if it is.
    pub record: Option<RecordTo>,
    /// Makes a probe for each worker.
    pub probes: &'a mut dyn FnMut() -> Watched,
    /// Asked from time to time whether to continue.
    pub control: Control<'c>,
}

/// Opens a record's file, each time that it is read.
pub type Open<'a> = &'a dyn Fn() -> io::Result<Box<dyn Read + Send>>;

/// A replay.
pub struct Replay<'a, 'c> {
    /// What the sources make.
    pub load: Load,
    /// How it is replayed.
    pub options: &'a ReplayOptions,
    /// Opens the record.
    pub open: Open<'a>,
    /// Makes a probe for each worker.
    pub probes: &'a mut dyn FnMut() -> Watched,
    /// Asked from time to time whether to continue.
    pub control: Control<'c>,
}

/// A replay of single nodes.
pub struct ReplayAlone<'a, 'c> {
    /// What the sources make.
    pub load: Load,
    /// Which nodes, and how far.
    pub options: &'a AloneOptions,
    /// Opens the record.
    pub open: Open<'a>,
    /// What observes them.
    pub probe: Watched,
    /// Asked from time to time whether to continue.
    pub control: Control<'c>,
}

/// A network that is driven word by word.
pub trait Words {
    /// The router's datapath, if the router describes it.
    fn datapath(&self) -> Option<Datapath>;

    /// Cycles without any movement in a node after which nothing in it will ever move again, with packets of up to
    /// so many words.
    fn patience_cycles(&self, longest_words: u32) -> u32;

    /// Runs it on the engine that steps a node only where something can happen.
    fn awake(self: Box<Self>, load: Load, probe: Main, control: Control<'_>) -> Finished<Main>;

    /// The same under any probe.
    fn awake_watched(
        self: Box<Self>,
        load: Load,
        probe: Watched,
        control: Control<'_>,
    ) -> Finished<Watched>;

    /// Runs it on the reference engine; `seed` keys the order in which nodes are visited, which must not matter.
    fn plain(
        self: Box<Self>,
        load: Load,
        seed: u64,
        probe: Watched,
        control: Control<'_>,
    ) -> Finished<Watched>;

    /// Runs it with a clock a node; with the clocks the key of the order in which nodes are visited.
    fn clocked(
        self: Box<Self>,
        load: Load,
        clocks: (Clocks, u64),
        probe: Watched,
        control: Control<'_>,
    ) -> Finished<Watched>;

    /// Runs it on the host's threads.
    ///
    /// # Errors
    /// Those of writing the record.
    fn live(self: Box<Self>, run: Live<'_, '_>) -> io::Result<Lived<Watched>>;

    /// Replays a record, cycle by cycle.
    ///
    /// # Errors
    /// A record that cannot be read, or is not of this network.
    fn replay(self: Box<Self>, again: Replay<'_, '_>) -> Result<Replayed<Watched>, ReplayError>;

    /// Replays single nodes.
    ///
    /// # Errors
    /// The same.
    fn replay_alone(
        self: Box<Self>,
        again: ReplayAlone<'_, '_>,
    ) -> Result<Alone<Watched>, ReplayError>;
}

/// A network that is driven by time stamps.
pub trait Stamps {
    /// Bytes of a node.
    fn node_bytes(&self) -> usize;

    /// Runs it by time stamps.
    fn run(self: Box<Self>, load: Load, probe: Main, control: Control<'_>) -> Finished<Main>;

    /// The same under any probe.
    fn run_watched(
        self: Box<Self>,
        load: Load,
        probe: Watched,
        control: Control<'_>,
    ) -> Finished<Watched>;

    /// Replays a record by time stamps.
    ///
    /// # Errors
    /// A record that cannot be read, or is not of this network.
    fn replay(self: Box<Self>, again: Replay<'_, '_>) -> Result<Replayed<Watched>, ReplayError>;
}

/// A network that is driven by mail posted ahead.
pub trait Mail {
    /// Runs it by mail.
    fn run(self: Box<Self>, load: Load, probe: Main, control: Control<'_>) -> Finished<Main>;

    /// The same under any probe.
    fn run_watched(
        self: Box<Self>,
        load: Load,
        probe: Watched,
        control: Control<'_>,
    ) -> Finished<Watched>;
}

/// A network, driven word by word.
struct ByWords<T, R>(Network<T, R>);
/// A network, driven by time stamps.
struct ByStamps<T, R>(Network<T, R>);
/// A network, driven by mail.
struct ByMail<T, R>(Network<T, R>);

impl<T, R> Words for ByWords<T, R>
where
    T: Topology + Clone + Send + 'static,
    R: Stepped + Send + Sync + 'static,
    R::Node: 'static,
{
    fn datapath(&self) -> Option<Datapath> {
        self.0.router.datapath()
    }

    fn patience_cycles(&self, longest_words: u32) -> u32 {
        self.0.patience().cycles(longest_words)
    }

    fn awake(self: Box<Self>, load: Load, probe: Main, control: Control<'_>) -> Finished<Main> {
        finish(|| Awake::new(&self.0, load, probe), control)
    }

    fn awake_watched(
        self: Box<Self>,
        load: Load,
        probe: Watched,
        control: Control<'_>,
    ) -> Finished<Watched> {
        finish(|| Awake::new(&self.0, load, probe), control)
    }

    fn plain(
        self: Box<Self>,
        load: Load,
        seed: u64,
        probe: Watched,
        control: Control<'_>,
    ) -> Finished<Watched> {
        finish(|| Plain::new(&self.0, load, probe, seed), control)
    }

    fn clocked(
        self: Box<Self>,
        load: Load,
        (clocks, shuffle): (Clocks, u64),
        probe: Watched,
        control: Control<'_>,
    ) -> Finished<Watched> {
        let start = || Clocked::new(&self.0, clocks, load, probe, shuffle);
        finish(start, control)
    }

    fn live(self: Box<Self>, run: Live<'_, '_>) -> io::Result<Lived<Watched>> {
        let Live {
            load,
            options,
            record,
            probes,
            control,
        } = run;
        live(self.0, load, options, record, probes, control)
    }

    fn replay(self: Box<Self>, again: Replay<'_, '_>) -> Result<Replayed<Watched>, ReplayError> {
        let Replay {
            load,
            options,
            open,
            probes,
            control,
        } = again;
        replay_stepped(self.0, load, options, open, probes, control)
    }

    fn replay_alone(
        self: Box<Self>,
        again: ReplayAlone<'_, '_>,
    ) -> Result<Alone<Watched>, ReplayError> {
        let ReplayAlone {
            load,
            options,
            open,
            probe,
            control,
        } = again;
        replay_alone(self.0, load, options, open, probe, control)
    }
}

impl<T, R> Stamps for ByStamps<T, R>
where
    T: Topology + Clone + Send + 'static,
    R: Streamed + Send + Sync + 'static,
    R::Node: 'static,
{
    fn node_bytes(&self) -> usize {
        size_of::<R::Node>()
    }

    fn run(self: Box<Self>, load: Load, probe: Main, control: Control<'_>) -> Finished<Main> {
        finish(|| Fast::new(&self.0, load, probe), control)
    }

    fn run_watched(
        self: Box<Self>,
        load: Load,
        probe: Watched,
        control: Control<'_>,
    ) -> Finished<Watched> {
        finish(|| Fast::new(&self.0, load, probe), control)
    }

    fn replay(self: Box<Self>, again: Replay<'_, '_>) -> Result<Replayed<Watched>, ReplayError> {
        let Replay {
            load,
            options,
            open,
            probes,
            control,
        } = again;
        replay(self.0, load, options, open, probes, control)
    }
}

impl<T, R> Mail for ByMail<T, R>
where
    T: Topology + Clone + Send + 'static,
    R: Posting + Send + Sync + 'static,
    R::Node: 'static,
{
    fn run(self: Box<Self>, load: Load, probe: Main, control: Control<'_>) -> Finished<Main> {
        finish(|| Posted::new(&self.0, load, probe), control)
    }

    fn run_watched(
        self: Box<Self>,
        load: Load,
        probe: Watched,
        control: Control<'_>,
    ) -> Finished<Watched> {
        finish(|| Posted::new(&self.0, load, probe), control)
    }
}

fn finish<E: Engine>(start: impl FnOnce() -> E, control: Control<'_>) -> Finished<E::Probe> {
    let begun = Instant::now();
    let mut run = start();
    let outcome = run.run(control);
    let elapsed = begun.elapsed();
    let waits = match outcome.ended {
        // Nobody asks this of an interrupted run, and whoever interrupted it does not want to wait.
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

/// The requested way of driving.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    Words,
    Stamps,
    Mail,
}

/// Takes the requested way out of those that a router offers.
pub struct Collector {
    wanted: Wanted,
    link_latency_cycles: u32,
    pub(crate) words: Option<Box<dyn Words>>,
    pub(crate) stamps: Option<Box<dyn Stamps>>,
    pub(crate) mail: Option<Box<dyn Mail>>,
}

impl Collector {
    pub(crate) fn new(wanted: Wanted, link_latency_cycles: u32) -> Collector {
        Collector {
            wanted,
            link_latency_cycles,
            words: None,
            stamps: None,
            mail: None,
        }
    }

    fn network<T: Clone, R>(&self, topology: &T, router: impl FnOnce() -> R) -> Network<T, R> {
        Network {
            topology: topology.clone(),
            router: router(),
            link_latency_cycles: self.link_latency_cycles,
        }
    }
}

impl Offers for Collector {
    fn words<T, R>(&mut self, topology: &T, router: impl FnOnce() -> R)
    where
        T: Topology + Clone + Send + 'static,
        R: Stepped + Send + Sync + 'static,
        R::Node: 'static,
    {
        if self.wanted == Wanted::Words {
            self.words = Some(Box::new(ByWords(self.network(topology, router))));
        }
    }

    fn stamps<T, R>(&mut self, topology: &T, router: impl FnOnce() -> R)
    where
        T: Topology + Clone + Send + 'static,
        R: Streamed + Send + Sync + 'static,
        R::Node: 'static,
    {
        if self.wanted == Wanted::Stamps {
            self.stamps = Some(Box::new(ByStamps(self.network(topology, router))));
        }
    }

    fn mail<T, R>(&mut self, topology: &T, router: impl FnOnce() -> R)
    where
        T: Topology + Clone + Send + 'static,
        R: Posting + Send + Sync + 'static,
        R::Node: 'static,
    {
        if self.wanted == Wanted::Mail {
            let network = self.network(topology, router);
            if can_post(&network) {
                self.mail = Some(Box::new(ByMail(network)));
            }
        }
    }
}
