//! Networks on engines that can be resumed, as objects.

use crate::{Awake, Ended, Engine, Fast, Plain, Posted, Resumable};
use flitwork_network::{Demand, Network, Patience};
use flitwork_node::{AnyProbe, Posting, Router, Stepped, Streamed, Wait};
use flitwork_topology::Topology;
use flitwork_types::{Cycle, NodeId};
use std::fmt;
use std::sync::Arc;

/// A network that is to be [embedded](super::Embedded), with the engine that will drive it.
pub struct Embeddable {
    pub(super) start: Box<dyn FnOnce(Demand, AnyProbe) -> Box<dyn Driven> + Send>,
    /// The nodes at which packets may begin and end.
    pub(super) terminals: Vec<bool>,
    /// The longest packet that its router takes.
    pub(super) longest_words: u16,
    /// If the engine may not notice that nothing can move again: how long to wait before concluding so.
    pub(super) patience: Option<Patience>,
}

impl Embeddable {
    /// A network whose router is stepped word by word, which works for every router. Idle nodes are skipped.
    pub fn stepped<T, R>(network: impl Into<Box<Network<T, R>>>) -> Embeddable
    where
        T: Topology + Send + 'static,
        R: Stepped + Send + 'static,
        R::Node: 'static,
    {
        let network = network.into();
        let patience = Some(network.patience());
        Embeddable::new(network, patience, |network, demand, probe| {
            Box::new(Awake::new(network, demand, probe))
        })
    }

    /// The same without skipping anything; `shuffle` keys the order in which nodes are visited. Slow: the reference for
    /// the other ways.
    pub fn plain<T, R>(network: impl Into<Box<Network<T, R>>>, shuffle: u64) -> Embeddable
    where
        T: Topology + Send + 'static,
        R: Stepped + Send + 'static,
        R::Node: 'static,
    {
        let network = network.into();
        let patience = Some(network.patience());
        Embeddable::new(network, patience, move |network, demand, probe| {
            Box::new(Plain::new(network, demand, probe, shuffle))
        })
    }

    /// A network whose router is driven by time stamps: the fastest way for those that can be.
    pub fn streamed<T, R>(network: impl Into<Box<Network<T, R>>>) -> Embeddable
    where
        T: Topology + Send + 'static,
        R: Streamed + Send + 'static,
        R::Node: 'static,
    {
        Embeddable::new(network.into(), None, |network, demand, probe| {
            Box::new(Fast::new(network, demand, probe))
        })
    }

    /// A network whose messages are posted ahead: the fastest way for routers of worms.
    ///
    /// # Panics
    /// If that isn't possible: see [`can_post`](crate::can_post).
    pub fn posted<T, R>(network: impl Into<Box<Network<T, R>>>) -> Embeddable
    where
        T: Topology + Send + 'static,
        R: Posting + Send + 'static,
        R::Node: 'static,
    {
        Embeddable::new(network.into(), None, |network, demand, probe| {
            Box::new(Posted::new(network, demand, probe))
        })
    }

    fn new<T, R>(
        network: Box<Network<T, R>>,
        patience: Option<Patience>,
        start: impl FnOnce(Arc<Network<T, R>>, Demand, AnyProbe) -> Box<dyn Driven> + Send + 'static,
    ) -> Embeddable
    where
        T: Topology + Send + 'static,
        R: Router + Send + 'static,
    {
        let nodes = (0..network.topology.nodes()).map(NodeId);
        Embeddable {
            terminals: nodes
                .map(|node| network.topology.is_terminal(node))
                .collect(),
            longest_words: network.router.longest_packet_words(),
            patience,
            start: Box::new(move |demand, probe| start(network.into(), demand, probe)),
        }
    }
}

impl fmt::Debug for Embeddable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Embeddable")
            .field("nodes", &self.terminals.len())
            .field("longest_words", &self.longest_words)
            .finish_non_exhaustive()
    }
}

/// A resumable engine without its type.
pub(super) trait Driven: Send {
    fn advance(&mut self, until: Cycle) -> Ended;
    fn wake_source(&mut self, source: NodeId);
    fn waits(&self, now: Cycle) -> Vec<Wait>;
    fn probe(&self) -> &AnyProbe;
    fn probe_mut(&mut self) -> &mut AnyProbe;
    fn into_probe(self: Box<Self>) -> AnyProbe;
}

impl<E: Resumable<Probe = AnyProbe> + Send> Driven for E {
    fn advance(&mut self, until: Cycle) -> Ended {
        Resumable::advance(self, until)
    }

    fn wake_source(&mut self, source: NodeId) {
        Resumable::wake_source(self, source);
    }

    fn waits(&self, now: Cycle) -> Vec<Wait> {
        Engine::waits(self, now)
    }

    fn probe(&self) -> &AnyProbe {
        Resumable::probe(self)
    }

    fn probe_mut(&mut self) -> &mut AnyProbe {
        Resumable::probe_mut(self)
    }

    fn into_probe(self: Box<Self>) -> AnyProbe {
        Engine::into_probe(*self)
    }
}
