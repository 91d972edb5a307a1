//! What is given and not read.
//!
//! A key is read if the resolved configuration has it, or if its part asks for its value and writes another one (a preset).
//! So a part says once which of its keys it reads with the values of the others: when it writes them. What else is given
//! does nothing. That is a mistake, unless
//!
//! - its value is the default, which it would have anyway;
//! - it is the file's, and the command line sets a key that decides whether it is read: one file may serve several engines.
//!
//! Which keys decide, the text says with what a key is read. A part may also refuse a key that it doesn't read itself, before it
//! reads the others; then its refusal has them (`decided_by`), and what an override decides is [taken
//! out](take_out), as if the file didn't give it.

use super::error::{ConfigError, ErrorPlace};
use super::overrides::Override;
use super::schema::plain;
use super::source::Source;
use super::tables::part::ONE_OF;
use super::text::Settings;
use super::values::{self, Entries, is_usual, join};
use flitwork_schema::{Datum, MistakeKind, Refusal, Span, Value};

/// A key that is given and not read.
#[derive(Clone, Debug, PartialEq)]
pub struct Unread {
    /// The key, with its tables.
    pub key: String,
    /// What becomes of it.
    pub verdict: Verdict,
    /// As a mistake; that of its table, where nothing of that is read.
    pub error: ConfigError,
}

/// What becomes of a key that isn't read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Its value is the default.
    Usual,
    /// An override decides that it isn't read: a warning names both.
    Overridden(String),
    /// The configuration is refused.
    Refused,
}

/// The warning of a file's keys that overrides leave unread, if there are any.
pub fn unread_warning(unread: &[Unread]) -> Option<String> {
    let overridden = unread.iter().filter_map(|it| match &it.verdict {
        Verdict::Overridden(by) => Some((it.error.key()?, it.error.place(), by)),
        _ => None,
    });
    let mut all: Vec<_> = overridden.collect();
    all.sort_by_key(|(_, place, _)| match place {
        ErrorPlace::Text { line, column, .. } => (*line, *column),
        _ => (0, 0),
    });
    all.dedup_by_key(|(key, ..)| *key);
    let (_, place, _) = all.first()?;
    let mut overrides: Vec<&str> = all.iter().map(|(.., by)| by.as_str()).collect();
    overrides.sort_unstable();
    overrides.dedup();
    let left = overrides.iter().map(|by| {
        let keys = all.iter().filter(|(.., other)| other.as_str() == *by);
        let keys: Vec<&str> = keys.map(|(key, ..)| *key).collect();
        let have = if keys.len() == 1 { "has" } else { "have" };
        format!("with {by}, {} {have} no effect", keys.join(", "))
    });
    let left: Vec<String> = left.collect();
    Some(format!("{place}: {}", left.join("; ")))
}

/// What a refusal is made of, before it is known whether it is one.
pub(super) struct Found {
    key: String,
    verdict: Verdict,
    pub(super) refusal: Refusal,
}

impl Found {
    /// What an override leaves unread.
    pub(super) fn overridden(key: String, span: Span, by: &Override) -> Found {
        Found {
            refusal: Refusal::new(MistakeKind::Conflict, &*key, Some(span)),
            verdict: Verdict::Overridden(by.to_string()),
            key,
        }
    }

    pub(super) fn is_refused(&self) -> bool {
        self.verdict == Verdict::Refused
    }

    pub(super) fn reported(self, source: &Source<'_>) -> Unread {
        Unread {
            key: self.key,
            verdict: self.verdict,
            error: source.error(self.refusal),
        }
    }
}

/// What is read of each table, if that is known; those of `router`, `rule` and `schedule` are of the table in it.
pub(super) type Tables = [(&'static str, Option<Settings>)];

/// All keys of the entries that aren't read, in their order.
pub(super) fn find(
    source: &Source<'_>,
    entries: &[(String, Value)],
    tables: &Tables,
) -> Vec<Found> {
    let mut walk = Walk {
        source,
        found: Vec::new(),
    };
    let of = |name: &str| tables.iter().find(|(table, _)| *table == name);
    for entry in entries {
        let written = match (&entry.1.datum, of(&entry.0)) {
            // A router's settings are those of the one table in it, as are a rule's and a method's.
            (Datum::Table(named), Some((table, Some(settings)))) if ONE_OF.contains(table) => {
                let named = named.iter().map(|(name, _)| name.clone());
                let table = Value::from(Datum::table(settings.clone()));
                let named = named.map(|name| (name, table.clone()));
                vec![(entry.0.clone(), Value::from(Datum::Table(named.collect())))]
            }
            (_, Some((_, Some(settings)))) => {
                let table = match settings.as_slice() {
                    [("", list)] => list.clone(),
                    _ => Datum::table(settings.clone()),
                };
                vec![(entry.0.clone(), Value::from(table))]
            }
            (_, Some((_, None))) => continue,
            (_, None) => Vec::new(),
        };
        walk.table("", std::slice::from_ref(entry), Some(&written), None);
    }
    walk.follow();
    walk.found
}

/// Takes out of the entries what parts refuse to read because of an override, and returns it; where unread keys aren't refused,
/// all that parts refuse to read.
pub(super) fn take_out(
    source: &Source<'_>,
    entries: &mut Entries,
    errors: &[Refusal],
) -> Vec<Found> {
    let mut taken = Vec::new();
    for error in errors.iter().filter(|error| !error.decided_by.is_empty()) {
        let key = &error.key;
        let line = source.schema.find(&plain(key));
        let default = line.map_or("", |line| line.default);
        let verdict = match (decided(source, error), values::find(entries, key)) {
            (_, None) => continue,
            (Some(_), Some(value)) if is_usual(default, &value.datum) => Verdict::Usual,
            (Some(over), _) => Verdict::Overridden(over.to_string()),
            (None, _) if source.refuses_unread || is_added_to(source, key) => continue,
            (None, _) => Verdict::Refused,
        };
        values::put(entries, key, None);
        taken.push(Found {
            key: key.clone(),
            verdict,
            refusal: error.clone(),
        });
    }
    taken
}

/// The override that decides that a key of the file isn't read, where a part's refusal says which keys decide.
pub(super) fn decided<'s>(source: &Source<'s>, error: &Refusal) -> Option<&'s Override> {
    let span = error.span.as_ref()?;
    if !source.is_in_file(span) || is_added_to(source, &error.key) {
        return None;
    }
    let by = |over: &&Override| error.decided_by.iter().any(|key| is_within(&over.key, key));
    source.overrides.iter().rev().find(by)
}

/// Whether the command line gives something in a table, so that not all of it is the file's.
fn is_added_to(source: &Source<'_>, table: &str) -> bool {
    let mut overrides = source.overrides.iter();
    overrides.any(|over| over.key != table && is_within(&over.key, table))
}

/// A table that isn't read at all, and its place.
type Outer<'w> = (&'w str, &'w Span);

struct Walk<'s> {
    source: &'s Source<'s>,
    found: Vec<Found>,
}

impl Walk<'_> {
    /// A table, beside what is written of it; `outer` is the outermost table around it of which nothing is written.
    fn table(
        &mut self,
        path: &str,
        given: &[(String, Value)],
        written: Option<&[(String, Value)]>,
        outer: Option<Outer<'_>>,
    ) {
        for (name, value) in given {
            let key = join(path, name);
            let own = written.and_then(|all| all.iter().find(|(other, _)| other == name));
            let own = own.map(|(_, value)| value);
            let within = match own {
                Some(_) => outer,
                None => outer.or(Some((&key, &value.span))),
            };
            match (&value.datum, own.map(|own| &own.datum)) {
                (Datum::Table(given), own) => {
                    self.table(&key, given, own.and_then(as_table), within);
                }
                (Datum::List(given), own)
                    if given.iter().any(|it| as_table(&it.datum).is_some()) =>
                {
                    self.tables(&key, given, own, within);
                }
                (_, Some(_)) => {}
                (_, None) if outer.is_none() && value.read.is_set() => {}
                (_, None) => self.key(key, value, outer),
            }
        }
    }

    /// A list of tables. Where fewer are written, several that are alike are written as one.
    fn tables(
        &mut self,
        key: &str,
        given: &[Value],
        written: Option<&Datum>,
        outer: Option<Outer<'_>>,
    ) {
        let written = written.and_then(Datum::as_list);
        if written.is_some_and(|written| written.len() != given.len()) {
            return;
        }
        for (place, value) in given.iter().enumerate() {
            let own = written.and_then(|written| as_table(&written[place].datum));
            if let Some(given) = as_table(&value.datum) {
                self.table(&format!("{key}[{place}]"), given, own, outer);
            }
        }
    }

    /// A key of the file that is read only with another one isn't read because of an override either that leaves that unread.
    fn follow(&mut self) {
        loop {
            let left = self.found.iter().filter_map(|it| match &it.verdict {
                Verdict::Overridden(by) => Some((it.refusal.key.clone(), by.clone())),
                _ => None,
            });
            let left: Vec<(String, String)> = left.collect();
            let mut is_done = true;
            for found in self.found.iter_mut().filter(|it| it.is_refused()) {
                let span = found.refusal.span.as_ref();
                let only_with = self.source.schema.only_with(&found.refusal.key);
                let by = left.iter().find(|(key, _)| names(only_with, key));
                if let Some((_, by)) = by
                    && span.is_some_and(|span| self.source.is_in_file(span))
                {
                    found.verdict = Verdict::Overridden(by.clone());
                    is_done = false;
                }
            }
            if is_done {
                return;
            }
        }
    }

    /// A key that isn't read.
    fn key(&mut self, key: String, value: &Value, outer: Option<Outer<'_>>) {
        let schema = self.source.schema;
        let line = schema.find(&plain(&key));
        let is_in_file = self.source.is_in_file(&value.span);
        // A table of which nothing is read is the mistake, if it says with what it is.
        let outer = outer.filter(|(table, _)| !schema.only_with(table).is_empty());
        let about = outer.map_or(&*key, |(table, _)| table);
        let only_with = schema.only_with(about);
        let mut overrides = self.source.overrides.iter().rev();
        let decides = overrides.find(|over| names(only_with, &over.key));
        let verdict = match (line, decides) {
            (Some(line), _) if is_usual(line.default, &value.datum) => Verdict::Usual,
            (_, Some(over)) if is_in_file => Verdict::Overridden(over.to_string()),
            _ => Verdict::Refused,
        };
        let (about, span) = match outer {
            Some((table, span)) if is_in_file => (table, span),
            _ => (&*key, &value.span),
        };
        let allowed = match only_with {
            "" => format!("no value: {} doesn't read it", self.source.reader),
            with => format!("only with {with}"),
        };
        let found = match about == key {
            true => String::new(),
            false => format!("{about} is given"),
        };
        let refusal = Refusal::new(MistakeKind::Conflict, about, Some(span.clone()));
        self.found.push(Found {
            key,
            verdict,
            refusal: refusal.found(found).allowed(allowed),
        });
    }
}

fn as_table(datum: &Datum) -> Option<&[(String, Value)]> {
    match datum {
        Datum::Table(entries) => Some(entries),
        _ => None,
    }
}

/// Whether a text names a key, or a table that it is in.
fn names(text: &str, key: &str) -> bool {
    let is_of_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
    let mut words = text.split(|c: char| !is_of_name(c));
    words.any(|word| !word.is_empty() && is_within(key, word))
}

/// Whether a key is this one, or in the table of this name.
fn is_within(key: &str, other: &str) -> bool {
    let rest = key.strip_prefix(other);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_names_whole_keys() {
        let text = "run.engine = \"clocked\", and clocks.islands";
        assert!(names(text, "run.engine") && names(text, "clocks.islands"));
        assert!(names(
            "without clocks.self-timed",
            "clocks.self-timed.word_ps"
        ));
        assert!(!names(
            "clocks.spread = \"uniform\"",
            "clocks.spread_percent"
        ));
        assert!(!names(text, "run.eng") && !names(text, "engine") && !names("", "run.engine"));
    }
}
