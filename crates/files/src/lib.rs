//! Files that are written whole or not at all, and files that can be read as often as it takes.
//!
//! ```text
//!  bytes ──▶ .NAME.x7Fq2a.new ──▶ flush, sync ──▶ rename to NAME
//!            (in NAME's folder)
//! ```
//!
//! Whoever reads a file finds the old one or the new one, also where the program is killed, the power goes
//! or the disk fills up while it is written. What isn't a file (a pipe, a terminal, `/dev/stdout`) has no
//! place that another could take, and is written to directly.
//!
//! Two things can go wrong, and [`WriteError::is_failure`] tells which: the path that was asked for can't
//! be made, which is bad input, or the host fails in writing, which is nobody's mistake.
//!
//! May depend on nothing of the project. Must never know what a file holds or which option named it.

mod error;
mod folder;
mod input;
mod new_file;
mod prepare;

pub use error::WriteError;
pub use folder::{clear, own_files};
pub use input::open_input;
pub use new_file::{NewFile, replace, write};
pub use prepare::{prepare_file, prepare_folder};

#[cfg(test)]
mod tests;
