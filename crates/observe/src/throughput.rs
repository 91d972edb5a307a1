//! Words that each terminal sends and receives.

use flitwork_types::Packet;

/// Words by terminal, in the window.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Throughput {
    /// Words of the packets that each terminal's source made.
    pub made: Vec<u64>,
    /// Words delivered that came from each terminal.
    pub sent: Vec<u64>,
    /// Words of the packets to each terminal that entered the network.
    pub addressed: Vec<u64>,
    /// Words delivered to each terminal.
    pub got: Vec<u64>,
}

impl Throughput {
    pub(super) fn new(terminals: usize) -> Throughput {
        let none = || vec![0; terminals];
        Throughput {
            made: none(),
            sent: none(),
            addressed: none(),
            got: none(),
        }
    }

    #[inline]
    pub(super) fn deliver(&mut self, packet: &Packet) {
        let words = u64::from(packet.words);
        self.sent[packet.id.source.index()] += words;
        self.got[packet.destination.index()] += words;
    }

    pub(super) fn merge(&mut self, other: &Throughput) {
        crate::merge::add(&mut self.made, &other.made);
        crate::merge::add(&mut self.sent, &other.sent);
        crate::merge::add(&mut self.addressed, &other.addressed);
        crate::merge::add(&mut self.got, &other.got);
    }
}
