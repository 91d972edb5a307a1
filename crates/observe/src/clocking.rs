//! What makes nodes step, and how long that takes, where they have clocks of their own or none.

use flitwork_measure::Window;
use flitwork_node::ClockTicks;
use flitwork_types::{Cycle, Moment};

/// What clocks and self-timed nodes did in the window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Clocking {
    /// Ticks of nodes' clocks, each node's by itself, as far as they were simulated.
    pub clock_ticks: u64,
    /// Those in which the node was idle.
    pub idle_clock_ticks: u64,
    /// Those in which the node did something.
    pub working_clock_ticks: u64,
    /// Steps of self-timed nodes that began in the window and took time.
    pub steps: u64,
    /// How long these took together, in ps.
    pub steps_ps: u128,
}

/// Counts that while a run goes on.
#[derive(Clone, Debug)]
pub(super) struct Counter {
    window: Window,
    /// How often clocks had ticked before the window, once that is known.
    before: Option<ClockTicks>,
    /// The same before the latest cycle of the window, or at its end.
    latest: ClockTicks,
    is_over: bool,
    /// The same before the cycle after the latest delivery, and that cycle.
    after_last: (Cycle, ClockTicks),
    /// Steps of self-timed nodes, and how long they took.
    steps: u64,
    steps_ps: u128,
}

impl Counter {
    pub(super) fn new(window: Window) -> Counter {
        let none = ClockTicks::default();
        Counter {
            window,
            // A window that begins with the run has no ticks before it.
            before: (window.start() == Cycle::ZERO).then_some(none),
            latest: none,
            is_over: false,
            after_last: (Cycle::ZERO, none),
            steps: 0,
            steps_ps: 0,
        }
    }

    /// A self-timed node's step.
    #[inline]
    pub(super) fn stepped(&mut self, begin: Moment, took_ps: u64) {
        if self.window.contains(begin.reference) {
            self.steps += 1;
            self.steps_ps += u128::from(took_ps);
        }
    }

    /// How often clocks had ticked before a cycle; `after_last` is the one after the latest delivery so far.
    pub(super) fn clocks(&mut self, reference: Cycle, so_far: ClockTicks, after_last: Cycle) {
        if reference < self.window.start() {
            return;
        }
        self.before.get_or_insert(so_far);
        if self.after_last.0 < after_last && after_last <= reference {
            self.after_last = (after_last, so_far);
        }
        if !self.is_over {
            self.latest = so_far;
            self.is_over = reference >= self.window.end();
        }
    }

    /// Adds the steps that another observer of the same run saw. One observer counts all ticks.
    pub(super) fn merge(&mut self, other: &Counter) {
        self.steps += other.steps;
        self.steps_ps += other.steps_ps;
    }

    /// What there was in the window, of which cycles before `end` count.
    pub(super) fn finish(self, end: Cycle) -> Clocking {
        let until = match self.after_last {
            (cycle, ticks) if cycle == end && end < self.window.end() => ticks,
            _ => self.latest,
        };
        let before = match end > self.window.start() {
            true => self.before.unwrap_or(until),
            false => until,
        };
        Clocking {
            clock_ticks: until.ticks - before.ticks,
            idle_clock_ticks: until.idle - before.idle,
            working_clock_ticks: until.working - before.working,
            steps: self.steps,
            steps_ps: self.steps_ps,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Clocks tick 3 times a cycle, once idly and in every other cycle once at work. The window has cycles 10 to before 20; clocks report before each cycle.
    fn counted(until: u32, delivered: &[(u32, u32)], end: u32) -> (u64, u64, u64) {
        let window = Window::new(Cycle(10), Cycle(20)).unwrap();
        let mut counter = Counter::new(window);
        for cycle in 1..=until {
            let so_far = ClockTicks {
                ticks: 3 * u64::from(cycle),
                idle: cycle.into(),
                working: u64::from(cycle) / 2,
            };
            // A delivery that is reported in a cycle may count for a later one.
            let known = delivered.iter().filter(|(reported, _)| *reported < cycle);
            let after_last = known.map(|(_, counts)| counts + 1).max().unwrap_or(0);
            counter.clocks(Cycle(cycle), so_far, Cycle(after_last));
        }
        let seen = counter.finish(Cycle(end));
        let idle = seen.idle_clock_ticks;
        (seen.clock_ticks, idle, seen.working_clock_ticks)
    }

    #[test]
    fn ticks_are_those_of_the_window() {
        assert_eq!(counted(40, &[], 40), (30, 10, 5));
        assert_eq!(counted(20, &[], 20), (30, 10, 5));
        // Broken off in cycle 13.
        assert_eq!(counted(13, &[], 13), (9, 3, 1));
        assert_eq!(counted(9, &[], 9), (0, 0, 0));
        // A run that goes on after its last delivery, of which only what is before the cycle after that counts.
        assert_eq!(counted(40, &[(11, 11), (15, 15)], 16), (18, 6, 3));
        assert_eq!(counted(40, &[(11, 12), (15, 17)], 18), (24, 8, 4));
        assert_eq!(counted(40, &[(11, 11), (25, 25)], 26), (30, 10, 5));
        assert_eq!(counted(40, &[(3, 4)], 10), (0, 0, 0));
    }

    #[test]
    fn a_window_may_begin_with_the_run() {
        let window = Window::new(Cycle::ZERO, Cycle(5)).unwrap();
        let mut counter = Counter::new(window);
        let so_far = |ticks| ClockTicks {
            ticks,
            idle: 2,
            working: ticks / 2,
        };
        // Clocks slower than the nominal one: cycles without any tick are left out.
        counter.clocks(Cycle(3), so_far(7), Cycle::ZERO);
        counter.clocks(Cycle(6), so_far(9), Cycle::ZERO);
        counter.clocks(Cycle(7), so_far(12), Cycle::ZERO);
        let seen = counter.finish(Cycle(5));
        let idle = seen.idle_clock_ticks;
        assert_eq!(
            (seen.clock_ticks, idle, seen.working_clock_ticks),
            (9, 2, 4)
        );
    }

    #[test]
    fn steps_are_those_that_begin_in_the_window() {
        let window = Window::new(Cycle(2), Cycle(4)).unwrap();
        let mut counter = Counter::new(window);
        for (reference, took_ps) in [(1, 1), (2, 10), (3, 100), (3, 50), (4, 1000)] {
            let begin = Moment::new(Cycle(reference), 0);
            counter.stepped(begin, took_ps);
        }
        let seen = counter.finish(Cycle(9));
        assert_eq!((seen.steps, seen.steps_ps), (3, 160));
    }
}
