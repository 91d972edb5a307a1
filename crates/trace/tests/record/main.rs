//! Records: what is written comes back, and what was altered or cut is found.

mod codec;
mod file;
mod size;
mod synthetic;
