//! The life of each packet, from the ledger.

use crate::figures::ledger::Ledger;
use flitwork_config::Resolved;
use flitwork_node::Event;
use flitwork_router::deflection::DeflectionParameters;
use flitwork_topology::{Grid, Topology};
use flitwork_types::{NodeId, PacketId, PacketRef, Port};
use std::collections::{BTreeMap, HashMap, VecDeque};

/// A packet that entered the network.
#[derive(Clone, Debug)]
pub(crate) struct Life {
    pub(crate) source: NodeId,
    /// Its number among its source's packets.
    pub(crate) serial: u32,
    pub(crate) destination: NodeId,
    pub(crate) class: u8,
    pub(crate) words: u64,
    pub(crate) created: i64,
    pub(crate) injected: i64,
    pub(crate) delivered: Option<i64>,
    /// When it was injected and, unless it wasn't, delivered, in ps.
    pub(crate) injected_ps: u64,
    pub(crate) delivered_ps: u64,
    pub(crate) hops: u64,
    pub(crate) deroutes: u64,
    /// Where its head was, and from which cycle on.
    pub(crate) stays: Vec<(i64, NodeId)>,
}

/// The packets that entered, in the order of their numbers.
pub(crate) fn lives(resolved: &Resolved, ledger: &Ledger) -> Vec<Life> {
    let grid = resolved.network.grid();
    let latency = i64::from(resolved.network.link_latency_cycles);
    let mut lives: BTreeMap<PacketId, Life> = BTreeMap::new();
    let mut events: Vec<_> = ledger.events.iter().collect();
    events.sort_by_key(|(cycle, ..)| *cycle);
    for (cycle, node, event) in &events {
        if let Event::Injected { packet } = event {
            let life = Life {
                source: grid.home(packet.id.source),
                serial: packet.id.serial,
                destination: grid.home(packet.destination),
                class: packet.class,
                words: packet.words.into(),
                created: packet.created.get().into(),
                injected: *cycle,
                delivered: None,
                injected_ps: ledger.injected_ps[&packet.id],
                delivered_ps: ledger.delivered_ps.get(&packet.id).copied().unwrap_or(0),
                hops: 0,
                deroutes: 0,
                stays: vec![(*cycle, *node)],
            };
            assert_eq!(*node, life.source);
            let again = lives.insert(packet.id, life);
            assert!(again.is_none(), "{packet:?} enters twice");
        }
    }
    for (cycle, node, event) in events {
        match event {
            Event::Head { packet, port } if *port != grid.local() => {
                let life = lives.get_mut(packet).expect("it has entered");
                let far = grid.neighbour(*node, *port).expect("a link");
                life.hops += 1;
                life.stays.push((cycle + latency, far));
            }
            Event::Moved {
                packet,
                deroute: true,
                ..
            } => lives.get_mut(packet).expect("it has entered").deroutes += 1,
            Event::Delivered { packet } => {
                let life = lives.get_mut(&packet.id).expect("it has entered");
                assert!(life.delivered.is_none(), "{packet:?} is delivered twice");
                assert_eq!(*node, life.destination);
                life.delivered = Some(*cycle);
            }
            _ => {}
        }
    }
    if resolved.router.is::<DeflectionParameters>() {
        follow_words(grid, ledger, &mut lives);
    }
    lives.into_values().collect()
}

/// If words travel independently, a packet has the hops and the deroutes of the word that made the most of
/// them. A record that continues from another node than it reached is another word's.
fn follow_words(grid: &Grid, ledger: &Ledger, lives: &mut BTreeMap<PacketId, Life>) {
    let distances = distances(grid);
    for life in lives.values_mut() {
        (life.hops, life.deroutes) = (0, 0);
    }
    let mut under_way: HashMap<(PacketId, PacketRef), (NodeId, u64, u64)> = HashMap::new();
    let mut words: Vec<_> = ledger.words.iter().collect();
    words.sort_by_key(|word| word.cycle);
    for word in words {
        let life = lives.get_mut(&word.packet).expect("it has entered");
        let far = grid.neighbour(word.node, word.port).expect("a link");
        let key = (word.packet, word.record);
        let before = under_way.get(&key).filter(|(at, ..)| *at == word.node);
        let (hops, deroutes) = before.map_or((0, 0), |(_, hops, deroutes)| (*hops, *deroutes));
        let to = life.destination.index();
        let farther = distances[far.index()][to] >= distances[word.node.index()][to];
        let now = (far, hops + 1, deroutes + u64::from(farther));
        life.hops = life.hops.max(now.1);
        life.deroutes = life.deroutes.max(now.2);
        under_way.insert(key, now);
    }
}

/// Links on shortest paths between all nodes.
pub(crate) fn distances(grid: &Grid) -> Vec<Vec<u32>> {
    let from = |start: NodeId| {
        let mut found = vec![u32::MAX; grid.nodes() as usize];
        found[start.index()] = 0;
        let mut border = VecDeque::from([start]);
        while let Some(node) = border.pop_front() {
            for port in grid.links(node).iter() {
                let far = grid.neighbour(node, Port(port.0)).expect("a link");
                if found[far.index()] == u32::MAX {
                    found[far.index()] = found[node.index()] + 1;
                    border.push_back(far);
                }
            }
        }
        found
    };
    (0..grid.nodes()).map(NodeId).map(from).collect()
}
