//! Claims as they are written down.

use serde::Deserialize;
use std::collections::BTreeMap;
use std::str::FromStr;

/// All claims.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claims {
    /// The commands, each with its claims.
    pub command: Vec<Listed>,
}

/// A command with the claims that its results show.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Listed {
    /// What follows `flitwork` on the command line, without seeds and `--json`.
    pub run: String,
    /// The option that gives it seeds that no page used.
    #[serde(default = "fresh")]
    pub fresh: String,
    /// What it shows.
    pub claim: Vec<Claim>,
}

fn fresh() -> String {
    "--first-seed 1001".into()
}

/// A sentence with a number or a comparison, and where to find it again.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    /// The page below docs/src.
    pub page: String,
    /// The words of the page.
    pub says: String,
    /// The table of the results.
    #[serde(default = "rows")]
    pub table: String,
    /// The cells by which its row is known.
    #[serde(default, rename = "where")]
    pub row: BTreeMap<String, toml::Value>,
    /// The column with the figure.
    pub column: String,
    /// That with half of its 95 % interval, if that isn't the column's name and `_half_width`, its unit last.
    pub half_width_column: Option<String>,
    /// The figure on the page, with half of its interval: a fresh one may differ by both intervals together.
    pub value: Option<f64>,
    /// Half of the page's interval.
    pub half_width: Option<f64>,
    /// The least that the page allows.
    pub at_least: Option<f64>,
    /// The most that it allows.
    pub at_most: Option<f64>,
    /// The cells of another row, in which the figure must be smaller.
    pub more_than: Option<BTreeMap<String, toml::Value>>,
}

fn rows() -> String {
    "rows".into()
}

impl FromStr for Claims {
    type Err = String;

    fn from_str(text: &str) -> Result<Claims, String> {
        let claims: Claims = toml::from_str(text).map_err(|error| error.to_string())?;
        let all = claims.command.iter().flat_map(|command| &command.claim);
        for claim in all {
            claim
                .check()
                .map_err(|why| format!("{}, {:?}: {why}", claim.page, claim.says))?;
        }
        Ok(claims)
    }
}

impl Claim {
    /// Whether it claims one thing.
    fn check(&self) -> Result<(), &'static str> {
        let bounds = self.at_least.is_some() || self.at_most.is_some();
        let kinds = [self.value.is_some(), bounds, self.more_than.is_some()];
        match kinds.iter().filter(|is| **is).count() {
            0 => Err("nothing is claimed; allowed: value, at_least and at_most, or more_than"),
            1 if self.half_width.is_some() && self.value.is_none() => {
                Err("half_width without a value; allowed: with value")
            }
            1 => Ok(()),
            _ => Err(
                "claims more than one thing; allowed: one of value, at_least and at_most, and more_than",
            ),
        }
    }

    /// The column with half of the interval: `lost_part_half_width`, or `latency_half_width_cycles` of `latency_mean_cycles`.
    pub(crate) fn half_width_name(&self) -> Vec<String> {
        if let Some(name) = &self.half_width_column {
            return vec![name.clone()];
        }
        let column = &self.column;
        let mut all = vec![format!("{column}_half_width")];
        for (place, _) in column.match_indices('_') {
            let (stem, unit) = column.split_at(place);
            let stem = stem.strip_suffix("_mean").unwrap_or(stem);
            all.push(format!("{stem}_half_width{unit}"));
        }
        all
    }

    /// The page's words as they stand there, with single spaces.
    pub fn is_on(&self, page: &str) -> bool {
        let plain = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        plain(page).contains(&plain(&self.says))
    }
}
