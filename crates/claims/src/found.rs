//! What fresh results say of a claim.

use crate::claim::Claim;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt;

/// Whether a claim holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It does.
    Holds,
    /// The fresh interval allows both.
    Open,
    /// It doesn't.
    Fails,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Verdict::Holds => "holds",
            Verdict::Open => "open",
            Verdict::Fails => "FAILS",
        })
    }
}

/// What was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// Whether the claim holds.
    pub verdict: Verdict,
    /// What the fresh results have.
    pub fresh: String,
    /// What the page has.
    pub claimed: String,
}

/// Why results say nothing of a claim.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Missing {
    /// There is no such table.
    #[error("the results have no table `{0}`")]
    Table(String),
    /// No row, or several, have the cells.
    #[error("{rows} rows of the table have {cells}; allowed: cells that one row has")]
    Row {
        /// How many.
        rows: usize,
        /// The cells.
        cells: String,
    },
    /// There is no such column, or it is missing in the row.
    #[error("the row has no number `{0}`")]
    Column(String),
}

/// A figure with half of its interval, 0 if it is exact or has none.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Figure {
    mean: f64,
    half_width: f64,
}

impl fmt::Display for Figure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.half_width {
            0.0 => write!(f, "{:.4}", self.mean),
            half_width => write!(f, "{:.4} ± {half_width:.4}", self.mean),
        }
    }
}

impl Figure {
    /// By how much it is more, with the interval of a difference of independent figures.
    fn minus(self, other: Figure) -> Figure {
        Figure {
            mean: self.mean - other.mean,
            half_width: self.half_width.hypot(other.half_width),
        }
    }

    /// Whether it is above 0, below, or may be either.
    fn above_zero(self) -> Verdict {
        match self.mean {
            mean if mean > self.half_width => Verdict::Holds,
            mean if mean < -self.half_width => Verdict::Fails,
            _ => Verdict::Open,
        }
    }
}

impl Claim {
    /// What a command's JSON says of it.
    ///
    /// # Errors
    /// The results don't have it.
    pub fn judge(&self, results: &Value) -> Result<Found, Missing> {
        let fresh = self.figure(results, &self.row)?;
        if let Some(mean) = self.value {
            let half_width = self.half_width.unwrap_or(0.0);
            let claimed = Figure { mean, half_width };
            let apart = fresh.minus(claimed);
            let verdict = match apart.mean.abs() <= apart.half_width {
                true => Verdict::Holds,
                false => Verdict::Fails,
            };
            return Ok(Found {
                verdict,
                fresh: fresh.to_string(),
                claimed: claimed.to_string(),
            });
        }
        if let Some(row) = &self.more_than {
            let other = self.figure(results, row)?;
            return Ok(Found {
                verdict: fresh.minus(other).above_zero(),
                fresh: fresh.to_string(),
                claimed: format!("more than {other}"),
            });
        }
        Ok(self.within(fresh))
    }

    /// Of bounds: a figure that lies on a bound or within keeps it if its interval does, and a figure beyond one breaks it if the whole
    /// interval is beyond.
    fn within(&self, fresh: Figure) -> Found {
        let exact = |mean| Figure {
            mean,
            half_width: 0.0,
        };
        let above = self.at_least.map(|least| fresh.minus(exact(least)));
        let below = self.at_most.map(|most| exact(most).minus(fresh));
        let keeps = |it: Figure| match it.mean >= it.half_width {
            true => Verdict::Holds,
            false => it.above_zero(),
        };
        let all: Vec<Verdict> = above.into_iter().chain(below).map(keeps).collect();
        let verdict = match &all {
            all if all.contains(&Verdict::Fails) => Verdict::Fails,
            all if all.contains(&Verdict::Open) => Verdict::Open,
            _ => Verdict::Holds,
        };
        let bound = |name, bound: Option<f64>| bound.map(|it| format!("{name} {it}"));
        let claimed = [
            bound("at least", self.at_least),
            bound("at most", self.at_most),
        ];
        Found {
            verdict,
            fresh: fresh.to_string(),
            claimed: claimed.into_iter().flatten().collect::<Vec<_>>().join(", "),
        }
    }

    fn figure(
        &self,
        results: &Value,
        cells: &BTreeMap<String, toml::Value>,
    ) -> Result<Figure, Missing> {
        let table = results.get(&self.table).and_then(Value::as_array);
        let table = table.ok_or_else(|| Missing::Table(self.table.clone()))?;
        let fits = |row: &&Value| {
            let same = |(name, cell): (&String, &toml::Value)| {
                row.get(name).is_some_and(|found| is_same(found, cell))
            };
            cells.iter().all(same)
        };
        let rows: Vec<&Value> = table.iter().filter(fits).collect();
        let [row] = rows[..] else {
            let named = cells.iter().map(|(name, cell)| format!("{name} = {cell}"));
            let cells = named.collect::<Vec<_>>().join(", ");
            let rows = rows.len();
            return Err(Missing::Row { rows, cells });
        };
        let number = |name: &str| row.get(name).and_then(Value::as_f64);
        let mean = number(&self.column).ok_or_else(|| Missing::Column(self.column.clone()))?;
        let half_width = self.half_width_name().iter().find_map(|name| number(name));
        Ok(Figure {
            mean,
            half_width: half_width.unwrap_or(0.0),
        })
    }
}

/// Whether a cell of JSON is what a claim names.
fn is_same(found: &Value, named: &toml::Value) -> bool {
    match named {
        toml::Value::String(named) => found.as_str() == Some(named),
        toml::Value::Integer(named) => found.as_f64() == Some(*named as f64),
        toml::Value::Float(named) => found.as_f64() == Some(*named),
        toml::Value::Boolean(named) => found.as_bool() == Some(*named),
        _ => false,
    }
}
