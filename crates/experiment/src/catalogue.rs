//! Everything that a configuration can name, with a line each.

use crate::config::{Catalogue, ENGINES, RouterEntry};
use flitwork_router::allocate::AllocatorEntry;
use flitwork_router::deflection::PriorityEntry;
use flitwork_router::routing::RoutingEntry;
use flitwork_schema::Part;
use flitwork_topology::TopologyEntry;
use flitwork_traffic::PATTERNS;

/// Names of one kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// What they are, in the plural.
    pub name: &'static str,
    /// Where a configuration names them.
    pub key: &'static str,
    /// Each with what it is.
    pub entries: Vec<(&'static str, &'static str)>,
}

const PROCESSES: &[(&str, &str)] = &[
    (
        "batch",
        "requests that every node has to send, and replies to them: a closed loop",
    ),
    ("bernoulli", "a coin in each cycle"),
    (
        "h-h",
        "packets in cycle 0, at most h from each node and h to each",
    ),
    ("k-k", "k random permutations in cycle 0"),
    (
        "modulated",
        "a Markov chain of states for each source, each with a load of its own",
    ),
    ("on-off", "bursts and silences of each source"),
    ("once", "one packet a source in cycle 0, or k"),
    (
        "phases",
        "patterns and loads that change for the whole network: hot spots that move",
    ),
    (
        "schedule",
        "the packets of a schedule from a file, for worms that never stop",
    ),
    (
        "trace",
        "a netrace or CSV file, with what each packet waits for",
    ),
];

/// All groups.
pub fn groups(catalogue: &Catalogue) -> Vec<Group> {
    let group = |name, key, entries: Vec<_>| Group { name, key, entries };
    vec![
        group("routers", "[router.NAME]", of::<RouterEntry>(catalogue)),
        group(
            "topologies",
            "network.topology",
            of::<TopologyEntry>(catalogue),
        ),
        group(
            "routing functions",
            "router.wormhole.routing",
            of::<RoutingEntry>(catalogue),
        ),
        group(
            "allocators",
            "router.wormhole.vc_allocator, switch_allocator",
            of::<AllocatorEntry>(catalogue),
        ),
        group(
            "priorities",
            "router.deflection.priority",
            of::<PriorityEntry>(catalogue),
        ),
        group(
            "patterns",
            "traffic.pattern",
            PATTERNS.iter().map(|it| (it.name, it.summary)).collect(),
        ),
        group("processes", "traffic.process", PROCESSES.to_vec()),
        group(
            "engines",
            "run.engine",
            ENGINES.iter().map(|it| (it.name, it.help)).collect(),
        ),
    ]
}

/// The parts of a kind, each with what it is.
fn of<P: Part>(catalogue: &Catalogue) -> Vec<(&'static str, &'static str)> {
    let parts = catalogue.parts().all::<P>();
    parts
        .iter()
        .map(|part| (part.name(), part.help()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_has_what_the_keys_allow() {
        let catalogue = Catalogue::default();
        for group in groups(&catalogue) {
            let keys = catalogue.describe_keys();
            let Some(key) = keys.iter().find(|key| key.key == group.key) else {
                continue;
            };
            let names: Vec<String> = group
                .entries
                .iter()
                .map(|it| format!("{:?}", it.0))
                .collect();
            let (last, first) = names.split_last().unwrap();
            assert_eq!(
                key.allowed,
                format!("{} or {last}", first.join(", ")),
                "{}",
                group.name
            );
        }
    }
}
