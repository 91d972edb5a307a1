//! Configurations: TOML and the command line's overrides to validated parameters.
//!
//! ```text
//!  text ──▶ document ──▶ overrides ──▶ check ──▶ RawTable ─▶ judge ─▶ Resolved
//!           (spans)      (over it)     (each     (values   (values beside
//!                                      value)    with       each other, by
//!                                                places)    their parts)
//! ```
//!
//! What was given ([`RawTable`]: values and places only) is kept apart from what it means ([`Resolved`], with every
//! default filled in). Nothing after [`load`] checks again. Every mistake is a [`ConfigError`] with its place.
//!
//! May depend on the parts that a configuration names and on `machine`, whose objects are the values of its tables. Must never
//! run anything.
//!
//! ```
//! use flitwork_config::resolve;
//! use std::path::Path;
//!
//! let text = "
//!     [network]
//!     topology = \"mesh\"
//!     sides = [4, 4]
//!     [router.wormhole]
//!     [traffic]
//!     load = 0.1
//!     [run]
//!     warmup_cycles = 100
//!     measure_cycles = 500
//! ";
//! let resolved = resolve(text, "mine.toml", Path::new(""), &[]).unwrap();
//! assert_eq!(resolved.router.name(), "wormhole");
//! // The resolved text has every default, and means the same.
//! let again = resolve(&resolved.to_toml(), "again.toml", Path::new(""), &[]).unwrap();
//! assert_eq!(again, resolved);
//!
//! let error = resolve(&text.replace("0.1", "1.7"), "mine.toml", Path::new(""), &[]).unwrap_err();
//! assert_eq!(error.key(), Some("traffic.load"));
//! ```

mod catalogue;
mod check;
mod clock_draws;
mod clocks;
mod delay_draws;
mod draws;
mod error;
mod excerpt;
mod file;
mod file_texts;
mod groups;
mod json_schema;
mod judge;
mod loaded;
mod old_form;
mod overlay;
mod overrides;
mod pace;
mod problem;
mod resolved;
mod schema;
mod source;
mod tables;
mod text;
mod unread;
mod values;

#[cfg(test)]
mod tests;

pub use catalogue::{Catalogue, KeyDescription};
pub use clocks::{
    ChangeParameters, ChangedClocks, ClockParameters, DelayParameters, DelayTable, Domains,
    GivenDelay, IslandParameters, Oscillators, Phase, SelfTimedParameters, Spread, SpreadLaw,
    Stepping,
};
pub use error::{ConfigError, ErrorPlace};
pub use file::{open_packets, path_beside};
pub use file_texts::FileTexts;
pub use flitwork_live::Runtime;
pub use flitwork_machine::{AnyRouter, RouterEntry};
pub use flitwork_schema::MistakeKind;
pub use flitwork_traffic::TrafficParameters;
pub use groups::{NameGroup, groups};
pub use loaded::Loaded;
pub use overrides::Override;
pub use problem::{NodePacket, Problem, Routing, Scheduling};
pub use resolved::Resolved;
pub use tables::energy::EnergyParameters;
pub use tables::faults::{Detection, FaultParameters, FaultPlan};
pub use tables::network::NetworkParameters;
pub use tables::run::{ENGINES, EngineChoice, RunParameters};
pub use text::table_text;
pub use unread::{Unread, Verdict, unread_warning};

use excerpt::Excerpt;
use file_texts::Base;
use flitwork_schema::{RawTable, Refusal};
use loaded::Places;
use source::{Source, shown_path};
use std::collections::BTreeSet;
use std::path::Path;
use toml::de::DeTable;
use unread::Found;
use values::Entries;

/// [`Catalogue::load`] with the parts that the program comes with.
///
/// # Errors
/// The same.
pub fn load(path: &Path, overrides: &[Override]) -> Result<Resolved, ConfigError> {
    Catalogue::default().load(path, overrides)
}

/// [`Catalogue::resolve`] with the parts that the program comes with.
///
/// # Errors
/// The same.
pub fn resolve(
    text: &str,
    name: &str,
    base_dir: &Path,
    overrides: &[Override],
) -> Result<Resolved, ConfigError> {
    Catalogue::default().resolve(text, name, base_dir, overrides)
}

/// The text of a configuration file, not parsed yet.
///
/// # Errors
/// A [`ConfigError`] for a file that can't be read.
pub fn read(path: &Path) -> Result<String, ConfigError> {
    file::read_text(path, file::MAX_CONFIG_BYTES).map_err(|unreadable| {
        let place = ErrorPlace::File(shown_path(&path.display().to_string()));
        let refusal = Refusal::new(MistakeKind::File, "", None).found(unreadable.found);
        ConfigError::new(refusal.allowed(unreadable.allowed), place, None)
    })
}

impl Catalogue {
    /// Parses and checks the text of a configuration. Errors call it `name`; paths in it start from `base_dir`.
    ///
    /// # Errors
    /// A [`ConfigError`] for every mistake that is found: text that isn't TOML, names that don't exist,
    /// values that their keys can't have, values that conflict, keys that are given and not read, and a file that isn't
    /// what it should be.
    pub fn resolve(
        &self,
        text: &str,
        name: &str,
        base_dir: &Path,
        overrides: &[Override],
    ) -> Result<Resolved, ConfigError> {
        Ok(self.resolve_in(text, (name, base_dir), overrides, true)?.0)
    }

    /// [`Catalogue::resolve`], but keys that aren't read are returned instead of refused: another of several runs may
    /// read them, or an earlier version wrote them.
    ///
    /// # Errors
    /// All other mistakes.
    pub fn resolve_with_unread(
        &self,
        text: &str,
        name: &str,
        base_dir: &Path,
        overrides: &[Override],
    ) -> Result<(Resolved, Vec<Unread>), ConfigError> {
        self.resolve_in(text, (name, base_dir), overrides, false)
    }

    /// The configuration in a record or an index, with the texts of files that are there, which are read instead of the files.
    /// An earlier version may have written keys that this one doesn't read: they are returned.
    ///
    /// # Errors
    /// All other mistakes.
    pub fn resolve_recorded(
        &self,
        text: &str,
        name: &str,
        texts: &FileTexts,
        overrides: &[Override],
    ) -> Result<(Resolved, Vec<Unread>), ConfigError> {
        let directory = Path::new("");
        let base = Base {
            directory,
            texts,
            is_examined: false,
        };
        self.resolve_run(text, (name, base), overrides, false)
    }

    fn resolve_in(
        &self,
        text: &str,
        (name, directory): (&str, &Path),
        overrides: &[Override],
        refuses_unread: bool,
    ) -> Result<(Resolved, Vec<Unread>), ConfigError> {
        let base = Base::at(directory);
        self.resolve_run(text, (name, base), overrides, refuses_unread)
    }

    fn resolve_run(
        &self,
        text: &str,
        (name, base): (&str, Base<'_>),
        overrides: &[Override],
        refuses_unread: bool,
    ) -> Result<(Resolved, Vec<Unread>), ConfigError> {
        let reading = Reading {
            reader: "this run",
            refuses_unread,
            judge: &|source, given| judge::read(source, base, given),
        };
        let (resolved, unread, _) = self.resolve_as(text, name, overrides, &reading)?;
        Ok((resolved, unread))
    }

    fn resolve_as<T>(
        &self,
        text: &str,
        name: &str,
        overrides: &[Override],
        reading: &Reading<'_, T>,
    ) -> Result<(T, Vec<Unread>, Places), ConfigError> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let source = Source {
            catalogue: self,
            schema: self.schema(),
            name,
            text,
            overrides,
            wrong: &[],
            looks_again: false,
            refuses_unread: reading.refuses_unread,
            reader: reading.reader,
        };
        if text.len() as u64 > file::MAX_CONFIG_BYTES {
            let refusal = Refusal::new(MistakeKind::File, "", None);
            let refusal = refusal.found(format!("has {} bytes", text.len()));
            return Err(source.error(refusal.allowed("at most 1 MiB")));
        }
        let (document, errors) = DeTable::parse_recoverable(text);
        if let Some(all) = ConfigError::all_of(syntax_errors(&source, &errors)) {
            return Err(all);
        }
        let mut entries = values::entries(document.get_ref(), 0);
        if let Some(old) = old_form::refused(&entries) {
            return Err(source.error(old));
        }
        let (mut taken, mut errors) = overlay::apply(&source, &mut entries);
        errors.extend(check::check(&source, &entries, ""));
        let wrong = errors.clone();
        if !wrong.is_empty() {
            let keys: Vec<&str> = wrong.iter().map(|error| error.key.as_str()).collect();
            entries = values::without(&entries, "", &keys);
        }
        while errors.len() < error::MOST {
            let source = Source {
                wrong: &wrong,
                looks_again: !errors.is_empty(),
                ..source
            };
            let given = RawTable::new(String::new(), document.span(), &entries);
            let found = match (reading.judge)(&source, &given) {
                Ok((resolved, unread)) if errors.is_empty() => {
                    let unread = taken.into_iter().chain(unread);
                    let unread = unread.map(|it: Found| it.reported(&source));
                    let unread = unread.collect();
                    return Ok((resolved, unread, Places::of(&source, entries)));
                }
                Ok(_) => Vec::new(),
                Err(found) => found,
            };
            let mut left = unread::take_out(&source, &mut entries, &found);
            let is_done = left.is_empty() && !leave_out(&mut entries, &found);
            if left.is_empty() {
                for error in found {
                    if !errors.contains(&error) {
                        errors.push(error);
                    }
                }
            }
            taken.append(&mut left);
            if is_done {
                break;
            }
        }
        let all = errors.into_iter().map(|refusal| source.error(refusal));
        Err(ConfigError::all_of(all.collect()).expect("what isn't resolved is wrong"))
    }
}

/// Leaves out the keys that a part refuses because it doesn't read them, so that what else is wrong is found; returns
/// whether there are any.
fn leave_out(entries: &mut Entries, errors: &[Refusal]) -> bool {
    let unread = errors.iter().filter(|error| !error.decided_by.is_empty());
    let mut any = false;
    for error in unread {
        any |= values::put(entries, &error.key, None);
    }
    any
}

/// How a configuration is read.
struct Reading<'r, T> {
    /// What reads it, in messages.
    reader: &'static str,
    /// Whether keys that are given and not read are refused.
    refuses_unread: bool,
    judge: &'r Judge<'r, T>,
}

/// From what is given to what it means, and what isn't read.
type Judge<'r, T> =
    dyn Fn(&Source<'_>, &RawTable<'_>) -> Result<(T, Vec<Found>), Vec<Refusal>> + 'r;

impl Catalogue {
    /// [`Catalogue::resolve`] for a network whose packets come from another program, so that `[traffic]` need not be
    /// given: its sources make no packets then.
    ///
    /// # Errors
    /// The same.
    pub fn resolve_network(
        &self,
        text: &str,
        name: &str,
        base_dir: &Path,
        overrides: &[Override],
    ) -> Result<Resolved, ConfigError> {
        let document = DeTable::parse(text.strip_prefix('\u{feff}').unwrap_or(text));
        // Text that is not TOML is refused below.
        let has_traffic = document.is_ok_and(|it| it.get_ref().contains_key("traffic"));
        let mut overrides = overrides.to_vec();
        if !has_traffic {
            overrides.push(Override::new("traffic.load", "0"));
        }
        self.resolve(text, name, base_dir, &overrides)
    }
}

/// The name of the one table within a table of a file, `worms` of `schedule`; `None` if there is none, or no such file.
pub fn table_within(path: &Path, table: &str) -> Option<String> {
    let text = file::read_text(path, file::MAX_CONFIG_BYTES).ok()?;
    // Whatever else is wrong with it.
    let (document, _) = DeTable::parse_recoverable(&text);
    let within = document.get_ref().get(table)?.get_ref().as_table()?;
    within.keys().next().map(|name| name.get_ref().to_string())
}

/// Where a configuration file gives a key, as line and column, if it does.
pub fn locate(path: &Path, key: &str) -> Option<(usize, usize)> {
    let text = file::read_text(path, file::MAX_CONFIG_BYTES).ok()?;
    let document = DeTable::parse(&text).ok()?;
    let entries = values::entries(document.get_ref(), 0);
    let Excerpt { line, column, .. } = Excerpt::of(&text, &values::find(&entries, key)?.span);
    Some((line, column))
}

/// The most errors of the TOML reader that are examined: text that isn't TOML at all has one in every line.
const MOST_SYNTAX_ERRORS: usize = 100;

/// The first syntax error of each line: further ones on a line are consequences of it, and after an array that isn't
/// closed nothing is certain.
fn syntax_errors(source: &Source<'_>, errors: &[toml::de::Error]) -> Vec<ConfigError> {
    let start = |error: &toml::de::Error| error.span().map_or(0, |span| span.start);
    let errors = &errors[..errors.len().min(MOST_SYNTAX_ERRORS)];
    let is_unclosed = |error: &&toml::de::Error| error.message().starts_with("missing comma");
    let unclosed = errors.iter().filter(is_unclosed).map(start).min();
    let mut lines = BTreeSet::new();
    let is_first = |error: &&toml::de::Error| {
        let before = source.text.get(..start(error)).unwrap_or_default();
        unclosed.is_none_or(|unclosed| start(error) <= unclosed)
            && lines.insert(before.matches('\n').count())
    };
    let errors = errors.iter().filter(is_first);
    errors
        .map(|error| source.error(not_toml(source.text, error)))
        .collect()
}

fn not_toml(text: &str, error: &toml::de::Error) -> Refusal {
    let rest = error.span().and_then(|span| text.get(span.start..));
    let line = rest
        .and_then(|rest| rest.lines().next())
        .unwrap_or_default();
    let reader = flitwork_schema::shown(error.message().trim());
    let message = match reader.as_str() {
        // The reader gives advice about the value, and there is none.
        _ if reader.starts_with("string values must be quoted") && line.trim().is_empty() => {
            "a value is missing"
        }
        "recursion limit" => "tables are nested too deeply",
        other => other,
    };
    Refusal::new(MistakeKind::Syntax, "", error.span()).found(format!("not TOML: {message}"))
}
