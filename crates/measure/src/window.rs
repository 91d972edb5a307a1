//! The measured part of a run.

use flitwork_types::Cycle;

/// The cycles in which observations count: from `start` up to, but not including, `end`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    start: Cycle,
    end: Cycle,
}

/// A window without any cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the measured window must end after it starts, at {start}, not at {end}")]
pub struct WindowError {
    /// Where the window should have started.
    pub start: Cycle,
    /// Where it should have ended.
    pub end: Cycle,
}

impl Window {
    /// The window from `start` up to, but not including, `end`.
    ///
    /// # Errors
    /// If `end` isn't later than `start`.
    pub fn new(start: Cycle, end: Cycle) -> Result<Window, WindowError> {
        if end > start {
            Ok(Window { start, end })
        } else {
            Err(WindowError { start, end })
        }
    }

    /// The first cycle that counts.
    pub fn start(self) -> Cycle {
        self.start
    }

    /// The first cycle that no longer counts.
    pub fn end(self) -> Cycle {
        self.end
    }

    /// The window's length, at least 1.
    pub fn cycles(self) -> u32 {
        self.end.since(self.start)
    }

    /// Whether an observation of `cycle` counts.
    pub fn contains(self, cycle: Cycle) -> bool {
        self.start <= cycle && cycle < self.end
    }

    /// Which of `parts` equal parts of the window contains `cycle`.
    pub(crate) fn part(self, cycle: Cycle, parts: usize) -> Option<usize> {
        let part = u64::from(cycle.since(self.start)) * parts as u64 / u64::from(self.cycles());
        self.contains(cycle).then_some(part as usize)
    }

    /// How many cycles lie in part `part` of `parts`: equal to within one.
    pub(crate) fn part_cycles(self, part: usize, parts: usize) -> u64 {
        let first = |part: usize| (part as u64 * u64::from(self.cycles())).div_ceil(parts as u64);
        first(part + 1) - first(part)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn window(start: u32, end: u32) -> Window {
        Window::new(Cycle(start), Cycle(end)).unwrap()
    }

    #[test]
    fn a_window_needs_a_cycle() {
        let error = Window::new(Cycle(5), Cycle(5)).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the measured window must end after it starts, at 5, not at 5"
        );
        assert_eq!(window(5, 6).cycles(), 1);
    }

    #[test]
    fn parts_are_equal_to_within_one_cycle() {
        for (cycles, parts) in [(100, 20), (101, 20), (7, 20), (4_000_000_000, 100)] {
            let window = window(3, 3 + cycles);
            let lengths: Vec<u64> = (0..parts).map(|p| window.part_cycles(p, parts)).collect();
            assert_eq!(lengths.iter().sum::<u64>(), u64::from(cycles));
            assert!(lengths.iter().max().unwrap() - lengths.iter().min().unwrap() <= 1);
            if cycles < 200 {
                let mut seen = vec![0; parts];
                (3..3 + cycles).for_each(|c| seen[window.part(Cycle(c), parts).unwrap()] += 1);
                assert_eq!(seen, lengths);
            }
        }
    }
}
