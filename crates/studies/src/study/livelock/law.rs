//! How the time to escape depends on what makes nodes differ.

use super::LivelockRow;
use super::predict::DECISION_CYCLES;
use super::setting::{Network, Router};
use crate::lifetimes::LEVEL;
use crate::seeds::distinct;
use crate::timing::Timing;
use flitwork_measure::Interval;
use flitwork_measure::fit::PowerLaw;

/// All that the rows of a law share.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Line {
    pub(super) network: Network,
    pub(super) router: Router,
    pub(super) timing: Timing,
    pub(super) edges: u32,
}

impl Line {
    pub(super) fn of(row: &LivelockRow) -> Line {
        let setting = &row.setting;
        Line {
            network: setting.network.clone(),
            router: setting.router,
            timing: setting.timed.timing,
            edges: setting.timed.edges,
        }
    }

    /// Each once, in the order of their first rows.
    pub(super) fn all(rows: &[LivelockRow]) -> Vec<Line> {
        distinct(rows.iter().map(Line::of))
    }

    pub(super) fn rows<'a>(&self, rows: &'a [LivelockRow]) -> Vec<&'a LivelockRow> {
        let own = rows.iter().filter(|row| Line::of(row) == *self);
        own.collect()
    }
}

impl std::fmt::Display for Line {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}{}, {}", self.network, self.router, self.timing.name())?;
        match self.timing.has_clocks() {
            true => write!(f, ", {} edges", self.edges),
            false => Ok(()),
        }
    }
}

/// A power law of the time to escape, with what it was fitted on.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Law {
    pub(super) line: Line,
    pub(super) law: PowerLaw,
    /// Of its exponent.
    pub(super) interval: Interval,
    /// How many values are in its range, the least and the most of them.
    pub(super) points: usize,
    pub(super) range: (f64, f64),
}

/// The laws of all lines with three values or more in their range.
pub(super) fn laws(rows: &[LivelockRow]) -> Vec<Law> {
    let law = |line: Line| {
        let points = linear(&line.rows(rows));
        let values = points.iter().map(|(value, _)| *value);
        let range = values.fold((f64::INFINITY, 0.0), |(least, most): (f64, f64), value| {
            (least.min(value), most.max(value))
        });
        Some(Law {
            line,
            law: PowerLaw::fit(&points).ok().filter(|_| points.len() > 2)?,
            interval: PowerLaw::exponent_interval(&points, LEVEL)?,
            points: points.len(),
            range,
        })
    };
    Line::all(rows).into_iter().filter_map(law).collect()
}

/// How many times as long as a round of each node half of the seeds take at least, where the wait for the escape is nearly all of the
/// time: the packets' ways and queues after it take about one and a half.
const WAITS: u64 = 20;

/// (value, median) of the rows in that range.
fn linear(rows: &[&LivelockRow]) -> Vec<(f64, f64)> {
    let point = |row: &&LivelockRow| {
        let setting = &row.setting;
        let round = u64::from(setting.router.words) + 2 * DECISION_CYCLES;
        let rounds = setting.network.sides.nodes() * round;
        let median = row.lifetimes.survival.median()?;
        (median >= WAITS * rounds).then_some((setting.timed.value, median as f64))
    };
    rows.iter().filter_map(point).collect()
}
