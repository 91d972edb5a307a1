//! The rules of docs/src/measurement.md on the steady state, gravest first.

use crate::figures::account::Account;
use crate::figures::noise::{Course, course};
use crate::figures::statistics::{Estimate, Halves, Series, mean, slope, t_95, t_99};
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
    let latency = match account.ended {
        Ended::Interrupted => latency.before(account.seen.end),
        _ => latency,
    };
    // With fewer than half of the window's 20 batches, overload only can be told.
    let part = (latency.batches < 10).then(|| cut_short(account));
    let few = match part {
        None => too_few(&latency),
        Some(_) => None,
    };
    let parts = latency.parts(5);
    let means: Vec<f64> = parts
        .iter()
        .filter(|part| !part.is_empty())
        .map(|part| mean(part))
        .collect();
    let seen = match (&few, &part) {
        (None, None) => course(&means),
        _ => None,
    };
    let moves = seen
        .as_ref()
        .and_then(|seen| warm_up(&latency, seen).or_else(|| drift(&latency, seen)));
    let (offered, accepted) = loads(account);
    let has_intervals = offered.half_width.is_some() && accepted.half_width.is_some();
    let share = part.as_ref().map_or(0.01, |_| 0.5);
    let reason = overload(account)
        .filter(|_| part.is_none() || has_intervals)
        .or_else(|| backlog(account, &latency, share, &means, moves.is_some()))
        .or(moves)
        .or(few)
        .or(part)
        .or_else(|| too_short(&latency, seen.as_ref()?));
    Some(reason)
}

fn cut_short(account: &Account<'_>) -> Unsteady {
    let (measured, window) = (account.seen.cycles(), account.window.cycles());
    let needed = (window + 1) / 2;
    Unsteady {
        name: "window cut short",
        text: format!(
            "the window was cut short: {measured} of its {window} cycles were measured, and {needed} are needed to tell"
        ),
        json: json!({"WindowCutShort": {"measured_cycles": measured, "window_cycles": window, "needed_cycles": needed}}),
    }
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

/// What was accepted in both halves of the window, per node and cycle.
pub(crate) fn halves(account: &Account<'_>) -> Option<Halves> {
    let halves = account.words_delivered().halves(account.seen.end)?;
    let nodes = account.nodes() as f64;
    Some(Halves {
        first: halves.first / nodes,
        second: halves.second / nodes,
        ..halves
    })
}

fn overload(account: &Account<'_>) -> Option<Unsteady> {
    let (offered, accepted) = loads(account);
    // Intervals of 99 %.
    let square = |estimate: Estimate| {
        let wider = match estimate.batches {
            0 | 1 => 1.0,
            batches => t_99(batches - 1) / t_95(batches - 1),
        };
        (wider * estimate.half_width.unwrap_or(0.0)).powi(2)
    };
    let behind = offered.mean - accepted.mean;
    let error = (square(offered) + square(accepted)).sqrt();
    let (offered, accepted) = (offered.mean, accepted.mean);
    (behind > error && behind > offered / 100.0).then(|| Unsteady {
        name: "overload",
        text: format!("overload: {accepted:.4} accepted of {offered:.4} offered"),
        json: json!({"Overload": {"offered": offered, "accepted": accepted}}),
    })
}

fn backlog(
    account: &Account<'_>,
    latency: &Series,
    share: f64,
    means: &[f64],
    moves: bool,
) -> Option<Unsteady> {
    let delivered = latency.values.len() as f64;
    let from = account.backlog(account.window.start);
    let to = account.backlog(account.window.end);
    let growth = to as f64 - from as f64;
    let chance = 3.0 * ((from + to) as f64).sqrt();
    let range = match means {
        [] => 0.0,
        _ => {
            means.iter().copied().fold(f64::MIN, f64::max)
                - means.iter().copied().fold(f64::MAX, f64::min)
        }
    };
    let by_latency = delivered / latency.cycles() as f64 * range;
    let grew = growth > chance && growth > delivered * share;
    (grew && (moves || growth > by_latency)).then(|| Unsteady {
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

fn warm_up(latency: &Series, seen: &Course) -> Option<Unsteady> {
    let (constant, size) = (seen.decay?, seen.size);
    // What it adds to the mean of each part, relative to the level.
    let parts = latency.batches * 5;
    let added = (0..parts).map(|part| {
        let time = (part as f64 + 0.5) / parts as f64;
        (size * (-time / constant).exp()).exp() - 1.0
    });
    let bias = added.sum::<f64>() / parts as f64;
    if bias.abs() <= 0.01 && bias.abs() <= seen.error {
        return None;
    }
    let settled = constant * (size.abs() / seen.error.max(0.001)).ln();
    let is_whole = settled > 0.5;
    let cycles = latency.cycles();
    let cut = match is_whole {
        true => cycles,
        false => (settled.max(1.0 / parts as f64) * cycles as f64).ceil() as i64,
    };
    let from = latency.span.start + cut;
    Some(Unsteady {
        name: "warm-up too short",
        text: match is_whole {
            true => format!(
                "the warm-up was too short: this window may be all of it; warm up for {from} cycles or more and \
                 measure after that"
            ),
            false => format!("the warm-up was too short: measure from cycle {from} on"),
        },
        json: json!({"WarmUpTooShort": {"suggested_cycles": from, "is_whole_window": is_whole}}),
    })
}

/// A straight line through the batch means.
fn drift(latency: &Series, seen: &Course) -> Option<Unsteady> {
    if !seen.is_straight {
        return None;
    }
    let cycles = latency.cycles() as f64;
    let batches = latency.parts(1).into_iter().enumerate();
    let points: Vec<(f64, f64)> = batches
        .map(|(batch, values)| {
            let middle = (batch as f64 + 0.5) * cycles / latency.batches as f64;
            (middle, mean(&values))
        })
        .collect();
    let slope = slope(&points);
    let values: Vec<f64> = latency.values.iter().map(|(_, value)| *value).collect();
    let material = (slope * cycles).abs() > mean(&values) / 100.0;
    let (slope, significance) = (1000.0 * slope, seen.significance);
    material.then(|| Unsteady {
        name: "latency drifts",
        text: format!(
            "latency drifts by {slope:+.3} cycles in 1000 cycles (significance {significance:.1e})"
        ),
        json: json!({"Trend": {"slope_per_1000_cycles": slope, "significance": significance}}),
    })
}

fn too_short(latency: &Series, seen: &Course) -> Option<Unsteady> {
    (seen.pieces < 10.0).then(|| {
        let relaxation = latency.cycles() as f64 / (2.0 * seen.pieces);
        let (forgets, needed) = (relaxation.ceil() as u64, (20.0 * relaxation).ceil() as u64);
        Unsteady {
            name: "window too short",
            text: format!(
                "the window is too short to tell: latency is correlated over about {forgets} cycles; measure for \
                 {needed} or more"
            ),
            json: json!({"WindowTooShort": {"relaxation_cycles": forgets, "needed_cycles": needed}}),
        }
    })
}
