//! Confidence by batch means.

use std::fmt;
use std::num::NonZeroUsize;

use flitwork_types::Cycle;
use serde::Serialize;

use crate::Estimate;
use crate::estimate::two_sided_t;

/// A batch with fewer observations than this isn't worth a mean.
pub const MIN_OBSERVATIONS_PER_BATCH: u64 = 10;

/// Batches in a window where nothing else is asked for. Schmeiser, "Batch size effects in the analysis
/// of simulation output", Operations Research 30 (1982): 10 to 30 are enough, more only make the
/// batches dependent.
const BATCHES: NonZeroUsize = NonZeroUsize::new(20).unwrap();

/// Equal parts of a batch, so that the course of a warm-up can be seen at a finer grain.
const CELLS_PER_BATCH: usize = 5;

/// The upper 5 % point of the standard normal distribution.
const NORMAL_95: f64 = 1.6449;

/// The cycles in which observations count: from `start` up to, not including, `end`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    start: Cycle,
    end: Cycle,
}

/// A window without a cycle in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WindowError {
    /// Where the window should have started.
    pub start: Cycle,
    /// Where it should have ended.
    pub end: Cycle,
}

impl fmt::Display for WindowError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "the measured window must end after it starts, at {}, not at {}",
            self.start, self.end
        )
    }
}

impl std::error::Error for WindowError {}

impl Window {
    /// The window from `start` up to, not including, `end`.
    ///
    /// # Errors
    /// `end` isn't later than `start`.
    pub fn new(start: Cycle, end: Cycle) -> Result<Window, WindowError> {
        if end > start {
            Ok(Window { start, end })
        } else {
            Err(WindowError { start, end })
        }
    }

    /// The first cycle that counts.
    pub fn start(self) -> Cycle {
        self.start
    }

    /// The first cycle that counts no more.
    pub fn end(self) -> Cycle {
        self.end
    }

    /// The window's length, at least 1.
    pub fn cycles(self) -> u32 {
        self.end.since(self.start)
    }

    /// Whether an observation of `cycle` counts.
    pub fn contains(self, cycle: Cycle) -> bool {
        self.start <= cycle && cycle < self.end
    }

    /// Which of `parts` equal parts of the window `cycle` lies in.
    fn part(self, cycle: Cycle, parts: usize) -> Option<usize> {
        let part = u64::from(cycle.since(self.start)) * parts as u64 / u64::from(self.cycles());
        self.contains(cycle).then_some(part as usize)
    }

    /// How many cycles lie in part `part` of `parts`: equal to within one.
    fn part_cycles(self, part: usize, parts: usize) -> u64 {
        let first = |part: usize| (part as u64 * u64::from(self.cycles())).div_ceil(parts as u64);
        first(part + 1) - first(part)
    }
}

/// Why a confidence interval can't be trusted.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub enum Distrust {
    /// There is at most one batch, so that nothing tells how far batch means scatter.
    OneBatch,
    /// A batch has too few observations for its mean to be near normal.
    TooFewObservations {
        /// The first such batch, from 0.
        batch: usize,
        /// How many observations it has.
        observations: u64,
        /// How many it should have: [`MIN_OBSERVATIONS_PER_BATCH`].
        needed: u64,
    },
    /// Neighbouring batches go up and down together: the batches are too short, and the interval
    /// would be too narrow.
    Correlated {
        /// The batch means' correlation at lag 1.
        lag_1: f64,
        /// What it would stay below 95 times in 100 if the batches were independent.
        limit: f64,
    },
}

impl fmt::Display for Distrust {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Distrust::OneBatch => write!(f, "a single batch shows no scatter"),
            Distrust::TooFewObservations {
                batch,
                observations,
                needed,
            } => {
                write!(
                    f,
                    "batch {batch} has {observations} observations, of {needed} needed"
                )
            }
            Distrust::Correlated { lag_1, limit } => write!(
                f,
                "neighbouring batch means are correlated ({lag_1:.2}, where {limit:.2} is the limit): \
                 measure longer"
            ),
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Cell {
    count: u64,
    sum: u128,
}

impl Cell {
    fn add(&mut self, other: Cell) {
        self.count += other.count;
        self.sum += other.sum;
    }

    fn mean(self) -> Option<f64> {
        (self.count > 0).then(|| self.sum as f64 / self.count as f64)
    }
}

/// Observations of a window, summed over equal batches of cycles.
///
/// The method of batch means (Law, Simulation Modeling and Analysis, section 9.5.3): means of batches
/// that are long against the correlation of the observations are nearly independent and normal, and
/// their scatter gives a confidence interval. Batches are cut by time here, so they hold different
/// numbers of observations; each batch counts by its number (the ratio estimator), which is the
/// textbook formula where the numbers are equal.
///
/// Only integer sums are kept, so observations may come in any order, or in parts by [`merge`].
///
/// [`merge`]: BatchMeans::merge
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BatchMeans {
    window: Window,
    cells: Vec<Cell>,
}

impl BatchMeans {
    /// No observation yet, in a window of 20 batches.
    pub fn new(window: Window) -> BatchMeans {
        BatchMeans::with_batches(window, BATCHES)
    }

    /// No observation yet, in a window of `batches` batches.
    pub fn with_batches(window: Window, batches: NonZeroUsize) -> BatchMeans {
        BatchMeans {
            window,
            cells: vec![Cell::default(); batches.get() * CELLS_PER_BATCH],
        }
    }

    /// Counts an observation of `cycle`; returns whether that cycle is in the window.
    #[inline]
    pub fn record(&mut self, cycle: Cycle, value: u64) -> bool {
        let Some(cell) = self.window.part(cycle, self.cells.len()) else {
            return false;
        };
        self.cells[cell].add(Cell {
            count: 1,
            sum: u128::from(value),
        });
        true
    }

    /// Counts everything that `other` counted, which must have the same window and batches.
    pub fn merge(&mut self, other: &BatchMeans) {
        assert_eq!(
            self.window, other.window,
            "batch means of one window only can be merged"
        );
        assert_eq!(
            self.cells.len(),
            other.cells.len(),
            "batch means of as many batches only"
        );
        for (cell, other) in self.cells.iter_mut().zip(&other.cells) {
            cell.add(*other);
        }
    }

    /// The cycles that count.
    pub fn window(&self) -> Window {
        self.window
    }

    /// How many batches the window is cut into.
    pub fn batches(&self) -> usize {
        self.cells.len() / CELLS_PER_BATCH
    }

    /// How many observations were counted.
    pub fn observations(&self) -> u64 {
        self.cells.iter().map(|cell| cell.count).sum()
    }

    /// Each batch's number of observations.
    pub fn batch_observations(&self) -> impl Iterator<Item = u64> + '_ {
        self.sums().map(|batch| batch.count)
    }

    /// Each batch's mean, `None` for a batch without an observation.
    pub fn batch_means(&self) -> impl Iterator<Item = Option<f64>> + '_ {
        self.sums().map(Cell::mean)
    }

    /// The means of five times as many parts of the window, `None` for a part without an observation.
    pub fn fine_means(&self) -> impl Iterator<Item = Option<f64>> + '_ {
        self.cells.iter().map(|cell| cell.mean())
    }

    /// The mean of all observations.
    pub fn mean(&self) -> Option<f64> {
        self.total().mean()
    }

    /// The mean of all observations, with an interval where it can be trusted (see [`distrust`]).
    /// `level` lies between 0 and 1, ends excluded.
    ///
    /// [`distrust`]: BatchMeans::distrust
    pub fn estimate(&self, level: f64) -> Estimate {
        let half_width = match self.distrust() {
            None => self.raw_half_width(level),
            Some(_) => None,
        };
        Estimate {
            half_width,
            ..self.without_interval(level)
        }
    }

    /// The interval's half-width, trusted or not; `None` only where fewer than two batches have an
    /// observation.
    pub fn raw_half_width(&self, level: f64) -> Option<f64> {
        let mean = self.mean()?;
        let per_batch = self.observations() as f64 / self.batches() as f64;
        // A batch's deviation, weighted by its share of the observations.
        let deviations: Vec<f64> = self
            .sums()
            .filter(|batch| batch.count > 0)
            .map(|batch| (batch.sum as f64 - mean * batch.count as f64) / per_batch)
            .collect();
        half_width(&deviations, level)
    }

    /// The sum of the values a cycle: with words as values, the words a cycle. The interval is always
    /// given where there are two batches, because counts a cycle need no minimum of observations and
    /// are hardly correlated from batch to batch.
    pub fn rate(&self, level: f64) -> Estimate {
        let batches = self.batches();
        let rate = |batch: Cell, cycles: u64| batch.sum as f64 / cycles as f64;
        let mean = rate(self.total(), u64::from(self.window.cycles()));
        let deviations: Vec<f64> = self
            .sums()
            .enumerate()
            .map(|(part, batch)| (batch, self.window.part_cycles(part, batches)))
            .filter(|&(_, cycles)| cycles > 0)
            .map(|(batch, cycles)| rate(batch, cycles) - mean)
            .collect();
        Estimate {
            mean,
            half_width: half_width(&deviations, level),
            ..self.without_interval(level)
        }
    }

    /// Why an interval from these batches can't be trusted, if so.
    ///
    /// Too few observations in some batch, or batch means correlated at lag 1 more than 95 % of
    /// independent series of that length are: 1.645 / √batches (the large-sample error of a
    /// correlation; Law, section 9.5.3, asks for batches long enough to be uncorrelated).
    pub fn distrust(&self) -> Option<Distrust> {
        if self.batches() < 2 {
            return Some(Distrust::OneBatch);
        }
        let needed = MIN_OBSERVATIONS_PER_BATCH;
        let mut counts = self.batch_observations().enumerate();
        if let Some((batch, observations)) = counts.find(|&(_, count)| count < needed) {
            return Some(Distrust::TooFewObservations {
                batch,
                observations,
                needed,
            });
        }
        let (lag_1, limit) = (
            self.lag_1_correlation()?,
            NORMAL_95 / (self.batches() as f64).sqrt(),
        );
        (lag_1 > limit).then_some(Distrust::Correlated { lag_1, limit })
    }

    /// The correlation of neighbouring batch means, -1 to 1; 0 where all are equal. `None` where fewer
    /// than two batches have an observation.
    pub fn lag_1_correlation(&self) -> Option<f64> {
        let means: Vec<f64> = self.batch_means().flatten().collect();
        if means.len() < 2 {
            return None;
        }
        let grand = means.iter().sum::<f64>() / means.len() as f64;
        let scatter: f64 = means.iter().map(|mean| (mean - grand).powi(2)).sum();
        let together: f64 = means
            .windows(2)
            .map(|pair| (pair[0] - grand) * (pair[1] - grand))
            .sum();
        Some(if scatter > 0.0 {
            together / scatter
        } else {
            0.0
        })
    }

    fn without_interval(&self, level: f64) -> Estimate {
        Estimate {
            mean: self.mean().unwrap_or(f64::NAN),
            half_width: None,
            level,
            batches: self.batches(),
            observations: self.observations(),
        }
    }

    fn total(&self) -> Cell {
        sum(&self.cells)
    }

    fn sums(&self) -> impl Iterator<Item = Cell> + '_ {
        self.cells.chunks_exact(CELLS_PER_BATCH).map(sum)
    }
}

fn sum(cells: &[Cell]) -> Cell {
    let mut total = Cell::default();
    cells.iter().for_each(|cell| total.add(*cell));
    total
}

/// t · √(Σ deviation² / (n - 1) / n).
fn half_width(deviations: &[f64], level: f64) -> Option<f64> {
    let batches = deviations.len();
    if batches < 2 {
        return None;
    }
    let variance = deviations.iter().map(|d| d * d).sum::<f64>() / (batches - 1) as f64;
    Some(two_sided_t(batches - 1, level) * (variance / batches as f64).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn window(start: u32, end: u32) -> Window {
        Window::new(Cycle(start), Cycle(end)).unwrap()
    }

    fn batches(count: usize) -> NonZeroUsize {
        NonZeroUsize::new(count).unwrap()
    }

    #[test]
    fn a_window_needs_a_cycle() {
        let error = Window::new(Cycle(5), Cycle(5)).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the measured window must end after it starts, at 5, not at 5"
        );
        assert_eq!(window(5, 6).cycles(), 1);
    }

    #[test]
    fn cycles_outside_the_window_do_not_count() {
        let mut means = BatchMeans::new(window(100, 200));
        assert_eq!(
            [99, 100, 199, 200].map(|cycle| means.record(Cycle(cycle), 1)),
            [false, true, true, false]
        );
        assert_eq!(means.observations(), 2);
        let counts: Vec<u64> = means.batch_observations().collect();
        assert_eq!((counts[0], counts[19], counts.len()), (1, 1, 20));
    }

    #[test]
    fn parts_are_equal_to_within_one_cycle() {
        for (cycles, parts) in [(100, 20), (101, 20), (7, 20), (4_000_000_000, 100)] {
            let window = window(3, 3 + cycles);
            let lengths: Vec<u64> = (0..parts).map(|p| window.part_cycles(p, parts)).collect();
            assert_eq!(lengths.iter().sum::<u64>(), u64::from(cycles));
            assert!(lengths.iter().max().unwrap() - lengths.iter().min().unwrap() <= 1);
            if cycles < 200 {
                let mut seen = vec![0; parts];
                (3..3 + cycles).for_each(|c| seen[window.part(Cycle(c), parts).unwrap()] += 1);
                assert_eq!(seen, lengths);
            }
        }
    }

    #[test]
    fn the_interval_of_five_batches() {
        // Batch means 8, 9, 10, 11, 12, ten observations each: mean 10, variance 10 / 4 = 2.5,
        // t(4, 95 %) = 2.776, half-width 2.776 · √(2.5 / 5) = 1.963. But they rise: lag-1 correlation
        // (2 + 0 + 0 + 2) / 10 = 0.4, below the limit 1.645 / √5 = 0.74.
        let mut means = BatchMeans::with_batches(window(0, 50), batches(5));
        for cycle in 0..50 {
            means.record(Cycle(cycle), u64::from(8 + cycle / 10));
        }
        let estimate = means.estimate(0.95);
        assert_eq!(
            (estimate.mean, estimate.batches, estimate.observations),
            (10.0, 5, 50)
        );
        assert!((estimate.half_width.unwrap() - 1.963).abs() < 1e-3);
        assert!((means.lag_1_correlation().unwrap() - 0.4).abs() < 1e-12);
        // 8, 9, …, 12 a cycle: the rate has the same mean and interval.
        let rate = means.rate(0.95);
        assert_eq!(rate.mean, 10.0);
        assert!((rate.half_width.unwrap() - 1.963).abs() < 1e-3);
    }

    #[test]
    fn batches_count_by_their_observations() {
        // Batch 0: 30 observations of 1; batch 1: 10 of 5. Mean 80 / 40 = 2, not 3. Deviations
        // (30 - 60) / 20 = -1.5 and (50 - 20) / 20 = 1.5, variance 4.5, t(1, 95 %) = 12.706:
        // 12.706 · √(4.5 / 2) = 19.06.
        let mut means = BatchMeans::with_batches(window(0, 20), batches(2));
        (0..30).for_each(|_| assert!(means.record(Cycle(0), 1)));
        (0..10).for_each(|_| assert!(means.record(Cycle(19), 5)));
        assert_eq!(means.mean(), Some(2.0));
        assert!((means.raw_half_width(0.95).unwrap() - 19.06).abs() < 1e-2);
    }

    #[test]
    fn says_why_an_interval_cannot_be_trusted() {
        let mut one = BatchMeans::with_batches(window(0, 100), batches(1));
        (0..100).for_each(|cycle| assert!(one.record(Cycle(cycle), 1)));
        assert_eq!(one.distrust(), Some(Distrust::OneBatch));
        assert_eq!(one.estimate(0.95).half_width, None);

        let mut few = BatchMeans::new(window(0, 200));
        (0..200)
            .filter(|cycle| *cycle != 37)
            .for_each(|cycle| assert!(few.record(Cycle(cycle), 1)));
        let needed = MIN_OBSERVATIONS_PER_BATCH;
        assert_eq!(
            few.distrust(),
            Some(Distrust::TooFewObservations {
                batch: 3,
                observations: 9,
                needed
            })
        );
        few.record(Cycle(37), 1);
        assert_eq!(few.distrust(), None);
        assert_eq!(few.estimate(0.95).half_width, Some(0.0));

        // A ramp over 20 batches: 1 - lag_1 = O(1 / batches).
        let mut ramp = BatchMeans::new(window(0, 2000));
        (0..2000).for_each(|cycle| assert!(ramp.record(Cycle(cycle), cycle.into())));
        let Some(Distrust::Correlated { lag_1, limit }) = ramp.distrust() else {
            panic!(
                "a ramp's batch means are correlated, not {:?}",
                ramp.distrust()
            );
        };
        assert!(lag_1 > 0.8 && (limit - 0.3678).abs() < 1e-3);
        assert_eq!(ramp.estimate(0.95).half_width, None);
        assert!(ramp.raw_half_width(0.95).is_some());
    }

    #[test]
    fn an_empty_window_has_no_figures() {
        let empty = BatchMeans::new(window(0, 10));
        let estimate = empty.estimate(0.95);
        assert!(estimate.mean.is_nan());
        assert_eq!(
            (estimate.half_width, empty.mean(), empty.lag_1_correlation()),
            (None, None, None)
        );
        assert_eq!(empty.rate(0.95).mean, 0.0);
    }

    proptest! {
        #[test]
        fn order_and_merging_change_nothing(
            mut observations in prop::collection::vec((0u32..1200, any::<u64>()), 0..300),
            cut in 0usize..300,
        ) {
            let of = |observations: &[(u32, u64)]| {
                let mut means = BatchMeans::new(window(100, 1077));
                for &(cycle, value) in observations {
                    means.record(Cycle(cycle), value);
                }
                means
            };
            let whole = of(&observations);
            let (left, right) = observations.split_at(cut.min(observations.len()));
            let mut merged = of(left);
            merged.merge(&of(right));
            prop_assert_eq!(&merged, &whole);
            observations.sort_by_key(|(_, value)| *value);
            prop_assert_eq!(&of(&observations), &whole);
            let counts = whole.batch_observations().sum::<u64>();
            prop_assert_eq!(counts, whole.observations());
        }
    }
}
