//! What two configurations are compared by: the figures that say what is better.

use crate::figures::Figures;
use flitwork_results::{Comparison, figures};
use std::str::FromStr;

/// A figure of a run.
#[derive(Clone, Copy, Debug)]
pub struct Measure {
    /// How it is compared.
    pub comparison: Comparison,
    /// Its unit.
    pub unit: &'static str,
    /// The figure's name.
    pub figure: &'static str,
}

/// All of them, by name.
pub fn measures() -> Vec<Measure> {
    let all = figures().iter().filter_map(|figure| {
        Some(Measure {
            comparison: figure.comparison?,
            unit: figure.column.header.unit,
            figure: figure.name(),
        })
    });
    let mut all: Vec<Measure> = all.collect();
    all.sort_by_key(|measure| measure.comparison.name);
    all
}

/// How the name of a measure in ps ends; without it, it is that in cycles.
const IN_PS: &str = "-ps";

impl Measure {
    /// What is compared by default: mean latency, in ps or in cycles.
    pub(super) fn usual(in_ps: bool) -> Measure {
        let name = if in_ps { "latency-ps" } else { "latency" };
        name.parse().expect("latencies are compared")
    }

    /// The name of the same measure in cycles, of one in ps.
    pub(super) fn in_cycles(&self) -> Option<&'static str> {
        self.comparison.name.strip_suffix(IN_PS)
    }

    /// The same measure in ps, of one in cycles that has it.
    pub(super) fn in_ps(&self) -> Option<&'static str> {
        let name = self.comparison.name;
        let mut all = measures().into_iter();
        let found = all.find(|it| it.comparison.name.strip_suffix(IN_PS) == Some(name));
        found.map(|it| it.comparison.name)
    }

    /// Its value.
    pub(super) fn of(&self, figures: &Figures) -> Option<f64> {
        figures.number(self.figure)
    }

    /// For an overloaded network, that of the packets which happened to arrive.
    pub(super) fn at_overload(&self, figures: &Figures) -> Option<f64> {
        figures.number(self.comparison.at_overload?)
    }
}

/// A name that no measure has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("allowed: {}", measures().iter().map(|it| it.comparison.name).collect::<Vec<_>>().join(", "))]
pub struct NoMeasure;

impl FromStr for Measure {
    type Err = NoMeasure;

    fn from_str(name: &str) -> Result<Measure, NoMeasure> {
        let mut all = measures().into_iter();
        all.find(|it| it.comparison.name == name).ok_or(NoMeasure)
    }
}
