//! Energy of the window's work: the counts that it is proportional to, and joules by the user's table.

use flitwork_config::EnergyParameters;
use flitwork_node::Datapath;
use flitwork_observe::{Activity, Work};

/// Something that energy is proportional to.
pub(super) struct EnergyPart {
    /// The column of its count, with its unit.
    pub(super) count: &'static str,
    pub(super) unit: &'static str,
    /// What is counted.
    pub(super) meaning: &'static str,
    /// What the text calls the count, if it shows it.
    pub(super) count_shown: Option<&'static str>,
    /// The column of its cost, what that is, and what the text calls it.
    pub(super) joules: &'static str,
    pub(super) joules_meaning: &'static str,
    pub(super) joules_shown: &'static str,
    of: fn(&Work, &Activity, u64) -> u64,
    price_pj: fn(&EnergyParameters) -> Option<f64>,
}

const WORDS: &str = "words";

/// All parts, in the order of every table.
#[rustfmt::skip]
pub(super) const PARTS: [EnergyPart; 6] = [
    EnergyPart { count: "buffer_write_words", unit: WORDS, meaning: "written into buffers in the window", count_shown: Some("buffer writes, words"), joules: "energy_buffer_write_joules", joules_meaning: "words written, where the configuration prices them", joules_shown: "energy, buffer writes", of: |work, _, _| work.writes, price_pj: |it| it.buffer_write_pj },
    EnergyPart { count: "buffer_read_words", unit: WORDS, meaning: "read from buffers", count_shown: Some("buffer reads, words"), joules: "energy_buffer_read_joules", joules_meaning: "words read", joules_shown: "energy, buffer reads", of: |work, _, _| work.reads, price_pj: |it| it.buffer_read_pj },
    EnergyPart { count: "crossbar_words", unit: WORDS, meaning: "through crossbars", count_shown: Some("crossbar, words"), joules: "energy_crossbar_joules", joules_meaning: "words through crossbars", joules_shown: "energy, crossbars", of: |work, _, _| work.crossings, price_pj: |it| it.crossbar_pj },
    EnergyPart { count: "link_words", unit: WORDS, meaning: "over links", count_shown: Some("links, words"), joules: "energy_link_joules", joules_meaning: "words over links", joules_shown: "energy, links", of: |_, seen, _| seen.link_words, price_pj: |it| it.link_pj },
    EnergyPart { count: "decisions", unit: "", meaning: "heads, or packets, that were routed onward", count_shown: Some("decisions"), joules: "energy_decision_joules", joules_meaning: "decisions", joules_shown: "energy, decisions", of: |_, seen, _| seen.decisions, price_pj: |it| it.decision_pj },
    EnergyPart { count: "node_cycles", unit: "cycles", meaning: "nodes times cycles", count_shown: None, joules: "energy_leak_joules", joules_meaning: "nodes, active or idle", joules_shown: "energy, leakage", of: |_, _, node_cycles| node_cycles, price_pj: |it| it.leak_pj_per_node_cycle },
];

/// What a run spent energy on in the window, over all nodes.
#[derive(Clone, Debug)]
pub struct Energy {
    /// How often each of [`PARTS`] happened.
    pub(super) counts: [u64; PARTS.len()],
    /// Words delivered.
    pub delivered_words: u64,
    /// Its cost, if the configuration has `[energy]`.
    pub joules: Option<Joules>,
}

/// Energy in joules.
#[derive(Clone, Debug, PartialEq)]
pub struct Joules {
    /// Of each of [`PARTS`]; `None` for what the configuration does not price.
    pub(super) parts: [Option<f64>; PARTS.len()],
    /// The sum of the priced parts.
    pub total: f64,
    /// The sum per delivered word.
    pub per_delivered_word: Option<f64>,
}

impl Energy {
    pub(super) fn of(
        activity: &Activity,
        datapath: &Datapath,
        node_cycles: u64,
        prices: &EnergyParameters,
    ) -> Energy {
        let work = activity.work(datapath);
        let counts = PARTS.map(|part| (part.of)(&work, activity, node_cycles));
        let delivered_words = activity.delivered_words;
        let joules = prices.any().then(|| {
            let parts = std::array::from_fn(|at| {
                Some(counts[at] as f64 * (PARTS[at].price_pj)(prices)? * 1e-12)
            });
            let total = parts.iter().flatten().sum();
            Joules {
                parts,
                total,
                per_delivered_word: (delivered_words > 0).then(|| total / delivered_words as f64),
            }
        });
        Energy {
            counts,
            delivered_words,
            joules,
        }
    }
}
