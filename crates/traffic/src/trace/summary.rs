//! What a trace holds, by reading it once.

use super::checked::Checked;
use super::{Links, TraceError, TraceId, TraceNode, TracePacket, TraceReader};
use std::collections::{HashMap, VecDeque};

/// How many packets a trace that names earlier ones may look back over when its locality is decided.
const LOOK_BACK_PACKETS: usize = 1 << 20;

/// What a trace holds. Whoever has one has read all of the trace without an error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceSummary {
    /// Nodes of the trace.
    pub nodes: u32,
    /// Packets.
    pub packets: u64,
    /// Packets to their own source.
    pub self_packets: u64,
    /// Words of all packets that enter a network.
    pub words: u64,
    /// The longest packet, in words.
    pub most_words: u16,
    /// Pairs of packets of which one waits for the other.
    pub dependencies: u64,
    /// The first packet's cycle.
    pub first_cycle: u64,
    /// The last packet's cycle.
    pub last_cycle: u64,
    is_local: bool,
    /// Whether a node sends any packet to another, by node.
    makes: Vec<bool>,
}

impl TraceSummary {
    /// Reads a trace to its end.
    ///
    /// Takes memory by the packets that are named and haven't come; for a trace that names earlier ones,
    /// of up to 2^20 packets.
    ///
    /// # Errors
    /// The first [`TraceError`] of the trace.
    pub fn of(reader: impl TraceReader) -> Result<TraceSummary, TraceError> {
        let nodes = reader.nodes();
        let mut trace = Checked::new(reader);
        let mut summary = TraceSummary {
            nodes,
            packets: 0,
            self_packets: 0,
            words: 0,
            most_words: 0,
            dependencies: 0,
            first_cycle: 0,
            last_cycle: 0,
            is_local: true,
            makes: vec![false; nodes as usize],
        };
        let mut ends = Ends::default();
        while let Some(packet) = trace.packet()? {
            summary.count(&packet);
            summary.is_local &= ends.meet(&packet);
        }
        Ok(summary)
    }

    fn count(&mut self, packet: &TracePacket) {
        if self.packets == 0 {
            self.first_cycle = packet.cycle;
        }
        self.last_cycle = packet.cycle;
        self.packets += 1;
        self.dependencies += packet.links.names().len() as u64;
        if packet.source == packet.destination {
            self.self_packets += 1;
        } else {
            self.words += u64::from(packet.words);
            self.most_words = self.most_words.max(packet.words);
            self.makes[packet.source.0 as usize] = true;
        }
    }

    /// Whether it is proven that each packet starts where those end that it waits for.
    pub fn is_local(&self) -> bool {
        self.is_local
    }

    /// The nodes that send packets to others.
    pub fn makers(&self) -> impl Iterator<Item = TraceNode> {
        let makes = (0..).map(TraceNode).zip(&self.makes);
        makes.filter(|(_, makes)| **makes).map(|(node, _)| node)
    }
}

/// Where packets end that others wait for.
#[derive(Debug, Default)]
struct Ends {
    /// Of packets that named later ones, by what they named; of packets that later ones may name, by
    /// themselves.
    ends: HashMap<TraceId, TraceNode>,
    /// Packets that later ones may name, the earliest first.
    recent: VecDeque<TraceId>,
}

impl Ends {
    /// Whether a packet and those known that it waits for meet, and those that name it and are to come.
    fn meet(&mut self, packet: &TracePacket) -> bool {
        match &packet.links {
            Links::Before(names) => {
                let ends = self.ends.remove(&packet.id);
                let mut meet = ends.is_none_or(|end| end == packet.source);
                for named in names {
                    let other = self.ends.insert(*named, packet.destination);
                    meet &= other.is_none_or(|end| end == packet.destination);
                }
                meet
            }
            Links::After(names) => {
                let meets = |named: &TraceId| self.ends.get(named) == Some(&packet.source);
                let meet = names.iter().all(meets);
                self.ends.insert(packet.id, packet.destination);
                self.recent.push_back(packet.id);
                if self.recent.len() > LOOK_BACK_PACKETS
                    && let Some(oldest) = self.recent.pop_front()
                {
                    self.ends.remove(&oldest);
                }
                meet
            }
        }
    }
}
