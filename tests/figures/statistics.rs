//! Textbook statistics of lists of numbers: slow, plain, and without any code of `flitwork-measure`.

/// The confidence of all intervals.
pub(crate) const LEVEL: f64 = 0.95;

/// The upper 5 % point of the normal distribution (any table: 1.6449).
const NORMAL_95: f64 = 1.6449;

/// Batches of a window.
pub(crate) const BATCHES: usize = 20;

/// The probability that Student's t with this many degrees of freedom is within ± t: Abramowitz and Stegun,
/// Handbook of Mathematical Functions, 26.7.3 and 26.7.4.
pub(crate) fn t_within(freedom: usize, t: f64) -> f64 {
    let angle = (t / (freedom as f64).sqrt()).atan();
    let (sine, cosine) = angle.sin_cos();
    let half_pi = std::f64::consts::FRAC_PI_2;
    if freedom % 2 == 1 {
        // θ + sin θ (cos θ + 2/3 cos³ θ + … + 2·4…(ν-3) / 3·5…(ν-2) cos^(ν-2) θ), over π/2.
        let (mut sum, mut term, mut power) = (0.0, cosine, 1);
        while power + 2 <= freedom {
            sum += term;
            term *= cosine * cosine * (power + 1) as f64 / (power + 2) as f64;
            power += 2;
        }
        (angle + sine * sum) / half_pi
    } else {
        // sin θ (1 + 1/2 cos² θ + 1·3 / 2·4 cos⁴ θ + … cos^(ν-2) θ).
        let (mut sum, mut term, mut power) = (0.0, 1.0, 0);
        while power + 2 <= freedom {
            sum += term;
            term *= cosine * cosine * (power + 1) as f64 / (power + 2) as f64;
            power += 2;
        }
        sine * sum
    }
}

/// What Student's t stays within, on both sides, with the probability [`LEVEL`].
pub(crate) fn t_95(freedom: usize) -> f64 {
    t_of(freedom, LEVEL)
}

/// The same with 99 %.
pub(crate) fn t_99(freedom: usize) -> f64 {
    t_of(freedom, 0.99)
}

fn t_of(freedom: usize, level: f64) -> f64 {
    let (mut low, mut high) = (0.0, 100.0);
    for _ in 0..200 {
        let middle = (low + high) / 2.0;
        if t_within(freedom, middle) < level {
            low = middle;
        } else {
            high = middle;
        }
    }
    low
}

/// A mean and half its interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Estimate {
    pub(crate) mean: f64,
    pub(crate) half_width: Option<f64>,
    pub(crate) level: f64,
    pub(crate) batches: usize,
    pub(crate) observations: usize,
}

pub(crate) fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// The sum of squared distances from the mean.
pub(crate) fn scatter(values: &[f64]) -> f64 {
    let mean = mean(values);
    values.iter().map(|value| (value - mean).powi(2)).sum()
}

/// t √(Σ d² / (n - 1) / n) of deviations d from a mean.
fn half_width(deviations: &[f64]) -> Option<f64> {
    let count = deviations.len() as f64;
    let squares: f64 = deviations.iter().map(|d| d * d).sum();
    (deviations.len() > 1)
        .then(|| t_95(deviations.len() - 1) * (squares / (count - 1.0) / count).sqrt())
}

/// The measured cycles, from the first to before the last.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Span {
    pub(crate) start: i64,
    pub(crate) end: i64,
}

impl Span {
    pub(crate) fn has(self, cycle: i64) -> bool {
        self.start <= cycle && cycle < self.end
    }

    pub(crate) fn cycles(self) -> i64 {
        self.end - self.start
    }

    /// Which of this many equal parts contains a cycle.
    fn part(self, cycle: i64, parts: usize) -> usize {
        ((cycle - self.start) * parts as i64 / self.cycles()) as usize
    }

    /// How many cycles are in each part, counted one by one.
    fn part_cycles(self, parts: usize) -> Vec<i64> {
        let mut counts = vec![0; parts];
        for cycle in self.start..self.end {
            counts[self.part(cycle, parts)] += 1;
        }
        counts
    }
}

/// Values, each with the cycle that it belongs to.
#[derive(Clone, Debug)]
pub(crate) struct Series {
    pub(crate) span: Span,
    pub(crate) values: Vec<(i64, f64)>,
    /// The batches that count, of [`BATCHES`] in the span: all of them unless it was cut.
    pub(crate) batches: usize,
}

impl Series {
    /// Those of all values that are in the span.
    pub(crate) fn of(span: Span, values: impl IntoIterator<Item = (i64, f64)>) -> Series {
        let values = values.into_iter().filter(|(cycle, _)| span.has(*cycle));
        Series {
            span,
            values: values.collect(),
            batches: BATCHES,
        }
    }

    /// The batches that had ended at a cycle, at least the first.
    pub(crate) fn before(self, cut: i64) -> Series {
        let ends = self.batch_ends();
        let batches = ends.iter().filter(|end| **end <= cut).count().max(1);
        let values = self.values.into_iter();
        let values = values.filter(|(cycle, _)| *cycle < ends[batches - 1]);
        Series {
            span: self.span,
            values: values.collect(),
            batches,
        }
    }

    /// The first cycle after each batch of the span.
    fn batch_ends(&self) -> Vec<i64> {
        let mut end = self.span.start;
        let cycles = self.span.part_cycles(BATCHES).into_iter();
        cycles
            .map(|cycles| {
                end += cycles;
                end
            })
            .collect()
    }

    /// Cycles of the batches that count.
    pub(crate) fn cycles(&self) -> i64 {
        self.batch_ends()[self.batches - 1] - self.span.start
    }

    /// The values of each part of the batches that count, this many parts per batch.
    pub(crate) fn parts(&self, a_batch: usize) -> Vec<Vec<f64>> {
        let mut found = vec![Vec::new(); self.batches * a_batch];
        for (cycle, value) in &self.values {
            found[self.span.part(*cycle, BATCHES * a_batch)].push(*value);
        }
        found
    }

    /// The smallest number of values in a batch.
    pub(crate) fn fewest(&self) -> usize {
        self.parts(1).iter().map(Vec::len).min().unwrap()
    }

    /// The mean of all values with the interval of batch means, if it can be trusted.
    pub(crate) fn estimate(&self) -> Estimate {
        let batches = self.parts(1);
        let all: Vec<f64> = self.values.iter().map(|(_, value)| *value).collect();
        let grand = mean(&all);
        let trusted = batches.iter().all(|batch| batch.len() >= 10) && {
            let means: Vec<f64> = batches.iter().map(|batch| mean(batch)).collect();
            lag_1(&means) <= NORMAL_95 / (BATCHES as f64).sqrt()
        };
        // The ratio estimator: a batch's deviation is weighted by its share of the observations.
        let per_batch = all.len() as f64 / BATCHES as f64;
        let deviations: Vec<f64> = batches
            .iter()
            .map(|batch| (batch.iter().sum::<f64>() - grand * batch.len() as f64) / per_batch)
            .collect();
        Estimate {
            mean: grand,
            half_width: half_width(&deviations).filter(|_| trusted),
            level: LEVEL,
            batches: BATCHES,
            observations: all.len(),
        }
    }

    /// The sum of the values per cycle, over the batches that were complete at cycle `cut`.
    pub(crate) fn rate(&self, cut: i64) -> Estimate {
        let cycles = self.span.part_cycles(BATCHES);
        let sums = self.parts(1);
        let sums = sums.iter().map(|batch| batch.iter().sum::<f64>());
        let mut ends = self.span.start;
        let mut whole: Vec<(f64, f64)> = Vec::new();
        let mut batches = 0;
        for (sum, cycles) in sums.zip(cycles) {
            ends += cycles;
            if ends > cut {
                break;
            }
            batches += 1;
            // A batch without a cycle has no rate.
            if cycles > 0 || cut < self.span.end {
                whole.push((sum, cycles as f64));
            }
        }
        let (words, time): (f64, f64) = if whole.is_empty() {
            let words = self.values.iter().map(|(_, value)| value).sum();
            (words, (cut - self.span.start).max(1) as f64)
        } else {
            let words = whole.iter().map(|(words, _)| words).sum();
            (words, whole.iter().map(|(_, cycles)| cycles).sum())
        };
        // An empty sum is -0.
        let rate = words / time + 0.0;
        let deviations: Vec<f64> = whole
            .iter()
            .map(|(words, cycles)| words / cycles - rate)
            .collect();
        Estimate {
            mean: rate,
            half_width: half_width(&deviations),
            level: LEVEL,
            batches,
            observations: self.values.len(),
        }
    }
}

/// Rates in the two halves of a span.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Halves {
    pub(crate) first: f64,
    pub(crate) second: f64,
    /// By how much the second is more, as a part of the first, and half of its interval.
    pub(crate) change: f64,
    pub(crate) half_width: f64,
}

impl Series {
    /// The sums per cycle in the first batches and in as many last ones of those that were complete at cycle `cut`.
    pub(crate) fn halves(&self, cut: i64) -> Option<Halves> {
        let (cycles, ends) = (self.span.part_cycles(BATCHES), self.batch_ends());
        let sums = self.parts(1);
        let whole = (0..sums.len()).filter(|at| ends[*at] <= cut && cycles[*at] > 0);
        let rates: Vec<f64> = whole
            .map(|at| sums[at].iter().sum::<f64>() / cycles[at] as f64 + 0.0)
            .collect();
        let count = rates.len() / 2;
        if count < 2 {
            return None;
        }
        let (early, late) = (&rates[..count], &rates[rates.len() - count..]);
        let [first, second] = [mean(early), mean(late)];
        let squares = |values: &[f64], mean: f64| -> f64 {
            values
                .iter()
                .map(|value| (value - mean) * (value - mean))
                .sum()
        };
        let both = squares(early, first) + squares(late, second);
        let variance = both / (2 * count - 2) as f64;
        let error = (2.0 * variance / count as f64).sqrt();
        Some(Halves {
            first,
            second,
            change: (second - first) / first,
            half_width: t_95(2 * count - 2) * error / first.abs(),
        })
    }
}

/// The correlation of neighbours in a series; 0 if nothing varies.
fn lag_1(values: &[f64]) -> f64 {
    let (mean, all) = (mean(values), scatter(values));
    let together: f64 = values
        .windows(2)
        .map(|pair| (pair[0] - mean) * (pair[1] - mean))
        .sum();
    if all > 0.0 { together / all } else { 0.0 }
}

/// The bin of a value in `latency.csv`: one value wide below 2,048, twice as wide from each power of two on.
pub(crate) fn bin(value: u64) -> (u64, u64) {
    let mut width = 1;
    while value >= 2048 * width {
        width *= 2;
    }
    let low = value / width * width;
    (low, low + width - 1)
}

/// The least value that this many thousandths of the values don't exceed: the upper end of its bin, but no
/// more than the greatest value.
pub(crate) fn percentile(values: &[u64], per_mille: usize) -> Option<u64> {
    let mut sorted = values.to_vec();
    sorted.sort_unstable();
    let rank = (sorted.len() * per_mille).div_ceil(1000).max(1);
    let value = sorted.get(rank - 1)?;
    Some(bin(*value).1.min(*sorted.last()?))
}

/// The slope of the least-squares line through (x, y).
pub(crate) fn slope(points: &[(f64, f64)]) -> f64 {
    let xs: Vec<f64> = points.iter().map(|point| point.0).collect();
    let ys: Vec<f64> = points.iter().map(|point| point.1).collect();
    let (mean_x, mean_y) = (mean(&xs), mean(&ys));
    let products = points.iter().map(|(x, y)| (x - mean_x) * (y - mean_y));
    products.sum::<f64>() / scatter(&xs)
}

#[test]
fn students_t_matches_the_printed_table() {
    // NIST/SEMATECH e-Handbook of Statistical Methods, section 1.3.6.7.2, upper 2.5 % points.
    for (freedom, t) in [
        (1, 12.706),
        (2, 4.303),
        (3, 3.182),
        (4, 2.776),
        (9, 2.262),
        (18, 2.101),
        (19, 2.093),
        (99, 1.984),
    ] {
        assert!((t_95(freedom) - t).abs() < 6e-4, "{freedom}");
    }
}
