//! What a configuration means: validated once, with every default filled in.

use super::clocks::ClockParameters;
use super::drawn::Pace;
use super::keys::MAX_LINK_WORDS;
use crate::machine::AnyRouter;
use flitwork_network::{Clocks, LinkTiming};
use flitwork_topology::{Grid, Topology};
use flitwork_types::NodeId;

pub(super) mod energy;
pub(super) mod live;
pub(super) mod run;
mod text;
mod traffic;

pub use traffic::{Process, TraceFormat, TraceMap, TraceParameters, TrafficParameters};

pub use energy::EnergyParameters;
pub use live::{LiveParameters, RuntimeChoice, Slack};
pub use run::{ENGINES, EngineChoice, EngineEntry, RunParameters};

/// A run, fully described.
#[derive(Clone, Debug, PartialEq)]
pub struct Resolved {
    /// The network's shape and links.
    pub network: NetworkParameters,
    /// What every node does.
    pub router: AnyRouter,
    /// Who sends to whom, and when.
    pub traffic: TrafficParameters,
    /// How long, from which seed, by which engine.
    pub run: RunParameters,
    /// What makes the nodes step; only [`EngineChoice::Clocked`] reads it.
    pub clocks: ClockParameters,
    /// How nodes run concurrently; only [`EngineChoice::Live`] reads it.
    pub live: LiveParameters,
    /// What the router's work costs; it changes nothing but the joules in the results.
    pub energy: EnergyParameters,
}

/// The network's shape and links.
#[derive(Clone, Debug)]
pub struct NetworkParameters {
    /// A mesh or a torus.
    pub grid: Grid,
    /// Cycles that a word or a credit takes from one node to the next, at least 1.
    pub link_latency_cycles: u32,
    /// What links are like where nodes have clocks of their own; only [`EngineChoice::Clocked`] reads it,
    /// and it reads no `link_latency_cycles`.
    pub links: LinkTiming,
}

impl NetworkParameters {
    /// A network whose links are timed for the clocks of [`ClockParameters::default`].
    pub fn new(
        grid: Grid,
        link_latency_cycles: u32,
        words_ahead: impl Into<u32>,
    ) -> NetworkParameters {
        let period_ps = ClockParameters::default().period_ps;
        let pace = Pace {
            shortest_ps: period_ps,
            longest_ps: period_ps,
        };
        let latency_ps = u64::from(link_latency_cycles) * period_ps;
        NetworkParameters {
            grid,
            link_latency_cycles,
            links: LinkTiming {
                latency_ps,
                capacity_words: usual_capacity_words(
                    words_ahead.into(),
                    pace.round_trip_words(latency_ps, SYNCHRONIZER_EDGES),
                ),
                synchronizer_edges: SYNCHRONIZER_EDGES,
            },
        }
    }
}

/// The edges of a synchronizer where they aren't given.
pub(super) const SYNCHRONIZER_EDGES: u32 = 2;

/// The words of a link where they aren't given: those that may be sent ahead, or a round trip where that
/// has more.
pub(super) fn usual_capacity_words(words_ahead: u32, round_trip_words: u64) -> u32 {
    let least = u64::from(words_ahead).min(MAX_LINK_WORDS);
    // The keys' table allows no more, which 32 bits hold.
    round_trip_words.clamp(least, MAX_LINK_WORDS) as u32
}

impl NetworkParameters {
    /// How many nodes there are.
    pub fn nodes(&self) -> u32 {
        self.grid.nodes()
    }
}

impl PartialEq for NetworkParameters {
    fn eq(&self, other: &NetworkParameters) -> bool {
        self.grid.wraps() == other.grid.wraps()
            && self.grid.sides() == other.grid.sides()
            && self.link_latency_cycles == other.link_latency_cycles
            && self.links == other.links
    }
}

impl Resolved {
    /// Words of the longest packet.
    pub fn packet_words(&self) -> u16 {
        self.router
            .fixed_words()
            .unwrap_or_else(|| self.traffic.longest_words())
    }

    /// Words a packet as a record of a live run predicts them; the most that there may be where packets have
    /// many lengths.
    pub fn predicted_words(&self) -> u16 {
        self.router.fixed_words().unwrap_or(u16::MAX)
    }

    /// The clocks of the nodes and the timing of the links, drawn from the seed.
    pub fn clocks(&self) -> Clocks {
        let network = &self.network;
        self.clocks
            .draw(&network.grid, self.run.seed, network.links)
    }
}
