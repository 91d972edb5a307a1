//! Everything that a configuration can name, with a line each.

use crate::{Catalogue, ENGINES, RouterEntry};
use flitwork_router::allocate::AllocatorEntry;
use flitwork_router::deflection::PriorityEntry;
use flitwork_router::routing::RoutingEntry;
use flitwork_schema::Part;
use flitwork_topology::TopologyEntry;
use flitwork_traffic::{PatternEntry, ProcessEntry};

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
        group("patterns", "traffic.pattern", of::<PatternEntry>(catalogue)),
        group(
            "processes",
            "traffic.process",
            of::<ProcessEntry>(catalogue),
        ),
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
