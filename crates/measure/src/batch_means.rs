//! Confidence by batch means.

use std::num::NonZeroUsize;

use flitwork_types::Cycle;

use crate::estimate::two_sided_t;
use crate::{Estimate, Halves, Window};

/// A batch with fewer observations than this isn't worth a mean.
pub const MIN_OBSERVATIONS_PER_BATCH: u64 = 10;

/// Batches in a window by default. Schmeiser, "Batch size effects in the analysis of simulation output",
/// Operations Research 30 (1982): 10 to 30 are enough; more only make the batches dependent.
const BATCHES: NonZeroUsize = NonZeroUsize::new(20).unwrap();

/// Equal parts of a batch, which show the course of a warm-up in finer detail.
pub(crate) const CELLS_PER_BATCH: usize = 5;

/// The upper 5 % point of the standard normal distribution.
const NORMAL_95: f64 = 1.6449;

/// Why a confidence interval can't be trusted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Distrust {
    /// There is at most one batch, so that nothing shows how far batch means scatter.
    OneBatch,
    /// A batch has too few observations for its mean to be nearly normal.
    TooFewObservations {
        /// The first such batch, from 0.
        batch: usize,
        /// How many observations it has.
        observations: u64,
        /// How many it should have: [`MIN_OBSERVATIONS_PER_BATCH`].
        needed: u64,
    },
    /// Means of neighbouring batches rise and fall together: the batches are too short, and the interval
    /// would be too narrow.
    Correlated {
        /// The batch means' correlation at lag 1.
        lag_1: f64,
        /// What it would stay below 95 times in 100 if the batches were independent.
        limit: f64,
    },
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
/// The method of batch means (Law, Simulation Modeling and Analysis, section 9.5.3): means of batches that
/// are long compared with the correlation of the observations are nearly independent and normal, and their
/// scatter gives a confidence interval. Batches are cut by time here, so they hold different numbers of
/// observations; each batch is weighted by its number (the ratio estimator), which is the textbook formula if
/// the numbers are equal.
///
/// Only integer sums are kept, so observations may come in any order, or in parts by [`merge`].
///
/// [`merge`]: BatchMeans::merge
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BatchMeans {
    window: Window,
    cells: Vec<Cell>,
}

/// The position of a cycle in a window: the same for all [`BatchMeans`] of that window with the same number
/// of batches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WindowPart(usize);

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
        let part = self.part(cycle);
        part.map(|part| self.record_in(part, value)).is_some()
    }

    /// The position of `cycle`, for [`record_in`](BatchMeans::record_in); `None` outside the window.
    #[inline]
    pub fn part(&self, cycle: Cycle) -> Option<WindowPart> {
        self.window.part(cycle, self.cells.len()).map(WindowPart)
    }

    /// Counts an observation of a cycle in `part`, which belongs to this window and this number of batches.
    #[inline]
    pub fn record_in(&mut self, part: WindowPart, value: u64) {
        self.record_many(part, value, 1);
    }

    /// Counts this many observations of one value.
    #[inline]
    pub fn record_many(&mut self, part: WindowPart, value: u64, observations: u64) {
        self.cells[part.0].add(Cell {
            count: observations,
            sum: u128::from(value) * u128::from(observations),
        });
    }

    /// Removes one observation of a value that was recorded.
    pub fn take_back(&mut self, part: WindowPart, value: u64) {
        let cell = &mut self.cells[part.0];
        cell.count -= 1;
        cell.sum -= u128::from(value);
    }

    /// Counts everything that `other` counted, which must have the same window and batches.
    pub fn merge(&mut self, other: &BatchMeans) {
        assert_eq!(
            self.window, other.window,
            "only batch means of the same window can be merged"
        );
        assert_eq!(
            self.cells.len(),
            other.cells.len(),
            "only means of equally many batches can be merged"
        );
        for (cell, other) in self.cells.iter_mut().zip(&other.cells) {
            cell.add(*other);
        }
    }

    /// What was counted in the batches that had ended before `end`, as that of a window of these batches; at
    /// least the first batch, however much of it was simulated.
    #[must_use]
    pub fn before(&self, end: Cycle) -> BatchMeans {
        let batches = self.batches();
        let over = |batch: &usize| self.end_of(*batch) <= end;
        let whole = (0..batches).take_while(over).count().max(1);
        let window = Window::new(self.window.start(), self.end_of(whole - 1));
        BatchMeans {
            // A batch of a window with fewer cycles than batches may have none.
            window: window.unwrap_or(self.window),
            cells: self.cells[..whole * CELLS_PER_BATCH].to_vec(),
        }
    }

    /// The first cycle after a batch.
    fn end_of(&self, batch: usize) -> Cycle {
        let parts = (0..=batch).map(|batch| self.window.part_cycles(batch, self.batches()));
        self.window.start() + parts.sum::<u64>() as u32
    }

    /// The cycles that count.
    pub fn window(&self) -> Window {
        self.window
    }

    /// The number of batches.
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

    /// The mean of all observations, with an interval if it can be trusted (see [`distrust`]). `level` is
    /// between 0 and 1, exclusive.
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

    /// The interval's half-width, trusted or not; `None` only if fewer than two batches have an observation.
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

    /// The sum of the values per cycle: with words as values, the words per cycle. An interval is always
    /// given if there are two batches, because counts per cycle need no minimum of observations and are
    /// hardly correlated from batch to batch.
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

    /// The same for a window that was cut short at `end`: over the batches that were complete by then or, if
    /// there was none, over what there is, without an interval.
    pub fn rate_before(&self, end: Cycle, level: f64) -> Estimate {
        if end >= self.window.end() {
            return self.rate(level);
        }
        let cycles = |part| self.window.part_cycles(part, self.batches());
        let elapsed = u64::from(end.since(self.window.start()));
        let mut whole = Vec::new();
        let mut passed = 0;
        for (part, batch) in self.sums().enumerate() {
            passed += cycles(part);
            if passed > elapsed {
                break;
            }
            whole.push((batch.sum as f64, cycles(part) as f64));
        }
        let (sum, time) = match whole.is_empty() {
            true => (self.total().sum as f64, elapsed.max(1) as f64),
            false => (
                whole.iter().map(|w| w.0).sum(),
                whole.iter().map(|w| w.1).sum(),
            ),
        };
        let deviations: Vec<f64> = whole
            .iter()
            .map(|(words, cycles)| words / cycles - sum / time)
            .collect();
        Estimate {
            mean: sum / time,
            half_width: half_width(&deviations, level),
            batches: whole.len(),
            ..self.without_interval(level)
        }
    }

    /// The rates in the first half of the window and in the second, by batches that had ended before `end`; `None` if either half has
    /// fewer than two.
    pub fn halves(&self, end: Cycle, level: f64) -> Option<Halves> {
        let batches = self.batches();
        let whole = (0..batches).take_while(|batch| self.end_of(*batch) <= end);
        let cycles = |batch| self.window.part_cycles(batch, batches) as f64;
        let rates = whole.zip(self.sums());
        // A window with fewer cycles than batches has batches without any.
        let rates: Vec<f64> = rates
            .filter(|(batch, _)| cycles(*batch) > 0.0)
            .map(|(batch, sums)| sums.sum as f64 / cycles(batch))
            .collect();
        // Of an odd number of batches the one in the middle counts for neither half.
        let half = rates.len() / 2;
        let [first, second] = [&rates[..half], &rates[rates.len() - half..]];
        Halves::of(first, second, level)
    }

    /// Why an interval from these batches can't be trusted, if so.
    ///
    /// Too few observations in some batch, or batch means that are correlated at lag 1 more than 95 % of
    /// independent series of that length are: 1.645 / √batches (the large-sample error of a correlation; Law,
    /// section 9.5.3, asks for batches long enough to be uncorrelated).
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

    /// The correlation of neighbouring batch means, -1 to 1; 0 if all are equal. `None` if fewer than two
    /// batches have an observation.
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
mod tests;
