//! What a cycle decides, and why worms stay.
//!
//! ```text
//!   a copy of the registers ──▶ the cycle itself ──▶ what it did: lanes given away, words that crossed
//!                                 │          │
//!            registers when heads bid      registers when words bid ──▶ who could have had it
//! ```
//!
//! Nothing is decided here: who bids is asked of the stages, and what becomes of it is what a copy of the node does.

mod decisions;
mod doings;

use super::watch::Watch;
use super::{Node, Wormhole};
use crate::bits::Bits;
use flitwork_node::{Event, Explanation, Incoming, Lane, Letter, Place, Post, Probe, Site};
use flitwork_topology::Topology;
use flitwork_types::{Cycle, NodeId, PacketId, PacketRef, Packets, Port};

/// A cycle that a copy of a node has been through.
struct Course<'a, B: Bits, const N: usize, const P: usize> {
    node: NodeId,
    packets: &'a Packets,
    /// The registers when heads bid for output lanes.
    heads: Node<B, N, P>,
    /// The registers when words bid for the switch.
    words: Node<B, N, P>,
    /// The input lanes whose words bid, and those whose heads bid speculatively.
    bids: B,
    hopeful: B,
    /// The registers at the end.
    end: Node<B, N, P>,
    /// The output lanes that input lanes were given, and whether that is a deroute.
    given: Vec<(usize, usize, bool)>,
    /// The input lanes from which a word crossed, and the output lanes to which it did.
    crossed: Vec<(usize, usize)>,
    /// Whether a word of the source moved on.
    has_entered: bool,
}

impl<B: Bits, const N: usize, const P: usize> Course<'_, B, N, P> {
    /// The packet at the front of an input lane.
    fn worm(&self, lane: usize) -> PacketId {
        self.packets[self.heads.inputs[lane].worm].id
    }

    /// When it was made.
    fn born(&self, lane: usize) -> u64 {
        super::channels::created(self.heads.inputs[lane].worm, self.packets)
    }

    /// The output lane to which an input lane's word crossed.
    fn goal(&self, lane: usize) -> Option<usize> {
        let mut crossed = self.crossed.iter();
        crossed
            .find(|(from, _)| *from == lane)
            .map(|(_, output)| *output)
    }
}

/// Copies the registers when somebody bids.
struct Copies<S, B> {
    heads: Option<S>,
    words: Option<(S, B, B)>,
}

impl<S: Clone, B> Watch<S, B> for Copies<S, B> {
    fn heads_bid(&mut self, state: &S) {
        self.heads = Some(state.clone());
    }

    fn words_bid(&mut self, state: &S, (bids, hopeful): (B, B)) {
        self.words = Some((state.clone(), bids, hopeful));
    }
}

/// Where words go. None of them leaves.
struct Crossed<'a> {
    head: &'a dyn Fn(Port) -> PacketRef,
    outputs: Vec<usize>,
}

impl Post for Crossed<'_> {
    const EVERY_WORD: bool = true;

    fn head(&self, port: Port) -> PacketRef {
        (self.head)(port)
    }

    fn word<P: Probe>(&mut self, _: Cycle, to: Lane, _: Letter, _: &mut Site<'_, P>) {
        self.outputs.push(to.number);
    }

    fn body(&mut self, _: Lane) {}

    fn credit(&mut self, _: Lane) {}

    fn inject(&mut self, _: Lane, _: Letter) {}

    fn free(&mut self) {}
}

/// Who moves.
struct Moves(Vec<(Place, Place, bool)>);

impl Probe for Moves {
    fn event(&mut self, _: NodeId, _: Cycle, event: Event) {
        if let Event::Moved {
            from, to, deroute, ..
        } = event
        {
            self.0.push((from, to, deroute));
        }
    }
}

impl<T: Topology, B: Bits, const N: usize, const P: usize> Wormhole<T, Node<B, N, P>> {
    /// What a cycle with this mail does and decides; `head` is the packet whose head has arrived at a port.
    pub(super) fn explanation(
        &self,
        at: (NodeId, Cycle),
        state: &Node<B, N, P>,
        (incoming, head): (Incoming<B>, &dyn Fn(Port) -> PacketRef),
        packets: &Packets,
    ) -> Explanation {
        let Some(course) = self.course(at, state, (incoming, head), packets) else {
            return Explanation::default();
        };
        Explanation {
            decisions: self.decisions(&course),
            packets: self.doings(&course),
        }
    }

    /// Runs the cycle on a copy of the registers; `None` if nothing is there.
    fn course<'a>(
        &self,
        (node, now): (NodeId, Cycle),
        state: &Node<B, N, P>,
        (incoming, head): (Incoming<B>, &dyn Fn(Port) -> PacketRef),
        packets: &'a Packets,
    ) -> Option<Course<'a, B, N, P>> {
        let (mut end, mut moves) = (state.clone(), Moves(Vec::new()));
        let mut copies = Copies {
            heads: None,
            words: None,
        };
        let mut post = Crossed {
            head,
            outputs: Vec::new(),
        };
        let mut site = Site {
            node,
            packets: &mut packets.clone(),
            probe: &mut moves,
        };
        self.cycle((&mut end, now), incoming, &mut post, &mut site, &mut copies);
        let (words, bids, hopeful) = copies.words?;
        let gone = match incoming.begun {
            Some(_) => 0,
            None => state.injection.gone,
        };
        // A lane that a tail has left is given to nobody else in the same cycle.
        let crossed = post.outputs.iter();
        let crossed = crossed.map(|output| (usize::from(end.holder[*output]), *output));
        let given = moves.0.iter().map(|(from, to, deroute)| {
            let lane = |place: &Place| match place {
                Place::InputChannel(port, channel) | Place::OutputChannel(port, channel) => {
                    self.lanes().number(*port, *channel)
                }
                other => panic!("a worm moves from lane to lane, not {other}"),
            };
            (lane(from), lane(to), *deroute)
        });
        Some(Course {
            node,
            packets,
            // If no head can bid, that stage is left out.
            heads: copies.heads.unwrap_or_else(|| words.clone()),
            bids,
            hopeful,
            given: given.collect(),
            crossed: crossed.collect(),
            has_entered: end.injection.gone != gone,
            words,
            end,
        })
    }
}
