//! Networks as objects, one for each way in which engines drive a router.

use crate::Finished;
use flitwork_engine::{
    Awake, Clocked, Control, Embeddable, Ended, Engine, Fast, Plain, Posted, Simulation, can_post,
};
pub use flitwork_live::Probes;
use flitwork_live::{
    CausalReplay, Difference, Lived, Options, Parts, RecordTo, ReplayError, ReplayOptions,
    Replayed, Subset, SubsetOptions, live, replay, replay_stepped, replay_subset,
};
use flitwork_network::{Clocks, Demand, Network, Patience};
use flitwork_node::{AnyProbe, Datapath, Posting, Router, Stepped, Streamed};
use flitwork_observe::Observer;
use flitwork_router::parameters::{Offers, Surroundings};
use flitwork_topology::Topology;
use flitwork_trace::Digest;
use flitwork_types::Duplex;
use std::io::{self, Read};
use std::sync::{Arc, Mutex};
use std::time::Instant;

/// Opens a record's file, each time that it is read.
pub type Open<'a> = &'a dyn Fn() -> io::Result<Box<dyn Read + Send>>;

/// Where a replay and all its copies note the first difference from their record.
pub type Differs = Arc<Mutex<Option<Difference>>>;

/// The probe of most runs.
pub type Usual = (Digest, Observer);

/// A network that is driven word by word.
pub trait WordDriven {
    /// The router's datapath, if the router describes it.
    fn datapath(&self) -> Option<Datapath>;

    /// How long it may stop moving under one clock and still move again.
    fn patience(&self) -> Patience;

    /// Runs it on the engine that steps a node only where something can happen.
    fn awake(
        self: Box<Self>,
        demand: Demand,
        probe: AnyProbe,
        control: Control<'_>,
    ) -> Finished<AnyProbe>;

    /// Runs it on the reference engine; `seed` keys the order in which nodes are visited, which must not matter.
    fn plain(
        self: Box<Self>,
        demand: Demand,
        seed: u64,
        probe: AnyProbe,
        control: Control<'_>,
    ) -> Finished<AnyProbe>;

    /// Prepares it for another program: on the reference engine if a key is given for its order of visits,
    /// otherwise on the engine that steps a node only where something can happen.
    fn embed(self: Box<Self>, shuffle: Option<u64>) -> Embeddable;

    /// It stands before its first cycle, on the reference engine if a key is given for its order of visits, otherwise on
    /// the engine that steps a node only where something can happen.
    fn simulation(
        self: Box<Self>,
        demand: Demand,
        shuffle: Option<u64>,
        probe: AnyProbe,
    ) -> Box<dyn Simulation>;

    /// The same with a clock for each node.
    fn clocked_simulation(
        self: Box<Self>,
        demand: Demand,
        clocks: (Clocks, u64),
        probe: AnyProbe,
    ) -> Box<dyn Simulation>;

    /// Runs it with a clock for each node; the key that comes with the clocks determines the order in which
    /// nodes are visited.
    fn clocked(
        self: Box<Self>,
        demand: Demand,
        clocks: (Clocks, u64),
        probe: AnyProbe,
        control: Control<'_>,
    ) -> Finished<AnyProbe>;

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
    ) -> io::Result<Lived<AnyProbe>>;

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
    ) -> Result<Replayed<AnyProbe>, ReplayError>;

    /// The replay of a record in causal time, before its first step, and where a difference from the record will be
    /// noted.
    fn causal(
        self: Box<Self>,
        demand: Demand,
        parts: Arc<Parts>,
        probe: AnyProbe,
    ) -> (Box<dyn Simulation>, Differs);

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
    ) -> Result<Subset<AnyProbe>, ReplayError>;
}

/// A network that is driven by time stamps.
pub trait StampDriven {
    /// Bytes of a node.
    fn node_bytes(&self) -> usize;

    /// Runs it by time stamps.
    fn run(
        self: Box<Self>,
        demand: Demand,
        probe: AnyProbe,
        control: Control<'_>,
    ) -> Finished<AnyProbe>;

    /// Prepares it for another program.
    fn embed(self: Box<Self>) -> Embeddable;

    /// It stands before its first cycle.
    fn simulation(self: Box<Self>, demand: Demand, probe: AnyProbe) -> Box<dyn Simulation>;

    /// Replays a record by time stamps.
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
    ) -> Result<Replayed<AnyProbe>, ReplayError>;
}

/// A network that is driven by mail posted ahead.
pub trait MailDriven {
    /// Runs it by mail.
    fn run(
        self: Box<Self>,
        demand: Demand,
        probe: AnyProbe,
        control: Control<'_>,
    ) -> Finished<AnyProbe>;

    /// The same, compiled for the usual probe: as an object it would cost short packets 3 % of a run's instructions.
    fn run_usual(
        self: Box<Self>,
        demand: Demand,
        probe: Usual,
        control: Control<'_>,
    ) -> Finished<Usual>;

    /// Prepares it for another program.
    fn embed(self: Box<Self>) -> Embeddable;

    /// It stands before its first cycle.
    fn simulation(self: Box<Self>, demand: Demand, probe: AnyProbe) -> Box<dyn Simulation>;
}

impl<T, R> WordDriven for Network<T, R>
where
    T: Topology + Clone + Send + 'static,
    R: Stepped + Send + Sync + 'static,
    R::Node: 'static,
{
    fn datapath(&self) -> Option<Datapath> {
        self.router.datapath()
    }

    fn patience(&self) -> Patience {
        Network::patience(self)
    }

    fn awake(
        self: Box<Self>,
        demand: Demand,
        probe: AnyProbe,
        control: Control<'_>,
    ) -> Finished<AnyProbe> {
        finish(demand, |demand| Awake::new(self, demand, probe), control)
    }

    fn plain(
        self: Box<Self>,
        demand: Demand,
        seed: u64,
        probe: AnyProbe,
        control: Control<'_>,
    ) -> Finished<AnyProbe> {
        finish(
            demand,
            |demand| Plain::new(self, demand, probe, seed),
            control,
        )
    }

    fn embed(self: Box<Self>, shuffle: Option<u64>) -> Embeddable {
        match shuffle {
            Some(shuffle) => Embeddable::plain(self, shuffle),
            None => Embeddable::stepped(self),
        }
    }

    fn simulation(
        self: Box<Self>,
        demand: Demand,
        shuffle: Option<u64>,
        probe: AnyProbe,
    ) -> Box<dyn Simulation> {
        let network: Arc<Self> = self.into();
        match shuffle {
            Some(shuffle) => Box::new(Plain::new(network, demand, probe, shuffle)),
            None => Box::new(Awake::new(network, demand, probe)),
        }
    }

    fn clocked_simulation(
        self: Box<Self>,
        demand: Demand,
        (clocks, shuffle): (Clocks, u64),
        probe: AnyProbe,
    ) -> Box<dyn Simulation> {
        let network: Arc<Self> = self.into();
        Box::new(Clocked::new(network, clocks, demand, probe, shuffle))
    }

    fn clocked(
        self: Box<Self>,
        demand: Demand,
        (clocks, shuffle): (Clocks, u64),
        probe: AnyProbe,
        control: Control<'_>,
    ) -> Finished<AnyProbe> {
        finish(
            demand,
            |demand| Clocked::new(&*self, clocks, demand, probe, shuffle),
            control,
        )
    }

    fn live(
        self: Box<Self>,
        demand: Demand,
        options: &Options,
        record: Option<RecordTo>,
        probes: Probes<'_>,
        control: Control<'_>,
    ) -> io::Result<Lived<AnyProbe>> {
        live(*self, demand, options, record, probes, control)
    }

    fn replay(
        self: Box<Self>,
        demand: Demand,
        options: &ReplayOptions,
        open: Open<'_>,
        probes: Probes<'_>,
        control: Control<'_>,
    ) -> Result<Replayed<AnyProbe>, ReplayError> {
        replay_stepped(*self, demand, options, open, probes, control)
    }

    fn causal(
        self: Box<Self>,
        demand: Demand,
        parts: Arc<Parts>,
        probe: AnyProbe,
    ) -> (Box<dyn Simulation>, Differs) {
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
    ) -> Result<Subset<AnyProbe>, ReplayError> {
        replay_subset(*self, demand, options, open, probe, control)
    }
}

impl<T, R> StampDriven for Network<T, R>
where
    T: Topology + Clone + Send + 'static,
    R: Streamed + Send + Sync + 'static,
    R::Node: 'static,
{
    fn node_bytes(&self) -> usize {
        size_of::<R::Node>()
    }

    fn run(
        self: Box<Self>,
        demand: Demand,
        probe: AnyProbe,
        control: Control<'_>,
    ) -> Finished<AnyProbe> {
        finish(demand, |demand| Fast::new(self, demand, probe), control)
    }

    fn embed(self: Box<Self>) -> Embeddable {
        Embeddable::streamed(self)
    }

    fn simulation(self: Box<Self>, demand: Demand, probe: AnyProbe) -> Box<dyn Simulation> {
        let network: Arc<Self> = self.into();
        Box::new(Fast::to_advance(network, demand, probe))
    }

    fn replay(
        self: Box<Self>,
        demand: Demand,
        options: &ReplayOptions,
        open: Open<'_>,
        probes: Probes<'_>,
        control: Control<'_>,
    ) -> Result<Replayed<AnyProbe>, ReplayError> {
        replay(*self, demand, options, open, probes, control)
    }
}

impl<T, R> MailDriven for Network<T, R>
where
    T: Topology + Clone + Send + 'static,
    R: Posting + Send + Sync + 'static,
    R::Node: 'static,
{
    fn run(
        self: Box<Self>,
        demand: Demand,
        probe: AnyProbe,
        control: Control<'_>,
    ) -> Finished<AnyProbe> {
        finish(demand, |demand| Posted::new(self, demand, probe), control)
    }

    fn run_usual(
        self: Box<Self>,
        demand: Demand,
        probe: Usual,
        control: Control<'_>,
    ) -> Finished<Usual> {
        finish(demand, |demand| Posted::new(self, demand, probe), control)
    }

    fn embed(self: Box<Self>) -> Embeddable {
        Embeddable::posted(self)
    }

    fn simulation(self: Box<Self>, demand: Demand, probe: AnyProbe) -> Box<dyn Simulation> {
        let network: Arc<Self> = self.into();
        Box::new(Posted::new(network, demand, probe))
    }
}

fn finish<E: Engine>(
    demand: Demand,
    start: impl FnOnce(Demand) -> E,
    control: Control<'_>,
) -> Finished<E::Probe> {
    let reports_waits = demand.reports_waits;
    let begun = Instant::now();
    let mut run = start(demand);
    let outcome = run.run(control);
    let elapsed = begun.elapsed();
    let waits = match outcome.ended {
        // Waits aren't shown for an interrupted run, whose user does not want to wait for them.
        Ended::Empty | Ended::Interrupted => Vec::new(),
        Ended::Deadline | Ended::Stuck if reports_waits => run.waits(outcome.cycle),
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
    Stamps,
    Mail,
}

/// Takes the requested way out of those that a router offers.
pub struct Collector {
    wanted: Wanted,
    link_latency_cycles: u32,
    duplex: Duplex,
    pub(crate) words: Option<Box<dyn WordDriven>>,
    pub(crate) stamps: Option<Box<dyn StampDriven>>,
    pub(crate) mail: Option<Box<dyn MailDriven>>,
}

impl Collector {
    pub(crate) fn new(wanted: Wanted, around: &Surroundings<'_>) -> Collector {
        Collector {
            wanted,
            link_latency_cycles: around.link_latency_cycles,
            duplex: around.duplex,
            words: None,
            stamps: None,
            mail: None,
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
    fn words<T, R>(&mut self, topology: &T, router: impl FnOnce() -> R)
    where
        T: Topology + Clone + Send + 'static,
        R: Stepped + Send + Sync + 'static,
        R::Node: 'static,
    {
        if self.wanted == Wanted::Words {
            self.words = Some(Box::new(self.network(topology, router)));
        }
    }

    fn stamps<T, R>(&mut self, topology: &T, router: impl FnOnce() -> R)
    where
        T: Topology + Clone + Send + 'static,
        R: Streamed + Send + Sync + 'static,
        R::Node: 'static,
    {
        if self.wanted == Wanted::Stamps {
            self.stamps = Some(Box::new(self.network(topology, router)));
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
                self.mail = Some(Box::new(network));
            }
        }
    }
}
