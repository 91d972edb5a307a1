//! Chaos, wormhole, cut-through and deflection routers with packets of 20 words.

use super::StudyEntry;
use crate::contest::{Contender, Contested, Panel, configuration};
use crate::options::Curves;
use clap::Args;

/// Its entry in the table.
pub(super) const ENTRY: StudyEntry = StudyEntry::of::<Routers>(
    "routers",
    "Chaos, wormhole, cut-through and deflection routers under the same traffic, by load",
);

/// Packets of 20 words: as BookSim 2's router is set up for the comparison, and as on the Chaos chip.
const ROUTERS: &[Contender] = &[
    ("chaos", configuration!("chaos")),
    ("wormhole (BookSim iq)", configuration!("booksim-iq")),
    ("wormhole, adaptive", configuration!("adaptive")),
    ("virtual cut-through", configuration!("cut-through")),
    ("FLIT-BLESS", configuration!("flit-bless")),
    ("WORM-BLESS", configuration!("worm-bless")),
];

/// Its options.
#[derive(Clone, Debug, Default, Args)]
pub(super) struct Routers {
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
    const CONTENDERS: &'static [Contender] = ROUTERS;
    const PACKET_WORDS: u16 = 20;

    fn curves(&self) -> &Curves {
        &self.curves
    }

    fn panels(&self) -> Vec<Panel> {
        Panel::all(&self.topologies, &[self.side], &self.patterns)
    }
}
