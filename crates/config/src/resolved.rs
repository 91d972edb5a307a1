//! What a configuration means: validated once, with every default filled in.

use super::clocks::ClockParameters;
use flitwork_machine::AnyRouter;
use flitwork_network::Clocks;

mod clocked;
mod crossings;
pub(super) mod energy;
mod handshake;
pub(super) mod live;
pub(super) mod network;
pub(super) mod problem;
pub(super) mod run;
mod text;

pub use flitwork_traffic::TrafficParameters;

pub use energy::EnergyParameters;
pub use live::{LiveParameters, RuntimeChoice, Slack};
pub use network::NetworkParameters;
pub use problem::{Problem, Routing, Scheduling};
pub use text::table_text;
pub(crate) use text::{Known, Settings, write};

pub use run::{ENGINES, EngineChoice, RunParameters};

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

impl Resolved {
    /// Words of the longest packet.
    pub fn packet_words(&self) -> u16 {
        self.router
            .fixed_words()
            .unwrap_or_else(|| self.traffic.longest_words())
    }

    /// Words per packet, as a record of a live run predicts them; the most that there may be if packets have
    /// many lengths.
    pub fn predicted_words(&self) -> u16 {
        self.router.fixed_words().unwrap_or(u16::MAX)
    }

    /// The clocks of the nodes and the timing of the links, drawn from the seed.
    pub fn clocks(&self) -> Clocks {
        self.network.clocks(&self.clocks, self.run.seed)
    }
}
