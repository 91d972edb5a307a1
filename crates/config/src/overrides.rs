//! Overrides of a configuration file, from the command line.

use super::error::{ConfigError, ErrorPlace};
use flitwork_schema::{MistakeKind, Refusal, shown};
use std::fmt;
use std::str::FromStr;

/// A value from the command line that replaces that of the file, or is added to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Override {
    /// The key with its tables: `traffic.load`.
    pub key: String,
    /// The value as TOML; a string needs no quotes.
    pub value: String,
    /// What the user gave, where it isn't `--set KEY=VALUE`.
    given: Option<String>,
    /// Whether a command chose it, and not the user.
    is_chosen: bool,
}

impl Override {
    /// A value by `--set KEY=VALUE`.
    pub fn new(key: &str, value: &str) -> Override {
        Override {
            key: key.trim().into(),
            value: value.trim().into(),
            given: None,
            is_chosen: false,
        }
    }

    /// A value by an option of its own, `--seed 5`, which is what errors will name.
    pub fn by_option(option: &str, key: &str, value: &str) -> Override {
        Override {
            given: Some(format!("{option} {}", value.trim())),
            ..Override::new(key, value)
        }
    }

    /// A value by another option that takes KEY=VALUE, which is what errors will name.
    pub fn by_assignment(option: &str, key: &str, value: &str) -> Override {
        Override {
            given: Some(format!("{option} {}={}", key.trim(), value.trim())),
            ..Override::new(key, value)
        }
    }

    /// A value that a command chooses itself; `what` it is, in errors.
    pub fn by_command(what: &str, key: &str, value: &str) -> Override {
        Override {
            given: Some(format!("{what}, {}={}", key.trim(), value.trim())),
            is_chosen: true,
            ..Override::new(key, value)
        }
    }

    /// Where a mistake in it is.
    pub(super) fn place(&self) -> ErrorPlace {
        let given = shown(&self.to_string());
        match self.is_chosen {
            true => ErrorPlace::Command(given),
            false => ErrorPlace::CommandLine(given),
        }
    }
}

impl fmt::Display for Override {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.given {
            Some(given) => f.write_str(given),
            None => write!(f, "--set {}={}", self.key, self.value),
        }
    }
}

impl FromStr for Override {
    type Err = ConfigError;

    fn from_str(text: &str) -> Result<Override, ConfigError> {
        match text.split_once('=') {
            Some((key, value)) if !key.trim().is_empty() => Ok(Override::new(key, value)),
            _ => {
                let refusal = Refusal::new(MistakeKind::Syntax, "", None)
                    .found("not KEY=VALUE")
                    .allowed("a key with its tables and a value, as in traffic.load=0.3");
                let place = ErrorPlace::CommandLine(format!("--set {}", shown(text)));
                Err(ConfigError::new(refusal, place, None))
            }
        }
    }
}
