//! The columns of a CSV trace.

use super::{CsvProblem, LONGEST_FIELD};
use crate::trace::Field;
use flitwork_schema::cut;

/// All columns with their names, the required ones first.
const COLUMNS: [(Field, &str); 7] = [
    (Field::Cycle, "cycle"),
    (Field::Source, "src"),
    (Field::Destination, "dst"),
    (Field::Words, "words"),
    (Field::Id, "id"),
    (Field::Class, "class"),
    (Field::Links, "after"),
];
/// How many of them are required.
const NEEDED: usize = 4;

/// The name of the column that has a part of a packet; none has the whole packet.
pub(super) fn name(of: Field) -> Option<&'static str> {
    let mut columns = COLUMNS.into_iter();
    columns.find_map(|(field, name)| (field == of).then_some(name))
}

/// The names of all columns, as a message lists them.
pub(super) fn names() -> String {
    COLUMNS.map(|(_, name)| name).join(", ")
}

/// What the columns have that a header names, in their order.
pub(super) fn of_header(header: &str) -> Result<Vec<Field>, CsvProblem> {
    let mut columns = Vec::new();
    for found in header.split(',').map(str::trim) {
        let Some((field, name)) = COLUMNS.into_iter().find(|(_, name)| *name == found) else {
            let found = cut(found, LONGEST_FIELD);
            return Err(CsvProblem::UnknownColumn { found });
        };
        if columns.contains(&field) {
            return Err(CsvProblem::ColumnTwice { name });
        }
        columns.push(field);
    }
    let mut needed = COLUMNS.into_iter().take(NEEDED);
    match needed.find(|(field, _)| !columns.contains(field)) {
        Some((_, name)) => Err(CsvProblem::NoColumn { name }),
        None => Ok(columns),
    }
}
