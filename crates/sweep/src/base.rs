//! The configuration that many runs start from.

use crate::error::Error;
use flitwork_experiment::config::{self, ConfigError, EngineChoice, Override, Resolved};
use std::path::{Path, PathBuf};

/// A configuration's text, and what the command line changes in it for every run.
#[derive(Clone, Debug)]
pub struct Base {
    /// What messages call it.
    pub name: String,
    /// Where paths in it start from.
    pub folder: PathBuf,
    /// The text.
    pub text: String,
    /// What is put over it.
    pub set: Vec<Override>,
}

impl Base {
    /// Reads a configuration file, without understanding it yet.
    ///
    /// # Errors
    /// The file can't be read.
    pub fn read(path: &Path, set: Vec<Override>) -> Result<Base, Error> {
        Ok(Base {
            name: path.display().to_string(),
            folder: path.parent().unwrap_or(Path::new("")).to_owned(),
            text: config::read(path)?,
            set,
        })
    }

    /// The configuration with further values over it.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn resolve(&self, over: &[Override]) -> Result<Resolved, ConfigError> {
        let all: Vec<Override> = self.set.iter().chain(over).cloned().collect();
        config::resolve(&self.text, &self.name, &self.folder, &all)
    }

    /// The configuration with further values over it, where its results repeat; or why not.
    pub(crate) fn repeatable(&self, over: &[Override]) -> Result<Resolved, String> {
        let resolved = self.resolve(over).map_err(|error| error.to_string())?;
        match resolved.run.engine {
            EngineChoice::Live => Err(LIVE.into()),
            _ => Ok(resolved),
        }
    }
}

const LIVE: &str = "run.engine is \"live\", whose results depend on the host\n  allowed: an engine whose results repeat: sync, sync-stepped, sync-plain or clocked\n  hint: --set run.engine=clocked";

/// A seed over others.
pub(crate) fn seed(seed: u64) -> Override {
    Override::new("run.seed", &seed.to_string())
}
