//! Everything that a configuration can name, with a line of help each.

use crate::{Catalogue, ENGINES, RouterEntry};
use flitwork_router::allocate::AllocatorEntry;
use flitwork_router::deflection::PriorityEntry;
use flitwork_router::routing::RoutingEntry;
use flitwork_schema::{Part, Parts};
use flitwork_topology::TopologyEntry;
use flitwork_traffic::{PatternEntry, ProcessEntry};

/// Names of one kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// What they are, in the plural.
    pub name: &'static str,
    /// Where they are named: a key of the configuration, a command or an option.
    pub key: &'static str,
    /// Each with what it is.
    pub entries: Vec<(&'static str, &'static str)>,
}

impl Group {
    /// The parts of a kind, sorted by name.
    pub fn of<P: Part>(name: &'static str, key: &'static str, parts: &Parts) -> Group {
        let parts = parts.all::<P>();
        let entries = parts.iter().map(|part| (part.name(), part.help()));
        Group {
            name,
            key,
            entries: entries.collect(),
        }
    }
}

/// All groups of names in configurations.
pub fn groups(catalogue: &Catalogue) -> Vec<Group> {
    const OF_WORMHOLES: &str = "router.wormhole.vc_allocator, switch_allocator";
    let parts = catalogue.parts();
    vec![
        Group::of::<RouterEntry>("routers", "[router.NAME]", parts),
        Group::of::<TopologyEntry>("topologies", "network.topology", parts),
        Group::of::<RoutingEntry>("routing functions", "router.wormhole.routing", parts),
        Group::of::<AllocatorEntry>("allocators", OF_WORMHOLES, parts),
        Group::of::<PriorityEntry>("priorities", "router.deflection.priority", parts),
        Group::of::<PatternEntry>("patterns", "traffic.pattern", parts),
        Group::of::<ProcessEntry>("processes", "traffic.process", parts),
        Group {
            name: "engines",
            key: "run.engine",
            entries: ENGINES.iter().map(|it| (it.name, it.help)).collect(),
        },
    ]
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
