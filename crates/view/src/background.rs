//! Threads that work in the background.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{Builder, JoinHandle};

/// Whether a thread is to end.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ending(Arc<AtomicBool>);

impl Ending {
    pub(crate) fn is_asked(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// A thread. Dropped, it is asked to end, and waited for.
pub(crate) struct Background {
    pub(crate) ending: Ending,
    thread: Option<JoinHandle<()>>,
}

impl Background {
    /// Begins; the work must look now and then at whether it is to end.
    ///
    /// # Errors
    /// If the host gives no thread.
    pub(crate) fn begin(
        name: &str,
        work: impl FnOnce(&Ending) + Send + 'static,
    ) -> io::Result<Background> {
        let ending = Ending::default();
        let asked = ending.clone();
        let thread = Builder::new().name(name.to_owned());
        let thread = Some(thread.spawn(move || work(&asked))?);
        Ok(Background { ending, thread })
    }
}

impl Drop for Background {
    fn drop(&mut self) {
        self.ending.0.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// What threads share, even if one of them has panicked.
pub(crate) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
