//! Values of arguments that are paths: their type says what is done with them.
//!
//! So a program's command line knows every file that a command reads or writes, and compares them before it opens one for
//! writing. An argument of a plain `PathBuf` would be known to nobody.

use clap::builder::{MapValueParser, PathBufValueParser, TypedValueParser, ValueParserFactory};
use std::ops::Deref;
use std::path::{Path, PathBuf};

/// Declares a type of paths, which clap's derived arguments can hold.
macro_rules! paths {
    ($($(#[$doc:meta])* $name:ident,)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Debug, Default, PartialEq, Eq)]
        pub struct $name(PathBuf);

        impl Deref for $name {
            type Target = Path;

            fn deref(&self) -> &Path {
                &self.0
            }
        }

        impl ValueParserFactory for $name {
            type Parser = MapValueParser<PathBufValueParser, fn(PathBuf) -> $name>;

            fn value_parser() -> Self::Parser {
                PathBufValueParser::new().map($name)
            }
        }
    )*};
}

paths! {
    /// A file that is read.
    Input,
    /// A folder whose files are read.
    InputFolder,
    /// A file that is written.
    Output,
    /// A folder into which files are written.
    OutputFolder,
}

/// A folder that a command writes files into.
#[expect(
    missing_debug_implementations,
    reason = "closures have nothing to show"
)]
pub struct OwnFolder {
    /// The option that names it, as `--out`.
    pub option: &'static str,
    /// Where it is.
    pub path: PathBuf,
    /// Whether a file of that name there is one that the command may write.
    pub owns: Box<dyn Fn(&str) -> bool>,
}
