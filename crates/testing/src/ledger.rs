//! Counts what routers report about packets, and what passes over their links.

use crate::clause::{Clause, equal, holds};
use crate::happened::Happened;
use crate::stand::Stand;
use flitwork_node::{Detail, Event, Probe, Reported};
use flitwork_topology::Topology;
use flitwork_types::{Cycle, NodeId, PacketId, Port, TerminalId, Word};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// What was reported about each packet under way, compared with what its delivery says.
pub(crate) struct Ledger {
    stand: Stand,
    open: HashMap<PacketId, Counts>,
    delivered: usize,
    terminals: Terminals,
    /// Whether a packet's words travel together.
    together: bool,
    /// What has passed over each link, by where it leads from.
    flows: BTreeMap<(NodeId, Port), Flow>,
    happened: Happened,
}

/// The terminals of a network.
#[derive(Clone)]
pub(crate) struct Terminals {
    /// The first of the ports at which they are; no packet leaves over these for another node.
    local: Port,
    /// The node at which the packets of each enter.
    entries: Arc<[NodeId]>,
}

impl Terminals {
    /// Those of a topology.
    pub(crate) fn of(topology: &impl Topology) -> Terminals {
        let all = (0..topology.terminals()).map(TerminalId);
        Terminals {
            local: topology.local(),
            entries: all.map(|terminal| topology.entry(terminal)).collect(),
        }
    }
}

/// What is known of a packet in the network.
struct Counts {
    heads: u16,
    deroutes: u16,
    /// Where it was reported last.
    last: (NodeId, Cycle),
}

/// What has passed over a link, and the places that have come back.
#[derive(Clone, Copy, Debug, Default)]
struct Flow {
    words: u32,
    worms: u32,
    places: u32,
}

impl Probe for Ledger {
    fn wants(&self, what: Reported) -> bool {
        matches!(what, Reported::Events | Reported::Words | Reported::Details)
    }

    fn word(&mut self, node: NodeId, _: Cycle, port: Port, _: PacketId, word: Word) {
        if port < self.terminals.local {
            let flow = self.flows.entry((node, port)).or_default();
            flow.words += 1;
            flow.worms += u32::from(word.flit.is_tail());
        }
    }

    fn detail(&mut self, node: NodeId, _: Cycle, detail: Detail) {
        if let Detail::Credited { port, .. } = detail {
            self.flows.entry((node, port)).or_default().places += 1;
        }
    }

    fn event(&mut self, node: NodeId, cycle: Cycle, event: Event) {
        self.stand.set(node, cycle);
        self.happened.event(node, cycle, event);
        match event {
            Event::Injected { packet } => {
                let entry = self.terminals.entries[packet.id.source.index()];
                let said = (entry, packet.hops, packet.deroutes);
                equal!(Clause::Events, said, (node, 0, 0), "{packet:?} is injected");
                let counts = Counts {
                    heads: 0,
                    deroutes: 0,
                    last: (node, cycle),
                };
                let twice = self.open.insert(packet.id, counts);
                holds!(
                    Clause::Events,
                    twice.is_none(),
                    "{packet:?} is injected twice"
                );
            }
            Event::Head { packet, port } if port < self.terminals.local => {
                self.counts(packet, (node, cycle)).heads += 1;
            }
            Event::Moved {
                packet, deroute, ..
            } => self.counts(packet, (node, cycle)).deroutes += u16::from(deroute),
            Event::Delivered { packet } => {
                let Some(counts) = self.open.remove(&packet.id) else {
                    Clause::Events.broken(format_args!(
                        "{packet:?} is delivered and isn't in the network"
                    ));
                };
                if self.together {
                    let said = (packet.hops, packet.deroutes);
                    let reported = (counts.heads, counts.deroutes);
                    equal!(Clause::Counts, said, reported, "{packet:?}");
                }
                self.delivered += 1;
            }
            _ => {}
        }
    }
}

impl Ledger {
    /// An empty ledger of a network with these terminals.
    pub(crate) fn new(terminals: Terminals, together: bool, stand: Stand) -> Ledger {
        Ledger {
            stand,
            open: HashMap::new(),
            delivered: 0,
            terminals,
            together,
            flows: BTreeMap::new(),
            happened: Happened::default(),
        }
    }

    /// Every packet has arrived, and none of the others has ever been heard of. `how` says how the run ended.
    pub(crate) fn check_arrived(&self, packets: usize, how: &str) {
        let mut open = self.open.iter();
        if let Some((packet, counts)) = open.next() {
            let (node, cycle) = counts.last;
            self.stand.set(node, cycle);
            Clause::Arrival.broken(format_args!(
                "{packet:?} and {} others are in the network, {how}; it was last reported here",
                open.count()
            ));
        }
        let what = format_args!("packets delivered; {how}").to_string();
        equal!(Clause::Arrival, self.delivered, packets, "{what}");
    }

    /// For each word or worm that has left over a link a place has come back. Asked when nothing is under way.
    pub(crate) fn check_credits(&self, now: Cycle) {
        for ((node, port), flow) in &self.flows {
            self.stand.set(*node, now);
            let is_back = [flow.words, flow.worms].contains(&flow.places);
            holds!(
                Clause::Credits,
                is_back,
                "{flow:?} over {port:?} of node {node} before cycle {now}"
            );
        }
    }

    /// All events that it has observed.
    pub(crate) fn into_happened(self) -> Happened {
        self.happened
    }

    fn counts(&mut self, packet: PacketId, last: (NodeId, Cycle)) -> &mut Counts {
        let Some(counts) = self.open.get_mut(&packet) else {
            Clause::Events.broken(format_args!(
                "{packet:?} isn't in the network, and is reported"
            ));
        };
        counts.last = last;
        counts
    }
}
