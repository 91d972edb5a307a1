//! Reads the process from `[traffic]`.

use super::ProcessEntry;
use flitwork_schema::{Allowed, Entry, Parts, RawTable, Refusal, listed};

/// The process if none is named.
const DEFAULT: &str = "bernoulli";
const MEANING: &str = "when packets are made: with a fixed probability in each cycle, in bursts, in states or phases with different loads; all in cycle 0; as requests and replies; by the router's schedule; or by a trace";

/// The key that names the process, the keys of all processes, and their tables.
pub(crate) fn keys(parts: &Parts) -> (Vec<Entry>, Vec<Entry>) {
    let names = Allowed::Names(parts.names::<ProcessEntry>());
    let all = parts.all::<ProcessEntry>();
    let own = all.iter().flat_map(|entry| entry.keys(parts));
    let (tables, mut values): (Vec<_>, Vec<_>) = own.partition(|key| key.allowed.is_table());
    values.insert(0, Entry::new("process", names, "\"bernoulli\"", MEANING));
    (values, tables)
}

/// The names of the processes that satisfy a condition, as a message lists them.
pub fn names_of(parts: &Parts, is_listed: impl Fn(&ProcessEntry) -> bool) -> String {
    let all = parts.all::<ProcessEntry>();
    let matching = all.iter().filter(|entry| is_listed(entry));
    let names: Vec<&str> = matching.map(|entry| entry.name).collect();
    listed(&names)
}

/// The process that is named. Keys that only other processes read are refused first.
pub(crate) fn entry(given: &RawTable<'_>, parts: &Parts) -> Result<ProcessEntry, Refusal> {
    let name = given.text("process").unwrap_or(DEFAULT);
    let entry = parts.find::<ProcessEntry>(name);
    let entry = entry.expect("a name that its key allows");
    refuse_unread(given, parts, &entry)?;
    Ok(entry)
}

/// Refuses keys that the process doesn't read.
fn refuse_unread(given: &RawTable<'_>, parts: &Parts, entry: &ProcessEntry) -> Result<(), Refusal> {
    let reads = |entry: &ProcessEntry, name: &str| {
        let keys = entry.keys(parts);
        keys.iter().any(|key| key.name == name)
    };
    let (values, tables) = keys(parts);
    let own = values[1..].iter().chain(&tables).map(|key| key.name);
    let mut stray = own.filter(|name| given.has(name) && !reads(entry, name));
    let Some(name) = stray.next() else {
        return Ok(());
    };
    let special = entry.unread.iter().find(|(key, _)| *key == name);
    let allowed = match special {
        Some((_, why)) => format!("only if traffic.process isn't {:?}: {why}", entry.name),
        None => format!(
            "only with traffic.process = {}; it is {:?}",
            names_of(parts, |other| reads(other, name)),
            entry.name
        ),
    };
    Err(given.unread(name, &["process"], allowed))
}
