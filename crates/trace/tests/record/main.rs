//! Records: what is written comes back, and what was altered or cut is found.

mod codec;
mod damage;
mod file;
mod fixture;
mod size;
mod synthetic;
