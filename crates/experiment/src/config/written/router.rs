//! `[router]` as it was written.

use super::{Field, List};
use serde::Deserialize;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(in crate::config) struct WrittenRouter {
    pub(in crate::config) chaos: Field<WrittenChaos>,
    pub(in crate::config) greedy_hp: Field<WrittenGreedyHp>,
    pub(in crate::config) wormhole: Field<WrittenWormhole>,
    pub(in crate::config) deflection: Field<WrittenDeflection>,
    pub(in crate::config) scheduled: Field<WrittenScheduled>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::config) struct WrittenChaos {
    pub(in crate::config) preset: Field<Preset>,
    pub(in crate::config) packet_words: Field<u16>,
    pub(in crate::config) frame_words: Field<u16>,
    pub(in crate::config) multiqueue_frames: Field<u8>,
    pub(in crate::config) stall_threshold_cycles: Field<u32>,
    pub(in crate::config) decision_latency_cycles: Field<u32>,
    pub(in crate::config) input_release_cycles: Field<u32>,
    pub(in crate::config) scan_order: List<String>,
    pub(in crate::config) initial_pointer: Field<Pointer>,
    pub(in crate::config) multiqueue_policy: Field<Policy>,
    pub(in crate::config) derouting: Field<bool>,
    pub(in crate::config) bypass: Field<bool>,
    pub(in crate::config) cut_through: Field<bool>,
    pub(in crate::config) delivery: Field<Leaving>,
}

#[derive(Clone, Copy, Debug, Deserialize)]
pub(in crate::config) enum Preset {
    #[serde(rename = "chinn-1995")]
    Chinn1995,
    #[serde(rename = "chaos-chip")]
    ChaosChip,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(in crate::config) enum Pointer {
    Fixed,
    Random,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(in crate::config) enum Policy {
    OldestFirst,
    NewestFirst,
    Random,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(in crate::config) enum Leaving {
    Frame,
    Vanish,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::config) struct WrittenGreedyHp {}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::config) struct WrittenWormhole {
    pub(in crate::config) preset: Field<WormholePreset>,
    pub(in crate::config) vcs: Field<u8>,
    pub(in crate::config) buffer_words: Field<u16>,
    pub(in crate::config) routing: Field<String>,
    pub(in crate::config) dateline: Field<WrittenDateline>,
    pub(in crate::config) axis_order: Field<WrittenAxisOrder>,
    pub(in crate::config) misroutes: Field<u16>,
    pub(in crate::config) switching: Field<WrittenSwitching>,
    pub(in crate::config) reallocation: Field<WrittenReallocation>,
    pub(in crate::config) route_cycles: Field<u32>,
    pub(in crate::config) vc_allocation_cycles: Field<u32>,
    pub(in crate::config) switch_allocation_cycles: Field<u32>,
    pub(in crate::config) traversal_cycles: Field<u32>,
    pub(in crate::config) credit_cycles: Field<u32>,
    pub(in crate::config) injection_cycles: Field<u32>,
    pub(in crate::config) speculative: Field<bool>,
    pub(in crate::config) vc_allocator: Field<String>,
    pub(in crate::config) vc_iterations: Field<u8>,
    pub(in crate::config) switch_allocator: Field<String>,
    pub(in crate::config) switch_iterations: Field<u8>,
    pub(in crate::config) allow_deadlock: Field<bool>,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(in crate::config) enum WormholePreset {
    BooksimIq,
    OneCycle,
    FourStage,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(in crate::config) enum WrittenDateline {
    Wrapping,
    Crossed,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(in crate::config) enum WrittenAxisOrder {
    XFirst,
    XLast,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(in crate::config) enum WrittenSwitching {
    Wormhole,
    CutThrough,
    StoreAndForward,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(in crate::config) enum WrittenReallocation {
    TailSent,
    BufferEmpty,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::config) struct WrittenDeflection {
    pub(in crate::config) preset: Field<DeflectionPreset>,
    pub(in crate::config) switching: Field<WrittenDeflected>,
    pub(in crate::config) priority: Field<String>,
    pub(in crate::config) port_choice: Field<WrittenPortChoice>,
    pub(in crate::config) eject_words: Field<u8>,
    pub(in crate::config) side_buffer_flits: Field<usize>,
    pub(in crate::config) redirection_cycles: Field<u32>,
    pub(in crate::config) epoch_cycles: Field<u32>,
    pub(in crate::config) transactions: Field<u32>,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(in crate::config) enum DeflectionPreset {
    FlitBless,
    WormBless,
    Chipper,
    Minbd,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(in crate::config) enum WrittenDeflected {
    Flit,
    Worm,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(in crate::config) enum WrittenPortChoice {
    Ordered,
    Random,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::config) struct WrittenScheduled {
    pub(in crate::config) schedule: Field<WrittenSchedule>,
    pub(in crate::config) file: Field<String>,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(in crate::config) enum WrittenSchedule {
    File,
    OneBend,
}
