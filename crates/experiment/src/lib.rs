//! Runs: a configuration's network on its engine, observed, recorded and replayed; what it needs of memory.
//!
//! May depend on configurations and on all below them. Must never compute a figure of a report, read arguments or end the
//! process.
//!
//! ```
//! use flitwork_config::resolve;
//! use flitwork_experiment::simulate::simulate;
//! use std::ops::ControlFlow;
//! use std::path::Path;
//!
//! let text = "
//!     [network]
//!     topology = \"mesh\"
//!     sides = [4, 4]
//!     [router.wormhole]
//!     [traffic]
//!     load = 0.1
//!     [run]
//!     warmup_cycles = 100
//!     measure_cycles = 500
//! ";
//! let resolved = resolve(text, "mine.toml", Path::new(""), &[]).unwrap();
//! let run = simulate(&resolved, &mut |_| ControlFlow::Continue(()));
//! assert!(run.observation.delivered > 0);
//! assert_eq!(run.observation.delivered, run.observation.injected);
//! ```

mod around;
mod chosen;
pub mod embed;
pub mod examine;
mod exchange;
pub mod extras;
pub mod hardware;
pub mod index;
pub mod intervals;
pub mod live;
pub mod load;
pub mod memory;
pub mod overload;
pub mod packets;
pub mod recall;
pub mod simulate;
pub mod simulation;
pub mod size;
mod window;
mod workload;
pub mod worst_case;
