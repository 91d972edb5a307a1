//! Checks that apply to every trace, whatever its format.
//!
//! Packets are sorted by cycle. Ids are unique. A packet waits only for packets before it in the trace, so dependencies
//! can't form a cycle, and no search for one is needed.

use super::ids::IdSet;
use super::{
    Field, Links, TraceError, TraceId, TraceNode, TracePacket, TracePlace, TraceProblem,
    TraceReader,
};
use std::collections::HashSet;

/// Packets that contradict each other.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OrderProblem {
    /// A source or a destination that the trace doesn't have.
    #[error("{end} {found}; the trace has nodes 0 to {}", .nodes.saturating_sub(1))]
    OffTrace {
        /// Which end of the packet.
        end: &'static str,
        /// The node.
        found: TraceNode,
        /// How many nodes the trace has.
        nodes: u32,
    },
    /// A packet without words.
    #[error("a packet of 0 words; it has at least 1")]
    NoWords,
    /// A packet that follows one of a later cycle.
    #[error("cycle {cycle} after cycle {before}; packets are sorted by cycle")]
    Unsorted {
        /// Its cycle.
        cycle: u64,
        /// That of the packet before it.
        before: u64,
    },
    /// An id that an earlier packet has, too.
    #[error("a second packet with the id {id}; each has its own")]
    Repeated {
        /// The id.
        id: TraceId,
    },
    /// A packet that waits for itself.
    #[error("dependency cycle: packet {id} waits for itself")]
    Itself {
        /// The packet.
        id: TraceId,
    },
    /// A packet for which an earlier packet is said to wait.
    #[error(
        "dependency cycle: packet {named} precedes packet {id}, for which it is to wait; \
         a packet can wait for earlier ones only"
    )]
    Backward {
        /// The packet.
        id: TraceId,
        /// The earlier one.
        named: TraceId,
    },
    /// A packet that waits for one that doesn't precede it.
    #[error(
        "packet {id} waits for packet {named}, which doesn't precede it; \
         a packet can wait for earlier ones only, so that there is no dependency cycle"
    )]
    Forward {
        /// The packet.
        id: TraceId,
        /// What it waits for.
        named: TraceId,
    },
    /// Packets that were named but aren't in the trace.
    #[error(
        "{count} packets that are to wait for others aren't in the trace, among them packet {named}"
    )]
    Missing {
        /// The first of them.
        named: TraceId,
        /// How many they are.
        count: usize,
    },
}

/// A reader that checks its packets against each other.
pub(super) struct Checked {
    reader: Box<dyn TraceReader>,
    used: IdSet,
    /// Packets that earlier ones have named and that haven't been read yet.
    named: HashSet<TraceId>,
    /// The cycle of the last packet.
    cycle: u64,
}

impl Checked {
    pub(super) fn new(reader: Box<dyn TraceReader>) -> Checked {
        Checked {
            reader,
            used: IdSet::default(),
            named: HashSet::new(),
            cycle: 0,
        }
    }

    /// The place of a part of the last packet.
    pub(super) fn place(&self, field: Field) -> TracePlace {
        self.reader.place(field)
    }

    fn error(&self, field: Field, problem: TraceProblem) -> TraceError {
        let place = self.place(field);
        TraceError { place, problem }
    }

    /// The next packet.
    pub(super) fn packet(&mut self) -> Result<Option<TracePacket>, TraceError> {
        let packet = self.reader.packet()?;
        let checked = match &packet {
            Some(packet) => self.check(packet),
            None => self.check_end(),
        };
        match checked {
            Ok(()) => Ok(packet),
            Err((field, problem)) => Err(self.error(field, TraceProblem::Order(problem))),
        }
    }

    fn check(&mut self, packet: &TracePacket) -> Result<(), (Field, OrderProblem)> {
        let nodes = self.reader.nodes();
        let ends = [
            (Field::Source, "source", packet.source),
            (Field::Destination, "destination", packet.destination),
        ];
        for (field, end, found) in ends {
            if found.0 >= nodes {
                return Err((field, OrderProblem::OffTrace { end, found, nodes }));
            }
        }
        if packet.words == 0 {
            return Err((Field::Words, OrderProblem::NoWords));
        }
        if packet.cycle < self.cycle {
            let (cycle, before) = (packet.cycle, self.cycle);
            return Err((Field::Cycle, OrderProblem::Unsorted { cycle, before }));
        }
        self.cycle = packet.cycle;
        let id = packet.id;
        if packet.links.names().contains(&id) {
            return Err((Field::Links, OrderProblem::Itself { id }));
        }
        if !self.used.insert(id) {
            return Err((Field::Id, OrderProblem::Repeated { id }));
        }
        self.named.remove(&id);
        self.check_links(packet)
    }

    fn check_links(&mut self, packet: &TracePacket) -> Result<(), (Field, OrderProblem)> {
        let id = packet.id;
        let used = |named: &&TraceId| self.used.contains(**named);
        let problem = match &packet.links {
            Links::After(names) => {
                let unknown = names.iter().find(|named| !used(named));
                unknown.map(|named| OrderProblem::Forward { id, named: *named })
            }
            Links::Before(names) => {
                let earlier = names.iter().find(used);
                self.named.extend(names);
                earlier.map(|named| OrderProblem::Backward { id, named: *named })
            }
        };
        match problem {
            Some(problem) => Err((Field::Links, problem)),
            None => Ok(()),
        }
    }

    fn check_end(&self) -> Result<(), (Field, OrderProblem)> {
        let missing = self.named.iter().min().filter(|_| self.reader.is_whole());
        match missing {
            Some(named) => {
                let (named, count) = (*named, self.named.len());
                Err((Field::Packet, OrderProblem::Missing { named, count }))
            }
            None => Ok(()),
        }
    }
}
