//! Rules by name, with what they are made of.

use super::{
    Alternating, Derouting, DimensionOrder, FarthestFirst, Fifo, Fixed, GreedyAdaptive, Inqueue,
    Lifo, NearestFirst, Random, RoundRobin, StraightFirst, StraightThrough,
};
use crate::{Blind, Corner, Rule};

/// A line of the table of rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RuleName {
    /// What users call it.
    pub name: &'static str,
    /// What it does, in a line.
    pub help: &'static str,
    which: Which,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Which {
    Greedy,
    Alternating,
    Derouting,
    Straight,
    Fifo,
    Lifo,
    Random,
    StraightFirst,
    Farthest,
    Nearest,
}

impl RuleName {
    const fn new(name: &'static str, which: Which, help: &'static str) -> RuleName {
        RuleName { name, help, which }
    }

    /// All of them: adaptive ones first, and then dimension order with its orders.
    #[rustfmt::skip]
    pub const ALL: &[RuleName] = &[
        RuleName::new("greedy-adaptive", Which::Greedy, "each link takes the oldest packet that it brings closer"),
        RuleName::new("alternating", Which::Alternating, "a packet goes straight on, and turns when it is blocked"),
        RuleName::new("derouting", Which::Derouting, "greedy; inside a box in a corner, links that are left take packets away from their destinations"),
        RuleName::new("straight-through", Which::Straight, "dimension order, straight on before turns, with queues that never refuse in the last dimension"),
        RuleName::new("fifo", Which::Fifo, "dimension order, first come, first out"),
        RuleName::new("lifo", Which::Lifo, "dimension order, last come, first out"),
        RuleName::new("random", Which::Random, "dimension order by a table that looks random"),
        RuleName::new("straight-first", Which::StraightFirst, "dimension order, straight on before turns"),
        RuleName::new("farthest-first", Which::Farthest, "dimension order, the farthest to go in the link's dimension first"),
        RuleName::new("nearest-first", Which::Nearest, "dimension order, the nearest to go in the link's dimension first"),
    ];

    /// The rule of that name.
    pub fn find(name: &str) -> Option<RuleName> {
        RuleName::ALL.iter().copied().find(|it| it.name == name)
    }

    /// Whether it sees how far packets have to go; others are blind.
    pub fn sees_distances(self) -> bool {
        matches!(self.which, Which::Farthest | Which::Nearest)
    }

    /// Whether packets follow dimension order.
    pub fn is_dimension_order(self) -> bool {
        !matches!(
            self.which,
            Which::Greedy | Which::Alternating | Which::Derouting
        )
    }

    /// Whether it says for which link a packet waits, as queues of outgoing links need.
    pub fn waits_for_links(self) -> bool {
        struct Asks;
        impl Visit for Asks {
            type Out = bool;

            fn rule<R: Rule>(self, _: &R) -> bool {
                R::WAITS_FOR_LINKS
            }
        }
        Chosen::of(self).visit(Asks)
    }

    /// Whether packets leave shortest paths.
    pub fn deroutes(self) -> bool {
        self.which == Which::Derouting
    }
}

/// Which packets are let in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum InqueueName {
    /// [`Fixed`].
    #[default]
    Fixed,
    /// [`RoundRobin`].
    RoundRobin,
}

impl InqueueName {
    /// All of them, by what users call them.
    pub const ALL: &[(&str, InqueueName)] = &[
        ("fixed", InqueueName::Fixed),
        ("round-robin", InqueueName::RoundRobin),
    ];

    /// What users call it.
    pub fn name(self) -> &'static str {
        match self {
            InqueueName::Fixed => "fixed",
            InqueueName::RoundRobin => "round-robin",
        }
    }
}

/// A rule and its parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chosen {
    /// Which rule.
    pub rule: RuleName,
    /// Which packets it lets in; [`StraightThrough`] says that by itself.
    pub inqueue: InqueueName,
    /// The table of the random order.
    pub seed: u64,
    /// The box within which a rule may deroute: the mesh' side, the corner, and the box's side.
    pub within: (u32, Corner, u32),
}

/// What is done with a rule, whatever its type.
pub trait Visit {
    /// What comes of it.
    type Out;

    /// Does it.
    fn rule<R: Rule>(self, rule: &R) -> Self::Out;
}

/// What is done with a blind rule.
pub trait VisitBlind {
    /// What comes of it.
    type Out;

    /// Does it.
    fn blind<R: Rule<Sight = Blind>>(self, rule: &R) -> Self::Out;
}

impl Chosen {
    /// A rule with the usual parameters.
    pub fn of(rule: RuleName) -> Chosen {
        Chosen {
            rule,
            inqueue: InqueueName::Fixed,
            seed: 0,
            within: (0, Corner::SouthWest, 0),
        }
    }

    /// Does something with the rule.
    pub fn visit<V: Visit>(&self, visitor: V) -> V::Out {
        match self.inqueue {
            InqueueName::Fixed => self.visit_with(Fixed, visitor),
            InqueueName::RoundRobin => self.visit_with(RoundRobin, visitor),
        }
    }

    fn visit_with<I: Inqueue, V: Visit>(&self, inqueue: I, visitor: V) -> V::Out {
        match self.rule.which {
            Which::Farthest => visitor.rule(&DimensionOrder {
                order: FarthestFirst,
                inqueue,
            }),
            Which::Nearest => visitor.rule(&DimensionOrder {
                order: NearestFirst,
                inqueue,
            }),
            _ => {
                let done = self.blind_with(inqueue, Seeing(visitor));
                done.unwrap_or_else(|_| unreachable!("all others are blind"))
            }
        }
    }

    /// Does something with a blind rule.
    ///
    /// # Errors
    /// The visitor, if the rule sees distances.
    pub fn visit_blind<V: VisitBlind>(&self, visitor: V) -> Result<V::Out, V> {
        match self.inqueue {
            InqueueName::Fixed => self.blind_with(Fixed, visitor),
            InqueueName::RoundRobin => self.blind_with(RoundRobin, visitor),
        }
    }

    fn blind_with<I: Inqueue, V: VisitBlind>(&self, inqueue: I, visitor: V) -> Result<V::Out, V> {
        let (side, corner, box_side) = self.within;
        Ok(match self.rule.which {
            Which::Greedy => visitor.blind(&GreedyAdaptive { inqueue }),
            Which::Alternating => visitor.blind(&Alternating { inqueue }),
            Which::Derouting => visitor.blind(&Derouting {
                side,
                corner,
                box_side,
                inqueue,
            }),
            Which::Straight => visitor.blind(&StraightThrough),
            Which::Fifo => visitor.blind(&DimensionOrder {
                order: Fifo,
                inqueue,
            }),
            Which::Lifo => visitor.blind(&DimensionOrder {
                order: Lifo,
                inqueue,
            }),
            Which::Random => visitor.blind(&DimensionOrder {
                order: Random { seed: self.seed },
                inqueue,
            }),
            Which::StraightFirst => visitor.blind(&DimensionOrder {
                order: StraightFirst,
                inqueue,
            }),
            Which::Farthest | Which::Nearest => return Err(visitor),
        })
    }
}

/// Of a blind rule nothing more is needed than of any.
struct Seeing<V>(V);

impl<V: Visit> VisitBlind for Seeing<V> {
    type Out = V::Out;

    fn blind<R: Rule<Sight = Blind>>(self, rule: &R) -> V::Out {
        self.0.rule(rule)
    }
}
