//! What makes nodes differ in time: what studies of livelock and deadlock vary.

use crate::context::Failed;
use crate::many::set;
use crate::options::{edges, named, number};
use clap::Args;
use clap::builder::PossibleValue;
use flitwork_config::Override;
use flitwork_report::{Column, column};
use std::fmt;

/// The nominal clock's period, and the time of a self-timed step, in ps: so long that periods apart by a thousandth of a percent
/// differ by many ps.
pub(crate) const PERIOD_PS: u32 = 1_000_000;
/// What a request and an acknowledge take over a link, in ps.
pub(crate) const LINK_PS: u32 = PERIOD_PS / 10;

/// What makes nodes differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Timing {
    /// Nothing.
    OneClock,
    /// Each begins its scan at a random port.
    RandomPointers,
    /// Clocks of equal periods and random phases.
    Phases,
    /// The same with frequencies up to so many ppm apart.
    Drift,
    /// The same with periods up to so many percent apart.
    Spread,
    /// The same with ticks late by up to so many percent of a period.
    Jitter,
    /// The same with periods longer or shorter by up to so many percent, drawn anew for each tick and added up.
    Wander,
    /// No clocks: steps of a nominal period each.
    SelfTimed,
    /// The same with steps up to so many percent shorter or longer, drawn anew each time.
    SelfTimedDrawn,
    /// Steps of a nominal period each, behind arbiters that decide with a time constant of so many percent.
    Arbiters,
}

impl Timing {
    const ALL: [Timing; 10] = [
        Timing::OneClock,
        Timing::RandomPointers,
        Timing::Phases,
        Timing::Drift,
        Timing::Spread,
        Timing::Jitter,
        Timing::Wander,
        Timing::SelfTimed,
        Timing::SelfTimedDrawn,
        Timing::Arbiters,
    ];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Timing::OneClock => "one-clock",
            Timing::RandomPointers => "random-pointers",
            Timing::Phases => "phases",
            Timing::Drift => "drift",
            Timing::Spread => "spread",
            Timing::Jitter => "jitter",
            Timing::Wander => "wander",
            Timing::SelfTimed => "self-timed",
            Timing::SelfTimedDrawn => "self-timed-drawn",
            Timing::Arbiters => "arbiters",
        }
    }

    fn help(self) -> &'static str {
        match self {
            Timing::OneClock => "one clock for all nodes",
            Timing::RandomPointers => "one clock, and each node begins its scan at a random port",
            Timing::Phases => "a clock a node, of one period and random phases",
            Timing::Drift => {
                "the same, frequencies apart by up to the parts per million of --drift"
            }
            Timing::Spread => "the same, periods apart by up to the percent of --spread",
            Timing::Jitter => "the same, each tick late by up to the percent of --jitter",
            Timing::Wander => {
                "the same, each period longer or shorter by up to the percent of --wander"
            }
            Timing::SelfTimed => "no clocks: each step takes a nominal period",
            Timing::SelfTimedDrawn => {
                "no clocks: each step's time is drawn, within the percent of --spread"
            }
            Timing::Arbiters => {
                "no clocks: an arbiter before each step is undecided if requests come within the percent of --tau"
            }
        }
    }

    /// The unit of its value, if it has one.
    pub(crate) fn unit(self) -> Option<&'static str> {
        match self {
            Timing::Drift => Some("ppm"),
            Timing::Spread
            | Timing::Jitter
            | Timing::Wander
            | Timing::SelfTimedDrawn
            | Timing::Arbiters => Some("%"),
            _ => None,
        }
    }

    pub(crate) fn has_clocks(self) -> bool {
        matches!(
            self,
            Timing::Phases | Timing::Drift | Timing::Spread | Timing::Jitter | Timing::Wander
        )
    }
}

/// A timing with how much of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Timed {
    pub(crate) timing: Timing,
    /// How much.
    pub(crate) value: f64,
    /// Of the receiver's clock at a crossing.
    pub(crate) edges: u32,
}

impl fmt::Display for Timed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.timing.name())?;
        if let Some(unit) = self.timing.unit() {
            write!(f, ", {} {unit}", self.value)?;
        }
        match self.timing.has_clocks() {
            true => write!(f, ", {} edges", self.edges),
            false => Ok(()),
        }
    }
}

impl Timed {
    pub(crate) const ONE_CLOCK: Timed = Timed {
        timing: Timing::OneClock,
        value: 0.0,
        edges: 0,
    };

    /// A part of a nominal period, in ps.
    fn part_ps(percent: f64) -> u32 {
        (f64::from(PERIOD_PS) * percent / 100.0).round() as u32
    }

    /// What it sets.
    pub(crate) fn keys(&self) -> Vec<Override> {
        let value = self.value;
        let mut all = match self.timing {
            timing if timing.has_clocks() => vec![
                set("run.engine", "clocked"),
                set("clocks.period_ps", PERIOD_PS),
                set("clocks.phase", "random"),
                set("network.synchronizer_edges", self.edges),
            ],
            _ => Vec::new(),
        };
        let steps = |by: f64| {
            let of =
                |end: f64| PERIOD_PS.saturating_add_signed(Self::part_ps(by) as i32 * end as i32);
            let step = format!("[{}, {}]", of(-1.0), of(1.0));
            vec![
                set("run.engine", "clocked"),
                set("clocks.period_ps", PERIOD_PS),
                set("network.handshake.request_ps", LINK_PS),
                set("network.handshake.acknowledge_ps", LINK_PS),
                set("clocks.self-timed.word_ps", &step),
                set("clocks.self-timed.decision_ps", &step),
                set("clocks.self-timed.count_ps", PERIOD_PS),
            ]
        };
        match self.timing {
            Timing::OneClock | Timing::Phases => {}
            Timing::RandomPointers => all.push(set("router.chaos.initial_pointer", "random")),
            Timing::Drift => all.push(set("clocks.drift_ppm", value)),
            Timing::Spread => all.extend([
                set("clocks.spread", "uniform"),
                set("clocks.spread_percent", value),
            ]),
            Timing::Jitter => all.push(set("clocks.jitter_ps", Self::part_ps(value))),
            Timing::Wander => all.push(set("clocks.wander_ps", Self::part_ps(value))),
            Timing::SelfTimed => all.extend(steps(0.0)),
            Timing::SelfTimedDrawn => all.extend(steps(value)),
            Timing::Arbiters => {
                all.extend(steps(0.0));
                let tau_ps = Self::part_ps(value).max(1);
                all.push(set("clocks.arbiter.window_ps", tau_ps));
                all.push(set("clocks.arbiter.tau_ps", tau_ps));
            }
        }
        all
    }

    /// What a column shows as its value.
    pub(crate) fn shown_value(&self) -> Option<f64> {
        self.timing.unit().map(|_| self.value)
    }

    /// What a column shows as its edges.
    pub(crate) fn shown_edges(&self) -> Option<u32> {
        self.timing.has_clocks().then_some(self.edges)
    }
}

/// The columns of a timing.
#[rustfmt::skip]
pub(crate) fn timed_columns<R: 'static>(of: impl Fn(&R) -> Timed + Copy + Send + Sync + 'static) -> Vec<Column<R>> {
    vec![
        column("timing", "", "what makes nodes differ", move |it| of(it).timing.name()),
        column("value", "", "how much: percent of a period, or parts per million for `drift`; missing for others", move |it| of(it).shown_value()),
        column("synchronizer_edges", "edges", "of the receiver's clock at a crossing; missing without clocks that differ", move |it| of(it).shown_edges()),
    ]
}

/// A part of a period, in percent, up to so many.
fn percent(text: &str) -> Result<f64, String> {
    number(text, |it| (0.001..=50.0).contains(&it), "0.001 to 50 %")
}

/// Frequencies that differ, in parts per million.
fn ppm(text: &str) -> Result<f64, String> {
    let is_allowed = |it| it > 0.0 && it <= 100_000.0;
    number(text, is_allowed, "above 0, up to 100000 ppm")
}

/// The options that choose them.
#[derive(Clone, Debug, Args)]
pub(crate) struct Timings {
    /// What makes nodes differ.
    #[arg(long, value_name = "NAME,…", default_value = "one-clock,random-pointers,phases,drift,spread,jitter,wander,self-timed,self-timed-drawn,arbiters", value_parser = named(Timing::ALL.into_iter().map(|it| (PossibleValue::new(it.name()).help(it.help()), it))))]
    pub(crate) timing: Vec<Timing>,
    /// The most by which periods and self-timed steps differ from the nominal ones, in percent.
    #[arg(long, value_name = "PERCENT,…", default_value = "0.03,0.1,0.3,1", value_parser = percent)]
    pub(crate) spread: Vec<f64>,
    /// The most by which frequencies differ, in parts per million.
    #[arg(long, value_name = "PPM,…", default_value = "100", value_parser = ppm)]
    pub(crate) drift: Vec<f64>,
    /// The most by which a tick is late, in percent of a period.
    #[arg(long, value_name = "PERCENT,…", default_value = "1", value_parser = |text: &str| number(text, |it| (0.001..=90.0).contains(&it), "0.001 to 90 %"))]
    pub(crate) jitter: Vec<f64>,
    /// The most by which a period is longer or shorter than its clock's, drawn anew for each tick, in percent; differences add up.
    #[arg(long, value_name = "PERCENT,…", default_value = "1", value_parser = percent)]
    pub(crate) wander: Vec<f64>,
    /// The time constant of arbiters, and how near to each other requests leave one undecided, in percent of a step.
    #[arg(long, value_name = "PERCENT,…", default_value = "1", value_parser = percent)]
    pub(crate) tau: Vec<f64>,
    /// Edges of the receiver's clock that a word or a credit waits where it crosses from one clock to another.
    #[arg(long, value_name = "EDGES,…", default_value = "2", value_parser = edges)]
    pub(crate) edges: Vec<u32>,
}

impl Timings {
    /// All timings, in the order of the options.
    pub(crate) fn all(&self) -> Vec<Timed> {
        let values = |timing: Timing| -> &[f64] {
            match timing {
                Timing::Drift => &self.drift,
                Timing::Spread | Timing::SelfTimedDrawn => &self.spread,
                Timing::Jitter => &self.jitter,
                Timing::Wander => &self.wander,
                Timing::Arbiters => &self.tau,
                _ => &[0.0],
            }
        };
        let mut all = Vec::new();
        for timing in self.timing.iter().copied() {
            let edges: &[u32] = match timing.has_clocks() {
                true => &self.edges,
                false => &[0],
            };
            for value in values(timing).iter().copied() {
                all.extend(edges.iter().copied().map(|edges| Timed {
                    timing,
                    value,
                    edges,
                }));
            }
        }
        all
    }

    /// Which options say how much of which timings.
    fn readers() -> [(&'static str, Vec<Timing>); 6] {
        let with_clocks = Timing::ALL.into_iter().filter(|it| it.has_clocks());
        [
            ("spread", vec![Timing::Spread, Timing::SelfTimedDrawn]),
            ("drift", vec![Timing::Drift]),
            ("jitter", vec![Timing::Jitter]),
            ("wander", vec![Timing::Wander]),
            ("tau", vec![Timing::Arbiters]),
            ("edges", with_clocks.collect()),
        ]
    }

    /// Refuses all of its options, where nothing reads any: they are allowed only with `allowed`.
    pub(crate) fn refuse_all(given: &[String], allowed: &str) -> Result<(), Failed> {
        let options = Self::readers().map(|(option, _)| option);
        let all = options.into_iter().chain(["timing"]);
        for option in all {
            if given.iter().any(|it| it == option) {
                let why = format!("nothing that is asked for reads it; allowed: with {allowed}");
                return Err(Failed::option(&format!("--{option}"), why));
            }
        }
        Ok(())
    }

    /// Refuses what no timing reads: `given` are the long names of all that the command line has.
    pub(crate) fn refuse_unread(&self, given: &[String]) -> Result<(), Failed> {
        for (option, by) in Self::readers() {
            let is_read = self.timing.iter().any(|it| by.contains(it));
            if given.iter().any(|it| it == option) && !is_read {
                let names: Vec<&str> = by.iter().map(|it| it.name()).collect();
                let names = match &names[..] {
                    [first @ .., last] if !first.is_empty() => {
                        format!("{} or {last}", first.join(", "))
                    }
                    _ => names.concat(),
                };
                let why =
                    format!("no timing that is asked for reads it; allowed: with --timing {names}");
                return Err(Failed::option(&format!("--{option}"), why));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An option is read by those timings that change with it, and is refused with others alone.
    #[test]
    fn options_are_read_by_what_changes_with_them() {
        for timing in Timing::ALL {
            let of = |changed: &str| {
                let value = |option: &str| vec![if option == changed { 2.0 } else { 1.0 }];
                Timings {
                    timing: vec![timing],
                    spread: value("spread"),
                    drift: value("drift"),
                    jitter: value("jitter"),
                    wander: value("wander"),
                    tau: value("tau"),
                    edges: vec![if changed == "edges" { 2 } else { 1 }],
                }
            };
            let usual = of("");
            for option in ["spread", "drift", "jitter", "wander", "tau", "edges"] {
                let changes = of(option).all() != usual.all();
                let is_read = usual.refuse_unread(&[option.to_owned()]).is_ok();
                assert_eq!(is_read, changes, "--{option} of {}", timing.name());
            }
        }
    }
}
