//! The columns of a CSV trace.

use super::CsvProblem;

/// A column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Column {
    Cycle,
    Source,
    Destination,
    Words,
    Id,
    Class,
    After,
}

/// All columns, the required ones first.
const COLUMNS: [Column; 7] = [
    Column::Cycle,
    Column::Source,
    Column::Destination,
    Column::Words,
    Column::Id,
    Column::Class,
    Column::After,
];
/// How many of them are required.
const NEEDED: usize = 4;

impl Column {
    pub(super) fn name(self) -> &'static str {
        match self {
            Column::Cycle => "cycle",
            Column::Source => "src",
            Column::Destination => "dst",
            Column::Words => "words",
            Column::Id => "id",
            Column::Class => "class",
            Column::After => "after",
        }
    }
}

/// The names of all columns, as a message lists them.
pub(super) fn names() -> String {
    COLUMNS.map(Column::name).join(", ")
}

/// The columns of a trace, in their order.
#[derive(Clone, Debug, Default)]
pub(super) struct Columns {
    columns: Vec<Column>,
}

impl Columns {
    /// The columns that a header names.
    pub(super) fn of_header(header: &str) -> Result<Columns, CsvProblem> {
        let mut columns = Vec::new();
        for name in header.split(',').map(str::trim) {
            let column = COLUMNS.into_iter().find(|column| column.name() == name);
            let Some(column) = column else {
                return Err(CsvProblem::unknown_column(name));
            };
            if columns.contains(&column) {
                let name = column.name();
                return Err(CsvProblem::ColumnTwice { name });
            }
            columns.push(column);
        }
        let missing = COLUMNS[..NEEDED]
            .iter()
            .find(|column| !columns.contains(column));
        match missing {
            Some(column) => Err(CsvProblem::NoColumn {
                name: column.name(),
            }),
            None => Ok(Columns { columns }),
        }
    }

    pub(super) fn len(&self) -> usize {
        self.columns.len()
    }

    pub(super) fn place(&self, column: Column) -> Option<usize> {
        self.columns.iter().position(|other| *other == column)
    }
}
