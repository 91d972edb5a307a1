//! A network as plain data: what both the model and the program are given.

/// A network of Chaos routers, and the packets that it has to deliver.
#[derive(Clone, Debug)]
pub(crate) struct Network {
    pub(crate) mesh: Mesh,
    pub(crate) router: Router,
    pub(crate) nominal_ps: u64,
    /// The clock of each domain.
    pub(crate) clocks: Vec<Clock>,
    /// The domain of each node.
    pub(crate) domain_of: Vec<usize>,
    /// One entry for each pair of neighbours.
    pub(crate) links: Vec<Link>,
    pub(crate) packets: Vec<Packet>,
}

/// A line (one side) or a mesh (two sides, x first). Node = y * width + x; y grows south.
#[derive(Clone, Debug)]
pub(crate) struct Mesh {
    pub(crate) sides: Vec<usize>,
}

/// The parameters of the router, named as in the page on Chaos.
#[derive(Clone, Debug)]
pub(crate) struct Router {
    pub(crate) words: usize,
    pub(crate) queue_frames: usize,
    pub(crate) stall_threshold: u64,
    pub(crate) decision_latency: u64,
    pub(crate) release: u64,
    pub(crate) reopen: u64,
    /// Link ports in the order in which they are scanned.
    pub(crate) scan_order: Vec<usize>,
    pub(crate) newest_first: bool,
    pub(crate) derouting: bool,
    pub(crate) freed_at_tail: bool,
    pub(crate) bypass: bool,
    pub(crate) cut_through: bool,
    pub(crate) vanish: bool,
}

/// What makes a node step.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Clock {
    Oscillator {
        period_ps: u64,
        phase_ps: u64,
        drift_ppb: i64,
    },
    SelfTimed(SelfTimed),
}

/// Delays of a node without a clock, before they are scaled.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SelfTimed {
    pub(crate) word_ps: u64,
    pub(crate) decision_ps: u64,
    pub(crate) allocation_ps: Option<u64>,
    pub(crate) credit_ps: Option<u64>,
    pub(crate) count_ps: u64,
    pub(crate) scale_ppb: u64,
}

/// A link between two neighbours, the same in both directions.
#[derive(Clone, Debug)]
pub(crate) struct Link {
    pub(crate) ends: [usize; 2],
    pub(crate) wire: Wire,
    pub(crate) crossing: Crossing,
}

/// How words get over a link.
#[derive(Clone, Debug)]
pub(crate) enum Wire {
    Plain {
        latency_ps: u64,
        capacity_words: u64,
    },
    Handshake {
        four_phase: bool,
        bundling_ps: u64,
        /// The request and the acknowledge of each segment: one more than there are latches.
        segments: Vec<(u64, u64)>,
        /// Words that fit into the FIFO in front of the receiver.
        fifo_words: u64,
    },
}

/// What stands between two clocks.
#[derive(Clone, Debug)]
pub(crate) enum Crossing {
    Synchronizer { edges: u64 },
    DualClockFifo { edges: u64, depth: u64 },
    Mesochronous { margin_ps: u64 },
    Pausible { transfer_ps: u64 },
}

/// A packet, created at the beginning of a nominal cycle. Those of a source are listed in the order of creation.
#[derive(Clone, Debug)]
pub(crate) struct Packet {
    pub(crate) source: usize,
    pub(crate) destination: usize,
    pub(crate) cycle: u64,
}

/// A packet's delivery. Packets are known by their source and their number among its packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Delivery {
    pub(crate) source: usize,
    pub(crate) number: usize,
    pub(crate) node: usize,
    pub(crate) ps: u64,
}

impl Mesh {
    pub(crate) fn nodes(&self) -> usize {
        self.sides.iter().product()
    }

    /// Ports to neighbours: east and west on a line; north, east, south and west on a mesh.
    pub(crate) fn ports(&self) -> usize {
        2 * self.sides.len()
    }

    /// The dimension along which a port leads, and whether towards higher coordinates.
    fn way(&self, port: usize) -> (usize, bool) {
        match (self.sides.len(), port) {
            (1, 0) | (2, 1) => (0, true),
            (1, 1) | (2, 3) => (0, false),
            (2, 2) => (1, true),
            (2, 0) => (1, false),
            _ => unreachable!("a line has two ports, a mesh four"),
        }
    }

    fn stride(&self, dimension: usize) -> usize {
        if dimension == 0 { 1 } else { self.sides[0] }
    }

    fn coordinate(&self, node: usize, dimension: usize) -> usize {
        node / self.stride(dimension) % self.sides[dimension]
    }

    pub(crate) fn neighbour(&self, node: usize, port: usize) -> Option<usize> {
        let (dimension, up) = self.way(port);
        let at = self.coordinate(node, dimension);
        let stride = self.stride(dimension);
        match up {
            true => (at + 1 < self.sides[dimension]).then(|| node + stride),
            false => (at > 0).then(|| node - stride),
        }
    }

    /// The port at the other end of the links that begin at a port.
    pub(crate) fn opposite(&self, port: usize) -> usize {
        let ports = self.ports();
        (port + ports / 2) % ports
    }

    /// Whether a port brings a packet closer to its destination.
    pub(crate) fn productive(&self, node: usize, port: usize, destination: usize) -> bool {
        let (dimension, up) = self.way(port);
        let at = self.coordinate(node, dimension);
        let to = self.coordinate(destination, dimension);
        if up { to > at } else { to < at }
    }
}
