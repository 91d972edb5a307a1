//! Deflection routers compared with buffered ones on meshes, with packets of 5 words.

use super::StudyEntry;
use crate::contest::{Contender, Contested, Entrant, Panel, configuration};
use crate::context::Failed;
use crate::many::set;
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

/// Deflection routers apart by one thing each.
type Variant = (
    &'static str,
    &'static str,
    &'static [(&'static str, &'static str)],
);

const EJECT: &str = "router.deflection.eject_words";
const PORTS: &str = "router.deflection.port_choice";
const SIDE: &str = "router.deflection.side_buffer_flits";
const LINKS: &str = "network.link_latency_cycles";

/// The first is what the others are compared with.
#[rustfmt::skip]
const VARIANTS: &[Variant] = &[
    ("FLIT-BLESS", configuration!("flit-bless"), &[]),
    ("FLIT-BLESS, random ports", configuration!("flit-bless"), &[(PORTS, "random")]),
    ("FLIT-BLESS, 2 ejected", configuration!("flit-bless"), &[(EJECT, "2")]),
    ("FLIT-BLESS, side buffer", configuration!("flit-bless"), &[(SIDE, "4")]),
    ("FLIT-BLESS, both", configuration!("flit-bless"), &[(EJECT, "2"), (SIDE, "4")]),
    ("FLIT-BLESS, links of 2", configuration!("flit-bless"), &[(LINKS, "2")]),
    ("FLIT-BLESS, links of 3", configuration!("flit-bless"), &[(LINKS, "3")]),
    ("CHIPPER", configuration!("chipper"), &[]),
    ("CHIPPER, ordered ports", configuration!("chipper"), &[(PORTS, "ordered")]),
    ("MinBD", configuration!("minbd"), &[]),
    ("MinBD, ordered ports", configuration!("minbd"), &[(PORTS, "ordered")]),
    ("MinBD, 1 ejected", configuration!("minbd"), &[(EJECT, "1")]),
    ("MinBD, no side buffer", configuration!("minbd"), &[(SIDE, "0")]),
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
    /// Compare deflection routers that differ by one thing each, instead of routers: which ports, words ejected, side buffer, links.
    #[arg(long)]
    ablation: bool,
    /// Words of a packet.
    #[arg(long, default_value_t = 5, value_name = "WORDS", value_parser = clap::value_parser!(u16).range(1..=1024))]
    packet_words: u16,
    /// The loads, and how long each runs.
    #[command(flatten)]
    curves: Curves,
}

impl Contested for Deflection {
    fn entrants(&self) -> Result<Vec<Entrant>, Failed> {
        let variant = |(name, text, keys): &Variant| {
            let mut entrant = Entrant::fixed((name, text));
            let keys = keys.iter().map(|(key, value)| set(key, value));
            entrant.choices[0].set = keys.collect();
            entrant
        };
        Ok(match self.ablation {
            true => VARIANTS.iter().map(variant).collect(),
            false => ROUTERS.iter().copied().map(Entrant::fixed).collect(),
        })
    }

    fn reference(&self) -> Option<&'static str> {
        self.ablation.then_some(VARIANTS[0].0)
    }

    fn packet_words(&self) -> u16 {
        self.packet_words
    }

    fn curves(&self) -> &Curves {
        &self.curves
    }

    fn panels(&self) -> Vec<Panel> {
        Panel::all(&["mesh".into()], &self.sides, &self.patterns)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context;
    use crate::contract::Study;
    use flitwork_config::Catalogue;

    fn asked(line: &str) -> Deflection {
        context::tests::asked(&ENTRY, line)
    }

    /// Each variant runs, and its resolved configuration differs from that of its router in as many lines as it sets keys.
    #[test]
    fn variants_differ_by_what_they_name() {
        let all = asked("--ablation").configurations(&Catalogue::default());
        assert_eq!(all.len(), VARIANTS.len());
        for (name, _, keys) in VARIANTS {
            let base = name.split(',').next().unwrap();
            let differing = all[*name]
                .lines()
                .filter(|line| !all[base].lines().any(|it| it == *line));
            let differing: Vec<&str> = differing.collect();
            // A side buffer brings its redirection with it, and a longer epoch of golden packets.
            let redirects = differing
                .iter()
                .filter(|line| {
                    line.starts_with("redirection_cycles") || line.starts_with("epoch_cycles")
                })
                .count();
            assert_eq!(
                differing.len() - redirects,
                keys.len(),
                "{name}: {differing:?}"
            );
        }
    }

    #[test]
    fn the_first_variant_is_the_reference() {
        assert_eq!(asked("--ablation").reference(), Some("FLIT-BLESS"));
        assert_eq!(asked("").reference(), None);
        assert_eq!(asked("--packet-words 7").packet_words(), 7);
    }
}
