//! How long sources with a packet to send waited to inject it.

use flitwork_measure::Window;
use flitwork_types::{Cycle, TerminalId};

/// A source's waits in the window. A wait begins when a packet is made or the one before it enters the network, whichever is later,
/// and ends when it enters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Source {
    /// When its last packet entered the network.
    entered: Cycle,
    /// The longest wait that has ended, or reached the end of the window.
    longest_cycles: u32,
    /// Since when the first packet that never entered has waited.
    waits_since: Option<Cycle>,
}

/// The waits of all sources. Packets of one source are reported in the order in which they enter.
#[derive(Clone, Debug)]
pub(super) struct Waits(Vec<Source>);

impl Waits {
    pub(super) fn new(terminals: usize) -> Waits {
        Waits(vec![Source::default(); terminals])
    }

    /// A packet enters the network.
    #[inline]
    pub(super) fn entered(
        &mut self,
        source: TerminalId,
        created: Cycle,
        cycle: Cycle,
        window: Window,
    ) {
        let source = &mut self.0[source.index()];
        let since = created.max(source.entered);
        let waited = within(window, since, cycle);
        source.longest_cycles = source.longest_cycles.max(waited);
        source.entered = source.entered.max(cycle);
    }

    /// A packet never enters.
    pub(super) fn never_entered(&mut self, source: TerminalId, created: Cycle) {
        let source = &mut self.0[source.index()];
        let since = source.waits_since.map_or(created, |it| it.min(created));
        source.waits_since = Some(since);
    }

    pub(super) fn merge(&mut self, other: &Waits) {
        for (source, more) in self.0.iter_mut().zip(&other.0) {
            source.entered = source.entered.max(more.entered);
            source.longest_cycles = source.longest_cycles.max(more.longest_cycles);
            let since = source.waits_since.into_iter().chain(more.waits_since);
            source.waits_since = since.min();
        }
    }

    /// Each source's longest wait in the part of the window that a run reached.
    pub(super) fn finish(self, window: Window, end: Cycle) -> Vec<u32> {
        let longest = |source: Source| {
            let since = source.waits_since.map(|it| it.max(source.entered));
            let open = since.map_or(0, |since| within(window, since, end));
            source.longest_cycles.max(open)
        };
        self.0.into_iter().map(longest).collect()
    }
}

/// The cycles from one to another that lie in the window.
#[inline]
fn within(window: Window, from: Cycle, to: Cycle) -> u32 {
    let (from, to) = (from.max(window.start()), to.min(window.end()));
    to.get().saturating_sub(from.get())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const SOURCE: TerminalId = TerminalId(1);

    fn waits(entered: &[(u32, u32)], never: &[u32], end: u32) -> u32 {
        let window = Window::new(Cycle(100), Cycle(200)).unwrap();
        let mut waits = Waits::new(2);
        for (created, cycle) in entered {
            waits.entered(SOURCE, Cycle(*created), Cycle(*cycle), window);
        }
        never
            .iter()
            .for_each(|created| waits.never_entered(SOURCE, Cycle(*created)));
        let found = waits.finish(window, Cycle(end));
        assert_eq!(found[0], 0, "the other source made nothing");
        found[1]
    }

    /// Made in 110, it enters in 125: 15 cycles. The next is made in 112, waits for the first, and enters in 130: 5.
    #[test]
    fn a_wait_begins_with_the_packet_or_with_the_one_before() {
        assert_eq!(waits(&[(110, 125)], &[], 200), 15);
        assert_eq!(waits(&[(110, 125), (112, 130)], &[], 200), 15);
        assert_eq!(waits(&[(110, 112), (111, 130)], &[], 200), 18);
        // A source with nothing to send doesn't wait.
        assert_eq!(waits(&[(110, 112), (180, 181)], &[], 200), 2);
    }

    #[test]
    fn waits_count_within_the_window() {
        assert_eq!(waits(&[(50, 104)], &[], 200), 4);
        assert_eq!(waits(&[(50, 99)], &[], 200), 0);
        assert_eq!(waits(&[(190, 250)], &[], 200), 10);
        assert_eq!(waits(&[(20, 250)], &[], 200), 100);
    }

    proptest! {
        /// Cycle by cycle: a source waits while a packet of its own is made and not in the network; each entry begins another wait.
        #[test]
        fn waits_are_runs_of_cycles_with_a_packet_outside(
            gaps in prop::collection::vec((0u32..40, 0u32..60), 0..20),
            left in 0usize..4,
        ) {
            let (mut created, mut last) = (60, 60);
            let packets: Vec<(u32, u32)> = gaps.iter().map(|(made, more)| {
                created += made;
                last = last.max(created) + more;
                (created, last)
            }).collect();
            let (entered, never) = packets.split_at(packets.len().saturating_sub(left));
            let never: Vec<u32> = never.iter().map(|it| it.0).collect();
            let (mut run, mut longest) = (0, 0);
            for cycle in 100..200 {
                if entered.iter().any(|it| it.1 == cycle) {
                    run = 0;
                }
                let waits = entered.iter().any(|it| it.0 <= cycle && cycle < it.1) || never.iter().any(|it| *it <= cycle);
                run = if waits { run + 1 } else { 0 };
                longest = longest.max(run);
            }
            prop_assert_eq!(waits(entered, &never, 200), longest);
        }
    }

    /// A packet that never enters waits to the end of the window, or of the run if that is cut short.
    #[test]
    fn what_never_enters_waits_to_the_end() {
        assert_eq!(waits(&[(110, 125)], &[130, 190], 200), 70);
        assert_eq!(waits(&[(110, 125)], &[120], 200), 75);
        assert_eq!(waits(&[(110, 125)], &[120], 145), 20);
        assert_eq!(waits(&[], &[0], 200), 100);
    }
}
