//! Draws and probes, as routers and observers use them.

mod draws;
mod probes;
mod sleep;
