//! The least consistent cut of a record, held to one that knows nothing of replays: which message is which follows from the
//! order in which words and credits leave and arrive.

use crate::common::live_runs::{options, recorded};
use crate::common::machine::machines;
use crate::common::properties::properties;
use flitwork_experiment::simulation::of_record;
use flitwork_live::Runtime;
use flitwork_node::{AnyProbe, Detail, Event, Probe, Reported};
use flitwork_topology::{Shape, Topology};
use flitwork_types::{Cycle, NodeId, PacketId, Port, Word};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// The cycles in which each node sends over a link, and in which each takes in what came over one.
#[derive(Clone, Debug, Default)]
struct Messages {
    sent: BTreeMap<(NodeId, Port), BTreeSet<Cycle>>,
    taken: BTreeMap<(NodeId, Port), BTreeSet<Cycle>>,
}

impl Probe for Messages {
    fn wants(&self, what: Reported) -> bool {
        matches!(what, Reported::Events | Reported::Words | Reported::Details)
    }

    fn event(&mut self, _: NodeId, _: Cycle, _: Event) {}

    fn word(&mut self, node: NodeId, cycle: Cycle, port: Port, _: PacketId, _: Word) {
        self.sent.entry((node, port)).or_default().insert(cycle);
    }

    fn detail(&mut self, node: NodeId, cycle: Cycle, detail: Detail) {
        let (all, port) = match detail {
            Detail::Arrived(word) => (&mut self.taken, word.port),
            Detail::Credited { port, .. } => (&mut self.taken, port),
            Detail::Returned { port, .. } => (&mut self.sent, port),
            Detail::Shifted { .. } => return,
        };
        all.entry((node, port)).or_default().insert(cycle);
    }
}

impl Messages {
    /// How many steps of each node a node's steps before a cycle depend on.
    fn cut(&self, shape: &Shape, node: NodeId, cycle: Cycle) -> Vec<Cycle> {
        let mut cut = vec![Cycle::ZERO; shape.nodes() as usize];
        cut[node.index()] = cycle;
        let mut changed = vec![node];
        while let Some(node) = changed.pop() {
            for port in (0..shape.ports() as u8).map(Port) {
                let Some((far, far_port)) = shape.far(node, port) else {
                    continue;
                };
                let (Some(taken), Some(sent)) = (
                    self.taken.get(&(node, port)),
                    self.sent.get(&(far, far_port)),
                ) else {
                    continue;
                };
                // What was sent first arrives first.
                let count = taken.range(..cut[node.index()]).count();
                let Some(last) = count.checked_sub(1).and_then(|last| sent.iter().nth(last)) else {
                    continue;
                };
                if *last + 1 > cut[far.index()] {
                    cut[far.index()] = *last + 1;
                    changed.push(far);
                }
            }
        }
        cut
    }
}

properties! {
    #![proptest_config(ProptestConfig { cases: 16, ..ProptestConfig::default() })]

    #[test]
    fn a_cut_holds_what_a_node_can_know_and_nothing_else(
        resolved in machines().boxed(),
        slack in prop_oneof![Just(Some(0u32)), Just(Some(5)), Just(None)],
        places in prop::collection::vec((any::<u32>(), 0.0..1.0f64), 1..6),
    ) {
        let (_, parts) = recorded(&resolved, &options(Runtime::Threads, slack, 2, 4));
        let (mut all, _) = of_record(&resolved, parts.clone(), AnyProbe::new(Messages::default()));
        all.advance(u64::MAX);
        let shape = &resolved.network.shape;
        let ends: Vec<Cycle> = (0..shape.nodes()).map(|node| all.local(NodeId(node))).collect();
        let messages = all.into_probe().into_probe::<Messages>();
        let (first, _) = of_record(&resolved, parts, AnyProbe::new(()));
        for (node, part) in places {
            let node = NodeId(node % shape.nodes());
            let end = ends[node.index()];
            let cycle = Cycle((part * f64::from(end.get())) as u32);
            let expected = messages.cut(shape, node, cycle);
            prop_assert_eq!(first.least_cut(node, cycle, &mut || true), Some(expected), "{:?} at {:?}", node, cycle);
            // Beyond the record's end there is none.
            prop_assert_eq!(first.least_cut(node, end + 1, &mut || true), None);
        }
    }
}
