//! What a point gave.

use crate::patient::Decided;
use flitwork_experiment::config::Resolved;
use flitwork_experiment::report::{Percentiles, Results};
use flitwork_experiment::simulate::Simulated;
use flitwork_measure::{Estimate, Reason};
use serde::{Deserialize, Serialize};

/// The most characters of a reason.
const LONGEST_REASON: usize = 2000;

/// How a point fared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Status {
    /// It ran to its end.
    Complete,
    /// Its network could not deliver all packets.
    Failed,
    /// Its configuration is refused, and the sweep was asked to go on.
    Refused,
}

impl Status {
    /// Its name in tables.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Status::Complete => "complete",
            Status::Failed => "failed",
            Status::Refused => "refused",
        }
    }
}

/// A point that is done.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Row {
    /// Its index.
    pub point: u32,
    /// A checksum of its configuration, with what that reads from files.
    pub configuration: u32,
    /// How it fared.
    pub status: Status,
    /// Why it was refused, why its network failed, or why it wasn't steady.
    pub reason: Option<String>,
    /// How many times the configured warm-up and measurement the run took that the figures are of.
    pub times_the_cycles: u32,
    /// What was measured, where it ran.
    pub figures: Option<Figures>,
    /// Host time, in seconds.
    pub seconds: f64,
}

/// A mean with its interval at 95 % confidence.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Mean {
    /// The mean.
    pub mean: f64,
    /// Half the width of the interval, where one can be trusted.
    pub half_width: Option<f64>,
}

impl Mean {
    pub(crate) fn of(estimate: &Estimate) -> Option<Mean> {
        let half_width = estimate.half_width.filter(|width| width.is_finite());
        finite(estimate.mean).map(|mean| Mean { mean, half_width })
    }

    /// The interval's ends.
    pub fn ends(&self) -> Option<(f64, f64)> {
        self.half_width
            .map(|half| (self.mean - half, self.mean + half))
    }
}

/// What was measured at a point. Latencies are in cycles, loads in words a node and cycle.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Figures {
    pub seed: u64,
    pub steady: Option<bool>,
    /// "steady", or the rule that speaks against it.
    pub state: Option<String>,
    /// Whether the network was saturated, as [`is_saturated`] says.
    pub saturated: Option<bool>,
    pub offered: Option<Mean>,
    pub accepted: Option<Mean>,
    pub latency: Option<Mean>,
    pub latency_p50: Option<u64>,
    pub latency_p90: Option<u64>,
    pub latency_p99: Option<u64>,
    pub latency_p999: Option<u64>,
    pub latency_max: Option<u64>,
    pub network_latency: Option<f64>,
    pub hops_per_packet: Option<f64>,
    pub deroutes_per_packet: Option<f64>,
    /// Deroutes in the window as a part of the hops in it.
    #[serde(default)]
    pub deroutes_per_hop: Option<f64>,
    pub link_utilisation_mean: Option<f64>,
    pub link_utilisation_max: Option<f64>,
    pub packets_created: u64,
    pub packets_delivered: u64,
    pub cycles: u32,
    pub digest: String,
}

fn finite(value: f64) -> Option<f64> {
    value.is_finite().then_some(value)
}

impl Row {
    /// The row of a point of that configuration that ran.
    pub(crate) fn ran(point: u32, configured: &Resolved, decided: &Decided) -> Row {
        Row {
            times_the_cycles: decided.times_the_cycles,
            ..Row::of(point, configured, &decided.results)
        }
    }

    /// The row of a single run, but with latencies of the transient where the run wasn't steady: for whoever judges that over
    /// many runs, of which chance calls one in a hundred unsteady.
    pub(crate) fn ran_or_transient(point: u32, resolved: &Resolved, simulated: &Simulated) -> Row {
        let results = Results::new(resolved, simulated);
        let mut row = Row::of(point, resolved, &results);
        row.figures = row.figures.map(|figures| figures.or_transient(&results));
        row
    }

    fn of(point: u32, resolved: &Resolved, results: &Results) -> Row {
        let failure = results.failure.as_ref().map(|failure| {
            format!(
                "{}: {} packets left in cycle {}",
                failure.kind.name(),
                failure.packets,
                failure.cycle
            )
        });
        let unsteady = results.steady.and_then(|steady| steady.reason());
        Row {
            point,
            configuration: checksum(resolved),
            status: if failure.is_some() {
                Status::Failed
            } else {
                Status::Complete
            },
            reason: failure.or(unsteady.map(|reason| reason.to_string())),
            times_the_cycles: 1,
            seconds: results.seconds,
            figures: Some(Figures::of(results)),
        }
    }

    /// The row of a point that is refused.
    pub(crate) fn refused(point: u32, reason: &str) -> Row {
        let lines: Vec<&str> = reason.lines().map(str::trim).collect();
        // Lines of an excerpt are for terminals.
        let told = lines
            .into_iter()
            .filter(|line| !line.contains(" | ") && !line.starts_with('|'));
        Row {
            point,
            configuration: 0,
            status: Status::Refused,
            reason: Some(
                told.collect::<Vec<_>>()
                    .join("; ")
                    .chars()
                    .take(LONGEST_REASON)
                    .collect(),
            ),
            times_the_cycles: 1,
            figures: None,
            seconds: 0.0,
        }
    }

    /// The mean latency, where the point was steady.
    pub(crate) fn steady_figures(&self) -> Option<&Figures> {
        let figures = self.figures.as_ref()?;
        (self.status == Status::Complete && figures.steady != Some(false)).then_some(figures)
    }

    /// Whether another run of the same point gave the same.
    pub(crate) fn agrees(&self, other: &Row) -> bool {
        let timeless = |row: &Row| Row {
            seconds: 0.0,
            ..row.clone()
        };
        timeless(self) == timeless(other)
    }
}

impl Figures {
    fn of(results: &Results) -> Figures {
        let load = results.load.as_ref();
        let latency = &results.latency;
        Figures {
            seed: results.seed,
            steady: results.steady.map(|steady| steady.is_steady()),
            state: results.steady.map(|steady| match steady.reason() {
                None => "steady".into(),
                Some(reason) => reason.name().into(),
            }),
            saturated: results.steady.map(|_| is_saturated(results)),
            offered: load.and_then(|load| Mean::of(&load.offered)),
            accepted: load.and_then(|load| Mean::of(&load.accepted)),
            // Of an overloaded network that of its window, which says how long that is.
            latency: latency.mean_or_window().as_ref().and_then(Mean::of),
            latency_p50: latency.percentiles.p50,
            latency_p90: latency.percentiles.p90,
            latency_p99: latency.percentiles.p99,
            latency_p999: latency.percentiles.p999,
            latency_max: latency.percentiles.max,
            network_latency: results
                .network_latency
                .mean
                .as_ref()
                .and_then(|mean| finite(mean.mean)),
            hops_per_packet: results.hops_per_packet,
            deroutes_per_packet: results.deroutes_per_packet,
            deroutes_per_hop: results.deroutes_per_hop,
            link_utilisation_mean: finite(results.link_utilisation_mean),
            link_utilisation_max: finite(results.link_utilisation_max),
            packets_created: results.packets.created,
            packets_delivered: results.packets.delivered,
            cycles: results.cycles,
            digest: results.digest.clone(),
        }
    }

    /// These, with latencies of the transient where the run wasn't steady.
    fn or_transient(self, results: &Results) -> Figures {
        let Percentiles {
            p50,
            p90,
            p99,
            p999,
            max,
            ..
        } = *results.latency.percentiles_or_transient();
        let network = results.network_latency.mean_or_transient();
        let latency = results.latency.mean_or_transient();
        Figures {
            latency: latency.as_ref().and_then(Mean::of),
            latency_p50: p50,
            latency_p90: p90,
            latency_p99: p99,
            latency_p999: p999,
            latency_max: max,
            network_latency: network.and_then(|mean| finite(mean.mean)),
            ..self
        }
    }
}

/// Whether a network was saturated in a run that had time enough: it failed or wasn't steady. Too few packets to
/// judge by are no saturation.
pub fn is_saturated(results: &Results) -> bool {
    let unsteady = results.steady.and_then(|steady| steady.reason());
    let few = |reason| matches!(reason, Reason::TooFewObservations { .. });
    results.failure.is_some() || unsteady.is_some_and(|reason| !few(reason))
}

/// A checksum of a configuration: its text with every default, and the permutation it has read.
pub(crate) fn checksum(resolved: &Resolved) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(resolved.to_toml().as_bytes());
    let pattern = &resolved.traffic.pattern;
    pattern.content(&mut |bytes| hasher.update(bytes));
    hasher.finalize()
}
