//! The files that are read.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// Notes which files are read; its clones note them in one list. Who reads a file notes it, so that none is forgotten when
/// outputs are compared with inputs.
#[derive(Clone, Debug, Default)]
pub struct Inputs(Arc<Mutex<BTreeSet<PathBuf>>>);

impl Inputs {
    /// Notes a file that is read.
    pub fn note(&self, path: &Path) {
        let mut noted = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !noted.contains(path) {
            noted.insert(path.to_owned());
        }
    }

    /// All files that were noted.
    pub fn all(&self) -> Vec<PathBuf> {
        let noted = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        noted.iter().cloned().collect()
    }
}
