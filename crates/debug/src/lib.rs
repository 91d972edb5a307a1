//! Looking into a run: where a packet was, why it was late, where two runs part.
//!
//! ```text
//!   Simulation ──▶ Timeline ──copies──▶ Branch ──▶ Happening, Explained ──▶ Journey ──▶ Why
//!   (any engine,    (both ways)                          │
//!    a record)                                           └──▶ rows ──▶ language::Filter
//! ```
//!
//! May depend on the engines and on what runs and records are made of. Must never know a router, a terminal or a file.
//!
//! ```
//! use flitwork_debug::{Timeline, first_probe, follow, why};
//! use flitwork_engine::EventDriven;
//! use flitwork_network::{Demand, Network};
//! use flitwork_router::greedy_hp::GreedyHp;
//! use flitwork_topology::Grid;
//! use flitwork_traffic::Once;
//! use flitwork_types::{Cycle, PacketId, TerminalId};
//! use std::sync::Arc;
//!
//! let mesh = Grid::mesh(&[4, 4]).unwrap();
//! let network = Arc::new(Network::new(mesh.clone(), GreedyHp::new(mesh, 1), 1));
//! let packets = Once::new(&[(TerminalId(0), TerminalId(15)), (TerminalId(15), TerminalId(0))]);
//! let demand = Demand::until(Box::new(packets), Cycle(1000));
//! let run = EventDriven::new(network, demand, first_probe());
//!
//! let mut timeline = Timeline::new(Box::new(run), 1 << 20, 1);
//! let packet = PacketId { source: TerminalId(15), serial: 0 };
//! let journey = follow(&mut timeline, packet, 0, 1000).unwrap();
//! // Six hops, a cycle each, and nothing in the way.
//! assert_eq!(why(&mut timeline, journey, 1000).total(), 6);
//! ```

mod buffers;
mod critical;
mod difference;
mod first_knot;
mod gather;
mod hang;
pub mod heat;
mod inside;
mod journey;
mod knot;
pub mod language;
pub mod rows;
pub mod search;
pub mod strip;
mod timeline;
mod unfold;
mod what_if;
mod why;

pub use critical::{Stretch, critical};
pub use difference::{FirstDifference, explain, first_difference};
pub use first_knot::{FirstKnot, first_knot};
pub use gather::{Explained, Happening, Use, Wanted, What};
pub use hang::{Hang, hang, wanderers};
pub use inside::{Inside, Next, inside};
pub use journey::{Journey, NoJourney, Stay, follow, follow_while};
pub use knot::{CircleStep, Knot, knot};
pub use timeline::{Branch, Timeline, counting_probe, first_probe};
pub use unfold::{Does, Held, MOST_SAMPLES, unfold};
pub use what_if::{Removals, WhatIf};
pub use why::{Charge, Why, why, why_while};

pub use flitwork_engine::{Ended, Simulation, TimeUnit};
