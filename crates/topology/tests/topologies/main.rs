//! Grids and graphs.

mod graphs;
mod grids;
