//! Routers, one file each, as hardware: what a node does with the words that come in.
//!
//! May depend on `node`, `topology` and `types`. Must never know an engine, a traffic pattern, the host's
//! time or a file.

pub mod allocate;
pub mod bits;
pub mod chaos;
pub mod counts;
pub mod deflection;
pub mod greedy_hp;
pub mod routing;
pub mod scheduled;
pub mod wormhole;
