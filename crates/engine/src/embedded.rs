//! A network inside another program, which decides when time passes and what is sent.
//!
//! ```text
//!   inject, inject_at ──▶ queue of each source ──▶ network ──▶ deliveries
//!                                                     ▲
//!   advance(until) ──────── cycles ───────────────────┘
//! ```
//!
//! It runs on any engine that counts [cycles](crate::TimeUnit::Cycles), and produces the same events as a run of a trace
//! with these packets.

mod arrivals;
mod outside;

pub use arrivals::Delivery;

use crate::{Ended, Premises, Simulation};
use arrivals::Arrivals;
use flitwork_network::Demand;
use flitwork_node::{AnyProbe, Probe, Wait};
use flitwork_traffic::Birth;
use flitwork_types::{Cycle, PacketId, TerminalId};
use outside::Outside;
use std::fmt;
use std::marker::PhantomData;

/// How often a network with packets is checked for whether they still move.
const CYCLES_BETWEEN_CHECKS: u32 = 1 << 12;

/// A network that another program drives. It owns the network and the probe, and hides the type of the network.
///
/// ```
/// use flitwork_engine::{Advanced, Embedded, EventDriven};
/// use flitwork_network::Network;
/// use flitwork_router::deflection::{Deflection, DeflectionParameters};
/// use flitwork_topology::Grid;
/// use flitwork_types::{Cycle, TerminalId};
///
/// let grid = Grid::mesh(&[4, 4]).unwrap();
/// let network = Network::new(grid.clone(), Deflection::new(grid, DeflectionParameters::flit_bless(), 1), 1);
/// let start = |demand, probe| Box::new(EventDriven::new(network, demand, probe)) as Box<_>;
/// let mut network = Embedded::new(16, start, ());
/// let packet = network.inject(TerminalId(0), TerminalId(15), 1).unwrap();
/// assert_eq!(network.advance(Cycle(100)), Advanced::Reached);
/// let arrived = network.deliveries().next().unwrap();
/// assert_eq!((arrived.packet, arrived.hops), (packet, 6));
/// ```
pub struct Embedded<P = ()> {
    engine: Box<Simulation>,
    /// Packets on their way to the sources' queues.
    inlet: Outside,
    /// The first cycle that has not been simulated.
    cycle: Cycle,
    /// The packets given to each source.
    given: Vec<Given>,
    /// The latest cycle for which a packet has been given.
    latest: Cycle,
    packets: u64,
    longest_given: u16,
    premises: Premises,
    probe: PhantomData<fn() -> P>,
}

/// What a source has been given so far.
#[derive(Clone, Copy, Default)]
struct Given {
    packets: u32,
    latest: Cycle,
}

/// How an [advance](Embedded::advance) has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Advanced {
    /// The clock is at the requested cycle.
    Reached,
    /// Packets are in the network, none of them can ever move again, and no packet is to come:
    /// [`Embedded::waits`] says what they wait for. The clock is where this was found.
    Stuck,
    /// The clock is at [`Cycle::LAST`], before the requested cycle.
    OutOfTime,
}

/// Why an embedded network refuses a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InjectError {
    /// There is no such terminal.
    #[error("there is no node {node}: nodes are 0 to {}", .nodes - 1)]
    NoSuchNode {
        /// The source or the destination that was given.
        node: TerminalId,
        /// Terminals of the network; they count from 0.
        nodes: u32,
    },
    /// The packet would go to its own source, which needs no network.
    #[error("a packet from node {node} to itself needs no network")]
    ToItself {
        /// Its source and destination.
        node: TerminalId,
    },
    /// The router takes no packets of that length.
    #[error("{}", refused_length(.words, .longest))]
    Length {
        /// The length that was given, in words.
        words: u16,
        /// The longest packet that the router takes, in words; the shortest has one. 0: it takes only those that it
        /// was built for.
        longest: u16,
    },
    /// The cycle has been simulated.
    #[error("cycle {cycle} has passed: the network is in cycle {now}")]
    Past {
        /// The cycle that was given.
        cycle: Cycle,
        /// The first cycle in which a packet can be made.
        now: Cycle,
    },
    /// The source has been given a packet for a later cycle: its packets come in the order of their cycles.
    #[error("cycle {cycle} lies before cycle {latest} of the source's latest packet")]
    OutOfOrder {
        /// The cycle that was given.
        cycle: Cycle,
        /// The cycle of the source's latest packet.
        latest: Cycle,
    },
    /// No run goes on that long.
    #[error("cycle {cycle} is too late: a run ends before cycle {last}", last = Cycle::LAST)]
    TooLate {
        /// The cycle that was given, not before [`Cycle::LAST`].
        cycle: Cycle,
    },
}

impl<P: Probe + Send + 'static> Embedded<P> {
    /// A network of this many terminals before its first cycle: `start` puts it on an engine.
    ///
    /// # Panics
    /// If it has another number of terminals.
    pub fn new(
        terminals: u32,
        start: impl FnOnce(Demand, AnyProbe) -> Box<Simulation>,
        probe: P,
    ) -> Embedded<P> {
        let inlet = Outside::new(terminals);
        let demand = Demand::until(Box::new(inlet.clone()), Cycle::LAST);
        let mut engine = start(demand, AnyProbe::new((Arrivals::default(), probe)));
        // What is given to it from now on has not happened yet.
        engine.advance(0);
        let premises = engine.premises();
        assert_eq!(premises.terminals, terminals, "the network's terminals");
        Embedded {
            engine,
            inlet,
            cycle: Cycle::ZERO,
            given: vec![Given::default(); terminals as usize],
            latest: Cycle::ZERO,
            packets: 0,
            longest_given: 0,
            premises,
            probe: PhantomData,
        }
    }

    /// What observes the network: it has observed all cycles before the current one, and nothing later.
    pub fn probe(&self) -> &P {
        &self.engine.probe().probe::<(Arrivals, P)>().1
    }

    /// Ends the run and hands back what has observed it.
    pub fn into_probe(self) -> P {
        self.engine.into_probe().into_probe::<(Arrivals, P)>().1
    }

    fn arrivals(&self) -> &Arrivals {
        &self.engine.probe().probe::<(Arrivals, P)>().0
    }

    /// Gives a source a packet of `words` words, made in the current cycle. It enters the network as soon as
    /// the source's earlier packets have. If all packets of a router have one length, shorter ones are
    /// padded.
    ///
    /// # Errors
    /// An [`InjectError`] for a packet that the network refuses; nothing has changed then.
    pub fn inject(
        &mut self,
        source: TerminalId,
        destination: TerminalId,
        words: u16,
    ) -> Result<PacketId, InjectError> {
        self.inject_at(self.cycle, source, destination, words)
    }

    /// The same for a packet that is made in `cycle`, the current one or a later one.
    ///
    /// # Errors
    /// The same.
    pub fn inject_at(
        &mut self,
        cycle: Cycle,
        source: TerminalId,
        destination: TerminalId,
        words: u16,
    ) -> Result<PacketId, InjectError> {
        self.check(cycle, source, destination, words)?;
        let given = &mut self.given[source.index()];
        let packet = PacketId {
            source,
            serial: given.packets,
        };
        given.packets += 1;
        given.latest = cycle;
        self.latest = self.latest.max(cycle);
        self.longest_given = self.longest_given.max(words);
        self.packets += 1;
        let birth = Birth {
            created: cycle,
            destination,
            words,
            class: 0,
        };
        self.inlet.give(source, birth);
        self.engine.wake_source(source);
        Ok(packet)
    }

    fn check(
        &self,
        cycle: Cycle,
        source: TerminalId,
        destination: TerminalId,
        words: u16,
    ) -> Result<(), InjectError> {
        let nodes = self.given.len() as u32;
        let outside = [source, destination]
            .into_iter()
            .find(|node| node.0 >= nodes);
        if let Some(node) = outside {
            return Err(InjectError::NoSuchNode { node, nodes });
        }
        if source == destination {
            return Err(InjectError::ToItself { node: source });
        }
        let longest = self.premises.longest_words;
        if !(1..=longest).contains(&words) {
            return Err(InjectError::Length { words, longest });
        }
        let (now, latest) = (self.cycle, self.given[source.index()].latest);
        if cycle < now {
            Err(InjectError::Past { cycle, now })
        } else if cycle >= Cycle::LAST {
            Err(InjectError::TooLate { cycle })
        } else if cycle < latest {
            Err(InjectError::OutOfOrder { cycle, latest })
        } else {
            Ok(())
        }
    }

    /// Simulates the cycles before `until` that have not been simulated. Cycles in which nothing happens take next to
    /// no time.
    pub fn advance(&mut self, until: Cycle) -> Advanced {
        let end = until.min(Cycle::LAST);
        while self.cycle < end {
            let stop = match self.in_flight() {
                0 => end,
                _ => end.min(self.cycle + CYCLES_BETWEEN_CHECKS),
            };
            let ended = self.engine.advance(stop.get().into());
            self.cycle = stop;
            if self.is_stuck(ended) {
                return Advanced::Stuck;
            }
        }
        match self.cycle < until {
            true => Advanced::OutOfTime,
            false => Advanced::Reached,
        }
    }

    /// Whether there are packets in the network and nothing will ever move them.
    fn is_stuck(&self, ended: Ended) -> bool {
        let arrivals = self.arrivals();
        let latest = self.latest.max(arrivals.latest);
        let is_still = self.premises.patience.is_some_and(|patience| {
            let still_cycles = patience.cycles(self.longest_given.into());
            latest + still_cycles.max(CYCLES_BETWEEN_CHECKS) <= self.cycle
        });
        arrivals.in_network > 0 && (ended == Ended::Stuck || is_still)
    }

    /// Takes out what has arrived since the last call, in the order of delivery.
    pub fn deliveries(&mut self) -> impl Iterator<Item = Delivery> + '_ {
        let probe = self.engine.probe_mut().probe_mut::<(Arrivals, P)>();
        let deliveries = &mut probe.0.deliveries;
        deliveries.sort_by_key(|delivery| (delivery.delivered, delivery.packet));
        deliveries.drain(..)
    }

    /// The longest packet that the router takes, in words.
    pub fn longest_packet_words(&self) -> u16 {
        self.premises.longest_words
    }

    /// The current cycle: the first that has not been simulated.
    pub fn cycle(&self) -> Cycle {
        self.cycle
    }

    /// Packets that have been given to their sources and not been delivered.
    pub fn in_flight(&self) -> u64 {
        self.packets - self.arrivals().delivered
    }

    /// What each packet in the network waits for.
    pub fn waits(&self) -> Vec<Wait> {
        self.engine.waits()
    }
}

impl<P: Probe + Send + 'static> fmt::Debug for Embedded<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Embedded")
            .field("terminals", &self.given.len())
            .field("cycle", &self.cycle)
            .field("in_flight", &self.in_flight())
            .finish_non_exhaustive()
    }
}

fn refused_length(words: &u16, longest: &u16) -> String {
    match longest {
        0 => "the router takes only the packets that it was built for".into(),
        _ => format!("the router takes packets of 1 to {longest} words, not of {words}"),
    }
}
