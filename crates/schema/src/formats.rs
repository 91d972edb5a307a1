//! Formats, each a part in a file of its own, of which some are in a program only if it is built with their feature.

use crate::Part;
use std::collections::BTreeMap;

/// Declares the files of formats, and collects their entries in a table, `BUILT_IN`, and the names of all of them,
/// built or not, in another one. A format with a feature of its own is part of a program that is built with it.
#[macro_export]
macro_rules! formats {
    ($format:ident, $names:ident: $($file:ident $(if $feature:literal)?),+ $(,)?) => {
        $($(#[cfg(feature = $feature)])? pub(crate) mod $file;)+

        /// All formats that the program was built with, sorted by name.
        static BUILT_IN: &[&$format] = &[$($(#[cfg(feature = $feature)])? &$file::FORMAT),+];

        /// The names of all formats, built or not.
        static $names: &[&str] = &[$(stringify!($file)),+];
    };
}

/// The help of these parts by their names, and none for those that the program could have been built with.
pub fn with_unbuilt<P: Part>(
    parts: &[P],
    names: &[&'static str],
) -> BTreeMap<&'static str, Option<&'static str>> {
    let unbuilt = names.iter().map(|name| (*name, None));
    let built = parts.iter().map(|part| (part.name(), Some(part.help())));
    unbuilt.chain(built).collect()
}
