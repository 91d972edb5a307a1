//! Channel load: the words that cross each link for each word that a terminal sends, under a pattern and a routing function, and the
//! throughput that the busiest link allows (Dally and Towles 2004, section 3.3.1).
//!
//! ```text
//!   pattern ──▶ demand ──┐
//!                        ├──▶ straight ──┐
//!   routing ──▶ ways ────┤    by_way   ──┼──▶ load of each link ──▶ busiest link ──▶ throughput
//!   function    every    └──▶            │
//!               head once    mix of both ┘   where a function chooses between them by queues
//! ```
//!
//! For each destination the words of all sources are put where they enter, and flow along the choices that the routing function
//! prefers, in an order in which all that comes to a head is there before it goes on. A head is a node, and the port and the channel at which it
//! came. Of the virtual channels of a choice, which lead on alike, one stands for all. Where there are several ports, the words divide: as the
//! function draws, which is exact, or, where that depends on what is free, evenly, which is an assumption.
//!
//! Packets that visit an intermediate node flow twice, to it and from it, for each that they may draw. A function that decides by queues
//! which packets do is given the mixture of both that loads the busiest link least.

mod by_way;
mod demand;
mod shortest;
mod straight;
mod ways;

pub use demand::Demand;
pub use shortest::{Followed, ShortestPaths};

use super::contract::{Routing, Sees};
use super::dependencies::Watch;
use flitwork_topology::{Shape, Topology, busiest_link};
use flitwork_types::Duplex;
use ways::Ways;

/// What the load of links is based on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Basis {
    /// The function and the pattern decide it.
    Exact,
    /// Words are taken to divide evenly over the ports that a head prefers: which are free isn't known before a run.
    EvenSplit,
    /// This part of all packets goes by way of a random node, the others straight on: the mixture that allows the most.
    BestMix(f64),
}

impl Basis {
    /// Its name in files.
    pub fn name(self) -> &'static str {
        match self {
            Basis::Exact => "exact",
            Basis::EvenSplit => "even-split",
            Basis::BestMix(_) => "best-mix",
        }
    }
}

/// The load of a network's links.
#[derive(Clone, Debug, PartialEq)]
pub struct ChannelLoad {
    /// For each node and port, in the order of nodes, then ports, the words that leave there over the link in a cycle if each terminal that
    /// sends sends one.
    pub links: Vec<f64>,
    /// What it is based on.
    pub basis: Basis,
    /// The most that a link carries then, both ways together if they share its wires.
    pub busiest: f64,
    /// The most that a terminal receives then.
    pub received: f64,
    /// How many terminals send.
    pub senders: u32,
}

impl ChannelLoad {
    /// The ideal throughput: the words that each terminal that sends can send in a cycle, until the busiest link carries a word a cycle, or a
    /// terminal makes or receives one.
    pub fn throughput(&self) -> f64 {
        1.0 / self.busiest.max(self.received).max(1.0)
    }
}

/// Why the load of links isn't known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unloaded {
    /// More heads would have to be followed.
    #[error("more than {allowed} heads would have to be followed")]
    TooMuch {
        /// So many are allowed.
        allowed: u64,
    },
    /// The routes of a table lead packets in a circle, or nowhere.
    #[error("packets may not arrive")]
    Astray,
    /// The function doesn't say which intermediate nodes packets draw.
    #[error("the routing function doesn't say which nodes its packets visit first")]
    Stopovers,
    /// The observer ended it.
    #[error("interrupted")]
    Stopped,
}

/// The load of links under a routing function and a demand. At most `allowed` heads are followed.
///
/// # Errors
/// [`Unloaded`].
pub fn channel_load(
    routing: &dyn Routing,
    (shape, duplex): (&Shape, Duplex),
    demand: &Demand,
    allowed: u64,
    watch: &mut Watch<'_>,
) -> Result<ChannelLoad, Unloaded> {
    demand.refuse_above(allowed)?;
    let mut ways = Ways::new(routing, shape, allowed);
    let none = || vec![0.0; shape.nodes() as usize * shape.ports()];
    let busiest = |links: &[f64]| busiest_link(shape, links, duplex);
    let visits = routing.declaration().visits;
    let (links, best) = match (visits, routing.sees()) {
        (false, _) => {
            let mut links = none();
            straight::add(&mut ways, demand, &mut links, watch)?;
            (links, None)
        }
        (true, Sees::Nothing) => {
            let mut links = none();
            by_way::add(&mut ways, demand, &mut links, watch)?;
            (links, None)
        }
        (true, _) => {
            let (mut straight, mut by_way) = (none(), none());
            straight::add(&mut ways, demand, &mut straight, watch)?;
            by_way::add(&mut ways, demand, &mut by_way, watch)?;
            let (part, links) = best_mix(&straight, &by_way, busiest);
            (links, Some(part))
        }
    };
    Ok(ChannelLoad {
        busiest: busiest(&links),
        received: demand.received(),
        senders: demand.senders,
        basis: match best {
            Some(part) => Basis::BestMix(part),
            None if ways.divides => Basis::EvenSplit,
            None => Basis::Exact,
        },
        links,
    })
}

/// The part of the second load in the mixture of two whose busiest link carries least, and the mixture. What the busiest link carries is a convex
/// function of it.
fn best_mix(one: &[f64], other: &[f64], busiest: impl Fn(&[f64]) -> f64) -> (f64, Vec<f64>) {
    let mixed = |part: f64| -> Vec<f64> {
        let both = one.iter().zip(other);
        both.map(|(one, other)| (1.0 - part) * one + part * other)
            .collect()
    };
    let load = |part: f64| busiest(&mixed(part));
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..64 {
        let third = (high - low) / 3.0;
        // Rather fewer by way of a node.
        match load(low + third) <= load(high - third) {
            true => high -= third,
            false => low += third,
        }
    }
    let ends = [0.0, 1.0, low.midpoint(high)];
    let best = ends.into_iter().min_by(|one, other| {
        let apart = load(*one) - load(*other);
        if apart.abs() < 1e-12 {
            std::cmp::Ordering::Equal
        } else {
            apart.total_cmp(&0.0)
        }
    });
    let best = best.unwrap_or_default();
    (best, mixed(best))
}

#[cfg(test)]
mod tests {
    use super::best_mix;

    fn most(links: &[f64]) -> f64 {
        links.iter().copied().fold(0.0, f64::max)
    }

    #[test]
    fn mixtures_by_hand() {
        for (one, other, part, load) in [
            ([1.0, 0.0], [0.0, 1.0], 0.5, 0.5),
            // 3 - 2 x = 2 x.
            ([3.0, 0.0], [1.0, 2.0], 0.75, 1.5),
            ([1.0, 1.0], [2.0, 1.0], 0.0, 1.0),
            ([2.0, 0.5], [1.0, 1.0], 1.0, 1.0),
        ] {
            let (found, mixed) = best_mix(&one, &other, most);
            assert!((found - part).abs() < 1e-6, "{one:?} {other:?}: {found}");
            assert!((most(&mixed) - load).abs() < 1e-6);
        }
    }
}
