//! `flitwork view`.

use super::Settings;
use clap::Args;
use flitwork_studies::options::whole;
use flitwork_studies::paths::{Input, OutputFolder};

pub(super) const VIEW_EXAMPLES: &str = "\
RUN is a configuration, the record of a live run, or an index,
as for `flitwork trace`. The page is served on 127.0.0.1 only;
its address is printed. Ctrl-C ends it.

Examples:
  flitwork view configs/chaos-mesh.toml
  flitwork view CONFIG CONFIG --set-b run.seed=2
  flitwork view CONFIG --export folder";

#[derive(Debug, Args)]
pub(crate) struct View {
    /// The run: a configuration, a record or an index.
    pub(crate) run: Input,
    /// Another run to show beside it.
    #[arg(value_name = "RUN2")]
    pub(crate) other: Option<Input>,
    #[command(flatten)]
    pub(crate) settings: Settings,
    /// Override a key of RUN2 alone. May be repeated.
    #[arg(long = "set-b", value_name = "KEY=VALUE", requires = "other")]
    pub(crate) set_b: Vec<String>,
    /// The port of 127.0.0.1 to serve the page on; by default a free one.
    #[arg(long, value_name = "N", value_parser = port, allow_negative_numbers = true, conflicts_with = "export")]
    pub(crate) port: Option<u16>,
    /// Write the page to this folder instead, to be opened from disk, with samples of the run and its slowest packets.
    #[arg(long, value_name = "DIR")]
    pub(crate) export: Option<OutputFolder>,
}

fn port(text: &str) -> Result<u16, String> {
    let port = whole(text, 1..=u16::MAX.into())?;
    u16::try_from(port).map_err(|_| "allowed: 1 to 65535".to_owned())
}
