//! Destinations, injection processes, static problems, closed loops and traces.
//!
//! A [`Workload`] determines which packets the sources make, and when:
//!
//! | workload | kind |
//! |---|---|
//! | [`Bernoulli`], [`Modulated`], also made by [`OnOffParameters`], [`Phases`] | open loop: packets are made regardless of deliveries |
//! | [`Once`], also made by [`k_k`], [`h_h`] and [`at_once`] | static: every packet exists in cycle 0 |
//! | [`Batch`] | closed loop: requests wait for replies |
//! | [`TraceWorkload`] | a trace, read by a [`NetraceReader`] or a [`CsvReader`] |
//!
//! Destinations come from a [`Pattern`], lengths from a [`LengthLaw`]. [`parse_permutation`] reads the text
//! of a permutation file.
//!
//! A pattern is one file and one line in the table of [`PatternEntry`]s; a process is one file and one line in that of
//! [`ProcessEntry`]s. Names, keys and construction are declared there and nowhere else. A crate outside this repository
//! adds its own to [`flitwork_schema::Parts`]. [`TrafficParameters`] is the contents of `[traffic]`.
//!
//! May depend on `types`, `schema` and `topology`. Must never know a router, an engine, the file system or the
//! host's time.
//!
//! ```
//! use flitwork_topology::Grid;
//! use flitwork_traffic::{AnyPattern, Bernoulli, Uniform, Workload};
//! use flitwork_types::{Cycle, TerminalId};
//!
//! let mesh = Grid::mesh(&[4, 4]).unwrap();
//! let pattern = AnyPattern::from(Uniform::default()).build(&mesh, 1).unwrap();
//! // In each of 1000 cycles each of the 16 nodes makes a packet with a probability of a tenth.
//! let mut sources = Bernoulli::new(pattern, 0.1, Cycle(1000), 1, 16).unwrap();
//! let first = sources.next(TerminalId(5), Cycle::ZERO).packet().unwrap();
//! let second = sources.next(TerminalId(5), Cycle::ZERO).packet().unwrap();
//! assert!(first.created < second.created);
//! assert_ne!(first.destination, TerminalId(5));
//! ```

mod batch;
mod bernoulli;
mod context;
mod draws;
mod geometric;
mod k_k;
mod lengths;
mod modulated;
mod on_off;
mod once;
mod open_loop;
mod parameter;
mod parameters;
mod patterns;
mod permutation_text;
mod phases;
mod processes;
#[cfg(test)]
mod toy;
mod trace;
mod without;
mod workload;

pub use batch::{Batch, BatchParameters, ReplyParameters};
pub use bernoulli::{Bernoulli, RateError};
pub use context::{OpenFile, ReadContext, ReadySources, RunContext};
pub use draws::Draws;
pub use k_k::{StaticPacket, at_once, h_h, k_k};
pub use lengths::{LengthLaw, Lengths};
pub use modulated::{Modulated, ModulatedParameters, ModulatedState};
pub use on_off::{OnOffLaw, OnOffParameters};
pub use once::Once;
pub use open_loop::{OpenLoop, Sources};
pub use parameters::TrafficParameters;
pub use patterns::*;
pub use permutation_text::{
    PermutationError, PermutationProblem, parse_packets, parse_permutation, write_packets,
};
pub use phases::{PhaseError, PhaseParameters, Phases, PhasesParameters};
pub use processes::{
    AnyProcess, Arrivals, BernoulliParameters, Destinations, HHParameters, KKParameters,
    OnceParameters, ProcessEntry, ProcessParameters, ScheduleTraffic, TraceFormat, TraceMap,
    TraceParameters, k_key, load_key, names_of,
};
pub use trace::{
    CsvProblem, CsvReader, Field, Links, MapError, NetraceHeader, NetraceParameters, NetracePart,
    NetraceProblem, NetraceReader, NetraceRegion, NodeMap, OrderProblem, RegionRange, TraceAccount,
    TraceBirth, TraceError, TraceFollower, TraceHandle, TraceId, TraceNode, TraceOptions,
    TracePacket, TracePlace, TraceProblem, TraceReader, TraceSummary, TraceWorkload, of_one_length,
};
pub use without::Without;
pub use workload::{Birth, Left, Offer, Owed, TakeLeft, Tally, Workload};
