//! Delays of single stages and links: `[clocks.delays]`, and its table.

mod file;
mod nodes;

pub(super) use nodes::Nodes;

use super::common::hold_spread;
use crate::clocks::table::{About, DelayTable, Line, Stage};
use crate::clocks::{DelayParameters, SpreadLaw};
use file::{rows, wrong};
use flitwork_schema::{
    Allowed, Datum, Entry, FileMistake, Files, Key, MistakeKind, NamedFile, RawTable, Refusal,
    entries, key, key_apart, only_with, settings_with,
};
use std::collections::BTreeMap;
use std::sync::Arc;

#[rustfmt::skip]
const DELAYS: &[Key<DelayParameters>] = &[
    key_apart(FILE, Allowed::Text, "delays are those of the keys", "a table of delays, relative to the configuration file's directory: one per line as stage,node,port,ps or stage,node,port,least_ps,most_ps; a stage that it names doesn't read its keys"),
    key("spread", |it| &mut it.spread.law, Allowed::Choice(SpreadLaw::NAMES), "\"none\"", "how each single delay, of a stage at a port of a node or of a link, is distributed around its value; drawn once for each"),
    only_with("clocks.delays.spread = \"uniform\" or \"normal\"", key("spread_percent", |it| &mut it.spread.percent, Allowed::Below(0.0, 100.0, "percent of the delay"), "required for uniform and normal", "how far single delays lie from their values: at most this far for uniform; for normal it is the standard deviation, and none lies further than three of them")),
];

/// The table.
#[rustfmt::skip]
pub(super) fn table() -> Entry {
    Entry::table("delays", "delays are those of the keys", "delays of single stages of nodes and of single links, as a back-annotated design gives them", entries(DELAYS))
}

impl DelayParameters {
    /// The values of the keys that give them.
    pub(super) fn settings(&self) -> Datum {
        let file = || Some(Datum::text(self.table.as_ref()?.file()));
        Datum::table(settings_with(DELAYS, self, |_| file()))
    }
}

/// The longest table, in bytes.
const MOST_BYTES: u64 = 1 << 28;
const FILE: &str = "file";
/// `[clocks.delays]`.
///
/// # Errors
/// A spread without its percentage; a file that can't be read; lines that aren't delays of the network's stages, two
/// that are about the same, and stages with gaps.
pub(super) fn delays(
    given: &RawTable<'_>,
    files: &dyn Files,
    nodes: &Nodes<'_>,
) -> Result<DelayParameters, Refusal> {
    let mut own: DelayParameters = given.parameters(DELAYS)?;
    hold_spread(given, &mut own.spread)?;
    if let Some(file) = given.text(FILE) {
        let table = read(given, files, nodes, file.to_owned())?;
        own.table = Some(Arc::new(table));
    }
    Ok(own)
}

fn read(
    given: &RawTable<'_>,
    files: &dyn Files,
    nodes: &Nodes<'_>,
    name: String,
) -> Result<DelayTable, Refusal> {
    let mut file = NamedFile::new(given, FILE, &files.path(&name), MistakeKind::Delays);
    let text = files.text(&name, MOST_BYTES);
    file.text = text.map_err(|why| file.without_text(why))?;
    let table = read_table(&file.text, name, nodes);
    table.map_err(|mistake| file.wrong(*mistake))
}

fn read_table(text: &str, file: String, nodes: &Nodes<'_>) -> Result<DelayTable, Box<FileMistake>> {
    let is_self_timed = nodes.self_timed();
    let mut lines: BTreeMap<About, Line> = BTreeMap::new();
    for row in rows(text)? {
        let row = row?;
        let about = nodes.about(&row, &is_self_timed)?;
        let line = Line {
            delay: row.delay,
            at: row.at.start,
        };
        if let Some(before) = lines.insert(about, line) {
            let before = text[..before.at].bytes().filter(|it| *it == b'\n').count() + 1;
            let found = format!(
                "a second delay for the same stage, node and port; the first is in line {before}"
            );
            return Err(wrong(&row.at, found, "one for each stage, node and port"));
        }
    }
    let table = DelayTable::new(file, lines);
    match Stage::ALL
        .iter()
        .find_map(|stage| nodes.gap(&table, *stage, &is_self_timed))
    {
        Some(mistake) => Err(mistake),
        None => Ok(table),
    }
}
