//! Tasks over threads.

use std::io;
use std::ops::ControlFlow;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, SyncSender, sync_channel};
use std::thread::Builder;
use std::time::Duration;

/// How often the caller is asked whether to go on while nothing is done.
const BEAT: Duration = Duration::from_millis(50);

/// What tells a task that it is to stop.
pub struct Stop(AtomicBool);

impl Stop {
    /// What an engine's control answers.
    pub fn flow(&self) -> ControlFlow<()> {
        if self.0.load(Ordering::Relaxed) {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }
}

/// Does `work` for each task on `jobs` threads, or on as many as the host gives. Hands what is done to `take`, on the calling thread and as
/// many at once as there are, and nothing from time to time; breaks off all work when that breaks. Work
/// that was broken off gives nothing. Never more than a few results wait.
///
/// # Errors
/// A host that gives no thread at all.
pub fn each<T: Send, B>(
    jobs: usize,
    tasks: impl Iterator<Item = u32> + Send,
    work: impl Fn(u32, &Stop) -> Option<T> + Sync,
    mut take: impl FnMut(Vec<T>) -> ControlFlow<B>,
) -> io::Result<ControlFlow<B>> {
    // Where it is known how many tasks there are, no thread is made for nothing.
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
                Err(error) if thread == 0 => return Err(error),
                // Those that there are do the work of all.
                Err(_) => break,
            }
        }
        drop(results);
        let flow = loop {
            let batch = match taken.recv_timeout(BEAT) {
                Ok(first) => std::iter::once(first).chain(taken.try_iter()).collect(),
                Err(RecvTimeoutError::Timeout) => Vec::new(),
                Err(RecvTimeoutError::Disconnected) => break ControlFlow::Continue(()),
            };
            let flow = take(batch);
            if flow.is_break() {
                break flow;
            }
        };
        stop.0.store(true, Ordering::Relaxed);
        // Whoever waits to hand over a result is let go.
        drop(taken);
        Ok(flow)
    })
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
            let flow: io::Result<ControlFlow<()>> = each(
                jobs,
                0..100,
                |task, _| Some(task),
                |batch| {
                    done.extend(batch);
                    ControlFlow::Continue(())
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
                if batch.is_empty() {
                    ControlFlow::Break(7)
                } else {
                    ControlFlow::Continue(())
                }
            },
        );
        assert_eq!(flow.unwrap(), ControlFlow::Break(7));
    }
}
