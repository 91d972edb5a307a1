//! Studies and papers' experiments: tables over a parameter, made by one command each.
//!
//! May depend on `sweep`, `experiment` and what is below. Must never print or end the process: what they need
//! from the program that runs them is a [`Context`].
//!
//! ```
//! use flitwork_schema::{Part, Parts};
//! use flitwork_studies::study::StudyEntry;
//!
//! // A crate outside adds its own: `Parts::new().with(…)`.
//! let parts = Parts::new();
//! let study = parts.find::<StudyEntry>("routers").unwrap();
//! assert_eq!(study.name(), "routers");
//! assert!(!study.help().is_empty());
//! ```

mod axes;
mod contest;
mod context;
mod contract;
mod lifetimes;
mod many;
pub mod options;
pub mod paper;
pub mod paths;
pub mod playing;
mod seeds;
mod seen;
mod square;
mod statics;
pub mod study;
mod timing;

pub use context::{Context, End, Failed, StudyProgress};
