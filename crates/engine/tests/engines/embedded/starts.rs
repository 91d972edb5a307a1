//! Embedded networks on each engine.

use flitwork_engine::{Embedded, EventDriven, MailEngine, Plain, TimestampEngine};
use flitwork_network::Network;
use flitwork_node::{MailRouter, Probe, TimestampRouter, WordRouter};
use flitwork_topology::Topology;

/// A router that is stepped word by word. Idle nodes are skipped.
pub(crate) fn stepped<T, R, P>(network: Network<T, R>, probe: P) -> Embedded<P>
where
    T: Topology + Send + 'static,
    R: WordRouter + Send + 'static,
    P: Probe + Send + 'static,
{
    let terminals = network.topology.terminals();
    let start = |demand, probe| Box::new(EventDriven::new(network, demand, probe)) as Box<_>;
    Embedded::new(terminals, start, probe)
}

/// The same without skipping anything; `shuffle` keys the order in which nodes are visited.
pub(crate) fn plain<T, R, P>(network: Network<T, R>, probe: P, shuffle: u64) -> Embedded<P>
where
    T: Topology + Send + 'static,
    R: WordRouter + Send + 'static,
    P: Probe + Send + 'static,
{
    let terminals = network.topology.terminals();
    let start = |demand, probe| Box::new(Plain::new(network, demand, probe, shuffle)) as Box<_>;
    Embedded::new(terminals, start, probe)
}

/// A router that is driven by time stamps.
pub(crate) fn streamed<T, R, P>(network: Network<T, R>, probe: P) -> Embedded<P>
where
    T: Topology + Send + 'static,
    R: TimestampRouter + Send + 'static,
    P: Probe + Send + 'static,
{
    let terminals = network.topology.terminals();
    let start = |demand, probe| Box::new(TimestampEngine::new(network, demand, probe)) as Box<_>;
    Embedded::new(terminals, start, probe)
}

/// A router whose messages are posted ahead.
pub(crate) fn posted<T, R, P>(network: Network<T, R>, probe: P) -> Embedded<P>
where
    T: Topology + Send + 'static,
    R: MailRouter + Send + 'static,
    P: Probe + Send + 'static,
{
    let terminals = network.topology.terminals();
    let start = |demand, probe| Box::new(MailEngine::new(network, demand, probe)) as Box<_>;
    Embedded::new(terminals, start, probe)
}
