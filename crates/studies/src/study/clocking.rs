//! The clocks that the studies of asynchrony compare.

use flitwork_config::{
    ClockParameters, Domains, EngineChoice, Oscillators, Phase, Resolved, SelfTimedParameters,
    Spread, Stepping,
};
use flitwork_network::Delay;
use std::fmt;

/// The confidence of every interval.
pub(super) const LEVEL: f64 = 0.95;
/// The widest spread, in percent: the fastest node then steps three times as often as the slowest.
const MAX_SPREAD_PERCENT: f64 = 50.0;
/// The most edges of a synchronizer, as in a configuration.
const MAX_EDGES: u32 = 16;
/// The delay of every step of a self-timed node: a nominal period, 10 % less or more.
const SELF_TIMED: Delay = Delay {
    least_ps: 900,
    most_ps: 1100,
};

/// What makes the nodes of a run step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Clocking {
    /// One clock: the synchronous engine.
    OneClock,
    /// Clocks of their own that are equal and in step, on the clocked engine: as good as one clock.
    InStep,
    /// Each node has a clock of its own with a period drawn uniformly around the nominal one, and a
    /// random phase.
    Spread {
        /// How far a period is from the nominal one at most, in percent.
        percent: f64,
        /// Edges of the receiver's clock that a word or a credit waits at a crossing.
        edges: u32,
    },
    /// No clock: each step takes a time of its own, drawn anew from 900 to 1100 ps.
    SelfTimed {
        /// The same, of the receiver's steps.
        edges: u32,
    },
}

/// An option of a study that can't be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// The option, as on the command line.
    pub option: &'static str,
    /// What was found, and what is allowed.
    pub why: String,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.option, self.why)
    }
}

impl std::error::Error for Refused {}

impl Refused {
    pub(super) fn new(option: &'static str, why: impl fmt::Display) -> Refused {
        Refused {
            option,
            why: why.to_string(),
        }
    }
}

impl Clocking {
    /// As in JSON.
    pub fn kind(self) -> &'static str {
        match self {
            Clocking::OneClock => "one-clock",
            Clocking::InStep => "in-step",
            Clocking::Spread { .. } => "spread",
            Clocking::SelfTimed { .. } => "self-timed",
        }
    }

    /// How far a period is from the nominal one at most, in percent, where it is drawn.
    pub fn spread_percent(self) -> Option<f64> {
        match self {
            Clocking::Spread { percent, .. } => Some(percent),
            _ => None,
        }
    }

    /// Edges of the synchronizers, where there are any.
    pub fn edges(self) -> Option<u32> {
        match self {
            Clocking::Spread { edges, .. } | Clocking::SelfTimed { edges } => Some(edges),
            _ => None,
        }
    }

    /// A synchronous configuration under these clocks.
    pub(super) fn of(self, resolved: Resolved) -> Resolved {
        let usual = ClockParameters::default();
        match self {
            Clocking::OneClock => Resolved {
                run: flitwork_config::RunParameters {
                    engine: EngineChoice::Sync,
                    ..resolved.run
                },
                ..resolved
            },
            // The synchronizers stand there, and are never used.
            Clocking::InStep => resolved.clocked(usual, 2),
            Clocking::Spread { percent, edges } => {
                let stepping = Stepping::Oscillators(Oscillators {
                    spread: Spread::Uniform { percent },
                    drift_ppm: 0.0,
                    jitter_ps: 0,
                    domains: Domains::Node,
                });
                let phase = Phase::Random;
                let clocks = ClockParameters {
                    phase,
                    stepping,
                    ..usual
                };
                resolved.clocked(clocks, edges)
            }
            Clocking::SelfTimed { edges } => {
                let stepping = Stepping::SelfTimed(SelfTimedParameters {
                    word: SELF_TIMED,
                    decision: SELF_TIMED,
                    idle: SELF_TIMED,
                });
                let phase = Phase::Random;
                let clocks = ClockParameters {
                    phase,
                    stepping,
                    ..usual
                };
                resolved.clocked(clocks, edges)
            }
        }
    }
}

/// "one clock", "5 % spread".
impl fmt::Display for Clocking {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&match self {
            Clocking::OneClock => "one clock".into(),
            Clocking::InStep => "in step".into(),
            Clocking::Spread { percent, .. } => format!("{percent} % spread"),
            Clocking::SelfTimed { .. } => "self-timed".into(),
        })
    }
}

/// Checks the spreads, the synchronizers and the number of seeds that are asked for.
pub(super) fn check(spreads: &[f64], edges: &[u32], seeds: u32) -> Result<(), Refused> {
    if spreads.is_empty() {
        return Err(Refused::new(
            "--spreads",
            "none is given; allowed: at least one",
        ));
    }
    for spread in spreads {
        if !(0.0..=MAX_SPREAD_PERCENT).contains(spread) {
            let why = format!("{spread} %; allowed: 0 to {MAX_SPREAD_PERCENT} %");
            return Err(Refused::new("--spreads", why));
        }
    }
    if edges.is_empty() {
        return Err(Refused::new(
            "--synchronizer",
            "none is given; allowed: at least one",
        ));
    }
    if let Some(edges) = edges.iter().find(|edges| **edges > MAX_EDGES) {
        let why = format!("{edges} edges; allowed: 0 to {MAX_EDGES}");
        return Err(Refused::new("--synchronizer", why));
    }
    if seeds == 0 {
        return Err(Refused::new("--seeds", "0 seeds; allowed: 1 or more"));
    }
    Ok(())
}

/// A change as a signed percentage: 1.25 is +25.0 %.
pub(super) fn change(ratio: f64) -> String {
    format!("{:+.1} %", 100.0 * (ratio - 1.0))
}

/// "+1.0 %" where all are alike to the digit shown, otherwise "+1.0 % to +2.0 %".
pub(super) fn changes(ratios: &[f64]) -> Option<String> {
    let least = ratios.iter().copied().reduce(f64::min)?;
    let most = ratios.iter().copied().reduce(f64::max)?;
    let (least, most) = (change(least), change(most));
    Some(if least == most {
        least
    } else {
        format!("{least} to {most}")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_told_as_percentages() {
        assert_eq!(change(1.25), "+25.0 %");
        assert_eq!(change(0.9), "-10.0 %");
        assert_eq!(changes(&[]), None);
        assert_eq!(changes(&[1.1]), Some("+10.0 %".into()));
        assert_eq!(changes(&[1.1, 0.95, 1.2]), Some("-5.0 % to +20.0 %".into()));
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        assert_eq!(check(&[0.0, 50.0], &[0, 16], 1), Ok(()));
        for (spreads, edges, seeds, option) in [
            (&[][..], &[2][..], 1, "--spreads"),
            (&[-0.1], &[2], 1, "--spreads"),
            (&[50.1], &[2], 1, "--spreads"),
            (&[f64::NAN], &[2], 1, "--spreads"),
            (&[1.0], &[], 1, "--synchronizer"),
            (&[1.0], &[17], 1, "--synchronizer"),
            (&[1.0], &[2], 0, "--seeds"),
        ] {
            assert_eq!(check(spreads, edges, seeds).unwrap_err().option, option);
        }
    }
}
