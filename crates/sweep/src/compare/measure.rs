//! What two configurations are compared by.

use crate::row::Figures;
use std::fmt;
use std::str::FromStr;

/// A figure of a run.
#[derive(Clone, Copy)]
pub struct Measure {
    /// Its name on the command line.
    pub name: &'static str,
    /// What it is, for people.
    pub title: &'static str,
    /// Its unit.
    pub unit: &'static str,
    /// Whether more of it is better.
    pub more_is_better: bool,
    /// Whether it means something only in the steady state.
    pub needs_steady: bool,
    pub(super) of: fn(&Figures) -> Option<f64>,
}

/// All of them, by name.
#[rustfmt::skip]
pub const MEASURES: &[Measure] = &[
    measure("accepted", "accepted load", "words/node/cycle", (true, false), |it| it.accepted.map(|mean| mean.mean)),
    measure("deroutes", "deroutes a packet", "hops", (false, true), |it| it.deroutes_per_packet),
    measure("hops", "hops a packet", "hops", (false, true), |it| it.hops_per_packet),
    measure("latency", "mean latency", "cycles", (false, true), |it| it.latency.map(|mean| mean.mean)),
    measure("max", "greatest latency", "cycles", (false, true), |it| whole(it.latency_max)),
    measure("network-latency", "mean network latency", "cycles", (false, true), |it| it.network_latency),
    measure("p50", "median latency", "cycles", (false, true), |it| whole(it.latency_p50)),
    measure("p90", "90th percentile of latency", "cycles", (false, true), |it| whole(it.latency_p90)),
    measure("p99", "99th percentile of latency", "cycles", (false, true), |it| whole(it.latency_p99)),
    measure("p99.9", "99.9th percentile of latency", "cycles", (false, true), |it| whole(it.latency_p999)),
    measure("utilisation", "mean link utilisation", "words/cycle", (false, true), |it| it.link_utilisation_mean),
];

const fn measure(
    name: &'static str,
    title: &'static str,
    unit: &'static str,
    (more_is_better, needs_steady): (bool, bool),
    of: fn(&Figures) -> Option<f64>,
) -> Measure {
    Measure {
        name,
        title,
        unit,
        more_is_better,
        needs_steady,
        of,
    }
}

fn whole(value: Option<u64>) -> Option<f64> {
    value.map(|value| value as f64)
}

/// A name that no measure has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoMeasure;

impl fmt::Display for NoMeasure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = MEASURES.iter().map(|measure| measure.name).collect();
        write!(f, "allowed: {}", names.join(", "))
    }
}

impl std::error::Error for NoMeasure {}

impl FromStr for Measure {
    type Err = NoMeasure;

    fn from_str(name: &str) -> Result<Measure, NoMeasure> {
        MEASURES
            .iter()
            .find(|measure| measure.name == name)
            .copied()
            .ok_or(NoMeasure)
    }
}

impl fmt::Debug for Measure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}
