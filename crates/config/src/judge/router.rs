//! `[router]`: the one table in it, read by its kind of router.

use crate::error::{ConfigError, Fault};
use crate::source::Source;
use flitwork_machine::{AnyRouter, RouterEntry};
use flitwork_router::parameters::Reading;
use flitwork_schema::{Given, Part};

/// The router, for a network and a run, and its table.
pub(super) fn read<'a>(
    source: &Source<'_>,
    around: &Reading<'_>,
    given: &Given<'a>,
) -> Result<(AnyRouter, Given<'a>), ConfigError> {
    let entries = around.parts.all::<RouterEntry>();
    let tables: Vec<_> = given.names().filter_map(|name| given.table(name)).collect();
    if let Some(second) = tables.get(1) {
        let error = source.error(Fault::Conflict, &second.span(), "a second router");
        return Err(error.about("router").allowed_is(exactly_one(&entries)));
    }
    let named = |table: &Given<'_>| {
        let is_it = |entry: &&RouterEntry| table.path() == format!("router.{}", entry.name());
        entries.iter().find(is_it).copied()
    };
    let Some((entry, table)) = tables
        .first()
        .and_then(|table| Some((named(table)?, table)))
    else {
        let error = source.error(Fault::Missing, &given.span(), "no router is named");
        return Err(error.about("router").allowed_is(exactly_one(&entries)));
    };
    let router = (entry.read)(table, around).map_err(|refusal| source.refused(refusal))?;
    Ok((router, table.clone()))
}

fn exactly_one(entries: &[RouterEntry]) -> String {
    format!("exactly one of {}", tables(entries))
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
