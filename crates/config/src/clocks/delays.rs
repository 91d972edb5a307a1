//! Delays of single stages and links as they are configured: `[clocks.delays]`.

use super::Spread;
use super::keys::SpreadLaw;
use super::table::DelayTable;
use flitwork_schema::{Allowed, Datum, Entry, Key, entries, key, only_with, settings};
use std::sync::Arc;

/// What the stages of single nodes and single links take.
#[derive(Clone, Debug, PartialEq)]
pub struct DelayParameters {
    /// The delays of a file, which take the place of the keys'.
    pub table: Option<Arc<DelayTable>>,
    /// How far each delay, of a stage at a port of a node or of a link, lies from its value.
    pub spread: Spread,
}

impl Default for DelayParameters {
    /// Those that keys give, everywhere.
    fn default() -> DelayParameters {
        DelayParameters {
            table: None,
            spread: Spread::None,
        }
    }
}

impl DelayParameters {
    /// What the file says, as bytes, for a checksum: none without a file.
    pub fn content(&self, take: &mut dyn FnMut(&[u8])) {
        if let Some(table) = &self.table {
            table.content(take);
        }
    }

    /// Bytes of the table, about.
    pub fn bytes(&self) -> u64 {
        self.table.as_ref().map_or(0, |table| table.bytes())
    }

    /// The same for another network: with one delay for each stage of a table, and a spread if nodes or links differ.
    #[must_use]
    pub fn scaled_down(&self) -> DelayParameters {
        let differ = self.table.as_ref().is_some_and(|table| table.differs());
        DelayParameters {
            table: self.table.as_ref().map(|table| Arc::new(table.typical())),
            spread: match self.spread {
                Spread::None if differ => Spread::Uniform { percent: 1.0 },
                spread => spread,
            },
        }
    }
}

/// What `[clocks.delays]` gives.
#[derive(Clone, Debug, Default)]
pub(crate) struct GivenDelays {
    pub(crate) file: Option<String>,
    pub(crate) spread: Option<SpreadLaw>,
    pub(crate) spread_percent: Option<f64>,
}

#[rustfmt::skip]
pub(crate) const DELAYS: &[Key<GivenDelays>] = &[
    key("file", |it| &mut it.file, Allowed::Text, "delays are those of the keys", "a table of delays, relative to the configuration file's directory: one per line as stage,node,port,ps or stage,node,port,least_ps,most_ps; a stage that it names doesn't read its keys"),
    key("spread", |it| &mut it.spread, Allowed::Choice(SpreadLaw::NAMES), "\"none\"", "how each single delay, of a stage at a port of a node or of a link, is distributed around its value; drawn once for each"),
    only_with("clocks.delays.spread = \"uniform\" or \"normal\"", key("spread_percent", |it| &mut it.spread_percent, Allowed::Below(0.0, 100.0, "percent of the delay"), "required for uniform and normal", "how far single delays lie from their values: at most this far for uniform; for normal it is the standard deviation, and none lies further than three of them")),
];

/// The table.
#[rustfmt::skip]
pub(crate) fn table() -> Entry {
    Entry::table("delays", "delays are those of the keys", "delays of single stages of nodes and of single links, as a back-annotated design gives them", entries(DELAYS))
}

impl DelayParameters {
    /// The values of the keys that give them.
    pub(crate) fn settings(&self) -> Vec<(&'static str, Datum)> {
        let (spread, spread_percent) = self.spread.given();
        let given = GivenDelays {
            file: self.table.as_ref().map(|table| table.file().to_owned()),
            spread: Some(spread),
            spread_percent,
        };
        settings(DELAYS, &given)
    }
}
