//! A network: a topology, a router for each of its nodes, links between them, a source at each terminal.
//!
//! May depend on `node`, `topology`, `traffic` and `schema`. Must never know an engine or a file.
//!
//! ```
//! use flitwork_network::{Demand, Network};
//! use flitwork_topology::{Grid, Topology};
//! use flitwork_traffic::Once;
//! use flitwork_types::{Cycle, TerminalId};
//!
//! let network = Network::new(Grid::mesh(&[4, 4]).unwrap(), "whatever implements `Router`", 2);
//! assert_eq!(network.latencies(), 2..=2);
//!
//! // One packet, from terminal 0 to terminal 3, which its source has at once.
//! let packets = Once::new(&[(TerminalId(0), TerminalId(3))]);
//! let mut demand = Demand::until(Box::new(packets), Cycle(100));
//! let sources = demand.first_sources(network.topology.terminals());
//! assert_eq!(sources[0].begins_at(), Cycle::ZERO);
//! assert!(!sources[1].is_open());
//! ```

mod cell;
mod clock;
mod crossing;
mod crossing_kinds;
mod delay;
mod duplex;
mod faults;
mod handshake;
mod left_over;
mod links;
mod local;
mod names;
mod oscillator;
mod source;
mod way;

pub use cell::{Carried, Cell, Message, Wires};
pub use clock::{Clock, Clocks};
pub use crossing::{Crossing, Flops, Pause};
pub use crossing_kinds::{BuiltCrossing, ClockPair, CrossingEntry};
pub use delay::{Arbiter, Delay, Law, NodeDelays, ONE_PPB, SelfTimed, StageDelays};
pub use duplex::{SharedWires, Side, Wire, WireEnds};
pub use faults::{Again, Failure, Faults, Faulty, FaultyNode, InFlight, KnownLinks, Refusing};
pub use handshake::{Handshake, Protocol, Segment, credit_ps};
pub use left_over::{LeftOver, Remains};
pub use links::{LinkTiming, OwnTiming};
pub use local::{Local, Locals};
pub use names::place_name;
pub use oscillator::{Change, Gate, Gated, Periodic, Rate, Wander};
pub use source::{Source, born};
pub use way::Way;

pub use flitwork_types::Duplex;

use flitwork_node::{Probe, Router, WordRouter};
use flitwork_topology::Topology;
use flitwork_traffic::{Offer, Workload};
use flitwork_types::{Cycle, NodeId, Port, PortSet, TerminalId};
use std::ops::{ControlFlow, RangeInclusive};
use std::sync::Arc;

/// The parts of a network that do not change during a run: its shape, its routers, its links.
pub struct Network<T, R> {
    /// Which nodes are linked, and through which ports.
    pub topology: T,
    /// What every node does.
    pub router: R,
    /// Cycles that a word or a credit takes from one node to the next, at least 1; links with a latency of their
    /// own ([`Topology::link_cycles`]) take that.
    pub link_latency_cycles: u32,
    duplex: Duplex,
}

impl<T, R> Network<T, R> {
    /// A network with full-duplex links.
    pub fn new(topology: T, router: R, link_latency_cycles: u32) -> Network<T, R> {
        Network {
            topology,
            router,
            link_latency_cycles,
            duplex: Duplex::Full,
        }
    }

    /// Whether the two directions of a link have a wire each.
    #[inline]
    pub fn duplex(&self) -> Duplex {
        self.duplex
    }
}

impl<T, R: Router> Network<T, R> {
    /// The same with these links.
    ///
    /// # Panics
    /// If they are half duplex and the router doesn't [take that](Router::takes_half_duplex).
    #[must_use]
    pub fn with_duplex(self, duplex: Duplex) -> Network<T, R> {
        assert!(
            !duplex.is_half() || self.router.takes_half_duplex(),
            "the router doesn't take half-duplex links"
        );
        Network { duplex, ..self }
    }
}

impl<T: Topology, R> Network<T, R> {
    /// Cycles from the pass of the right to send at one end of a half-duplex link until it may be used at the other.
    #[inline]
    pub fn hop_cycles(&self, node: NodeId, port: Port) -> u32 {
        self.link_cycles(node, port) + self.duplex.turnaround_cycles()
    }

    /// The ports of a node that have the right to send over their half-duplex links before the first cycle: of two
    /// ends, the one at the node with the lower number has it.
    pub fn first_rights(&self, node: NodeId) -> PortSet {
        let links = self.topology.links(node).iter();
        links
            .filter(|port| (node, *port) < self.far_end(node, *port))
            .collect()
    }

    /// Each node's ends of half-duplex links before the first cycle; none if links are full duplex.
    pub fn wire_ends(&self) -> Vec<WireEnds> {
        let nodes = match self.duplex {
            Duplex::Full => 0,
            Duplex::Half { .. } => self.topology.nodes(),
        };
        (0..nodes)
            .map(|node| self.wire_ends_of(NodeId(node)))
            .collect()
    }

    /// One node's ends of half-duplex links before the first cycle.
    pub fn wire_ends_of(&self, node: NodeId) -> WireEnds {
        WireEnds::new(
            self.topology.ports(),
            self.duplex.turnaround_cycles(),
            self.first_rights(node),
        )
    }

    /// The local ports of a node at which packets enter, and the terminals whose these are.
    #[inline]
    pub fn terminals(&self, node: NodeId) -> impl Iterator<Item = (Port, TerminalId)> {
        let first = self.topology.ports();
        (0..self.topology.locals()).filter_map(move |local| {
            let terminal = self.topology.source(node, local)?;
            Some((Port((first + local) as u8), terminal))
        })
    }

    /// How many ports a node has at most, the local ones included.
    #[inline]
    pub fn all_ports(&self) -> usize {
        self.topology.ports() + self.topology.locals()
    }

    /// The only terminal of a node, if it has one, where no node has several.
    #[inline]
    pub fn terminal(&self, node: NodeId) -> Option<TerminalId> {
        debug_assert_eq!(self.topology.locals(), 1);
        self.topology.terminal_at(node, self.topology.local())
    }

    /// The other end of the link at a port.
    ///
    /// # Panics
    /// If there is no link.
    #[inline]
    pub fn far_end(&self, node: NodeId, port: Port) -> (NodeId, Port) {
        let far = self.topology.far(node, port);
        far.expect("a link leads somewhere")
    }

    /// Cycles that a word or a credit takes over the link at `port` of `node`.
    #[inline]
    pub fn link_cycles(&self, node: NodeId, port: Port) -> u32 {
        let own = self.topology.link_cycles(node, port);
        own.unwrap_or(self.link_latency_cycles)
    }

    /// Whether links may have latencies of their own.
    #[inline]
    pub fn has_own_latencies(&self) -> bool {
        self.topology.has_own_latencies()
    }

    /// The fewest cycles and the most that any link takes.
    #[inline]
    pub fn latencies(&self) -> RangeInclusive<u32> {
        self.topology.latencies(self.link_latency_cycles)
    }

    /// The most cycles that a link takes.
    #[inline]
    pub fn longest_link_cycles(&self) -> u32 {
        *self.latencies().end()
    }
}

/// How long a network may stop moving and still move again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patience {
    still_cycles: u32,
    /// From a word's departure until the place that it takes at the far end of a link can be sent to again, and how many
    /// places a virtual channel has there.
    round_trip_cycles: u32,
    places: u32,
    channels: u8,
}

impl<T: Topology, R: WordRouter> Network<T, R> {
    /// How long it may stop moving and still move again.
    pub fn patience(&self) -> Patience {
        let patience_cycles = self.router.patience_cycles();
        let link_cycles = self.longest_link_cycles();
        let places = self.router.credit_words().unwrap_or(u32::MAX);
        let channels = self.router.channels();
        // The right to send over a half-duplex link may have to come back first.
        let turn_cycles = match self.duplex {
            Duplex::Full => 0,
            Duplex::Half { turnaround_cycles } => link_cycles
                .saturating_add(turnaround_cycles)
                .saturating_mul(2),
        };
        Patience {
            still_cycles: patience_cycles
                .saturating_add(link_cycles)
                .saturating_add(turn_cycles),
            round_trip_cycles: link_cycles
                .saturating_mul(2)
                .saturating_add(patience_cycles),
            places: (places / u32::from(channels.max(1))).max(1),
            channels,
        }
    }
}

impl Patience {
    /// Cycles after which a network in which no head has moved won't move one again, if packets have up to
    /// this many words.
    pub fn cycles(&self, longest_words: u32) -> u32 {
        // The last heads' words may share links with those of all other channels.
        let words = (2 * u32::from(self.channels)).saturating_mul(longest_words);
        // Where a packet doesn't fit into the far end, words wait for credits.
        let apart = match longest_words <= self.places {
            true => 1,
            false => self.round_trip_cycles.div_ceil(self.places).max(1),
        };
        self.still_cycles
            .saturating_add(words.saturating_mul(apart))
    }

    /// Words of a virtual channel that fit into the far end of a link, at least 1.
    pub fn places(&self) -> u32 {
        self.places
    }
}

/// What a network is given to carry, and for how long.
pub struct Demand {
    /// The packets that sources make.
    pub workload: Box<dyn Workload>,
    /// From this cycle on no packet enters an injection frame.
    pub inject_until: Cycle,
    /// The run ends before this cycle, whatever is still under way.
    pub end: Cycle,
    /// What may end injection earlier.
    pub review: Option<Review>,
    /// Whether the sources have a task, every packet of which must be delivered. Otherwise they make packets at a
    /// rate, and what they still hold at the end is a backlog, not a failure.
    pub is_task: bool,
    /// Whether a run that leaves packets in the network reports what they wait for, which takes memory for each of them.
    pub reports_waits: bool,
}

/// An inspection of a running simulation that may end its injection. It takes place and acts in cycles fixed before
/// the run, so that the run's events do not depend on the engine.
#[derive(Clone)]
pub struct Review {
    /// The cycle of the inspection: by then the probe has observed everything that happens before it.
    pub at: Cycle,
    /// From this cycle on no packet enters an injection frame, if the inspection says so. Engines let packets in
    /// early, by at most a packet's words and the longest link's latency: this cycle is later than `at` by more.
    pub shut: Cycle,
    /// Whether no more packets are needed.
    pub is_enough: Arc<dyn Fn() -> bool + Send + Sync>,
}

/// When a run of a demand ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Aim {
    /// The run ends before this cycle: see [`Demand::end`].
    pub end: Cycle,
    /// Whether all packets must be delivered by then: see [`Demand::is_task`].
    pub is_task: bool,
}

/// The same demand from here on: what is taken from the copy changes nothing here. A review is shared.
impl Clone for Demand {
    fn clone(&self) -> Demand {
        Demand {
            workload: self.workload.fork(),
            review: self.review.clone(),
            ..*self
        }
    }
}

impl Demand {
    /// A demand that ends once all of it is delivered, or at `end`.
    pub fn until(workload: Box<dyn Workload>, end: Cycle) -> Demand {
        Demand {
            workload,
            inject_until: end,
            end,
            review: None,
            is_task: true,
            reports_waits: true,
        }
    }

    /// The engine has reached cycle `now` and reported every event before it: the review takes place if it is due.
    #[inline]
    pub fn review_if_due(&mut self, now: Cycle) {
        if self.review.as_ref().is_some_and(|review| now >= review.at) {
            self.judge();
        }
    }

    #[cold]
    fn judge(&mut self) {
        if let Some(review) = self.review.take()
            && (review.is_enough)()
        {
            self.inject_until = self.inject_until.min(review.shut);
        }
    }

    /// When its run ends.
    pub fn aim(&self) -> Aim {
        Aim {
            end: self.end,
            is_task: self.is_task,
        }
    }

    /// The sources of `terminals` terminals, before their first cycle.
    pub fn first_sources(&mut self, terminals: u32) -> Vec<Source> {
        let mut sources = vec![Source::new(Offer::Never); terminals as usize];
        for terminal in self.workload.sources() {
            let ask = |now| self.workload.next(terminal, now);
            sources[terminal.index()] = Source::first(ask);
        }
        sources
    }

    /// What is left of the demand of all terminals' sources at `end`: the packets that never entered the network, reported
    /// and counted, and those still to come. `control` decides now and then whether to continue.
    pub fn leave_over<P: Probe>(
        &mut self,
        sources: &mut [Source],
        end: Cycle,
        fixed: Option<u16>,
        (probe, control): (&mut P, &mut dyn FnMut() -> ControlFlow<()>),
    ) -> Remains {
        let workload = self.workload.as_mut();
        let mut count = LeftOver::new(fixed, Some(probe), control);
        for (terminal, source) in (0..).map(TerminalId).zip(sources) {
            let left = &mut |left| count.take(terminal, left);
            // Once the count is interrupted, each further source reports its first packet.
            let _ = source.leave_over(terminal, end, workload, left);
        }
        count.remains(workload, end)
    }
}

#[cfg(test)]
mod tests;
