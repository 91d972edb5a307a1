//! A router with views and explanations of its own, held to them: a model that knows no router ([`crate::held`]) follows
//! what is reported and must hold what the node shows, and the step must do what was explained ([`crate::explained`]).

use crate::clause::{Clause, equal, holds};
use crate::explained::{Seen, stays};
use crate::frames::Frames;
use crate::held::{Held, check_links};
use crate::log::Report;
use flitwork_node::{
    Cause, Detail, Doing, Event, Explanation, Inputs, Place, Site, View, What, WordRouter,
};
use flitwork_topology::Topology;
use flitwork_types::{Cycle, NodeId, PacketId, Packets, TerminalId};
use std::collections::{BTreeMap, HashMap};
use std::sync::Mutex;

/// What a router shows and explains of its nodes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Shown {
    /// What its packets wait for: it leaves [`WordRouter::look`] as it is given, and its step doesn't tell why packets stay; or it
    /// is held to what it shows elsewhere.
    #[default]
    Waits,
    /// Every word and credit, and of each step who moves and who doesn't. Its nodes decide nothing.
    Moves,
    /// All of that, and the decision by which each packet moves.
    Decisions,
}

/// How often each cause and rule has been given.
#[derive(Debug, Default)]
pub(crate) struct Tally(Mutex<BTreeMap<&'static str, u64>>);

impl Tally {
    fn count(&self, what: &'static str) {
        *self.0.lock().unwrap().entry(what).or_default() += 1;
    }

    /// What has been counted.
    pub(crate) fn counted(&self) -> BTreeMap<&'static str, u64> {
        self.0.lock().unwrap().clone()
    }
}

/// What packets wait for nothing but time, where, and since when.
#[derive(Clone, Debug, Default)]
pub(crate) struct Waited(HashMap<(PacketId, Place), Cycle>);

/// What is kept of a node from step to step.
#[derive(Clone, Debug, Default)]
pub(crate) struct Known {
    /// What it holds, by what has been reported.
    held: Held,
    waited: Waited,
}

/// What was known before a step.
pub(crate) struct Before {
    view: View,
    told: Explanation,
    /// Where packets are to go, and their words.
    destinations: HashMap<PacketId, (TerminalId, u16)>,
}

/// A step that is over: its cycle, what was on its wires, and what was reported.
pub(crate) struct Over<'a> {
    pub(crate) now: Cycle,
    pub(crate) inputs: &'a Inputs<'a>,
    pub(crate) events: &'a [(Cycle, Event)],
    pub(crate) reports: &'a [Report],
}

/// A router that is held to what it shows and explains.
pub(crate) struct Described<'a, T, R> {
    pub(crate) router: &'a R,
    pub(crate) topology: &'a T,
    pub(crate) shown: Shown,
    pub(crate) tally: &'a Tally,
}

impl<T: Topology, R: WordRouter> Described<'_, T, R> {
    /// What is known of a node before the first cycle.
    pub(crate) fn at_first(&self, node: NodeId, state: &R::Node) -> Known {
        if self.shown == Shown::Waits {
            return Known::default();
        }
        let view = self.router.look(node, state, &Packets::new(), Cycle::ZERO);
        let (local, links) = (self.topology.local(), self.topology.links(node));
        let ports = (links, self.topology.ports_of(node));
        check_links(&view, ports, self.router.channels());
        let is_credited = !view.credits.is_empty() || links.is_empty();
        let has_credits = self.router.credit_words().is_some();
        equal!(
            Clause::Looks,
            is_credited,
            has_credits,
            "node {node} shows credits"
        );
        Known {
            held: Held::new(&view, local),
            waited: Waited::default(),
        }
    }

    /// Looks into a node before its step, and asks what it will do.
    pub(crate) fn before<P>(
        &self,
        site: &Site<'_, P>,
        (state, known): (&R::Node, &Known),
        now: Cycle,
        inputs: &Inputs<'_>,
    ) -> Option<Before> {
        if self.shown == Shown::Waits {
            return None;
        }
        let packets = &*site.packets;
        let view = self.router.look(site.node, state, packets, now);
        known.held.check(&view, (site.node, now, "before the step"));
        let all = packets.all();
        Some(Before {
            told: self.router.explain(site.node, state, now, inputs, packets),
            destinations: all
                .map(|packet| (packet.id, (packet.destination, packet.words)))
                .collect(),
            view,
        })
    }

    /// The step has done what was explained, and the node holds what is left.
    pub(crate) fn after<P>(
        &self,
        before: &Before,
        (state, known): (&R::Node, &mut Known),
        over: &Over<'_>,
        site: &Site<'_, P>,
    ) {
        let came = over.reports.iter().take_while(arrives).count();
        let (arrivals, later) = over.reports.split_at(came);
        arrivals.iter().for_each(|report| known.held.follow(report));
        let moved = over.events.iter().filter_map(|(_, event)| match *event {
            Event::Moved {
                packet,
                from,
                to,
                deroute,
            } => Some((packet, from, to, deroute)),
            _ => None,
        });
        let seen = Seen {
            topology: self.topology,
            node: site.node,
            now: over.now,
            view: &before.view,
            here: &known.held,
            sendable: over.inputs.sendable,
            moved: moved.collect(),
            destinations: &before.destinations,
        };
        seen.check_packets(&before.told, over.reports);
        self.check_frames(&seen, &before.told);
        seen.check_decisions(&before.told, self.shown == Shown::Decisions);
        self.check_patience(&before.told, over.now, &mut known.waited);
        self.count(&before.told);
        later.iter().for_each(|report| known.held.follow(report));
        let packets = &*site.packets;
        let next = over.now + 1;
        let view = self.router.look(site.node, state, packets, next);
        let after = (site.node, over.now, "after the step");
        known.held.check(&view, after);
    }

    /// What is said of packets in nodes with output frames is so.
    fn check_frames(&self, seen: &Seen<'_, T>, told: &Explanation) {
        let delivery = Place::Output(self.topology.local());
        if seen.view.buffer(delivery).is_none() {
            return;
        }
        let frames = Frames {
            topology: self.topology,
            node: seen.node,
            view: seen.view,
        };
        for doing in &told.packets {
            frames.check(doing, seen.goal(doing.packet).0);
        }
    }

    /// What waits for nothing but the time that a stage takes, or until it has stalled, doesn't do so for longer than
    /// anything that is held by time alone.
    fn check_patience(&self, told: &Explanation, now: Cycle, waited: &mut Waited) {
        let patient = told.packets.iter().filter(|doing| {
            let causes = [Cause::Pipeline, Cause::StallRule];
            causes.iter().any(|cause| stays(doing) == Some(*cause))
        });
        let since = |doing: &Doing| {
            let key = (doing.packet, doing.place);
            (key, waited.0.get(&key).copied().unwrap_or(now))
        };
        let since: HashMap<_, _> = patient.map(since).collect();
        for ((packet, place), since) in &since {
            let patience = self.router.patience_cycles();
            let cycles = now.since(*since);
            holds!(
                Clause::Explains,
                cycles <= patience,
                "{packet:?} waits at {place:?} for {cycles} cycles, with a patience of {patience}"
            );
        }
        waited.0 = since;
    }

    /// Counts causes and rules.
    fn count(&self, told: &Explanation) {
        for doing in &told.packets {
            if let What::Stays { cause, .. } = doing.what {
                self.tally.count(cause.name());
            }
        }
        let decisions = told.decisions.iter();
        decisions.for_each(|decision| self.tally.count(decision.rule.name));
    }
}

/// Whether it says what is on the node's wires at the beginning of a cycle.
fn arrives(report: &&Report) -> bool {
    let Report::Detail(detail) = report else {
        return false;
    };
    matches!(detail, Detail::Arrived(_) | Detail::Credited { .. })
}
