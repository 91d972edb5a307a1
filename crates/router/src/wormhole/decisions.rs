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

flitwork_node::rules! {
    /// A packet that enters.
    NEXT_LANE = "local lanes in turn",
        "A packet from the source takes the next local lane in turn that has room for a word, and keeps it.",
        "docs/src/routers/wormhole.md";

    /// The same where channels must be empty.
    NEXT_EMPTY_LANE = "empty local lanes in turn",
        "A packet from the source takes the next local lane in turn that is empty, as far as the source knows, and keeps it.",
        "docs/src/routers/wormhole.md; Duato 1993 of channels that hold one packet";
}

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

impl<B: Bits, const N: usize, const P: usize, const L: usize> Node<B, N, P, L> {
    /// A copy before a stage of which the step's witness will be told, if it has one.
    #[inline(always)]
    pub(super) fn noted(&self, site: &mut Site<'_, impl Probe>) -> Option<Box<Node<B, N, P, L>>> {
        site.is_witnessed().then(|| Box::new(self.clone()))
    }
}

impl<T: Topology, B: Bits, const N: usize, const P: usize, const L: usize>
    Wormhole<T, Node<B, N, P, L>>
{
    /// A packet of a source of which no word has moved on looks for a local lane, and perhaps gets it.
    #[cold]
    #[inline(never)]
    pub(super) fn tell_entry(
        &self,
        (packet, place): (PacketRef, Place),
        enters: bool,
        (witness, packets): (&mut Witness, &Packets),
    ) {
        let rule = match self.parameters.reallocation {
            Reallocation::TailSent => &NEXT_LANE,
            Reallocation::BufferEmpty => &NEXT_EMPTY_LANE,
        };
        let packet = (packets[packet].id, place);
        witness.decided(Decision::of_one(Subject::Injection, rule, packet, enters));
    }

    /// Tells of a stage, if its registers have been noted before it.
    #[inline(always)]
    pub(super) fn tell(
        &self,
        before: Option<Box<Node<B, N, P, L>>>,
        site: &mut Site<'_, impl Probe>,
        stage: impl FnOnce(Telling<'_, T, B, N, P, L>),
    ) {
        if let Some(before) = before {
            let node = site.node;
            site.witness(|witness, packets| {
                stage(Telling {
                    router: self,
                    before: &before,
                    node,
                    packets,
                    witness,
                });
            });
        }
    }
}

/// A stage of a node that has a witness.
pub(super) struct Telling<'a, T, B: Bits, const N: usize, const P: usize, const L: usize> {
    pub(super) router: &'a Wormhole<T, Node<B, N, P, L>>,
    /// The registers before the stage.
    pub(super) before: &'a Node<B, N, P, L>,
    node: NodeId,
    pub(super) packets: &'a Packets,
    pub(super) witness: &'a mut Witness,
}

impl<T: Topology, B: Bits, const N: usize, const P: usize, const L: usize>
    Telling<'_, T, B, N, P, L>
{
    /// Heads have bid for output lanes, and some have got them. Lanes are told in the order of places.
    #[cold]
    #[inline(never)]
    pub(super) fn channels(mut self, after: &Node<B, N, P, L>) {
        let (router, before) = (self.router, self.before);
        let allocator = router.parameters.vc_allocator;
        let heads = before.routed_heads().numbers();
        let bids: Vec<(usize, B)> = heads
            .map(|lane| (lane, router.bids(before, lane)))
            .collect();
        for output in router.lanes_in_order() {
            let bidders = bids.iter().filter(|(_, bids)| bids.has(output));
            let bid = |(lane, _): &(usize, B)| Bid {
                lane: *lane,
                rank: allocator.rank(
                    &before.channel_memory,
                    router.lanes().count,
                    (*lane, output),
                    self.born(*lane),
                ),
                wins: after.active.has(*lane) && usize::from(after.output[*lane]) == output,
            };
            let bids = bidders.map(bid).collect();
            let (port, _) = router.lanes().place(output);
            let subject = Subject::Place(router.output_place(output));
            self.decided((subject, &allocator.rules().channels, port), bids);
        }
        self.heads(after);
    }

    /// Words and heads have bid for the switch, and the words of some lanes cross now. Ports are told in the order of
    /// places, for each kind of bids; then all that stay.
    #[cold]
    #[inline(never)]
    pub(super) fn switch(mut self, bids: SwitchBids<B>, crossing: B) {
        for kind in self.switch_kinds(bids) {
            for port in self.router.ports() {
                let subject = match self.router.is_local(port) {
                    true => Subject::Ejection,
                    false => Subject::Switch(port),
                };
                let bids = self.bids_for_port(&kind, port, crossing);
                self.decided((subject, kind.rule, port), bids);
            }
        }
        self.words(bids.words, crossing);
    }

    /// When the packet at the front of an input lane was made.
    fn born(&self, lane: usize) -> u64 {
        created(self.before.inputs[lane].worm, self.packets)
    }

    /// How words and heads bid for the switch in this cycle: one after the other, or together.
    fn switch_kinds(&self, bids: SwitchBids<B>) -> Vec<Kind<B>> {
        let parameters = &self.router.parameters;
        let rules = parameters.switch_allocator.rules();
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
        match parameters.speculation {
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
    fn bids_for_port(&self, kind: &Kind<B>, port: Port, crossing: B) -> Vec<Bid> {
        let (router, state) = (self.router, self.before);
        let SwitchBids { words, speculative } = kind.bids;
        let row_of = |lane: usize| router.lanes().row_of(lane);
        let row = row_of(router.lanes().number(port, 0));
        let at_port: B = router.lanes().at_row(row);
        let held = |lane: &usize| at_port.has(state.output[*lane].into());
        let wanted =
            |lane: &usize| !(router.wanted_speculatively(state, *lane) & at_port).is_empty();
        let mut lanes: Vec<usize> = words.numbers().filter(held).collect();
        lanes.extend(speculative.numbers().filter(wanted));
        let is_apart = words.is_empty() && !speculative.is_empty();
        let of_speculation = is_apart.then_some(&state.speculation_memory);
        let is_blind = is_apart && router.parameters.speculation == Speculation::Beside;
        let bid = |lane: &usize| {
            let beside = lanes.iter().filter(|it| row_of(**it) == row_of(*lane));
            let is_sure = |lane: &usize| words.has(*lane);
            let bidder = Bidder {
                bid: (*lane, row),
                born: self.born(*lane),
                oldest: beside.clone().map(|it| self.born(*it)).min()?,
                is_outranked: !is_sure(lane) && beside.clone().any(is_sure),
            };
            let switch = &router.switch;
            Some(Bid {
                lane: *lane,
                rank: switch.rank(&state.switch, of_speculation, bidder, is_blind),
                wins: crossing.has(*lane) && held(lane),
            })
        };
        lanes.iter().filter_map(bid).collect()
    }

    /// The decision between some bids, if there are any.
    fn decided(
        &mut self,
        (subject, rule, port): (Subject, &'static Rule, Port),
        mut bids: Vec<Bid>,
    ) {
        if bids.is_empty() {
            return;
        }
        bids.sort_by_key(|bid| (bid.rank, bid.lane));
        let (router, node) = (self.router, self.node);
        let candidate = |bid: &Bid| {
            let packet = &self.packets[self.before.inputs[bid.lane].worm];
            Candidate {
                packet: packet.id,
                from: router.input_place(bid.lane),
                rank: bid.rank,
                deroute: !router.is_local(port) && router.derouted(node, packet, port),
            }
        };
        let candidates = bids.iter().map(candidate).collect();
        self.witness.decided(Decision {
            subject,
            rule,
            candidates,
            draw: None,
            winner: bids.iter().position(|bid| bid.wins),
        });
    }
}
