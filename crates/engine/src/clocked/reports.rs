//! What a run reports that isn't known while a node is stepped.

use super::Clocked;
use super::domains::{Domain, Driver};
use flitwork_node::{ClockTicks, Probe, WordRouter};
use flitwork_topology::Topology;
use flitwork_types::{Cycle, Due, Moment};
use std::ops::Range;

impl<T: Topology, R: WordRouter, P: Probe> Clocked<T, R, P> {
    /// Reports how often clocks ticked before a cycle of the nominal clock.
    pub(super) fn report_clocks(&mut self, reference: Cycle) {
        let busy = self.steps - self.own_steps;
        let before = ClockTicks {
            ticks: self.clock_ticks,
            idle: self.clock_ticks - busy,
            working: self.working_ticks,
        };
        self.probe.clocks(reference, before);
    }

    /// Nothing is left to do at `now_ps`, when the domains at these places of the calendar are due: clocks tick on to the
    /// end of the nominal cycle, so that all of its ticks are counted.
    #[cold]
    pub(super) fn tick_on(&mut self, mut now_ps: u64, mut due: Range<usize>) {
        while now_ps < self.reference.ends_ps() {
            for place in due {
                let domain = self.calendar.domain(place).expect("a domain was popped");
                let Domain { driver, nodes, .. } = &mut self.domains[domain as usize];
                if let Driver::Ticks(ticker) = driver {
                    self.clock_ticks += u64::from(*nodes);
                    if let Some(next_ps) = ticker.next(now_ps).tick_ps {
                        self.calendar.push(domain, next_ps);
                    }
                }
            }
            match self.calendar.pop() {
                Some(next) => (now_ps, due) = next,
                None => break,
            }
        }
        self.report_clocks(self.reference.cycle + 1);
    }

    /// Reports what was delivered at the end of steps.
    #[inline]
    pub(super) fn report_late(&mut self, end: Moment) {
        if self.late.is_empty() {
            return;
        }
        for (node, now, event) in self.late.drain(..) {
            self.probe.tick(node, now + 1, end);
            self.probe.event(node, now + 1, event);
        }
    }

    /// Reports to the traffic what a step delivered; `by_source` turns the node's cycles into those of the nominal clock.
    #[inline]
    pub(super) fn report_deliveries(&mut self, by_source: impl Fn(Cycle) -> Cycle) {
        if self.deliveries.are_none() {
            return;
        }
        let workload = self.sources.all.demand.workload.as_mut();
        let mut woken = std::mem::take(&mut self.woken);
        self.deliveries
            .report(Due::NEVER, workload, by_source, |source| woken.push(source));
        for source in woken.drain(..) {
            self.sources.wake(source);
            self.wake_for_source(source);
        }
        self.woken = woken;
    }
}
