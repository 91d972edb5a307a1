//! Rows as text or JSON, one after another.

use crate::exit::{Exit, print};
use flitwork_debug::Happening;
use flitwork_debug::language::{Columns, Row};
use flitwork_debug::rows::{Cell, EventRow, Nodes, cells};
use flitwork_view::shown::cells_json;

/// How rows are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    Text,
    /// One JSON document, a list.
    List,
    /// A JSON document a row.
    Lines,
}

impl Form {
    /// By the options `--json` and `--jsonl`.
    pub(super) fn new(json: bool, jsonl: bool) -> Form {
        match (json, jsonl) {
            (_, true) => Form::Lines,
            (true, false) => Form::List,
            (false, false) => Form::Text,
        }
    }
}

/// Rows that are printed as they come, with columns as wide as the first rows need.
pub(super) struct Table<'a> {
    columns: &'a Columns,
    form: Form,
    /// The first rows, until there are enough of them to know how wide columns are.
    first: Vec<Vec<Cell>>,
    /// How many rows are looked at before the first is printed.
    ahead: usize,
    /// Whether columns without a value are left out.
    hides_empty: bool,
    /// The columns that are shown, each with its width.
    widths: Option<Vec<(usize, usize)>>,
    rows: u64,
}

/// How many rows of a long table are looked at before the first is printed.
const AHEAD: usize = 200;

impl<'a> Table<'a> {
    pub(super) fn new(columns: &'a Columns, form: Form) -> Table<'a> {
        Table {
            columns,
            form,
            first: Vec::new(),
            ahead: AHEAD,
            hides_empty: false,
            widths: None,
            rows: 0,
        }
    }

    /// A table of few rows, which is printed at its end, without the columns in which no row has a value.
    fn short(columns: &'a Columns, form: Form) -> Table<'a> {
        Table {
            ahead: usize::MAX,
            hides_empty: true,
            ..Table::new(columns, form)
        }
    }

    pub(super) fn rows(&self) -> u64 {
        self.rows
    }

    pub(super) fn put(&mut self, row: &impl Row) -> Result<(), Exit> {
        self.rows += 1;
        let cells = cells(row, self.columns);
        let row = || cells_json(&cells, self.columns);
        match (self.form, self.rows) {
            (Form::Lines, _) => return print(&format!("{}\n", row())),
            (Form::List, 1) => return print(&format!("[\n{}", row())),
            (Form::List, _) => return print(&format!(",\n{}", row())),
            (Form::Text, _) => {}
        }
        match &self.widths {
            Some(widths) => print(&line(&cells, widths)),
            None => {
                self.first.push(cells);
                match self.first.len() == self.ahead {
                    true => self.begin(),
                    false => Ok(()),
                }
            }
        }
    }

    /// Prints what has been held, and ends the list.
    pub(super) fn end(mut self) -> Result<(), Exit> {
        match (self.form, self.rows) {
            (Form::Text, _) if self.widths.is_none() => self.begin(),
            (Form::List, 0) => print("[]\n"),
            (Form::List, _) => print("\n]\n"),
            (Form::Text | Form::Lines, _) => Ok(()),
        }
    }

    fn begin(&mut self) -> Result<(), Exit> {
        let width = |place: usize| {
            let cells = self
                .first
                .iter()
                .map(|row| row[place].to_string().chars().count());
            let title = self.columns.0[place].name.chars().count();
            cells.fold(title, usize::max)
        };
        let has_value = |place: &usize| {
            let mut cells = self.first.iter().map(|row| &row[*place]);
            !self.hides_empty || cells.any(|cell| *cell != Cell::Missing)
        };
        let shown = (0..self.columns.0.len()).filter(has_value);
        let widths: Vec<(usize, usize)> = shown.map(|place| (place, width(place))).collect();
        let titles = widths.iter().map(|(place, width)| {
            let name = &self.columns.0[*place].name;
            format!("{name:>width$}")
        });
        let titles: Vec<String> = titles.collect();
        let mut text = titles.join("  ").trim_end().to_owned() + "\n";
        for row in std::mem::take(&mut self.first) {
            text += &line(&row, &widths);
        }
        self.widths = Some(widths);
        print(&text)
    }
}

/// Prints a few events.
pub(super) fn print_events<'h>(
    nodes: &Nodes,
    columns: &Columns,
    form: Form,
    happened: impl IntoIterator<Item = &'h Happening>,
) -> Result<(), Exit> {
    let mut table = Table::short(columns, form);
    for happening in happened {
        table.put(&EventRow { happening, nodes })?;
    }
    table.end()
}

fn line(cells: &[Cell], widths: &[(usize, usize)]) -> String {
    let cells = widths.iter().map(|(place, width)| {
        let cell = &cells[*place];
        format!("{cell:>width$}")
    });
    cells
        .collect::<Vec<String>>()
        .join("  ")
        .trim_end()
        .to_owned()
        + "\n"
}
