//! A configuration as it was written: types only, nothing filled in, every value with its place.
//!
//! What a field means, and what it may be, stands in `keys.rs`.

mod traffic;

pub(super) use traffic::*;

use serde::Deserialize;
use toml::Spanned;

/// A value that may be absent, with its place.
pub(super) type Field<T> = Option<Spanned<T>>;
/// A list, with its place and that of each entry.
pub(super) type List<T> = Option<Spanned<Vec<Spanned<T>>>>;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Written {
    pub(super) traffic: Field<WrittenTraffic>,
}
