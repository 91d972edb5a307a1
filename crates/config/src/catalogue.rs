//! The parts that configurations can name, and their keys.

use super::file::Folder;
use super::file_texts::{Base, SharedTexts};
use super::schema::Schema;
use super::{ConfigError, Override, Resolved, Unread, json_schema, read};
use flitwork_files::Inputs;
use flitwork_schema::Parts;
use serde_json::Value;
use std::path::Path;
use std::sync::{Arc, LazyLock};

/// The parts that configurations can name, and their keys. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Catalogue(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    parts: Parts,
    schema: Schema,
    inputs: Inputs,
    texts: SharedTexts,
}

/// A key of the configuration, for the reference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyDescription {
    /// The key with its tables, as for `--set`: `traffic.load`; of a table, that of its header.
    pub key: String,
    /// Its type and range, in words.
    pub allowed: String,
    /// Its value if it isn't given, as TOML or in words.
    pub default: &'static str,
    /// What it means, with its unit, and with what it is read.
    pub meaning: String,
}

static BUILT_IN: LazyLock<Catalogue> = LazyLock::new(|| Catalogue::new(Parts::new()));

impl Default for Catalogue {
    /// The program's own parts.
    fn default() -> Catalogue {
        BUILT_IN.clone()
    }
}

impl Catalogue {
    /// The catalogue of these parts.
    pub fn new(parts: Parts) -> Catalogue {
        let schema = Schema::of(&parts);
        let inputs = Inputs::default();
        Catalogue(Arc::new(Inner {
            parts,
            schema,
            inputs,
            texts: SharedTexts::default(),
        }))
    }

    /// The files that configurations named, refused ones too, since the catalogue was made.
    pub fn inputs(&self) -> &Inputs {
        &self.0.inputs
    }

    /// The files of a configuration.
    pub(super) fn folder<'a>(&'a self, base: Base<'a>) -> Folder<'a> {
        Folder::new(base, &self.0.inputs, &self.0.texts)
    }

    /// The parts.
    pub fn parts(&self) -> &Parts {
        &self.0.parts
    }

    pub(super) fn schema(&self) -> &Schema {
        &self.0.schema
    }

    /// Reads a configuration file. Paths in it are relative to its directory.
    ///
    /// # Errors
    /// A [`ConfigError`] for a file that can't be read, and for all that [`Catalogue::resolve`] refuses.
    pub fn load(&self, path: &Path, overrides: &[Override]) -> Result<Resolved, ConfigError> {
        Ok(self.load_with_unread(path, overrides)?.0)
    }

    /// [`Catalogue::load`], and the given keys that are neither read nor refused: `unread_warning` says what a user
    /// should know of them.
    ///
    /// # Errors
    /// The same.
    pub fn load_with_unread(
        &self,
        path: &Path,
        overrides: &[Override],
    ) -> Result<(Resolved, Vec<Unread>), ConfigError> {
        let (text, name) = (read(path)?, path.display().to_string());
        let base = Base::at(path.parent().unwrap_or(Path::new("")));
        self.resolve_run(&text, (&name, base), overrides, true)
    }

    /// [`Catalogue::load_with_unread`] of what isn't to run: it may be what no run takes, if that can be examined.
    ///
    /// # Errors
    /// The same.
    pub fn load_examined(
        &self,
        path: &Path,
        overrides: &[Override],
    ) -> Result<(Resolved, Vec<Unread>), ConfigError> {
        let (text, name) = (read(path)?, path.display().to_string());
        let directory = path.parent().unwrap_or(Path::new(""));
        let base = Base {
            is_examined: true,
            ..Base::at(directory)
        };
        self.resolve_run(&text, (&name, base), overrides, true)
    }

    /// Every key that a configuration may have, in the order of the file.
    pub fn describe_keys(&self) -> Vec<KeyDescription> {
        let lines = self.schema().lines.iter();
        let describe = lines.map(|line| KeyDescription {
            key: line.key.clone(),
            allowed: line.allowed.to_string(),
            default: line.default,
            meaning: line.described(),
        });
        describe.collect()
    }

    /// The keys for `--set` with this name, last or whole, with dashes or underscores.
    pub fn keys_called(&self, name: &str) -> Vec<&str> {
        self.schema().called(name)
    }

    /// The JSON Schema (draft 2020-12) of a configuration. It has every key and what its value may be;
    /// which values go together only the program knows.
    pub fn json_schema(&self) -> Value {
        json_schema::of(self.schema())
    }
}
