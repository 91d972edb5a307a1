//! What fresh results say of a claim.

use crate::claim::{Cells, Claim, Expected, Seeds};
use crate::figure::Figure;
use crate::fisher;
use crate::rows::Missing;
use serde_json::Value;
use std::fmt;

/// Whether a claim holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It does.
    Holds,
    /// It doesn't.
    Fails,
}

/// What was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// Whether the claim holds.
    pub verdict: Verdict,
    /// Of bounds and comparisons of figures with intervals, whether by more than the interval.
    pub clearly: Option<bool>,
    /// What the fresh results have.
    pub fresh: Fresh,
    /// What the page has, in words.
    pub page: String,
}

/// What the fresh results have.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fresh {
    /// A figure.
    Figure(Figure),
    /// A count.
    Count {
        /// How many.
        count: u64,
        /// Of how many.
        of: u64,
        /// The probability of two counts as unlikely as this and the page's, by Fisher's exact test.
        chance: f64,
    },
}

impl fmt::Display for Fresh {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fresh::Figure(figure) => figure.fmt(f),
            Fresh::Count { count, of, chance } => {
                write!(f, "{count} of {of} (Fisher: {chance:.3})")
            }
        }
    }
}

fn verdict(holds: bool) -> Verdict {
    match holds {
        true => Verdict::Holds,
        false => Verdict::Fails,
    }
}

impl Claim {
    /// What a command's JSON says of it.
    ///
    /// # Errors
    /// The results don't have it.
    pub fn judge(&self, results: &Value, seeds: Seeds) -> Result<Found, Missing> {
        match &self.expected {
            Expected::Value {
                mean,
                half_width,
                rounded_to,
            } => {
                let fresh = self.sample(results, &self.row, seeds)?.figure();
                let page = Figure {
                    mean: *mean,
                    half_width: *half_width,
                };
                Ok(near(fresh, page, *rounded_to))
            }
            Expected::Bounds { least, most } => {
                let fresh = self.sample(results, &self.row, seeds)?.figure();
                Ok(within(fresh, *least, *most))
            }
            Expected::MoreThan(other) => self.compared(results, other, seeds),
            Expected::Count {
                count,
                of,
                of_column,
            } => {
                let fresh = self.count(results, &self.column, seeds)?;
                let fresh_of = self.count(results, of_column, seeds)?;
                if fresh > fresh_of {
                    return Err(Missing::Column(of_column.clone()));
                }
                let chance = fisher::two_sided((*count, *of), (fresh, fresh_of));
                Ok(Found {
                    verdict: verdict(chance >= 0.05),
                    clearly: None,
                    fresh: Fresh::Count {
                        count: fresh,
                        of: fresh_of,
                        chance,
                    },
                    page: format!("{count} of {of}"),
                })
            }
        }
    }

    /// More than another row: where each has its like, by differences one by one.
    fn compared(&self, results: &Value, other: &Cells, seeds: Seeds) -> Result<Found, Missing> {
        let mine = self.sample(results, &self.row, seeds)?;
        let other = self.sample(results, other, seeds)?;
        let paired = mine.with(&other, self, |mine, other| mine - other)?;
        let more = match paired {
            Some(more) => more.figure(),
            None => mine.figure().minus(other.figure()),
        };
        Ok(Found {
            verdict: verdict(more.mean > 0.0),
            clearly: (more.half_width > 0.0).then(|| more.mean.abs() > more.half_width),
            fresh: Fresh::Figure(mine.figure()),
            page: format!("more than {}", other.figure()),
        })
    }
}

/// A figure beside the page's: they may be apart by both half widths in quadrature, and by half of what the page's is rounded to.
fn near(fresh: Figure, page: Figure, rounded_to: f64) -> Found {
    let apart = fresh.minus(page);
    // As far as both are written the same.
    let slack = 1e-9 * page.mean.abs();
    let rounded = match rounded_to {
        0.0 => String::new(),
        step => format!(", rounded to {step}"),
    };
    Found {
        verdict: verdict(apart.mean.abs() <= apart.half_width + rounded_to / 2.0 + slack),
        clearly: None,
        fresh: Fresh::Figure(fresh),
        page: format!("{page}{rounded}"),
    }
}

/// Bounds are kept by the mean; clearly, if the whole interval is on one side of each.
fn within(fresh: Figure, least: Option<f64>, most: Option<f64>) -> Found {
    let room = [
        least.map(|it| fresh.mean - it),
        most.map(|it| it - fresh.mean),
    ];
    let room: Vec<f64> = room.into_iter().flatten().collect();
    let bound = |name, bound: Option<f64>| bound.map(|it| format!("{name} {it}"));
    let page = [bound("at least", least), bound("at most", most)];
    let holds = room.iter().all(|it| *it >= 0.0);
    let clearly = match holds {
        true => room.iter().all(|it| *it >= fresh.half_width),
        false => room.iter().any(|it| *it < -fresh.half_width),
    };
    Found {
        verdict: verdict(holds),
        clearly: (fresh.half_width > 0.0).then_some(clearly),
        fresh: Fresh::Figure(fresh),
        page: page.into_iter().flatten().collect::<Vec<_>>().join(", "),
    }
}
