//! A permutation file.

use crate::config::error::{ConfigError, Fault, Place};
use crate::config::file::{MAX_PERMUTATION_BYTES, read_text};
use crate::config::source::{Excerpt, Source, shown_path};
use flitwork_topology::{Grid, Topology};
use flitwork_traffic::parse_permutation;
use flitwork_types::NodeId;
use std::path::Path;
use toml::Spanned;

type Pairs = Vec<(NodeId, NodeId)>;

/// The packets of a permutation file.
pub(super) fn read(
    source: &Source<'_>,
    base_dir: &Path,
    grid: &Grid,
    file: &Spanned<String>,
) -> Result<Pairs, ConfigError> {
    let path = base_dir.join(file.get_ref());
    let name = shown_path(&path.display().to_string());
    let asked = format!("read for traffic.file, {}", source.place(&file.span()));
    let text = read_text(&path, MAX_PERMUTATION_BYTES).map_err(|unreadable| {
        if unreadable.content {
            return ConfigError::new(
                Fault::Permutation,
                Place::File(name.clone()),
                unreadable.found,
            )
            .about("traffic.file")
            .allowed_is(unreadable.allowed)
            .hinted(Some(asked.clone()));
        }
        let found = format!("traffic.file: {name} {}", unreadable.found);
        source
            .error(Fault::File, &file.span(), found)
            .about("traffic.file")
            .allowed_is(unreadable.allowed)
    })?;
    parse_permutation(&text, grid.nodes()).map_err(|error| {
        let excerpt = error
            .line
            .map(|line| excerpt_at(&text, line, error.column.unwrap_or(1)));
        let place = match &excerpt {
            Some(excerpt) => Place::Text {
                file: name,
                line: excerpt.line,
                column: excerpt.column,
            },
            None => Place::File(name),
        };
        ConfigError::new(Fault::Permutation, place, error.problem.to_string())
            .excerpt(excerpt)
            .about("traffic.file")
            .hinted(Some(asked))
    })
}

/// The place of a line and of a column in bytes, both from 1.
fn excerpt_at(text: &str, line: usize, column: usize) -> Excerpt {
    let newlines = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
    let start = match line.checked_sub(2) {
        None => 0,
        Some(earlier) => newlines
            .map(|(at, _)| at + 1)
            .nth(earlier)
            .unwrap_or(text.len()),
    };
    let end = text[start..]
        .find('\n')
        .map_or(text.len(), |length| start + length);
    let at = (start + column.saturating_sub(1)).min(end);
    Excerpt::of(text, &(at..at))
}
