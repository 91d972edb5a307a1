//! A schedule of worms, and what makes one valid.
//!
//! A worm of k words whose head goes over a link in cycle t has its word j there in cycle t + j. So a worm takes each link of
//! its path for k cycles in a row, and a schedule is valid if no two of these spans overlap on a link (Roberts and Symvonis
//! 1994, section 2.1).
//!
//! A worm whose next hop names a later cycle than that in which its head comes waits, all words equally long. In each node at
//! most so many may wait at once; those that haven't left their sources don't count (Symvonis and Tidswell 1994, section 2).

mod error;
mod waiting;

pub use error::ScheduleError;
pub(super) use error::name;

use super::Route;
use flitwork_topology::Topology;
use flitwork_types::{Cycle, NodeId, PacketId, Port, TerminalId};
use std::collections::BTreeMap;
use waiting::find_crowd;

/// A schedule that has been checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schedule {
    worms: BTreeMap<PacketId, Worm>,
    /// How many may wait in a node.
    waiting: u32,
}

/// A worm of a schedule.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Worm {
    route: Route,
    /// The cycles in which its head leaves nodes, one per hop.
    leaves: Box<[Cycle]>,
    /// The cycle in which its last word arrives.
    arrival: Cycle,
}

/// Cycles in which a worm holds a link, or its head waits for the time to leave over it: from the first, before the second.
#[derive(Clone, Copy, Debug)]
struct Span {
    node: NodeId,
    port: Port,
    from: Cycle,
    until: Cycle,
    packet: PacketId,
}

/// Bytes for each hop while a schedule is checked.
pub(super) const SPAN_BYTES: usize = size_of::<Span>();

/// What worms take.
struct Taken {
    links: Vec<Span>,
    waits: Vec<Span>,
}

impl Schedule {
    /// Checks a schedule on a topology whose links take `link_latency_cycles` unless they have latencies of
    /// their own, and in whose nodes at most `waiting` worms wait at once.
    ///
    /// # Errors
    /// The first obstacle: a route from a node without a terminal; in a route, by the order of their packets; otherwise the
    /// first collision at the lowest node and port, or the first cycle in which too many wait at the lowest node.
    pub fn new<T: Topology>(
        topology: &T,
        link_latency_cycles: u32,
        waiting: u32,
        routes: Vec<Route>,
    ) -> Result<Schedule, ScheduleError> {
        let mut worms = BTreeMap::new();
        let hops = routes.iter().map(|route| route.path.len()).sum();
        let mut taken = Taken {
            links: Vec::with_capacity(hops),
            waits: Vec::new(),
        };
        let mut earliest = Cycle::ZERO;
        for (packet, route) in numbered(topology, routes)? {
            if packet.serial == 0 {
                earliest = Cycle::ZERO;
            }
            if route.words == 0 || route.path.is_empty() || route.path.len() > u16::MAX.into() {
                return Err(ScheduleError::Empty(packet));
            }
            let start = route.path[0].cycle.unwrap_or(route.start);
            let earliest_start = earliest.max(route.start);
            if start < earliest || start < route.start {
                return Err(ScheduleError::Early {
                    packet,
                    start,
                    earliest: earliest_start,
                });
            }
            earliest += route.words.into();
            let (leaves, arrival) = taken.add(topology, link_latency_cycles, packet, &route)?;
            let worm = Worm {
                route,
                leaves,
                arrival,
            };
            worms.insert(packet, worm);
        }
        find_collision(taken.links)?;
        find_crowd(taken.waits, waiting)?;
        Ok(Schedule { worms, waiting })
    }

    /// The route of a packet, if it has one.
    #[inline]
    pub fn route(&self, packet: PacketId) -> Option<&Route> {
        self.worms.get(&packet).map(|worm| &worm.route)
    }

    /// The port by which a packet's head leaves a node, and the cycle; `None` for a packet without a route, and at its
    /// path's end.
    #[inline]
    pub fn hop(&self, packet: PacketId, hop: u16) -> Option<(Port, Cycle)> {
        let worm = self.worms.get(&packet)?;
        let taken = worm.route.path.get(usize::from(hop))?;
        Some((taken.port, worm.leaves[usize::from(hop)]))
    }

    /// How many worms may wait in a node at once.
    pub fn waiting(&self) -> u32 {
        self.waiting
    }

    /// The length of all worms, if it is one.
    pub fn words(&self) -> Option<u16> {
        let mut lengths = self.worms.values().map(|worm| worm.route.words);
        let first = lengths.next()?;
        lengths.all(|words| words == first).then_some(first)
    }

    /// All packets and their routes.
    pub fn routes(&self) -> impl Iterator<Item = (PacketId, &Route)> {
        let worms = self.worms.iter();
        worms.map(|(packet, worm)| (*packet, &worm.route))
    }

    /// The cycle in which a packet's last word arrives, if it has a route.
    pub fn arrival(&self, packet: PacketId) -> Option<Cycle> {
        self.worms.get(&packet).map(|worm| worm.arrival)
    }

    /// The cycle in which the very last word arrives: the schedule's length.
    pub fn last_arrival(&self) -> Cycle {
        let arrivals = self.worms.values().map(|worm| worm.arrival);
        arrivals.max().unwrap_or(Cycle::ZERO)
    }
}

/// Routes by packet.
fn numbered<T: Topology>(
    topology: &T,
    routes: Vec<Route>,
) -> Result<BTreeMap<PacketId, Route>, ScheduleError> {
    let mut serials: BTreeMap<TerminalId, u32> = BTreeMap::new();
    let number = |route: Route| {
        let source = topology.terminal_at(route.source, topology.local());
        let source = source.ok_or(ScheduleError::NoTerminal(route.source))?;
        let next = serials.entry(source).or_default();
        let serial = *next;
        *next += 1;
        Ok((PacketId { source, serial }, route))
    };
    routes.into_iter().map(number).collect()
}

impl Taken {
    /// Adds what a worm takes. Returns the cycles in which its head leaves nodes, and that in which its last word arrives.
    fn add<T: Topology>(
        &mut self,
        topology: &T,
        link_latency_cycles: u32,
        packet: PacketId,
        route: &Route,
    ) -> Result<(Box<[Cycle]>, Cycle), ScheduleError> {
        let mut node = route.source;
        // When the head is there. From its source it leaves when its route says.
        let mut ready = u64::from(route.start.get());
        let mut leaves = Vec::with_capacity(route.path.len());
        let words = u64::from(route.words);
        for (number, hop) in route.path.iter().enumerate() {
            let from = hop.cycle.map_or(ready, |cycle| cycle.get().into());
            let Some(next) = topology.neighbour(node, hop.port) else {
                return Err(ScheduleError::MissingLink {
                    packet,
                    hop: number,
                    node,
                    port: hop.port,
                });
            };
            if from < ready {
                return Err(ScheduleError::BeforeHead {
                    packet,
                    hop: number,
                    cycle: from,
                    ready,
                });
            }
            if from + words > Cycle::LAST.get().into() {
                return Err(ScheduleError::Late(packet));
            }
            let span = |from: u64, until: u64| Span {
                node,
                port: hop.port,
                from: Cycle(from as u32),
                until: Cycle(until as u32),
                packet,
            };
            if number > 0 && from > ready {
                self.waits.push(span(ready, from));
            }
            self.links.push(span(from, from + words));
            leaves.push(Cycle(from as u32));
            let own_cycles = topology.link_cycles(node, hop.port);
            ready = from + u64::from(own_cycles.unwrap_or(link_latency_cycles));
            node = next;
        }
        if ready + words > Cycle::LAST.get().into() {
            return Err(ScheduleError::Late(packet));
        }
        if node == route.source {
            return Err(ScheduleError::Home(packet));
        }
        let arrival = Cycle(ready as u32) + (u32::from(route.words) - 1);
        Ok((leaves.into(), arrival))
    }
}

/// Finds two spans that overlap.
fn find_collision(mut spans: Vec<Span>) -> Result<(), ScheduleError> {
    spans.sort_unstable_by_key(|span| (span.node, span.port.0, span.from, span.packet));
    // If no two neighbours in this order overlap, no two spans do.
    for pair in spans.windows(2) {
        let [one, next] = [pair[0], pair[1]];
        if (one.node, one.port) == (next.node, next.port) && next.from < one.until {
            return Err(ScheduleError::Collision {
                cycle: next.from,
                node: one.node,
                port: one.port,
                packets: [one.packet, next.packet],
            });
        }
    }
    Ok(())
}
