//! The lanes of a node: the virtual channels of its ports, one after the other.

use crate::bits::Bits;
use flitwork_node::Lane;
use flitwork_types::{Port, PortSet};

/// The most lanes of a node.
pub const MAX_LANES: usize = 128;

/// Where a lane is.
#[derive(Clone, Copy, Debug)]
pub struct Spot {
    /// The set of only its port.
    pub ports: PortSet,
    /// Its port.
    pub port: u8,
    /// Its virtual channel.
    pub channel: u8,
    /// The next port and the next virtual channel, wrapping around.
    pub next_port: u8,
    /// See [`Spot::next_port`].
    pub next_channel: u8,
}

/// The lanes of a node: lane `port * channels + channel` is a virtual channel of a port.
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
    /// The lanes below 32 from the first one of a port on.
    from_port: [u32; 8],
}

impl Lanes {
    /// This many virtual channels at each of this many ports.
    ///
    /// # Panics
    /// If these are more than [`MAX_LANES`].
    pub fn new(ports: usize, channels: usize) -> Lanes {
        let count = ports * channels;
        assert!(count <= MAX_LANES, "{count} lanes at a node");
        Lanes {
            channels,
            ports,
            count,
            places: count.next_multiple_of(8),
            spots: std::array::from_fn(|lane| Spot {
                ports: PortSet(1 << (lane / channels % ports)),
                port: (lane / channels % ports) as u8,
                channel: (lane % channels) as u8,
                next_port: ((lane / channels + 1) % ports) as u8,
                next_channel: ((lane + 1) % channels) as u8,
            }),
            from_port: std::array::from_fn(|port| {
                let first = u32::try_from(port * channels).unwrap_or(u32::MAX);
                u32::MAX.checked_shl(first).unwrap_or(0)
            }),
        }
    }

    /// The number of a port's virtual channel.
    #[inline]
    pub fn number(&self, port: Port, channel: u8) -> usize {
        port.index() * self.channels + usize::from(channel)
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

    /// The port of a lane, as a row or a column of the switch.
    #[inline]
    pub fn port_of(&self, lane: usize) -> usize {
        self.spot(lane).port.into()
    }

    /// All lanes of a port.
    #[inline]
    pub fn of_port<B: Bits>(&self, port: usize) -> B {
        B::below(self.channels) << (port * self.channels) as u32
    }

    /// The first of some lanes below 32 whose port is `port` or a later one, wrapping around.
    #[inline]
    pub(crate) fn first_from_port<B: Bits>(&self, lanes: B, port: u8) -> usize {
        let later = lanes & B::of(self.from_port[usize::from(port) % 8]);
        let first = if later.is_empty() { lanes } else { later };
        first.first()
    }
}
