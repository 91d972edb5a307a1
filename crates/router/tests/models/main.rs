//! Allocators and routers against models of them: slow, plain, and written only from the papers and the book.
//! Engines share a router's decisions, so they would agree about a wrong one; a model doesn't share them.
//!
//! A router is tested at one node. The test plays its neighbours and its source at random, obeys the rules of
//! links and credits, and predicts everything that the node does, cycle by cycle, from its inputs.

mod allocators;
mod arbiters;
mod bench;
mod chaos;
mod chaos_model;
mod contracts;
mod deflection;
mod deflection_model;
mod dice;
mod observed;
mod parameters;
mod posted;
mod queueing;
mod scheduled;
mod streamed;
mod told;
mod wormhole;
mod wormhole_expected;
mod wormhole_explained;
mod wormhole_model;
mod wormhole_table;
