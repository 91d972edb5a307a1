//! A kind of router, held to the whole contract from outside.

use crate::clause::{Clause, equal, holds};
use crate::described::Shown;
use crate::driven::Driven;
use crate::happened::Happened;
use crate::setting::Setting;
use crate::stand::Stand;
use crate::trial::{Pairs, Trial, contending_packets, uneven_clocks};
use flitwork_network::Network;
use flitwork_node::{MailRouter, Router, TimestampRouter, WordRouter};
use flitwork_router::exchange::{Crossing, Exchange, Leaving};
use flitwork_router::parameters::{
    BuildContext, Deadlock, Facts, Offers, Reading, RouterParameters, Takes,
};
use flitwork_router::scheduled::Request;
use flitwork_schema::{Files, Parts, RawTable, Unreadable};
use flitwork_topology::{Grid, Shape, Topology};
use flitwork_traffic::StaticPacket;
use flitwork_types::{Cycle, Duplex};
use std::path::PathBuf;

/// Every run ends before this cycle.
const END: Cycle = Cycle(100_000);

/// Holds a kind of router with its defaults to the contract: [`Contract::hold`] on a mesh of 4 x 4, for packets of one
/// word and of four, if it takes both.
///
/// # Panics
/// If it breaks a [`Clause`]. The message names the clause, the node, its local cycle and the seed.
pub fn contract<P: RouterParameters>() {
    Contract::<P>::new().hold();
}

/// What a kind of router is held to, and where.
///
/// ```
/// use flitwork_router::queueing::QueueingParameters;
/// use flitwork_testing::{Contract, Shown};
/// use flitwork_topology::{Grid, Shape};
///
/// let parameters = QueueingParameters { frames: 1, ..QueueingParameters::default() };
/// Contract::new()
///     .parameters(parameters)
///     .shapes([Shape::from(Grid::mesh(&[3, 2]).unwrap())])
///     .words([1, 3])
///     .seeds([5])
///     .shows(Shown::Decisions)
///     .hold();
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct Contract<P> {
    parameters: Option<P>,
    parts: Parts,
    shapes: Vec<Shape>,
    words: Vec<u16>,
    seeds: Vec<u64>,
    duplex: Duplex,
    link_cycles: u32,
    shown: Shown,
}

impl<P: RouterParameters> Default for Contract<P> {
    fn default() -> Contract<P> {
        Contract::new()
    }
}

impl<P: RouterParameters> Contract<P> {
    /// With the router's defaults.
    pub fn new() -> Contract<P> {
        let mesh = Grid::mesh(&[4, 4]).expect("a mesh of 4 x 4");
        Contract {
            parameters: None,
            parts: Parts::new(),
            shapes: vec![Shape::from(mesh)],
            words: vec![1, 4],
            seeds: vec![1, 2],
            duplex: Duplex::Full,
            link_cycles: 1,
            shown: Shown::Waits,
        }
    }

    /// With these parameters instead of the defaults, which are then not read.
    pub fn parameters(self, parameters: P) -> Contract<P> {
        let parameters = Some(parameters);
        Contract { parameters, ..self }
    }

    /// With these parts, which the defaults may name.
    pub fn parts(self, parts: Parts) -> Contract<P> {
        Contract { parts, ..self }
    }

    /// On networks of these shapes.
    pub fn shapes(self, shapes: impl IntoIterator<Item = Shape>) -> Contract<P> {
        let shapes = shapes.into_iter().collect();
        Contract { shapes, ..self }
    }

    /// For packets of these lengths, in words. A router that takes only one length gets that.
    pub fn words(self, words: impl IntoIterator<Item = u16>) -> Contract<P> {
        let words = words.into_iter().collect();
        Contract { words, ..self }
    }

    /// From these seeds: of the router, of its packets, and of the order in which nodes are visited.
    pub fn seeds(self, seeds: impl IntoIterator<Item = u64>) -> Contract<P> {
        let seeds = seeds.into_iter().collect();
        Contract { seeds, ..self }
    }

    /// Whether the two directions of a link have a wire each.
    pub fn duplex(self, duplex: Duplex) -> Contract<P> {
        Contract { duplex, ..self }
    }

    /// Over links of so many cycles, at least 1.
    pub fn link_cycles(self, link_cycles: u32) -> Contract<P> {
        Contract {
            link_cycles,
            ..self
        }
    }

    /// The router describes its nodes, and is held to what it shows and explains.
    pub fn shows(self, shown: Shown) -> Contract<P> {
        Contract { shown, ..self }
    }

    /// Holds the router to the contract, on every engine: word by word on the plain one, in two orders of visiting nodes,
    /// on the one that skips cycles, and with clocks that tick at the same instants and then apart; by time stamps and by
    /// mail, if it is offered so. Every packet must arrive unless the router says that packets may wait for each other in a
    /// circle.
    ///
    /// # Panics
    /// If it breaks a [`Clause`]. The message names the clause, the node, its local cycle and the seed. And if it can't be
    /// read from an empty table.
    pub fn hold(&self) {
        for shape in &self.shapes {
            for seed in &self.seeds {
                let parameters = self.parameters_for(shape, *seed);
                let fixed = parameters.facts().fixed_words.map(|words| vec![words]);
                for words in fixed.as_ref().unwrap_or(&self.words) {
                    self.hold_one(&parameters, shape, *seed, *words);
                }
            }
        }
    }

    fn parameters_for(&self, shape: &Shape, seed: u64) -> P {
        if let Some(parameters) = &self.parameters {
            return parameters.clone();
        }
        let reading = Reading {
            parts: &self.parts,
            files: &NoFiles,
            shape,
            link_latency_cycles: self.link_cycles,
            seed,
            is_one_clock: true,
            is_examined: false,
        };
        let table = format!("router.{}", P::NAME);
        P::read(&RawTable::nothing(&table), &reading)
            .unwrap_or_else(|refusal| panic!("{table} can't be empty: {refusal:?}"))
    }

    fn hold_one(&self, parameters: &P, shape: &Shape, seed: u64, words: u16) {
        let packets = contending_packets(shape, words, seed);
        let request = |(source, destination, words): &StaticPacket| Request {
            source: shape.home(*source),
            destination: shape.home(*destination),
            words: *words,
        };
        let requests = || packets.iter().map(request).collect();
        let crossing = InStep(*shape.latencies(self.link_cycles).end());
        let around = BuildContext {
            shape,
            link_latency_cycles: self.link_cycles,
            duplex: self.duplex,
            seed,
            is_in_step: true,
            crossing: &crossing,
            requests: &requests,
            epoch: None,
        };
        let facts = parameters.facts();
        let setting = Setting {
            name: P::NAME,
            network: format!("{} nodes, packets of {words} words", shape.nodes()),
            seed,
            stand: Stand::new(),
        };
        let mut held = Held {
            setting,
            facts,
            packets: packets.clone(),
            duplex: self.duplex,
            link_cycles: self.link_cycles,
            shown: self.shown,
            together: !facts.words_travel_alone || words == 1,
            arrives: !matches!(parameters.deadlock(&around), Deadlock::May(_)),
            words: Vec::new(),
            driven: Vec::new(),
        };
        parameters.offer(&around, &mut held);
        held.check();
    }
}

/// No default names a file.
struct NoFiles;

impl Files for NoFiles {
    fn path(&self, name: &str) -> PathBuf {
        name.into()
    }

    fn text(&self, name: &str, _: u64) -> Result<String, Unreadable> {
        panic!("a router reads {name} where its table is empty")
    }

    fn is_no_file(&self, name: &str) -> Option<String> {
        panic!("a router asks for {name} where its table is empty")
    }
}

/// Links of so many cycles at most between nodes with one clock.
struct InStep(u32);

impl Crossing for InStep {
    fn exchange(&self, leaving: Leaving) -> Exchange {
        Exchange::of_cycles(leaving, self.0)
    }

    fn longest_link_cycles(&self) -> Option<u32> {
        Some(self.0)
    }
}

/// Runs what is offered.
struct Held {
    setting: Setting,
    facts: Facts,
    packets: Pairs,
    duplex: Duplex,
    link_cycles: u32,
    shown: Shown,
    together: bool,
    arrives: bool,
    /// What happened word by word, each time that it was offered so.
    words: Vec<Happened>,
    driven: Vec<Driven>,
}

impl Held {
    fn network<T: Clone, R: Router>(
        &self,
        topology: &T,
        router: impl FnOnce() -> R,
    ) -> Network<T, R> {
        Network::new(topology.clone(), router(), self.link_cycles).with_duplex(self.duplex)
    }

    /// A router says the same before and after it is built.
    fn check_facts(&self, router: &impl Router) {
        let said = (self.facts.fixed_words, self.facts.credit_words);
        let built = (router.packet_words(), router.credit_words());
        equal!(
            Clause::Facts,
            built,
            said,
            "fixed_words and credit_words, built"
        );
    }

    /// It was offered word by word, and does the same in all forms.
    fn check(&self) {
        let [words] = &self.words[..] else {
            let times = self.words.len();
            let is_offered = || {
                holds!(
                    Clause::Offers,
                    times == 1,
                    "it is offered word by word {times} times"
                );
            };
            return self.setting.on("before the runs", is_offered);
        };
        let arrive = self.arrives.then_some(self.packets.len());
        for driven in &self.driven {
            driven.check(&self.setting, words, self.together, arrive);
        }
    }
}

impl Offers for Held {
    fn words<T: Topology + Clone + 'static, R: WordRouter + 'static>(
        &mut self,
        topology: &T,
        router: impl FnOnce() -> R,
    ) {
        let router = self.setting.on("before the runs", || {
            let router = router();
            self.check_facts(&router);
            router
        });
        let takes_any = self.facts.takes == Takes::Any && self.facts.credit_words.is_some();
        let trial = Trial {
            duplex: self.duplex,
            link_cycles: self.link_cycles,
            together: self.together,
            shown: self.shown,
            arrives: self.arrives,
            clocks: takes_any.then(|| uneven_clocks(topology.nodes())),
            end: END,
            seed: self.setting.seed,
            ..Trial::new(
                self.setting.name,
                topology.clone(),
                router,
                self.packets.clone(),
            )
        };
        self.words.push(trial.run_all().happened);
    }

    fn timestamps<T: Topology + Clone + 'static, R: TimestampRouter + 'static>(
        &mut self,
        topology: &T,
        router: impl FnOnce() -> R,
    ) {
        let network = || self.network(topology, router);
        let driven = Driven::by_timestamps(&self.setting, &self.packets, END, network);
        self.driven.push(driven);
    }

    fn mail<T: Topology + Clone + 'static, R: MailRouter + 'static>(
        &mut self,
        topology: &T,
        router: impl FnOnce() -> R,
    ) {
        let network = || self.network(topology, router);
        let driven = Driven::by_mail(&self.setting, &self.packets, END, network);
        self.driven.extend(driven);
    }
}
