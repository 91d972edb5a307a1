//! Progress of studies and papers: their runs, one after the other or over threads.

use super::Ran;
use crate::context::{Context, Failed, StudyProgress};
use flitwork_engine::Control;
use flitwork_steps::GoOn;
use flitwork_sweep::pool::{self, Stop};
use flitwork_types::Cycle;
use std::sync::Mutex;

/// Runs one after the other. Each shows its progress and stops when the user asks to.
pub struct Steps<'a> {
    /// The program that shows their progress.
    pub context: &'a mut dyn Context,
    done: u32,
    of: Option<u32>,
}

impl<'a> Steps<'a> {
    /// `of` runs, whose number is shown; without it, as for a few long runs, the cycle that a run has reached is.
    pub fn new(context: &'a mut dyn Context, of: Option<usize>) -> Steps<'a> {
        Steps {
            context,
            done: 0,
            of: of.map(|of| u32::try_from(of).unwrap_or(u32::MAX)),
        }
    }

    /// A run, which gets the control for its engine; none if the user has asked to stop.
    pub fn run<T>(&mut self, name: &str, run: impl FnOnce(Control<'_>) -> T) -> Option<T> {
        let Steps { context, done, of } = self;
        let mut is_stopped = false;
        let mut flow = |cycle: Cycle| {
            let position = of.map_or(cycle.get(), |_| *done).into();
            let of = *of;
            context.show(StudyProgress { name, position, of });
            let flow = context.flow();
            is_stopped |= flow.is_break();
            flow
        };
        if flow(Cycle::ZERO).is_break() {
            return None;
        }
        let result = run(&mut |now| flow(now.cycle));
        *done += 1;
        (!is_stopped).then_some(result)
    }

    /// A row of each case, as far as the user lets them run: a row that isn't finished is none.
    pub(crate) fn rows<C, R>(
        &mut self,
        cases: impl IntoIterator<Item = C>,
        mut row: impl FnMut(C, &mut Self) -> Result<Option<R>, Failed>,
    ) -> Result<Ran<R>, Failed> {
        let mut rows = Vec::new();
        for case in cases {
            let Some(row) = row(case, self)? else {
                break;
            };
            rows.push(row);
        }
        Ok(Ran::AsFar(rows))
    }

    /// A problem of steps, which is given what says whether to go on.
    pub(crate) fn of_steps<T>(&mut self, name: &str, run: impl FnOnce(GoOn<'_>) -> T) -> T {
        let context = &mut *self.context;
        run(&mut |steps| {
            let (position, of) = (steps.into(), None);
            context.show(StudyProgress { name, position, of });
            context.flow().is_continue()
        })
    }
}

/// Does `work` for a number of runs over threads; no results if the user asks to stop.
pub(crate) fn over_threads<T: Send>(
    context: &mut dyn Context,
    jobs: usize,
    of: u32,
    work: impl Fn(u32, &Stop) -> Option<T> + Sync,
) -> Result<Option<Vec<T>>, Failed> {
    if context.flow().is_break() {
        return Ok(None);
    }
    let results = pool::all(jobs, of, work, &mut |done, of| {
        let (name, position, of) = ("", done.into(), Some(of));
        context.show(StudyProgress { name, position, of });
        context.flow()
    });
    Ok(results?)
}

/// The same, with the results that there are if the user asks to stop: what isn't done is none.
pub(crate) fn as_done<T: Send>(
    context: &mut dyn Context,
    jobs: usize,
    of: u32,
    work: impl Fn(u32, &Stop) -> Option<T> + Sync,
) -> Result<Vec<Option<T>>, Failed> {
    let none = std::iter::repeat_with(|| None).take(of as usize);
    let done = Mutex::new(none.collect::<Vec<Option<T>>>());
    let keep = |number: u32, stop: &Stop| {
        let result = work(number, stop)?;
        // A thread that panics ends the program.
        done.lock().ok()?[number as usize] = Some(result);
        Some(())
    };
    let _ = over_threads(context, jobs, of, keep)?;
    Ok(done.into_inner().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::tests::Silent;

    #[test]
    fn runs_are_counted_until_the_user_stops_them() {
        let mut context = Silent::new(2);
        let mut steps = Steps::new(&mut context, Some(3));
        let now = flitwork_engine::Progress {
            cycle: Cycle(1),
            in_network: 1,
            is_counting: false,
        };
        let mut run = || steps.run("a", |control| control(now).is_break());
        assert_eq!([run(), run(), run()], [Some(false), Some(false), None]);
    }
}
