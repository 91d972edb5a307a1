//! Threads that the host grants or refuses.

use std::io;
use std::sync::RwLock;
use std::thread::Builder;

/// The error for a host that grants fewer threads than a run needs.
pub(crate) fn missing(given: usize, needed: usize, error: &io::Error) -> io::Error {
    let message = format!("the host provides only {given} of the {needed} threads needed: {error}");
    io::Error::new(error.kind(), message)
}

/// Whether the host grants that many threads at once, for libraries that panic otherwise.
///
/// # Errors
/// If it grants fewer.
pub(crate) fn are_there(needed: usize) -> io::Result<()> {
    let all = RwLock::new(());
    std::thread::scope(|scope| {
        // Each lives until all have started.
        let waiting = all.write();
        for given in 0..needed {
            let waits = Builder::new().spawn_scoped(scope, || drop(all.read()));
            waits.map_err(|error| missing(given, needed, &error))?;
        }
        drop(waiting);
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_few_threads_are_there() {
        assert!(are_there(8).is_ok());
    }

    #[test]
    fn what_is_missing_is_said() {
        let error = missing(3, 8, &io::Error::from(io::ErrorKind::WouldBlock));
        assert!(error.to_string().contains("3 of the 8 threads"), "{error}");
    }
}
