//! What the stages tell of their decisions: what is given away, who could have had it, and by which rule.
//!
//! Ranks are those of the allocators' memories before the stage, so that it keeps the registers if it has a witness.

use super::channels::created;
use super::switch::SwitchBids;
use super::{Node, Reallocation, Speculation, Wormhole};
use crate::allocate::Bidder;
use crate::bits::Bits;
use flitwork_node::{Candidate, Decision, Place, Probe, Rule, Site, Subject, Witness};
use flitwork_topology::Topology;
use flitwork_types::{NodeId, PacketRef, Packets, Port};

/// A packet that enters.
static NEXT_LANE: Rule = Rule {
    name: "local lanes in turn",
    says: "A packet from the source takes the next local lane in turn that has room for a word, and keeps it.",
    source: "docs/src/routers/wormhole.md",
};
/// The same where channels must be empty.
static NEXT_EMPTY_LANE: Rule = Rule {
    name: "empty local lanes in turn",
    says: "A packet from the source takes the next local lane in turn that is empty, as far as the source knows, and keeps it.",
    source: "docs/src/routers/wormhole.md; Duato 1993 of channels that hold one packet",
};

/// A lane that bids for an output lane or port.
#[derive(Clone, Copy)]
struct Bid {
    lane: usize,
    rank: u64,
    wins: bool,
}

/// One kind of bids for the switch.
struct Kind<B> {
    rule: &'static Rule,
    bids: SwitchBids<B>,
}

impl<B: Bits, const N: usize, const P: usize> Node<B, N, P> {
    /// A copy before a stage of which the step's witness will be told, if it has one.
    #[inline(always)]
    pub(super) fn noted(&self, site: &mut Site<'_, impl Probe>) -> Option<Box<Node<B, N, P>>> {
        site.is_witnessed().then(|| Box::new(self.clone()))
    }
}

impl<T: Topology, B: Bits, const N: usize, const P: usize> Wormhole<T, Node<B, N, P>> {
    /// A packet of the source of which no word has moved on looks for a local lane, and perhaps gets it.
    #[cold]
    #[inline(never)]
    pub(super) fn tell_entry(
        &self,
        packet: PacketRef,
        enters: bool,
        (witness, packets): (&mut Witness, &Packets),
    ) {
        let rule = match self.parameters.reallocation {
            Reallocation::TailSent => &NEXT_LANE,
            Reallocation::BufferEmpty => &NEXT_EMPTY_LANE,
        };
        let packet = (packets[packet].id, Place::Input(self.local));
        witness.decided(Decision::of_one(Subject::Injection, rule, packet, enters));
    }

    /// Heads have bid for output lanes, and some have got them. Lanes are told in the order of places.
    #[cold]
    #[inline(never)]
    pub(super) fn tell_channels(
        &self,
        (before, after): (&Node<B, N, P>, &Node<B, N, P>),
        (node, packets): (NodeId, &Packets),
        witness: &mut Witness,
    ) {
        let allocator = self.parameters.vc_allocator;
        let heads = before.routed_heads().numbers();
        let bids: Vec<(usize, B)> = heads.map(|lane| (lane, self.bids(before, lane))).collect();
        for output in self.lanes_in_order() {
            let bidders = bids.iter().filter(|(_, bids)| bids.has(output));
            let bid = |(lane, _): &(usize, B)| Bid {
                lane: *lane,
                rank: allocator.rank(
                    &before.channel_memory,
                    self.lanes().count,
                    (*lane, output),
                    created(before.inputs[*lane].worm, packets),
                ),
                wins: after.active.has(*lane) && usize::from(after.output[*lane]) == output,
            };
            let (port, _) = self.lanes().place(output);
            let subject = Subject::Place(self.output_place(output));
            let subject = (subject, &allocator.rules().channels, port);
            let bids = bidders.map(bid).collect();
            self.tell(before, subject, bids, (node, packets), witness);
        }
        self.tell_heads((before, after), packets, witness);
    }

    /// Tells whose words cross of those that have bid for the switch, and of all that stay.
    #[inline(always)]
    pub(super) fn tell_grants(
        &self,
        before: Option<Box<Node<B, N, P>>>,
        bids: SwitchBids<B>,
        grants: B,
        site: &mut Site<'_, impl Probe>,
    ) {
        if let Some(before) = before {
            let node = site.node;
            site.witness(|witness, packets| {
                self.tell_switch(&before, (bids, grants), (node, packets), witness);
            });
        }
    }

    /// Words and heads have bid for the switch, and the words of some lanes cross now. Ports are told in the order of
    /// places, for each kind of bids.
    #[cold]
    #[inline(never)]
    fn tell_switch(
        &self,
        before: &Node<B, N, P>,
        (bids, crossing): (SwitchBids<B>, B),
        (node, packets): (NodeId, &Packets),
        witness: &mut Witness,
    ) {
        for kind in self.switch_kinds(bids) {
            for port in (0..=self.local.0).map(Port) {
                let subject = match port == self.local {
                    true => Subject::Ejection,
                    false => Subject::Switch(port),
                };
                let bids = self.bids_for_port(before, (&kind, port), crossing, packets);
                let subject = (subject, kind.rule, port);
                self.tell(before, subject, bids, (node, packets), witness);
            }
        }
        self.tell_words(before, (bids.words, crossing), packets, witness);
    }

    /// How words and heads bid for the switch in this cycle: one after the other, or together.
    fn switch_kinds(&self, bids: SwitchBids<B>) -> Vec<Kind<B>> {
        let rules = self.parameters.switch_allocator.rules();
        let of_words = Kind {
            rule: &rules.switch,
            bids: SwitchBids {
                speculative: B::NONE,
                ..bids
            },
        };
        let speculative = |rule| Kind {
            rule,
            bids: SwitchBids {
                words: B::NONE,
                ..bids
            },
        };
        match self.parameters.speculation {
            _ if bids.speculative.is_empty() => vec![of_words],
            Speculation::After => vec![of_words, speculative(&rules.after)],
            Speculation::Beside => vec![of_words, speculative(&rules.beside)],
            Speculation::Together => vec![Kind {
                rule: &rules.together,
                bids,
            }],
        }
    }

    /// The lanes that bid for a port in one way.
    fn bids_for_port(
        &self,
        state: &Node<B, N, P>,
        (kind, port): (&Kind<B>, Port),
        crossing: B,
        packets: &Packets,
    ) -> Vec<Bid> {
        let SwitchBids { words, speculative } = kind.bids;
        let row = self.lanes().row_of(self.lanes().number(port, 0));
        let at_port: B = self.lanes().at_row(row);
        let held = |lane: &usize| at_port.has(state.output[*lane].into());
        let wanted = |lane: &usize| !(self.wanted_speculatively(state, *lane) & at_port).is_empty();
        let mut lanes: Vec<usize> = words.numbers().filter(held).collect();
        lanes.extend(speculative.numbers().filter(wanted));
        let is_apart = words.is_empty() && !speculative.is_empty();
        let of_speculation = is_apart.then_some(&state.speculation_memory);
        let is_blind = is_apart && self.parameters.speculation == Speculation::Beside;
        let born = |lane: usize| created(state.inputs[lane].worm, packets);
        let bid = |lane: &usize| {
            let input = self.lanes().row_of(*lane);
            let beside = lanes.iter().filter(|it| self.lanes().row_of(**it) == input);
            let is_sure = |lane: &usize| words.has(*lane);
            let bidder = Bidder {
                bid: (*lane, row),
                born: born(*lane),
                oldest: beside.clone().map(|it| born(*it)).min()?,
                is_outranked: !is_sure(lane) && beside.clone().any(is_sure),
            };
            Some(Bid {
                lane: *lane,
                rank: self
                    .switch
                    .rank(&state.switch, of_speculation, bidder, is_blind),
                wins: crossing.has(*lane) && held(lane),
            })
        };
        lanes.iter().filter_map(bid).collect()
    }

    /// The decision between some bids, if there are any.
    fn tell(
        &self,
        state: &Node<B, N, P>,
        (subject, rule, port): (Subject, &'static Rule, Port),
        mut bids: Vec<Bid>,
        (node, packets): (NodeId, &Packets),
        witness: &mut Witness,
    ) {
        if bids.is_empty() {
            return;
        }
        bids.sort_by_key(|bid| (bid.rank, bid.lane));
        let candidate = |bid: &Bid| {
            let packet = &packets[state.inputs[bid.lane].worm];
            Candidate {
                packet: packet.id,
                from: self.input_place(bid.lane),
                rank: bid.rank,
                deroute: port != self.local && self.derouted(node, packet, port),
            }
        };
        witness.decided(Decision {
            subject,
            rule,
            candidates: bids.iter().map(candidate).collect(),
            draw: None,
            winner: bids.iter().position(|bid| bid.wins),
        });
    }
}
