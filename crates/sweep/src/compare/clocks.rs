//! What two configurations can be compared in: cycles, or ps where nodes have clocks of their own.
//!
//! A cycle is one of the nominal clock, so that figures in cycles have the same unit in both only if their nominal clocks
//! have the same period.

use super::{Compare, Comparison, Measure};
use crate::error::Error;
use flitwork_config::{EngineChoice, Resolved};

/// How long a nominal cycle takes, where nodes have clocks of their own.
pub(super) fn cycle_ps(resolved: &Resolved) -> Option<u64> {
    (resolved.run.engine == EngineChoice::Clocked).then_some(resolved.clocks.period_ps)
}

/// The measure that is asked for; by default mean latency, in ps where both have times in ps.
///
/// # Errors
/// A measure in ps where a configuration has no such times.
pub(super) fn measure(asked: &Compare, both: &[Resolved; 2]) -> Result<Measure, Error> {
    let Some(measure) = asked.measure else {
        return Ok(Measure::usual(both.iter().all(|it| cycle_ps(it).is_some())));
    };
    let without = both.iter().position(|it| cycle_ps(it).is_none());
    match (measure.in_cycles(), without) {
        (Some(in_cycles), Some(side)) => Err(Error::BadValue(format!(
            "--measure {}: {} has no times in ps: run.engine is {:?}\n  allowed: run.engine = \"clocked\" in both, or \
             --measure {in_cycles}",
            measure.comparison.name,
            ["A", "B"][side],
            both[side].run.engine.name(),
        ))),
        _ => Ok(measure),
    }
}

impl Comparison {
    /// How long a nominal cycle takes in A and in B, if that differs.
    pub(super) fn cycles_differ(&self) -> Option<[u64; 2]> {
        let [Some(a), Some(b)] = self.cycle_ps else {
            return None;
        };
        (a != b).then_some([a, b])
    }

    /// A warning that the measure has another unit in A than in B, if it does.
    pub fn warning(&self) -> Option<String> {
        let [a, b] = self.cycles_differ()?;
        let (name, title) = (self.measure.comparison.name, self.measure.comparison.title);
        let unit = self.measure.unit;
        let hint = match self.measure.in_ps() {
            Some(in_ps) => format!("\n  hint: --measure {in_ps} compares it in ps"),
            None => String::new(),
        };
        unit.contains("cycle").then(|| {
            format!(
                "--measure {name}: {title} is in {unit}, and a nominal cycle takes {a} ps in A and {b} ps in B{hint}"
            )
        })
    }
}
