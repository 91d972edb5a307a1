//! The topology of `[network]`, and the keys that it reads.

use crate::values::is_usual;
use flitwork_schema::{Allowed, Datum, Entry, Files, Part, Parts, RawTable, Refusal, listed};
use flitwork_topology::{Built, Shape, Topology, TopologyEntry};

pub(super) const TOPOLOGY: &str = "topology";

/// Adds a topology's keys. Several may have whole numbers of one name: each checks its own range.
pub(super) fn share(table: &mut Entry, keys: &[Entry]) {
    for key in keys {
        let same = table.within.iter_mut().find(|it| it.name == key.name);
        match (same, &key.allowed) {
            (
                Some(Entry {
                    allowed: Allowed::Whole(least, most),
                    ..
                }),
                Allowed::Whole(other_least, other_most),
            ) => {
                *least = (*least).min(*other_least);
                *most = (*most).max(*other_most);
            }
            _ => table.share(vec![key.clone()]),
        }
    }
}

/// The network's shape.
///
/// # Errors
/// A key that is missing or that the topology doesn't read, and values that make no network.
pub(crate) fn build(
    given: &RawTable<'_>,
    parts: &Parts,
    files: &dyn Files,
) -> Result<Built, Refusal> {
    let name: String = given.needed(TOPOLOGY)?;
    let all = parts.all::<TopologyEntry>();
    let of = all.iter().find(|entry| entry.name() == name);
    let of = of.expect("a name that was checked");
    let reads = |entry: &TopologyEntry, key: &str| entry.keys().iter().any(|it| it.name == key);
    // A key with its default value may stand anywhere.
    let is_default = |key: &str| {
        let keys = all.iter().flat_map(|entry| entry.keys());
        let mut defaults = keys.filter(|it| it.name == key).map(|it| it.default);
        let value = given.value(key);
        value.is_some_and(|value| defaults.any(|default| is_usual(default, &value.datum)))
    };
    let names = given.names();
    for key in names.filter(|key| !reads(of, key) && !is_default(key)) {
        let readers = all.iter().filter(|entry| reads(entry, key));
        let readers: Vec<&str> = readers.map(Part::name).collect();
        if !readers.is_empty() {
            let allowed = format!(
                "only with network.topology = {}; it is {name:?}",
                listed(&readers)
            );
            return Err(given.unread(key, &[TOPOLOGY], allowed));
        }
    }
    of.build(given, files)
}

/// The network's shape, for routers.
///
/// # Errors
/// Those of [`build`], and a topology that no router takes.
pub(crate) fn build_for_routers(
    given: &RawTable<'_>,
    parts: &Parts,
    files: &dyn Files,
) -> Result<Built, Refusal> {
    let all = parts.all::<TopologyEntry>();
    let (one_way, others): (Vec<_>, Vec<_>) = all.iter().partition(|it| it.is_one_way());
    let named = given.text(TOPOLOGY);
    if one_way.iter().all(|entry| Some(entry.name()) != named) {
        return build(given, parts, files);
    }
    let others: Vec<&str> = others.into_iter().map(Part::name).collect();
    let allowed = format!(
        "{} with a router, whose credits need a link back for each link: flitwork route and flitwork schedule take others",
        listed(&others)
    );
    Err(given.conflict(TOPOLOGY, allowed))
}

/// The topology and the values of its keys that give a shape.
pub(crate) fn made_by(built: &Built) -> Vec<(&'static str, Datum)> {
    let mut all = vec![(TOPOLOGY, Datum::text(built.topology))];
    all.extend(built.keys.iter().cloned());
    all
}

/// The topology's name among these values.
pub(super) fn named<'v>(made_by: &'v [(&'static str, Datum)]) -> &'v str {
    let topology = made_by.iter().find(|(key, _)| *key == TOPOLOGY);
    let name = topology.and_then(|(_, name)| name.as_text());
    name.unwrap_or_default()
}

/// A network in words: `mesh of 8 x 8, 64 nodes`; a graph's topology with the values of its keys.
pub(crate) fn in_words(made_by: &[(&'static str, Datum)], shape: &Shape) -> String {
    let keys = made_by.iter().filter(|(key, _)| *key != TOPOLOGY);
    let values: Vec<String> = match shape.grid() {
        Some(grid) => {
            let sides: Vec<String> = grid.sides().iter().map(u32::to_string).collect();
            vec![sides.join(" x ")]
        }
        None => keys
            .map(|(key, value)| format!("{key} = {value}"))
            .collect(),
    };
    let mut words = named(made_by).to_owned();
    if !values.is_empty() {
        words += &format!(" of {}", values.join(", "));
    }
    words += &format!(", {} nodes", shape.nodes());
    match shape.terminals() {
        terminals if terminals == shape.nodes() => words,
        terminals => words + &format!(", {terminals} terminals"),
    }
}
