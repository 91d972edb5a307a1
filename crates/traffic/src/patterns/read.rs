//! Reads the pattern from a table of a configuration: `[traffic]`, or a phase.

use super::{AnyPattern, PatternEntry, PatternError, Uniform};
use crate::{PatternParameters, ReadContext};
use flitwork_schema::{Allowed, Entry, MistakeKind, Parts, RawTable, Refusal, Span, listed};
use flitwork_types::TerminalId;

/// The key that names the pattern, and the keys of all patterns.
pub(crate) fn keys(parts: &Parts) -> Vec<Entry> {
    let all = parts.all::<PatternEntry>();
    let own = all.iter().flat_map(|it| [it.keys(), it.file_keys()]);
    let named = named(parts, "the pattern of destinations");
    std::iter::once(named).chain(own.flatten()).collect()
}

/// The same keys for a phase, which can't name files.
pub(crate) fn keys_of_phases(parts: &Parts) -> Vec<Entry> {
    let all = parts.all::<PatternEntry>();
    let own = all.iter().flat_map(PatternEntry::keys);
    let named = named(parts, "the pattern of destinations in the phase");
    std::iter::once(named).chain(own).collect()
}

fn named(parts: &Parts, meaning: &'static str) -> Entry {
    let names = Allowed::Names(parts.names::<PatternEntry>());
    Entry::new("pattern", names, "\"uniform\"", meaning)
}

/// The keys that a pattern reads.
fn reads(entry: &PatternEntry) -> Vec<&'static str> {
    let keys = entry.keys().into_iter().chain(entry.file_keys());
    keys.map(|key| key.name).collect()
}

/// Reads the pattern.
pub(crate) fn read(given: &RawTable<'_>, context: &ReadContext<'_>) -> Result<AnyPattern, Refusal> {
    let name = given.text("pattern").unwrap_or(Uniform::NAME);
    refuse_unread(given, context.parts, name)?;
    let Some(entry) = context.parts.find::<PatternEntry>(name) else {
        let (found, known) = (name.into(), context.parts.names::<PatternEntry>());
        let error = PatternError::Unknown { found, known };
        return Err(refusal(&error, given));
    };
    let pattern = (entry.read)(given, context)?;
    if !pattern.is_surely_buildable(context.topology) {
        let built = pattern.build(context.topology, context.seed);
        built.map_err(|error| refusal(&error, given))?;
    }
    Ok(pattern)
}

/// Refuses keys that the pattern doesn't read, before any file is read.
fn refuse_unread(given: &RawTable<'_>, parts: &Parts, name: &str) -> Result<(), Refusal> {
    let all = parts.all::<PatternEntry>();
    let own = all.iter().find(|entry| entry.name == name).map(reads);
    let own = own.unwrap_or_default();
    let mut others = all.iter().flat_map(reads);
    let Some(key) = others.find(|key| !own.contains(key) && given.has(key)) else {
        return Ok(());
    };
    let allowed = match own.join(" and ").as_str() {
        "" => format!("only with another pattern: {name} reads no key of its own"),
        keys => format!("only with another pattern: {name} reads only {keys}"),
    };
    let owners = all.iter().filter(|entry| reads(entry).contains(&key));
    let owners: Vec<&str> = owners.map(|entry| entry.name).collect();
    let hint = format!("{key} belongs to pattern = {}", listed(&owners));
    Err(given.unread(key, &["pattern"], allowed).hint(Some(hint)))
}

/// Refuses `pattern` and the keys of all patterns, for a process that reads none.
pub(crate) fn refuse_any(
    given: &RawTable<'_>,
    parts: &Parts,
    allowed: &str,
) -> Result<(), Refusal> {
    let keys: Vec<&str> = keys(parts).iter().map(|key| key.name).collect();
    given.refuse(&keys, &["process"], allowed)
}

/// The error that the pattern's own check found, at its place.
fn refusal(error: &PatternError, given: &RawTable<'_>) -> Refusal {
    let pattern = given.span_of("pattern").unwrap_or_else(|| given.span());
    let (parameter, span) = match error {
        PatternError::Missing { parameter, .. } => {
            return given.missing_for(parameter, pattern);
        }
        PatternError::OffNetwork {
            parameter, node, ..
        } => (*parameter, named_at(given, parameter, *node, 0)),
        PatternError::Repeated { parameter, node } => {
            (*parameter, named_at(given, parameter, *node, 1))
        }
        PatternError::ToItself { node } => ("sources", named_at(given, "sources", *node, 0)),
        PatternError::Fraction { parameter, .. }
        | PatternError::Empty { parameter }
        | PatternError::Unfit { parameter, .. } => (*parameter, None),
        PatternError::SourceTwice { .. } | PatternError::DestinationTwice { .. } => ("file", None),
        PatternError::Network { .. }
        | PatternError::Silent { .. }
        | PatternError::Unknown { .. } => ("pattern", None),
    };
    let span = span.or_else(|| given.span_of(parameter));
    let span = span.unwrap_or(pattern);
    let key = given.key(parameter);
    let (found, allowed) = words(error, parameter, (given.path(), &key));
    let refusal = Refusal::new(MistakeKind::Conflict, key, Some(span));
    refusal.found(found).allowed(allowed)
}

/// Where a list names a node for the `nth` time.
fn named_at(given: &RawTable<'_>, list: &str, node: TerminalId, nth: usize) -> Option<Span> {
    let nodes: Vec<TerminalId> = match given.value(list)?.datum.as_list() {
        Some(_) => given.get(list)?,
        None => return None,
    };
    let places = given.list(list).iter().zip(nodes);
    let mut named = places.filter(|(_, named)| *named == node);
    named.nth(nth).map(|(value, _)| value.span.clone())
}

/// What was found and what is allowed, in terms of a configuration's key.
fn words(error: &PatternError, parameter: &str, (table, key): (&str, &str)) -> (String, String) {
    match error {
        PatternError::Network {
            pattern,
            needs,
            network,
        } => {
            let found = format!("{key} is {pattern:?} on {network}");
            (found, format!("{pattern} needs {needs}"))
        }
        PatternError::OffNetwork { node, nodes, .. } => {
            let last = nodes.saturating_sub(1);
            let found = format!("{key} names node {node}, which the network doesn't have");
            (found, format!("nodes 0 to {last}"))
        }
        PatternError::Repeated { node, .. } => (
            format!("{key} names node {node} twice"),
            "each node once".into(),
        ),
        // The message begins with the parameter and ends, after a semicolon, with what is allowed.
        _ => match error.to_string().split_once("; ") {
            Some((found, allowed)) if found.starts_with(parameter) => {
                (format!("{table}.{found}"), allowed.into())
            }
            Some((found, allowed)) => (format!("{key}: {found}"), allowed.into()),
            None => (format!("{key}: {error}"), String::new()),
        },
    }
}
