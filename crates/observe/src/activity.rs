//! Counts of word movements and decisions, from which energy is computed.

use flitwork_node::{Datapath, Passes};

/// What happened in the window, in all nodes together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Activity {
    /// Words of the packets that entered the network.
    pub injected_words: u64,
    /// Words of the packets that were delivered.
    pub delivered_words: u64,
    /// Words over links.
    pub link_words: u64,
    /// Decisions: heads, or packets, that were routed onward.
    pub decisions: u64,
    /// Decisions that moved a packet into a central queue or a side buffer.
    pub stored: u64,
    /// Decisions that moved one out of it.
    pub restored: u64,
}

/// Words written, read and switched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// Words written into buffers.
    pub writes: u64,
    /// Words read from buffers.
    pub reads: u64,
    /// Words through crossbars.
    pub crossings: u64,
}

impl Activity {
    pub(super) fn merge(&mut self, other: &Activity) {
        self.injected_words += other.injected_words;
        self.delivered_words += other.delivered_words;
        self.link_words += other.link_words;
        self.decisions += other.decisions;
        self.stored += other.stored;
        self.restored += other.restored;
    }

    /// The work that this is in a router with the given datapath.
    pub fn work(&self, datapath: &Datapath) -> Work {
        let moved = |decisions: u64| decisions * u64::from(datapath.words_a_move);
        let occasions: [(u64, Passes); 6] = [
            (self.injected_words, datapath.injected),
            (self.link_words, datapath.linked),
            (self.delivered_words, datapath.delivered),
            (moved(self.decisions), datapath.moved),
            (moved(self.stored), datapath.stored),
            (moved(self.restored), datapath.restored),
        ];
        let sum = |times: fn(&Passes) -> u8| -> u64 {
            let words = occasions.iter();
            words
                .map(|(words, passes)| words * u64::from(times(passes)))
                .sum()
        };
        Work {
            writes: sum(|passes| passes.writes),
            reads: sum(|passes| passes.reads),
            crossings: sum(|passes| passes.crossings),
        }
    }
}
