//! Runs tasks on threads.

use crate::error::Error;
use std::ops::ControlFlow;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, SyncSender, sync_channel};
use std::thread::Builder;
use std::time::Duration;

/// How often the caller is asked whether to continue while nothing is finished.
const BEAT: Duration = Duration::from_millis(50);

/// Signals tasks to stop.
pub struct Stop(AtomicBool);

impl Stop {
    /// What an engine's control is to return.
    pub fn flow(&self) -> ControlFlow<()> {
        match self.0.load(Ordering::Relaxed) {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    }
}

/// Does `work` for each task on `jobs` threads, or on as many as the host can start. Passes results to `take` on the
/// calling thread in batches, and now and then an empty batch; stops all work when `take` breaks or fails. Stopped work
/// returns nothing. Only a few results are buffered.
///
/// # Errors
/// The host can't start a single thread, or `take` fails.
pub(crate) fn each<T: Send, B>(
    jobs: usize,
    tasks: impl Iterator<Item = u32> + Send,
    work: impl Fn(u32, &Stop) -> Option<T> + Sync,
    mut take: impl FnMut(Vec<T>) -> Result<ControlFlow<B>, Error>,
) -> Result<ControlFlow<B>, Error> {
    // If the number of tasks is known, no more threads are started than there are tasks.
    let jobs = jobs.min(tasks.size_hint().1.unwrap_or(jobs)).max(1);
    let stop = Stop(AtomicBool::new(false));
    let tasks = Mutex::new(tasks);
    let (results, taken) = sync_channel(2 * jobs);
    std::thread::scope(|scope| {
        for thread in 0..jobs {
            let results: SyncSender<T> = results.clone();
            let (stop, tasks, work) = (&stop, &tasks, &work);
            let spawned = Builder::new().spawn_scoped(scope, move || {
                while let (true, Some(task)) = (stop.flow().is_continue(), next(tasks)) {
                    if let Some(result) = work(task, stop)
                        && results.send(result).is_err()
                    {
                        return;
                    }
                }
            });
            match spawned {
                Ok(_) => {}
                Err(error) if thread == 0 => return Err(Error::Threads(error)),
                // The threads that were started share the work.
                Err(_) => break,
            }
        }
        drop(results);
        let flow = loop {
            let batch = match taken.recv_timeout(BEAT) {
                Ok(first) => std::iter::once(first).chain(taken.try_iter()).collect(),
                Err(RecvTimeoutError::Timeout) => Vec::new(),
                Err(RecvTimeoutError::Disconnected) => break Ok(ControlFlow::Continue(())),
            };
            match take(batch) {
                Ok(ControlFlow::Continue(())) => {}
                ended => break ended,
            }
        };
        stop.0.store(true, Ordering::Relaxed);
        // Releases threads that are blocked on sending a result.
        drop(taken);
        flow
    })
}

/// Does `work` for a number of tasks, and returns their results in the order of the tasks. The watcher is given how many
/// are finished and how many there are; if it stops the work, there is no result.
///
/// # Errors
/// The host can't start a single thread.
pub fn all<T: Send>(
    jobs: usize,
    tasks: u32,
    work: impl Fn(u32, &Stop) -> Option<T> + Sync,
    watcher: &mut dyn FnMut(u32, u32) -> ControlFlow<()>,
) -> Result<Option<Vec<T>>, Error> {
    let mut found = Vec::new();
    let numbered = |task, stop: &Stop| Some((task, work(task, stop)?));
    let flow = each(jobs, 0..tasks, numbered, |batch| {
        found.extend(batch);
        Ok(watcher(found.len() as u32, tasks))
    })?;
    if flow.is_break() || found.len() < tasks as usize {
        return Ok(None);
    }
    found.sort_by_key(|(task, _)| *task);
    Ok(Some(found.into_iter().map(|(_, found)| found).collect()))
}

fn next(tasks: &Mutex<impl Iterator<Item = u32>>) -> Option<u32> {
    // A thread that panics ends the program.
    tasks.lock().ok()?.next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_task_is_done_once_on_any_number_of_threads() {
        for jobs in [1, 2, 7] {
            let mut done = Vec::new();
            let flow: Result<ControlFlow<()>, Error> = each(
                jobs,
                0..100,
                |task, _| Some(task),
                |batch| {
                    done.extend(batch);
                    Ok(ControlFlow::Continue(()))
                },
            );
            assert!(flow.unwrap().is_continue());
            done.sort_unstable();
            assert_eq!(done, (0..100).collect::<Vec<_>>());
        }
    }

    #[test]
    fn a_break_stops_the_work() {
        let flow = each(
            3,
            0..u32::MAX,
            |task, stop| {
                while task > 10 && stop.flow().is_continue() {
                    std::thread::yield_now();
                }
                Some(task)
            },
            |batch| {
                Ok(match batch.is_empty() {
                    true => ControlFlow::Break(7),
                    false => ControlFlow::Continue(()),
                })
            },
        );
        assert_eq!(flow.unwrap(), ControlFlow::Break(7));
    }
}
