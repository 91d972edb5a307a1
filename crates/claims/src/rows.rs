//! Figures from the rows of results.

use crate::claim::{Cells, Claim, Seeds};
use crate::figure::Figure;
use serde_json::Value;
use std::collections::BTreeMap;

/// Why results say nothing of a claim.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Missing {
    /// There is no such table.
    #[error("the results have no table `{0}`")]
    Table(String),
    /// No row, or several, have the cells.
    #[error("{rows} rows have {cells}; allowed: cells that one row has, or one for each of `each`")]
    Row {
        /// How many.
        rows: usize,
        /// The cells.
        cells: String,
    },
    /// There is no such column, or it is missing in the row.
    #[error("a row has no number `{0}`")]
    Column(String),
    /// A count isn't a whole number.
    #[error("`{0}` is {1}; allowed: a whole number")]
    Count(String, String),
    /// A figure is to be a part of another one that is 0.
    #[error("what the figure is relative to is 0")]
    Part,
    /// Two figures can't be compared one by one.
    #[error("not the same of `{0}` are in both rows that are compared")]
    Unpaired(String),
}

/// A figure: of one row with its interval, or of a row for each of something.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Sample {
    /// With the interval that the results have.
    One(Figure),
    /// By what the rows differ in.
    Each(BTreeMap<String, f64>),
}

impl Sample {
    pub(crate) fn figure(&self) -> Figure {
        match self {
            Sample::One(figure) => *figure,
            Sample::Each(all) => Figure::of(&all.values().copied().collect::<Vec<_>>()),
        }
    }

    /// Two samples one by one.
    pub(crate) fn with(
        &self,
        other: &Sample,
        claim: &Claim,
        both: fn(f64, f64) -> f64,
    ) -> Result<Option<Sample>, Missing> {
        let (Sample::Each(mine), Sample::Each(others)) = (self, other) else {
            return Ok(None);
        };
        if !mine.keys().eq(others.keys()) {
            let each = claim.each.clone().unwrap_or_default();
            return Err(Missing::Unpaired(each));
        }
        let pairs = mine.iter().zip(others.values());
        let all = pairs.map(|((key, mine), other)| (key.clone(), both(*mine, *other)));
        Ok(Some(Sample::Each(all.collect())))
    }
}

impl Claim {
    /// The figure of the rows with these cells, relative to another one if the claim says so.
    pub(crate) fn sample(
        &self,
        results: &Value,
        cells: &Cells,
        seeds: Seeds,
    ) -> Result<Sample, Missing> {
        let sample = self.plain_sample(results, cells, seeds)?;
        let Some(base) = &self.relative_to else {
            return Ok(sample);
        };
        let base = self.plain_sample(results, base, seeds)?;
        let part = sample.with(&base, self, |mine, base| mine / base - 1.0)?;
        if let Some(part) = part {
            return Ok(part);
        }
        let part = sample.figure().over(base.figure());
        part.map(Sample::One).ok_or(Missing::Part)
    }

    fn plain_sample(
        &self,
        results: &Value,
        cells: &Cells,
        seeds: Seeds,
    ) -> Result<Sample, Missing> {
        let rows = self.rows(results, cells, seeds)?;
        let none = || Missing::Row {
            rows: rows.len(),
            cells: named(cells),
        };
        let Some(each) = &self.each else {
            let [row] = rows[..] else { return Err(none()) };
            let mean = number(row, &self.column)?;
            let half_width = self
                .half_width_names()
                .iter()
                .find_map(|name| row.get(name)?.as_f64());
            let half_width = half_width.unwrap_or(0.0);
            return Ok(Sample::One(Figure { mean, half_width }));
        };
        let mut all = BTreeMap::new();
        for row in &rows {
            let key = row.get(each).ok_or_else(|| Missing::Column(each.clone()))?;
            all.insert(key.to_string(), number(row, &self.column)?);
        }
        match all.is_empty() || all.len() < rows.len() {
            true => Err(none()),
            false => Ok(Sample::Each(all)),
        }
    }

    /// A number of the only row with these cells.
    /// A whole number of the one row.
    pub(crate) fn count(
        &self,
        results: &Value,
        column: &str,
        seeds: Seeds,
    ) -> Result<u64, Missing> {
        let number = self.single(results, column, seeds)?;
        let is_count = number >= 0.0 && number.fract() == 0.0;
        match is_count {
            true => Ok(number as u64),
            false => Err(Missing::Count(column.into(), number.to_string())),
        }
    }

    fn single(&self, results: &Value, column: &str, seeds: Seeds) -> Result<f64, Missing> {
        let rows = self.rows(results, &self.row, seeds)?;
        let [row] = rows[..] else {
            return Err(Missing::Row {
                rows: rows.len(),
                cells: named(&self.row),
            });
        };
        number(row, column)
    }

    fn rows<'v>(
        &self,
        results: &'v Value,
        cells: &Cells,
        seeds: Seeds,
    ) -> Result<Vec<&'v Value>, Missing> {
        if self.table.is_empty() {
            return Ok(vec![results]);
        }
        let table = results.get(&self.table).and_then(Value::as_array);
        let table = table.ok_or_else(|| Missing::Table(self.table.clone()))?;
        let fits = |row: &&Value| {
            let same = |(name, cell): (&String, &toml::Value)| {
                row.get(name).is_some_and(|found| is_same(found, cell))
            };
            cells.iter().all(same)
        };
        let fresh = |row: &&Value| match seeds {
            Seeds::After(seed) => row
                .get("seed")
                .and_then(Value::as_u64)
                .is_none_or(|it| it > seed),
            Seeds::First | Seeds::One | Seeds::None => true,
        };
        Ok(table.iter().filter(fits).filter(fresh).collect())
    }

    /// Names that the column with half of the interval may have: `lost_part_half_width`, `latency_half_width_cycles` of `latency_mean_cycles`.
    pub(crate) fn half_width_names(&self) -> Vec<String> {
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
        let stem = column.strip_suffix("_mean");
        all.extend(stem.map(|stem| format!("{stem}_half_width")));
        all
    }
}

fn number(row: &Value, column: &str) -> Result<f64, Missing> {
    let number = row.get(column).and_then(Value::as_f64);
    number.ok_or_else(|| Missing::Column(column.to_owned()))
}

fn named(cells: &Cells) -> String {
    let named = cells.iter().map(|(name, cell)| format!("{name} = {cell}"));
    named.collect::<Vec<_>>().join(", ")
}

/// Whether a cell of JSON is what a claim names; an empty text is a missing cell.
fn is_same(found: &Value, named: &toml::Value) -> bool {
    match named {
        toml::Value::String(named) if named.is_empty() => found.is_null(),
        toml::Value::String(named) => found.as_str() == Some(named),
        toml::Value::Integer(named) => found.as_f64() == Some(*named as f64),
        toml::Value::Float(named) => found.as_f64() == Some(*named),
        toml::Value::Boolean(named) => found.as_bool() == Some(*named),
        _ => false,
    }
}
