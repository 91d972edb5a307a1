//! What a schedule says of each packet, and whether no two are in each other's way.

use flitwork_topology::Topology;
use flitwork_types::{NodeId, Port};
use std::ops::Range;

/// A packet, or a worm, to be scheduled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Request {
    /// Where it begins.
    pub source: NodeId,
    /// Where it goes.
    pub destination: NodeId,
    /// Its length in words, at least 1: each link carries one a step.
    pub words: u32,
}

impl Request {
    /// The first of its ends that isn't one of so many nodes.
    pub(crate) fn beyond(&self, nodes: u32) -> Option<NodeId> {
        let mut ends = [self.source, self.destination].into_iter();
        ends.find(|node| node.0 >= nodes)
    }
}

/// A link that a packet crosses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Hop {
    /// The port by which it leaves.
    pub port: Port,
    /// The step, from 0, in which its first word is on the link.
    pub step: u32,
}

/// The way of a packet.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// The links, in their order.
    pub hops: Vec<Hop>,
}

impl Plan {
    /// The steps until the last word is there: 0 for a packet that stays where it is.
    pub fn end(&self, words: u32) -> u32 {
        self.hops.last().map_or(0, |hop| hop.step + words)
    }
}

/// The length of a schedule: the steps until the last word is where it goes.
pub fn makespan(requests: &[Request], plans: &[Plan]) -> u32 {
    let all = requests.iter().zip(plans);
    all.map(|(request, plan)| plan.end(request.words))
        .max()
        .unwrap_or(0)
}

/// The most packets that wait in one node in one step, as [`check`] counts them. Hops without a link lead nowhere.
pub fn waiting(topology: &impl Topology, requests: &[Request], plans: &[Plan]) -> usize {
    let mut waits = Waits::default();
    for (request, plan) in requests.iter().zip(plans) {
        let (mut at, mut ready) = (request.source, None);
        for hop in &plan.hops {
            waits.add(at, ready.unwrap_or(hop.step)..hop.step);
            at = topology.neighbour(at, hop.port).unwrap_or(at);
            ready = Some(hop.step + 1);
        }
    }
    waits.most()
}

/// When packets begin and end to wait in places, such as nodes.
#[derive(Default)]
pub(crate) struct Waits<P>(Vec<(P, u32, i64)>);

impl<P: Copy + Ord> Waits<P> {
    /// A packet waits in a place in these steps.
    pub(crate) fn add(&mut self, place: P, steps: Range<u32>) {
        if steps.start < steps.end {
            let (begin, end) = ((place, steps.start, 1), (place, steps.end, -1));
            self.0.extend([begin, end]);
        }
    }

    /// The most packets that wait in one place in one step.
    pub(crate) fn most(self) -> usize {
        let counts = self.counts().into_iter();
        counts.map(|(_, _, packets)| packets).max().unwrap_or(0)
    }

    /// The places and the steps from which on another number of packets waits there, and that number.
    fn counts(mut self) -> Vec<(P, u32, usize)> {
        self.0.sort_unstable();
        let changes = self
            .0
            .chunk_by(|one, other| (one.0, one.1) == (other.0, other.1));
        // A place's waits end in its last step.
        let mut packets = 0;
        let counts = changes.map(|at| {
            packets += at.iter().map(|(_, _, change)| change).sum::<i64>();
            (at[0].0, at[0].1, packets as usize)
        });
        counts.collect()
    }
}

/// Why plans aren't a schedule.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Clash {
    /// Not one plan for each request.
    #[error("{plans} plans for {requests} packets")]
    Count {
        /// The requests.
        requests: usize,
        /// The plans.
        plans: usize,
    },
    /// A hop through a port without a link.
    #[error("hop {hop} of packet {packet} has no link")]
    NoLink {
        /// The request's place.
        packet: usize,
        /// The hop's.
        hop: usize,
    },
    /// A hop before the one before it is over, so that its first word isn't there yet.
    #[error("hop {hop} of packet {packet} begins too early")]
    Early {
        /// The request's place.
        packet: usize,
        /// The hop's.
        hop: usize,
    },
    /// A way that ends somewhere else.
    #[error("packet {packet} ends in node {at}")]
    Astray {
        /// The request's place.
        packet: usize,
        /// Where its way ends.
        at: NodeId,
    },
    /// Two words on a link in one step.
    #[error("packets {} and {} both need port {} of node {node} in step {step}", .packets[0], .packets[1], .port.0)]
    Link {
        /// The requests' places.
        packets: [usize; 2],
        /// The node that the link leaves.
        node: NodeId,
        /// Its port.
        port: Port,
        /// The step.
        step: u32,
    },
    /// More packets wait in a node than may.
    #[error("{packets} packets wait in node {node} in step {step}")]
    Waiting {
        /// The node.
        node: NodeId,
        /// The step.
        step: u32,
        /// How many wait.
        packets: usize,
    },
}

/// Checks plans by themselves: each leads along links from its source to its destination, no link carries two words in one
/// step, and in no node more than `waiting` packets that have left their sources wait for their next hop.
///
/// A word that crosses a link in a step is at its far end as the next step begins. A packet waits in a node from the step in
/// which its first word could go on until it does, each step counting as one. Worms don't wait between their words.
///
/// # Errors
/// The first [`Clash`].
pub fn check(
    topology: &impl Topology,
    requests: &[Request],
    plans: &[Plan],
    waiting: usize,
) -> Result<(), Clash> {
    if requests.len() != plans.len() {
        return Err(Clash::Count {
            requests: requests.len(),
            plans: plans.len(),
        });
    }
    let mut spans = Vec::new();
    let mut waits = Waits::default();
    for (packet, (request, plan)) in requests.iter().zip(plans).enumerate() {
        let (mut at, mut ready) = (request.source, 0);
        for (number, hop) in plan.hops.iter().enumerate() {
            if hop.step < ready {
                return Err(Clash::Early {
                    packet,
                    hop: number,
                });
            }
            let Some((far, _)) = topology.far(at, hop.port) else {
                return Err(Clash::NoLink {
                    packet,
                    hop: number,
                });
            };
            if number > 0 {
                waits.add(at, ready..hop.step);
            }
            spans.push((at, hop.port, hop.step, hop.step + request.words, packet));
            (at, ready) = (far, hop.step + 1);
        }
        if at != request.destination {
            return Err(Clash::Astray { packet, at });
        }
    }
    spans.sort_unstable();
    for pair in spans.windows(2) {
        let [(node, port, _, until, one), (next, its, step, _, other)] = [pair[0], pair[1]];
        if (node, port) == (next, its) && step < until {
            return Err(Clash::Link {
                packets: [one, other],
                node,
                port,
                step,
            });
        }
    }
    let mut counts = waits.counts().into_iter();
    match counts.find(|(_, _, packets)| *packets > waiting) {
        Some((node, step, packets)) => Err(Clash::Waiting {
            node,
            step,
            packets,
        }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flitwork_topology::Grid;

    fn hops(ports: &[(u8, u32)]) -> Plan {
        let hops = ports.iter();
        Plan {
            hops: hops
                .map(|(port, step)| Hop {
                    port: Port(*port),
                    step: *step,
                })
                .collect(),
        }
    }

    /// On a mesh of 2 x 2 (ports north, east, south, west), two packets to the node opposite.
    #[test]
    fn what_clashes_is_found() {
        let mesh = Grid::mesh(&[2, 2]).unwrap();
        let request = |from, to| Request {
            source: NodeId(from),
            destination: NodeId(to),
            words: 1,
        };
        let requests = [request(0, 3), request(1, 3)];
        let good = [hops(&[(1, 0), (2, 1)]), hops(&[(2, 0)])];
        assert_eq!(check(&mesh, &requests, &good, 0), Ok(()));
        assert_eq!(makespan(&requests, &good), 2);
        let late = [hops(&[(1, 0), (2, 2)]), hops(&[(2, 1)])];
        assert_eq!(check(&mesh, &requests, &late, 1), Ok(()));
        assert_eq!(waiting(&mesh, &requests, &late), 1);
        assert_eq!(waiting(&mesh, &requests, &good), 0);
        // Both are held back at their sources, one for seven steps: nobody waits on the way.
        let held_back = [hops(&[(1, 7), (2, 8)]), hops(&[(2, 5)])];
        assert_eq!(waiting(&mesh, &requests, &held_back), 0);
        // In node 1 one waits until the other comes, and then both, of which the second longer.
        let both = [request(0, 3), request(0, 3)];
        let one = hops(&[(1, 0), (2, 3)]);
        let other = hops(&[(1, 1), (2, 5)]);
        let plans = [one, other];
        assert_eq!(waiting(&mesh, &both, &plans), 2);
        let crowd = Clash::Waiting {
            node: NodeId(1),
            step: 2,
            packets: 2,
        };
        assert_eq!(check(&mesh, &both, &plans, 1), Err(crowd));
        let one_after_the_other = [hops(&[(1, 0), (2, 2)]), hops(&[(1, 1), (2, 3)])];
        assert_eq!(waiting(&mesh, &both, &one_after_the_other), 1);
        let failed = |plans: &[Plan], waiting| check(&mesh, &requests, plans, waiting).unwrap_err();
        assert!(matches!(
            failed(&late, 0),
            Clash::Waiting {
                packets: 1,
                step: 1,
                ..
            }
        ));
        let meet = [hops(&[(1, 0), (2, 1)]), hops(&[(2, 1)])];
        assert!(matches!(failed(&meet, 9), Clash::Link { step: 1, .. }));
        let early = [hops(&[(1, 1), (2, 1)]), hops(&[(2, 0)])];
        assert!(matches!(failed(&early, 9), Clash::Early { hop: 1, .. }));
        let off = [hops(&[(0, 0)]), hops(&[(2, 0)])];
        assert!(matches!(failed(&off, 9), Clash::NoLink { .. }));
        let short = [hops(&[(1, 0)]), hops(&[(2, 0)])];
        assert!(matches!(failed(&short, 9), Clash::Astray { .. }));
        assert!(matches!(failed(&good[..1], 9), Clash::Count { .. }));
    }
}
