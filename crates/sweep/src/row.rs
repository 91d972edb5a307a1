//! The outcome of a point.

use crate::figures::Figures;
use crate::patient::Decided;
use flitwork_config::Resolved;
use flitwork_measure::steady::WINDOW_TOO_SHORT;
use serde::{Deserialize, Serialize};

/// The most characters of a reason.
const LONGEST_REASON: usize = 2000;

/// How a point ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Status {
    /// It ran to its end.
    Complete,
    /// Its network could not deliver all packets.
    Failed,
    /// Its configuration was refused, and the sweep was asked to continue.
    Refused,
}

impl Status {
    /// Its name in tables.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Status::Complete => "complete",
            Status::Failed => "failed",
            Status::Refused => "refused",
        }
    }
}

/// A point that is done.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Row {
    /// Its index.
    pub point: u32,
    /// A checksum of its configuration, with what that reads from files.
    pub configuration: u32,
    /// How it ended.
    pub status: Status,
    /// Why it was refused, why its network failed, or why it wasn't steady.
    pub reason: Option<String>,
    /// How many times the configured warm-up and measurement the run behind the figures took.
    pub times_the_cycles: u32,
    /// What was measured, where it ran.
    pub figures: Option<Figures>,
    /// Host time, in seconds.
    pub seconds: f64,
}

impl Row {
    /// The row of a point that ran with that configuration.
    pub(crate) fn ran(point: u32, configured: &Resolved, decided: &Decided) -> Row {
        let results = &decided.results;
        Row {
            point,
            configuration: checksum(configured),
            status: match results.failure {
                Some(_) => Status::Failed,
                None => Status::Complete,
            },
            reason: results.reason(),
            times_the_cycles: decided.times_the_cycles,
            seconds: results.seconds,
            figures: Some(Figures::of(results)),
        }
    }

    /// The row of a point that is refused.
    pub(crate) fn refused(point: u32, reason: &str) -> Row {
        let lines: Vec<&str> = reason.lines().map(str::trim).collect();
        // Lines of an excerpt are for terminals.
        let shown = lines
            .into_iter()
            .filter(|line| !line.contains(" | ") && !line.starts_with('|'));
        Row {
            point,
            configuration: 0,
            status: Status::Refused,
            reason: Some(
                shown
                    .collect::<Vec<_>>()
                    .join("; ")
                    .chars()
                    .take(LONGEST_REASON)
                    .collect(),
            ),
            times_the_cycles: 1,
            figures: None,
            seconds: 0.0,
        }
    }

    /// The figures, unless something contradicts that the point was steady.
    pub(crate) fn steady_figures(&self) -> Option<&Figures> {
        let figures = self.figures.as_ref()?;
        (self.status == Status::Complete && figures.truth("steady") != Some(false))
            .then_some(figures)
    }

    /// Whether the window was too short to tell whether the point was steady.
    pub(crate) fn is_unknown(&self) -> bool {
        let rule = self.figures.as_ref().and_then(|it| it.text("not_steady"));
        self.status == Status::Complete && rule == Some(WINDOW_TOO_SHORT)
    }

    /// Whether another run of the same point had the same outcome.
    pub(crate) fn agrees(&self, other: &Row) -> bool {
        let timeless = |row: &Row| Row {
            seconds: 0.0,
            ..row.clone()
        };
        timeless(self) == timeless(other)
    }
}

/// A checksum of a configuration: its text with every default, and the network, the routes, the permutation and the delays it has read.
pub(crate) fn checksum(resolved: &Resolved) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(resolved.to_toml().as_bytes());
    resolved.network.content(&mut |bytes| hasher.update(bytes));
    resolved.router.content(&mut |bytes| hasher.update(bytes));
    let pattern = &resolved.traffic.pattern;
    pattern.content(&mut |bytes| hasher.update(bytes));
    resolved
        .clocks
        .delays
        .content(&mut |bytes| hasher.update(bytes));
    hasher.finalize()
}
