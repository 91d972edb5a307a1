//! Links and routers that fail while a network runs.
//!
//! ```text
//!                from            from + detection_cycles        until        until + detection_cycles
//!  ──────────────┼───────────────────────┼────────────────────────┼──────────────────────┼──────────▶ cycles
//!     it works   │   what is sent over it is lost                 │   it works again     │
//!                │   routes lead over it │   routes avoid it      │                      │ as before
//!                                        └ an epoch begins                               └ and another
//! ```
//!
//! A link fails in both directions, and at its sending end: a worm whose head leaves there while it has failed is lost, and whatever has
//! left before arrives. The sender gets back the credits of lost words at once, as if the far end had taken them. What happens to a worm
//! that is crossing a link when it fails is a choice ([`InFlight`]). A failed router is one all of whose links have failed, and whose
//! terminals neither send nor receive.
//!
//! Routers learn of a failure later. From then on packets are routed by a router that is built for the links that are left:
//! [`Faulty`] has one for each [epoch](Faults::epochs). Sources refuse packets for which there is no way ([`Refusing`]), and may send
//! lost ones again ([`Again`]).

mod again;
mod faulty;
mod refusing;

pub use again::Again;
pub use faulty::{Faulty, FaultyNode};
pub use refusing::Refusing;

use flitwork_topology::{Graph, GraphError, Shape, Topology};
use flitwork_types::{Cycle, Due, NodeId, Port, TerminalId};
use std::collections::BTreeSet;

/// What happens to a worm that is crossing a link when it fails.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum InFlight {
    /// It is cut: what of it has left goes on to its destination, which takes it off the network as lost.
    #[default]
    Lost,
    /// The rest of it still crosses.
    Finishes,
}

flitwork_schema::named!(InFlight { Lost = "lost", Finishes = "finishes" });

/// Links and routers that fail at one time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The links, each by one of its ends.
    pub links: Vec<(NodeId, Port)>,
    /// The routers.
    pub routers: Vec<NodeId>,
    /// The first cycle in which they don't work.
    pub from: Cycle,
    /// The first cycle in which they work again.
    pub until: Due,
    /// What happens to what is crossing the links.
    pub in_flight: InFlight,
    /// Cycles until routers know that they have failed, or work again; never if `None`.
    pub detection_cycles: Option<u32>,
}

/// A time in which an end of a link doesn't work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Outage {
    port: Port,
    during: During,
    in_flight: InFlight,
}

/// Some cycles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct During {
    from: Cycle,
    until: Due,
}

impl During {
    #[inline]
    fn has(self, cycle: Cycle) -> bool {
        self.from <= cycle && self.until > cycle
    }
}

/// What is known of a network's links from one cycle on.
#[derive(Clone, Debug, PartialEq)]
pub struct KnownLinks {
    /// The first cycle in which packets are routed by them.
    pub since: Cycle,
    /// The first cycle in which they are routed by others.
    pub until: Due,
    /// The network without the links that are known to have failed.
    pub shape: Shape,
}

/// All failures of a network during a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Faults {
    /// By node: when its links don't work.
    outages: Vec<Vec<Outage>>,
    /// By node: when the router doesn't.
    routers: Vec<Vec<During>>,
    epochs: Vec<KnownLinks>,
    intact: Shape,
}

impl Faults {
    /// Failures of a network's links and routers.
    ///
    /// # Errors
    /// A [`GraphError`] for a network with more nodes than a graph may have, or with links that go one way.
    pub fn of(topology: &dyn Topology, failures: &[Failure]) -> Result<Faults, GraphError> {
        let nodes = topology.nodes() as usize;
        let mut faults = Faults {
            outages: vec![Vec::new(); nodes],
            routers: vec![Vec::new(); nodes],
            epochs: Vec::new(),
            intact: Graph::without(topology, |_, _| false)?.into(),
        };
        for failure in failures {
            let during = During {
                from: failure.from,
                until: failure.until,
            };
            for (node, port) in ends(topology, failure) {
                faults.outages[node.index()].push(Outage {
                    port,
                    during,
                    in_flight: failure.in_flight,
                });
            }
            for router in &failure.routers {
                faults.routers[router.index()].push(during);
            }
        }
        faults.epochs = epochs(topology, failures)?;
        Ok(faults)
    }

    /// What routers know of the links, in the order of time. The first begins with the run.
    pub fn epochs(&self) -> &[KnownLinks] {
        &self.epochs
    }

    /// The network with all its links, as a graph.
    pub fn intact(&self) -> &Shape {
        &self.intact
    }

    /// The number of the epoch that a cycle is in.
    #[inline]
    fn epoch(&self, cycle: Cycle) -> usize {
        self.epochs.partition_point(|it| it.since <= cycle) - 1
    }

    /// Whether a router has failed in a cycle.
    #[inline]
    fn is_down(&self, router: NodeId, cycle: Cycle) -> bool {
        let downs = &self.routers[router.index()];
        downs.iter().any(|during| during.has(cycle))
    }

    /// Whether a packet that a terminal makes in a cycle may enter the network: its router works, and as far as that is known links
    /// lead to its destination.
    fn takes(&self, source: TerminalId, destination: TerminalId, created: Cycle) -> bool {
        let shape = &self.epochs[self.epoch(created)].shape;
        let from = shape.home(source);
        !self.is_down(from, created) && shape.is_joined(from, shape.home(destination))
    }
}

/// Both ends of the links that fail.
fn ends(topology: &dyn Topology, failure: &Failure) -> BTreeSet<(NodeId, Port)> {
    let of_routers = failure.routers.iter().flat_map(|router| {
        let links = topology.links(*router).iter();
        links.map(|port| (*router, port))
    });
    let near = failure.links.iter().copied().chain(of_routers);
    near.flat_map(|(node, port)| {
        let far = topology.far(node, port);
        [(node, port)].into_iter().chain(far)
    })
    .collect()
}

/// When routes change, and what they are made for.
fn epochs(topology: &dyn Topology, failures: &[Failure]) -> Result<Vec<KnownLinks>, GraphError> {
    // The ends of links that are known to have failed, and when.
    let mut known: Vec<(During, BTreeSet<(NodeId, Port)>)> = Vec::new();
    for failure in failures {
        let Some(detection) = failure.detection_cycles else {
            continue;
        };
        let (from, until) = (failure.from + detection, failure.until + detection);
        known.push((During { from, until }, ends(topology, failure)));
    }
    let times = known.iter().flat_map(|(during, _)| {
        let until = during.until.get();
        [Some(during.from), until].into_iter().flatten()
    });
    let begins: BTreeSet<Cycle> = times.chain([Cycle::ZERO]).collect();
    let begins: Vec<Cycle> = begins.into_iter().collect();
    let mut epochs: Vec<KnownLinks> = Vec::new();
    let mut built: Vec<(BTreeSet<(NodeId, Port)>, Shape)> = Vec::new();
    for (place, since) in begins.iter().enumerate() {
        let now = known.iter().filter(|(during, _)| during.has(*since));
        let failed: BTreeSet<(NodeId, Port)> = now.flat_map(|(_, ends)| ends).copied().collect();
        let shape = match built.iter().find(|(links, _)| *links == failed) {
            Some((_, shape)) => shape.clone(),
            None => {
                let graph = Graph::without(topology, |node, port| failed.contains(&(node, port)))?;
                built.push((failed, graph.into()));
                built[built.len() - 1].1.clone()
            }
        };
        epochs.push(KnownLinks {
            since: *since,
            until: begins.get(place + 1).copied().map_or(Due::NEVER, Due::at),
            shape,
        });
    }
    Ok(epochs)
}
