//! The check of a routing function: whether the dependencies of virtual channels form a cycle.
//!
//! ```text
//!   routing function ──▶ examine ──▶ walk ──────▶ graph ──▶ cycle ──▶ verdict
//!   on a topology        what a      every head   who may   shortest  in words
//!                        head may    that can     wait for  of those
//!                        take        be, once     whom      found
//!                                      │             ▲
//!                                      └──▶ reach ───┘  by way of adaptive channels (Duato)
//! ```
//!
//! A packet that holds a virtual channel and waits for another makes the first depend on the second. If no
//! dependencies form a cycle there is no deadlock (Dally and Seitz 1987), for any router that eventually
//! gives what is free to a packet that waits for it. A function that declares escape channels needs less: one
//! of them is among each head's choices, and no cycle is formed by the dependencies among them, direct ones
//! and those of packets that went through other channels in between (Duato 1993, for wormhole routing). That
//! theorem requires of the router that a buffer outside the escape channels never holds words of two packets;
//! otherwise a head can wait behind another packet, where no escape channel helps it.
//!
//! All possible heads are examined: from all nodes at which packets enter, to all at which they are delivered, under every
//! possible draw. A head
//! in a channel is the same wherever it came from, so there is one to examine for each channel and
//! destination, at the least number of deroutes with which it can get there (fewer of them leave no fewer
//! choices). Packets that visit an intermediate node are examined before and after it separately. Every way
//! into a node is then combined with every way out, including combinations that can't occur: an acyclic
//! verdict holds nevertheless, and all dependencies so added lead from the first part to the second.
//!
//! On the way the check verifies what a function declares: every head has a choice, every hop that isn't a
//! deroute leads closer, and deroutes are counted correctly. So every packet arrives, whichever choices it
//! takes.

mod astray;
mod bits;
mod classes;
mod cycle;
mod examine;
mod explain;
mod fault;
mod graph;
mod links;
mod reach;
mod survey;
mod verdict;
mod walk;

pub use astray::{Astray, SomeNodes, astray};
pub use fault::{CheckError, FaultKind, RoutingFault};
pub use verdict::{Circle, HeldChannel, Verdict, WhyCircle};

use super::contract::{Choice, Routing};
use astray::astray_under;
pub(crate) use cycle::first_cycle;
use cycle::shortest_cycle;
use examine::Examiner;
use explain::Explained;
use flitwork_topology::Topology;
use flitwork_types::NodeId;
use graph::{Direct, EscapeChannels, Extended, Graph};
use links::{ChannelNumber, Links};
use std::ops::ControlFlow;
use survey::{Sink, survey};

/// The most nodes that the check examines.
pub const MAX_CHECKED_NODES: u32 = 4096;
/// The most heads: destinations times channels.
const MAX_HEADS: u64 = 1 << 32;
/// The most memory of a graph.
const MAX_GRAPH_BYTES: u64 = 1 << 30;

/// Observes how many of all destinations are examined, in each of several passes, and ends the check if it breaks.
pub type Watch<'a> = dyn FnMut(u32, u32) -> ControlFlow<()> + 'a;

/// That the observer ended the check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stopped;

/// What the check found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Findings {
    /// Whether packets can wait for each other in a circle.
    pub verdict: Verdict,
    /// The destinations whose packets may not arrive, of a table; of other functions all arrive.
    pub astray: Vec<Astray>,
}

/// Whether packets that `routing` routes on `topology` can wait for each other in a circle.
///
/// # Errors
/// A [`CheckError`] if the network is too large to be examined, or the function violates its declaration, or it is a table on which
/// packets don't arrive.
pub fn check(routing: &dyn Routing, topology: &dyn Topology) -> Result<Verdict, CheckError> {
    let found = examine(routing, topology, &mut |_, _| ControlFlow::Continue(()))?;
    match found.astray.into_iter().next() {
        Some(first) => Err(CheckError::Astray(first)),
        None => Ok(found.verdict),
    }
}

/// The same, with all faults of a table, under observation.
///
/// # Errors
/// A [`CheckError`] if the network is too large to be examined, the function violates its declaration, or the observer ends it.
pub fn examine(
    routing: &dyn Routing,
    topology: &dyn Topology,
    watch: &mut Watch<'_>,
) -> Result<Findings, CheckError> {
    let declaration = routing.declaration();
    let nodes = topology.nodes();
    refuse_above("nodes", nodes.into(), MAX_CHECKED_NODES.into())?;
    let links = Links::new(topology, declaration.channels);
    let heads = u64::from(nodes) * links.count() as u64;
    refuse_above("heads", heads, MAX_HEADS)?;
    let escape = declaration
        .escape
        .map(|mask| EscapeChannels::new(topology, mask));
    let bytes = Direct::bytes(&links) + escape.map_or(0, Extended::bytes);
    refuse_above("bytes of dependencies", bytes, MAX_GRAPH_BYTES)?;
    let astray = astray_under(routing, topology, watch)?;
    let mut examiner = Examiner::new(routing, topology, &links);
    let verdict = depend(&mut examiner, escape, watch)?;
    Ok(Findings { verdict, astray })
}

/// Whether the dependencies form a cycle.
fn depend(
    examiner: &mut Examiner<'_>,
    escape: Option<EscapeChannels>,
    watch: &mut Watch<'_>,
) -> Result<Verdict, CheckError> {
    let (links, topology) = (examiner.links, examiner.topology);
    let channels = examiner.declaration.channels;
    let mut graphs = Graphs {
        direct: Direct::new(links),
        extended: escape.map(Extended::new),
    };
    survey(examiner, escape, &mut graphs, watch)?;
    let Graphs { direct, extended } = graphs;
    let Some(cycle) = shortest_cycle(&direct) else {
        return Ok(Verdict::Acyclic {
            channels: links.existing() * u64::from(channels),
            dependencies: direct.edges(),
        });
    };
    let Some(extended) = extended else {
        let why = match examiner.adaptive {
            true => WhyCircle::Adaptive,
            false => WhyCircle::Oblivious,
        };
        let numbered = |vertex| (ChannelNumber(vertex as u32), None);
        let mut explained = Explained::new(cycle.into_iter().map(numbered), links);
        survey(examiner, None, &mut explained, watch)?;
        return Ok(explained.verdict(why, direct.edges(), topology));
    };
    let Some(cycle) = shortest_cycle(&extended) else {
        return Ok(Verdict::EscapeAcyclic {
            channels: links.existing() * u64::from(extended.escape.mask.count_ones()),
            dependencies: extended.edges(),
        });
    };
    let numbered = |vertex| (extended.escape.channel(vertex, links), Some(vertex));
    let mut explained = Explained::new(cycle.into_iter().map(numbered), links);
    survey(examiner, escape, &mut explained, watch)?;
    Ok(explained.verdict(WhyCircle::Escape, extended.edges(), topology))
}

fn refuse_above(what: &'static str, found: u64, allowed: u64) -> Result<(), CheckError> {
    if found > allowed {
        return Err(CheckError::TooLarge {
            what,
            found,
            allowed,
        });
    }
    Ok(())
}

/// Collects dependencies.
struct Graphs {
    direct: Direct,
    extended: Option<Extended>,
}

impl Sink for Graphs {
    fn direct(&mut self, _: NodeId, held: ChannelNumber, wanted: &[Choice]) {
        self.direct.add(held, wanted);
    }

    fn extended(&mut self, _: NodeId, held: usize, place: usize, wanted: u64) {
        if let Some(extended) = &mut self.extended {
            extended.add(held, place, wanted);
        }
    }
}
