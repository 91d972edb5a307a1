//! Tables with exactly one table in them, which names a part: `[router]`, `[rule]`, `[schedule]`.

use flitwork_machine::{AnyRouter, RouterEntry};
use flitwork_router::parameters::Reading;
use flitwork_schedule::method::MethodEntry;
use flitwork_schema::{Allowed, Entry, MistakeKind, Part, Parts, RawTable, Refusal};
use flitwork_steps::named::RuleEntry;

/// The tables of which a configuration has one: that of what its packets go through.
pub(crate) const ONE_OF: [&str; 3] = ["router", "rule", "schedule"];

/// A table with exactly one table in it, of each of these parts with its keys.
fn one_of<E: Part>(
    [name, default, of_each, meaning]: [&'static str; 4],
    parts: &Parts,
    keys: impl Fn(&E) -> Vec<Entry>,
) -> Entry {
    let all = parts.all::<E>();
    let tables = all
        .iter()
        .map(|it| Entry::table(it.name(), of_each, it.help(), keys(it)));
    Entry {
        within: tables.collect(),
        ..Entry::new(name, Allowed::OneTable, default, meaning)
    }
}

/// The table of the router.
pub(crate) fn routers(parts: &Parts) -> Entry {
    let about = [
        "router",
        "required by runs",
        "one router is required",
        "the router, named by the one table in it",
    ];
    one_of::<RouterEntry>(about, parts, |it| (it.keys)(parts))
}

/// The table of the rule.
pub(crate) fn rules(parts: &Parts) -> Entry {
    let about = [
        "rule",
        "required by flitwork route",
        "one rule is required",
        "the rule by which packets are routed in synchronous steps, named by the one table in it",
    ];
    one_of(about, parts, RuleEntry::keys).only_with("flitwork route")
}

/// The table of the method.
pub(crate) fn schedules(parts: &Parts) -> Entry {
    let about = [
        "schedule",
        "required by flitwork schedule",
        "one method is required",
        "the method by which packets are scheduled before a run, named by the one table in it",
    ];
    one_of(about, parts, MethodEntry::keys).only_with("flitwork schedule")
}

/// The router, for a network and a run, and its table.
pub(crate) fn read_router<'a>(
    around: &Reading<'_>,
    given: &RawTable<'a>,
) -> Result<(AnyRouter, RawTable<'a>), Refusal> {
    let (entry, table) = named::<RouterEntry>(given, &around.parts.all(), "router")?;
    Ok(((entry.read)(&table, around)?, table))
}

/// The part of the one table in this one, and its table; `what` a part is.
pub(crate) fn named<'a, E: Part>(
    given: &RawTable<'a>,
    entries: &[E],
    what: &str,
) -> Result<(E, RawTable<'a>), Refusal> {
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
    let is_of = |entry: &&E, table: &RawTable<'_>| table.path() == given.key(entry.name());
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
pub(crate) fn tables<E: Part>(path: &str, entries: &[E]) -> String {
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
