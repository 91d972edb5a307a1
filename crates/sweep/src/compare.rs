//! Two configurations under common random numbers.
//!
//! Both run with the same seeds, so both carry the same packets where their traffic is the same, and
//! chance mostly affects both alike: the differences of pairs scatter less than the runs (Law,
//! Simulation Modeling and Analysis, section 11.2). The mean difference has the interval of the paired t
//! (section 10.2.1). Pairs are added until an interval leaves no doubt about the sign or the budget ends;
//! `analyses.rs` says what repeated analyses cost.

mod analyses;
mod clocks;
mod columns;
mod measure;
mod packets;
mod sides;
mod text;

pub use measure::{Measure, NoMeasure, measures};
pub use text::comparison_text;

use crate::base::{self, Base};
use crate::error::Error;
use crate::patient::run_patiently;
use crate::pool;
use crate::row::{Row, Status};
use crate::seeds;
use flitwork_config::{Override, Resolved};
use flitwork_experiment::memory::Together;
use flitwork_measure::Estimate;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

/// A request.
#[derive(Clone, Debug)]
pub struct Compare {
    /// The first configuration.
    pub a: Base,
    /// The second one.
    pub b: Base,
    /// What they are compared by; `None` for mean latency, in ps where both have clocks of their own.
    pub measure: Option<Measure>,
    /// The most runs of each, at least 2.
    pub most_pairs: u32,
    /// The most host time for runs.
    pub time: Option<Duration>,
    /// The confidence of the verdict, between 0 and 1.
    pub confidence: f64,
    /// Threads, at least 1.
    pub jobs: usize,
}

/// The outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The first configuration is better.
    ABetter,
    /// The second one is.
    BBetter,
    /// Every pair is equal.
    Equal,
    /// The budget ended before the sign was sure.
    NotDecided,
    /// It was interrupted before the sign was sure.
    Interrupted,
    /// The measure means nothing here: a network isn't steady, or delivers no packet.
    NotComparable,
    /// A network could not deliver its packets.
    Failed,
}

impl Verdict {
    /// Its name in JSON and in tables.
    pub fn name(self) -> &'static str {
        match self {
            Verdict::ABetter => "a-better",
            Verdict::BBetter => "b-better",
            Verdict::Equal => "equal",
            Verdict::NotDecided => "not-decided",
            Verdict::Interrupted => "interrupted",
            Verdict::NotComparable => "not-comparable",
            Verdict::Failed => "failed",
        }
    }
}

/// An analysis of the pairs so far; `columns.rs` says what is what.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Analysis {
    /// Pairs.
    pub pairs: u32,
    pub(crate) difference: f64,
    pub(crate) interval: Option<[f64; 2]>,
}

/// The measure of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Value {
    /// Its network wasn't overloaded.
    Of(f64),
    /// Of the packets that an overloaded network happened to deliver.
    Transient(f64),
    /// There is none.
    Missing,
}

impl Value {
    /// The number that is compared: dropping overloaded runs would mean selecting by outcome.
    fn number(self) -> Option<f64> {
        match self {
            Value::Of(number) | Value::Transient(number) => Some(number),
            Value::Missing => None,
        }
    }
}

/// A seed's runs.
#[derive(Clone, Debug, PartialEq)]
pub struct Pair {
    pub(crate) seed: u64,
    /// The measure in A and in B.
    pub(crate) of: [Value; 2],
    pub(crate) reason_a: Option<String>,
    pub(crate) reason_b: Option<String>,
}

/// A comparison's result; `columns.rs` says what is what.
#[derive(Clone, Debug)]
pub struct Comparison {
    pub(crate) names: [String; 2],
    /// The outcome.
    pub verdict: Verdict,
    pub(crate) reason: Option<String>,
    pub(crate) confidence: f64,
    pub(crate) analysis_confidence: f64,
    pub(crate) analyses_planned: usize,
    pub(crate) analyses: Vec<Analysis>,
    pub(crate) means: Option<[Estimate; 3]>,
    pub(crate) correlation: Option<f64>,
    pub(crate) variance_reduction: Option<f64>,
    pub(crate) cycle_ps: [Option<u64>; 2],
    pub(crate) same_packets: bool,
    pub(crate) packets_differ: Option<String>,
    pub(crate) not_steady: [u32; 2],
    pub(crate) too_short: [u32; 2],
    /// The first reason of these, which says how long a window would do.
    pub(crate) too_short_why: Option<String>,
    pub(crate) seeds_change_nothing: bool,
    /// All pairs.
    pub pairs: Vec<Pair>,
    /// Both configurations with the first seed, with every default: a part of the provenance.
    pub configurations: [String; 2],
    /// The first seed.
    pub first_seed: u64,
    measure: Measure,
}

/// Compares. The watcher sees how many runs are done and how many there may be; a comparison that it stops
/// returns what there is.
///
/// # Errors
/// A configuration that makes no sense.
pub fn compare(
    asked: &Compare,
    watcher: &mut dyn FnMut(u32, u32) -> ControlFlow<()>,
) -> Result<Comparison, Error> {
    sides::refuse_own_seed(asked)?;
    let first = asked.a.resolve(&[])?;
    // Each pair has a seed.
    let _ = seeds::row("--budget-runs", first.run.seed, asked.most_pairs)?;
    let seed = |pair: u32| first.run.seed + u64::from(pair);
    let sides = [&asked.a, &asked.b];
    let resolve = |side: usize, pair: u32| -> Result<Resolved, Error> {
        let over = [base::seed_override(seed(pair))];
        sides[side].repeatable(&sides[side].name, &over)
    };
    let both = [resolve(0, 0)?, resolve(1, 0)?];
    let mut together = Together::new(asked.jobs);
    (0..asked.jobs).for_each(|run| together.add(run as u32, &both[run % 2]));
    together.admit()?;
    let planned = analyses::planned(asked.most_pairs);
    let level = analyses::level(asked.confidence, planned.len());
    let mut runs = Runs {
        rows: Vec::new(),
        begun: Instant::now(),
        of: 2 * asked.most_pairs,
        done: 0,
    };
    let measure = clocks::measure(asked, &both)?;
    let packets_differ = packets::difference(&both[0], &both[1]);
    let mut found = Comparison {
        names: [(&asked.a, &asked.b), (&asked.b, &asked.a)]
            .map(|(it, other)| sides::name(it, other)),
        verdict: Verdict::NotDecided,
        reason: None,
        confidence: asked.confidence,
        analysis_confidence: level,
        analyses_planned: planned.len(),
        analyses: Vec::new(),
        means: None,
        correlation: None,
        variance_reduction: None,
        cycle_ps: [0, 1].map(|side| clocks::cycle_ps(&both[side])),
        same_packets: packets_differ.is_none(),
        packets_differ,
        not_steady: [0, 0],
        too_short: [0, 0],
        too_short_why: None,
        seeds_change_nothing: false,
        pairs: Vec::new(),
        configurations: both.map(|resolved| resolved.to_toml()),
        first_seed: first.run.seed,
        measure,
    };
    for pairs in planned {
        let end = runs.up_to(pairs, asked, &resolve, watcher)?;
        found.take(runs.pairs(&seed));
        let decided = found.analyse();
        if decided || end != End::Done {
            found.end(end);
            break;
        }
    }
    found.settle();
    Ok(found)
}

/// Why runs ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    /// All that were asked for are done.
    Done,
    Interrupted,
    OutOfTime,
}

/// The runs so far: A's and B's of each pair.
struct Runs {
    rows: Vec<[Option<Row>; 2]>,
    begun: Instant,
    of: u32,
    done: u32,
}

impl Runs {
    /// Runs until there are `pairs` pairs.
    fn up_to(
        &mut self,
        pairs: u32,
        asked: &Compare,
        resolve: &(impl Fn(usize, u32) -> Result<Resolved, Error> + Sync),
        watcher: &mut dyn FnMut(u32, u32) -> ControlFlow<()>,
    ) -> Result<End, Error> {
        let from = self.rows.len() as u32;
        self.rows.resize(pairs as usize, [None, None]);
        let work = |task: u32, stop: &pool::Stop| {
            let (pair, side) = (task / 2, (task % 2) as usize);
            let run = || -> Result<Option<Row>, Error> {
                let resolved = resolve(side, pair)?;
                let once = |_: &[Override]| Ok::<_, Error>(resolved.clone());
                let decided = run_patiently(once, false, || stop.flow())?;
                Ok(decided.map(|decided| Row::ran(task, &resolved, &decided)))
            };
            run().transpose().map(|row| (task, row))
        };
        let flow = pool::each(asked.jobs, 2 * from..2 * pairs, work, |batch| {
            for (task, row) in batch {
                self.rows[task as usize / 2][task as usize % 2] = Some(row?);
                self.done += 1;
            }
            if watcher(self.done, self.of).is_break() {
                return Ok(ControlFlow::Break(End::Interrupted));
            }
            Ok(match asked.time {
                Some(time) if self.begun.elapsed() >= time => ControlFlow::Break(End::OutOfTime),
                _ => ControlFlow::Continue(()),
            })
        })?;
        Ok(flow.break_value().unwrap_or(End::Done))
    }

    /// The pairs before the first incomplete one.
    fn pairs(&self, seed: &impl Fn(u32) -> u64) -> Vec<(u64, [&Row; 2])> {
        let whole = self
            .rows
            .iter()
            .map_while(|[a, b]| Some([a.as_ref()?, b.as_ref()?]));
        whole
            .enumerate()
            .map(|(pair, rows)| (seed(pair as u32), rows))
            .collect()
    }
}

impl Comparison {
    /// The measure of a run.
    fn value(&self, row: &Row) -> Value {
        let Some(figures) = &row.figures else {
            return Value::Missing;
        };
        let transient = || self.measure.at_overload(figures).map(Value::Transient);
        let measured = self.measure.of(figures).map(Value::Of);
        measured.or_else(transient).unwrap_or(Value::Missing)
    }

    /// Takes in all pairs so far.
    fn take(&mut self, pairs: Vec<(u64, [&Row; 2])>) {
        let count = |side: usize, is: fn(&Row) -> bool| {
            let rows = pairs.iter().map(|(_, rows)| rows[side]);
            rows.filter(|row| is(row)).count() as u32
        };
        self.not_steady = [0, 1].map(|side| count(side, |row| row.steady_figures().is_none()));
        self.too_short = [0, 1].map(|side| count(side, Row::is_unknown));
        let mut rows = pairs.iter().flat_map(|(_, rows)| rows);
        self.too_short_why = rows
            .find(|row| row.is_unknown())
            .and_then(|row| row.reason.clone());
        let digest = |row: &Row| Some(row.figures.as_ref()?.text("digest")?.to_owned());
        let alike = |side: usize| {
            let mut digests = pairs.iter().map(|(_, rows)| digest(rows[side]));
            let first = digests.next().flatten();
            first.is_some() && digests.all(|digest| digest == first)
        };
        self.seeds_change_nothing = pairs.len() > 1 && alike(0) && alike(1);
        self.reason = self.obstacle(&pairs);
        if pairs
            .iter()
            .any(|(_, rows)| rows.iter().any(|row| row.status == Status::Failed))
        {
            self.verdict = Verdict::Failed;
        } else if self.reason.is_some() {
            self.verdict = Verdict::NotComparable;
        }
        let pair = |(seed, [a, b]): &(u64, [&Row; 2])| Pair {
            seed: *seed,
            of: [self.value(a), self.value(b)],
            reason_a: a.reason.clone(),
            reason_b: b.reason.clone(),
        };
        self.pairs = pairs.iter().map(pair).collect();
    }

    /// Why the pairs can't be compared: a network that failed, one of which at least half of the runs
    /// weren't steady, though the measure needs that, or one that delivers no packet.
    fn obstacle(&self, pairs: &[(u64, [&Row; 2])]) -> Option<String> {
        ["A", "B"].iter().enumerate().find_map(|(side, name)| {
            let rows = || pairs.iter().map(|(seed, rows)| (seed, rows[side]));
            if let Some((seed, row)) = rows().find(|(_, row)| row.status == Status::Failed) {
                let why = row.reason.as_deref().unwrap_or("failed");
                return Some(format!("{name} fails with seed {seed}: {why}"));
            }
            let unsteady = self.not_steady[side];
            if self.measure.comparison.needs_steady
                && unsteady > 0
                && 2 * unsteady as usize >= pairs.len()
            {
                let why = rows()
                    .filter(|(_, row)| row.steady_figures().is_none())
                    .find_map(|(_, row)| row.reason.as_deref())
                    .unwrap_or_default();
                return Some(format!(
                    "{name} is not steady in {unsteady} of {} runs ({why})",
                    pairs.len()
                ));
            }
            let empty = rows().find(|(_, row)| self.value(row) == Value::Missing);
            empty.map(|(seed, _)| {
                format!(
                    "{name} has no {} with seed {seed}",
                    self.measure.comparison.title
                )
            })
        })
    }

    /// Analyses the pairs; whether that settles it.
    fn analyse(&mut self) -> bool {
        if self.verdict != Verdict::NotDecided {
            return true;
        }
        let values: Vec<(f64, f64)> = self
            .pairs
            .iter()
            .filter_map(|pair| Some((pair.of[0].number()?, pair.of[1].number()?)))
            .collect();
        if values.is_empty() {
            return false;
        }
        let level = self.analysis_confidence;
        // Runs that are all the same leave nothing to chance, and say nothing about it.
        let certain = self.seeds_change_nothing;
        let over = |value: fn(&(f64, f64)) -> f64| {
            let all: Vec<f64> = values.iter().map(value).collect();
            let over = Estimate::of_independent(&all, level);
            let half_width = over.half_width.filter(|_| !certain);
            Estimate { half_width, ..over }
        };
        let [a, b, difference] = [over(|it| it.0), over(|it| it.1), over(|it| it.1 - it.0)];
        self.means = Some([a, b, difference]);
        self.analyses.push(Analysis {
            pairs: values.len() as u32,
            difference: difference.mean,
            interval: difference
                .half_width
                .map(|half| [difference.mean - half, difference.mean + half]),
        });
        (self.correlation, self.variance_reduction) = alike(&values);
        let sign = match certain {
            true => (difference.mean != 0.0).then_some(difference.mean > 0.0),
            false => analyses::sign(&difference),
        };
        match sign {
            Some(more) if more == self.measure.comparison.more_is_better => {
                self.verdict = Verdict::BBetter;
            }
            Some(_) => self.verdict = Verdict::ABetter,
            // More of the same runs would say the same.
            None => return certain,
        }
        true
    }

    /// What becomes of an uncertain sign at an early end.
    fn end(&mut self, end: End) {
        if end == End::Interrupted && self.verdict == Verdict::NotDecided {
            self.verdict = Verdict::Interrupted;
        }
    }

    /// Whether pairs that left the sign uncertain are all equal.
    fn settle(&mut self) {
        let equal =
            !self.pairs.is_empty() && self.pairs.iter().all(|pair| pair.of[0] == pair.of[1]);
        if equal && self.verdict == Verdict::NotDecided {
            self.verdict = Verdict::Equal;
        }
    }
}

/// The correlation of pairs, and the variance that pairing saves.
fn alike(values: &[(f64, f64)]) -> (Option<f64>, Option<f64>) {
    let count = values.len() as f64;
    let (mean_a, mean_b) = values.iter().fold((0.0, 0.0), |(a, b), value| {
        (a + value.0 / count, b + value.1 / count)
    });
    let (mut aa, mut bb, mut ab) = (0.0, 0.0, 0.0);
    for (a, b) in values {
        aa += (a - mean_a).powi(2);
        bb += (b - mean_b).powi(2);
        ab += (a - mean_a) * (b - mean_b);
    }
    let finite =
        |value: f64| Some(value).filter(|value: &f64| value.is_finite() && values.len() > 1);
    let apart = aa + bb - 2.0 * ab;
    // What is left of equal numbers is rounding.
    let reduction = if apart > 1e-12 * (aa + bb) {
        (aa + bb) / apart
    } else {
        f64::INFINITY
    };
    (finite(ab / (aa * bb).sqrt()), finite(reduction))
}

#[cfg(test)]
mod tests;
