//! Schedules made before a run, played by the hardware for them: the run is the proof.

#[cfg(test)]
mod tests;

use crate::Failed;
use flitwork_engine::{Clocked, Ended, Engine, EventDriven, Plain};
use flitwork_network::{Clock, Clocks, Demand, LinkTiming, Network, Periodic};
use flitwork_node::{Event, Probe};
use flitwork_router::scheduled::{Hop, Route, Schedule, ScheduleFile, Scheduled};
use flitwork_schedule::{Plan, Request, waiting};
use flitwork_topology::Topology;
use flitwork_trace::Digest;
use flitwork_traffic::{Once, StaticPacket};
use flitwork_types::{Cycle, NodeId};
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::Arc;

/// Plans as routes of the scheduled router, with a step for each cycle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Playable {
    routes: Vec<Route>,
    /// Each packet's source, destination and words, in the order of the routes.
    packets: Vec<(NodeId, NodeId, u16)>,
    /// The cycle of step 0.
    lead: u32,
    /// The most packets that wait in a node.
    waiting: u32,
}

/// Why plans can't be played.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unplayable {
    /// A worm with more words than a packet may have.
    #[error(
        "packet {packet} has {words} words; the scheduled router's have at most {}",
        u16::MAX
    )]
    Words {
        /// The request's place.
        packet: usize,
        /// Its words.
        words: u32,
    },
    /// A path that leads back to its source.
    #[error("packet {packet} goes back to its source; no source sends to itself")]
    Home {
        /// The request's place.
        packet: usize,
    },
}

/// What a played schedule came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Played {
    /// The engine, by what users call it.
    pub engine: &'static str,
    /// The steps until the last word was delivered.
    pub makespan: u32,
    /// The packets that were.
    pub delivered: usize,
    /// The digest of all events.
    pub digest: Digest,
}

impl Playable {
    /// Routes of plans. Packets that stay where they are have none.
    ///
    /// A source sends its packets one after the other, a word a cycle. Where it would be late for the plans of several packets,
    /// all of them begin later by the same cycles.
    ///
    /// # Errors
    /// An [`Unplayable`] for what no packet of the router can do.
    pub fn new(
        topology: &impl Topology,
        requests: &[Request],
        plans: &[Plan],
    ) -> Result<Playable, Unplayable> {
        let mut by_source: BTreeMap<(NodeId, u32, usize), (&Request, &Plan)> = BTreeMap::new();
        for (packet, (request, plan)) in requests.iter().zip(plans).enumerate() {
            let Some(first) = plan.hops.first() else {
                continue;
            };
            if request.words > u16::MAX.into() {
                let words = request.words;
                return Err(Unplayable::Words { packet, words });
            }
            if request.source == request.destination {
                return Err(Unplayable::Home { packet });
            }
            by_source.insert((request.source, first.step, packet), (request, plan));
        }
        let (mut lead, mut came, mut last) = (0, 0, None);
        for ((source, step, _), (request, _)) in &by_source {
            if last.replace(*source) != Some(*source) {
                came = 0;
            }
            lead = lead.max(u32::saturating_sub(came, *step));
            came += request.words;
        }
        let packets = by_source.values().map(|(request, plan)| {
            let ends = (request.source, request.destination, request.words as u16);
            (route(request, plan, lead), ends)
        });
        let (routes, packets) = packets.unzip();
        Ok(Playable {
            routes,
            packets,
            lead,
            waiting: waiting(topology, requests, plans) as u32,
        })
    }

    /// The cycle of step 0.
    pub fn lead(&self) -> u32 {
        self.lead
    }

    /// The text of a schedule's file.
    pub fn text(&self, topology: &impl Topology) -> String {
        ScheduleFile::text(topology, &self.routes)
    }

    /// The packets between the terminals of their nodes.
    fn between_terminals(&self, topology: &impl Topology) -> Result<Vec<StaticPacket>, Failed> {
        let terminal = |node: NodeId| {
            let terminal = topology.terminal_at(node, topology.local());
            terminal.ok_or_else(|| Failed::failure(format!("node {node} is not a terminal")))
        };
        let packets = self.packets.iter();
        packets
            .map(|(from, to, words)| Ok((terminal(*from)?, terminal(*to)?, *words)))
            .collect()
    }

    /// Plays the schedule on every engine with one clock. The clocked one wants links that go both ways.
    ///
    /// # Errors
    /// [`Failed`] if the router refuses the schedule, or the network doesn't deliver it all.
    pub fn play<T: Topology + Clone + 'static>(&self, topology: &T) -> Result<Vec<Played>, Failed> {
        let schedule = Schedule::new(topology, 1, self.waiting, self.routes.clone());
        let schedule = schedule.map_err(Failed::failure)?;
        let end = schedule.last_arrival() + 2;
        let router = Scheduled::new(topology.clone(), schedule);
        let network = Arc::new(Network::new(topology.clone(), router, 1));
        let packets = self.between_terminals(&network.topology)?;
        let demand = || Demand::until(Box::new(Once::of_packets(packets.clone())), end);
        let clocks = one_clock(topology.nodes());
        let probe = <(Digest, Arrivals)>::default;
        let awake = EventDriven::new(network.clone(), demand(), probe());
        let plain = Plain::new(network.clone(), demand(), probe(), 1);
        let mut engines: Vec<(_, Box<dyn Engine<Probe = _>>)> =
            vec![("sync", Box::new(awake)), ("sync-plain", Box::new(plain))];
        if goes_both_ways(topology) {
            let clocked = Clocked::new(network, clocks, demand(), probe(), 1);
            engines.push(("clocked", Box::new(clocked)));
        }
        let played = engines.into_iter().map(|(engine, run)| match ran(run) {
            Some((digest, arrivals)) => Ok(Played {
                engine,
                makespan: arrivals.last.since(Cycle(self.lead)),
                delivered: arrivals.delivered,
                digest,
            }),
            None => Err(Failed::failure(format!(
                "{engine} doesn't deliver all packets"
            ))),
        });
        played.collect()
    }
}

/// Counts deliveries.
#[derive(Clone, Copy, Debug, Default)]
struct Arrivals {
    delivered: usize,
    last: Cycle,
}

impl Probe for Arrivals {
    fn event(&mut self, _: NodeId, cycle: Cycle, event: Event) {
        if matches!(event, Event::Delivered { .. }) {
            self.delivered += 1;
            self.last = self.last.max(cycle);
        }
    }
}

fn ran<P>(mut engine: Box<dyn Engine<Probe = P>>) -> Option<P> {
    let outcome = engine.run(&mut |_| ControlFlow::Continue(()));
    (outcome.ended == Ended::Empty).then(|| engine.into_probe())
}

/// Whether each link leads back by the port at which it ends.
fn goes_both_ways(topology: &impl Topology) -> bool {
    let mut nodes = (0..topology.nodes()).map(NodeId);
    nodes.all(|node| {
        let mut ports = topology.links(node).iter();
        ports.all(|port| {
            let far = topology.far(node, port);
            far.and_then(|(far, back)| topology.far(far, back)) == Some((node, port))
        })
    })
}

/// A clock for all nodes, with links of one cycle.
fn one_clock(nodes: u32) -> Clocks {
    const PERIOD_PS: u64 = 1000;
    Clocks {
        nominal_ps: PERIOD_PS,
        domains: vec![Clock::Periodic(Periodic::new(PERIOD_PS, 0))],
        domain_of: vec![0; nodes as usize],
        // The sender knows that a word was taken two cycles after it has sent it.
        links: LinkTiming::wires(PERIOD_PS, 3, 2),
        seed: 1,
    }
}

/// A packet's route. A hop names its cycle where the packet waits for it.
fn route(request: &Request, plan: &Plan, lead: u32) -> Route {
    let start = plan.hops[0].step;
    let mut ready = start;
    let hop = |hop: &flitwork_schedule::Hop| {
        let waits = hop.step > ready;
        ready = hop.step + 1;
        Hop {
            port: hop.port,
            cycle: waits.then_some(Cycle(hop.step + lead)),
        }
    };
    Route {
        source: request.source,
        words: request.words as u16,
        start: Cycle(start + lead),
        path: plan.hops.iter().map(hop).collect(),
    }
}
