//! Words that each node sends and receives.

use flitwork_types::NodeId;

/// Words by node, in the window.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Throughput {
    /// Words of the packets that each node's source made.
    pub made: Vec<u64>,
    /// Words delivered that came from each node.
    pub sent: Vec<u64>,
    /// Words of the packets to each node that entered the network.
    pub addressed: Vec<u64>,
    /// Words delivered to each node.
    pub got: Vec<u64>,
}

impl Throughput {
    pub(super) fn new(nodes: usize) -> Throughput {
        let none = || vec![0; nodes];
        Throughput {
            made: none(),
            sent: none(),
            addressed: none(),
            got: none(),
        }
    }

    #[inline]
    pub(super) fn deliver(&mut self, from: NodeId, to: NodeId, words: u16) {
        self.sent[from.index()] += u64::from(words);
        self.got[to.index()] += u64::from(words);
    }

    pub(super) fn merge(&mut self, other: &Throughput) {
        crate::merge::add(&mut self.made, &other.made);
        crate::merge::add(&mut self.sent, &other.sent);
        crate::merge::add(&mut self.addressed, &other.addressed);
        crate::merge::add(&mut self.got, &other.got);
    }
}
