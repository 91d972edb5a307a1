//! Files of packets that patterns name: `traffic.file`.

use crate::{PermutationError, ReadContext};
use flitwork_schema::{
    Allowed, Field, FileMistake, Key, MistakeKind, NamedFile, RawTable, Refusal, Span, key,
};

const FILE: &str = "file";
/// The longest file of packets, in bytes.
const MAX_FILE_BYTES: u64 = 1 << 30;

/// `traffic.file`, which several patterns read.
pub(super) const fn file_key<P>(field: fn(&mut P) -> &mut dyn Field) -> Key<P> {
    key(
        FILE,
        field,
        Allowed::Text,
        "permutation: drawn from the seed; required for listed unless destinations is given",
        "the file of packets, relative to the configuration file's directory; permutation and listed only",
    )
}

/// Reads the packets of the file.
pub(super) fn from_file<X>(
    name: &str,
    given: &RawTable<'_>,
    context: &ReadContext<'_>,
    parse: fn(&str, u32) -> Result<X, PermutationError>,
) -> Result<X, Refusal> {
    let path = context.files.path(name);
    let mut file = NamedFile::new(given, FILE, &path, MistakeKind::Permutation);
    let text = context.files.text(name, MAX_FILE_BYTES);
    file.text = text.map_err(|why| file.without_text(why))?;
    parse(&file.text, context.topology.terminals()).map_err(|error| {
        let place = |line| place_of(&file.text, line, error.column.unwrap_or(1));
        file.wrong(FileMistake {
            at: error.line.map(place),
            found: error.problem.to_string(),
            allowed: String::new(),
        })
    })
}

/// The span of a line and a column in bytes, both counted from 1.
fn place_of(text: &str, line: usize, column: usize) -> Span {
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
    at..at
}
