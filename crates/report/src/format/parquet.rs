//! Tables as Parquet: each column has its own type; all are optional.

use crate::cell::{Cell, Kind};
use crate::column::Header;
use crate::format::{Format, TableFile};
use crate::provenance::Provenance;
use flitwork_files::{LentFile, NewFile, WriteError};
use parquet::basic::{Compression, Encoding, LogicalType, Repetition, Type as Physical};
use parquet::column::writer::ColumnWriter;
use parquet::data_type::ByteArray;
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{WriterProperties, WriterPropertiesBuilder};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::{ColumnPath, Type};
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

/// Apache Parquet.
pub static FORMAT: Format = Format {
    ending: "parquet",
    help: "Apache Parquet",
    begin,
    held_bytes,
};

/// Cells that are held in memory at once.
const GROUP_CELLS: usize = 12 << 16;

/// What these take, and the pages that are made of them, in bytes.
fn held_bytes(columns: usize) -> u64 {
    (group_rows(columns) * columns * (size_of::<i64>() + 8)) as u64
}

fn group_rows(columns: usize) -> usize {
    (GROUP_CELLS / columns.max(1)).max(1)
}

/// How a table is laid out in its file.
#[derive(Debug)]
pub struct ParquetLayout<'a> {
    /// What its schema is called.
    pub name: &'a str,
    /// How it is compressed and cut into pages.
    pub properties: WriterPropertiesBuilder,
    /// Columns whose values grow from row to row: their differences are stored.
    pub growing: Vec<&'a str>,
    /// Rows that are held in memory and written at once.
    pub group_rows: usize,
}

/// A table under way.
struct Parquet {
    path: PathBuf,
    file: SerializedFileWriter<LentFile>,
    columns: Vec<Pending>,
    /// Rows of the group so far, and of a whole one.
    rows: usize,
    group_rows: usize,
}

/// A column's cells of one group: level 1 for those that aren't missing, and their values.
struct Pending {
    levels: Vec<i16>,
    values: Values,
}

enum Values {
    /// Unsigned ones, too: the column's type says which they are.
    Whole(Vec<i64>),
    Number(Vec<f64>),
    Truth(Vec<bool>),
    Text(Vec<ByteArray>),
}

fn begin(
    file: NewFile,
    headers: &[Header],
    provenance: &Provenance,
) -> Result<Box<dyn TableFile>, WriteError> {
    // Cycles and serial numbers grow from row to row.
    let growing = headers.iter().filter(|header| header.kind == Kind::Count);
    let layout = ParquetLayout {
        name: "table",
        properties: WriterProperties::builder().set_compression(Compression::SNAPPY),
        growing: growing.map(|header| &*header.name).collect(),
        group_rows: group_rows(headers.len()),
    };
    begin_parquet(file, headers, &provenance.metadata(), layout)
}

/// Begins a table in a new file that is laid out like this, with names and values beside it.
///
/// # Errors
/// If the file can't be written.
pub fn begin_parquet(
    file: NewFile,
    headers: &[Header],
    metadata: &[(String, String)],
    layout: ParquetLayout<'_>,
) -> Result<Box<dyn TableFile>, WriteError> {
    let path = file.path().to_owned();
    let pairs = metadata.iter();
    let pairs = pairs.map(|(key, value)| KeyValue::new(key.clone(), value.clone()));
    let mut properties = layout
        .properties
        .set_key_value_metadata(Some(pairs.collect()));
    for name in layout.growing {
        let column = ColumnPath::from(name);
        properties = properties
            .set_column_dictionary_enabled(column.clone(), false)
            .set_column_encoding(column, Encoding::DELTA_BINARY_PACKED);
    }
    let properties = Arc::new(properties.build());
    let file = schema(layout.name, headers).and_then(|schema| {
        SerializedFileWriter::new(LentFile::new(file), Arc::new(schema), properties)
    });
    let file = file.map_err(|error| WriteError::writing(&path)(system(error)))?;
    Ok(Box::new(Parquet {
        path,
        file,
        columns: headers.iter().map(Pending::of).collect(),
        rows: 0,
        group_rows: layout.group_rows,
    }))
}

fn schema(name: &str, headers: &[Header]) -> Result<Type, ParquetError> {
    let field = |header: &Header| {
        let (physical, logical) = match header.kind {
            Kind::Whole => (Physical::INT64, None),
            Kind::Count => (Physical::INT64, Some(LogicalType::integer(64, false))),
            Kind::Number => (Physical::DOUBLE, None),
            Kind::Truth => (Physical::BOOLEAN, None),
            Kind::Text => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
        };
        Type::primitive_type_builder(&header.name, physical)
            .with_repetition(Repetition::OPTIONAL)
            .with_logical_type(logical)
            .build()
            .map(Arc::new)
    };
    let fields: Result<Vec<_>, ParquetError> = headers.iter().map(field).collect();
    Type::group_type_builder(name).with_fields(fields?).build()
}

impl Pending {
    fn of(header: &Header) -> Pending {
        let values = match header.kind {
            Kind::Whole | Kind::Count => Values::Whole(Vec::new()),
            Kind::Number => Values::Number(Vec::new()),
            Kind::Truth => Values::Truth(Vec::new()),
            Kind::Text => Values::Text(Vec::new()),
        };
        Pending {
            levels: Vec::new(),
            values,
        }
    }

    fn push(&mut self, cell: &Cell) {
        self.levels.push((*cell != Cell::Missing).into());
        match (&mut self.values, cell) {
            (_, Cell::Missing) => {}
            (Values::Whole(values), Cell::Whole(number)) => values.push(*number),
            (Values::Whole(values), Cell::Count(number)) => values.push(number.cast_signed()),
            (Values::Number(values), Cell::Number(number) | Cell::Places(number, _)) => {
                values.push(*number);
            }
            (Values::Truth(values), Cell::Truth(truth)) => values.push(*truth),
            (Values::Text(values), Cell::Text(text)) => values.push(ByteArray::from(text.as_str())),
            (_, cell) => unreachable!("{cell:?} in a column of another kind"),
        }
    }

    /// Writes the group's cells, and forgets them.
    fn write(&mut self, to: &mut ColumnWriter<'_>) -> Result<(), ParquetError> {
        let levels = Some(&self.levels[..]);
        match (to, &mut self.values) {
            (ColumnWriter::Int64ColumnWriter(to), Values::Whole(values)) => {
                to.write_batch(values, levels, None)?;
                values.clear();
            }
            (ColumnWriter::DoubleColumnWriter(to), Values::Number(values)) => {
                to.write_batch(values, levels, None)?;
                values.clear();
            }
            (ColumnWriter::BoolColumnWriter(to), Values::Truth(values)) => {
                to.write_batch(values, levels, None)?;
                values.clear();
            }
            (ColumnWriter::ByteArrayColumnWriter(to), Values::Text(values)) => {
                to.write_batch(values, levels, None)?;
                values.clear();
            }
            _ => unreachable!("the schema has no other columns"),
        }
        self.levels.clear();
        Ok(())
    }
}

impl Parquet {
    fn write_group(&mut self) -> Result<(), ParquetError> {
        let mut group = self.file.next_row_group()?;
        let mut columns = self.columns.iter_mut();
        while let (Some(mut writer), Some(column)) = (group.next_column()?, columns.next()) {
            column.write(writer.untyped())?;
            writer.close()?;
        }
        self.rows = 0;
        group.close().map(drop)
    }
}

/// What the system said.
fn system(error: ParquetError) -> io::Error {
    match error {
        ParquetError::External(source) => match source.downcast() {
            Ok(error) => *error,
            Err(source) => io::Error::other(source),
        },
        error => io::Error::other(error),
    }
}

impl TableFile for Parquet {
    fn put(&mut self, row: &[Cell]) -> io::Result<()> {
        for (column, cell) in self.columns.iter_mut().zip(row) {
            column.push(cell);
        }
        self.rows += 1;
        match self.rows >= self.group_rows {
            true => self.write_group().map_err(system),
            false => Ok(()),
        }
    }

    fn finish(mut self: Box<Self>, marks: &[(&str, Cell)]) -> Result<(), WriteError> {
        let path = self.path.clone();
        let failed = |error| WriteError::writing(&path)(system(error));
        if self.rows > 0 {
            self.write_group().map_err(failed)?;
        }
        for (name, value) in marks {
            let mark = KeyValue::new(format!("flitwork.{name}"), value.to_string());
            self.file.append_key_value_metadata(mark);
        }
        self.file.finish().map_err(failed)?;
        let file = self.file.inner_mut().take();
        file.expect("it is finished once").finish()
    }
}
