//! The contract of a router, as tests that a router from any crate can run.
//!
//! ```
//! use flitwork_router::greedy_hp::GreedyHpParameters;
//!
//! // In a test of the crate that has the router:
//! flitwork_testing::contract::<GreedyHpParameters>();
//! ```
//!
//! [`contract`] holds a kind of router with its defaults to every [`Clause`], from outside: it knows what is on a node's
//! wires and what the router reports, and no router. [`Contract`] does so with other parameters, networks, packets and
//! seeds, and for routers that describe their nodes; [`Trial`] takes a router that is built already. What
//! [`WordRouter`](flitwork_node::WordRouter) promises is written there.
//!
//! A router that breaks a clause makes the test panic. The message names the clause, the node, its local cycle and the
//! seed:
//!
//! ```text
//! router mine: the clause `counts` is broken: A packet's hops and deroutes are those that were reported. But: …
//! node 8, cycle 17, seed 1; plain engine, 16 nodes, 88 packets of up to 4 words, links of 1 cycles, Full duplex
//! ```
//!
//! May depend on `engine`, `router`, `trace` and what those use. Must never know a certain router, a configuration's text,
//! a file, or anything above the engines; nothing but tests depends on it.

mod checked;
mod clause;
mod described;
mod driven;
mod explained;
mod frames;
mod happened;
mod held;
mod ledger;
mod log;
mod setting;
mod stand;
mod suite;
mod trial;

pub use clause::Clause;
pub use described::Shown;
pub use suite::{Contract, contract};
pub use trial::{Pairs, Told, Trial, contending_packets, uneven_clocks};
