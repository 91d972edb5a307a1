//! `[router]`: the one table in it, read by its kind of router.

use flitwork_machine::{AnyRouter, RouterEntry};
use flitwork_router::parameters::Reading;
use flitwork_schema::{Given, MistakeKind, Part, Refusal};

/// The router, for a network and a run, and its table.
pub(super) fn read<'a>(
    around: &Reading<'_>,
    given: &Given<'a>,
) -> Result<(AnyRouter, Given<'a>), Refusal> {
    let entries = around.parts.all::<RouterEntry>();
    let refused = |kind, span, found: &str| {
        let allowed = format!("exactly one of {}", tables(&entries));
        let refusal = Refusal::new(kind, "router", Some(span));
        Err(refusal.found(found).allowed(allowed))
    };
    let given_tables: Vec<_> = given.names().filter_map(|name| given.table(name)).collect();
    if let Some(second) = given_tables.get(1) {
        return refused(MistakeKind::Conflict, second.span(), "a second router");
    }
    let is_of = |entry: &&RouterEntry, table: &Given<'_>| table.path() == given.key(entry.name());
    let named = given_tables.into_iter().find_map(|table| {
        let entry = entries.iter().find(|entry| is_of(entry, &table))?;
        Some((*entry, table))
    });
    let Some((entry, table)) = named else {
        return refused(MistakeKind::Missing, given.span(), "no router is named");
    };
    Ok(((entry.read)(&table, around)?, table))
}

/// The routers' tables, one after the other.
pub(super) fn tables(entries: &[RouterEntry]) -> String {
    let tables: Vec<String> = entries
        .iter()
        .map(|entry| format!("[router.{}]", entry.name()))
        .collect();
    match tables.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, first)) => format!("{} and {last}", first.join(", ")),
        None => String::new(),
    }
}
