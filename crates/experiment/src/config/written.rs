//! A configuration as it was written: types only, nothing filled in, every value with its place.
//!
//! What a field means, and what it may be, stands in `keys.rs`.

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
    pub(super) run: Field<WrittenRun>,
    pub(super) clocks: Field<WrittenClocks>,
    pub(super) live: Field<WrittenLive>,
    pub(super) energy: Field<WrittenEnergy>,
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

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct WrittenRouter {
    pub(super) chaos: Field<WrittenChaos>,
    pub(super) greedy_hp: Field<WrittenGreedyHp>,
    pub(super) wormhole: Field<WrittenWormhole>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WrittenChaos {
    pub(super) preset: Field<Preset>,
    pub(super) packet_words: Field<u16>,
    pub(super) frame_words: Field<u16>,
    pub(super) multiqueue_frames: Field<u8>,
    pub(super) stall_threshold_cycles: Field<u32>,
    pub(super) decision_latency_cycles: Field<u32>,
    pub(super) input_release_cycles: Field<u32>,
    pub(super) scan_order: List<String>,
    pub(super) initial_pointer: Field<Pointer>,
    pub(super) multiqueue_policy: Field<Policy>,
    pub(super) derouting: Field<bool>,
    pub(super) bypass: Field<bool>,
    pub(super) cut_through: Field<bool>,
    pub(super) delivery: Field<Leaving>,
}

#[derive(Clone, Copy, Debug, Deserialize)]
pub(super) enum Preset {
    #[serde(rename = "chinn-1995")]
    Chinn1995,
    #[serde(rename = "chaos-chip")]
    ChaosChip,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Pointer {
    Fixed,
    Random,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Policy {
    OldestFirst,
    NewestFirst,
    Random,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Leaving {
    Frame,
    Vanish,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WrittenGreedyHp {}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WrittenWormhole {
    pub(super) preset: Field<WormholePreset>,
    pub(super) vcs: Field<u8>,
    pub(super) buffer_words: Field<u16>,
    pub(super) routing: Field<String>,
    pub(super) dateline: Field<WrittenDateline>,
    pub(super) axis_order: Field<WrittenAxisOrder>,
    pub(super) misroutes: Field<u16>,
    pub(super) switching: Field<WrittenSwitching>,
    pub(super) reallocation: Field<WrittenReallocation>,
    pub(super) route_cycles: Field<u32>,
    pub(super) vc_allocation_cycles: Field<u32>,
    pub(super) switch_allocation_cycles: Field<u32>,
    pub(super) traversal_cycles: Field<u32>,
    pub(super) credit_cycles: Field<u32>,
    pub(super) injection_cycles: Field<u32>,
    pub(super) speculative: Field<bool>,
    pub(super) vc_allocator: Field<String>,
    pub(super) vc_iterations: Field<u8>,
    pub(super) switch_allocator: Field<String>,
    pub(super) switch_iterations: Field<u8>,
    pub(super) allow_deadlock: Field<bool>,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum WormholePreset {
    BooksimIq,
    OneCycle,
    FourStage,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum WrittenDateline {
    Wrapping,
    Crossed,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum WrittenAxisOrder {
    XFirst,
    XLast,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum WrittenSwitching {
    Wormhole,
    CutThrough,
    StoreAndForward,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum WrittenReallocation {
    TailSent,
    BufferEmpty,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WrittenTraffic {
    pub(super) packet_words: Field<u16>,
    pub(super) process: Field<WrittenProcess>,
    pub(super) load: Field<f64>,
    pub(super) pattern: Field<String>,
    pub(super) hot_nodes: List<u32>,
    pub(super) hot_fraction: Field<f64>,
    pub(super) destination: Field<u32>,
    pub(super) sources: List<u32>,
    pub(super) file: Field<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum WrittenProcess {
    Bernoulli,
    Once,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WrittenRun {
    pub(super) seed: Field<u64>,
    pub(super) engine: Field<WrittenEngine>,
    pub(super) warmup_cycles: Field<u32>,
    pub(super) measure_cycles: Field<u32>,
    pub(super) drain_cycles: Field<u32>,
    pub(super) deadline_cycles: Field<u32>,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum WrittenEngine {
    Sync,
    SyncStepped,
    SyncPlain,
    Clocked,
    Live,
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

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WrittenLive {
    pub(super) runtime: Field<WrittenRuntime>,
    pub(super) slack: Field<WrittenSlack>,
    pub(super) workers: Field<u32>,
    pub(super) channel_capacity: Field<u32>,
    pub(super) burst_cycles: Field<u32>,
    pub(super) pinning: Field<bool>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WrittenEnergy {
    pub(super) buffer_write_pj: Field<f64>,
    pub(super) buffer_read_pj: Field<f64>,
    pub(super) crossbar_pj: Field<f64>,
    pub(super) link_pj: Field<f64>,
    pub(super) decision_pj: Field<f64>,
    pub(super) leak_pj_per_node_cycle: Field<f64>,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum WrittenRuntime {
    Threads,
    Tokio,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(untagged)]
pub(super) enum WrittenSlack {
    Cycles(u32),
    Named(NoSlack),
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum NoSlack {
    None,
}
