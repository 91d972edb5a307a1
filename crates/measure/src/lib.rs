//! What a run's numbers are worth: histograms, batch means, steady state, fairness, fitted curves.
//!
//! Pure statistics over integers and floats: the same observations give the same numbers in whatever
//! order they come, so that engines can be compared by them.
//!
//! May depend on `types`. Must never know a router, an engine, a file or the host's time.

mod batch_means;
mod estimate;
mod fairness;
pub mod fit;
mod histogram;
pub mod steady;
mod window;

pub use batch_means::{BatchMeans, Distrust, MIN_OBSERVATIONS_PER_BATCH, Part};
pub use estimate::Estimate;
pub use fairness::{Share, Shares};
pub use histogram::{Bin, Histogram};
pub use steady::{Observed, Reason, SteadyState};
pub use window::{Window, WindowError};
