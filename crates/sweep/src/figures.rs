//! The figures of a point: those of a run that don't depend on the host.

use flitwork_measure::Estimate;
use flitwork_report::{Cell, Column, Kind};
use flitwork_results::{Figure, Results, figures};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

/// A mean with its interval at 95 % confidence.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Mean {
    pub(crate) mean: f64,
    /// Half the width of the interval, where one can be trusted.
    pub(crate) half_width: Option<f64>,
}

impl Mean {
    pub(crate) fn of(estimate: &Estimate) -> Option<Mean> {
        let half_width = estimate.half_width.filter(|width| width.is_finite());
        let mean = Some(estimate.mean).filter(|mean| mean.is_finite())?;
        Some(Mean { mean, half_width })
    }
}

/// What a row itself reports, since a refused point has no figures.
pub(crate) const OF_ROW: [&str; 2] = ["status", "reason"];

/// The figures that a row has, in their order.
pub(crate) fn kept() -> impl Iterator<Item = &'static Figure> + Clone {
    let all = figures().iter();
    all.filter(|figure| !figure.is_of_host && !OF_ROW.contains(&figure.name()))
}

/// A point's figures: a cell each, in the order of [`kept`].
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Figures(Vec<Cell>);

impl Figures {
    pub(crate) fn of(results: &Results) -> Figures {
        Figures(kept().map(|figure| figure.column.cell(results)).collect())
    }

    /// Figures, of which only these are known.
    #[cfg(test)]
    pub(crate) fn known(cells: &[(&str, Cell)]) -> Figures {
        let mut found = Figures(vec![Cell::Missing; kept().count()]);
        for (name, cell) in cells {
            found.0[place(name).expect(name)] = cell.clone();
        }
        found
    }

    /// A figure by its name; there must be one of that name.
    fn cell(&self, name: &str) -> &Cell {
        let place = place(name).unwrap_or_else(|| panic!("no figure is called {name}"));
        &self.0[place]
    }

    /// A number by its name.
    pub(crate) fn number(&self, name: &str) -> Option<f64> {
        self.cell(name).number()
    }

    /// A figure that is true or false, by its name.
    pub(crate) fn truth(&self, name: &str) -> Option<bool> {
        match self.cell(name) {
            Cell::Truth(truth) => Some(*truth),
            _ => None,
        }
    }

    /// A text by its name.
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        match self.cell(name) {
            Cell::Text(text) => Some(text),
            _ => None,
        }
    }

    fn mean(&self, mean: &str, half_width: &str) -> Option<Mean> {
        let half_width = self.number(half_width);
        self.number(mean).map(|mean| Mean { mean, half_width })
    }

    /// What the sources offered, in words per node and cycle.
    pub(crate) fn offered(&self) -> Option<f64> {
        self.number("offered_load_words_per_node_cycle")
    }

    /// What was accepted, in words per node and cycle.
    pub(crate) fn accepted(&self) -> Option<Mean> {
        self.mean(
            "accepted_load_words_per_node_cycle",
            "accepted_load_half_width_words_per_node_cycle",
        )
    }

    /// The mean latency, in `cycles` or in `ps`; for an overloaded network, that of its window, which reflects the
    /// window's length. In ps it is known only where nodes have clocks of their own.
    pub(crate) fn latency(&self, unit: &str) -> Option<Mean> {
        let [mean, half_width, window] =
            ["mean", "half_width", "window_mean"].map(|figure| format!("latency_{figure}_{unit}"));
        let steady = self.mean(&mean, &half_width);
        let half_width = None;
        let window = self.number(&window);
        steady.or(window.map(|mean| Mean { mean, half_width }))
    }

    /// Whether the network was saturated.
    pub(crate) fn is_saturated(&self) -> bool {
        self.truth("saturated") == Some(true)
    }
}

fn place(name: &str) -> Option<usize> {
    kept().position(|figure| figure.name() == name)
}

/// The columns of some figures, of rows that have them unless a point was refused.
pub(crate) fn columns<R: 'static>(
    which: impl Fn(&str) -> bool,
    of: fn(&R) -> Option<&Figures>,
) -> impl Iterator<Item = Column<R>> {
    let which = kept().enumerate().filter(move |it| which(it.1.name()));
    which.map(move |(place, figure)| {
        Column::of(figure.column.header.clone(), move |row| {
            of(row).map_or(Cell::Missing, |figures| figures.0[place].clone())
        })
    })
}

/// By their names; what is missing isn't there.
impl Serialize for Figures {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let cells = kept()
            .zip(&self.0)
            .filter(|(_, cell)| **cell != Cell::Missing);
        to.collect_map(cells.map(|(figure, cell)| (figure.name(), cell)))
    }
}

impl<'de> Deserialize<'de> for Figures {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Figures, D::Error> {
        let mut cells = vec![Cell::Missing; kept().count()];
        for (name, value) in Map::deserialize(from)? {
            let found = kept().enumerate().find(|(_, figure)| figure.name() == name);
            let cell = found
                .and_then(|(place, figure)| Some((place, cell(figure.column.header.kind, value)?)));
            let (place, cell) = cell.ok_or_else(|| D::Error::custom(&name))?;
            cells[place] = cell;
        }
        Ok(Figures(cells))
    }
}

/// A value of JSON in a column of that kind.
fn cell(kind: Kind, value: Value) -> Option<Cell> {
    match (kind, value) {
        (Kind::Whole, value) => value.as_i64().map(Cell::Whole),
        (Kind::Count, value) => value.as_u64().map(Cell::Count),
        (Kind::Number, value) => value.as_f64().map(Cell::Number),
        (Kind::Truth, value) => value.as_bool().map(Cell::Truth),
        (Kind::Text, Value::String(text)) => Some(Cell::Text(text)),
        (Kind::Text, _) => None,
    }
}
