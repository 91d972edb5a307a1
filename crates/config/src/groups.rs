//! Everything that a configuration can name, with a line of help each.

use crate::schema::{Line, Schema};
use crate::{Catalogue, ENGINES, RouterEntry};
use flitwork_network::CrossingEntry;
use flitwork_router::allocate::AllocatorEntry;
use flitwork_router::deflection::PriorityEntry;
use flitwork_router::routing::RoutingEntry;
use flitwork_schedule::method::MethodEntry;
use flitwork_schedule::multistage::Order;
use flitwork_schema::{Part, Parts};
use flitwork_steps::named::RuleEntry;
use flitwork_steps::rules::InqueueEntry;
use flitwork_topology::TopologyEntry;
use flitwork_traffic::{PatternEntry, ProcessEntry};

/// Names of one kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NameGroup {
    /// What they are, in the plural.
    pub name: &'static str,
    /// Where they are named: keys of the configuration, a command or an option.
    pub key: String,
    /// Each with what it is.
    pub entries: Vec<(&'static str, &'static str)>,
}

impl NameGroup {
    /// The parts of a kind, sorted by name.
    pub fn of<P: Part>(name: &'static str, key: impl Into<String>, parts: &Parts) -> NameGroup {
        let parts = parts.all::<P>();
        let entries = parts.iter().map(|part| (part.name(), part.help()));
        NameGroup {
            name,
            key: key.into(),
            entries: entries.collect(),
        }
    }

    /// With the keys that take its names.
    fn named_by(mut self, schema: &Schema) -> NameGroup {
        let is_named = |line: &&Line| {
            let names = line.allowed.choices().iter();
            names.eq(self.entries.iter().map(|(name, _)| name))
                && schema.list_around(&line.key).is_none()
        };
        let lines: Vec<&Line> = schema.lines.iter().filter(is_named).collect();
        let mut table = None;
        let keys = lines.iter().map(|line| match line.key.rsplit_once('.') {
            Some((same, last)) if table == Some(same) => last,
            other => {
                table = other.map(|(table, _)| table);
                &line.key
            }
        });
        self.key = keys.collect::<Vec<_>>().join(", ");
        self
    }
}

/// All groups of names in configurations.
pub fn groups(catalogue: &Catalogue) -> Vec<NameGroup> {
    let parts = catalogue.parts();
    let engines = NameGroup {
        name: "engines",
        key: String::new(),
        entries: ENGINES
            .iter()
            .map(|(it, help)| (it.name(), *help))
            .collect(),
    };
    let by_keys = [
        NameGroup::of::<TopologyEntry>("topologies", "", parts),
        NameGroup::of::<RoutingEntry>("routing functions", "", parts),
        NameGroup::of::<AllocatorEntry>("allocators", "", parts),
        NameGroup::of::<PriorityEntry>("priorities", "", parts),
        NameGroup::of::<PatternEntry>("patterns", "", parts),
        NameGroup::of::<ProcessEntry>("processes", "", parts),
        engines,
        NameGroup::of::<Order>("orders", "", parts),
    ];
    let by_keys = by_keys.map(|group| group.named_by(catalogue.schema()));
    let routers = NameGroup::of::<RouterEntry>("routers", "[router.NAME]", parts);
    let in_list = "[[network.crossings]] kind";
    let others = [
        NameGroup::of::<CrossingEntry>("crossings", in_list, parts),
        NameGroup::of::<RuleEntry>("rules", "[rule.NAME]", parts),
        NameGroup::of::<InqueueEntry>("inqueues", "[rule.NAME] inqueue", parts),
        NameGroup::of::<MethodEntry>("methods", "[schedule.NAME]", parts),
    ];
    let all = std::iter::once(routers).chain(by_keys);
    all.chain(others).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_has_the_keys_that_take_its_names() {
        let groups = groups(&Catalogue::default());
        let keys: Vec<&str> = groups.iter().map(|group| &*group.key).collect();
        let expected = [
            "[router.NAME]",
            "network.topology",
            "router.wormhole.routing",
            "router.wormhole.vc_allocator, switch_allocator",
            "router.deflection.priority",
            "traffic.pattern",
            "traffic.process",
            "run.engine",
            "schedule.multistage.order",
            "[[network.crossings]] kind",
            "[rule.NAME]",
            "[rule.NAME] inqueue",
            "[schedule.NAME]",
        ];
        assert_eq!(keys, expected);
    }
}
