//! Latency histograms.

use hdrhistogram::Histogram as Bins;

/// Decimal digits that a bin keeps of a value.
const DIGITS: u8 = 3;

/// The greatest value with a bin of its own: the limit of an auto-resizing `hdrhistogram`. Greater values are
/// counted in that bin; the exact sums include them exactly.
const GREATEST_BIN: u64 = i64::MAX as u64 / 2;

/// How often each latency (or any other non-negative integer) occurred.
///
/// Bins hold a value to three significant digits: below 2,048 a bin is one value wide, above that at most a
/// thousandth of its value. Count, sum, least and greatest value are kept separately and are exact.
///
/// Two histograms are equal if they were given the same values, up to the width of a bin, and the exact
/// figures agree, whatever the order of the values.
#[derive(Clone, Debug)]
pub struct Histogram {
    bins: Bins<u64>,
    sum: u128,
    min: u64,
    max: u64,
}

/// One bin of a [`Histogram`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bin {
    /// The least value the bin counts.
    pub low: u64,
    /// The greatest value the bin counts.
    pub high: u64,
    /// How many values from `low` to `high` were recorded.
    pub count: u64,
}

impl Histogram {
    /// An empty histogram.
    pub fn new() -> Histogram {
        let bins = Bins::new(DIGITS).expect("three digits are a valid precision");
        Histogram {
            bins,
            sum: 0,
            min: u64::MAX,
            max: 0,
        }
    }

    /// Counts one value.
    #[inline]
    pub fn record(&mut self, value: u64) {
        self.bins
            .record(value.min(GREATEST_BIN))
            .expect("an auto-resizing histogram has room");
        self.sum += u128::from(value);
        self.min = self.min.min(value);
        self.max = self.max.max(value);
    }

    /// Counts everything that `other` counted.
    pub fn merge(&mut self, other: &Histogram) {
        self.bins
            .add(&other.bins)
            .expect("an auto-resizing histogram has room");
        self.sum += other.sum;
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
    }

    /// How many values were recorded.
    pub fn count(&self) -> u64 {
        self.bins.len()
    }

    /// Whether nothing was recorded.
    pub fn is_empty(&self) -> bool {
        self.count() == 0
    }

    /// The exact sum of all values.
    pub fn sum(&self) -> u128 {
        self.sum
    }

    /// The exact mean, in the unit of the values.
    pub fn mean(&self) -> Option<f64> {
        (!self.is_empty()).then(|| self.sum as f64 / self.count() as f64)
    }

    /// The least value, exactly.
    pub fn min(&self) -> Option<u64> {
        (!self.is_empty()).then_some(self.min)
    }

    /// The greatest value, exactly.
    pub fn max(&self) -> Option<u64> {
        (!self.is_empty()).then_some(self.max)
    }

    /// The least value that `percent` % of the values don't exceed, the one of rank ceil(percent / 100 ·
    /// count), to three significant digits (the upper end of its bin, but never more than the greatest
    /// value). `percent` is clamped to 0 to 100.
    pub fn percentile(&self, percent: f64) -> Option<u64> {
        if self.is_empty() {
            return None;
        }
        let percent = if percent.is_nan() {
            0.0
        } else {
            percent.clamp(0.0, 100.0)
        };
        if percent == 100.0 {
            return Some(self.max);
        }
        let count = self.count() as f64;
        // 99.9 % of 1,000 values are 999, though 99.9 has no exact binary fraction.
        let rank = (percent * count / 100.0 * (1.0 - 4.0 * f64::EPSILON)).ceil();
        // Half a rank below is within it, however the quotient is rounded.
        let quantile = (rank - 0.5).max(0.0) / count;
        let value = self.bins.value_at_quantile(quantile);
        Some(value.clamp(self.min, self.max))
    }

    /// The bins that hold something, lowest values first.
    pub fn bins(&self) -> impl Iterator<Item = Bin> + '_ {
        self.bins.iter_recorded().map(|bin| {
            let value = bin.value_iterated_to();
            Bin {
                low: self.bins.lowest_equivalent(value),
                high: self.bins.highest_equivalent(value),
                count: bin.count_at_value(),
            }
        })
    }
}

impl Default for Histogram {
    fn default() -> Histogram {
        Histogram::new()
    }
}

impl PartialEq for Histogram {
    // Not derived: the number of empty bins that are kept depends on the order of the values.
    fn eq(&self, other: &Histogram) -> bool {
        self.count() == other.count()
            && self.sum == other.sum
            && self.min == other.min
            && self.max == other.max
            && self.bins().eq(other.bins())
    }
}

impl Eq for Histogram {}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(values: impl IntoIterator<Item = u64>) -> Histogram {
        let mut histogram = Histogram::new();
        values.into_iter().for_each(|value| histogram.record(value));
        histogram
    }

    #[test]
    fn an_empty_histogram_has_no_figures() {
        let empty = Histogram::new();
        assert_eq!((empty.mean(), empty.min(), empty.max()), (None, None, None));
        assert_eq!(empty.percentile(50.0), None);
        assert_eq!((empty.count(), empty.bins().count()), (0, 0));
    }

    #[test]
    fn one_to_a_thousand() {
        // Mean (1 + 1000) / 2.
        let histogram = of(1..=1000);
        assert_eq!(histogram.mean(), Some(500.5));
        assert_eq!(histogram.percentile(50.0), Some(500));
        assert_eq!(histogram.percentile(99.0), Some(990));
        assert_eq!(histogram.percentile(0.0), Some(1));
        assert_eq!(histogram.percentile(f64::NAN), Some(1));
        assert_eq!(histogram.percentile(250.0), Some(1000));
        assert_eq!(histogram.bins().count(), 1000);
    }

    /// Of n sorted values the p-th percentile is the one of rank ceil(p n / 100), and at least 1: the least
    /// value that p % of all don't exceed.
    #[test]
    fn percentiles_are_of_the_nearest_rank() {
        for count in 1_u64..=2000 {
            let histogram = of(1..=count);
            for per_mille in [500, 900, 990, 999] {
                let rank = (per_mille * count).div_ceil(1000).max(1);
                let percent = per_mille as f64 / 10.0;
                let found = histogram.percentile(percent);
                assert_eq!(found, Some(rank), "{percent} % of {count}");
            }
        }
        // Three of four values are at most 2, so 75 % don't exceed 2, and a little more do.
        let uneven = of([1, 2, 2, 9]);
        let found = [25.0, 25.1, 75.0, 75.1].map(|percent| uneven.percentile(percent).unwrap());
        assert_eq!(found, [1, 2, 2, 9]);
    }

    /// From 4,096 to 8,191 a bin is four values wide: 4,097 is shown as 4,099, the upper end of its bin,
    /// unless that exceeds the greatest value, or 4,096 is below the least.
    #[test]
    fn a_percentile_never_exceeds_the_greatest_value() {
        let one = of([4097]);
        for percent in [0.0, 0.1, 50.0, 99.9, 100.0] {
            assert_eq!(one.percentile(percent), Some(4097), "{percent} %");
        }
        let two = of([4097, 4098, 5000]);
        assert_eq!(two.percentile(50.0), Some(4099));
        assert_eq!(two.percentile(99.0), Some(5000));
        let bins: Vec<(u64, u64, u64)> = two
            .bins()
            .map(|bin| (bin.low, bin.high, bin.count))
            .collect();
        assert_eq!(bins, [(4096, 4099, 2), (5000, 5003, 1)]);
    }

    /// Bins of one value below 2,048, and twice as wide from each power of two on.
    #[test]
    fn bins_widen_with_the_powers_of_two() {
        for (value, low, high) in [
            (2047, 2047, 2047),
            (2048, 2048, 2049),
            (4095, 4094, 4095),
            (4096, 4096, 4099),
            (65_537, 65_536, 65_599),
        ] {
            let bins: Vec<Bin> = of([value]).bins().collect();
            let count = 1;
            assert_eq!(bins, [Bin { low, high, count }], "{value}");
        }
    }

    #[test]
    fn mean_and_greatest_are_exact_where_bins_are_not() {
        let histogram = of([1_000_001, 1_000_002, 3_999_999_999]);
        assert_eq!(histogram.max(), Some(3_999_999_999));
        assert_eq!(histogram.min(), Some(1_000_001));
        assert_eq!(histogram.sum(), 4_002_000_002);
        assert_eq!(histogram.percentile(100.0), Some(3_999_999_999));
        let bins: Vec<Bin> = histogram.bins().collect();
        assert_eq!(bins.iter().map(|bin| bin.count).sum::<u64>(), 3);
        for bin in bins {
            assert!((bin.high - bin.low) as f64 <= bin.low as f64 / 1000.0);
        }
    }

    #[test]
    fn the_greatest_number_is_counted() {
        let histogram = of([u64::MAX, 0]);
        assert_eq!((histogram.count(), histogram.max()), (2, Some(u64::MAX)));
        assert_eq!(
            (histogram.min(), histogram.percentile(50.0)),
            (Some(0), Some(0))
        );
    }

    proptest! {
        #[test]
        fn order_and_merging_change_nothing(
            values in prop::collection::vec(0u64..5_000_000_000, 0..200),
            cut in 0usize..200,
            seed in any::<u64>(),
        ) {
            let whole = of(values.iter().copied());
            let mut shuffled = values.clone();
            shuffled.sort_by_key(|value| value.wrapping_mul(seed | 1).rotate_left(17));
            prop_assert_eq!(&of(shuffled), &whole);

            let (left, right) = values.split_at(cut.min(values.len()));
            let mut merged = of(left.iter().copied());
            merged.merge(&of(right.iter().copied()));
            prop_assert_eq!(&merged, &whole);
            prop_assert_eq!(whole.bins().map(|bin| bin.count).sum::<u64>(), whole.count());
        }

        #[test]
        fn another_value_is_another_histogram(values in prop::collection::vec(0u64..1000, 1..50)) {
            let mut changed = values.clone();
            changed[0] += 1;
            prop_assert_ne!(of(values), of(changed));
        }
    }
}
