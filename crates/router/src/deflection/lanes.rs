//! Worms: where the next word of each goes on.
//!
//! A word continues a worm if it arrives at the port at which the word before it in its packet was the last
//! to arrive. That needs no mark on the link. While the words of a worm follow each other over a link no
//! other word crosses it; and a worm is cut only because another word has taken its link, which the far end
//! sees before anything else. So both ends of a link agree on which worm crosses it, whatever their clocks,
//! even with gaps between words, and the front part of a cut worm needs no tail.

use flitwork_types::{PacketId, Port};

/// A worm that arrives at a port.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lane {
    pub(super) packet: PacketId,
    /// The place in the packet of its next word.
    pub(super) next: u16,
    /// The link by which its words leave.
    pub(super) link: Port,
}

/// The worms that pass through a node, by the ports at which they arrive, and which of them holds each link.
#[derive(Clone, Debug)]
pub(super) struct Lanes {
    lanes: Box<[Option<Lane>]>,
    /// For each link port: the input port of the worm that holds the link.
    owners: Box<[Option<Port>]>,
}

impl Lanes {
    /// Bytes outside of its own size.
    pub(super) fn heap_bytes(&self) -> usize {
        size_of_val(&*self.lanes) + size_of_val(&*self.owners)
    }

    /// The lanes of a node with this many ports for links and local ones, before the first cycle.
    pub(super) fn new(links: usize, locals: usize) -> Lanes {
        Lanes {
            lanes: vec![None; links + locals].into(),
            owners: vec![None; links].into(),
        }
    }

    /// The worms, by the ports at which they arrive. Which holds each link follows from them.
    pub(super) fn iter(&self) -> impl Iterator<Item = (Port, &Lane)> {
        let lanes = self.lanes.iter().enumerate();
        lanes.filter_map(|(port, lane)| Some((Port(port as u8), lane.as_ref()?)))
    }

    /// The link over which a word follows the one before it.
    #[inline]
    pub(super) fn follows(&self, input: Port, packet: PacketId, index: u16) -> Option<Port> {
        let lane = self.lanes[input.index()]?;
        ((lane.packet, lane.next) == (packet, index)).then_some(lane.link)
    }

    /// The word that has arrived isn't the next one of the worm at this port, or leaves the network: the worm
    /// has ended.
    #[inline]
    pub(super) fn end(&mut self, input: Port) {
        if let Some(lane) = self.lanes[input.index()].take() {
            self.owners[lane.link.index()] = None;
        }
    }

    /// A word leaves over a link: the worm that held it is cut, and the next word follows this one.
    #[inline]
    pub(super) fn pass(&mut self, input: Port, packet: PacketId, index: u16, link: Port) {
        self.end(input);
        if let Some(cut) = self.owners[link.index()].replace(input) {
            self.lanes[cut.index()] = None;
        }
        self.lanes[input.index()] = Some(Lane {
            packet,
            next: index + 1,
            link,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flitwork_types::TerminalId;

    fn packet(serial: u32) -> PacketId {
        PacketId {
            source: TerminalId(1),
            serial,
        }
    }

    #[test]
    fn words_follow_until_another_takes_their_link() {
        let mut lanes = Lanes::new(4, 1);
        assert_eq!(lanes.follows(Port(0), packet(0), 0), None);
        lanes.pass(Port(0), packet(0), 3, Port(2));
        assert_eq!(lanes.follows(Port(0), packet(0), 4), Some(Port(2)));
        assert_eq!(lanes.follows(Port(0), packet(0), 5), None);
        assert_eq!(lanes.follows(Port(0), packet(1), 4), None);
        assert_eq!(lanes.follows(Port(1), packet(0), 4), None);
        lanes.pass(Port(4), packet(7), 0, Port(2));
        assert_eq!(lanes.follows(Port(0), packet(0), 4), None);
        assert_eq!(lanes.follows(Port(4), packet(7), 1), Some(Port(2)));
        lanes.end(Port(4));
        assert_eq!(lanes.follows(Port(4), packet(7), 1), None);
    }

    #[test]
    fn two_worms_may_change_places() {
        let mut lanes = Lanes::new(4, 1);
        lanes.pass(Port(0), packet(0), 0, Port(2));
        lanes.pass(Port(1), packet(1), 0, Port(3));
        // The second cuts the first and takes its link; in the same cycle the first takes the second's.
        lanes.pass(Port(1), packet(1), 1, Port(2));
        lanes.pass(Port(0), packet(0), 1, Port(3));
        assert_eq!(lanes.follows(Port(1), packet(1), 2), Some(Port(2)));
        assert_eq!(lanes.follows(Port(0), packet(0), 2), Some(Port(3)));
    }
}
