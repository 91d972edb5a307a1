//! The course of latency, by "The course of latency" in docs/src/measurement.md: plain, slow, and without any code of
//! `flitwork-measure`.

use std::f64::consts::PI;

/// What a series of means shows.
pub(crate) struct Course {
    /// The time constant of a change that decays, in windows.
    pub(crate) decay: Option<f64>,
    pub(crate) is_straight: bool,
    /// Of the change, in logarithms.
    pub(crate) size: f64,
    /// Of the likelihood ratio.
    pub(crate) significance: f64,
    /// Independent pieces that the window is worth.
    pub(crate) pieces: f64,
    /// The standard error of the mean logarithm.
    pub(crate) error: f64,
}

/// A change's course at a time from 0 to 1.
#[derive(Clone, Copy)]
enum Change {
    Line,
    Decay(f64),
}

/// A model: its misfit, variances, scale, change and size.
type Model = (f64, Vec<f64>, f64, Option<Change>, f64);

pub(crate) fn course(means: &[f64]) -> Option<Course> {
    let parts = means.len();
    if parts < 4 {
        return None;
    }
    let logarithms: Vec<f64> = means.iter().map(|mean| (1.0 + mean).ln()).collect();
    let seen = transform(&logarithms);
    let most = logarithms.iter().fold(1e-9, |most, it| it.abs().max(most));
    let power: f64 = seen.iter().map(|it| it * it).sum();
    if power <= parts as f64 * (1e-9 * most).powi(2) {
        return Some(Course {
            decay: None,
            is_straight: false,
            size: 0.0,
            significance: 1.0,
            pieces: f64::INFINITY,
            error: 0.0,
        });
    }
    let (still, moving) = best(parts, &seen);
    let count = seen.len() as f64;
    let ratio = (still.0 - moving.0) * (count - 3.0) / count;
    let worth = |model: &Model| model.1.iter().sum::<f64>() / model.1[0];
    let limit = if worth(&moving) >= 30.0 {
        10.0
    } else if worth(&still) >= 10.0 {
        12.0
    } else {
        20.0
    };
    let model = if ratio > limit { moving } else { still };
    Some(Course {
        decay: match model.3 {
            Some(Change::Decay(constant)) => Some(constant),
            _ => None,
        },
        is_straight: matches!(model.3, Some(Change::Line)),
        size: model.4,
        significance: outside_normal(ratio.max(0.0).sqrt()),
        pieces: worth(&model),
        error: (model.2 * model.1[0] / parts as f64).sqrt(),
    })
}

/// The best models without and with a change.
fn best(parts: usize, seen: &[f64]) -> (Model, Model) {
    let decays = [0.01, 0.02, 0.03, 0.05, 0.07, 0.1, 0.15, 0.2, 0.3, 0.5];
    let changes = decays.map(Change::Decay).into_iter().chain([Change::Line]);
    let changes: Vec<(Change, Vec<f64>)> = changes
        .map(|change| {
            let course = (0..parts).map(|part| {
                let time = (part as f64 + 0.5) / parts as f64;
                match change {
                    Change::Line => time,
                    Change::Decay(constant) => (-time / constant).exp(),
                }
            });
            (change, transform(&course.collect::<Vec<_>>()))
        })
        .collect();
    let (mut still, mut moving): (Option<Model>, Option<Model>) = (None, None);
    let keep = |best: &mut Option<Model>, model: Model| {
        if best.as_ref().is_none_or(|best| model.0 < best.0) {
            *best = Some(model);
        }
    };
    for relaxations in [
        0.3, 1.0, 2.0, 4.0, 6.0, 9.0, 12.0, 18.0, 25.0, 35.0, 50.0, 70.0, 100.0, 140.0, 200.0,
        400.0,
    ] {
        for white in [0.0, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0] {
            let variances: Vec<f64> = (1..parts)
                .map(|wave| {
                    white + spectrum(relaxations / parts as f64, PI * wave as f64 / parts as f64)
                })
                .collect();
            let sum = |a: &[f64], b: &[f64]| -> f64 {
                (0..variances.len())
                    .map(|i| a[i] * b[i] / variances[i])
                    .sum()
            };
            let count = seen.len() as f64;
            let logarithms: f64 = variances.iter().map(|it| it.ln()).sum();
            let misfit = |squares: f64| count * (squares / count).ln() + logarithms;
            let squares = sum(seen, seen);
            keep(
                &mut still,
                (
                    misfit(squares),
                    variances.clone(),
                    squares / count,
                    None,
                    0.0,
                ),
            );
            for (change, course) in &changes {
                let (along, own) = (sum(seen, course), sum(course, course));
                let left = (squares - along * along / own).max(1e-18 * squares);
                let model = (
                    misfit(left),
                    variances.clone(),
                    left / count,
                    Some(*change),
                    along / own,
                );
                keep(&mut moving, model);
            }
        }
    }
    (still.unwrap(), moving.unwrap())
}

/// √(2 / n) Σ y cos(π k (j + 1/2) / n) for k from 1 on.
fn transform(values: &[f64]) -> Vec<f64> {
    let parts = values.len() as f64;
    (1..values.len())
        .map(|wave| {
            let terms = values.iter().enumerate();
            let terms = terms.map(|(part, value)| {
                // The phase in half periods, modulo a period.
                let halves = (wave * (2 * part + 1)) % (4 * values.len());
                value * (PI * halves as f64 / (2.0 * parts)).cos()
            });
            (2.0 / parts).sqrt() * terms.sum::<f64>()
        })
        .collect()
}

/// The spectrum of means of an Ornstein-Uhlenbeck process over parts of `step` relaxation times, relative to frequency 0.
fn spectrum(step: f64, frequency: f64) -> f64 {
    let kept = (-step).exp();
    let at_0 = 2.0 / step;
    let variance = 2.0 * (step - 1.0 + kept) / step.powi(2);
    let covariance = (1.0 - kept).powi(2) / step.powi(2);
    // The real part of e^iω / (1 - φ e^iω).
    let (sine, cosine) = frequency.sin_cos();
    let (real, imaginary) = (1.0 - kept * cosine, -kept * sine);
    let wave = (cosine * real + sine * imaginary) / (real * real + imaginary * imaginary);
    (variance + 2.0 * covariance * wave) / at_0
}

/// The probability that a standard normal number is farther from 0: 2 φ(z) times Laplace's continued fraction for large z
/// (Abramowitz and Stegun, 26.2.14), and the series 26.2.11 for others.
fn outside_normal(z: f64) -> f64 {
    let density = (-z * z / 2.0).exp() / (2.0 * PI).sqrt();
    if z < 3.0 {
        let (mut sum, mut term) = (z, z);
        for odd in (3..200).step_by(2) {
            term *= z * z / f64::from(odd);
            sum += term;
        }
        1.0 - 2.0 * density * sum
    } else {
        let fraction = (1..300)
            .rev()
            .fold(z, |below, level| z + f64::from(level) / below);
        2.0 * density / fraction
    }
}

#[test]
fn normal_tails_match_the_printed_table() {
    // NIST/SEMATECH e-Handbook of Statistical Methods, section 1.3.6.7.1; the last by Abramowitz and Stegun, table 26.2.
    for (z, outside) in [(1.96, 0.05), (2.576, 0.01), (3.0, 0.0027), (5.0, 5.733e-7)] {
        assert!((outside_normal(z) / outside - 1.0).abs() < 2e-3, "{z}");
    }
}
