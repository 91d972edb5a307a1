//! The engines: one binary, since each file drives the same routers.

mod embedded;
mod ends;
mod explained;
mod graph_routing;
mod graphs;
mod latencies;
mod outcome;
mod posted;
mod sleepers;
