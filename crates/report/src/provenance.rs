//! Where a result comes from: what every file of results carries.
//!
//! | file | where |
//! |---|---|
//! | JSON | the object `provenance` |
//! | CSV | lines in front of the table that begin with `# ` and are TOML without that |
//! | Parquet | the file's key-value metadata, keys `flitwork.NAME` |
//! | SVG | the element `metadata`, as TOML |
//! | PNG | `iTXt` chunks, keywords `flitwork.NAME` |

#[cfg(test)]
mod tests;

use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// The version of the files of results: names, meanings and units of JSON's keys and of the tables'
/// columns. It grows when one of them changes or is removed, not when one is added.
/// From 4 on that takes a new major version of the program: `tests/facts/promised.txt` has them all.
pub const SCHEMA_VERSION: u32 = 4;

/// The program that makes results.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// Its version.
    pub version: String,
    /// The revision of its sources, as git calls it; with `-dirty` where they differed from it, `unknown`
    /// where it couldn't be found out.
    pub revision: String,
    /// Its command line, as it would be typed in a shell.
    pub command: String,
}

/// The resolved configurations that led to results, as TOML.
#[derive(Clone, Debug, PartialEq, Eq, JsonSchema, Serialize)]
#[serde(untagged)]
pub enum Configuration {
    /// There was one.
    One(String),
    /// There were several, by what they are called.
    Several(BTreeMap<String, String>),
}

/// Where results come from: enough to make them again.
#[derive(Clone, Debug, PartialEq, Eq, JsonSchema, Serialize)]
pub struct Provenance {
    /// [`SCHEMA_VERSION`].
    pub schema_version: u32,
    /// The version of the program.
    pub version: String,
    /// The revision of its sources ([`Program::revision`]).
    pub revision: String,
    /// Its command line, as it would be typed in a shell.
    pub command: String,
    /// The seed of everything random; the first of several.
    pub seed: u64,
    /// How many seeds were taken, each one more than that before it.
    pub seeds: u32,
    /// Whether rows are missing since the user interrupted the command: otherwise it isn't written.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub partial: bool,
    /// What was simulated.
    pub configuration: Configuration,
}

/// Something that was found, with where it comes from: a JSON object with the key `provenance` before its
/// own.
#[derive(Clone, Debug, Serialize)]
pub struct Sourced<'a, T> {
    /// Where it comes from.
    pub provenance: &'a Provenance,
    /// What was found; a structure or a map.
    #[serde(flatten)]
    pub found: &'a T,
}

impl Program {
    /// The provenance of a configuration's run.
    pub fn ran(&self, configuration: String, seed: u64) -> Provenance {
        self.made(Configuration::One(configuration), seed, 1)
    }

    /// The provenance of what came of configurations under `seeds` seeds from `seed` on.
    pub fn made(&self, configuration: Configuration, seed: u64, seeds: u32) -> Provenance {
        Provenance {
            schema_version: SCHEMA_VERSION,
            version: self.version.clone(),
            revision: self.revision.clone(),
            command: self.command.clone(),
            seed,
            seeds,
            partial: false,
            configuration,
        }
    }
}

/// The command line of these arguments as a shell takes it. What isn't UTF-8 in them is replaced.
pub fn command_line<A: Into<String>>(arguments: impl IntoIterator<Item = A>) -> String {
    let quoted = |argument: A| {
        let argument = argument.into();
        match shlex::try_quote(&argument) {
            Ok(quoted) => quoted.into_owned(),
            // It has a byte 0, which no program is ever given.
            Err(_) => argument.replace('\0', ""),
        }
    };
    let quoted: Vec<String> = arguments.into_iter().map(quoted).collect();
    quoted.join(" ")
}

impl Provenance {
    /// What was found, with where it comes from.
    pub fn with<'a, T>(&'a self, found: &'a T) -> Sourced<'a, T> {
        let provenance = self;
        Sourced { provenance, found }
    }

    /// All but the configuration. A seed beyond TOML's whole numbers, 2^63 and more, is a string.
    fn own(&self) -> Vec<(&'static str, toml::Value)> {
        let seed = i64::try_from(self.seed).map(toml::Value::from);
        let mut own = vec![
            ("schema_version", i64::from(self.schema_version).into()),
            ("version", self.version.as_str().into()),
            ("revision", self.revision.as_str().into()),
            ("command", self.command.as_str().into()),
            (
                "seed",
                seed.unwrap_or_else(|_| self.seed.to_string().into()),
            ),
            ("seeds", i64::from(self.seeds).into()),
        ];
        if self.partial {
            own.push(("partial", true.into()));
        }
        own
    }

    /// Names and values, each of one line or of several.
    pub fn pairs(&self) -> Vec<(String, String)> {
        let shown = |value: &toml::Value| {
            value
                .as_str()
                .map_or_else(|| value.to_string(), str::to_owned)
        };
        let own = self.own();
        let own = own
            .iter()
            .map(|(name, value)| ((*name).to_owned(), shown(value)));
        let mut pairs: Vec<_> = own.collect();
        match &self.configuration {
            Configuration::One(text) => pairs.push(("configuration".into(), text.clone())),
            Configuration::Several(texts) => {
                let named = |(name, text): (&String, &String)| {
                    (format!("configuration.{name}"), text.clone())
                };
                pairs.extend(texts.iter().map(named));
            }
        }
        pairs
    }

    /// The same under names with the program's prefix: for metadata of files that any program may write.
    pub fn metadata(&self) -> Vec<(String, String)> {
        let pairs = self.pairs().into_iter();
        pairs
            .map(|(name, value)| (format!("flitwork.{name}"), value))
            .collect()
    }

    /// Comments in front of a configuration: everything but what the configuration itself says, such as the seed.
    pub fn remark(&self) -> String {
        let pairs = self.pairs().into_iter();
        let named = pairs.filter(|(name, _)| ["version", "revision", "command"].contains(&&**name));
        named
            .map(|(name, value)| format!("# {name} = {value:?}\n"))
            .collect()
    }

    /// As TOML.
    pub fn toml(&self) -> String {
        let own = self.own();
        let mut text: String = own
            .iter()
            .map(|(name, value)| format!("{name} = {value}\n"))
            .collect();
        match &self.configuration {
            Configuration::One(one) => {
                let _ = writeln!(text, "configuration = {}", block(one));
            }
            Configuration::Several(several) => {
                text.push_str("\n[configuration]\n");
                for (name, one) in several {
                    let _ = writeln!(text, "{} = {}", string(name), block(one));
                }
            }
        }
        text
    }

    /// What precedes a table of comma-separated values: TOML, each line after a `# `.
    pub fn comment(&self) -> String {
        let commented = |line: &str| match line {
            "" => "#\n".to_owned(),
            _ => format!("# {line}\n"),
        };
        self.toml().lines().map(commented).collect()
    }

    /// An SVG document with its provenance, as TOML, in an element `metadata`.
    pub fn in_svg(&self, document: &str) -> String {
        let root = document.find("<svg");
        let Some(end) = root.and_then(|root| Some(root + document[root..].find('>')? + 1)) else {
            return document.to_owned();
        };
        let text = self.toml();
        let text = text.replace('&', "&amp;").replace('<', "&lt;");
        let (head, body) = document.split_at(end);
        format!("{head}\n<metadata>\n{text}</metadata>{body}")
    }
}

/// A value as a TOML string.
fn string(value: &str) -> String {
    toml::Value::from(value).to_string()
}

/// Text as a TOML string of many lines.
fn block(text: &str) -> String {
    // What a literal string can't hold is written as a basic one.
    let plain = |c: char| c == '\n' || c == '\t' || !c.is_control();
    if text.contains("'''") || !text.chars().all(plain) {
        return string(text);
    }
    format!("'''\n{text}'''")
}
