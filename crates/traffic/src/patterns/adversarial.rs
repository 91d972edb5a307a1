//! Adversarial: each terminal of a group sends to the terminals of the next group, all as likely, those of the last group to the first (Kim, Dally, Scott and Abts
//! 2008, section 4.2, "worst case"). Shortest paths share the few links between the two groups.
//!
//! One draw per packet. Groups without terminals are left out, and no terminal is silent.

use super::{Pattern, PatternError, PatternParameters};
use crate::Draws;
use flitwork_topology::{Spread, Topology};
use flitwork_types::TerminalId;
use std::collections::BTreeMap;

/// The pattern; it has no parameter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Adversarial;

struct NextGroup {
    /// The terminals of each group.
    groups: Box<[Box<[TerminalId]>]>,
    /// For each terminal, the place of the group that it sends to.
    next: Box<[u32]>,
}

impl Pattern for NextGroup {
    fn destination(&self, source: TerminalId, draws: &mut Draws) -> Option<TerminalId> {
        let next = *self.next.get(source.index())?;
        let group = &self.groups[next as usize];
        Some(group[draws.below(group.len() as u32) as usize])
    }

    fn silent(&self, _: TerminalId) -> bool {
        false
    }

    fn spread(&self, source: TerminalId) -> Option<Spread> {
        let next = *self.next.get(source.index())?;
        Some(Spread::alike(self.groups[next as usize].iter().copied()))
    }
}

impl PatternParameters for Adversarial {
    const NAME: &'static str = "adversarial";
    const HELP: &'static str = "any terminal of the next group, on dragonflies and megaflies";

    fn build(&self, topology: &dyn Topology, _: u64) -> Result<Box<dyn Pattern>, PatternError> {
        let mut groups = BTreeMap::<u32, Vec<TerminalId>>::new();
        let terminals = || (0..topology.terminals()).map(TerminalId);
        for terminal in terminals() {
            if let Some(group) = topology.group(topology.home(terminal)) {
                groups.entry(group).or_default().push(terminal);
            }
        }
        if groups.len() < 2 {
            return Err(Self::unsuited("at least two groups of nodes", topology));
        }
        let mut next = vec![0; topology.terminals() as usize];
        for (place, group) in groups.values().enumerate() {
            let after = (place + 1) % groups.len();
            group
                .iter()
                .for_each(|terminal| next[terminal.index()] = after as u32);
        }
        Ok(Box::new(NextGroup {
            groups: groups.into_values().map(Vec::into_boxed_slice).collect(),
            next: next.into(),
        }))
    }
}

#[cfg(test)]
mod tests {
    use crate::Draws;
    use crate::patterns::tests::{named, refusal};
    use flitwork_topology::Graph;
    use flitwork_types::{NodeId, TerminalId};

    /// Nodes 0 to 4 in a ring, in groups 7, 7, 2, 2 and 5: from the lowest group to the highest they have terminals 2 and 3, 4, 0 and 1.
    #[test]
    fn groups_send_to_the_next_by_hand() {
        let mut builder = Graph::of_nodes(5).unwrap();
        for node in 0..5 {
            builder.join(NodeId(node), NodeId((node + 1) % 5)).unwrap();
        }
        builder.set_groups(vec![7, 7, 2, 2, 5]).unwrap();
        let graph = builder.build().unwrap();
        let pattern = named("adversarial").build(&graph, 0);
        let pattern = pattern.unwrap_or_else(|error| panic!("{error}"));
        let allowed: [&[u32]; 5] = [&[2, 3], &[2, 3], &[4], &[4], &[0, 1]];
        for (source, allowed) in (0..).zip(allowed) {
            let source = TerminalId(source);
            let mut draws = Draws::new(1, source);
            let mut counts = [0; 5];
            for _ in 0..400 {
                counts[pattern.destination(source, &mut draws).unwrap().index()] += 1;
            }
            assert!(!pattern.silent(source));
            for (terminal, count) in (0..).zip(counts) {
                // Of two, 200 each, with a standard deviation of 10.
                let expected = if allowed.contains(&terminal) {
                    400 / allowed.len()
                } else {
                    0
                };
                assert!(
                    expected.abs_diff(count) <= if expected == 200 { 50 } else { 0 },
                    "{source}: {counts:?}"
                );
            }
        }
    }

    /// As every pattern, asked about terminals that aren't there it does no harm.
    #[test]
    fn terminals_off_the_network_do_not_panic() {
        let mut builder = Graph::of_nodes(2).unwrap();
        builder.join(NodeId(0), NodeId(1)).unwrap();
        builder.set_groups(vec![0, 1]).unwrap();
        let pattern = named("adversarial").build(&builder.build().unwrap(), 0);
        let Ok(pattern) = pattern else {
            panic!("refused");
        };
        for terminal in [2, u32::MAX].map(TerminalId) {
            pattern.silent(terminal);
            pattern.destination(terminal, &mut Draws::new(0, terminal));
        }
    }

    #[test]
    fn networks_without_groups_are_refused() {
        let needs =
            "adversarial needs at least two groups of nodes; the network is a grid of 2 x 2";
        assert_eq!(refusal("adversarial", &[2, 2]), needs);
    }
}
