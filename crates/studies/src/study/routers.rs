//! Chaos, wormhole, cut-through and deflection routers at one budget: so many words of buffer in a node, a word a cycle over each link and to
//! the processor, and so many cycles a hop. Each is tuned over its own choices.

mod choices;
#[cfg(test)]
mod tests;

use super::StudyEntry;
use crate::contest::{Contested, Entrant, Panel};
use crate::context::Failed;
use crate::options::Curves;
use clap::Args;

/// Its entry in the table.
pub(super) const ENTRY: StudyEntry = StudyEntry::of::<Routers>(
    "routers",
    "Chaos, wormhole, cut-through and deflection routers at one budget, each tuned, under the same traffic, by load",
);

/// Its options.
#[derive(Clone, Debug, Default, Args)]
pub(super) struct Routers {
    /// Words of buffer that a node may have, frames and registers of the processor's port among them.
    #[arg(long, default_value_t = 400, value_name = "WORDS", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    budget: u32,
    /// The most cycles of a hop without waiting: a router that takes fewer may have longer links.
    #[arg(long, default_value_t = 5, value_name = "CYCLES", value_parser = clap::value_parser!(u32).range(1..=64))]
    hop_cycles: u32,
    /// The words that a router may deliver to its processor in a cycle; only deflection routers can make use of more than one.
    #[arg(long, default_value_t = 1, value_name = "WORDS", value_parser = clap::value_parser!(u32).range(1..=4))]
    eject_words: u32,
    /// Words of a packet.
    #[arg(long, default_value_t = 20, value_name = "WORDS", value_parser = clap::value_parser!(u16).range(3..=1024))]
    packet_words: u16,
    /// The routers: chaos, dimension-order, adaptive, cut-through, flits, worms.
    #[arg(
        long,
        value_name = "NAME,…",
        default_value = "chaos,dimension-order,adaptive,cut-through,flits,worms"
    )]
    routers: Vec<String>,
    /// The side of the square mesh and torus, in nodes.
    #[arg(long, default_value_t = 8, value_name = "NODES")]
    side: u32,
    /// The topologies: mesh and torus.
    #[arg(long, value_name = "NAME,…", default_value = "mesh,torus")]
    topologies: Vec<String>,
    /// Traffic patterns without parameters, and hot-spot: a tenth of the packets goes to four nodes, at
    /// a quarter and three quarters of each side.
    #[arg(
        long,
        value_name = "NAME,…",
        default_value = "uniform,transpose,bit-complement,tornado,hot-spot"
    )]
    patterns: Vec<String>,
    /// The loads, and how long each runs.
    #[command(flatten)]
    curves: Curves,
}

impl Contested for Routers {
    fn entrants(&self) -> Result<Vec<Entrant>, Failed> {
        choices::entrants(self)
    }

    fn packet_words(&self) -> u16 {
        self.packet_words
    }

    fn curves(&self) -> &Curves {
        &self.curves
    }

    fn panels(&self) -> Vec<Panel> {
        Panel::all(&self.topologies, &[self.side], &self.patterns)
    }
}
