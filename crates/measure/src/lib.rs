//! What a run's numbers are worth: histograms, batch means, steady state, fairness, fitted curves, exact intervals, survival.
//!
//! Pure statistics over integers and floats: the same observations give the same numbers in any order, so
//! engines can be compared by them.
//!
//! May depend on `types`. Must never know a router, an engine, a file or the host's time.
//!
//! ```
//! use flitwork_measure::{BatchMeans, Histogram, Window};
//! use flitwork_types::Cycle;
//!
//! let mut latencies = Histogram::new();
//! for latency in [12, 15, 15, 40] {
//!     latencies.record(latency);
//! }
//! assert_eq!(latencies.mean(), Some(20.5));
//! assert_eq!(latencies.percentile(50.0), Some(15));
//!
//! // Observations before the window aren't counted.
//! let window = Window::new(Cycle(100), Cycle(500)).unwrap();
//! let mut means = BatchMeans::new(window);
//! assert!(!means.record(Cycle(99), 12));
//! assert!(means.record(Cycle(100), 15));
//! ```

mod batch_means;
mod counts;
mod course;
mod estimate;
mod fairness;
pub mod fit;
mod halves;
mod histogram;
mod rate;
pub mod steady;
mod survival;
mod window;

pub use batch_means::{BatchMeans, Distrust, MIN_OBSERVATIONS_PER_BATCH, WindowPart};
pub use counts::{Interval, holm};
pub use estimate::Estimate;
pub use fairness::{Share, Shares};
pub use halves::Halves;
pub use histogram::{Bin, Histogram};
pub use rate::{Constancy, Rate};
pub use steady::{Observed, Reason, SteadyState};
pub use survival::{Lifetime, LogRank, Survival, SurvivalStep};
pub use window::{Window, WindowError};
