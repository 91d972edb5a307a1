//! Half-duplex wires whose ends share a clock.

use crate::Network;
use flitwork_topology::Topology;
use flitwork_types::{Cycle, Duplex, NodeId, Port, PortSet, Word};

/// An end of a wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// That which has the right before the first cycle.
    First,
    /// The other.
    Second,
}

impl Side {
    /// The other end.
    #[inline]
    pub fn other(self) -> Side {
        match self {
            Side::First => Side::Second,
            Side::Second => Side::First,
        }
    }
}

/// A half-duplex wire whose ends share a clock, with the right to send where arithmetic says: on an idle wire it
/// alternates from end to end, a hop at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wire {
    /// An end to which the right comes unless it is already sending, and when it may use it there.
    side: Side,
    from: Cycle,
    /// Whether that end is sending a packet whose last word has not left.
    is_sending: bool,
}

impl Wire {
    /// A wire before the first cycle.
    pub const FIRST: Wire = Wire {
        side: Side::First,
        from: Cycle::ZERO,
        is_sending: false,
    };

    /// The first cycle from `from` on in which an end may begin a packet if neither sends before, and nothing is being
    /// sent. `hop_cycles` is the time from a pass at one end until the right may be used at the other.
    #[inline]
    pub fn next(&self, side: Side, from: Cycle, hop_cycles: u32) -> Cycle {
        let first = match side == self.side {
            true => self.from,
            false => self.from + hop_cycles,
        };
        // Division by 32 bits is much faster than by 64.
        let (gap, round) = (from.since(first), 2 * hop_cycles);
        let rounds = match round {
            2 => gap / 2 + gap % 2,
            _ => gap.div_ceil(round),
        };
        first.later(u64::from(rounds) * u64::from(round))
    }

    /// Whether an end that may begin a packet in cycle `head` is the next to have the right, so that the other can't
    /// come first.
    #[inline]
    pub fn is_next(&self, side: Side, head: Cycle) -> bool {
        (side, head) == (self.side, self.from)
    }

    /// Whether an end may send a word in cycle `now`, with everything before `now` noted.
    #[inline]
    pub fn may_send(&self, side: Side, now: Cycle, hop_cycles: u32) -> bool {
        match self.is_sending {
            true => side == self.side,
            false => self.next(side, now, hop_cycles) == now,
        }
    }

    /// An end begins a packet.
    #[inline]
    pub fn begin(&mut self, side: Side) {
        (self.side, self.is_sending) = (side, true);
    }

    /// The last word of a packet leaves an end in cycle `last`, and takes the right along.
    #[inline]
    pub fn end(&mut self, side: Side, last: Cycle, hop_cycles: u32) {
        *self = Wire {
            side: side.other(),
            from: last + hop_cycles,
            is_sending: false,
        };
    }
}

/// All half-duplex wires of a network whose nodes share a clock.
#[derive(Clone, Debug)]
pub struct SharedWires {
    /// Link ports of a node.
    links: usize,
    /// For each node and port: the wire, and which of its ends this is.
    ends: Vec<Option<(u32, Side)>>,
    wires: Vec<Wire>,
    /// For each wire: cycles from a pass at one end until the right may be used at the other.
    hop_cycles: Vec<u32>,
}

impl SharedWires {
    /// The wires of a network before its first cycle; `None` if its links are full duplex.
    pub fn new<T: Topology, R>(network: &Network<T, R>) -> Option<SharedWires> {
        if network.duplex() == Duplex::Full {
            return None;
        }
        let topology = &network.topology;
        let links = topology.ports();
        let mut shared = SharedWires {
            links,
            ends: vec![None; topology.nodes() as usize * links],
            wires: Vec::new(),
            hop_cycles: Vec::new(),
        };
        for node in (0..topology.nodes()).map(NodeId) {
            for port in network.first_rights(node).iter() {
                let (far, far_port) = network.far_end(node, port);
                let wire = shared.wires.len() as u32;
                shared.wires.push(Wire::FIRST);
                shared.hop_cycles.push(network.hop_cycles(node, port));
                shared.ends[node.index() * links + port.index()] = Some((wire, Side::First));
                shared.ends[far.index() * links + far_port.index()] = Some((wire, Side::Second));
            }
        }
        Some(shared)
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.wires.len()
    }

    /// A wire by its number, and the cycles of a hop.
    #[inline]
    pub fn wire(&self, wire: usize) -> (&Wire, u32) {
        (&self.wires[wire], self.hop_cycles[wire])
    }

    /// The number of the wire behind a link's port, and which end of it this is.
    #[inline]
    pub fn end(&self, node: NodeId, port: Port) -> (usize, Side) {
        let end = self.ends[node.index() * self.links + port.index()];
        let (wire, side) = end.expect("a wire leads from each link's port");
        (wire as usize, side)
    }

    /// The ports of a node whose wires may carry a word from it in cycle `now`.
    #[inline]
    pub fn sendable(&self, node: NodeId, now: Cycle) -> PortSet {
        let mut sendable = PortSet::EMPTY;
        let first = node.index() * self.links;
        for (port, end) in self.ends[first..first + self.links].iter().enumerate() {
            if let Some((wire, side)) = end {
                let wire = *wire as usize;
                if self.wires[wire].may_send(*side, now, self.hop_cycles[wire]) {
                    sendable.insert(Port(port as u8));
                }
            }
        }
        sendable
    }

    /// A word leaves a node in cycle `now`.
    #[inline]
    pub fn send(&mut self, node: NodeId, port: Port, word: Word, now: Cycle) {
        let (wire, side) = self.end(node, port);
        if word.flit.is_tail() {
            self.wires[wire].end(side, now, self.hop_cycles[wire]);
        } else {
            self.wires[wire].begin(side);
        }
    }

    /// A packet of `words` words in a row leaves an end of a wire from cycle `head` on.
    #[inline]
    pub fn send_packet(&mut self, (wire, side): (usize, Side), words: u32, head: Cycle) {
        self.wires[wire].end(side, head + (words - 1), self.hop_cycles[wire]);
    }
}
