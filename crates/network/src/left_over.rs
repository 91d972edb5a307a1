//! The count of packets that never entered the network.
//!
//! They may be far more than those that did, and a user may be waiting: so the count can be interrupted, and
//! then says up to which cycle it is complete.

use flitwork_node::Probe;
use flitwork_traffic::{Left, Owed, Tally, Workload};
use flitwork_types::{Cycle, TerminalId};
use std::ops::ControlFlow;

/// How many groups of packets are reported between two calls of the control: about a millisecond.
const GROUPS_BETWEEN_CALLS: u32 = 1 << 14;

/// What a run has left behind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Remains {
    /// Packets made before the end that never entered the network.
    pub backlog: u64,
    /// Packets that the sources would have made later.
    pub owed: Owed,
    /// Packets that the sources refused, and that they sent again.
    pub tally: Tally,
    /// Where the count was interrupted: it includes all packets made before this cycle, but not all later
    /// ones.
    pub counted_until: Option<Cycle>,
}

/// A count under way.
pub struct LeftOver<'a, P> {
    /// The length of all packets, if they have only one.
    fixed: Option<u16>,
    probe: Option<&'a mut P>,
    control: &'a mut dyn FnMut() -> ControlFlow<()>,
    groups: u32,
    backlog: u64,
    counted_until: Option<Cycle>,
}

impl<'a, P: Probe> LeftOver<'a, P> {
    /// Nothing yet. The probe observes each group, and `control` decides now and then whether to continue.
    pub fn new(
        fixed: Option<u16>,
        probe: Option<&'a mut P>,
        control: &'a mut dyn FnMut() -> ControlFlow<()>,
    ) -> LeftOver<'a, P> {
        LeftOver {
            fixed,
            probe,
            control,
            groups: 0,
            backlog: 0,
            counted_until: None,
        }
    }

    /// Packets of a source, in the order of their creation; returns whether the source is to report the rest.
    pub fn take(&mut self, source: TerminalId, left: Left) -> ControlFlow<()> {
        self.backlog += left.packets;
        if let Some(probe) = &mut self.probe {
            let words = self.fixed.unwrap_or(left.words);
            probe.left_over(source, left.created, words, left.packets);
        }
        self.groups = (self.groups + 1) % GROUPS_BETWEEN_CALLS;
        let is_broken_off = self.counted_until.is_some();
        if is_broken_off || self.groups == 0 && (self.control)().is_break() {
            let until = self.counted_until.unwrap_or(left.created);
            self.counted_until = Some(until.min(left.created));
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }

    /// The count, with what the sources of a workload owe beyond it at `end`, and what else became of their packets.
    pub fn remains(self, workload: &mut dyn Workload, end: Cycle) -> Remains {
        Remains {
            backlog: self.backlog,
            owed: workload.owed(),
            tally: workload.tally(end),
            counted_until: self.counted_until,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flitwork_traffic::Once;

    /// A workload that owes nothing.
    fn packets() -> Once {
        Once::new(&[])
    }

    /// One packet per cycle from cycle `from` on.
    fn source(count: &mut LeftOver<'_, ()>, source: u32, from: u32) -> u32 {
        let left = |cycle| Left {
            created: Cycle(from + cycle),
            words: 1,
            packets: 1,
        };
        let mut reported = 0;
        while reported < 2 * GROUPS_BETWEEN_CALLS {
            reported += 1;
            if count
                .take(TerminalId(source), left(reported - 1))
                .is_break()
            {
                break;
            }
        }
        reported
    }

    #[test]
    fn an_interrupted_count_says_up_to_where_it_is_complete() {
        let mut calls = 0;
        let mut control = || {
            calls += 1;
            match calls {
                3 => ControlFlow::Break(()),
                _ => ControlFlow::Continue(()),
            }
        };
        let mut count = LeftOver::<()>::new(None, None, &mut control);
        // Two calls are made while the first source is counted, the third during the second.
        assert_eq!(source(&mut count, 0, 0), 2 * GROUPS_BETWEEN_CALLS);
        assert_eq!(source(&mut count, 1, 500), GROUPS_BETWEEN_CALLS);
        // From then on each source reports when its first packet was made.
        assert_eq!(source(&mut count, 2, 90), 1);
        assert_eq!(source(&mut count, 3, 70), 1);
        assert_eq!(source(&mut count, 4, 80), 1);
        // Sources 1 to 4 stopped at these packets, so the count includes all that were made before the earliest of them.
        let remains = count.remains(&mut packets(), Cycle(100));
        assert_eq!(remains.counted_until, Some(Cycle(70)));
        assert_eq!(remains.backlog, u64::from(3 * GROUPS_BETWEEN_CALLS + 3));
        assert_eq!(calls, 3);

        let mut go_on = || ControlFlow::Continue(());
        let mut whole = LeftOver::<()>::new(None, None, &mut go_on);
        source(&mut whole, 0, 0);
        assert_eq!(
            whole.remains(&mut packets(), Cycle(100)).counted_until,
            None
        );
    }
}
