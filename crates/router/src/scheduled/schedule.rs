//! A schedule of worms that never stop, and what makes one valid.
//!
//! A worm of k words that starts in cycle t has its word j on the link of its hop h in cycle
//! t + h * latency + j. So a worm takes each link of its path for k cycles in a row, and a schedule is valid
//! if no two of these spans overlap on a link (Roberts and Symvonis 1994, section 2.1).

use super::Route;
use flitwork_topology::Topology;
use flitwork_types::{Cycle, NodeId, PacketId, Port};
use std::collections::BTreeMap;
use std::fmt;

/// A schedule that has been checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schedule {
    /// Routes, and the cycles in which their last words arrive.
    routes: BTreeMap<PacketId, (Route, Cycle)>,
}

/// Why a schedule can't be run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ScheduleError {
    /// A worm without words, or a path of no hops or of more than 65,535.
    Empty(PacketId),
    /// A path through a port without a link.
    MissingLink {
        /// Whose path it is.
        packet: PacketId,
        /// Which hop of it, from 0.
        hop: usize,
        /// The node that the hop leaves.
        node: NodeId,
        /// The port.
        port: Port,
    },
    /// A worm that starts before its head has come from its source, after the packets before it.
    Early {
        /// The worm's packet.
        packet: PacketId,
        /// Its start.
        start: Cycle,
        /// The first cycle in which its head has come.
        earliest: Cycle,
    },
    /// A worm that is still under way after the last cycle that a run may have.
    Late(PacketId),
    /// Two words on one link in one cycle.
    Collision {
        /// The first cycle in which they meet.
        cycle: Cycle,
        /// The node that the link leaves.
        node: NodeId,
        /// The port by which it leaves.
        port: Port,
        /// The packets of these words; twice the same for a worm that collides with itself.
        packets: [PacketId; 2],
    },
}

impl fmt::Display for ScheduleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = |packet: &PacketId| format!("packet {}.{}", packet.source, packet.serial);
        match self {
            ScheduleError::Empty(packet) => write!(
                f,
                "{} has no words, or a path that has not 1 to {} hops",
                name(packet),
                u16::MAX
            ),
            ScheduleError::MissingLink {
                packet,
                hop,
                node,
                port,
            } => write!(
                f,
                "hop {hop} of {}: node {node} has no link at port {}",
                name(packet),
                port.0
            ),
            ScheduleError::Early {
                packet,
                start,
                earliest,
            } => write!(
                f,
                "{} starts in cycle {start}, before it has come from its source; the earliest is {earliest}",
                name(packet)
            ),
            ScheduleError::Late(packet) => write!(
                f,
                "{} is still under way after cycle {}, the last of a run",
                name(packet),
                Cycle::LAST
            ),
            ScheduleError::Collision {
                cycle,
                node,
                port,
                packets,
            } => write!(
                f,
                "{} and {} both need the link of node {node} at port {} in cycle {cycle}",
                name(&packets[0]),
                name(&packets[1]),
                port.0
            ),
        }
    }
}

impl std::error::Error for ScheduleError {}

/// Cycles in which a worm holds a link: from the first, before the second.
#[derive(Clone, Copy, Debug)]
struct Span {
    node: NodeId,
    port: Port,
    from: u64,
    until: u64,
    packet: PacketId,
}

impl Schedule {
    /// Checks a schedule on a topology whose links take `link_latency_cycles` unless they have latencies of
    /// their own.
    ///
    /// # Errors
    /// The first obstacle: in a route, by the order of their packets, otherwise the first collision at the
    /// lowest node and port.
    pub fn new<T: Topology>(
        topology: &T,
        link_latency_cycles: u32,
        routes: Vec<Route>,
    ) -> Result<Schedule, ScheduleError> {
        let mut planned = BTreeMap::new();
        let mut spans = Vec::new();
        let mut earliest = Cycle::ZERO;
        for (packet, route) in numbered(routes) {
            if packet.serial == 0 {
                earliest = Cycle::ZERO;
            }
            if route.words == 0 || route.path.is_empty() || route.path.len() > u16::MAX.into() {
                return Err(ScheduleError::Empty(packet));
            }
            if route.start < earliest {
                return Err(ScheduleError::Early {
                    packet,
                    start: route.start,
                    earliest,
                });
            }
            earliest += route.words.into();
            let arrival = add_spans(&mut spans, topology, link_latency_cycles, packet, &route)?;
            planned.insert(packet, (route, arrival));
        }
        find_collision(spans)?;
        Ok(Schedule { routes: planned })
    }

    /// The route of a packet, if it has one.
    #[inline]
    pub fn route(&self, packet: PacketId) -> Option<&Route> {
        self.routes.get(&packet).map(|(route, _)| route)
    }

    /// All packets and their routes.
    pub fn routes(&self) -> impl Iterator<Item = (PacketId, &Route)> {
        let routes = self.routes.iter();
        routes.map(|(packet, (route, _))| (*packet, route))
    }

    /// The cycle in which a packet's last word arrives, if it has a route.
    pub fn arrival(&self, packet: PacketId) -> Option<Cycle> {
        self.routes.get(&packet).map(|(_, arrival)| *arrival)
    }

    /// The cycle in which the very last word arrives: the schedule's length.
    pub fn last_arrival(&self) -> Cycle {
        let arrivals = self.routes.values().map(|(_, arrival)| *arrival);
        arrivals.max().unwrap_or(Cycle::ZERO)
    }
}

/// Routes by packet.
fn numbered(routes: Vec<Route>) -> BTreeMap<PacketId, Route> {
    let mut serials: BTreeMap<NodeId, u32> = BTreeMap::new();
    let number = |route: Route| {
        let serial = serials.entry(route.source).or_default();
        let packet = PacketId {
            source: route.source,
            serial: *serial,
        };
        *serial += 1;
        (packet, route)
    };
    routes.into_iter().map(number).collect()
}

/// Adds the spans during which a worm holds its links, and returns the cycle in which its last word arrives.
fn add_spans<T: Topology>(
    spans: &mut Vec<Span>,
    topology: &T,
    link_latency_cycles: u32,
    packet: PacketId,
    route: &Route,
) -> Result<Cycle, ScheduleError> {
    let mut node = route.source;
    let mut from = u64::from(route.start.get());
    for (hop, port) in route.path.iter().copied().enumerate() {
        let Some(next) = topology.neighbour(node, port) else {
            return Err(ScheduleError::MissingLink {
                packet,
                hop,
                node,
                port,
            });
        };
        spans.push(Span {
            node,
            port,
            from,
            until: from + u64::from(route.words),
            packet,
        });
        let own_cycles = topology.link_cycles(node, port);
        from += u64::from(own_cycles.unwrap_or(link_latency_cycles));
        node = next;
    }
    if from + u64::from(route.words) > Cycle::LAST.get().into() {
        return Err(ScheduleError::Late(packet));
    }
    Ok(Cycle(from as u32) + (u32::from(route.words) - 1))
}

/// Finds two spans that overlap.
fn find_collision(mut spans: Vec<Span>) -> Result<(), ScheduleError> {
    spans.sort_unstable_by_key(|span| (span.node, span.port.0, span.from, span.packet));
    // If no two neighbours in this order overlap, no two spans do.
    for pair in spans.windows(2) {
        let [one, next] = [pair[0], pair[1]];
        if (one.node, one.port) == (next.node, next.port) && next.from < one.until {
            return Err(ScheduleError::Collision {
                cycle: Cycle(next.from as u32),
                node: one.node,
                port: one.port,
                packets: [one.packet, next.packet],
            });
        }
    }
    Ok(())
}
