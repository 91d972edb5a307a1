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
    pub(super) network: Field<WrittenNetwork>,
    pub(super) traffic: Field<WrittenTraffic>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WrittenNetwork {
    pub(super) topology: Field<Shape>,
    pub(super) sides: List<u32>,
    pub(super) link_latency_cycles: Field<u32>,
    pub(super) link_latency_ps: Field<u64>,
    pub(super) link_capacity_words: Field<u32>,
    pub(super) synchronizer_edges: Field<u32>,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Shape {
    Mesh,
    Torus,
}
