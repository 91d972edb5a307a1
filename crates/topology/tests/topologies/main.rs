//! Grids and graphs, the topologies that configurations name, and what is measured of them.

mod built;
mod distances;
mod file;
mod graphs;
mod grids;
mod measures;
mod named;
mod shared;
