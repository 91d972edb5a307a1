//! A network of any router, as an object that engines drive.
//!
//! ```text
//!  RouterParameters ──erased──▶ AnyRouter ──offers──▶ Box<dyn WordDriven>    word by word: plain, awake, clocked, live
//!   (any kind)                  (a value of the  └──▶ FastDriven             by time stamps, or by mail posted ahead
//!                                configuration)
//! ```
//!
//! Nobody behind the object knows which router it is; within it the engine's inner loop is compiled for that router.
//!
//! May depend on the engines and on what they drive. Must never know a configuration's text, a report or the command line.
//!
//! ```
//! use flitwork_machine::{AnyRouter, RouterEntry};
//! use flitwork_router::greedy_hp::GreedyHpParameters;
//! use flitwork_schema::{Part, Parts};
//!
//! let router = AnyRouter::from(GreedyHpParameters::default());
//! assert_eq!(router.name(), "greedy-hp");
//! assert_eq!(router.fixed_words(), Some(1));
//! assert_eq!(AnyRouter::built_in(&GreedyHpParameters::default()), Some(router.clone()));
//!
//! // The table has every router of the program, and those that a crate outside adds to it.
//! let entry = Parts::new().find::<RouterEntry>("greedy-hp").unwrap();
//! assert_eq!(entry.name(), router.name());
//! ```

mod drive;
mod entry;

pub use drive::{
    Collector, Differs, FastDriven, Open, Probes, Start, Stepping, Usual, WordDriven, run,
};
pub use entry::{AnyRouter, RouterEntry};

use flitwork_engine::Outcome;
use flitwork_node::Wait;
use std::time::Duration;

/// A finished run, or what there is of an interrupted one.
#[derive(Clone, Debug)]
pub struct Finished<P> {
    /// How it ended.
    pub outcome: Outcome,
    /// What observed it.
    pub probe: P,
    /// What the packets still in the network wait for; empty after a run that ended empty.
    pub waits: Vec<Wait>,
    /// Host time of the run.
    pub elapsed: Duration,
}

impl<P> Finished<P> {
    /// The same with the probe converted.
    pub fn map_probe<Q>(self, into: impl FnOnce(P) -> Q) -> Finished<Q> {
        Finished {
            outcome: self.outcome,
            probe: into(self.probe),
            waits: self.waits,
            elapsed: self.elapsed,
        }
    }
}
