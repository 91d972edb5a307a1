//! Routing functions and the check of their dependencies, against the papers and against searches that share
//! no code with either.

mod adaptive;
mod common;
mod dependencies;
mod draws;
mod families;
mod faults;
mod graphs;
mod layered;
mod loads;
mod oracle;
mod paths;
mod random_functions;
mod random_tables;
mod table;
mod torus;
mod walks;
mod wrong;
