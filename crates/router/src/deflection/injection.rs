//! The injection register: the packet whose words come from the source and enter the network.

use super::hand::{Contenders, Hand};
use super::priority::Here;
use super::{Deflection, Node, explain};
use crate::registers::local_port;
use flitwork_node::{Place, Probe, Site};
use flitwork_topology::Topology;
use flitwork_types::{Cycle, PacketRef, Packets, Port, PortSet, Word};

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
    /// A word of a packet comes from the source at a local port.
    pub(super) fn inject<P: Probe>(
        &self,
        state: &mut Node,
        (port, word): (Port, Word),
        now: Cycle,
        site: &mut Site<'_, P>,
    ) {
        match state.injections.at(port.index() - self.topology.ports()) {
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

    /// The next word of the packet in the injection register of a local port, if it has come; with the packet's record.
    ///
    /// In most cycles there is none, and a call of its own cost a run 1.5 % of its instructions.
    #[inline(always)]
    pub(super) fn entering(
        &self,
        state: &Node,
        local: usize,
        packets: &Packets,
        here: Here,
    ) -> Option<Hand> {
        let injection = state.injections.get(local)?;
        let (packet, index) = (injection.packet, injection.waiting()?);
        let port = local_port(self.topology.ports(), local);
        let mut hand = self.hand(Place::Input(port), packet, index, packets, here);
        if let Some(lanes) = &state.lanes {
            hand.follows = lanes.follows(port, packets[packet].id, index);
        }
        Some(hand)
    }

    /// The next word from each terminal enters the network, terminals in turn, as long as fewer words go on than there are
    /// `links`. One to another terminal of the node waits to be ejected. Adds the ports whose packets have left their sources
    /// whole to `left_source`.
    #[inline(always)]
    pub(super) fn enter<P: Probe>(
        &self,
        state: &mut Node,
        hands: &mut Contenders,
        links: usize,
        here: Here,
        left_source: &mut PortSet,
        site: &mut Site<'_, P>,
    ) {
        if self.locals == 1 {
            return self.enter_from(0, state, hands, links, (here, left_source), site);
        }
        for local in state.injections.in_turn() {
            self.enter_from(local, state, hands, links, (here, left_source), site);
        }
    }

    /// The next word from one terminal.
    #[inline(always)]
    fn enter_from<P: Probe>(
        &self,
        local: usize,
        state: &mut Node,
        hands: &mut Contenders,
        links: usize,
        (here, left_source): (Here, &mut PortSet),
        site: &mut Site<'_, P>,
    ) {
        let Some(hand) = self.entering(state, local, site.packets, here) else {
            return;
        };
        let room = hands.len() < links;
        if hand.home {
            return;
        }
        site.witness(|witness, packets| {
            explain::entry(&hand, room, hands, (witness, packets));
        });
        if room {
            let packet = self.leave_source(state, local, left_source, site.packets);
            hands.push(Hand { packet, ..hand });
            state.injections.entered(local);
        }
    }

    /// The next word of the packet in the injection register of a local port leaves it, with the record that is returned. The
    /// last one frees the register.
    pub(super) fn leave_source(
        &self,
        state: &mut Node,
        local: usize,
        left_source: &mut PortSet,
        packets: &mut Packets,
    ) -> PacketRef {
        let register = state.injections.at(local);
        let injection = register.as_mut();
        let injection = injection.expect("a word that leaves an injection register is in it");
        let (packet, last) = injection.go(packets);
        if last {
            *register = None;
            left_source.insert(local_port(self.topology.ports(), local));
        }
        packet
    }
}
