//! `flitwork debug`.

use super::Settings;
use clap::Args;
use flitwork_studies::paths::Input;

pub(super) const DEBUG_EXAMPLES: &str = "\
RUN is a configuration, the record of a live run, or an index,
as for `flitwork trace`. If the network hangs, it opens at the
end of the run. ? shows the keys, q quits.

Examples:
  flitwork debug configs/chaos-mesh.toml
  flitwork debug configs/deadlock.toml";

#[derive(Debug, Args)]
pub(crate) struct Debug {
    /// The run: a configuration, a record or an index.
    pub(crate) run: Input,
    #[command(flatten)]
    pub(crate) settings: Settings,
}
