//! What is computed from runs, as columns: one schema for text, JSON, CSV and Parquet.
//!
//! ```text
//!   Column: name, unit, description, how it is computed ──▶ cells ──▶ a row of CSV or Parquet (Format)
//!                                                             └─────▶ keys of a JSON object, its JSON Schema
//! ```
//!
//! A column is declared once; its name, unit and type are the same everywhere. A unit comes last in a name:
//! `latency_mean_cycles`. What isn't known, or isn't a finite number, is missing everywhere: an empty cell in CSV, null in
//! Parquet and JSON. What every file carries beside its values is its [`Provenance`].
//!
//! May depend on `files`, `measure` and `schema`. Must never know a configuration, a run, a network or the command line.
//!
//! ```
//! use flitwork_report::{Table, column};
//! let columns = [
//!     column("node", "", "its number", |row: &(u32, u32)| row.0),
//!     column("hops_mean", "links", "missing where there is none", |row: &(u32, u32)| {
//!         (row.1 > 0).then(|| f64::from(row.0) / f64::from(row.1))
//!     }),
//! ];
//! let table = Table::new("nodes", &columns, [(3, 2), (4, 0)]);
//! assert_eq!(table.text(), "node  hops_mean\n   3        1.5\n   4          -\n");
//! let json = serde_json::to_string(&table).unwrap();
//! assert_eq!(json, r#"[{"node":3,"hops_mean":1.5},{"node":4,"hops_mean":null}]"#);
//! ```

mod aligned;
mod cell;
mod column;
mod estimate;
mod files;
mod format;
mod provenance;
mod table;
mod units;

pub use aligned::{Aligned, Lines, line, named_lines};
pub use cell::{Cell, CellValue, Kind, Places};
pub use column::{Column, Header, column, headers, markdown, properties};
pub use estimate::estimate;
pub use files::{TableFiles, write_rows};
pub use format::csv::FORMAT as CSV;
#[cfg(feature = "parquet")]
pub use format::parquet::{FORMAT as PARQUET, ParquetLayout, begin_parquet};
pub use format::{Begin, Format, Formats, TableFile};
pub use provenance::{Configuration, Program, Provenance, SCHEMA_VERSION, Sourced, command_line};
pub use table::{Found, Table};
pub use units::load_unit;
