//! The account of a run, packet by packet: counted from the ledger by the definitions of
//! docs/src/measurement.md.

use crate::figures::clocking::Clocking;
use crate::figures::ledger::Ledger;
use crate::figures::lives::{Life, distances, lives};
use crate::figures::statistics::{Series, Span};
use flitwork_config::{AnyRouter, EnergyParameters, EngineChoice, Resolved, TrafficParameters};
use flitwork_engine::Ended;
use flitwork_node::{Event, Place};
use flitwork_router::chaos::{ChaosParameters, Delivery};
use flitwork_router::deflection::DeflectionParameters;
use flitwork_topology::{Grid, Topology};
use flitwork_types::{NodeId, Port};
use std::collections::BTreeMap;

/// What a node's buffers held.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Held {
    /// Units times cycles of the window.
    pub(crate) sum: i64,
    /// The most in the whole run.
    pub(crate) most: i64,
}

/// Which buffers are shown.
#[derive(Clone, Debug)]
pub(crate) struct Buffers {
    pub(crate) name: &'static str,
    pub(crate) unit: &'static str,
    pub(crate) nodes: Vec<Held>,
}

/// What energy is proportional to.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Work {
    pub(crate) writes: u64,
    pub(crate) reads: u64,
    pub(crate) crossbar: u64,
    pub(crate) links: u64,
    pub(crate) decisions: u64,
}

/// The account of a run.
pub(crate) struct Account<'a> {
    pub(crate) grid: &'a Grid,
    pub(crate) router: &'a AnyRouter,
    pub(crate) traffic: &'a TrafficParameters,
    pub(crate) seed: u64,
    pub(crate) prices: EnergyParameters,
    pub(crate) open_loop: bool,
    pub(crate) ended: Ended,
    /// The first cycle that was not simulated.
    pub(crate) cycles: i64,
    /// The window as configured, and as far as it was simulated.
    pub(crate) window: Span,
    pub(crate) seen: Span,
    pub(crate) lives: Vec<Life>,
    /// For all packets made: source, cycle, words, and when each entered.
    pub(crate) made: Vec<(NodeId, i64, u64, Option<i64>)>,
    pub(crate) ledger: &'a Ledger,
    link_latency: i64,
    /// Whether both directions of a link share a wire.
    pub(crate) half_duplex: bool,
    /// The period of the nominal clock, if nodes have clocks of their own.
    pub(crate) nominal_ps: Option<u64>,
    /// These clocks.
    pub(crate) clocking: Option<Clocking>,
    distances: Vec<Vec<u32>>,
}

impl<'a> Account<'a> {
    /// For a run that ended in this way in this cycle.
    pub(crate) fn of(
        resolved: &'a Resolved,
        ledger: &'a Ledger,
        ended: Ended,
        cycle: i64,
    ) -> Account<'a> {
        let grid = resolved.network.grid();
        let open_loop = resolved.traffic.process.is_open_loop();
        let run = &resolved.run;
        let (start, end) = match open_loop {
            true => (
                run.warmup_cycles.into(),
                i64::from(run.warmup_cycles) + i64::from(run.measure_cycles),
            ),
            false => (0, run.deadline_cycles.into()),
        };
        let lives = lives(resolved, ledger);
        let deliveries = lives.iter().filter_map(|life| life.delivered);
        let after_last = deliveries.max().map_or(0, |last| last + 1);
        let cycles = match ended {
            Ended::Empty if open_loop => after_last.max(end),
            Ended::Empty => after_last,
            _ => cycle,
        };
        let entered = lives
            .iter()
            .map(|life| (life.source, life.created, life.words, Some(life.injected)));
        let waiting = ledger.left_over.iter();
        let waiting = waiting
            .map(|&(source, created, words)| (grid.home(source), created, words.into(), None));
        let made = entered.chain(waiting).collect();
        Account {
            grid,
            traffic: &resolved.traffic,
            seed: resolved.run.seed,
            router: &resolved.router,
            prices: resolved.energy,
            open_loop,
            ended,
            cycles,
            window: Span { start, end },
            seen: Span {
                start,
                end: cycles.clamp(start, end),
            },
            made,
            lives,
            ledger,
            link_latency: resolved.network.link_latency_cycles.into(),
            half_duplex: resolved.network.duplex.is_half(),
            nominal_ps: (resolved.run.engine == EngineChoice::Clocked)
                .then_some(resolved.clocks.period_ps),
            clocking: Clocking::of(resolved),
            distances: distances(grid),
        }
    }

    pub(crate) fn nodes(&self) -> usize {
        self.grid.nodes() as usize
    }

    /// Cycles measured, as a divisor.
    pub(crate) fn time(&self) -> f64 {
        self.seen.cycles().max(1) as f64
    }

    /// Links on a shortest path between two nodes, by breadth-first search.
    pub(crate) fn distance(&self, life: &Life) -> u32 {
        self.distances[life.source.index()][life.destination.index()]
    }

    /// The packets that latency, hops and deroutes refer to: made in the window, and delivered.
    pub(crate) fn counted(&self) -> Vec<&Life> {
        let lives = self.lives.iter();
        lives
            .filter(|life| self.window.has(life.created) && life.delivered.is_some())
            .collect()
    }

    /// Words of the packets made in the window, by cycle.
    pub(crate) fn words_made(&self) -> Series {
        let made = self.made.iter();
        Series::of(
            self.window,
            made.map(|(_, created, words, _)| (*created, *words as f64)),
        )
    }

    /// Packets delivered in the window.
    pub(crate) fn delivered_in_window(&self) -> Vec<(&Life, i64)> {
        let lives = self.lives.iter();
        let delivered = lives.filter_map(|life| Some((life, life.delivered?)));
        delivered
            .filter(|(_, cycle)| self.window.has(*cycle))
            .collect()
    }

    /// Words of the packets delivered in the window, by cycle.
    pub(crate) fn words_delivered(&self) -> Series {
        let delivered = self.delivered_in_window();
        let words = delivered.iter().map(|(life, at)| (*at, life.words as f64));
        Series::of(self.window, words)
    }

    /// Packets that waited at their sources when a cycle began.
    pub(crate) fn backlog(&self, at: i64) -> u64 {
        let waits = |made: &&(NodeId, i64, u64, Option<i64>)| {
            made.1 < at && made.3.is_none_or(|injected| injected >= at)
        };
        self.made.iter().filter(waits).count() as u64
    }

    /// Each node's sum of something over the packets or events that belong to it.
    pub(crate) fn by_node(&self, items: impl IntoIterator<Item = (NodeId, u64)>) -> Vec<u64> {
        let mut sums = vec![0; self.nodes()];
        for (node, count) in items {
            sums[node.index()] += count;
        }
        sums
    }

    /// Words that each node's source made in the window.
    pub(crate) fn words_created(&self) -> Vec<u64> {
        let made = self.made.iter();
        let made = made.filter(|made| self.window.has(made.1));
        self.by_node(made.map(|made| (made.0, made.2)))
    }

    /// Words of the packets to each node that entered the network in the window.
    pub(crate) fn words_injected_to(&self) -> Vec<u64> {
        let lives = self.lives.iter();
        let entered = lives.filter(|life| self.window.has(life.injected));
        self.by_node(entered.map(|life| (life.destination, life.words)))
    }

    /// Words that crossed each link in the window: those of a worm as if one had left per cycle, the last
    /// with its tail.
    pub(crate) fn link_words(&self) -> BTreeMap<(NodeId, u8), u64> {
        let mut links = BTreeMap::new();
        for node in (0..self.grid.nodes()).map(NodeId) {
            for port in self.grid.links(node).iter() {
                links.insert((node, port.0), 0);
            }
        }
        for (tail, node, event) in &self.ledger.events {
            let Event::Tail { port, words, .. } = event else {
                continue;
            };
            if let Some(sum) = links.get_mut(&(*node, port.0)) {
                let left = (0..i64::from(*words)).map(|before| tail - before);
                *sum += left.filter(|cycle| self.window.has(*cycle)).count() as u64;
            }
        }
        links
    }

    /// The same for each wire, by an end of it.
    pub(crate) fn wire_words(&self) -> BTreeMap<(NodeId, u8), u64> {
        let mut wires = BTreeMap::new();
        for ((node, port), words) in self.link_words() {
            let far = self.grid.neighbour(node, Port(port)).expect("a link");
            let far = (far, self.grid.opposite(Port(port)).0);
            let wire = match self.half_duplex {
                true => far.min((node, port)),
                false => (node, port),
            };
            *wires.entry(wire).or_default() += words;
        }
        wires
    }

    /// Deroutes that were decided in the window, as a fraction of the heads that left over links in it; each
    /// word is a head if words travel independently.
    pub(crate) fn deroutes_per_hop(&self) -> Option<f64> {
        let seen = self.ledger.events.iter();
        let seen = seen.filter(|(cycle, ..)| self.window.has(*cycle));
        let (mut hops, mut deroutes) = (0u32, 0u32);
        for (_, _, event) in seen {
            match event {
                Event::Head { port, .. } if *port != self.grid.local() => hops += 1,
                Event::Moved { deroute: true, .. } => deroutes += 1,
                _ => {}
            }
        }
        (hops > 0).then(|| f64::from(deroutes) / f64::from(hops))
    }

    /// Packet-cycles in each node: a head is in a node from its injection, or a link's latency after it left
    /// the node before, until a link's latency after it leaves, or its packet's delivery.
    pub(crate) fn packet_cycles(&self) -> Vec<i64> {
        let mut sums = vec![0; self.nodes()];
        let clip = |cycle: i64| cycle.clamp(self.window.start, self.window.end);
        for life in &self.lives {
            let leaves = life.stays.iter().skip(1).map(|stay| stay.0);
            let last = life.delivered.unwrap_or(self.seen.end);
            for ((from, node), until) in life.stays.iter().zip(leaves.chain([last])) {
                sums[node.index()] += clip(until) - clip(*from);
            }
        }
        sums
    }

    /// What is counted in nodes: packets, by their heads, or words if each finds its own way.
    pub(crate) fn unit(&self) -> &'static str {
        match self.router.is::<DeflectionParameters>() {
            true => "words",
            false => "packets",
        }
    }

    /// Word-cycles in each node: all of a packet's words are at its source from its injection, at the next
    /// node a link's latency after they left, and at its destination until it is delivered.
    pub(crate) fn word_cycles(&self) -> Vec<i64> {
        let latency = self.link_latency;
        let mut changes = vec![Vec::new(); self.nodes()];
        for life in &self.lives {
            let words = life.words as i64;
            changes[life.source.index()].push((life.injected, words));
            if let Some(delivered) = life.delivered {
                changes[life.destination.index()].push((delivered, -words));
            }
        }
        for word in &self.ledger.words {
            let far = self.grid.neighbour(word.node, word.port).expect("a link");
            changes[word.node.index()].push((word.cycle + latency, -1));
            changes[far.index()].push((word.cycle + latency, 1));
        }
        let held = changes
            .into_iter()
            .map(|changes| self.held(&levels(changes)).sum);
        held.collect()
    }

    /// The buffers that this router shows.
    pub(crate) fn buffers(&self) -> Option<Buffers> {
        let deflection = self.router.get::<DeflectionParameters>();
        let (name, unit) = match self.router.name() {
            "chaos" => ("multiqueue", "packets"),
            "queueing" => ("frames", "words"),
            "wormhole" => ("input buffers", "words"),
            _ if deflection.is_some_and(|it| it.side_buffer_flits > 0) => ("side buffer", "words"),
            _ => return None,
        };
        let changes = match unit {
            "packets" => self.queue_levels(),
            _ => self.fill_levels(),
        };
        Some(Buffers {
            name,
            unit,
            nodes: changes.iter().map(|levels| self.held(levels)).collect(),
        })
    }

    /// How many packets each node's queue held from a cycle on.
    fn queue_levels(&self) -> Vec<Vec<(i64, i64)>> {
        let mut moves = vec![Vec::new(); self.nodes()];
        for (cycle, node, event) in &self.ledger.events {
            if let Event::Moved { from, to, .. } = event {
                let by = i64::from(*to == Place::Queue) - i64::from(*from == Place::Queue);
                moves[node.index()].push((*cycle, by));
            }
        }
        moves.into_iter().map(levels).collect()
    }

    /// How many words each node's buffers held from a cycle on.
    fn fill_levels(&self) -> Vec<Vec<(i64, i64)>> {
        let mut levels = vec![Vec::new(); self.nodes()];
        for (cycle, node, words) in &self.ledger.fills {
            levels[node.index()].push((*cycle, i64::from(*words)));
        }
        levels
    }

    /// A level that starts at 0, over the window's cycles that were simulated. What an engine reported ahead
    /// of the cycle of an interruption counts with its time after that subtracted.
    fn held(&self, levels: &[(i64, i64)]) -> Held {
        let clip = |cycle: i64| cycle.clamp(self.window.start, self.window.end);
        let ends = levels.iter().skip(1).map(|(cycle, _)| *cycle);
        let spans = levels.iter().zip(ends.chain([self.seen.end]));
        Held {
            sum: spans
                .map(|((from, level), until)| level * (clip(until) - clip(*from)))
                .sum(),
            most: levels.iter().map(|(_, level)| *level).max().unwrap_or(0),
        }
    }

    /// Words written, read and switched in the window, by the table of docs/src/measurement.md.
    pub(crate) fn work(&self) -> Work {
        let events = self.ledger.events.iter();
        let events = events.filter(|(cycle, ..)| self.window.has(*cycle));
        let (mut moves, mut stored, mut restored, mut injected, mut delivered) = (0, 0, 0, 0, 0);
        for (_, _, event) in events {
            match event {
                Event::Moved { from, to, .. } => {
                    moves += 1;
                    stored += u64::from(*to == Place::SideBuffer);
                    restored += u64::from(*from == Place::SideBuffer);
                }
                Event::Injected { packet } => injected += u64::from(packet.words),
                Event::Delivered { packet } => delivered += u64::from(packet.words),
                _ => {}
            }
        }
        let links = self.link_words().values().sum();
        let chaos = self.router.get::<ChaosParameters>();
        let (writes, reads, crossbar) = match (self.router.name(), chaos) {
            // Written: into the injection frame, with each move into another frame, over links into the input
            // frame. Everything written is read: with each move from a frame, onto a link, and at the end.
            (_, Some(parameters)) => {
                let moved = moves * u64::from(parameters.packet_words);
                // A packet that vanishes is never read from the frame in which it does.
                let read_at_last = match parameters.delivery {
                    Delivery::Frame => delivered,
                    Delivery::Vanish => 0,
                };
                (
                    injected + moved + links,
                    moved + links + read_at_last,
                    moved,
                )
            }
            ("wormhole", _) => (injected + links, links + delivered, links + delivered),
            ("deflection", _) => (stored, restored, links + stored),
            ("greedy-hp", _) => (0, 0, links),
            ("queueing", _) => (injected + links, links + delivered, links),
            ("scheduled", _) => (0, 0, links + delivered),
            (other, _) => panic!("what {other} does to words isn't known here"),
        };
        Work {
            writes,
            reads,
            crossbar,
            links,
            decisions: moves,
        }
    }
}

/// The values of a level that starts at 0, each from the cycle of its change on.
fn levels(mut changes: Vec<(i64, i64)>) -> Vec<(i64, i64)> {
    changes.sort_by_key(|(cycle, _)| *cycle);
    let mut level = 0;
    let levels = changes.into_iter().map(|(cycle, by)| {
        level += by;
        (cycle, level)
    });
    levels.collect()
}
