//! One router on one network, on every engine that steps it word by word.

use crate::checked::Checked;
use crate::clause::{Clause, equal};
use crate::described::{Shown, Tally};
use crate::happened::Happened;
use crate::ledger::{Ledger, Terminals};
use crate::setting::Setting;
use crate::stand::Stand;
use flitwork_engine::{Clocked, Ended, Engine, EventDriven, Outcome, Plain};
use flitwork_network::{Clock, Clocks, Demand, LinkTiming, Network, Periodic};
use flitwork_node::{WordRouter, draw_below};
use flitwork_topology::Topology;
use flitwork_traffic::{Once, StaticPacket};
use flitwork_types::{Cycle, Duplex, TerminalId};
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::Arc;

/// Packets that exist in cycle 0: source, destination, words.
pub type Pairs = Vec<StaticPacket>;

/// The period of the nominal clock.
const PERIOD_PS: u64 = 1000;

/// One router, built, on one network, with what it is to carry.
///
/// ```
/// use flitwork_router::greedy_hp::GreedyHp;
/// use flitwork_testing::{Trial, contending_packets};
/// use flitwork_topology::Grid;
///
/// let mesh = Grid::mesh(&[4, 4]).unwrap();
/// let packets = contending_packets(&mesh, 1, 3);
/// let router = GreedyHp::new(mesh.clone(), 1);
/// Trial {
///     clocks: None,
///     ..Trial::new("greedy-hp", mesh, router, packets)
/// }
/// .run();
/// ```
pub struct Trial<T, R> {
    /// What the router is called in messages.
    pub name: &'static str,
    /// The network.
    pub topology: T,
    /// The router.
    pub router: R,
    /// What it is to carry.
    pub packets: Pairs,
    /// Whether the two directions of a link have a wire each.
    pub duplex: Duplex,
    /// Cycles that a word takes over a link that has no latency of its own.
    pub link_cycles: u32,
    /// Whether the router has frames of whole packets, and reports when each is freed; `None` if either may be.
    pub frees: Option<bool>,
    /// Whether the words of a packet take one path, so that a packet has as many hops as its head.
    pub together: bool,
    /// What the router shows and explains of its nodes.
    pub shown: Shown,
    /// Whether every packet must arrive.
    pub arrives: bool,
    /// Clocks that tick apart, if the router takes any.
    pub clocks: Option<Clocks>,
    /// A run ends before this cycle.
    pub end: Cycle,
    /// Keys the order in which nodes are visited.
    pub seed: u64,
}

/// How often each cause and each rule of a decision has been given.
pub type Told = BTreeMap<&'static str, u64>;

/// What has come of a trial.
pub(crate) struct Ran {
    pub(crate) told: Told,
    /// What has happened under one clock.
    pub(crate) happened: Happened,
}

impl<T: Topology, R> Trial<T, R> {
    /// A trial with full-duplex links of one cycle and clocks of three speeds, in which every packet must arrive.
    pub fn new(name: &'static str, topology: T, router: R, packets: Pairs) -> Trial<T, R> {
        Trial {
            name,
            clocks: Some(uneven_clocks(topology.nodes())),
            topology,
            router,
            packets,
            duplex: Duplex::Full,
            link_cycles: 1,
            frees: None,
            together: true,
            shown: Shown::Waits,
            arrives: true,
            end: Cycle(100_000),
            seed: 1,
        }
    }

    /// What messages say of it.
    pub(crate) fn setting(&self) -> Setting {
        let words = self.packets.iter().map(|(_, _, words)| *words);
        let network = format!(
            "{} nodes, {} packets of up to {} words, links of {} cycles, {:?} duplex",
            self.topology.nodes(),
            self.packets.len(),
            words.max().unwrap_or(0),
            self.link_cycles,
            self.duplex
        );
        Setting {
            name: self.name,
            network,
            seed: self.seed,
            stand: Stand::new(),
        }
    }
}

impl<T, R> Trial<T, R>
where
    T: Topology + Clone + 'static,
    R: WordRouter + 'static,
{
    /// Holds the router to the contract on every engine that steps it word by word: the plain one, in two orders of
    /// visiting nodes; the one that skips cycles; the one with clocks, which tick at the same instants and then apart.
    /// Returns which causes and rules were given, if the router explains itself.
    ///
    /// # Panics
    /// If it breaks a [`Clause`]. The message names the clause, the node, its local cycle and the seed.
    pub fn run(self) -> Told {
        self.run_all().told
    }

    pub(crate) fn run_all(self) -> Ran {
        let setting = self.setting();
        let clocks = self.clocks.clone();
        let seed = self.seed;
        let runs = setting.on("before the runs", || Runs::new(self, setting.clone()));
        let (network, equal) = (&runs.network, runs.equal_clocks());
        let plain = setting.on("plain engine", || {
            let engine = Plain::new(network.clone(), runs.demand(), runs.ledger(), seed);
            let (outcome, ledger) = finish(engine);
            runs.check_end(outcome, &ledger);
            runs.check_credits(outcome, &ledger);
            ledger.into_happened().sorted()
        });
        setting.on("plain engine, another order", || {
            let engine = Plain::new(network.clone(), runs.demand(), runs.ledger(), !seed);
            let ends = ("another order", "the first order");
            runs.check_same(engine, &plain, Clause::Order, ends);
        });
        setting.on("awake engine", || {
            let engine = EventDriven::new(network.clone(), runs.demand(), runs.ledger());
            let ends = ("skipping cycles", "stepping in each cycle");
            runs.check_same(engine, &plain, Clause::Engines, ends);
        });
        setting.on("clocked engine, equal clocks", || {
            let (demand, ledger) = (runs.demand(), runs.ledger());
            let engine = Clocked::new(network.clone(), equal, demand, ledger, seed);
            let ends = ("equal clocks", "one clock");
            runs.check_same(engine, &plain, Clause::Engines, ends);
        });
        if let Some(clocks) = clocks {
            setting.on("clocked engine, clocks apart", || {
                let (demand, ledger) = (runs.demand(), runs.ledger());
                let engine = Clocked::new(network.clone(), clocks, demand, ledger, seed);
                let (outcome, ledger) = finish(engine);
                runs.check_end(outcome, &ledger);
            });
        }
        Ran {
            told: network.router.tally.counted(),
            happened: plain,
        }
    }
}

/// The runs of a trial.
struct Runs<T, R> {
    network: Arc<Network<T, Checked<T, R>>>,
    packets: Pairs,
    together: bool,
    arrives: bool,
    end: Cycle,
    setting: Setting,
}

impl<T, R> Runs<T, R>
where
    T: Topology + Clone + 'static,
    R: WordRouter + 'static,
{
    fn new(trial: Trial<T, R>, setting: Setting) -> Runs<T, R> {
        let router = Checked {
            router: trial.router,
            topology: trial.topology.clone(),
            frees: trial.frees,
            shown: trial.shown,
            tally: Tally::default(),
            stand: setting.stand.clone(),
        };
        let network = Network::new(trial.topology, router, trial.link_cycles);
        Runs {
            network: Arc::new(network.with_duplex(trial.duplex)),
            packets: trial.packets,
            together: trial.together,
            arrives: trial.arrives,
            end: trial.end,
            setting,
        }
    }

    fn demand(&self) -> Demand {
        demand(&self.packets, self.end)
    }

    fn ledger(&self) -> Ledger {
        let terminals = Terminals::of(&self.network.topology);
        Ledger::new(terminals, self.together, self.setting.stand.clone())
    }

    /// Clocks that all tick at the same instants.
    fn equal_clocks(&self) -> Clocks {
        let latency_ps = PERIOD_PS * u64::from(self.network.link_latency_cycles);
        Clocks {
            nominal_ps: PERIOD_PS,
            domains: vec![Clock::Periodic(Periodic::new(PERIOD_PS, 0))],
            domain_of: vec![0; self.network.topology.nodes() as usize],
            links: LinkTiming::wires(latency_ps, 5000, 2),
            seed: 1,
        }
    }

    /// All packets have arrived, and nothing is left of them: the router has removed what the engine inserted.
    fn check_end(&self, outcome: Outcome, ledger: &Ledger) {
        if self.arrives {
            let how = format!("{:?} before cycle {}", outcome.ended, outcome.cycle);
            ledger.check_arrived(self.packets.len(), &how);
            let what = "how the run ended, all packets delivered";
            equal!(Clause::Arrival, outcome.ended, Ended::Empty, "{what}");
        }
    }

    /// All credits have come back, if there are any and the run on the plain engine stopped because nothing was left to
    /// happen, and not at its end.
    fn check_credits(&self, outcome: Outcome, ledger: &Ledger) {
        let is_over = outcome.ended == Ended::Empty && outcome.cycle < self.end;
        if is_over && self.network.router.router.credit_words().is_some() {
            ledger.check_credits(outcome.cycle);
        }
    }

    /// A run in which the same happens as in the first.
    fn check_same(
        &self,
        engine: impl Engine<Probe = Ledger>,
        plain: &Happened,
        clause: Clause,
        ends: (&str, &str),
    ) {
        let (outcome, ledger) = finish(engine);
        let stopped = outcome.ended;
        let happened = ledger.into_happened().sorted();
        happened.is_that_of(plain, clause, ends, &self.setting.stand);
        if self.arrives {
            equal!(clause, stopped, Ended::Empty, "how the run ended");
        }
    }
}

/// These packets, until a run ends before a cycle.
pub(crate) fn demand(packets: &[StaticPacket], end: Cycle) -> Demand {
    Demand::until(Box::new(Once::of_packets(packets.to_vec())), end)
}

/// Runs to the end.
pub(crate) fn finish<P>(mut engine: impl Engine<Probe = P>) -> (Outcome, P) {
    let outcome = engine.run(&mut |_| ControlFlow::Continue(()));
    (outcome, Box::new(engine).into_probe())
}

/// Six packets from each terminal to others: some to a single distant one, so that they get in each other's way.
pub fn contending_packets(topology: &impl Topology, words: u16, seed: u64) -> Pairs {
    let count = topology.terminals();
    let terminals = (0..count).map(TerminalId);
    let pairs = terminals.flat_map(|from| (0..6).map(move |index| (from, index)));
    let packet = |(from, index): (TerminalId, u32)| {
        let drawn = draw_below(count, seed, topology.home(from), Cycle::ZERO, index);
        let to = if index % 3 == 0 { count / 2 } else { drawn };
        (from, TerminalId(to), words)
    };
    let packets = pairs.map(packet);
    packets.filter(|(from, to, _)| from != to).collect()
}

/// Clocks of three speeds, and links that hold few words: full links hold up their senders.
pub fn uneven_clocks(nodes: u32) -> Clocks {
    let domain = |index: u64| {
        let period = Periodic::new(PERIOD_PS + 130 * index, 17 * index);
        Clock::Periodic(period)
    };
    Clocks {
        nominal_ps: PERIOD_PS,
        domains: (0..3).map(domain).collect(),
        domain_of: (0..nodes).map(|node| node % 3).collect(),
        links: LinkTiming::wires(PERIOD_PS, 4, 2),
        seed: 1,
    }
}
