//! Reproductions of published experiments.

mod chinn;
mod chinn_1995;
mod configured;
mod entry;
mod published;
mod report;
mod watch;

pub(crate) use chinn::Mesh;
pub use chinn::need_bytes;
pub use chinn::{ChinnError, Request, Row, SeedRun};
pub use configured::configurations;
pub use entry::PaperEntry;
pub use flitwork_engine::Progress;
pub use flitwork_router::chaos::InitialPointer;
pub use flitwork_types::Cycle;
pub use published::{Algorithm, Published, PublishedRow, published};
pub use report::{figure, text};
pub use watch::Snapshot;

use std::ops::ControlFlow;

/// Observes a long experiment: sees each row as it is done, and says whether to continue.
pub trait Watcher {
    /// A new part begins, described in a few words.
    fn begin(&mut self, what: &str);
    /// A run is under way; `Break` ends the experiment.
    fn progress(&mut self, progress: Progress) -> ControlFlow<()>;
    /// A row is done.
    fn row(&mut self, row: &Row);
}

/// Runs an experiment; returns the rows so far if the watcher stops it.
///
/// # Errors
/// If a mesh of a requested size can't be built.
pub fn run(request: &Request, watcher: &mut dyn Watcher) -> Result<Vec<Row>, ChinnError> {
    chinn::run(request, watcher)
}
