//! The contract of a step ([`WordRouter::step`]), verified for any router from outside: a checker around each node compares
//! what is reported with what is on the node's wires. Before each step the node is looked into and asked what the step
//! will do, if the router [describes](crate::described) itself.

use crate::clause::{Clause, equal, holds};
use crate::described::{Described, Known, Over, Shown, Tally};
use crate::log::{Log, packet_of};
use crate::stand::Stand;
use flitwork_node::{
    Event, Explanation, Inputs, Outputs, Place, Probe, Router, Site, View, Wait, WordRouter,
    step_in_detail,
};
use flitwork_topology::Topology;
use flitwork_types::{Cycle, Due, NodeId, Packet, PacketId, Packets, Port, PortSet, Word};
use std::collections::{BTreeMap, HashSet};

/// A router whose nodes are checked in every step.
pub(crate) struct Checked<T, R> {
    pub(crate) router: R,
    pub(crate) topology: T,
    /// Whether it has frames of whole packets, and reports the credits of each; `None` if both are possible.
    pub(crate) frees: Option<bool>,
    pub(crate) shown: Shown,
    /// What has been explained.
    pub(crate) tally: Tally,
    pub(crate) stand: Stand,
}

/// A node, and the state of its source.
#[derive(Clone)]
pub(crate) struct Kept<N> {
    node: N,
    /// What is known of it, if the router describes itself.
    known: Known,
    /// The words that have come and neither left nor been delivered.
    here: HashSet<(PacketId, u16)>,
    /// By local port: the remaining words of the packet that must be complete before its source may send another.
    sending: BTreeMap<Port, u16>,
    /// Whether it is settled, so that no credit may be on its way to it.
    settled: bool,
}

impl<T: Topology, R: WordRouter> Router for Checked<T, R> {
    type Node = Kept<R::Node>;

    fn nodes(&self) -> Vec<Self::Node> {
        let nodes = (0..).map(NodeId).zip(self.router.nodes());
        let kept = |(id, node): (NodeId, R::Node)| {
            self.stand.set(id, Cycle::ZERO);
            Kept {
                known: self.described().at_first(id, &node),
                here: HashSet::new(),
                node,
                sending: BTreeMap::new(),
                settled: false,
            }
        };
        nodes.map(kept).collect()
    }

    fn waits(&self, node: NodeId, state: &Self::Node, packets: &Packets, now: Cycle) -> Vec<Wait> {
        self.router.waits(node, &state.node, packets, now)
    }

    fn packet_words(&self) -> Option<u16> {
        self.router.packet_words()
    }

    fn channels(&self) -> u8 {
        self.router.channels()
    }

    fn credit_words(&self) -> Option<u32> {
        self.router.credit_words()
    }

    fn returned(&self, credit: u8) -> [(u8, u8); 2] {
        self.router.returned(credit)
    }

    fn takes_half_duplex(&self) -> bool {
        self.router.takes_half_duplex()
    }
}

impl<T: Topology, R: WordRouter> WordRouter for Checked<T, R> {
    fn is_idle(&self, state: &Self::Node) -> bool {
        self.router.is_idle(&state.node)
    }

    fn is_settled(&self, state: &Self::Node) -> bool {
        self.router.is_settled(&state.node)
    }

    fn next_step(&self, state: &Self::Node, now: Cycle) -> Due {
        self.router.next_step(&state.node, now)
    }

    fn next_step_over(&self, state: &Self::Node, now: Cycle, sendable: PortSet) -> Due {
        self.router.next_step_over(&state.node, now, sendable)
    }

    fn patience_cycles(&self) -> u32 {
        self.router.patience_cycles()
    }

    fn look(&self, node: NodeId, state: &Self::Node, packets: &Packets, now: Cycle) -> View {
        self.router.look(node, &state.node, packets, now)
    }

    fn explain(
        &self,
        node: NodeId,
        state: &Self::Node,
        now: Cycle,
        inputs: &Inputs<'_>,
        packets: &Packets,
    ) -> Explanation {
        self.router.explain(node, &state.node, now, inputs, packets)
    }

    fn step<P: Probe>(
        &self,
        state: &mut Self::Node,
        now: Cycle,
        inputs: &Inputs<'_>,
        outputs: &mut Outputs<'_>,
        site: &mut Site<'_, P>,
    ) {
        let node = site.node;
        self.stand.set(node, now);
        let came = self.check_inputs(state, inputs, site);
        let described = self.described();
        let before = described.before(site, (&state.node, &state.known), now, inputs);
        let mut log = Log::new(&mut *site.probe);
        let mut inner = Site::new(node, &mut *site.packets, &mut log);
        let router = &self.router;
        step_in_detail(router, &mut state.node, now, inputs, outputs, &mut inner);
        // Events have their own places: a delivery may lie one cycle later.
        self.stand.set(node, now);
        self.check_wires(node, now, inputs, outputs, &log);
        self.check_words(state, node, &log);
        self.check_events(node, now, &came, &log);
        let (events, reports) = (log.events, log.reports);
        if let Some(before) = before {
            let over = Over {
                now,
                inputs,
                events: &events,
                reports: &reports,
            };
            described.after(&before, (&state.node, &mut state.known), &over, site);
        }
        for port in PortSet(outputs.credits.0 & self.topology.local_ports().0).iter() {
            equal!(
                Clause::Source,
                state.sending.remove(&port),
                Some(0),
                "words of its packet that the source has still to send"
            );
        }
        state.settled = self.router.is_settled(&state.node);
    }
}

impl<T: Topology, R: WordRouter> Checked<T, R> {
    fn described(&self) -> Described<'_, T, R> {
        Described {
            router: &self.router,
            topology: &self.topology,
            shown: self.shown,
            tally: &self.tally,
        }
    }

    /// What comes may come. Returns the sources' words and their packets.
    fn check_inputs<P>(
        &self,
        state: &mut Kept<R::Node>,
        inputs: &Inputs<'_>,
        site: &Site<'_, P>,
    ) -> Vec<(Packet, Word)> {
        let node = site.node;
        let credits = inputs.credits;
        holds!(
            Clause::Settled,
            credits.is_empty() || !state.settled,
            "a credit at {credits:?} of node {node}"
        );
        for (_, word) in inputs.arrivals() {
            state
                .here
                .insert((site.packets[word.packet].id, word.index));
        }
        let mut all = Vec::new();
        let came = inputs.arrivals();
        for (port, word) in came.filter(|(port, _)| self.topology.is_local(*port)) {
            let packet = site.packets[word.packet];
            let sending = state.sending.get(&port).copied();
            let left = match (sending, word.flit.is_head()) {
                (None, true) => packet.words - 1,
                (Some(words), false) => words - 1,
                _ => Clause::Source.broken(format_args!(
                    "node {node}: the source at {port:?} sent {word:?} with {sending:?} words of its packet to come"
                )),
            };
            state.sending.insert(port, left);
            let source = self.topology.source_at(node, port);
            equal!(
                Clause::Source,
                source,
                Some(packet.id.source),
                "source of {packet:?}"
            );
            all.push((packet, word));
        }
        all
    }

    /// What leaves has come, and leaves once.
    fn check_words<P>(&self, state: &mut Kept<R::Node>, node: NodeId, log: &Log<'_, P>) {
        for (_, port, packet, word) in &log.words {
            let was_here = state.here.remove(&(*packet, word.index));
            holds!(
                Clause::Words,
                was_here,
                "{word:?} of {packet:?} leaves node {node} at {port:?} and isn't there"
            );
        }
        for (_, event) in &log.events {
            if let Event::Delivered { packet } = event {
                state.here.retain(|(of, _)| *of != packet.id);
            }
        }
    }

    /// What leaves is reported as it is, and nothing else.
    fn check_wires<P>(
        &self,
        node: NodeId,
        now: Cycle,
        inputs: &Inputs<'_>,
        outputs: &Outputs<'_>,
        log: &Log<'_, P>,
    ) {
        let local = self.topology.local_ports();
        let takes = self.topology.links(node).0 & inputs.sendable.0 | local.0;
        let over_none = PortSet(outputs.sent.0 & !takes);
        holds!(
            Clause::Wires,
            over_none.is_empty(),
            "node {node} sends at {over_none:?}, and only {:?} take a word",
            PortSet(takes)
        );
        let reported = log.words.iter().map(|(cycle, port, _, word)| {
            equal!(
                Clause::Reports,
                *cycle,
                now,
                "cycle of {word:?} at node {node}"
            );
            (*port, *word)
        });
        let mut reported: Vec<(Port, Word)> = reported.collect();
        reported.sort_by_key(|(port, _)| *port);
        let sent = outputs.sent.iter();
        let sent: Vec<_> = sent
            .map(|port| (port, outputs.words[port.index()]))
            .collect();
        equal!(
            Clause::Reports,
            reported,
            sent,
            "words that leave node {node}"
        );
        let heads = log.picked(now, |event| match event {
            Event::Head { packet, port } => Some((*port, *packet)),
            _ => None,
        });
        let sent = log.words_that(|word| word.flit.is_head());
        equal!(Clause::Reports, heads, sent, "heads that leave node {node}");
        let tails = log.picked(now, |event| match event {
            Event::Tail { packet, port, .. } => Some((*port, *packet)),
            _ => None,
        });
        let sent = log.words_that(|word| word.flit.is_tail());
        equal!(Clause::Reports, tails, sent, "tails that leave node {node}");
        let freed = log.picked(now, |event| match event {
            Event::Freed { port } => Some(*port),
            _ => None,
        });
        let credits: Vec<Port> = match self.frees.unwrap_or(!freed.is_empty()) {
            true => outputs.credits.iter().collect(),
            false => Vec::new(),
        };
        equal!(
            Clause::Reports,
            freed,
            credits,
            "frames that node {node} frees"
        );
    }

    /// Events are reported in their cycles and in order.
    fn check_events<P>(&self, node: NodeId, now: Cycle, came: &[(Packet, Word)], log: &Log<'_, P>) {
        let injected = log.picked(now, |event| match event {
            Event::Injected { packet } => Some(packet.id),
            _ => None,
        });
        let head = came.iter().filter(|(_, word)| word.flit.is_head());
        let head: Vec<PacketId> = head.map(|(packet, _)| packet.id).collect();
        equal!(
            Clause::Events,
            injected,
            head,
            "packets injected at node {node}"
        );
        let gone = log.words_that(|word| word.flit.is_tail());
        let mut over_links = Vec::new();
        for (place, (cycle, event)) in log.events.iter().enumerate() {
            let of_it = |(_, other): &(Cycle, Event)| packet_of(other) == packet_of(event);
            let (before, after) = (&log.events[..place], &log.events[place + 1..]);
            match event {
                Event::Injected { .. } => {
                    let is_first = !before.iter().any(of_it);
                    holds!(Clause::Events, is_first, "{event:?} after {before:?}");
                }
                Event::Delivered { packet } => {
                    let to = self.topology.home(packet.destination);
                    equal!(Clause::Deliveries, to, node, "destination of {packet:?}");
                    let is_last = !after.iter().any(of_it);
                    holds!(Clause::Events, is_last, "{event:?} before {after:?}");
                    // On the wires to the processor in this cycle, or taken off the links in it.
                    let local = self.topology.local_of(packet.destination);
                    let leaves = gone.contains(&(local, packet.id));
                    let due = now + u32::from(leaves);
                    equal!(Clause::Deliveries, *cycle, due, "cycle of {event:?}");
                    continue;
                }
                Event::Moved {
                    to: Place::Output(port) | Place::OutputChannel(port, _),
                    ..
                } if !self.topology.is_local(*port) => over_links.push(*port),
                _ => {}
            }
            equal!(
                Clause::Events,
                *cycle,
                now,
                "cycle of {event:?} at node {node}"
            );
        }
        let asked = &log.scheduled;
        equal!(
            Clause::Events,
            *asked,
            over_links,
            "hops decided at node {node}"
        );
    }
}
