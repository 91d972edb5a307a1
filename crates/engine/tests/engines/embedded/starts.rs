//! Embedded networks on each engine.

use flitwork_engine::{Awake, Embedded, Fast, Plain, Posted};
use flitwork_network::Network;
use flitwork_node::{Posting, Probe, Stepped, Streamed};
use flitwork_topology::Topology;

/// A router that is stepped word by word. Idle nodes are skipped.
pub(crate) fn stepped<T, R, P>(network: Network<T, R>, probe: P) -> Embedded<P>
where
    T: Topology + Send + 'static,
    R: Stepped + Send + 'static,
    P: Probe + Send + 'static,
{
    let nodes = network.topology.nodes();
    let start = |demand, probe| Box::new(Awake::new(network, demand, probe)) as Box<_>;
    Embedded::new(nodes, start, probe)
}

/// The same without skipping anything; `shuffle` keys the order in which nodes are visited.
pub(crate) fn plain<T, R, P>(network: Network<T, R>, probe: P, shuffle: u64) -> Embedded<P>
where
    T: Topology + Send + 'static,
    R: Stepped + Send + 'static,
    P: Probe + Send + 'static,
{
    let nodes = network.topology.nodes();
    let start = |demand, probe| Box::new(Plain::new(network, demand, probe, shuffle)) as Box<_>;
    Embedded::new(nodes, start, probe)
}

/// A router that is driven by time stamps.
pub(crate) fn streamed<T, R, P>(network: Network<T, R>, probe: P) -> Embedded<P>
where
    T: Topology + Send + 'static,
    R: Streamed + Send + 'static,
    P: Probe + Send + 'static,
{
    let nodes = network.topology.nodes();
    let start = |demand, probe| Box::new(Fast::new(network, demand, probe)) as Box<_>;
    Embedded::new(nodes, start, probe)
}

/// A router whose messages are posted ahead.
pub(crate) fn posted<T, R, P>(network: Network<T, R>, probe: P) -> Embedded<P>
where
    T: Topology + Send + 'static,
    R: Posting + Send + 'static,
    P: Probe + Send + 'static,
{
    let nodes = network.topology.nodes();
    let start = |demand, probe| Box::new(Posted::new(network, demand, probe)) as Box<_>;
    Embedded::new(nodes, start, probe)
}
