//! Which words are predicted: the part that encoder and decoder have in common.

use flitwork_types::{Cycle, Due, Port, PortSet};

/// The packets that are arriving at a node's ports.
#[derive(Clone, Debug)]
pub(super) struct Flow {
    /// The ports at which a word is predicted, one bit each.
    flowing: u64,
    /// The cycle of the earliest end of a flowing port.
    next_end: Due,
    /// Words per packet, at least 1.
    packet_words: u32,
    /// For a flowing port: the cycle after the one in which its packet's last word arrives, if no word is missing. For
    /// any other port: how many words of its packet have yet to arrive, 0 between packets.
    ports: Box<[u32]>,
}

impl Flow {
    pub(super) fn new(packet_words: u16, ports: usize) -> Flow {
        Flow {
            flowing: 0,
            next_end: Due::NEVER,
            packet_words: u32::from(packet_words.max(1)),
            ports: vec![0; ports].into_boxed_slice(),
        }
    }

    /// How many ports there are.
    #[inline]
    pub(super) fn ports(&self) -> usize {
        self.ports.len()
    }

    /// The ports at which a word is predicted.
    #[inline]
    pub(super) fn flowing(&self) -> u64 {
        self.flowing
    }

    /// Whether cycle `now` changes nothing here as long as its words are those predicted.
    #[inline]
    pub(super) fn goes_on(&self, now: u32) -> bool {
        self.next_end != Cycle(now + 1)
    }

    /// Those words of the next cycle that are heads.
    #[inline]
    pub(super) fn heads(&self, words: u64) -> u64 {
        let begun = bits(words & !self.flowing).filter(|&port| self.ports[port] == 0);
        begun.fold(0, |heads, port| heads | 1 << port)
    }

    /// Notes the words of cycle `now`. Not needed if they are those predicted and the flow continues.
    #[inline]
    pub(super) fn advance(&mut self, now: u32, words: u64) {
        let missing = self.flowing & !words;
        for port in bits(missing) {
            self.ports[port] -= now;
        }
        for port in bits(words & !self.flowing) {
            let left = match self.ports[port] {
                0 => self.packet_words,
                left => left,
            };
            let end = now + left;
            self.ports[port] = end;
            self.next_end = self.next_end.min(Cycle(end).into());
        }
        self.flowing = words;
        if missing != 0 || !self.goes_on(now) {
            self.find_ends(now);
        }
    }

    /// Notes whose packets cycle `now` completes, and where the next will be complete.
    fn find_ends(&mut self, now: u32) {
        self.next_end = Due::NEVER;
        for port in bits(self.flowing) {
            let end = self.ports[port];
            if end == now + 1 {
                self.ports[port] = 0;
                self.flowing &= !(1 << port);
            } else {
                self.next_end = self.next_end.min(Cycle(end).into());
            }
        }
    }
}

/// The places of the bits that are set, lowest first.
#[inline]
pub(super) fn bits(set: u64) -> impl Iterator<Item = usize> {
    PortSet(set).iter().map(Port::index)
}
