//! Tables with exactly one table in them, which names a part: `[router]`, `[rule]`, `[schedule]`.

use flitwork_machine::{AnyRouter, RouterEntry};
use flitwork_router::parameters::Reading;
use flitwork_schema::{Given, MistakeKind, Part, Refusal};

/// The router, for a network and a run, and its table.
pub(super) fn read<'a>(
    around: &Reading<'_>,
    given: &Given<'a>,
) -> Result<(AnyRouter, Given<'a>), Refusal> {
    let (entry, table) = named::<RouterEntry>(given, &around.parts.all(), "router")?;
    Ok(((entry.read)(&table, around)?, table))
}

/// The part of the one table in this one, and its table; `what` a part is.
pub(super) fn named<'a, E: Part>(
    given: &Given<'a>,
    entries: &[E],
    what: &str,
) -> Result<(E, Given<'a>), Refusal> {
    let refused = |kind, span, found: String| {
        let allowed = format!("exactly one of {}", tables(given.path(), entries));
        let refusal = Refusal::new(kind, given.path(), Some(span));
        Err(refusal.found(found).allowed(allowed))
    };
    let given_tables: Vec<_> = given.names().filter_map(|name| given.table(name)).collect();
    if let Some(second) = given_tables.get(1) {
        let found = format!("a second {what}");
        return refused(MistakeKind::Conflict, second.span(), found);
    }
    let is_of = |entry: &&E, table: &Given<'_>| table.path() == given.key(entry.name());
    let named = given_tables.into_iter().find_map(|table| {
        let entry = entries.iter().find(|entry| is_of(entry, &table))?;
        Some((entry.clone(), table))
    });
    match named {
        Some(named) => Ok(named),
        None => refused(
            MistakeKind::Missing,
            given.span(),
            format!("no {what} is named"),
        ),
    }
}

/// The tables within a table, one after the other.
pub(super) fn tables<E: Part>(path: &str, entries: &[E]) -> String {
    let tables: Vec<String> = entries
        .iter()
        .map(|entry| format!("[{path}.{}]", entry.name()))
        .collect();
    match tables.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, first)) => format!("{} and {last}", first.join(", ")),
        None => String::new(),
    }
}
