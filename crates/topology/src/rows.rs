//! Tables in CSV that name nodes and ports: their rows, one after the other, with their places.
//!
//! Columns are in any order, and those that aren't needed may be left out, as may their cells. What begins with `#` is a comment.

use flitwork_schema::{FileMistake, Span, shown};

/// A mistake at a place, or in the whole file.
pub fn wrong(
    at: impl Into<Option<Span>>,
    found: impl Into<String>,
    allowed: impl Into<String>,
) -> FileMistake {
    FileMistake {
        at: at.into(),
        found: found.into(),
        allowed: allowed.into(),
    }
}

/// A whole number within a range. `what` says in a message what it is.
pub fn whole(
    text: &str,
    what: &str,
    (least, most): (u32, u32),
    at: &Span,
) -> Result<u32, FileMistake> {
    let is_plain = text.bytes().all(|byte| byte.is_ascii_digit());
    let number = text.parse().ok().filter(|_| is_plain);
    number
        .filter(|it| (least..=most).contains(it))
        .ok_or_else(|| {
            let allowed = format!("a whole number from {least} to {most}");
            wrong(at.clone(), format!("{what} `{}`", shown(text)), allowed)
        })
}

/// The number of the line that a place is in, from 1.
pub fn line_of(text: &str, at: &Span) -> usize {
    let before = text.bytes().take(at.start);
    before.filter(|byte| *byte == b'\n').count() + 1
}

/// A row of a table.
pub struct Row<'a> {
    /// Its place in the text.
    pub at: Span,
    columns: &'a [&'static str],
    cells: &'a csv::StringRecord,
}

impl<'a> Row<'a> {
    /// A cell, unless it is empty or there is no such column.
    pub fn cell(&self, column: &str) -> Option<&'a str> {
        let place = self.columns.iter().position(|name| *name == column)?;
        self.cells.get(place).filter(|cell| !cell.is_empty())
    }

    /// A cell that must say something; `what` is what it names.
    ///
    /// # Errors
    /// An empty one.
    pub fn needed(&self, column: &str, what: &str) -> Result<&'a str, FileMistake> {
        self.cell(column).ok_or_else(|| {
            let found = format!("nothing in the column {column}");
            wrong(self.at.clone(), found, what)
        })
    }

    /// A cell that is a whole number within a range, if it isn't empty.
    ///
    /// # Errors
    /// Another cell.
    pub fn number(&self, column: &str, range: (u32, u32)) -> Result<Option<u32>, FileMistake> {
        let cell = self.cell(column);
        cell.map(|cell| whole(cell, column, range, &self.at))
            .transpose()
    }

    /// Two cells that are both filled, or neither.
    ///
    /// # Errors
    /// One without the other.
    pub fn both(&self, columns: [&str; 2]) -> Result<Option<[&'a str; 2]>, FileMistake> {
        let [one, other] = columns;
        match (self.cell(one), self.cell(other)) {
            (None, None) => Ok(None),
            (Some(cell), Some(beside)) => Ok(Some([cell, beside])),
            (cell, _) => {
                let (filled, empty) = if cell.is_some() {
                    (one, other)
                } else {
                    (other, one)
                };
                let found = format!("{filled} without {empty}");
                Err(wrong(self.at.clone(), found, "both of them, or neither"))
            }
        }
    }
}

/// Passes on the rows of a table with these columns, the first `needed` of which must be there.
///
/// # Errors
/// Other columns, a row of another length, and what `take` refuses.
pub fn each_row(
    text: &str,
    names: &[&'static str],
    needed: usize,
    mut take: impl FnMut(&Row<'_>) -> Result<(), FileMistake>,
) -> Result<(), FileMistake> {
    let mut reader = csv::ReaderBuilder::new()
        .comment(Some(b'#'))
        .trim(csv::Trim::All)
        .has_headers(false)
        .flexible(true)
        .from_reader(text.as_bytes());
    let mut columns: Option<Vec<&'static str>> = None;
    let mut record = csv::StringRecord::new();
    loop {
        let read = reader.read_record(&mut record);
        if !read.map_err(|error| wrong(None, error.to_string(), "a table in CSV"))? {
            break;
        }
        let begin = record.position().map_or(0, |it| it.byte() as usize);
        let at = line_at(text, begin);
        let Some(columns) = &columns else {
            columns = Some(header(&record, &at, names, needed)?);
            continue;
        };
        if record.len() != columns.len() {
            let plural = if record.len() == 1 { "" } else { "s" };
            let found = format!("{} cell{plural}", record.len());
            let allowed = format!("{}, one for each column", columns.len());
            return Err(wrong(at, found, allowed));
        }
        take(&Row {
            at,
            columns,
            cells: &record,
        })?;
    }
    match columns {
        Some(_) => Ok(()),
        None => Err(wrong(None, "no columns", columns_of(names, needed))),
    }
}

/// The columns that the first row names.
fn header(
    record: &csv::StringRecord,
    at: &Span,
    names: &[&'static str],
    needed: usize,
) -> Result<Vec<&'static str>, FileMistake> {
    let refused = |found| Err(wrong(at.clone(), found, columns_of(names, needed)));
    let mut columns = Vec::new();
    for cell in record {
        match names.iter().find(|name| **name == cell) {
            None => return refused(format!("a column `{}`", shown(cell))),
            Some(name) if columns.contains(name) => {
                return refused(format!("two columns `{name}`"));
            }
            Some(name) => columns.push(*name),
        }
    }
    match names[..needed].iter().find(|name| !columns.contains(name)) {
        Some(name) => refused(format!("no column `{name}`")),
        None => Ok(columns),
    }
}

/// The columns that a table may have, in words.
fn columns_of(names: &[&str], needed: usize) -> String {
    let (needed, others) = names.split_at(needed);
    format!(
        "the columns {}, and {} if they are needed",
        needed.join(" and "),
        others.join(", ")
    )
}

/// The line of a record, if the reader looks for it from a place on: the end of the line before, empty lines and comments may come
/// first.
fn line_at(text: &str, mut begin: usize) -> Span {
    let rest = |begin: usize| text.get(begin..).unwrap_or_default();
    let end_of_line = |begin: usize| {
        let length = rest(begin).find(['\n', '\r']);
        length.map_or(text.len(), |length| begin + length)
    };
    loop {
        match rest(begin).bytes().next() {
            Some(b'\n' | b'\r') => begin += 1,
            Some(b'#') => begin = end_of_line(begin),
            _ => return begin..end_of_line(begin).max(begin),
        }
    }
}
