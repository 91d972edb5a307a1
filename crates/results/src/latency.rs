//! Latencies: of all packets, by class and by distance.

use super::LEVEL;
use flitwork_measure::{BatchMeans, Estimate, Histogram, Reason};
use flitwork_observe::{LatencyGroup, Observation};

/// A percentile's name, what it is, and how it is found.
type Percentile = (&'static str, &'static str, fn(&Histogram) -> Option<u64>);

/// The ends and the percentiles of every distribution; percentiles to three significant digits.
#[rustfmt::skip]
pub(super) const PERCENTILES: [Percentile; 6] = [
    ("min", "the least", Histogram::min),
    ("p50", "half of the packets were at least as fast; percentiles have three significant digits", |it| it.percentile(50.0)),
    ("p90", "90 % were", |it| it.percentile(90.0)),
    ("p99", "99 % were", |it| it.percentile(99.0)),
    ("p999", "99.9 % were", |it| it.percentile(99.9)),
    ("max", "the greatest", Histogram::max),
];

/// The ends and the percentiles of a distribution, in its unit: `min`, `p50`, `p90`, `p99`, `p999` and `max`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Percentiles(pub(super) [Option<u64>; PERCENTILES.len()]);

impl Percentiles {
    fn of(histogram: &Histogram) -> Percentiles {
        Percentiles(PERCENTILES.map(|(_, _, of)| of(histogram)))
    }

    /// One by its name; there must be one of that name.
    pub fn get(&self, name: &str) -> Option<u64> {
        let place = PERCENTILES
            .iter()
            .position(|percentile| percentile.0 == name);
        self.0[place.unwrap_or_else(|| panic!("no percentile is called {name}"))]
    }
}

/// A distribution of latencies, in cycles or in picoseconds. For an overloaded network it has no mean and no percentiles: those would
/// measure the length of the run. If some other rule denies the steady state, which may be chance, it has them and
/// names the rule.
#[derive(Clone, Debug)]
pub struct Latency {
    /// Packets of the window that were delivered.
    pub packets: u64,
    /// The mean with its confidence interval, if there was any packet.
    pub mean: Option<Estimate>,
    /// The distribution.
    pub percentiles: Percentiles,
    /// The rule that denies the steady state, in a few words.
    pub not_steady: Option<&'static str>,
    /// What an overloaded network shows instead.
    pub transient: Option<Transient>,
}

/// Latencies of the packets that a run without a steady state happened to deliver, in the unit of the others: they
/// describe that run and its length, not the network.
#[derive(Clone, Debug)]
pub struct Transient {
    /// How many.
    pub packets: u64,
    /// All of them, added up.
    pub sum: u128,
    /// Their distribution.
    pub percentiles: Percentiles,
    /// The mean over the packets delivered in the window, whenever they were created, for a latency over all packets:
    /// it does not depend on the fate of the others.
    pub window_mean: Option<f64>,
}

impl Transient {
    /// Their mean.
    pub fn mean(&self) -> Option<f64> {
        (self.packets > 0).then(|| self.sum as f64 / self.packets as f64)
    }
}

impl Latency {
    /// From a distribution, and the mean with its interval unless that is exact.
    fn of(histogram: &Histogram, mean: Option<Estimate>, unsteady: Option<Reason>) -> Latency {
        let packets = histogram.count();
        let percentiles = Percentiles::of(histogram);
        let not_steady = unsteady.map(|reason| reason.name());
        if unsteady.is_some_and(|reason| reason.is_overload()) {
            return Latency {
                packets,
                mean: None,
                percentiles: Percentiles::default(),
                not_steady,
                transient: Some(Transient {
                    packets,
                    sum: histogram.sum(),
                    percentiles,
                    window_mean: None,
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

    /// The same, with the latencies of the packets delivered in the window.
    fn with_window(mut self, by_delivery: &BatchMeans) -> Latency {
        if let Some(raw) = &mut self.transient {
            raw.window_mean = by_delivery.mean();
        }
        self
    }

    /// The mean or, if the network was overloaded, that of the packets delivered in the window, without an interval,
    /// for callers that state which it is.
    pub fn mean_or_window(&self) -> Option<Estimate> {
        let window = || {
            let raw = self.transient.as_ref()?;
            Some(Estimate {
                mean: raw.window_mean?,
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

/// Latencies in picoseconds, of a network whose nodes have clocks of their own.
#[derive(Clone, Debug)]
pub struct LatenciesPs {
    /// From creation to delivery, of the packets created in the window.
    pub latency: Latency,
    /// From the injection frame to delivery.
    pub network_latency: Latency,
}

/// Latency of the packets of a class.
#[derive(Clone, Debug)]
pub struct ClassLatency {
    /// The class.
    pub class: u8,
    /// From creation to delivery.
    pub latency: Latency,
}

/// Latency of the packets over one distance.
#[derive(Clone, Debug)]
pub struct DistanceLatency {
    /// Links on a shortest path, the fewest of the row.
    pub hops: u32,
    /// The most of the row: the same, except in networks with very many distances.
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
    pub(super) exact: Option<LatenciesPs>,
}

impl Latencies {
    /// `sampled`: whether the packets are a sample of a process rather than all of them.
    pub(super) fn of(seen: &Observation, sampled: bool, not_steady: Option<Reason>) -> Latencies {
        let mean = |means: &BatchMeans| sampled.then(|| means.estimate(LEVEL));
        let of_group = |group: &LatencyGroup| {
            Latency::of(&group.latency, mean(&group.by_creation), not_steady)
        };
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
        let total = Latency::of(&seen.latency, by_creation, not_steady);
        let exact = seen.exact.as_ref().map(|exact| LatenciesPs {
            latency: of_group(&exact.latency).with_window(&exact.latency_by_delivery),
            network_latency: of_group(&exact.network_latency),
        });
        Latencies {
            total: total.with_window(&seen.latency_by_delivery),
            exact,
            network: Latency::of(&seen.network_latency, network, not_steady),
            by_class: by_class.collect(),
            by_distance: by_distance.collect(),
        }
    }
}
