//! Deflection routers compared with buffered ones on meshes, with packets of 5 words.

use super::StudyEntry;
use crate::contest::{Contender, Contested, Entrant, Panel, configuration};
use crate::context::Failed;
use crate::options::Curves;
use clap::Args;

/// Its entry in the table.
pub(super) const ENTRY: StudyEntry = StudyEntry::of::<Deflection>(
    "deflection",
    "Deflection routers compared with buffered ones on meshes, by load",
);

/// Packets of 5 words: a cache line and its header over links of 16 bytes.
const ROUTERS: &[Contender] = &[
    ("FLIT-BLESS", configuration!("flit-bless")),
    ("WORM-BLESS", configuration!("worm-bless")),
    ("CHIPPER", configuration!("chipper")),
    ("MinBD", configuration!("minbd")),
    ("wormhole", configuration!("booksim-iq")),
    ("chaos", configuration!("chaos")),
];

/// Its options.
#[derive(Clone, Debug, Default, Args)]
pub(super) struct Deflection {
    /// Sides of the square meshes, in nodes.
    #[arg(long, value_name = "NODES,…", default_value = "8,16")]
    sides: Vec<u32>,
    /// Traffic patterns without parameters.
    #[arg(long, value_name = "NAME,…", default_value = "uniform")]
    patterns: Vec<String>,
    /// The loads, and how long each runs.
    #[command(flatten)]
    curves: Curves,
}

impl Contested for Deflection {
    fn entrants(&self) -> Result<Vec<Entrant>, Failed> {
        Ok(ROUTERS.iter().copied().map(Entrant::fixed).collect())
    }

    fn packet_words(&self) -> u16 {
        5
    }

    fn curves(&self) -> &Curves {
        &self.curves
    }

    fn panels(&self) -> Vec<Panel> {
        Panel::all(&["mesh".into()], &self.sides, &self.patterns)
    }
}
