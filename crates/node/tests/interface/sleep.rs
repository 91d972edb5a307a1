//! When a node acts whose router doesn't say.

use flitwork_node::{Inputs, Outputs, Probe, Router, Site, Wait, WordRouter};
use flitwork_types::{Cycle, Due, NodeId, Packets, PortSet};

/// A router whose nodes hold something or nothing.
struct Silent;

impl Router for Silent {
    type Node = bool;

    fn nodes(&self) -> Vec<bool> {
        vec![false]
    }

    fn waits(&self, _: NodeId, _: &bool, _: &Packets, _: Cycle) -> Vec<Wait> {
        Vec::new()
    }

    fn packet_words(&self) -> Option<u16> {
        None
    }

    fn credit_words(&self) -> Option<u32> {
        None
    }
}

impl WordRouter for Silent {
    fn is_idle(&self, holds: &bool) -> bool {
        !holds
    }

    fn step<P: Probe>(
        &self,
        _: &mut bool,
        _: Cycle,
        _: &Inputs<'_>,
        _: &mut Outputs<'_>,
        _: &mut Site<'_, P>,
    ) {
    }
}

/// A node that holds something acts in every cycle, and one that is idle sleeps, whichever links take words.
#[test]
fn a_node_that_says_nothing_acts_while_it_is_not_idle() {
    for now in [Cycle::ZERO, Cycle(7), Cycle::LAST] {
        for (holds, acts) in [(true, Due::at(now)), (false, Due::NEVER)] {
            assert_eq!(Silent.next_step(&holds, now), acts);
            assert_eq!(Silent.next_step_over(&holds, now, PortSet::EMPTY), acts);
        }
    }
}
