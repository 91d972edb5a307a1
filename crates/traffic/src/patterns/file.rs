//! Files of packets that patterns name: `traffic.file`.

use crate::{PermutationError, ReadContext};
use flitwork_schema::{
    Allowed, Field, Key, MistakeKind, MistakePlace, RawTable, Refusal, Span, key,
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
    let (key, span) = (given.key(FILE), given.span_of(FILE));
    let shown = context.files.path(name).display().to_string();
    let refusal = |fault| Refusal::new(fault, key.clone(), span.clone());
    let in_file = |text| MistakePlace {
        name: shown.clone(),
        text,
    };
    let text = context.files.text(name, MAX_FILE_BYTES);
    let text = text.map_err(|unreadable| match unreadable.content {
        true => refusal(MistakeKind::Permutation)
            .in_file(in_file(None))
            .found(unreadable.found)
            .allowed(unreadable.allowed),
        false => refusal(MistakeKind::File)
            .found(format!("{key}: {shown} {}", unreadable.found))
            .allowed(unreadable.allowed),
    })?;
    parse(&text, context.topology.nodes()).map_err(|error| {
        let place = error
            .line
            .map(|line| place_of(&text, line, error.column.unwrap_or(1)));
        let text = place.map(|place| (text.clone(), place));
        refusal(MistakeKind::Permutation)
            .in_file(in_file(text))
            .found(error.problem.to_string())
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
