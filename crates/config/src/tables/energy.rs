//! What words cost, in picojoules: `[energy]`.

use flitwork_schema::{Allowed, Datum, Entry, Key, RawTable, entries, key, only_with, settings};

/// The energy of a router's work, in picojoules; `None` for work without a price.
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
    /// A decision: a head or a packet is routed.
    pub decision_pj: Option<f64>,
    /// A cycle of a node, active or idle.
    pub leak_pj_per_node_cycle: Option<f64>,
    /// A tick of a node's clock, whether the node does anything in it or not.
    pub clock_pj_per_node_tick: Option<f64>,
    /// A step in which a node does something, by its clock or self-timed.
    pub step_pj: Option<f64>,
    /// A transition of a wire of a handshake over a link.
    pub transition_pj: Option<f64>,
}

/// Any price, in pJ: at most a joule.
const PRICE: Allowed = Allowed::Number(0.0, 1e12, "pJ");

#[rustfmt::skip]
const KEYS: &[Key<EnergyParameters>] = &[
    key("buffer_write_pj", |it| &mut it.buffer_write_pj, PRICE, "no price", "picojoules per word written into a buffer"),
    key("buffer_read_pj", |it| &mut it.buffer_read_pj, PRICE, "no price", "picojoules per word read from a buffer"),
    key("crossbar_pj", |it| &mut it.crossbar_pj, PRICE, "no price", "picojoules per word through a crossbar"),
    key("link_pj", |it| &mut it.link_pj, PRICE, "no price", "picojoules per word over a link"),
    key("decision_pj", |it| &mut it.decision_pj, PRICE, "no price", "picojoules per decision: a head, or a packet, is routed"),
    key("leak_pj_per_node_cycle", |it| &mut it.leak_pj_per_node_cycle, PRICE, "no price", "picojoules per node and cycle, active or idle"),
    key("clock_pj_per_node_tick", |it| &mut it.clock_pj_per_node_tick, PRICE, "no price", "picojoules per tick of a node's clock, whether the node does anything in it or not; self-timed nodes have none"),
    only_with("run.engine = \"clocked\"", key("step_pj", |it| &mut it.step_pj, PRICE, "no price", "picojoules per step in which a node does something: a tick of its clock in which a word comes, moves or leaves, a decision is made or a credit leaves, or a step of a self-timed node that takes time")),
    only_with("network.handshake", key("transition_pj", |it| &mut it.transition_pj, PRICE, "no price", "picojoules per transition of a request or an acknowledge with which a word is handed over a segment of a link")),
];

/// The table.
pub(crate) fn table() -> Entry {
    let meaning =
        "what the router's work costs; changes only the joules in the results, not the run";
    Entry::table("energy", "no joules", meaning, entries(KEYS))
}

impl EnergyParameters {
    /// The prices that are given, of work that there may be.
    pub(crate) fn read(
        given: &RawTable<'_>,
        is_clocked: bool,
        hands_over: bool,
    ) -> EnergyParameters {
        let mut prices = EnergyParameters::default();
        given.set(KEYS, &mut prices);
        prices.step_pj = prices.step_pj.filter(|_| is_clocked);
        prices.transition_pj = prices.transition_pj.filter(|_| hands_over);
        prices
    }

    /// Whether anything has a price.
    pub fn any(&self) -> bool {
        !self.settings().is_empty()
    }

    pub(crate) fn settings(&self) -> Vec<(&'static str, Datum)> {
        settings(KEYS, self)
    }
}
