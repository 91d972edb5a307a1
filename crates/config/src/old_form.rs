//! What to write in place of the tables that routes and schedules had before they were read by the one schema.
//!
//! | before | now |
//! |---|---|
//! | `[graph]` | `[network]` |
//! | `[rule]` with `name` | `[rule.NAME]` |
//! | `[schedule]` with `method` | `[schedule.METHOD]` |
//! | `[problem]` | `[traffic]`, `[run]` |

use crate::values::Entries;
use flitwork_schema::{Datum, MistakeKind, Refusal, Value};

/// A configuration in the old form.
pub(super) fn refused(entries: &Entries) -> Option<Refusal> {
    let is_old = |(name, value): &&(String, Value)| match name.as_str() {
        "graph" | "problem" => true,
        "rule" => has_any(value, OF_RULES),
        "schedule" => has_any(value, OF_SCHEDULES),
        _ => false,
    };
    let (name, value) = entries.iter().find(is_old)?;
    let refusal = Refusal::new(MistakeKind::Unknown, &**name, Some(value.span.clone()));
    let found = format!("[{name}]: routes and schedules now take the keys of all configurations");
    Some(refusal.found(found).allowed(written(entries)))
}

/// The keys that the tables of rules and of schedules had.
const OF_RULES: &[&str] = &[
    "name", "inqueue", "queues", "k", "table", "box_side", "corner",
];
const OF_SCHEDULES: &[&str] = &[
    "method", "order", "select", "ties", "waiting", "detours", "tries", "seed",
];

/// Whether a table has any of these keys.
fn has_any(table: &Value, names: &[&str]) -> bool {
    let mut keys = keys(table).iter();
    keys.any(|(name, _)| names.contains(&name.as_str()))
}

fn keys(table: &Value) -> &[(String, Value)] {
    match &table.datum {
        Datum::Table(entries) => entries,
        _ => &[],
    }
}

/// Lines of a table.
type Lines = Vec<(&'static str, Datum)>;

/// The same configuration as it is written now.
fn written(entries: &Entries) -> String {
    let of = |table: &str| {
        let found = entries.iter().find(|(name, _)| name == table);
        found.map(|(_, value)| value)
    };
    let mut text = String::from("the same configuration in these keys:");
    let mut add = |header: &str, lines: Lines| {
        text += &format!("\n    [{header}]");
        for (key, value) in lines {
            text += &format!("\n    {key} = {value}");
        }
    };
    if let Some(graph) = of("graph") {
        add("network", network(graph));
    }
    if let Some(rule) = of("rule") {
        let (name, lines) = rule_of(rule);
        add(&format!("rule.{name}"), lines);
    }
    if let Some(schedule) = of("schedule").or(of("graph").filter(|_| of("rule").is_none())) {
        let (name, lines) = method(schedule);
        add(&format!("schedule.{name}"), lines);
    }
    if let Some(problem) = of("problem") {
        add("traffic", traffic(problem));
        if let Some(seed) = get(problem, "seed") {
            add("run", vec![("seed", seed)]);
        }
    }
    text
}

fn get(table: &Value, key: &str) -> Option<Datum> {
    let found = keys(table).iter().find(|(name, _)| name == key);
    found.map(|(_, value)| value.datum.clone())
}

fn name(table: &Value, key: &str, usual: &str) -> String {
    let name = get(table, key);
    name.and_then(|it| it.as_text().map(str::to_owned))
        .unwrap_or_else(|| usual.into())
}

/// Keys that keep their names.
fn kept(table: &Value, names: &[&'static str]) -> Lines {
    let given = names.iter().map(|name| (*name, get(table, name)));
    given
        .filter_map(|(name, value)| Some((name, value?)))
        .collect()
}

/// The file names the nodes, so that their number is left out.
fn network(graph: &Value) -> Lines {
    match get(graph, "links") {
        Some(file) => vec![("topology", Datum::text("links")), ("file", file)],
        None => kept(graph, &["topology", "sides"]),
    }
}

fn rule_of(rule: &Value) -> (String, Lines) {
    let name = name(rule, "name", "NAME");
    let mut lines = kept(rule, &["queues", "k"]);
    match name.as_str() {
        "straight-through" => {}
        _ => lines.extend(kept(rule, &["inqueue"])),
    }
    match name.as_str() {
        "derouting" => lines.extend(kept(rule, &["box_side", "corner"])),
        "random" => lines.push(("seed", get(rule, "table").unwrap_or(Datum::Whole(0)))),
        _ => {}
    }
    (name, lines)
}

fn method(schedule: &Value) -> (String, Lines) {
    let name = name(schedule, "method", "multistage");
    let names = ["order", "select", "ties", "waiting", "detours", "tries"];
    let mut lines = kept(schedule, &names);
    let is_random = |key: &str| get(schedule, key).is_some_and(|it| it.as_text() == Some("random"));
    let tries = get(schedule, "tries").and_then(|it| it.as_whole());
    // It was another seed than the problem's, and is now the same unless it is given.
    let is_drawn = name == "frames" || is_random("order") || is_random("ties") || tries > Some(0);
    let seed = get(schedule, "seed").or(is_drawn.then_some(Datum::Whole(0)));
    lines.extend(seed.map(|seed| ("seed", seed)));
    (name, lines)
}

fn traffic(problem: &Value) -> Lines {
    let listed = Datum::text("listed");
    let pattern = get(problem, "pattern").map(|pattern| match pattern.as_text() {
        Some("random") => Datum::text("random-permutation"),
        _ => pattern,
    });
    let mut lines = vec![("process", Datum::text("once"))];
    match (get(problem, "packets"), get(problem, "destinations")) {
        (Some(file), _) => lines.extend([("pattern", listed), ("file", file)]),
        (None, Some(all)) => lines.extend([("pattern", listed), ("destinations", all)]),
        (None, None) => lines.extend(pattern.map(|pattern| ("pattern", pattern))),
    }
    lines.extend(get(problem, "words").map(|words| ("packet_words", words)));
    lines
}
