//! Allocators and routers against models of them: slow, plain, and written from the papers and the book alone.
//! Engines share a router's decisions, so that they agree about a wrong one; a model doesn't.

mod allocators;
mod arbiters;
mod dice;
