//! Tables for a terminal: what a column is called, how wide it is and what it shows are declared in one place.

use std::fmt;

/// The columns of a table for a terminal.
pub struct Aligned<'a, R> {
    columns: Vec<Shown<'a, R>>,
}

struct Shown<'a, R> {
    title: &'a str,
    /// Spaces before it.
    gap: usize,
    width: usize,
    is_left: bool,
    of: Box<dyn Fn(&R) -> String + 'a>,
}

impl<R> Default for Aligned<'_, R> {
    fn default() -> Self {
        let columns = Vec::new();
        Aligned { columns }
    }
}

impl<'a, R> Aligned<'a, R> {
    /// No columns yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a column that is aligned to the right. A title may have several lines.
    #[must_use]
    pub fn right<T: fmt::Display>(
        self,
        title: &'a str,
        width: usize,
        of: impl Fn(&R) -> T + 'a,
    ) -> Self {
        self.with(title, width, false, of)
    }

    /// Adds a column that is aligned to the left.
    #[must_use]
    pub fn left<T: fmt::Display>(
        self,
        title: &'a str,
        width: usize,
        of: impl Fn(&R) -> T + 'a,
    ) -> Self {
        self.with(title, width, true, of)
    }

    /// Puts this many spaces, instead of one, before the column that was added last.
    #[must_use]
    pub fn behind(mut self, gap: usize) -> Self {
        if let Some(last) = self.columns.last_mut() {
            last.gap = gap;
        }
        self
    }

    fn with<T: fmt::Display>(
        mut self,
        title: &'a str,
        width: usize,
        is_left: bool,
        of: impl Fn(&R) -> T + 'a,
    ) -> Self {
        let gap = usize::from(!self.columns.is_empty());
        let of = Box::new(move |row: &R| of(row).to_string());
        self.columns.push(Shown {
            title,
            gap,
            width,
            is_left,
            of,
        });
        self
    }

    /// The titles, and a line per row.
    pub fn text<'r>(&self, rows: impl IntoIterator<Item = &'r R>) -> String
    where
        R: 'r,
    {
        let columns = &self.columns;
        let lines = columns.iter().map(|column| column.title.lines().count());
        let titles = (0..lines.max().unwrap_or(0)).map(|place| {
            row_text(columns, |column| {
                column.title.lines().nth(place).unwrap_or_default().into()
            })
        });
        let rows = rows.into_iter();
        let rows = rows.map(|row| row_text(columns, |column| (column.of)(row)));
        titles.chain(rows).collect()
    }
}

fn row_text<R>(columns: &[Shown<'_, R>], value: impl Fn(&Shown<'_, R>) -> String) -> String {
    let cells = columns.iter().map(|column| {
        let (value, width, gap) = (value(column), column.width, " ".repeat(column.gap));
        match column.is_left {
            true => format!("{gap}{value:<width$}"),
            false => format!("{gap}{value:>width$}"),
        }
    });
    cells.collect::<String>() + "\n"
}

/// Lines of a name and a value.
pub type Lines = Vec<(String, String)>;

/// A line of a name and a value.
pub fn line(name: impl Into<String>, value: impl Into<String>) -> (String, String) {
    (name.into(), value.into())
}

/// Names and values as lines of a report, values below each other.
pub fn named_lines<N: AsRef<str>, V: fmt::Display>(
    lines: impl IntoIterator<Item = (N, V)>,
) -> String {
    let lines = lines.into_iter();
    lines
        .map(|(name, value)| format!("  {:<22} {value}\n", name.as_ref()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_are_above_their_columns() {
        let columns = Aligned::<(&str, f64)>::new()
            .left("router", 7, |row| row.0.to_owned())
            .right("load\nwords", 6, |row| format!("{:.2}", row.1));
        let text = "router    load\n         words\nchaos     0.25\n";
        assert_eq!(columns.text(&[("chaos", 0.25)]), text);
    }
}
