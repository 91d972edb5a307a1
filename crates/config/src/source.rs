//! Where values come from: the file's text, and the command line's overrides behind it.
//!
//! Spans are offsets into one long text: the file, then the value of each override, with a byte between
//! any two. So a value keeps its place through parsing and deserialization, whoever wrote it.

use super::catalogue::Catalogue;
use super::error::{ConfigError, ErrorPlace};
use super::excerpt::Excerpt;
use super::overrides::Override;
use super::schema::{Schema, plain};
use flitwork_schema::{MistakeKind, RawTable, Refusal, Span, printable, shown};

/// Text that is being parsed and checked.
pub(super) struct Source<'a> {
    /// The parts that there are.
    pub(super) catalogue: &'a Catalogue,
    /// Their keys.
    pub(super) schema: &'a Schema,
    /// What users call the file.
    pub(super) name: &'a str,
    /// Its text.
    pub(super) text: &'a str,
    /// The overrides of the command line.
    pub(super) overrides: &'a [Override],
    /// The values and names that are wrong in themselves.
    pub(super) wrong: &'a [Refusal],
    /// Whether a mistake is known and further ones are sought: slow checks are skipped then.
    pub(super) looks_again: bool,
    /// Whether keys that are given and not read are refused.
    pub(super) refuses_unread: bool,
    /// What reads it, in messages.
    pub(super) reader: &'static str,
}

impl Source<'_> {
    /// Whether something in a table is wrong in itself, so that what the table says isn't known. An unknown table may be
    /// meant for any that isn't given.
    pub(super) fn is_unsure(&self, all: &RawTable<'_>, table: &str) -> bool {
        self.wrong.iter().any(|wrong| {
            let name = wrong.key.split(['.', '[']).next().unwrap_or_default();
            name == table || !all.has(table) && self.schema.find(name).is_none()
        })
    }

    /// The offset at which the value of an override begins.
    pub(super) fn offset_of(&self, index: usize) -> usize {
        let before = self.overrides[..index]
            .iter()
            .map(|earlier| earlier.value.len() + 1);
        self.text.len() + 1 + before.sum::<usize>()
    }

    /// The override that a span lies in.
    fn override_at(&self, span: &Span) -> Option<(usize, &Override)> {
        let index =
            (0..self.overrides.len()).rfind(|index| self.offset_of(*index) <= span.start)?;
        Some((index, &self.overrides[index]))
    }

    /// Whether a span lies in the file, so that the command line may override it.
    pub(super) fn is_in_file(&self, span: &Span) -> bool {
        self.override_at(span).is_none()
    }

    /// Where a span is, for users, and its line if that is the file's.
    fn place(&self, span: &Span) -> (ErrorPlace, Option<Excerpt>) {
        match self.override_at(span) {
            Some((_, over)) => (over.place(), None),
            None => in_text(self.name, self.text, span),
        }
    }

    /// The text in a span, short enough for a message.
    pub(super) fn snippet(&self, span: &Span) -> String {
        let (text, start) = match self.override_at(span) {
            Some((index, over)) => (over.value.as_str(), self.offset_of(index)),
            None => (self.text, 0),
        };
        let cut = span.start.saturating_sub(start)..span.end.saturating_sub(start);
        shown(text.get(cut).unwrap_or_default())
    }

    /// A mistake, as it is reported.
    pub(super) fn error(&self, mut refusal: Refusal) -> ConfigError {
        let (key, span) = (&refusal.key, refusal.span.take());
        if let (Some(span), true) = (&span, refusal.found.is_empty()) {
            refusal.found = format!("{key} is {}", self.snippet(span));
        } else if refusal.kind == MistakeKind::File {
            // It names a file.
            refusal.found = shown_path(&refusal.found);
        }
        let at = span.as_ref().map(|span| self.place(span));
        let (place, excerpt) = match refusal.file.take() {
            Some(file) => {
                let at = at.map_or_else(String::new, |(place, _)| format!(", {place}"));
                let asked = format!("read for {key}{at}");
                refusal.hint.get_or_insert(asked);
                match &file.text {
                    Some((text, span)) => in_text(&file.name, text, span),
                    None => (ErrorPlace::File(shown_path(&file.name)), None),
                }
            }
            None => at.unwrap_or_else(|| (ErrorPlace::File(shown_path(self.name)), None)),
        };
        if refusal.kind == MistakeKind::Missing
            && refusal.allowed.is_empty()
            && let Some(line) = self.schema.find(&plain(key))
        {
            refusal.allowed = line.allowed.to_string();
            let meaning = format!("{key}: {}", line.meaning);
            refusal.hint.get_or_insert(meaning);
        }
        ConfigError::new(refusal, place, excerpt)
    }
}

/// A place in the text of a file, and its line.
fn in_text(name: &str, text: &str, span: &Span) -> (ErrorPlace, Option<Excerpt>) {
    let excerpt = Excerpt::of(text, span);
    let place = ErrorPlace::Text {
        file: shown_path(name),
        line: excerpt.line,
        column: excerpt.column,
    };
    (place, Some(excerpt))
}

/// A file's name as a whole, without what would disturb a terminal.
pub(super) fn shown_path(path: &str) -> String {
    path.chars().map(printable).collect()
}
