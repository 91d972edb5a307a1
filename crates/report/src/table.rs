//! Rows on their way out of the program: cells under headers, whatever they were computed from.

use crate::aligned::Aligned;
use crate::cell::{Cell, Kind};
use crate::column::{Column, Header, headers};
use crate::files::TableFiles;
use crate::format::Formats;
use crate::provenance::Provenance;
use flitwork_files::WriteError;
use serde::ser::{Serialize, SerializeMap, Serializer};
use std::borrow::Borrow;
use std::path::{Path, PathBuf};

/// Named rows: a list of objects in JSON, a file in each of the other formats.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// What JSON calls it; a file is called by it too.
    pub name: &'static str,
    headers: Vec<Header>,
    rows: Vec<Vec<Cell>>,
}

impl Table {
    /// The cells of rows under some columns.
    pub fn new<R>(
        name: &'static str,
        columns: &[Column<R>],
        rows: impl IntoIterator<Item = impl Borrow<R>>,
    ) -> Table {
        let cells = |row: &R| columns.iter().map(|column| column.cell(row)).collect();
        Table {
            name,
            headers: headers(columns),
            rows: rows.into_iter().map(|row| cells(row.borrow())).collect(),
        }
    }

    /// What its columns are called and hold.
    pub fn headers(&self) -> &[Header] {
        &self.headers
    }

    fn write(
        &self,
        formats: &Formats,
        place: (&Path, &str),
        provenance: &Provenance,
    ) -> Result<Vec<PathBuf>, WriteError> {
        let mut files = TableFiles::begin(formats, place, &self.headers, provenance)?;
        self.rows.iter().try_for_each(|row| files.put(row))?;
        files.finish()
    }

    /// The rows for a terminal: numbers to the right, text to the left, a dash where a value is missing.
    pub fn text(&self) -> String {
        let shown = |cell: &Cell| match cell {
            Cell::Missing => "-".to_owned(),
            other => other.to_string(),
        };
        let columns = self.headers.iter().enumerate();
        let columns = columns.fold(Aligned::new(), |columns, (place, header)| {
            let widths = self
                .rows
                .iter()
                .map(|row| shown(&row[place]).chars().count());
            let width = widths.chain([header.name.chars().count()]).max();
            let (width, of) = (width.unwrap_or(0), move |row: &Vec<Cell>| {
                shown(&row[place])
            });
            let columns = match header.kind {
                Kind::Text => columns.left(&header.name, width, of),
                _ => columns.right(&header.name, width, of),
            };
            columns.behind(if place == 0 { 0 } else { 2 })
        });
        columns.text(&self.rows)
    }
}

impl Serialize for Table {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(self.rows.iter().map(|row| Line(&self.headers, row)))
    }
}

/// A row as a JSON object.
struct Line<'a>(&'a [Header], &'a [Cell]);

impl Serialize for Line<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_map(self.0.iter().map(|header| &header.name).zip(self.1))
    }
}

/// What a command found: figures that it has once, and tables; as one JSON object with keys for both.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// Figures of which there is one each: a table of one row, or of none.
    pub once: Option<Table>,
    /// Everything else.
    pub tables: Vec<Table>,
}

impl Found {
    /// Rows alone.
    pub fn rows(tables: Vec<Table>) -> Found {
        Found { once: None, tables }
    }

    /// Its tables, with what their files are called but for the endings: the first has the stem, the others their
    /// names behind it.
    fn named<'a>(&'a self, stem: &'a str) -> impl Iterator<Item = (String, &'a Table)> {
        let tables = self.once.iter().chain(&self.tables).enumerate();
        tables.map(move |(place, table)| match place {
            0 => (stem.to_owned(), table),
            _ => (format!("{stem}-{}", table.name), table),
        })
    }

    /// Whether a file of that name is a table that was written under a stem, in whatever format.
    pub fn owns(formats: &Formats, stem: &str, file: &str) -> bool {
        let rest = file.strip_prefix(stem);
        rest.and_then(|rest| rest.rsplit_once('.'))
            .is_some_and(|(name, ending)| {
                formats.may_write(ending) && (name.is_empty() || name.starts_with('-'))
            })
    }

    /// Writes each table into a folder in every format; returns the files.
    ///
    /// # Errors
    /// The first file that can't be written.
    pub fn write(
        &self,
        formats: &Formats,
        folder: &Path,
        stem: &str,
        provenance: &Provenance,
    ) -> Result<Vec<PathBuf>, WriteError> {
        let mut files = Vec::new();
        for (stem, table) in self.named(stem) {
            files.extend(table.write(formats, (folder, &stem), provenance)?);
        }
        Ok(files)
    }
}

impl Serialize for Found {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut map = to.serialize_map(None)?;
        if let Some(once) = &self.once {
            for (header, cell) in once.headers.iter().zip(once.rows.iter().flatten()) {
                map.serialize_entry(&header.name, cell)?;
            }
        }
        for table in &self.tables {
            map.serialize_entry(table.name, table)?;
        }
        map.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::column::column;

    fn table() -> Table {
        let columns = [
            column(
                "router",
                "",
                "its name",
                |row: &(&'static str, Option<f64>)| row.0,
            ),
            column(
                "latency_mean_cycles",
                "cycles",
                "missing",
                |row: &(&'static str, Option<f64>)| row.1,
            ),
        ];
        Table::new("rows", &columns, [("chaos", Some(12.5)), ("x", None)])
    }

    #[test]
    fn a_missing_value_is_null_in_json_and_a_dash_for_a_terminal() {
        let json = serde_json::to_value(Found::rows(vec![table()])).unwrap();
        let rows = serde_json::json!([
            {"router": "chaos", "latency_mean_cycles": 12.5},
            {"router": "x", "latency_mean_cycles": null},
        ]);
        assert_eq!(json, serde_json::json!({"rows": rows}));
        let text = "router  latency_mean_cycles\nchaos                  12.5\nx                         -\n";
        assert_eq!(table().text(), text);
    }

    #[test]
    fn every_format_gets_a_file_that_says_where_it_comes_from() {
        let folder = tempfile::tempdir().unwrap();
        let program = crate::Program {
            version: "0".into(),
            revision: "none".into(),
            command: "x".into(),
        };
        let provenance = program.ran(String::new(), 1);
        let found = Found::rows(vec![table(), table()]);
        let formats = Formats::default();
        let files = found.write(&formats, folder.path(), "x", &provenance);
        let files = files.unwrap();
        let own = |name| Found::owns(&formats, "x", name);
        assert!(own("x.csv") && own("x.parquet") && own("x-rows.csv"));
        assert!(!own("x.svg") && !own("xy.csv"));
        let names: Vec<_> = files.iter().filter_map(|file| file.file_name()).collect();
        assert_eq!(names.len(), 2 * formats.iter().count());
        assert_eq!(names[0], "x.csv");
        let written = std::fs::read_to_string(&files[0]).unwrap();
        assert!(written.starts_with("# schema_version = "), "{written}");
        assert!(
            written.ends_with("router,latency_mean_cycles\nchaos,12.5\nx,\n"),
            "{written}"
        );
    }
}
