//! Many runs of a configuration: sweeps, saturation, comparisons.
//!
//! ```text
//!  configuration, axes ──▶ Plan ──▶ pool of threads ──▶ journal ──▶ tables, figures
//!                          (points)   (one run per task)    (on disk, point by point)
//! ```
//!
//! Results don't depend on the number of threads, on the order in which runs end, on
//! interruptions, or on how a sweep is cut into shards; only host times differ.
//!
//! May depend on `experiment`, `measure` and what is below. Must never read arguments or end the process.
//!
//! ```
//! use flitwork_config::Catalogue;
//! use flitwork_sweep::{Axis, Base, Plan};
//!
//! let text = "
//!     [network]
//!     topology = \"mesh\"
//!     sides = [4, 4]
//!     [router.wormhole]
//!     [traffic]
//!     [run]
//!     warmup_cycles = 100
//!     measure_cycles = 500
//! ";
//! let base = Base::of_text(&Catalogue::default(), "mine.toml", text, Vec::new());
//! let loads = Axis {
//!     key: "traffic.load".into(),
//!     values: ["0.1", "0.2", "0.3"].map(String::from).to_vec(),
//! };
//! // Each of three loads with each of two seeds.
//! let plan = Plan::new(base, vec![loads], 2).unwrap();
//! assert_eq!(plan.points(), 6);
//! assert_eq!(plan.values(2), ["0.2"]);
//! ```

mod axis;
mod base;
mod compare;
mod curves;
mod decimal;
mod drawn;
mod error;
mod figures;
mod folder;
mod journal;
mod manifest;
mod merge;
mod patient;
mod plan;
pub mod pool;
mod row;
mod run;
mod saturate;
mod seeds;
mod shard;
mod table;

pub use axis::Axis;
pub use base::{Base, seed_override};
pub use compare::{
    Analysis, Compare, Comparison, Measure, NoMeasure, Pair, Verdict, compare, comparison_text,
    measures,
};
pub use decimal::{Decimal, NotDecimal};
pub use error::Error;
pub use folder::{foreign_tables, is_sweep_file};
pub use merge::{merge, missing_text};
pub use patient::{Decided, run_patiently};
pub use plan::Plan;
pub use run::{Stage, Step, Summary, Sweep, Watcher, failed_text, sweep};
pub use saturate::{
    Criterion, Saturate, Saturation, SeedOutcome, Tried, saturate, saturation_text,
};
pub use shard::{NoShard, Shard};
pub use table::sweep_columns;

#[cfg(test)]
mod tests;
