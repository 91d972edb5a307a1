//! Arguments of `flitwork topology`.

use super::overrides;
use crate::exit::Exit;
use clap::Args;
use flitwork_config::Override;
use flitwork_studies::paths::{Input, Output};

pub(super) const TOPOLOGY_EXAMPLES: &str = "\
Examples:
  flitwork topology configs/hypercube.toml
  flitwork topology configs/ring.toml --set network.nodes=64 --plot ring.svg";

#[derive(Debug, Args)]
pub(crate) struct Topology {
    /// The configuration, a TOML file; that of `flitwork route` or `flitwork schedule`, too.
    pub(crate) config: Input,
    /// Override a key of the configuration, e.g. network.nodes=64. May be repeated. A file that isn't in the configuration's
    /// folder may be in the working directory.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
    /// Draw the network into this file.
    #[arg(long, value_name = "FILE.svg")]
    pub(crate) plot: Option<Output>,
    /// Replace that file if it exists.
    #[arg(long)]
    pub(crate) force: bool,
}

impl Topology {
    /// What options put over the configuration.
    pub(crate) fn overrides(&self) -> Result<Vec<Override>, Exit> {
        overrides(&self.set)
    }
}
