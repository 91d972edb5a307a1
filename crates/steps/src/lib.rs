//! The papers' model of synchronous steps: queueing algorithms on graphs.
//!
//! In one step each node schedules at most one packet a link, the node at the link's end accepts or refuses it, and what is
//! accepted moves (Chinn 1995, section 2.1). A [`Rule`] is such an algorithm; a [`Machine`] repeats its steps until all
//! packets are where they go.
//!
//! | room | what is there |
//! |---|---|
//! | [`Rule`] | the contract: states, what is chosen, what is accepted; [`Sight`]: what of a destination is seen |
//! | [`rules`] | dimension order, greedy and alternating rules, with their orders and inqueues |
//! | [`named`] | rules that configurations name, and their keys |
//! | [`Machine`] | packets, queues ([`Store`]) and steps |
//! | [`Program`] | rules one after the other, each [`Until`] a step or until nothing moves |
//! | [`Machine::route`] | steps until all is delivered, or packets wait for each other in a circle |
//! | [`Adversary`] | who stands between choosing and accepting |
//! | [`multi_packet`] | randomised algorithms for many packets a node, which go by legs |
//! | [`linear`] | a program that routes permutations in linear time with constant queues |
//! | [`lower`] | adversaries: permutations that a rule takes long to route |
//! | [`multi_packet`] | many packets a node: how many steps they take on a line and a ring |
//!
//! May depend on `types`, `topology` and `schema`. Must never know a router, an engine or a file.
//!
//! ```
//! use flitwork_steps::rules::{DimensionOrder, FarthestFirst, Fixed};
//! use flitwork_steps::{Machine, Nobody, Store};
//! use flitwork_topology::Grid;
//! use flitwork_types::NodeId;
//!
//! // All packets of a 4 x 4 mesh go to the node opposite.
//! let mesh = Grid::mesh(&[4, 4]).unwrap();
//! let problem: Vec<_> = (0..16).map(|node| (NodeId(node), NodeId(15 - node))).collect();
//! let rule = DimensionOrder::<FarthestFirst, Fixed>::default();
//! let mut machine = Machine::new(&mesh, &rule, Store::Unbounded, &problem).unwrap();
//! while !machine.is_done() {
//!     machine.step(&mut Nobody);
//! }
//! // At most 2n - 2 (Leighton 1992, page 159).
//! assert_eq!(machine.steps(), 6);
//! ```

mod choice;
mod corner;
mod leg;
pub mod linear;
pub mod lower;
mod machine;
mod meddler;
pub mod multi_packet;
pub mod named;
mod program;
mod route;
mod rule;
pub mod rules;
mod store;
mod unfit;

pub use choice::{Choice, NoNotes};
pub use corner::Corner;
pub use leg::Leg;
pub use machine::{Machine, MachineError, Move, PacketId};
pub use meddler::{Adversary, Meddling, Nobody, PacketState, Scheduled};
pub use program::{Outcome, Part, Program, Quiet, Until, Watcher};
pub use route::{Ended, GoOn, Routed, STILL_STEPS, route};
pub use rule::{
    Beginning, Blind, Distances, Here, Link, Offer, Offers, Rule, Seen, Sight, ToGo,
    accept_in_order,
};
pub use store::Store;
pub use unfit::{Misfit, Unfit};
