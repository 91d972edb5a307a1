//! Universal globally adaptive load balancing (Singh 2005): each packet goes straight to its destination or, where that way is busy, by way of a random node.
//!
//! ```text
//!                 ┌─ shortest path:  queue × links ──────────────┐
//!   head, once ──▶│                                              ├─▶ straight on, unless it is the greater
//!                 └─ by way of a node: queue × links + threshold ┘
//! ```
//!
//! A head decides once, when it is routed where it was injected; the class of the channel that it takes then shows what it has decided. What it may do afterwards
//! is what [Valiant's routing](super::valiant) may, so the dependencies of channels are that function's: going straight on is what a packet does that has drawn the
//! node where it is. A packet that draws its own node or its destination goes straight on: both ways are the same.
//!
//! | the function sees | a path's queue |
//! |---|---|
//! | its own node | that of the path's first port, the shortest if there are several |
//! | all nodes, on groups | that of the first link that leaves the group, or of the first port on a path that doesn't |
//! | all nodes, elsewhere | the mean over the path's links, so that queue × links is the sum of their queues |
//!
//! A path leads, at each node, through the port with the shortest queue, the lowest of those that are equal. A queue is the words sent through a port for which no
//! credit has come back, over all virtual channels (Kim, Dally, Scott and Abts 2008, section 4).

use super::contract::{
    Chance, Choice, Choices, Declaration, Head, Queues, Routing, Sees, Stopovers,
};
use super::draws::PacketDraws;
use super::{RoutingError, RoutingParameters};
use flitwork_topology::{Shape, Topology};
use flitwork_types::{NodeId, Port};

/// The fields of [`RoutingParameters`] that functions of this kind read where nodes have coordinates.
pub(super) const READS: &[&str] = &["dateline", "axis_order", THRESHOLD];
/// The one that they read everywhere.
pub(super) const THRESHOLD: &str = "ugal_threshold_words";

/// A routing function by way of a random node, of which packets that are injected, and those that may [turn](Routing::turning), can go straight on.
pub(super) trait ByWay: Routing {
    /// The node that a packet has drawn.
    fn drawn(&self, head: &Head) -> NodeId;

    /// The draws of packets.
    fn draws(&self) -> PacketDraws;

    /// The links of the way from a node to another.
    fn links(&self, from: NodeId, to: NodeId) -> u32;

    /// The network.
    fn shape(&self) -> &Shape;
}

/// A function that decides by queues whether a packet goes by way of a node.
struct Detour {
    by_way: Box<dyn ByWay>,
    threshold: u64,
    sees: Sees,
}

/// Builds the function that sees these queues from one by way of a random node.
pub(super) fn where_busy(
    by_way: Result<Box<dyn ByWay>, RoutingError>,
    parameters: &RoutingParameters,
    sees: Sees,
) -> Result<Box<dyn Routing>, RoutingError> {
    Ok(Box::new(Detour {
        by_way: by_way?,
        threshold: parameters.ugal_threshold_words.unwrap_or(0).into(),
        sees,
    }))
}

/// Queues without a word.
struct NoWords;

impl Queues for NoWords {
    fn words(&self, _: NodeId, _: Port) -> u32 {
        0
    }
}

impl Detour {
    /// Whether it is open which way a head goes.
    fn is_open(&self, head: &Head) -> bool {
        let turns = |(_, channel)| self.by_way.turning() >> channel & 1 == 1;
        head.from.is_none_or(turns)
    }

    /// The choices of a head whose way leads by a node.
    fn choices_by(&self, head: &Head, intermediate: NodeId, choices: &mut Choices) {
        let coins = self.by_way.draws().coins(head);
        let chance = Chance::Given {
            coins,
            intermediate,
        };
        self.by_way.choices_under(head, chance, choices);
    }

    /// The queue of a head's way by a node, times its links.
    fn cost(&self, head: &Head, via: NodeId, queues: &dyn Queues) -> u64 {
        let to = head.destination;
        let links = self.by_way.links(head.here, via) + self.by_way.links(via, to);
        let (mut head, mut choices) = (*head, Choices::default());
        let (mut first, mut sum) = (None, 0);
        let shape = self.by_way.shape();
        for _ in 0..links {
            self.choices_by(&head, via, &mut choices);
            let Some((words, choice)) = shortest(head.here, &choices, queues) else {
                break;
            };
            let first = *first.get_or_insert(words);
            sum += words;
            let Some((next, port)) = shape.far(head.here, choice.port) else {
                break;
            };
            let is_border = shape.group(head.here) != shape.group(next);
            if self.sees == Sees::OwnNode || is_border {
                return words * u64::from(links);
            }
            if next == to {
                return match shape.group(next) {
                    Some(_) => first * u64::from(links),
                    None => sum,
                };
            }
            let channel = choice.channels.trailing_zeros() as u8;
            head = Head {
                here: next,
                from: Some((port, channel)),
                ..head
            };
        }
        sum
    }
}

/// The port with the shortest queue, and its words.
fn shortest(here: NodeId, choices: &Choices, queues: &dyn Queues) -> Option<(u64, Choice)> {
    let queue = |choice: &Choice| (u64::from(queues.words(here, choice.port)), *choice);
    let all = choices.preferred.iter().map(queue);
    all.min_by_key(|(words, choice)| (*words, choice.port))
}

impl Routing for Detour {
    /// As if all queues were empty.
    fn choices(&self, head: &Head, choices: &mut Choices) {
        self.choices_seeing(head, &NoWords, choices);
    }

    fn choices_seeing(&self, head: &Head, queues: &dyn Queues, choices: &mut Choices) {
        if !self.is_open(head) {
            return self.by_way.choices(head, choices);
        }
        let (here, drawn) = (head.here, self.by_way.drawn(head));
        let [straight, by_way] = [here, drawn].map(|via| self.cost(head, via, queues));
        let goes_by = straight > by_way + self.threshold;
        let via = if goes_by { drawn } else { here };
        self.choices_by(head, via, choices);
    }

    fn choices_under(&self, head: &Head, chance: Chance, choices: &mut Choices) {
        match chance {
            Chance::Drawn => self.choices(head, choices),
            given => self.by_way.choices_under(head, given, choices),
        }
    }

    fn links_left(&self, head: &Head) -> Option<u32> {
        self.by_way.links_left(head)
    }

    fn sees(&self) -> Sees {
        self.sees
    }

    fn stopovers(&self, from: NodeId, to: NodeId) -> Stopovers {
        self.by_way.stopovers(from, to)
    }

    fn turning(&self) -> u32 {
        self.by_way.turning()
    }

    fn declaration(&self) -> Declaration {
        self.by_way.declaration()
    }
}
