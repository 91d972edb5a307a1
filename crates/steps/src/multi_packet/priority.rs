//! Which packet a link takes.

use crate::rules::{
    FarthestFirst, FarthestOrigin, FarthestTotal, Fifo, NearestFirst, Order, Random,
};

/// Which of the packets of one stage that want a link goes first (section 2).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Priority {
    /// The one that has the farthest to go on its leg.
    #[default]
    FarthestFirst,
    /// The one whose leg began the farthest away.
    FarthestOrigin,
    /// The one that has the farthest to go on all its legs.
    FarthestTotal,
    /// The first to come.
    Fifo,
    /// The one that has the nearest to go on its leg: what an adversary would take.
    NearestFirst,
    /// Any.
    Random,
}

flitwork_schema::named!(Priority {
    FarthestFirst = "farthest-first",
    FarthestOrigin = "farthest-origin",
    FarthestTotal = "farthest-total",
    Fifo = "fifo",
    NearestFirst = "nearest-first",
    Random = "random",
});

/// What is done with an order.
pub(super) trait WithOrder {
    /// What comes of it.
    type Out;

    /// Does it.
    fn with<O: Order>(self, order: O) -> Self::Out;
}

impl Priority {
    /// Does something with the order of that name, in a run of a seed.
    pub(super) fn with<W: WithOrder>(self, seed: u64, work: W) -> W::Out {
        match self {
            Priority::FarthestFirst => work.with(FarthestFirst),
            Priority::FarthestOrigin => work.with(FarthestOrigin),
            Priority::FarthestTotal => work.with(FarthestTotal),
            Priority::Fifo => work.with(Fifo),
            Priority::NearestFirst => work.with(NearestFirst),
            Priority::Random => work.with(Random { seed }),
        }
    }
}
