//! Allocators and routers against models of them: slow, plain, and written from the papers and the book alone.
//! Engines share a router's decisions, so that they agree about a wrong one; a model doesn't.
//!
//! A router is tested at one node. The test plays its neighbours and its source at random, keeps to the rules of
//! links and credits, and predicts all that the node shows, cycle by cycle, from what came in.

mod allocators;
mod arbiters;
mod bench;
mod chaos;
mod chaos_model;
mod contracts;
mod deflection;
mod deflection_model;
mod dice;
mod parameters;
mod posted;
mod scheduled;
mod streamed;
mod told;
mod wormhole;
mod wormhole_model;
mod wormhole_told;
