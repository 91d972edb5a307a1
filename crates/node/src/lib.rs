//! The contract between a router and an engine.
//!
//! A router is a pure state machine. An engine decides when a node's clock ticks and what is on its wires, and
//! talks to the router in one of three dialects:
//!
//! - [`WordRouter`]: word by word. In each local cycle at most one word and one credit arrive at each port, and at
//!   most one of each leaves. Every engine speaks it.
//! - [`TimestampRouter`]: by time stamps, for words known to follow each other one per cycle. A packet is announced
//!   once, with the cycle of its head; the router returns the next cycle in which it has something to do.
//! - [`MailRouter`]: cycle by cycle, but whatever a node sends is posted to its neighbours at once, to arrive later.
//!   For routers whose words take a fixed time from the decision on; each of them is [`WordRouter`] as well, with
//!   delay lines between its cycle and the wires.
//!
//! A router that speaks several makes its decisions in one place, and all dialects yield the same [`Event`]s.
//!
//! May depend on `types`. Must never know an engine, a topology or the host's time.
//!
//! ```
//! use flitwork_node::{Event, Probe};
//! use flitwork_types::{Cycle, NodeId, Port};
//!
//! /// Counts the frames that are freed.
//! #[derive(Default)]
//! struct Freed(u64);
//!
//! impl Probe for Freed {
//!     fn event(&mut self, _: NodeId, _: Cycle, event: Event) {
//!         self.0 += u64::from(matches!(event, Event::Freed { .. }));
//!     }
//! }
//!
//! // Two probes at once; an engine reports every event to them.
//! let mut probe = (Freed::default(), ());
//! probe.event(NodeId(3), Cycle(17), Event::Freed { port: Port(1) });
//! assert_eq!(probe.0.0, 1);
//! ```

mod any_probe;
mod contract;
mod datapath;
mod detail;
mod event;
mod explanation;
mod mail;
mod random;
mod site;
mod view;
mod wait;
mod witness;

pub use any_probe::AnyProbe;
pub use contract::{Departure, Inputs, Outputs, Router, Signal, TimestampRouter, WordRouter};
pub use datapath::{Buffers, Datapath, Passes};
pub use detail::{Detail, PassingWord, step_in_detail};
pub use event::{ClockTicks, Event, Instant, Place, Probe, Reported, Sampled};
pub use explanation::{Candidate, Cause, Decision, Doing, Draw, Explanation, Rule, Subject, What};
pub use mail::{Delayed, Delays, Incoming, Lane, LaneSet, Lines, Mail, MailRouter, MailWord, Post};
pub use random::{BEFORE_RUN, draw, draw_below, mix};
pub use site::Site;
pub use view::{Buffer, BufferState, Capacity, Credit, Part, Register, Value, View, ViewBuilder};
pub use wait::{At, Until, Wait, WaitsFor};
pub use witness::Witness;

/// The types that [`forward_probe`] names.
#[doc(hidden)]
pub use flitwork_types as types;
