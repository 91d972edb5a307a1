//! `[traffic]` as it was written.

use super::{Field, List};
use serde::Deserialize;

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::config) struct WrittenTraffic {
    pub(in crate::config) packet_words: Field<u16>,
    pub(in crate::config) lengths: Field<WrittenLengths>,
    pub(in crate::config) process: Field<WrittenProcess>,
    pub(in crate::config) load: Field<f64>,
    pub(in crate::config) pattern: Field<String>,
    pub(in crate::config) hot_nodes: List<u32>,
    pub(in crate::config) hot_fraction: Field<f64>,
    pub(in crate::config) destination: Field<u32>,
    pub(in crate::config) sources: List<u32>,
    pub(in crate::config) file: Field<String>,
    pub(in crate::config) k: Field<u32>,
    pub(in crate::config) packets: Field<u32>,
    #[serde(rename = "on-off")]
    pub(in crate::config) on_off: Field<WrittenOnOff>,
    pub(in crate::config) modulated: Field<WrittenModulated>,
    pub(in crate::config) repeat_cycles: Field<u32>,
    pub(in crate::config) phases: List<WrittenPhaseOfTraffic>,
    pub(in crate::config) batch: Field<WrittenBatch>,
    pub(in crate::config) trace: Field<WrittenTrace>,
}

#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(in crate::config) enum WrittenProcess {
    Batch,
    Bernoulli,
    HH,
    KK,
    Modulated,
    OnOff,
    Once,
    Phases,
    Schedule,
    Trace,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::config) struct WrittenLengths {
    pub(in crate::config) law: Field<WrittenLaw>,
    pub(in crate::config) least_words: Field<u16>,
    pub(in crate::config) most_words: Field<u16>,
    pub(in crate::config) mean_words: Field<f64>,
    pub(in crate::config) words: List<u16>,
    pub(in crate::config) weights: List<f64>,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(in crate::config) enum WrittenLaw {
    Geometric,
    Uniform,
    Weighted,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::config) struct WrittenOnOff {
    pub(in crate::config) peak_load: Field<f64>,
    pub(in crate::config) burst_cycles: Field<f64>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::config) struct WrittenModulated {
    pub(in crate::config) transitions: List<Vec<f64>>,
    pub(in crate::config) states: List<WrittenState>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::config) struct WrittenState {
    pub(in crate::config) load: Field<f64>,
    pub(in crate::config) mean_cycles: Field<f64>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::config) struct WrittenPhaseOfTraffic {
    pub(in crate::config) from_cycle: Field<u32>,
    pub(in crate::config) load: Field<f64>,
    pub(in crate::config) pattern: Field<String>,
    pub(in crate::config) hot_nodes: List<u32>,
    pub(in crate::config) hot_fraction: Field<f64>,
    pub(in crate::config) destination: Field<u32>,
    pub(in crate::config) sources: List<u32>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::config) struct WrittenBatch {
    pub(in crate::config) requests: Field<u32>,
    pub(in crate::config) outstanding: Field<u32>,
    pub(in crate::config) request_words: Field<u16>,
    pub(in crate::config) replies: Field<bool>,
    pub(in crate::config) reply_words: Field<u16>,
    pub(in crate::config) service_cycles: Field<u32>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::config) struct WrittenTrace {
    pub(in crate::config) file: Field<String>,
    pub(in crate::config) format: Field<WrittenFormat>,
    pub(in crate::config) link_bytes: Field<u32>,
    pub(in crate::config) first_region: Field<u32>,
    pub(in crate::config) last_region: Field<u32>,
    pub(in crate::config) nodes: Field<u32>,
    pub(in crate::config) map: Field<WrittenMap>,
    pub(in crate::config) columns: Field<u32>,
    pub(in crate::config) places: List<u32>,
    pub(in crate::config) dependencies: Field<bool>,
    pub(in crate::config) window_packets: Field<u32>,
    pub(in crate::config) read_first: Field<bool>,
}

#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(in crate::config) enum WrittenFormat {
    Csv,
    Netrace,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(in crate::config) enum WrittenMap {
    Block,
    Given,
    InOrder,
}
