//! The summary of a trace, from reading it once.

use super::checked::Checked;
use super::{Links, TraceError, TraceId, TraceNode, TracePacket, TraceReader};
use std::collections::{HashMap, VecDeque};

/// For a trace that names earlier packets: how many packets back a name may lie for the trace to count as local.
const LOOK_BACK_PACKETS: usize = 1 << 20;

/// The summary of a trace. Its existence proves that the whole trace was read without an error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceSummary {
    /// The number of nodes.
    pub nodes: u32,
    /// The number of packets.
    pub packets: u64,
    /// Packets to their own source.
    pub self_packets: u64,
    /// The words of all packets that enter a network.
    pub words: u64,
    /// The longest packet, in words.
    pub most_words: u16,
    /// The number of dependencies: pairs of packets of which one waits for the other.
    pub dependencies: u64,
    /// The first packet's cycle.
    pub first_cycle: u64,
    /// The last packet's cycle.
    pub last_cycle: u64,
    is_local: bool,
    /// By node, whether it sends any packet to another.
    makes: Vec<bool>,
}

impl TraceSummary {
    /// Reads a trace to its end.
    ///
    /// Takes memory for the packets that have been named and not yet read; for a trace that names earlier packets, for up to
    /// 2^20 packets.
    ///
    /// # Errors
    /// The first [`TraceError`] of the trace.
    pub fn of(reader: impl Into<Box<dyn TraceReader>>) -> Result<TraceSummary, TraceError> {
        let reader = reader.into();
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

    /// Whether the trace is known to be local: each packet starts at the destination of those that it waits for.
    pub fn is_local(&self) -> bool {
        self.is_local
    }

    /// The nodes that send packets to others.
    pub fn makers(&self) -> impl Iterator<Item = TraceNode> {
        let makes = (0..).map(TraceNode).zip(&self.makes);
        makes.filter(|(_, makes)| **makes).map(|(node, _)| node)
    }
}

/// The destinations of packets that others wait for.
#[derive(Debug, Default)]
struct Ends {
    /// For packets that name later ones, keyed by the named packet; for packets that later ones may name, keyed by their
    /// own id.
    ends: HashMap<TraceId, TraceNode>,
    /// Packets that later ones may name, the earliest first.
    recent: VecDeque<TraceId>,
}

impl Ends {
    /// Whether the packet's dependencies are local, as far as they are known by now.
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
