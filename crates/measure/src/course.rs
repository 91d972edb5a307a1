//! The course of a series: noise around a level, a level that changes, or too little to tell.
//!
//! Means of neighbouring parts of a run rise and fall together, near saturation over thousands of cycles. A test that
//! takes them for independent calls such noise a trend. Here the series is compared with the correlation that it shows
//! itself, as Heidelberger and Welch do ("Simulation run length control in the presence of an initial transient",
//! Operations Research 31, 1983): its spectrum is fitted, and a change of level must be more than that spectrum has at
//! the lowest frequencies.
//!
//! The fit is Whittle's, maximum likelihood over frequencies ("Estimation and information in stationary time series",
//! Arkiv för Matematik 2, 1953). Its cosine transform is exact both for independent values and for a random walk, the
//! two ends between which every correlation lies. A model of noise is a sum of white noise and of a process that
//! forgets exponentially (Ornstein and Uhlenbeck), averaged over each part. A change is a straight line, or one that
//! decays exponentially. The statistic is the likelihood ratio of the best model with a change and the best one without;
//! its limits were found by simulation, which the tests repeat: they hold for every relaxation time.

use std::f64::consts::PI;

/// How many relaxation times of the slow noise the window may have.
const RELAXATIONS: [f64; 16] = [
    0.3, 1.0, 2.0, 4.0, 6.0, 9.0, 12.0, 18.0, 25.0, 35.0, 50.0, 70.0, 100.0, 140.0, 200.0, 400.0,
];

/// The spectrum of the white noise, relative to that of the slow noise at frequency 0: packets differ, and a part has only
/// so many.
const WHITE: [f64; 8] = [0.0, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0];

/// Time constants of a decaying change, in windows.
const DECAYS: [f64; 10] = [0.01, 0.02, 0.03, 0.05, 0.07, 0.1, 0.15, 0.2, 0.3, 0.5];

/// What the likelihood ratio of a change exceeds less than once in a hundred times if nothing changes.
const LIMIT: f64 = 12.0;

/// The same for a change that leaves at least [`MANY_PIECES`]: what is left is noise that soon forgets.
const LIMIT_OF_MANY_PIECES: f64 = 10.0;
const MANY_PIECES: f64 = 30.0;

/// The same where the window is worth less than [`MIN_PIECES`], whether or not something changes: with so slow a noise
/// nearly everything that a change does may be chance.
const LIMIT_OF_FEW_PIECES: f64 = 20.0;

/// A window that is worth fewer independent pieces than this doesn't show a level.
pub(crate) const MIN_PIECES: f64 = 10.0;

/// Relative differences below this are rounding.
const ROUNDING: f64 = 1e-9;

/// How the level changes over the window.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Shape {
    /// At a constant rate.
    Straight,
    /// Ever more slowly, with this time constant, in windows.
    Decaying(f64),
}

/// A change of the level that noise hardly makes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Change {
    /// Its course.
    pub shape: Shape,
    /// What is added to the logarithm at the end of a straight change, and at the beginning of one that decays.
    pub size: f64,
    /// Twice the logarithm of the likelihood ratio.
    pub ratio: f64,
}

/// What a series of means shows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Course {
    /// The change of level, if there is one.
    pub change: Option<Change>,
    /// How many independent values would have as much scatter around their mean: the variance of the series over that
    /// of its slowest visible waves.
    pub pieces: f64,
    /// The standard error of the level, relative to it.
    pub error: f64,
}

impl Course {
    /// Of the means of successive parts of equal length, none of them negative. `None` for fewer than four.
    pub(crate) fn of(means: &[f64]) -> Option<Course> {
        if means.len() < 4 {
            return None;
        }
        // Latencies near saturation have a long tail upwards. Their logarithms are nearly normal.
        let logarithms: Vec<f64> = means.iter().map(|mean| mean.ln_1p()).collect();
        let waves = Waves::new(means.len());
        let seen = waves.of(|part| logarithms[part]);
        let square: f64 = seen.iter().map(|wave| wave * wave).sum();
        let scale = logarithms
            .iter()
            .fold(ROUNDING, |max, it| it.abs().max(max));
        if square <= means.len() as f64 * (ROUNDING * scale).powi(2) {
            return Some(Course {
                change: None,
                pieces: f64::INFINITY,
                error: 0.0,
            });
        }
        Some(judge(&waves, &seen))
    }
}

/// The cosine transform over a number of parts.
struct Waves {
    parts: usize,
    /// cos(π i / 2 parts) for a whole period.
    cosines: Vec<f64>,
}

impl Waves {
    fn new(parts: usize) -> Waves {
        let cosine = |i: usize| (PI * i as f64 / (2 * parts) as f64).cos();
        Waves {
            parts,
            cosines: (0..4 * parts).map(cosine).collect(),
        }
    }

    /// The amplitudes of all waves but the constant one, by number of half periods, so that independent values of
    /// variance 1 have amplitudes of variance 1.
    fn of(&self, value: impl Fn(usize) -> f64) -> Vec<f64> {
        let values: Vec<f64> = (0..self.parts).map(value).collect();
        let norm = (2.0 / self.parts as f64).sqrt();
        let wave = |halves: usize| {
            let parts = values.iter().enumerate();
            let sum: f64 = parts
                .map(|(part, value)| value * self.cosine(halves * (2 * part + 1)))
                .sum();
            norm * sum
        };
        (1..self.parts).map(wave).collect()
    }

    fn cosine(&self, i: usize) -> f64 {
        self.cosines[i % self.cosines.len()]
    }

    /// The shape of a change, as waves.
    fn of_shape(&self, shape: Shape) -> Vec<f64> {
        let middle = |part: usize| (part as f64 + 0.5) / self.parts as f64;
        self.of(|part| match shape {
            Shape::Straight => middle(part),
            Shape::Decaying(constant) => (-middle(part) / constant).exp(),
        })
    }

    /// The variances of the waves of a noise with this many relaxation times in the window, and of white noise on top:
    /// the spectrum of an Ornstein-Uhlenbeck process averaged over parts, whose covariances are c, and c' φ^(lag - 1).
    fn of_noise(&self, relaxations: f64, white: f64) -> Vec<f64> {
        let step = relaxations / self.parts as f64;
        let kept = (-step).exp();
        let variance = 2.0 * (step - 1.0 + kept) / (step * step);
        let covariance = ((1.0 - kept) / step).powi(2);
        let wave = |halves: usize| {
            let cosine = self.cosine(2 * halves);
            let lags = (cosine - kept) / (1.0 - 2.0 * kept * cosine + kept * kept);
            // Relative to frequency 0, where the sum is 2 / step.
            white + step / 2.0 * (variance + 2.0 * covariance * lags)
        };
        (1..self.parts).map(wave).collect()
    }
}

/// A model, and how well it fits: the less the better.
struct Fit<T> {
    misfit: f64,
    /// What noise multiplies the model's variances by.
    scale: f64,
    noise: Vec<f64>,
    change: T,
}

fn judge(waves: &Waves, seen: &[f64]) -> Course {
    let shapes: Vec<(Shape, Vec<f64>)> = DECAYS
        .into_iter()
        .map(Shape::Decaying)
        .chain([Shape::Straight])
        .map(|shape| (shape, waves.of_shape(shape)))
        .collect();
    let (mut still, mut moving) = (None, None);
    for relaxations in RELAXATIONS {
        for white in WHITE {
            let noise = waves.of_noise(relaxations, white);
            let logarithms: f64 = noise.iter().map(|variance| variance.ln()).sum();
            let weights: Vec<f64> = noise.iter().map(|variance| 1.0 / variance).collect();
            let squares = weighted(seen, seen, &weights);
            better(&mut still, (squares, logarithms), &noise, ());
            for (shape, of_shape) in &shapes {
                let (along, own) = (
                    weighted(seen, of_shape, &weights),
                    weighted(of_shape, of_shape, &weights),
                );
                // Rounding must not make it negative.
                let left = (squares - along * along / own).max(ROUNDING * ROUNDING * squares);
                better(
                    &mut moving,
                    (left, logarithms),
                    &noise,
                    (*shape, along / own),
                );
            }
        }
    }
    let (still, moving) = (still.expect("a model"), moving.expect("a model"));
    let count = seen.len() as f64;
    // Three parameters of the noise are fitted, too.
    let ratio = (still.misfit - moving.misfit) * (count - 3.0) / count;
    let limit = match (pieces(&moving.noise), pieces(&still.noise)) {
        (MANY_PIECES.., _) => LIMIT_OF_MANY_PIECES,
        (_, MIN_PIECES..) => LIMIT,
        _ => LIMIT_OF_FEW_PIECES,
    };
    let error = |scale: f64, noise: &[f64]| (scale * noise[0] / waves.parts as f64).sqrt();
    if ratio > limit {
        let (shape, size) = moving.change;
        Course {
            change: Some(Change { shape, size, ratio }),
            pieces: pieces(&moving.noise),
            error: error(moving.scale, &moving.noise),
        }
    } else {
        Course {
            change: None,
            pieces: pieces(&still.noise),
            error: error(still.scale, &still.noise),
        }
    }
}

/// Σ a b / variance.
fn weighted(a: &[f64], b: &[f64], weights: &[f64]) -> f64 {
    let products = a.iter().zip(b).zip(weights);
    products.map(|((a, b), weight)| a * b * weight).sum()
}

/// Takes a model if it fits better: -2 ln of the likelihood, with the most likely scale, but for a constant.
fn better<T>(
    best: &mut Option<Fit<T>>,
    (squares, logarithms): (f64, f64),
    noise: &[f64],
    change: T,
) {
    let count = noise.len() as f64;
    let misfit = count * (squares / count).ln() + logarithms;
    if best.as_ref().is_none_or(|best| misfit < best.misfit) {
        *best = Some(Fit {
            misfit,
            scale: squares / count,
            noise: noise.to_vec(),
            change,
        });
    }
}

fn pieces(noise: &[f64]) -> f64 {
    noise.iter().sum::<f64>() / noise[0]
}

#[cfg(test)]
mod tests;
