//! Gathers all mistakes of a configuration, and none that only follows from another.
//!
//! Values are checked one by one first, which finds all that are wrong on their own. Checks of values against each
//! other need right values, so others stand in for each wrong or missing one, in turn: what was probably meant, no
//! value at all, values from the key's range, each of its names. A conflict that is found whatever stands in is a
//! mistake of its own. One that comes and goes follows from the wrong value or from a stand-in, and isn't reported. The
//! value that a conflict is about counts as wrong from then on, and the search repeats until it finds nothing new.
//!
//! A stand-in that is refused itself proves nothing, so another is tried. If all are refused, tables that depend on the
//! value aren't judged; the others are.

use super::check;
use super::error::MOST;
use super::schema::{Schema, plain};
use super::source::Source;
use super::stand_in::stand_ins;
use super::values::{self, Entries};
use flitwork_schema::{Datum, MistakeKind, Refusal, Value, nearest};
use std::time::{Duration, Instant};

/// The longest search for further mistakes. Only very large networks take so long, and only what is certain by then is
/// reported.
const LONGEST_LOOK: Duration = Duration::from_secs(1);

/// How often values are removed and the rest is judged again, with the same stand-ins.
const MOST_TURNS: usize = 8;

/// A value that is wrong or missing, and its stand-ins; `None` stands for no value.
#[derive(Debug)]
struct Gap {
    key: String,
    stand_ins: Vec<Option<Datum>>,
}

/// The index of each gap's stand-in, and the gaps whose stand-ins are all refused.
#[derive(Clone, Debug)]
struct Choices {
    of: Vec<usize>,
    hopeless: Vec<usize>,
}

/// What was found with one choice of stand-ins.
#[derive(Debug, Default)]
struct View {
    /// Each mistake, and whether it was found before values were removed because of others.
    seen: Vec<(Refusal, bool)>,
    /// Missing keys that an unknown name may have meant.
    meant: Vec<String>,
    /// The indices of the gaps whose stand-ins were refused.
    refused: Vec<usize>,
}

/// Checks values against each other, and returns the mistakes.
pub(super) type Judge<'j> = &'j dyn Fn(&Entries) -> Vec<Refusal>;

/// The mistakes of a configuration that are known so far.
pub(super) struct Gathered<'s> {
    source: &'s Source<'s>,
    document: &'s Entries,
    /// The given values, without those that are wrong on their own.
    base: Entries,
    errors: Vec<Refusal>,
    gaps: Vec<Gap>,
    /// Tables with unknown names: keys that are missing there may be what was meant.
    unsure: Vec<String>,
    begun: Instant,
}

impl<'s> Gathered<'s> {
    /// Starts from the known mistakes of a document.
    pub(super) fn of(
        source: &'s Source<'s>,
        document: &'s Entries,
        known: Vec<Refusal>,
    ) -> Gathered<'s> {
        let is_single = |error: &&Refusal| {
            matches!(
                error.kind,
                MistakeKind::Unknown | MistakeKind::Value | MistakeKind::Syntax
            )
        };
        let wrong = known.iter().filter(is_single);
        let wrong: Vec<&str> = wrong.map(|error| error.key.as_str()).collect();
        let mut gathered = Gathered {
            source,
            document,
            base: values::without(document, "", &wrong),
            errors: Vec::new(),
            gaps: Vec::new(),
            unsure: Vec::new(),
            begun: Instant::now(),
        };
        known.into_iter().for_each(|error| gathered.add(error));
        gathered
    }

    /// All mistakes.
    pub(super) fn all(mut self, judge: Judge<'_>) -> Vec<Refusal> {
        // There is no more to say about an empty file.
        let is_whole = self.errors.iter().any(|error| error.key.is_empty());
        while !is_whole && self.errors.len() < MOST {
            let more = self.more(judge);
            if more.is_empty() {
                break;
            }
            more.into_iter().for_each(|error| self.add(error));
        }
        self.errors
    }

    /// Adds a mistake, and the gap that it leaves.
    fn add(&mut self, error: Refusal) {
        match error.kind {
            MistakeKind::Unknown => self.add_unknown(&error.key),
            kind => {
                // A list with a wrong entry is left out as a whole.
                let list = error
                    .key
                    .strip_suffix(']')
                    .and_then(|it| it.rsplit_once('['));
                let key = list.map_or(&*error.key, |(list, _)| list).to_owned();
                let near = self.near_name(&key).filter(|_| kind == MistakeKind::Value);
                let may_be_left_out = kind != MistakeKind::Missing;
                let stand_ins = stand_ins(self.schema(), &plain(&key), near, may_be_left_out);
                self.gaps.push(Gap::new(key, stand_ins));
            }
        }
        self.errors.push(error);
    }

    /// The gap left by an unknown name, if a key is known that it probably meant.
    fn add_unknown(&mut self, key: &str) {
        let table = known_table(self.schema(), key);
        self.unsure.push(table.to_owned());
        let near =
            near_key(self.schema(), key).filter(|near| values::find(&self.base, near).is_none());
        let Some(near) = near else {
            return;
        };
        let line = self.schema().find(&plain(&near));
        let given = values::find(self.document, key);
        let meant = line.zip(given).and_then(|(line, given)| {
            let wrong = check::check_entry(self.source, (line, &near), given);
            wrong.is_empty().then(|| given.datum.clone())
        });
        let stand_ins = stand_ins(self.schema(), &plain(&near), meant, true);
        self.gaps.push(Gap::new(near, stand_ins));
    }

    /// The allowed name that is closest to a key's value.
    fn near_name(&self, key: &str) -> Option<Datum> {
        let line = self.schema().find(&plain(key))?;
        let written = values::find(self.document, key)?.datum.as_text()?;
        let near = nearest(written, line.allowed.choices().iter().copied());
        near.map(Datum::text)
    }

    fn schema(&self) -> &'s Schema {
        self.source.schema
    }

    /// The mistakes that are found whatever stands in the gaps.
    fn more(&mut self, judge: Judge<'_>) -> Vec<Refusal> {
        let (usual, view) = loop {
            let begin = Choices {
                of: vec![0; self.gaps.len()],
                hopeless: Vec::new(),
            };
            let Some((usual, view)) = self.accepted(begin, None, judge) else {
                return Vec::new();
            };
            if view.meant.is_empty() {
                break (usual, view);
            }
            for key in view.meant {
                let stand_ins = stand_ins(self.schema(), &plain(&key), None, false);
                self.gaps.push(Gap::new(key, stand_ins));
            }
        };
        let mut views = vec![view];
        for (gap, other) in self.gaps.iter().enumerate() {
            for choice in 0..other.stand_ins.len() {
                if choice == usual.of[gap] || usual.hopeless.contains(&gap) {
                    continue;
                }
                let mut choices = usual.clone();
                choices.of[gap] = choice;
                let view = self.accepted(choices, Some(gap), judge);
                views.extend(view.map(|(_, view)| view));
                if self.is_late() {
                    return Vec::new();
                }
            }
        }
        let mut found: Vec<Refusal> = Vec::new();
        for (error, is_first) in views.iter().flat_map(|view| &view.seen) {
            let is_new = *is_first && !found.contains(error) && !self.errors.contains(error);
            if is_new && views.iter().all(|view| view.has(error)) {
                found.push(error.clone());
            }
        }
        found
    }

    /// Tries further stand-ins for the gaps whose stand-ins are refused, until none is or a gap has no more, and returns
    /// the choices and what they show; `None` if the stand-in of the `kept` gap is refused.
    fn accepted(
        &self,
        mut choices: Choices,
        kept: Option<usize>,
        judge: Judge<'_>,
    ) -> Option<(Choices, View)> {
        loop {
            let view = self.view(&choices.of, judge);
            let mut refused = view.refused.iter().copied();
            let Some(gap) = refused.find(|gap| !choices.hopeless.contains(gap)) else {
                return Some((choices, view));
            };
            if kept == Some(gap) || self.is_late() {
                return None;
            }
            choices.of[gap] += 1;
            if choices.of[gap] >= self.gaps[gap].stand_ins.len() {
                choices.of[gap] = 0;
                choices.hopeless.push(gap);
            }
        }
    }

    fn is_late(&self) -> bool {
        self.begun.elapsed() > LONGEST_LOOK
    }

    /// What is found with these stand-ins.
    fn view(&self, choices: &[usize], judge: Judge<'_>) -> View {
        let mut entries = self.base.clone();
        for (gap, choice) in self.gaps.iter().zip(choices) {
            if let Some(stand_in) = gap.stand_ins.get(*choice) {
                put(&mut entries, &gap.key, stand_in.clone());
            }
        }
        let mut view = View::default();
        for turn in 0..MOST_TURNS {
            let mut has_changed = false;
            for error in judge(&entries) {
                let mut gaps = self.gaps.iter();
                match gaps.position(|gap| gap.is_about(&error)) {
                    Some(gap) => view.refused.push(gap),
                    None if self.is_meant(&error) => {
                        has_changed |= self.mend(&mut entries, &error);
                        view.meant.push(error.key);
                    }
                    None if view.seen.iter().any(|(known, _)| *known == error) => {}
                    None => {
                        has_changed |= self.mend(&mut entries, &error);
                        view.seen.push((error, turn == 0));
                    }
                }
            }
            if !has_changed {
                break;
            }
        }
        view
    }

    /// Whether a key is missing that an unknown name may have meant.
    fn is_meant(&self, error: &Refusal) -> bool {
        let key = error.key.as_str();
        let may_be = |table: &String| {
            key == table || table_of(key) == table && values::find(&self.base, key).is_none()
        };
        error.kind == MistakeKind::Missing && self.unsure.iter().any(may_be)
    }

    /// Removes the value that a mistake is about, or sets a missing one; returns whether that changes anything.
    fn mend(&self, entries: &mut Entries, error: &Refusal) -> bool {
        let stand_in = match error.kind {
            MistakeKind::Missing => stand_ins(self.schema(), &plain(&error.key), None, false)
                .into_iter()
                .next(),
            _ => None,
        };
        put(entries, &error.key, stand_in.flatten())
    }
}

impl Gap {
    fn new(key: String, stand_ins: Vec<Option<Datum>>) -> Gap {
        Gap { key, stand_ins }
    }

    /// Whether a mistake is about the gap or its stand-in.
    fn is_about(&self, error: &Refusal) -> bool {
        let key = error.key.as_str();
        let within = key.strip_prefix(&*self.key);
        // A table may require the key.
        error.kind == MistakeKind::Missing && table_of(&self.key) == key
            || within.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
    }
}

impl View {
    fn has(&self, error: &Refusal) -> bool {
        self.seen.iter().any(|(seen, _)| seen == error)
    }
}

/// Sets a value of the entries to what stands in for it.
fn put(entries: &mut Entries, key: &str, datum: Option<Datum>) -> bool {
    values::put(entries, key, datum.map(Value::from).as_ref())
}

fn table_of(key: &str) -> &str {
    key.rsplit_once('.').map_or("", |(table, _)| table)
}

/// The table in which an unknown name was written; a quoted name may have dots.
fn known_table<'k>(schema: &Schema, key: &'k str) -> &'k str {
    let mut table = table_of(key);
    while !table.is_empty() && schema.find(&plain(table)).is_none() {
        table = table_of(table);
    }
    table
}

/// The key of the same table that an unknown one probably meant.
fn near_key(schema: &Schema, key: &str) -> Option<String> {
    let (table, name) = key.rsplit_once('.').unwrap_or(("", key));
    let near = nearest(name, schema.names_in(&plain(table)).into_iter())?;
    Some(values::join(table, near))
}
