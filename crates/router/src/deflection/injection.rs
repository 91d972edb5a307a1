//! The injection register: the packet whose words come from the source and enter the network.

use super::hand::{Contenders, Hand};
use super::priority::Here;
use super::{Deflection, Node};
use flitwork_node::{Place, Probe, Site};
use flitwork_topology::Topology;
use flitwork_types::{Cycle, PacketRef, Packets, Word};

/// A packet on its way from its source into the network.
#[derive(Clone, Copy, Debug)]
pub(super) struct Injection {
    /// Its record, from which those of its words are copied.
    pub(super) packet: PacketRef,
    /// Words that have come from the source, and words that have entered the network.
    pub(super) came: u16,
    pub(super) gone: u16,
    words: u16,
}

impl Injection {
    /// The first word of a packet of this many words has come.
    fn begin(packet: PacketRef, words: u16) -> Injection {
        Injection {
            packet,
            came: 1,
            gone: 0,
            words,
        }
    }

    /// The next word has come.
    fn come(&mut self, word: Word) {
        let next = (word.packet, word.index) == (self.packet, self.came);
        assert!(next, "{word:?} came from the source to {self:?}");
        self.came += 1;
    }

    /// The word that would enter the network next, if it has come.
    #[inline]
    pub(super) fn waiting(&self) -> Option<u16> {
        (self.gone < self.came).then_some(self.gone)
    }

    /// The waiting word enters the network with a record of its own; the last one takes over the packet's. Returns the
    /// record, and whether it is the last.
    #[inline]
    fn go(&mut self, packets: &mut Packets) -> (PacketRef, bool) {
        self.gone += 1;
        match self.gone == self.words {
            true => (self.packet, true),
            false => (packets.insert(packets[self.packet]), false),
        }
    }
}

impl<T: Topology> Deflection<T> {
    /// A word of a packet comes from the source.
    pub(super) fn inject<P: Probe>(
        &self,
        state: &mut Node,
        word: Word,
        now: Cycle,
        site: &mut Site<'_, P>,
    ) {
        match &mut state.injection {
            Some(injection) => injection.come(word),
            empty => {
                let node = site.node;
                assert!(word.index == 0, "node {node}: {word:?} without a head");
                site.injected(now, word.packet);
                let words = site.packets[word.packet].words;
                *empty = Some(Injection::begin(word.packet, words));
            }
        }
    }

    /// The next word of the packet in the injection register, if it has come; with the packet's record.
    ///
    /// In most cycles there is none, and a call of its own cost a run 1.5 % of its instructions.
    #[inline(always)]
    pub(super) fn entering(&self, state: &Node, packets: &Packets, here: Here) -> Option<Hand> {
        let injection = state.injection.as_ref()?;
        let (packet, index) = (injection.packet, injection.waiting()?);
        let local = self.topology.local();
        let mut hand = self.hand(Place::Input(local), packet, index, packets, here);
        if let Some(lanes) = &state.lanes {
            hand.follows = lanes.follows(local, packets[packet].id, index);
        }
        Some(hand)
    }

    /// The next word of the packet in the injection register enters the network. Returns whether it is the
    /// last.
    pub(super) fn enter(
        &self,
        state: &mut Node,
        hands: &mut Contenders,
        packets: &mut Packets,
        here: Here,
    ) -> bool {
        let Some(hand) = self.entering(state, packets, here) else {
            return false;
        };
        let Some(injection) = &mut state.injection else {
            return false;
        };
        let (packet, last) = injection.go(packets);
        if last {
            state.injection = None;
        }
        hands.push(Hand { packet, ..hand });
        last
    }
}
