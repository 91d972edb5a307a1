//! The lanes of a node: the virtual channels of its ports, one port after the other, in the order in which allocators see
//! ports.

use crate::bits::Bits;
use flitwork_node::Lane;
use flitwork_types::{MAX_PORTS, Port, PortSet};

/// The most lanes of a node: four for each of the ports that a node may have.
pub const MAX_LANES: usize = 4 * MAX_PORTS;

/// A power of two that is no less than the most ports of a node.
const PORTS: usize = MAX_PORTS.next_power_of_two();

/// Where a lane is.
#[derive(Clone, Copy, Debug)]
pub struct Spot {
    /// The set of only its port.
    pub ports: PortSet,
    /// Its port.
    pub port: u8,
    /// The row of its port, and its column, in the switch: its place in the order of ports.
    pub row: u8,
    /// Its virtual channel.
    pub channel: u8,
    /// The next row and the next virtual channel, wrapping around.
    pub next_row: u8,
    /// See [`Spot::next_row`].
    pub next_channel: u8,
}

/// The lanes of a node: lane `row * channels + channel` is a virtual channel of the port in a row of
/// the switch.
#[derive(Clone, Debug)]
pub struct Lanes {
    /// Virtual channels of a port.
    pub channels: usize,
    /// Ports of a node, the local one included.
    pub ports: usize,
    /// How many lanes there are.
    pub count: usize,
    /// That number, rounded up to a multiple of 8.
    pub places: usize,
    /// A table, since a division is slow.
    spots: [Spot; MAX_LANES],
    /// The first lane of each port, in a table whose length makes an index cheap.
    first: [u8; PORTS],
    /// The lanes below 32 from the first one of a row on.
    from_row: [u32; 8],
}

impl Lanes {
    /// This many virtual channels at each of a node's ports, in the order in which allocators see them: the local one is
    /// the last.
    ///
    /// # Panics
    /// If these are more than [`MAX_LANES`].
    pub fn new(order: &[Port], channels: usize) -> Lanes {
        let ports = order.len();
        let count = ports * channels;
        assert!(count <= MAX_LANES, "{count} lanes at a node");
        let mut first = [0; PORTS];
        for (row, port) in order.iter().enumerate() {
            first[port.index()] = (row * channels) as u8;
        }
        Lanes {
            channels,
            ports,
            count,
            places: count.next_multiple_of(8),
            spots: std::array::from_fn(|lane| Spot {
                ports: PortSet::only(order[lane / channels % ports]),
                port: order[lane / channels % ports].0,
                row: (lane / channels % ports) as u8,
                channel: (lane % channels) as u8,
                next_row: ((lane / channels + 1) % ports) as u8,
                next_channel: ((lane + 1) % channels) as u8,
            }),
            first,
            from_row: std::array::from_fn(|row| {
                let first = u32::try_from(row * channels).unwrap_or(u32::MAX);
                u32::MAX.checked_shl(first).unwrap_or(0)
            }),
        }
    }

    /// The number of a port's virtual channel.
    #[inline]
    pub fn number(&self, port: Port, channel: u8) -> usize {
        usize::from(self.first[port.index() % PORTS]) + usize::from(channel)
    }

    /// Where a lane is.
    #[inline]
    pub fn spot(&self, lane: usize) -> &Spot {
        &self.spots[lane % MAX_LANES]
    }

    /// The port of a lane, and its virtual channel.
    #[inline]
    pub fn place(&self, lane: usize) -> (Port, u8) {
        let Spot { port, channel, .. } = self.spot(lane);
        (Port(*port), *channel)
    }

    /// A lane by its number.
    #[inline(always)]
    pub fn numbered(&self, lane: usize) -> Lane {
        let (port, channel) = self.place(lane);
        Lane {
            number: lane,
            port,
            channel,
        }
    }

    /// The row of a lane's port, and its column, in the switch.
    #[inline]
    pub fn row_of(&self, lane: usize) -> usize {
        self.spot(lane).row.into()
    }

    /// All lanes of the port in a row of the switch.
    #[inline]
    pub fn at_row<B: Bits>(&self, row: usize) -> B {
        B::below(self.channels) << (row * self.channels) as u32
    }

    /// The first of some lanes below 32 whose port is in `row` or a later one, wrapping around.
    #[inline]
    pub(crate) fn first_from_row<B: Bits>(&self, lanes: B, row: u8) -> usize {
        let later = lanes & B::of(self.from_row[usize::from(row) % 8]);
        let first = if later.is_empty() { lanes } else { later };
        first.first()
    }
}
