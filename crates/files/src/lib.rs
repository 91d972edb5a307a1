//! Files that are written completely or not at all, and input files that can be read more than once.
//!
//! ```text
//!  bytes ──▶ .NAME.x7Fq2a.new ──▶ flush, sync ──▶ rename to NAME
//!            (in NAME's folder)
//! ```
//!
//! A reader finds either the old file or the new one, even if the program is killed, the power fails or the disk fills up
//! during writing. What isn't a regular file (a pipe, a terminal, `/dev/stdout`) can't be replaced and is written to
//! directly.
//!
//! A [`Place`] is where a path leads, however it is spelled: what is read and what is written is compared by it before
//! anything is opened for writing.
//!
//! Two things can go wrong, and [`WriteError::is_failure`] distinguishes them: the requested path can't be created, which
//! is bad input, or the host fails to write.
//!
//! May depend on no other crate of the project. Must never know what a file holds or which option named it.
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let folder = tempfile::tempdir()?;
//! let path = folder.path().join("table.csv");
//! flitwork_files::write(&path, b"load,latency\n0.1,21\n")?;
//! assert_eq!(std::fs::read(&path)?, b"load,latency\n0.1,21\n");
//! // Nothing else is left in the folder.
//! assert_eq!(std::fs::read_dir(folder.path())?.count(), 1);
//! # Ok(())
//! # }
//! ```

mod error;
mod folder;
mod input;
mod inputs;
mod new_file;
mod place;
mod prepare;
mod staged;
mod stream;

pub use error::WriteError;
pub use folder::{clear, clear_left_over, own_files, write_folder};
pub use input::open_input;
pub use inputs::Inputs;
pub use new_file::{LentFile, NewFile, begin, replace, write};
pub use place::Place;
pub use prepare::{create_folder, prepare_file, prepare_folder};
pub use staged::Staged;
pub use stream::is_own_stream;

#[cfg(test)]
mod tests;
