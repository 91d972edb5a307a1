//! Networks as objects, one for each way in which engines drive a router.

use crate::Finished;
use flitwork_engine::{
    Clocked, Control, Ended, Engine, EventDriven, MailEngine, Plain, Simulation, TimestampEngine,
    can_post,
};
pub use flitwork_live::Probes;
use flitwork_live::{
    CausalReplay, Difference, Lived, Options, Parts, RecordTo, ReplayError, ReplayOptions,
    Replayed, Subset, SubsetOptions, live, replay, replay_subset,
};
use flitwork_network::{Clocks, Demand, Faults, Faulty, Network, Patience};
use flitwork_node::{AnyProbe, Datapath, MailRouter, Router, TimestampRouter, WordRouter};
use flitwork_observe::Observer;
use flitwork_router::parameters::{BuildContext, Offers};
use flitwork_topology::Topology;
use flitwork_trace::Digest;
use flitwork_types::Duplex;
use std::any::Any;
use std::io::{self, Read};
use std::sync::{Arc, Mutex};
use std::time::Instant;

/// Opens a record's file, each time that it is read.
pub type Open<'a> = &'a dyn Fn() -> io::Result<Box<dyn Read + Send>>;

/// Where a replay and all its copies note the first difference from their record.
pub type Differs = Arc<Mutex<Option<Difference>>>;

/// The probe of most runs.
pub type Usual = (Digest, Observer);

/// A network that waits for its demand and its probe, with the engine that will drive it.
pub type Start<P = AnyProbe> = Box<dyn FnOnce(Demand, P) -> Box<dyn Engine<Probe = P>> + Send>;

/// Which engine drives a network word by word.
#[derive(Clone, Debug)]
pub enum Stepping {
    /// The one that steps a node only where something can happen.
    EventDriven,
    /// The reference: every node in every cycle. The number keys the order in which nodes are visited, which must not
    /// matter.
    Plain(u64),
    /// A clock for each node; the number keys the same.
    Clocked(Box<Clocks>, u64),
}

/// A network that is driven word by word.
pub trait WordDriven {
    /// The router's datapath, if the router describes it.
    fn datapath(&self) -> Option<Datapath>;

    /// How long it may stop moving under one clock and still move again.
    fn patience(&self) -> Patience;

    /// Puts it on an engine.
    fn on(self: Box<Self>, stepping: Stepping) -> Start;

    /// Runs it on the host's threads, and records it if `record` is given.
    ///
    /// # Errors
    /// Those of writing the record.
    fn live(
        self: Box<Self>,
        demand: Demand,
        options: &Options,
        record: Option<RecordTo>,
        probes: Probes<'_>,
        control: Control<'_>,
    ) -> io::Result<Lived>;

    /// Replays a record, cycle by cycle.
    ///
    /// # Errors
    /// A record that cannot be read, or is not of this network.
    fn replay(
        self: Box<Self>,
        demand: Demand,
        options: &ReplayOptions,
        open: Open<'_>,
        probes: Probes<'_>,
        control: Control<'_>,
    ) -> Result<Replayed, ReplayError>;

    /// The replay of a record in causal time, before its first step, and where a difference from the record will be
    /// noted.
    fn causal(
        self: Box<Self>,
        demand: Demand,
        parts: Arc<Parts>,
        probe: AnyProbe,
    ) -> (Box<Simulation>, Differs);

    /// Replays single nodes.
    ///
    /// # Errors
    /// The same.
    fn replay_subset(
        self: Box<Self>,
        demand: Demand,
        options: &SubsetOptions,
        open: Open<'_>,
        probe: AnyProbe,
        control: Control<'_>,
    ) -> Result<Subset, ReplayError>;
}

/// A network that isn't driven word by word, but by time stamps or by mail posted ahead.
pub struct FastDriven {
    /// Bytes of a node.
    pub node_bytes: usize,
    /// Puts it on its engine.
    pub start: Start,
    /// The same, compiled for the usual probe, where the engine is: as an object it would cost short packets 3 % of a
    /// run's instructions.
    pub start_usual: Option<Start<Usual>>,
}

impl<T: Topology + Clone + 'static, R: WordRouter + 'static> WordDriven for Network<T, R> {
    fn datapath(&self) -> Option<Datapath> {
        self.router.datapath()
    }

    fn patience(&self) -> Patience {
        Network::patience(self)
    }

    fn on(self: Box<Self>, stepping: Stepping) -> Start {
        Box::new(move |demand, probe| match stepping {
            Stepping::EventDriven => Box::new(EventDriven::new(self, demand, probe)),
            Stepping::Plain(shuffle) => Box::new(Plain::new(self, demand, probe, shuffle)),
            Stepping::Clocked(clocks, shuffle) => {
                Box::new(Clocked::new(self, *clocks, demand, probe, shuffle))
            }
        })
    }

    fn live(
        self: Box<Self>,
        demand: Demand,
        options: &Options,
        record: Option<RecordTo>,
        probes: Probes<'_>,
        control: Control<'_>,
    ) -> io::Result<Lived> {
        live(*self, demand, options, record, probes, control)
    }

    fn replay(
        self: Box<Self>,
        demand: Demand,
        options: &ReplayOptions,
        open: Open<'_>,
        probes: Probes<'_>,
        control: Control<'_>,
    ) -> Result<Replayed, ReplayError> {
        replay(*self, demand, options, open, probes, control)
    }

    fn causal(
        self: Box<Self>,
        demand: Demand,
        parts: Arc<Parts>,
        probe: AnyProbe,
    ) -> (Box<Simulation>, Differs) {
        let replay = CausalReplay::new(*self, demand, parts, probe);
        let difference = replay.difference();
        (Box::new(replay), difference)
    }

    fn replay_subset(
        self: Box<Self>,
        demand: Demand,
        options: &SubsetOptions,
        open: Open<'_>,
        probe: AnyProbe,
        control: Control<'_>,
    ) -> Result<Subset, ReplayError> {
        replay_subset(*self, demand, options, open, probe, control)
    }
}

/// Runs a network to its end, or until the control stops it.
pub fn run<P>(start: Start<P>, demand: Demand, probe: P, control: Control<'_>) -> Finished<P> {
    let reports_waits = demand.reports_waits;
    let begun = Instant::now();
    let mut run = start(demand, probe);
    let outcome = run.run(control);
    let elapsed = begun.elapsed();
    let waits = match outcome.ended {
        // Waits aren't shown for an interrupted run, whose user does not want to wait for them.
        Ended::Empty | Ended::Interrupted => Vec::new(),
        Ended::Deadline | Ended::Stuck if reports_waits => run.waits(),
        Ended::Deadline | Ended::Stuck => Vec::new(),
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
    Failing,
    Timestamps,
    Mail,
}

/// Takes the requested way out of those that a router offers.
pub struct Collector {
    wanted: Wanted,
    link_latency_cycles: u32,
    duplex: Duplex,
    /// The network whose links may fail, and the routers that are offered for what is left of it: a `(T, Vec<R>)`.
    failing: Option<Box<dyn Any>>,
    pub(crate) faults: Option<Arc<Faults>>,
    pub(crate) words: Option<Box<dyn WordDriven>>,
    pub(crate) fast: Option<FastDriven>,
}

impl Collector {
    pub(crate) fn new(wanted: Wanted, around: &BuildContext<'_>) -> Collector {
        Collector {
            wanted,
            link_latency_cycles: around.link_latency_cycles,
            duplex: around.duplex,
            failing: None,
            faults: None,
            words: None,
            fast: None,
        }
    }

    fn network<T: Clone, R: Router>(
        &self,
        topology: &T,
        router: impl FnOnce() -> R,
    ) -> Network<T, R> {
        Network::new(topology.clone(), router(), self.link_latency_cycles).with_duplex(self.duplex)
    }
}

impl Offers for Collector {
    fn words<T: Topology + Clone + 'static, R: WordRouter + 'static>(
        &mut self,
        topology: &T,
        router: impl FnOnce() -> R,
    ) {
        if self.wanted == Wanted::Words {
            self.words = Some(Box::new(self.network(topology, router)));
        }
    }

    /// The first that is offered is for the intact network, the others are for the epochs of its links.
    fn failing<T: Topology + Clone + 'static, R: WordRouter + 'static>(
        &mut self,
        topology: &T,
        router: impl FnOnce() -> R,
    ) {
        let Some(faults) = self
            .faults
            .clone()
            .filter(|_| self.wanted == Wanted::Failing)
        else {
            return;
        };
        let Some(failing) = &mut self.failing else {
            self.failing = Some(Box::new((topology.clone(), Vec::<R>::new())));
            return;
        };
        let (intact, routers) = failing
            .downcast_mut::<(T, Vec<R>)>()
            .expect("the same kind of router for all that is left of a network");
        routers.push(router());
        if routers.len() == faults.epochs().len() {
            let router = Faulty::new(faults, std::mem::take(routers));
            let intact = intact.clone();
            self.words = Some(Box::new(self.network(&intact, || router)));
        }
    }

    fn timestamps<T: Topology + Clone + 'static, R: TimestampRouter + 'static>(
        &mut self,
        topology: &T,
        router: impl FnOnce() -> R,
    ) {
        if self.wanted == Wanted::Timestamps {
            let network = self.network(topology, router);
            self.fast = Some(FastDriven {
                node_bytes: size_of::<R::Node>(),
                start: Box::new(|demand, probe| {
                    Box::new(TimestampEngine::new(network, demand, probe))
                }),
                start_usual: None,
            });
        }
    }

    fn mail<T: Topology + Clone + 'static, R: MailRouter + 'static>(
        &mut self,
        topology: &T,
        router: impl FnOnce() -> R,
    ) {
        if self.wanted == Wanted::Mail {
            let network = Arc::new(self.network(topology, router));
            if can_post(&network) {
                let usual = network.clone();
                self.fast = Some(FastDriven {
                    node_bytes: size_of::<R::Node>(),
                    start: Box::new(|demand, probe| {
                        Box::new(MailEngine::new(network, demand, probe))
                    }),
                    start_usual: Some(Box::new(|demand, probe| {
                        Box::new(MailEngine::new(usual, demand, probe))
                    })),
                });
            }
        }
    }
}
