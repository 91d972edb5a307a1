//! The process that `[traffic]` gives.

use super::{AnyProcess, ProcessEntry};
use crate::{Around, Lengths};
use flitwork_schema::{Allowed, Entry, Given, Parts, Refusal, listed};

/// The process where none is named.
const USUAL: &str = "bernoulli";
const MEANING: &str = "when packets are made: by a coin in each cycle, in bursts, in states or phases with other loads; or all in cycle 0; as requests and replies; as the router's schedule has them; or as a trace says";

/// The key that names the process, the keys of all processes, and their tables.
pub(crate) fn keys(parts: &Parts) -> (Vec<Entry>, Vec<Entry>) {
    let names = Allowed::Names(parts.names::<ProcessEntry>());
    let all = parts.all::<ProcessEntry>();
    let own = all.iter().flat_map(|entry| entry.keys(parts));
    let (tables, mut values): (Vec<_>, Vec<_>) = own.partition(|key| key.allowed.is_table());
    values.insert(0, Entry::new("process", names, "\"bernoulli\"", MEANING));
    (values, tables)
}

/// The names of the processes of which something is true, as a message lists them.
pub fn names_of(parts: &Parts, is_meant: impl Fn(&ProcessEntry) -> bool) -> String {
    let all = parts.all::<ProcessEntry>();
    let meant = all.iter().filter(|entry| is_meant(entry));
    let names: Vec<&str> = meant.map(|entry| entry.name).collect();
    listed(&names)
}

/// Which process is asked for. What others read is refused before all else that hangs on it.
pub(crate) fn entry(given: &Given<'_>, parts: &Parts) -> Result<ProcessEntry, Refusal> {
    let name = given.text("process").unwrap_or(USUAL);
    let entry = parts.find::<ProcessEntry>(name);
    let entry = entry.expect("a name that its key allows");
    refuse_unread(given, parts, &entry)?;
    Ok(entry)
}

/// Refuses a key that the process doesn't read.
fn refuse_unread(given: &Given<'_>, parts: &Parts, entry: &ProcessEntry) -> Result<(), Refusal> {
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
        Some((_, why)) => format!("nothing: with traffic.process = {:?} {why}", entry.name),
        None => format!(
            "nothing with traffic.process = {:?}: only {} reads it",
            entry.name,
            names_of(parts, |other| reads(other, name))
        ),
    };
    Err(given.conflict(name, allowed))
}

/// The process, with packets of such lengths.
pub(crate) fn read(
    entry: &ProcessEntry,
    given: &Given<'_>,
    lengths: &Lengths,
    around: &Around<'_>,
) -> Result<AnyProcess, Refusal> {
    (entry.read)(given, lengths, around)
}
