//! Progress of a study of many runs.

use flitwork_engine::Progress;
use std::ops::ControlFlow;

/// Where a study is.
#[derive(Clone, Copy, Debug)]
pub struct Step<'a> {
    /// The run that is under way, in a few words.
    pub name: &'a str,
    /// Runs that are done.
    pub done: u32,
    /// Runs in all.
    pub of: u32,
}

/// Observes a study: sees where it is, and says whether to continue.
pub type Watcher<'a> = &'a mut dyn FnMut(Step<'_>) -> ControlFlow<()>;

/// The watcher stopped the study.
pub(super) struct BrokenOff;

/// Counts the runs of a study.
pub(super) struct Steps<'a> {
    watcher: Watcher<'a>,
    done: u32,
    of: u32,
}

impl<'a> Steps<'a> {
    pub(super) fn new(watcher: Watcher<'a>, of: usize) -> Steps<'a> {
        Steps {
            watcher,
            done: 0,
            of: u32::try_from(of).unwrap_or(u32::MAX),
        }
    }

    /// A run, which gets the control for its engine. A stopped run has no result.
    pub(super) fn run<T>(
        &mut self,
        name: &str,
        run: impl FnOnce(flitwork_engine::Control<'_>) -> T,
    ) -> Result<T, BrokenOff> {
        let step = Step {
            name,
            done: self.done,
            of: self.of,
        };
        if (self.watcher)(step).is_break() {
            return Err(BrokenOff);
        }
        let mut broken = false;
        let result = run(&mut |_: Progress| {
            let flow = (self.watcher)(step);
            broken |= flow.is_break();
            flow
        });
        if broken {
            return Err(BrokenOff);
        }
        self.done += 1;
        Ok(result)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const AT: Progress = Progress {
        cycle: flitwork_types::Cycle(1),
        in_network: 1,
        is_counting: false,
    };

    #[test]
    fn runs_are_counted_until_the_watcher_stops_them() {
        let mut seen = Vec::new();
        let mut watcher = |step: Step<'_>| {
            seen.push((step.name.to_owned(), step.done, step.of));
            match seen.len() {
                4 => ControlFlow::Break(()),
                _ => ControlFlow::Continue(()),
            }
        };
        let mut steps = Steps::new(&mut watcher, 3);
        assert_eq!(
            steps.run("a", |control| control(AT).is_break()).ok(),
            Some(false)
        );
        assert_eq!(steps.run("b", |control| control(AT).is_break()).ok(), None);
        let seen: Vec<_> = seen
            .iter()
            .map(|(name, done, of)| (name.as_str(), *done, *of))
            .collect();
        assert_eq!(seen, [("a", 0, 3), ("a", 0, 3), ("b", 1, 3), ("b", 1, 3)]);
    }
}
