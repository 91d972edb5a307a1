//! Routing functions against what the papers say, and against searches that share no code with them.

mod common;
mod draws;
mod paths;
mod table;
mod torus;
mod walks;
