//! A network for tests: packets arrive a random number of cycles after they entered it.
//!
//! It asks sources as an engine does: when a source has a packet in a cycle, or when a delivery has woken it, and not
//! while the source injects the words of a packet. It knows nothing about particular workloads.

use crate::{Birth, Offer, Workload};
use flitwork_types::{Cycle, Due, Packet, PacketId, TerminalId};
use proptest::test_runner::{RngAlgorithm, TestRng};
use rand_pcg::rand_core::Rng;
use std::collections::BTreeMap;

/// A network of random delays.
#[derive(Clone, Debug)]
pub(crate) struct Toy {
    nodes: u32,
    /// The longest delay, in cycles.
    longest: u32,
    /// The seed of delays, which also depend on the packet's id.
    seed: u64,
    /// The seed of the order of nodes within a cycle; ascending if 0.
    order: u64,
    /// Whether every node is asked in each cycle.
    eager: bool,
    /// Whether a delivery may wake only the source at its own node.
    local: bool,
    end: Cycle,
}

/// A packet's journey.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sent {
    pub(crate) id: PacketId,
    pub(crate) birth: Birth,
    pub(crate) entered: Cycle,
    pub(crate) delivered: Cycle,
}

/// The journeys of all packets, by source and serial number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Run {
    pub(crate) sent: Vec<Sent>,
    pub(crate) last: Cycle,
}

impl Run {
    pub(crate) fn of(&self, node: TerminalId) -> impl Iterator<Item = &Sent> {
        self.sent.iter().filter(move |sent| sent.id.source == node)
    }

    pub(crate) fn to(&self, node: TerminalId) -> impl Iterator<Item = &Sent> {
        let here = move |sent: &&Sent| sent.birth.destination == node;
        self.sent.iter().filter(here)
    }
}

/// A source, as the network sees it.
#[derive(Clone, Copy, Debug)]
struct Source {
    /// The cycle in which it is asked next.
    asks: Due,
    /// A packet that it has taken and can't start yet.
    next: Option<Birth>,
    /// The first cycle in which it can start a packet.
    free: Cycle,
    serial: u32,
    last: Cycle,
}

impl Toy {
    pub(crate) fn new(nodes: u32, longest: u32, seed: u64) -> Toy {
        Toy {
            nodes,
            longest,
            seed,
            order: 0,
            eager: false,
            local: false,
            end: Cycle::LAST,
        }
    }

    /// The same network with nodes in a different order in each cycle.
    pub(crate) fn in_order(self, order: u64) -> Toy {
        Toy { order, ..self }
    }

    /// The same network with every free node asked in every cycle.
    pub(crate) fn eager(self) -> Toy {
        Toy {
            eager: true,
            ..self
        }
    }

    /// The same network, which refuses deliveries that wake the sources of other nodes.
    pub(crate) fn local(self) -> Toy {
        Toy {
            local: true,
            ..self
        }
    }

    /// Runs until nothing is left. Births are in the order of source and serial number.
    pub(crate) fn run(&self, workload: &mut dyn Workload) -> Run {
        let mut sources: Vec<Source> = (0..self.nodes).map(|_| Source::new()).collect();
        let mut under_way: BTreeMap<(Cycle, PacketId), Packet> = BTreeMap::new();
        let mut sent = Vec::new();
        let mut now = Cycle::ZERO;
        let mut last = now;
        loop {
            for node in self.nodes_in_order(now) {
                let source = &mut sources[node.index()];
                if let Some(birth) = source.ask(node, now, self.eager, workload) {
                    let id = source.name(node);
                    let delivered = now + self.delay(id) + u32::from(birth.words);
                    under_way.insert((delivered, id), packet(id, &birth, now));
                    sent.push(Sent {
                        id,
                        birth,
                        entered: now,
                        delivered,
                    });
                    last = last.max(delivered);
                }
                // Deliveries of this cycle may come before or after other nodes are asked.
                let arrived = |(at, id): &&(Cycle, PacketId)| {
                    *at == now && under_way[&(*at, *id)].destination == node
                };
                let arrived: Vec<_> = under_way.keys().filter(arrived).copied().collect();
                for key in arrived {
                    let packet = under_way.remove(&key).expect("a packet under way");
                    let mut woken = Vec::new();
                    workload.delivered(node, &packet, now, &mut woken);
                    for other in woken {
                        assert!(!self.local || other == node, "{other} isn't {node}");
                        let asks = &mut sources[other.index()].asks;
                        *asks = (*asks).min(Due::at(now + 1));
                    }
                }
            }
            let arrival = under_way.keys().next().map(|(at, _)| *at);
            let next: Due = Due::soonest(sources.iter().map(Source::due));
            match next.min(arrival.into()).get() {
                Some(next) if next < self.end => {
                    now = if self.eager {
                        now + 1
                    } else {
                        next.max(now + 1)
                    };
                }
                _ => break,
            }
        }
        sent.sort_by_key(|sent: &Sent| sent.id);
        Run { sent, last }
    }

    fn nodes_in_order(&self, now: Cycle) -> Vec<TerminalId> {
        let mut nodes: Vec<TerminalId> = (0..self.nodes).map(TerminalId).collect();
        if self.order > 0 {
            let mut key = self.order ^ u64::from(now.get()) << 20;
            nodes.sort_by_cached_key(|_| {
                key = scramble(key);
                key
            });
        }
        nodes
    }

    fn delay(&self, id: PacketId) -> u32 {
        1 + (scramble(self.seed ^ scramble(id.as_u64())) % u64::from(self.longest)) as u32
    }
}

impl Source {
    fn new() -> Source {
        Source {
            asks: Due::at(Cycle::ZERO),
            next: None,
            free: Cycle::ZERO,
            serial: 0,
            last: Cycle::ZERO,
        }
    }

    /// The first cycle in which it acts without a delivery.
    fn due(&self) -> Due {
        let due = self.next.map_or(self.asks, |birth| birth.created.into());
        due.not_before(self.free)
    }

    fn name(&mut self, source: TerminalId) -> PacketId {
        let serial = self.serial;
        self.serial += 1;
        PacketId { source, serial }
    }

    /// Asks for a packet if it has to, and returns the packet that it starts.
    fn ask(
        &mut self,
        node: TerminalId,
        now: Cycle,
        eager: bool,
        workload: &mut dyn Workload,
    ) -> Option<Birth> {
        if self.free > now {
            return None;
        }
        if self.next.is_none() && (eager || self.asks <= now) {
            match workload.next(node, now) {
                Offer::Packet(birth) => {
                    assert!(
                        workload.foresees() || birth.created <= now,
                        "{birth:?} in {now}"
                    );
                    assert!(birth.created >= self.last && birth.destination != node);
                    assert!(birth.words > 0);
                    self.last = birth.created;
                    self.next = Some(birth);
                }
                Offer::Later(cycle) => {
                    assert!(cycle > now, "asked in {now}, answered {cycle}");
                    self.asks = cycle.into();
                }
                Offer::WhenWoken | Offer::Never => self.asks = Due::NEVER,
            }
        }
        let birth = self.next.filter(|birth| birth.created <= now)?;
        self.next = None;
        self.asks = now.into();
        self.free = now + u32::from(birth.words);
        Some(birth)
    }
}

fn packet(id: PacketId, birth: &Birth, now: Cycle) -> Packet {
    Packet {
        id,
        destination: birth.destination,
        created: birth.created,
        injected: now,
        words: birth.words,
        class: birth.class,
        ..Packet::default()
    }
}

/// A pseudo-random number for a key.
pub(crate) fn scramble(key: u64) -> u64 {
    let mut seed = [0; 16];
    seed[..8].copy_from_slice(&key.to_le_bytes());
    TestRng::from_seed(RngAlgorithm::XorShift, &seed).next_u64()
}
