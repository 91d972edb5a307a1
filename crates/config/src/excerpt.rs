//! A line of a text, with a mistake in it underlined.

use flitwork_schema::{Span, printable};
use std::fmt;

/// Characters of a line that are shown before and from a mistake.
const BEFORE: usize = 40;
const FROM: usize = 56;

/// A line of a text with a mistake underlined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Excerpt {
    /// The line, from 1.
    pub(super) line: usize,
    /// The column, from 1, in characters.
    pub(super) column: usize,
    /// The part of the line around the mistake.
    content: String,
    /// Characters of `content` before the mistake.
    before: usize,
    /// Characters of the mistake that are in `content`, at least 1.
    width: usize,
}

impl Excerpt {
    /// The line in which a span begins. A span beyond the text is at its end.
    pub(super) fn of(text: &str, span: &Span) -> Excerpt {
        let start = text.floor_char_boundary(span.start.min(text.len()));
        let end = text.floor_char_boundary(span.end.clamp(start, text.len()));
        let line = text[..start].bytes().filter(|byte| *byte == b'\n').count() + 1;
        let (head, tail) = text.split_at(start);
        let head = &head[head.rfind('\n').map_or(0, |newline| newline + 1)..];
        let tail = tail.split('\n').next().unwrap_or_default();
        let tail = tail.strip_suffix('\r').unwrap_or(tail);
        let column = head.chars().count() + 1;
        let mut content = String::new();
        let from = head
            .char_indices()
            .rev()
            .nth(BEFORE - 1)
            .map_or(0, |(index, _)| index);
        if from > 0 {
            content.push('…');
        }
        content.extend(head[from..].chars().map(printable));
        let before = content.chars().count();
        let to = tail
            .char_indices()
            .nth(FROM)
            .map_or(tail.len(), |(index, _)| index);
        content.extend(tail[..to].chars().map(printable));
        if to < tail.len() {
            content.push('…');
        }
        let width = text[start..end.min(start + to)].chars().count().max(1);
        Excerpt {
            line,
            column,
            content,
            before,
            width,
        }
    }
}

impl fmt::Display for Excerpt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = self.line.to_string();
        let margin = " ".repeat(number.len());
        let (space, carets) = (" ".repeat(self.before), "^".repeat(self.width));
        writeln!(f, "{}", format!("  {number} | {}", self.content).trim_end())?;
        write!(f, "  {margin} | {space}{carets}")
    }
}
