//! A configuration as it was written: types only, nothing filled in, every value with its place.
//!
//! What a field means, and what it may be, stands in `keys.rs`.

mod router;
mod traffic;

pub(super) use router::*;
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
    pub(super) router: Field<WrittenRouter>,
    pub(super) traffic: Field<WrittenTraffic>,
    pub(super) clocks: Field<WrittenClocks>,
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

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WrittenClocks {
    pub(super) period_ps: Field<u64>,
    pub(super) phase: Field<WrittenPhase>,
    pub(super) spread: Field<WrittenSpread>,
    pub(super) spread_percent: Field<f64>,
    pub(super) drift_ppm: Field<f64>,
    pub(super) jitter_ps: Field<u64>,
    pub(super) domains: Field<WrittenDomains>,
    pub(super) block_sides: List<u32>,
    #[serde(rename = "self-timed")]
    pub(super) self_timed: Field<WrittenSelfTimed>,
    pub(super) islands: List<WrittenIsland>,
}

#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum WrittenSpread {
    None,
    Uniform,
    Normal,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum WrittenPhase {
    Zero,
    Random,
}

#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum WrittenDomains {
    Node,
    One,
    Blocks,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WrittenSelfTimed {
    pub(super) word_ps: Field<[u64; 2]>,
    pub(super) decision_ps: Field<[u64; 2]>,
    pub(super) idle_ps: Field<[u64; 2]>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WrittenIsland {
    pub(super) nodes: List<u32>,
    pub(super) period_ps: Field<u64>,
    pub(super) phase_ps: Field<u64>,
    pub(super) jitter_ps: Field<u64>,
    pub(super) drift_ppm: Field<f64>,
}
