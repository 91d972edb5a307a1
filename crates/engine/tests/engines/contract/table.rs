//! Every router of the table, with its defaults: a new line of the table is verified against the contract
//! like all others.

use super::{Case, grid, holds, holds_under_any_clock, packets};
use flitwork_node::{Posting, Stepped, Streamed};
use flitwork_router::exchange::{Crossing, Exchange, Leaving};
use flitwork_router::parameters::{Facts, Offers, Reading, RouterParameters, Surroundings, Takes};
use flitwork_router::scheduled::Request;
use flitwork_router::{Visitor, each_router};
use flitwork_schema::{Files, Given, Parts, Unreadable};
use flitwork_topology::{Shape, Topology};
use flitwork_types::{Duplex, NodeId};
use std::path::PathBuf;

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

/// Links of one cycle between nodes with one clock.
struct InStep;

impl Crossing for InStep {
    fn exchange(&self, _: Leaving) -> Exchange {
        Exchange::WithinCycles(1)
    }

    fn longest_link_cycles(&self) -> Option<u32> {
        Some(1)
    }
}

/// Verifies what is offered word by word against the contract.
struct Held {
    name: &'static str,
    facts: Facts,
    packets: Vec<(NodeId, NodeId, u16)>,
    /// How often it was offered word by word.
    offered: u32,
}

impl Offers for Held {
    fn words<T, R>(&mut self, _: &T, router: impl FnOnce() -> R)
    where
        T: Topology + Clone + Send + 'static,
        R: Stepped + Send + Sync + 'static,
        R::Node: 'static,
    {
        self.offered += 1;
        let router = router();
        // A router says the same before and after it is built.
        assert_eq!(router.packet_words(), self.facts.fixed_words);
        assert_eq!(router.credit_words(), self.facts.credit_words);
        let case = Case {
            name: self.name,
            router,
            packets: self.packets.clone(),
            frees: None,
            together: !self.facts.words_travel_alone,
        };
        match self.facts.credit_words.is_none() || self.facts.takes != Takes::Any {
            true => holds(case),
            false => holds_under_any_clock(case),
        }
    }

    fn stamps<T, R>(&mut self, _: &T, _: impl FnOnce() -> R)
    where
        T: Topology + Clone + Send + 'static,
        R: Streamed + Send + Sync + 'static,
        R::Node: 'static,
    {
    }

    fn mail<T, R>(&mut self, _: &T, _: impl FnOnce() -> R)
    where
        T: Topology + Clone + Send + 'static,
        R: Posting + Send + Sync + 'static,
        R::Node: 'static,
    {
    }
}

struct Every(Vec<&'static str>);

impl Visitor for Every {
    fn router<P: RouterParameters>(&mut self) {
        let shape = Shape::from(grid());
        let reading = Reading {
            parts: &Parts::new(),
            files: &NoFiles,
            shape: &shape,
            link_latency_cycles: 1,
            seed: 1,
            is_one_clock: true,
        };
        let table = format!("router.{}", P::NAME);
        let parameters = P::read(&Given::nothing(&table), &reading)
            .unwrap_or_else(|refusal| panic!("{table}: {refusal:?}"));
        let facts = parameters.facts();
        let packets = packets(&grid(), facts.fixed_words.unwrap_or(4));
        let request = |(source, destination, words): &(NodeId, NodeId, u16)| Request {
            source: *source,
            destination: *destination,
            words: *words,
        };
        let requests = || packets.iter().map(request).collect();
        let around = Surroundings {
            shape: &shape,
            link_latency_cycles: 1,
            duplex: Duplex::Full,
            seed: 1,
            is_in_step: true,
            crossing: &InStep,
            requests: &requests,
        };
        let mut held = Held {
            name: P::NAME,
            facts,
            packets: packets.clone(),
            offered: 0,
        };
        parameters.offer(&around, &mut held);
        assert_eq!(held.offered, 1, "{table} is offered word by word");
        self.0.push(P::NAME);
    }
}

#[test]
fn every_router_of_the_table_obeys_the_contract() {
    let mut every = Every(Vec::new());
    each_router(&mut every);
    assert!(every.0.is_sorted() && every.0.len() >= 5, "{:?}", every.0);
}
