//! All events of a run, and where those of two runs part.

use crate::clause::Clause;
use crate::stand::Stand;
use flitwork_node::{Event, Probe};
use flitwork_trace::Digest;
use flitwork_types::{Cycle, NodeId};

/// One event. Events are the same if their digests are.
#[derive(Clone, Copy, Debug)]
struct Happening {
    node: NodeId,
    cycle: Cycle,
    event: Event,
    digest: u64,
}

/// The events of a run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Happened(Vec<Happening>);

impl Probe for Happened {
    fn event(&mut self, node: NodeId, cycle: Cycle, event: Event) {
        let digest = Digest::of_event(node, cycle, event).get();
        self.0.push(Happening {
            node,
            cycle,
            event,
            digest,
        });
    }
}

/// Within a cycle a packet is injected before anything else happens to it, and delivered after that.
fn rank(event: &Event) -> u8 {
    match event {
        Event::Injected { .. } => 0,
        Event::Delivered { .. } | Event::Lost { .. } => 2,
        _ => 1,
    }
}

impl Happened {
    /// The events of a run under one clock, in the order of time.
    pub(crate) fn sorted(mut self) -> Happened {
        let key = |it: &Happening| (it.cycle, rank(&it.event), it.node, it.digest);
        self.0.sort_unstable_by_key(key);
        self
    }

    /// All events, in their order.
    pub(crate) fn all(&self) -> impl Iterator<Item = (NodeId, Cycle, Event)> + '_ {
        self.0.iter().map(|it| (it.node, it.cycle, it.event))
    }

    /// The same has happened in both runs. Both are sorted.
    pub(crate) fn is_that_of(
        &self,
        other: &Happened,
        clause: Clause,
        (own, others): (&str, &str),
        stand: &Stand,
    ) {
        let same = self.0.iter().zip(&other.0);
        let same = same
            .take_while(|(one, other)| one.digest == other.digest)
            .count();
        let (here, there) = (self.0.get(same), other.0.get(same));
        let Some(first) = [here, there]
            .into_iter()
            .flatten()
            .min_by_key(|it| (it.cycle, it.node))
        else {
            return;
        };
        stand.set(first.node, first.cycle);
        clause.broken(format_args!(
            "{own} and {others} part after {same} events: {here:?}, {there:?}"
        ))
    }
}
