//! Rules: which packets a node sends, by which order, and which it lets in.
//!
//! | part | choices |
//! |---|---|
//! | way | [`DimensionOrder`], [`GreedyAdaptive`], [`Alternating`], [`StraightThrough`], [`Derouting`] |
//! | two at once | [`Together`] |
//! | [`Order`] of those that want one link | [`Fifo`], [`Lifo`], [`FarthestFirst`], [`NearestFirst`], [`Random`], [`StraightFirst`] |
//! | [`Inqueue`] | [`Fixed`], [`RoundRobin`] |

mod alternating;
mod derouting;
mod dimension_order;
mod greedy;
mod inqueue;
mod order;
mod straight_through;
mod table;
mod together;

pub use alternating::Alternating;
pub use derouting::Derouting;
pub use dimension_order::DimensionOrder;
pub use greedy::GreedyAdaptive;
pub use inqueue::{Fixed, Inqueue, RoundRobin};
pub use order::{FarthestFirst, Fifo, Lifo, Link, NearestFirst, Order, Random, StraightFirst};
pub use straight_through::StraightThrough;
pub use table::{Chosen, InqueueName, RuleName, Visit, VisitBlind};
pub use together::Together;
