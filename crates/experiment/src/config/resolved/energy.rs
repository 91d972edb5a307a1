//! What words cost, in picojoules.

use super::text::{entry, table};

/// What a router's work costs, in picojoules; `None` for what has no price.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct EnergyParameters {
    /// A word written into a buffer.
    pub buffer_write_pj: Option<f64>,
    /// A word read from one.
    pub buffer_read_pj: Option<f64>,
    /// A word through a crossbar.
    pub crossbar_pj: Option<f64>,
    /// A word over a link.
    pub link_pj: Option<f64>,
    /// A decision: a head, or a packet, that is given a way on.
    pub decision_pj: Option<f64>,
    /// A node's cycle, whether it does anything or not.
    pub leak_pj_per_node_cycle: Option<f64>,
}

impl EnergyParameters {
    fn prices(&self) -> [(&'static str, Option<f64>); 6] {
        [
            ("buffer_write_pj", self.buffer_write_pj),
            ("buffer_read_pj", self.buffer_read_pj),
            ("crossbar_pj", self.crossbar_pj),
            ("link_pj", self.link_pj),
            ("decision_pj", self.decision_pj),
            ("leak_pj_per_node_cycle", self.leak_pj_per_node_cycle),
        ]
    }

    /// Whether anything has a price.
    pub fn any(&self) -> bool {
        self.prices().iter().any(|(_, price)| price.is_some())
    }

    pub(super) fn write(&self, out: &mut String) {
        if !self.any() {
            return;
        }
        table(out, "energy");
        for (key, price) in self.prices() {
            if let Some(price) = price {
                entry(out, key, format!("{price:?}"));
            }
        }
    }
}
