//! `[energy]`.

use crate::config::resolved::EnergyParameters;
use crate::config::written::{Field, WrittenEnergy};

pub(super) fn mean(written: &WrittenEnergy) -> EnergyParameters {
    let price = |field: &Field<f64>| field.as_ref().map(|price| *price.get_ref());
    EnergyParameters {
        buffer_write_pj: price(&written.buffer_write_pj),
        buffer_read_pj: price(&written.buffer_read_pj),
        crossbar_pj: price(&written.crossbar_pj),
        link_pj: price(&written.link_pj),
        decision_pj: price(&written.decision_pj),
        leak_pj_per_node_cycle: price(&written.leak_pj_per_node_cycle),
    }
}
