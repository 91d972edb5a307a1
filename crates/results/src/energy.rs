//! Energy of the window's work: the counts that it is proportional to, and joules by the user's table.

use flitwork_config::{EnergyParameters, EngineChoice, Resolved};
use flitwork_node::Datapath;
use flitwork_observe::{Activity, Observation, Work};
use flitwork_topology::Topology;
use flitwork_types::{NodeId, Port};

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
    of: fn(&Counted<'_>) -> Option<u64>,
    price_pj: fn(&EnergyParameters) -> Option<f64>,
    /// Whether it is a part of another part, and so no part of the sum.
    is_within: bool,
}

/// What is known about the window.
struct Counted<'a> {
    work: Work,
    seen: &'a Activity,
    node_cycles: u64,
    /// Ticks of nodes' clocks, and those of idle nodes where they are known.
    clock_ticks: u64,
    idle_clock_ticks: Option<u64>,
    /// Ticks in which a node did something, and timed steps of self-timed ones, where they are known.
    working_steps: Option<u64>,
    transitions: u64,
}

const WORDS: &str = "words";

/// All parts, in the order of every table.
#[rustfmt::skip]
pub(super) const PARTS: [EnergyPart; 10] = [
    EnergyPart { count: "buffer_write_words", unit: WORDS, meaning: "written into buffers in the window", count_shown: Some("buffer writes, words"), joules: "energy_buffer_write_joules", joules_meaning: "words written, where the configuration prices them", joules_shown: "energy, buffer writes", of: |it| Some(it.work.writes), price_pj: |it| it.buffer_write_pj, is_within: false },
    EnergyPart { count: "buffer_read_words", unit: WORDS, meaning: "read from buffers", count_shown: Some("buffer reads, words"), joules: "energy_buffer_read_joules", joules_meaning: "words read", joules_shown: "energy, buffer reads", of: |it| Some(it.work.reads), price_pj: |it| it.buffer_read_pj, is_within: false },
    EnergyPart { count: "crossbar_words", unit: WORDS, meaning: "through crossbars", count_shown: Some("crossbar, words"), joules: "energy_crossbar_joules", joules_meaning: "words through crossbars", joules_shown: "energy, crossbars", of: |it| Some(it.work.crossings), price_pj: |it| it.crossbar_pj, is_within: false },
    EnergyPart { count: "link_words", unit: WORDS, meaning: "over links", count_shown: Some("links, words"), joules: "energy_link_joules", joules_meaning: "words over links", joules_shown: "energy, links", of: |it| Some(it.seen.link_words), price_pj: |it| it.link_pj, is_within: false },
    EnergyPart { count: "decisions", unit: "", meaning: "heads, or packets, that were routed onward", count_shown: Some("decisions"), joules: "energy_decision_joules", joules_meaning: "decisions", joules_shown: "energy, decisions", of: |it| Some(it.seen.decisions), price_pj: |it| it.decision_pj, is_within: false },
    EnergyPart { count: "node_cycles", unit: "cycles", meaning: "nodes times cycles", count_shown: None, joules: "energy_leak_joules", joules_meaning: "nodes, active or idle", joules_shown: "energy, leakage", of: |it| Some(it.node_cycles), price_pj: |it| it.leak_pj_per_node_cycle, is_within: false },
    EnergyPart { count: "clock_ticks", unit: "ticks", meaning: "of nodes' clocks, each counted separately; on one clock, nodes times cycles; self-timed nodes have none", count_shown: None, joules: "energy_clock_joules", joules_meaning: "ticks of clocks", joules_shown: "energy, clocks", of: |it| Some(it.clock_ticks), price_pj: |it| it.clock_pj_per_node_tick, is_within: false },
    EnergyPart { count: "idle_clock_ticks", unit: "ticks", meaning: "of these, those in which the node held nothing and received nothing, or was held up by a full link; with the engine `clocked`", count_shown: None, joules: "energy_idle_clock_joules", joules_meaning: "idle ticks among these: a part of energy_clock_joules", joules_shown: "energy, idle clocks", of: |it| it.idle_clock_ticks, price_pj: |it| it.clock_pj_per_node_tick, is_within: true },
    EnergyPart { count: "working_steps", unit: "steps", meaning: "ticks in which the node did something (a word came, moved or left, a decision was made, a credit left), and steps of self-timed nodes that took time; with the engine `clocked`", count_shown: None, joules: "energy_step_joules", joules_meaning: "steps in which nodes did something", joules_shown: "energy, steps", of: |it| it.working_steps, price_pj: |it| it.step_pj, is_within: false },
    EnergyPart { count: "handshake_transitions", unit: "transitions", meaning: "of requests and acknowledges with which words were handed over the segments of links; 0 where links are wires", count_shown: None, joules: "energy_handshake_joules", joules_meaning: "transitions of handshakes", joules_shown: "energy, handshakes", of: |it| Some(it.transitions), price_pj: |it| it.transition_pj, is_within: false },
];

/// What a run spent energy on in the window, over all nodes.
#[derive(Clone, Debug)]
pub struct Energy {
    /// How often each of [`PARTS`] happened, where that is known.
    pub(super) counts: [Option<u64>; PARTS.len()],
    /// Words delivered.
    pub delivered_words: u64,
    /// Its cost, if the configuration has `[energy]`.
    pub joules: Option<Joules>,
}

/// Energy in joules.
#[derive(Clone, Debug, PartialEq)]
pub struct Joules {
    /// Of each of [`PARTS`]; `None` for what the configuration does not price, or what isn't known.
    pub(super) parts: [Option<f64>; PARTS.len()],
    /// The sum of the priced parts.
    pub total: f64,
    /// The sum per delivered word.
    pub per_delivered_word: Option<f64>,
}

impl Energy {
    /// How often something happened, by the name of its column (`clock_ticks`); `None` if that isn't known, or isn't counted.
    pub fn count(&self, column: &str) -> Option<u64> {
        let at = PARTS.iter().position(|part| part.count == column)?;
        self.counts[at]
    }

    pub(super) fn of(
        resolved: &Resolved,
        seen: &Observation,
        datapath: &Datapath,
        node_cycles: u64,
    ) -> Energy {
        let (activity, prices) = (&seen.activity, &resolved.energy);
        let clocking = seen.clocking;
        let counted = Counted {
            work: activity.work(datapath),
            seen: activity,
            node_cycles,
            clock_ticks: clocking.map_or(node_cycles, |it| it.clock_ticks),
            idle_clock_ticks: clocking.map(|it| it.idle_clock_ticks),
            working_steps: clocking.map(|it| it.working_clock_ticks + it.steps),
            transitions: transitions(resolved, &seen.link_words),
        };
        let counts = PARTS.map(|part| (part.of)(&counted));
        let delivered_words = activity.delivered_words;
        let joules = prices.any().then(|| {
            let parts: [Option<f64>; PARTS.len()] = std::array::from_fn(|at| {
                Some(counts[at]? as f64 * (PARTS[at].price_pj)(prices)? * 1e-12)
            });
            let summed = PARTS.iter().zip(&parts).filter(|(part, _)| !part.is_within);
            let total = summed.filter_map(|(_, joules)| *joules).sum();
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

/// Transitions of requests and acknowledges, if these words were handed over each link: `link_words` has those that left
/// each node by each of its ports.
fn transitions(resolved: &Resolved, link_words: &[u64]) -> u64 {
    let links = &resolved.network.links;
    let Some(handshake) = links.handshake.as_ref().filter(|_| is_clocked(resolved)) else {
        return 0;
    };
    let a_segment = u64::from(handshake.protocol.transitions());
    let ports = resolved.network.shape.ports();
    let of_link = |(link, words): (usize, &u64)| {
        // A node has fewer ports than 8 bits count.
        let (node, port) = (NodeId((link / ports) as u32), Port((link % ports) as u8));
        let segments = links.segments_of(node, port).map_or(0, <[_]>::len) as u64;
        words * segments * a_segment
    };
    link_words.iter().enumerate().map(of_link).sum()
}

fn is_clocked(resolved: &Resolved) -> bool {
    resolved.run.engine == EngineChoice::Clocked
}
