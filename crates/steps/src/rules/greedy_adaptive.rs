//! Greedy minimal adaptive: each link takes the oldest packet that it brings closer.

use super::{Inqueue, RuleParameters};
use crate::{Beginning, Blind, Choice, Here, NoNotes, Offers, Rule, Seen, Store};
use flitwork_topology::Grid;
use flitwork_types::draws::split_mix;
use flitwork_types::{NodeId, Port, PortSet};

/// Each link takes its oldest packet that no link before it has taken. Where outgoing links have queues, a packet waits for
/// one of its productive links, by a table of node and source that looks random.
#[derive(Clone, Copy, Debug, Default)]
pub struct GreedyAdaptive<I> {
    /// Which is let in.
    pub inqueue: I,
}

impl<I: Inqueue> Rule for GreedyAdaptive<I> {
    type Sight = Blind;
    type Node = u64;
    type Packet = ();
    type Note = NoNotes;
    const WAITS_FOR_LINKS: bool = true;

    fn begin(&self, node: NodeId, _: &[PortSet]) -> u64 {
        self.inqueue.begin(node)
    }

    fn begin_packet(&self, _: &u64, _: &Beginning<'_, Blind>) {}

    fn waits_for(
        &self,
        at: NodeId,
        source: NodeId,
        productive: PortSet,
        _: Option<&Grid>,
    ) -> Option<Port> {
        let entry = split_mix(u64::from(at.0) << 32 | u64::from(source.0));
        let place = entry.checked_rem(productive.len() as u64)?;
        productive.iter().nth(place as usize)
    }

    fn choose(&self, here: &Here<'_, Self>, choice: &mut Choice) {
        let is_by_link = matches!(here.store, Store::Outgoing(_));
        take_oldest(here, choice, |port, it| {
            let waits = || self.waits_for(here.node, it.source, it.productive, here.grid);
            !is_by_link || waits() == Some(port)
        });
    }

    fn accept(&self, here: &Here<'_, Self>, offers: &Offers<'_, Self>, accepted: &mut Vec<usize>) {
        self.inqueue.accept(*here.state, here, offers, accepted);
    }

    fn has_state(&self) -> bool {
        self.inqueue.has_state()
    }

    fn after(&self, here: &Here<'_, Self>, node: &mut u64, _: &mut [()]) {
        *node = self.inqueue.after(here, *node);
    }
}

/// The rule as configurations name it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GreedyAdaptiveParameters;

impl RuleParameters for GreedyAdaptiveParameters {
    const NAME: &'static str = "greedy-adaptive";
    const HELP: &'static str = "each link takes the oldest packet that it brings closer";

    fn rule<I: Inqueue>(&self, _: Option<&Grid>, inqueue: I) -> impl Rule {
        GreedyAdaptive { inqueue }
    }
}

/// Each link takes the oldest packet that it brings closer, that no link before it has taken, and that it may take.
pub(super) fn take_oldest<R: Rule>(
    here: &Here<'_, R>,
    choice: &mut Choice<R::Note>,
    may_take: impl Fn(Port, &Seen<'_, R::Sight, R::Packet>) -> bool,
) {
    for port in here.links.iter() {
        // The oldest are first.
        let mut held = here.packets.iter().enumerate();
        let oldest = held.find(|(place, it)| {
            it.productive.contains(port) && !choice.sends(*place) && may_take(port, it)
        });
        if let Some((place, _)) = oldest {
            choice.send(port, place);
        }
    }
}
