//! The five rules of docs/src/measurement.md on the steady state, gravest first.

use crate::figures::account::Account;
use crate::figures::statistics::{Estimate, Series, mean, scatter, slope, t_95};
use flitwork_engine::Ended;
use serde_json::{Value, json};

/// Why a run isn't known to have been steady: in a few words, in full, and as in JSON.
#[derive(Clone, Debug)]
pub(crate) struct Unsteady {
    pub(crate) name: &'static str,
    pub(crate) text: String,
    pub(crate) json: Value,
}

/// The data by which an open-loop run is judged; the reason why it wasn't steady, if there is one.
pub(crate) fn verdict(account: &Account<'_>) -> Option<Option<Unsteady>> {
    if !account.open_loop {
        return None;
    }
    let delivered = account.delivered_in_window();
    let latencies = delivered
        .iter()
        .map(|(life, at)| (*at, (at - life.created) as f64));
    let latency = Series::of(account.window, latencies);
    // An interrupted run is judged by the batches that had ended by then.
    let latency = match account.ended {
        Ended::Interrupted => latency.before(account.seen.end),
        _ => latency,
    };
    let few = too_few(&latency);
    let reason = overload(account)
        .or_else(|| backlog(account, latency.values.len()))
        .or(few)
        .or_else(|| warm_up(&latency))
        .or_else(|| drift(&latency));
    Some(reason)
}

/// Words made and words delivered, per node and cycle.
pub(crate) fn loads(account: &Account<'_>) -> (Estimate, Estimate) {
    let nodes = account.nodes() as f64;
    let a_node = |series: Series| {
        let rate = series.rate(account.seen.end);
        Estimate {
            mean: rate.mean / nodes,
            half_width: rate.half_width.map(|half| half / nodes),
            ..rate
        }
    };
    (
        a_node(account.words_made()),
        a_node(account.words_delivered()),
    )
}

fn overload(account: &Account<'_>) -> Option<Unsteady> {
    let (offered, accepted) = loads(account);
    let square = |estimate: Estimate| estimate.half_width.unwrap_or(0.0).powi(2);
    let behind = offered.mean - accepted.mean;
    let error = (square(offered) + square(accepted)).sqrt();
    let (offered, accepted) = (offered.mean, accepted.mean);
    (behind > error && behind > offered / 100.0).then(|| Unsteady {
        name: "overload",
        text: format!("overload: {accepted:.4} accepted of {offered:.4} offered"),
        json: json!({"Overload": {"offered": offered, "accepted": accepted}}),
    })
}

fn backlog(account: &Account<'_>, delivered: usize) -> Option<Unsteady> {
    let from = account.backlog(account.window.start);
    let to = account.backlog(account.window.end);
    let growth = to as f64 - from as f64;
    let chance = 3.0 * ((from + to) as f64).sqrt();
    (growth > chance && growth > delivered as f64 / 100.0).then(|| Unsteady {
        name: "growing backlog",
        text: format!("the sources' backlog grew from {from} to {to} packets"),
        json: json!({"BacklogGrows": {"from_packets": from, "to_packets": to}}),
    })
}

fn too_few(latency: &Series) -> Option<Unsteady> {
    let (fewest, needed) = match latency.batches {
        // A single batch counts as two.
        1 => (latency.values.len(), 20),
        _ => (latency.fewest(), 10),
    };
    let few = latency.batches == 1 || fewest < needed;
    few.then(|| Unsteady {
        name: "too few observations",
        text: format!("a batch has {fewest} observations, of {needed} needed: measure longer"),
        json: json!({"TooFewObservations": {"observations": fewest, "needed": needed}}),
    })
}

/// MSER over the means of 100 parts.
fn warm_up(latency: &Series) -> Option<Unsteady> {
    let parts = latency.parts(5);
    let parts = parts.iter().filter(|part| !part.is_empty());
    let means: Vec<f64> = parts.map(|part| mean(part)).collect();
    let error = |cut: usize| {
        let rest = &means[cut..];
        scatter(rest) / (rest.len() as f64).powi(2)
    };
    let mut best = 0;
    for cut in 1..=means.len() * 3 / 4 {
        if means.len() - cut >= 2 && error(cut) < error(best) {
            best = cut;
        }
    }
    let rest = &means[best..];
    let count = rest.len() as f64;
    let half_width = t_95(rest.len() - 1) * (scatter(rest) / (count - 1.0) / count).sqrt();
    let moves = (mean(&means) - mean(rest)).abs();
    if best == 0 || moves <= half_width || moves <= 1e-9 * mean(rest).abs() {
        return None;
    }
    let (parts, cycles) = (means.len() as i64, latency.cycles());
    let cut = match 2 * best as i64 > parts {
        true => cycles,
        false => (best as i64 * cycles + parts - 1) / parts,
    };
    let from = latency.span.start + cut;
    Some(Unsteady {
        name: "warm-up too short",
        text: match 2 * best as i64 > parts {
            true => format!(
                "the warm-up was too short: this window may be all of it; warm up for {from} cycles or more and \
                 measure after that"
            ),
            false => format!("the warm-up was too short: measure from cycle {from} on"),
        },
        json: json!({"WarmUpTooShort": {
            "suggested_cycles": from,
            "is_whole_window": 2 * best as i64 > parts,
        }}),
    })
}

/// A straight line through the batch means.
fn drift(latency: &Series) -> Option<Unsteady> {
    let cycles = latency.cycles() as f64;
    let batches = latency.parts(1).into_iter().enumerate();
    let points: Vec<(f64, f64)> = batches
        .map(|(batch, values)| {
            let middle = (batch as f64 + 0.5) * cycles / latency.batches as f64;
            (middle, mean(&values))
        })
        .collect();
    // Two points lie on a line whatever they are: an interrupted run may have so few.
    if points.len() < 3 {
        return None;
    }
    let (slope, significance) = slope(&points);
    let values: Vec<f64> = latency.values.iter().map(|(_, value)| *value).collect();
    let material = (slope * cycles).abs() > mean(&values) / 100.0;
    let slope = 1000.0 * slope;
    (material && significance < 0.01).then(|| Unsteady {
        name: "latency drifts",
        text: format!(
            "latency drifts by {slope:+.3} cycles in 1000 cycles (significance {significance:.1e})"
        ),
        json: json!({"Trend": {"slope_per_1000_cycles": slope, "significance": significance}}),
    })
}
