//! The configuration that many runs start from.

use crate::error::Error;
use flitwork_config::{
    Catalogue, ConfigError, EngineChoice, Override, Resolved, Unread, unread_warning,
};
use std::path::{Path, PathBuf};

/// A configuration's text, and the command line's overrides for every run.
#[derive(Clone, Debug)]
pub struct Base {
    /// The parts that it can use.
    pub catalogue: Catalogue,
    /// Its name in messages.
    pub name: String,
    /// The folder that paths in it are relative to.
    pub folder: PathBuf,
    /// The text.
    pub text: String,
    /// Its overrides.
    pub set: Vec<Override>,
}

impl Base {
    /// A configuration that refers to no files.
    pub fn of_text(
        catalogue: &Catalogue,
        name: impl Into<String>,
        text: impl Into<String>,
        set: Vec<Override>,
    ) -> Base {
        Base {
            catalogue: catalogue.clone(),
            name: name.into(),
            folder: PathBuf::new(),
            text: text.into(),
            set,
        }
    }

    /// Reads a configuration file, without parsing it yet.
    ///
    /// # Errors
    /// The file can't be read.
    pub fn read(catalogue: &Catalogue, path: &Path, set: Vec<Override>) -> Result<Base, Error> {
        Ok(Base {
            catalogue: catalogue.clone(),
            name: path.display().to_string(),
            folder: path.parent().unwrap_or(Path::new("")).to_owned(),
            text: flitwork_config::read(path)?,
            set,
        })
    }

    /// Lets the catalogue note the files that the configuration names. What is wrong with it is said when it is run.
    pub fn note_inputs(&self) {
        let _ = self.resolve(&[]);
    }

    /// Refuses an override of a key that each of the runs gets from elsewhere: `from` there.
    pub(crate) fn refuse_given(&self, key: &str, from: &str, allowed: &str) -> Result<(), Error> {
        match self.set.iter().find(|set| set.key == key) {
            None => Ok(()),
            Some(set) => Err(Error::BadValue(format!(
                "{from}: {set} sets it too, and no run would use that value\n  allowed: {allowed}"
            ))),
        }
    }

    /// The configuration with further overrides.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn resolve(&self, over: &[Override]) -> Result<Resolved, ConfigError> {
        self.catalogue
            .resolve(&self.text, &self.name, &self.folder, &self.with(over))
    }

    /// The same, and the given keys that it doesn't read, which aren't refused.
    ///
    /// # Errors
    /// All other mistakes.
    pub fn resolve_with_unread(
        &self,
        over: &[Override],
    ) -> Result<(Resolved, Vec<Unread>), ConfigError> {
        let (text, name) = (&self.text, &self.name);
        self.catalogue
            .resolve_with_unread(text, name, &self.folder, &self.with(over))
    }

    /// The warning of keys that its overrides leave unread.
    pub fn unread_warning(&self) -> Option<String> {
        unread_warning(&self.resolve_with_unread(&[]).ok()?.1)
    }

    fn with(&self, over: &[Override]) -> Vec<Override> {
        self.set.iter().chain(over).cloned().collect()
    }

    /// The configuration with further overrides, if its results are repeatable. By default an overloaded network isn't
    /// drained: many runs are made for what their windows show.
    ///
    /// # Errors
    /// What is wrong with it, or why its results aren't repeatable.
    pub fn repeatable(
        &self,
        point: impl Into<String>,
        over: &[Override],
    ) -> Result<Resolved, Error> {
        let resolved = self.resolve(over).map_err(|error| error.to_string());
        let resolved = resolved.and_then(|resolved| self.repeating(resolved, over));
        resolved.map_err(|reason| Error::point(point, reason))
    }

    /// A configuration of these overrides, if its results are repeatable.
    pub(crate) fn repeating(
        &self,
        mut resolved: Resolved,
        over: &[Override],
    ) -> Result<Resolved, String> {
        if resolved.run.engine == EngineChoice::Live {
            return Err(LIVE.into());
        }
        if resolved.traffic.process.is_open_loop() && !self.says_whether_to_stop(over) {
            resolved.run.stop_at_overload = true;
        }
        Ok(resolved)
    }

    fn says_whether_to_stop(&self, over: &[Override]) -> bool {
        let (table, key) = STOP;
        let given = |over: &Override| over.key == format!("{table}.{key}");
        let written = || {
            let text: toml::Table = self.text.parse().ok()?;
            text.get(table)?.get(key).map(|_| ())
        };
        self.set.iter().chain(over).any(given) || written().is_some()
    }
}

/// The key of the seed.
pub(crate) const SEED: &str = "run.seed";

/// The table and the key that decide whether an overload ends the injection.
const STOP: (&str, &str) = ("run", "stop_at_overload");
const LIVE: &str = "run.engine is \"live\", whose results depend on the host\n  allowed: an engine whose results repeat: sync, sync-stepped, sync-plain or clocked\n  hint: --set run.engine=clocked";

/// An override of the seed.
pub fn seed_override(seed: u64) -> Override {
    Override::new(SEED, &seed.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::tests::{SMALL, base};

    /// Many runs stop at an overload unless the configuration, --set or --over says otherwise; closed-loop traffic
    /// has no overload.
    #[test]
    fn an_explicit_stop_at_overload_counts() {
        let stops = |base: &Base, over: &[Override]| {
            let resolved = base.repeatable("a point", over).unwrap();
            resolved.run.stop_at_overload
        };
        let not = || Override::new("run.stop_at_overload", "false");
        assert!(stops(&base(), &[]));
        assert!(!stops(&base(), &[not()]));
        let mut set = base();
        set.set.push(not());
        assert!(!stops(&set, &[]));
        let mut written = base();
        written.text = format!("{SMALL}stop_at_overload = false\n");
        assert!(!stops(&written, &[]));
        let mut inline = base();
        inline.text = SMALL.replace("[run]\n", "[run]\nstop_at_overload = true\n");
        assert!(stops(&inline, &[]));
        let mut once = base();
        once.text = SMALL.split("[traffic]").next().unwrap().to_owned();
        once.text += "[traffic]\nprocess = \"once\"\n";
        assert!(!stops(&once, &[]));
    }
}
