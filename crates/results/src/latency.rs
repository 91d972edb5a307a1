//! Latencies: of all packets, by class and by distance.

use super::LEVEL;
use flitwork_measure::{Estimate, Histogram, Reason};
use flitwork_observe::{Group, Observation};

/// The ends and the percentiles of a distribution, in cycles; percentiles to three significant digits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Percentiles {
    /// The least.
    pub min: Option<u64>,
    /// Half of the packets were at least as fast.
    pub p50: Option<u64>,
    /// 90 % were.
    pub p90: Option<u64>,
    /// 99 % were.
    pub p99: Option<u64>,
    /// 99.9 % were.
    pub p999: Option<u64>,
    /// The greatest.
    pub max: Option<u64>,
}

impl Percentiles {
    fn of(histogram: &Histogram) -> Percentiles {
        Percentiles {
            min: histogram.min(),
            p50: histogram.percentile(50.0),
            p90: histogram.percentile(90.0),
            p99: histogram.percentile(99.0),
            p999: histogram.percentile(99.9),
            max: histogram.max(),
        }
    }

    const NONE: Percentiles = Percentiles {
        min: None,
        p50: None,
        p90: None,
        p99: None,
        p999: None,
        max: None,
    };
}

/// A distribution of latencies, in cycles. Of a run whose network was overloaded it has no mean and no
/// percentiles: they would tell how long the run was. Where something else speaks against a steady state, and that
/// may be chance, it has them, and says so.
#[derive(Clone, Debug)]
pub struct Latency {
    /// Packets of the window that were delivered.
    pub packets: u64,
    /// The mean with its confidence interval, where there was any packet.
    pub mean: Option<Estimate>,
    /// The distribution.
    pub percentiles: Percentiles,
    /// The rule that speaks against a steady state, in a few words.
    pub not_steady: Option<&'static str>,
    /// What an overloaded network shows instead.
    pub transient: Option<Transient>,
}

/// Latencies of the packets that a run which wasn't steady happened to deliver, in cycles: figures of that
/// run and its length, not of the network.
#[derive(Clone, Debug)]
pub struct Transient {
    /// How many.
    pub packets: u64,
    /// All of them, added up.
    pub sum_cycles: u128,
    /// Their distribution.
    pub percentiles: Percentiles,
    /// The mean over the packets that were delivered in the window, whenever they were created, of a latency
    /// over all packets: it doesn't depend on what becomes of the rest.
    pub window_mean_cycles: Option<f64>,
}

impl Transient {
    /// Their mean.
    pub fn mean_cycles(&self) -> Option<f64> {
        (self.packets > 0).then(|| self.sum_cycles as f64 / self.packets as f64)
    }
}

impl Latency {
    /// Of a distribution, and the mean with its interval where that isn't exact.
    fn of(histogram: &Histogram, mean: Option<Estimate>, unsteady: Option<Reason>) -> Latency {
        let packets = histogram.count();
        let percentiles = Percentiles::of(histogram);
        let not_steady = unsteady.map(|reason| reason.name());
        if unsteady.is_some_and(|reason| reason.is_overload()) {
            return Latency {
                packets,
                mean: None,
                percentiles: Percentiles::NONE,
                not_steady,
                transient: Some(Transient {
                    packets,
                    sum_cycles: histogram.sum(),
                    percentiles,
                    window_mean_cycles: None,
                }),
            };
        }
        let exact = histogram.mean().map(Estimate::exact);
        let mean = match mean {
            Some(mean) => exact.map(|exact| Estimate {
                mean: exact.mean,
                ..mean
            }),
            None => exact,
        };
        Latency {
            packets,
            mean,
            percentiles,
            not_steady,
            transient: None,
        }
    }

    /// The mean, or that of the transient without an interval: for whoever says beside it which it is.
    pub fn mean_or_transient(&self) -> Option<Estimate> {
        let raw = self.transient.as_ref().filter(|raw| raw.packets > 0);
        let raw = raw.map(|raw| Estimate {
            mean: raw.sum_cycles as f64 / raw.packets as f64,
            half_width: None,
            level: LEVEL,
            batches: 0,
            observations: raw.packets,
        });
        self.mean.or(raw)
    }

    /// The mean, or where the network was overloaded that of the packets delivered in the window, without an
    /// interval: for whoever says beside it which it is.
    pub fn mean_or_window(&self) -> Option<Estimate> {
        let window = || {
            let raw = self.transient.as_ref()?;
            Some(Estimate {
                mean: raw.window_mean_cycles?,
                half_width: None,
                level: LEVEL,
                batches: 0,
                observations: raw.packets,
            })
        };
        self.mean.or_else(window)
    }

    /// The percentiles, or those of the transient.
    pub fn percentiles_or_transient(&self) -> &Percentiles {
        let raw = self.transient.as_ref();
        raw.map_or(&self.percentiles, |raw| &raw.percentiles)
    }
}

/// Latency of the packets of a class.
#[derive(Clone, Debug)]
pub struct ClassLatency {
    /// The class.
    pub class: u8,
    /// From creation to delivery.
    pub latency: Latency,
}

/// Latency of the packets that had to go so far.
#[derive(Clone, Debug)]
pub struct DistanceLatency {
    /// Links on a shortest path, the fewest of the row.
    pub hops: u32,
    /// The most of the row: the same but in networks with very many distances.
    pub hops_to: u32,
    /// From creation to delivery.
    pub latency: Latency,
}

/// All latencies of a run.
pub(super) struct Latencies {
    pub(super) total: Latency,
    pub(super) network: Latency,
    pub(super) by_class: Vec<ClassLatency>,
    pub(super) by_distance: Vec<DistanceLatency>,
}

impl Latencies {
    /// `sampled` says whether the packets are a sample of a process, and not all there are.
    pub(super) fn of(seen: &Observation, sampled: bool, not_steady: Option<Reason>) -> Latencies {
        let mean = |means: &flitwork_measure::BatchMeans| sampled.then(|| means.estimate(LEVEL));
        let of_group =
            |group: &Group| Latency::of(&group.latency, mean(&group.by_creation), not_steady);
        let by_class = seen.by_class.iter().map(|of| ClassLatency {
            class: of.class,
            latency: of_group(&of.group),
        });
        let by_distance = seen.by_distance.iter().map(|of| DistanceLatency {
            hops: *of.hops.start(),
            hops_to: *of.hops.end(),
            latency: of_group(&of.group),
        });
        let network = mean(&seen.network_latency_by_creation);
        let by_creation = mean(&seen.latency_by_creation);
        let mut total = Latency::of(&seen.latency, by_creation, not_steady);
        if let Some(raw) = &mut total.transient {
            raw.window_mean_cycles = seen.latency_by_delivery.mean();
        }
        Latencies {
            total,
            network: Latency::of(&seen.network_latency, network, not_steady),
            by_class: by_class.collect(),
            by_distance: by_distance.collect(),
        }
    }
}
