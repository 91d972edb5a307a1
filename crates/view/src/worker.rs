//! A thread that owns a run's timeline, and to which questions are sent.
//!
//! ```text
//!   ask ──▶ bounded channel ──▶ thread: timeline ──▶ Answer
//!    ▲                                                 │
//!    └────────── whoever drops the answer ◀────────────┘
//!                stops the work on it
//! ```

use crate::background::{Background, Ending};
use flitwork_debug::Timeline;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use tokio::sync::oneshot;

/// The most questions that wait.
const MOST_WAITING: usize = 64;

type Job = Box<dyn FnOnce(&mut Timeline) + Send>;

/// A thread with a timeline.
pub struct Worker {
    /// Closed before the thread is waited for.
    jobs: SyncSender<Job>,
    thread: Background,
}

/// Why a question isn't asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotAsked {
    /// Too many are waiting.
    #[error("{MOST_WAITING} questions are waiting already")]
    Busy,
    /// The program ends.
    #[error("the program ends")]
    Ending,
}

/// What a question's work is given to know whether to go on.
#[derive(Clone)]
pub struct Going {
    stopped: Arc<AtomicBool>,
    ending: Ending,
}

impl Going {
    /// Whether somebody still waits for the answer.
    pub fn on(&self) -> bool {
        !self.stopped.load(Ordering::Relaxed) && !self.ending.is_asked()
    }
}

/// An answer that is to come. Dropped, it stops the work on it.
pub struct Answer<T> {
    answer: oneshot::Receiver<T>,
    stopped: Arc<AtomicBool>,
}

impl<T> Drop for Answer<T> {
    fn drop(&mut self) {
        self.stopped.store(true, Ordering::Relaxed);
    }
}

impl<T> Answer<T> {
    /// Waits for it; `None` if the program ends first.
    pub async fn get(mut self) -> Option<T> {
        (&mut self.answer).await.ok()
    }

    /// Takes it if it is there.
    pub fn try_get(&mut self) -> Option<T> {
        self.answer.try_recv().ok()
    }
}

impl Worker {
    /// A thread of that name; its timeline is made there.
    ///
    /// # Errors
    /// If the host gives no thread.
    pub fn new(
        name: &str,
        make: impl FnOnce() -> Timeline + Send + 'static,
    ) -> std::io::Result<Worker> {
        let (jobs, waiting): (_, Receiver<Job>) = sync_channel(MOST_WAITING);
        let thread = Background::begin(name, move |_| {
            let mut timeline = make();
            for job in waiting {
                job(&mut timeline);
            }
        })?;
        Ok(Worker { jobs, thread })
    }

    /// Asks. The work must look now and then at whether it is to go on.
    ///
    /// # Errors
    /// If too many questions wait, or the program ends.
    pub fn ask<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Timeline, &Going) -> T + Send + 'static,
    ) -> Result<Answer<T>, NotAsked> {
        let (put, answer) = oneshot::channel();
        let going = Going {
            stopped: Arc::default(),
            ending: self.thread.ending.clone(),
        };
        let stopped = going.stopped.clone();
        let job: Job = Box::new(move |timeline| {
            if going.on() {
                // Whoever has asked may have gone meanwhile.
                let _ = put.send(work(timeline, &going));
            }
        });
        match self.jobs.try_send(job) {
            Ok(()) => Ok(Answer { answer, stopped }),
            Err(TrySendError::Full(_)) => Err(NotAsked::Busy),
            Err(TrySendError::Disconnected(_)) => Err(NotAsked::Ending),
        }
    }

    /// Does something with the timeline when it is its turn; nobody waits for it. Returns whether it will be done:
    /// nothing is if too many questions wait.
    pub fn tell(&self, work: impl FnOnce(&mut Timeline) + Send + 'static) -> bool {
        self.jobs.try_send(Box::new(work)).is_ok()
    }
}
