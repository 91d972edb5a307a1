//! The clocks that the studies of asynchrony compare.

use crate::seeds::percent;
use flitwork_config::{
    ClockParameters, Oscillators, Phase, Resolved, SelfTimedParameters, Spread, Stepping,
};
use flitwork_network::{Delay, Handshake, Segment, StageDelays};
use flitwork_report::{Column, column};
use std::fmt;

/// The delay of every step of a self-timed node: a nominal period, 10 % less or more.
const SELF_TIMED: Delay = Delay::uniform(900, 1100);
/// A cycle in which its router only counts: a nominal period, in ps.
const COUNT_PS: u64 = 1000;
/// What a request and an acknowledge take over a link, each a tenth of a nominal period, in ps.
const LINK: Segment = Segment {
    request_ps: 100,
    acknowledge_ps: 100,
};

/// The clocks of a run's nodes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Clocking {
    /// One clock: the synchronous engine.
    OneClock,
    /// A clock per node, all equal and in step, on the clocked engine: equivalent to one clock.
    InStep,
    /// Each node has a clock of its own with a period drawn uniformly around the nominal one, and a
    /// random phase.
    Spread {
        /// The most by which a period differs from the nominal one, in percent.
        percent: f64,
        /// Edges of the receiver's clock that a word or a credit waits at a crossing.
        edges: u32,
    },
    /// No clock: each step in which something is done takes a time of its own, drawn anew from 900 to 1100 ps, and links
    /// hand words over.
    SelfTimed,
}

impl Clocking {
    /// Its name in JSON.
    pub(super) fn kind(self) -> &'static str {
        match self {
            Clocking::OneClock => "one-clock",
            Clocking::InStep => "in-step",
            Clocking::Spread { .. } => "spread",
            Clocking::SelfTimed => "self-timed",
        }
    }

    /// The most by which a period differs from the nominal one, in percent, if it is drawn.
    pub(super) fn spread_percent(self) -> Option<f64> {
        match self {
            Clocking::Spread { percent, .. } => Some(percent),
            _ => None,
        }
    }

    /// Edges of the synchronizers, where there are any.
    pub(super) fn edges(self) -> Option<u32> {
        match self {
            Clocking::Spread { edges, .. } => Some(edges),
            _ => None,
        }
    }

    /// A synchronous configuration under these clocks.
    pub(super) fn of(self, resolved: Resolved) -> Resolved {
        let clocks = |stepping| ClockParameters {
            stepping,
            ..ClockParameters::default()
        };
        match self {
            Clocking::OneClock => resolved,
            // The synchronizers are there, and are never used.
            Clocking::InStep => resolved.clocked(ClockParameters::default(), 2),
            Clocking::Spread { percent, edges } => {
                let stepping = Stepping::Oscillators(Oscillators {
                    phase: Phase::Random,
                    spread: Spread::uniform(percent),
                    ..Oscillators::default()
                });
                resolved.clocked(clocks(stepping), edges)
            }
            Clocking::SelfTimed => {
                let delays = StageDelays {
                    word: SELF_TIMED,
                    decision: SELF_TIMED,
                    allocation: None,
                    credit: None,
                };
                let nodes = SelfTimedParameters {
                    count_ps: COUNT_PS,
                    ..SelfTimedParameters::new(delays)
                };
                let handshake = Handshake {
                    segments: vec![LINK],
                    ..Handshake::default()
                };
                let stepping = Stepping::SelfTimed(nodes);
                resolved
                    .clocked(clocks(stepping), 0)
                    .handing_over(handshake)
            }
        }
    }
}

/// Clocks of each spread with each synchronizer, then self-timed nodes.
pub(super) fn asynchronous(
    spreads: &[f64],
    synchronizers: &[u32],
) -> impl Iterator<Item = Clocking> {
    let spread = |edges, percent| Clocking::Spread { percent, edges };
    let all = synchronizers.iter();
    let all = all.flat_map(move |edges| spreads.iter().map(move |it| spread(*edges, *it)));
    all.chain([Clocking::SelfTimed])
}

/// "one clock", "5 % spread".
impl fmt::Display for Clocking {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&match self {
            Clocking::OneClock => "one clock".into(),
            Clocking::InStep => "in step".into(),
            Clocking::Spread { percent, .. } => format!("{percent} % spread"),
            Clocking::SelfTimed => "self-timed".into(),
        })
    }
}

/// The columns of a row's clocks.
#[rustfmt::skip]
pub(super) fn clock_columns<R>(
    of: impl Fn(&R) -> Clocking + Copy + Send + Sync + 'static,
) -> [Column<R>; 3] {
    [
        column("clocks", "", "`one-clock`, `in-step`, `spread` or `self-timed`", move |row| of(row).kind()),
        column("spread_percent", "%", "the most by which periods differ from the nominal one", move |row| of(row).spread_percent()),
        column("synchronizer_edges", "", "edges of the receiver's clock that a word or a credit waits at a crossing", move |row| of(row).edges()),
    ]
}

/// A change as a signed percentage: 1.25 is +25.0 %.
pub(super) fn change(ratio: f64) -> String {
    percent(ratio - 1.0)
}

/// "+1.0 %" where all are alike to the digit shown, otherwise "+1.0 % to +2.0 %".
pub(super) fn changes(ratios: &[f64]) -> Option<String> {
    let ratios = || ratios.iter().copied();
    let (least, most) = (ratios().reduce(f64::min)?, ratios().reduce(f64::max)?);
    Some(match (change(least), change(most)) {
        (least, most) if least == most => least,
        (least, most) => format!("{least} to {most}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_percentages() {
        assert_eq!(change(1.25), "+25.0 %");
        assert_eq!(change(0.9), "-10.0 %");
        assert_eq!(changes(&[]), None);
        assert_eq!(changes(&[1.1]), Some("+10.0 %".into()));
        assert_eq!(changes(&[1.1, 0.95, 1.2]), Some("-5.0 % to +20.0 %".into()));
    }
}
