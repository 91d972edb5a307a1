//! A column: declared once, with what it is and how it is computed.

use crate::cell::{Cell, CellValue, Kind};
use serde_json::{Map, Value, json};
use std::borrow::Cow;

/// What a column is called and holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// Its name, with its unit last.
    pub name: Cow<'static, str>,
    /// Its unit, `words/node/cycle`; empty for what has none.
    pub unit: &'static str,
    /// What its cells hold.
    pub kind: Kind,
    /// What it is, in a line.
    pub description: Cow<'static, str>,
}

/// A column of rows of some type.
pub struct Column<R: ?Sized> {
    /// What it is called and holds.
    pub header: Header,
    of: Box<dyn Fn(&R) -> Cell + Send + Sync>,
}

/// A column whose kind is that of what `of` returns.
pub fn column<R: ?Sized, T: CellValue>(
    name: impl Into<Cow<'static, str>>,
    unit: &'static str,
    description: impl Into<Cow<'static, str>>,
    of: impl Fn(&R) -> T + Send + Sync + 'static,
) -> Column<R> {
    Column {
        header: Header {
            name: name.into(),
            unit,
            kind: T::KIND,
            description: description.into(),
        },
        of: Box::new(move |row| of(row).cell()),
    }
}

impl<R: ?Sized> Column<R> {
    /// A column whose cells are known as such.
    pub fn of(header: Header, of: impl Fn(&R) -> Cell + Send + Sync + 'static) -> Column<R> {
        let of = Box::new(of);
        Column { header, of }
    }

    /// Its cell in a row.
    pub fn cell(&self, row: &R) -> Cell {
        (self.of)(row)
    }
}

/// The headers of columns.
pub fn headers<R: ?Sized>(columns: &[Column<R>]) -> Vec<Header> {
    columns.iter().map(|column| column.header.clone()).collect()
}

/// The properties of a row's JSON Schema, by their names: any of them may be missing, which is null.
pub fn properties<'a>(headers: impl IntoIterator<Item = &'a Header>) -> Map<String, Value> {
    let property = |header: &Header| {
        let kind = match header.kind {
            Kind::Whole | Kind::Count => "integer",
            Kind::Number => "number",
            Kind::Truth => "boolean",
            Kind::Text => "string",
        };
        let described = match header.unit {
            "" => header.description.to_string(),
            unit => format!("{} ({unit})", header.description),
        };
        let mut found = json!({"description": described, "type": [kind, "null"]});
        if header.kind == Kind::Count {
            found["minimum"] = json!(0);
        }
        (header.name.to_string(), found)
    };
    headers.into_iter().map(property).collect()
}

/// Columns as a table of Markdown.
pub fn markdown<'a>(headers: impl IntoIterator<Item = &'a Header>) -> String {
    let line = |header: &Header| {
        let kind = match header.kind {
            Kind::Whole => "integer",
            Kind::Count => "count",
            Kind::Number => "number",
            Kind::Truth => "true or false",
            Kind::Text => "text",
        };
        let description = header.description.replace('|', "\\|");
        format!(
            "| `{}` | {} | {kind} | {description} |\n",
            header.name, header.unit
        )
    };
    let lines: String = headers.into_iter().map(line).collect();
    format!("| column | unit | type | what it is |\n|---|---|---|---|\n{lines}")
}
