//! Nodes that free-run over real bounded channels, and the replay of what they did.
//!
//! Each node counts its own cycles and is held back only by its channels and, on request, by a bound on its lead over
//! its neighbours (the slack). The host's scheduler decides when a message arrives, so that such a run is not
//! deterministic. It can be recorded, and a replay repeats it exactly.
//!
//! - [`Options`], [`live`]: a run on threads with crossbeam channels, or on tokio tasks.
//! - [`replay`]: repeats the run of a record.
//!
//! May depend on `network`, `trace` and what they use. The only room that sees the host's threads and
//! time. Must never know which router it drives.
//!
//! ```
//! use flitwork_engine::Ended;
//! use flitwork_live::{Options, Runtime, Slack, live};
//! use flitwork_network::{Demand, Network};
//! use flitwork_node::AnyProbe;
//! use flitwork_router::greedy_hp::GreedyHp;
//! use flitwork_topology::Grid;
//! use flitwork_traffic::Once;
//! use flitwork_types::{Cycle, TerminalId};
//! use std::ops::ControlFlow;
//!
//! let mesh = Grid::mesh(&[2, 2]).unwrap();
//! let network = Network::new(mesh.clone(), GreedyHp::new(mesh, 1), 1);
//! let [first, last] = [0, 3].map(TerminalId);
//! let packets = Once::new(&[(first, last), (last, first)]);
//! let demand = Demand::until(Box::new(packets), Cycle(100_000));
//! // Two threads in lockstep, so that this run gives the digest of the synchronous engines.
//! let options = Options {
//!     runtime: Runtime::Threads,
//!     slack: Slack(Some(0)),
//!     workers: 2,
//!     channel_capacity: 4,
//!     burst_cycles: 1,
//!     pinning: false,
//!     rehearsal: None,
//! };
//! let control = &mut |_| ControlFlow::Continue(());
//! let probes = &mut || AnyProbe::new(());
//! let lived = live(network, demand, &options, None, probes, control).unwrap();
//! assert_eq!(lived.outcome.ended, Ended::Empty);
//! ```

mod board;
mod causal;
mod chunk_reader;
mod ends;
mod fault;
mod folding;
mod host;
mod links;
mod live;
mod marks;
mod node_runner;
mod options;
mod quiet;
mod recording;
mod replay;
mod run;
mod runner;
mod subset;
mod tally;
mod tasks;
mod threads;
mod timing;
mod watch;

#[cfg(test)]
mod tests;

pub use causal::{CausalReplay, Part, Parts};
pub use chunk_reader::{BadRecord, CutEnd};
pub use fault::{Cause, NodeFault, panics_are_contained};
pub use live::{Lived, RecordTo, live};
pub use marks::MARKS_EVERY;
pub use options::{Options, Rehearsal, RehearsalKind, Runtime, Slack};
pub use replay::{ReplayError, ReplayOptions, ReplayVerdict, Replayed, replay};
pub use runner::Probes;
pub use subset::{Subset, SubsetOptions, replay_subset};
pub use timing::Difference;
