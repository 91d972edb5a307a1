//! The table as Parquet, with the columns of the CSV file.

use super::{Cell, Column, Kind, cells, columns};
use crate::error::Error;
use crate::folder::Finished;
use crate::plan::Plan;
use flitwork_experiment::provenance::Provenance;
use flitwork_files::{NewFile, WriteError, replace};
use parquet::basic::{Compression, LogicalType, Repetition, Type as Physical};
use parquet::column::writer::{ColumnWriter, ColumnWriterImpl};
use parquet::data_type::{ByteArray, DataType};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::Type;
use std::path::Path;
use std::sync::Arc;

/// Rows that are held in memory at once.
const GROUP_ROWS: usize = 1 << 14;

/// Writes all rows that there are.
pub(crate) fn write_parquet(
    path: &Path,
    plan: &Plan,
    finished: &Finished,
    provenance: &Provenance,
) -> Result<(), Error> {
    let columns = columns(plan);
    let failed = |error: ParquetError| {
        let error = std::io::Error::other(error);
        Error::from(WriteError::writing(path)(error))
    };
    replace(path, |file| {
        let schema = schema(&columns).map_err(failed)?;
        let properties = WriterProperties::builder()
            .set_compression(Compression::SNAPPY)
            .set_key_value_metadata(Some(metadata(provenance)))
            .build();
        let mut writer =
            SerializedFileWriter::new(&mut *file, Arc::new(schema), Arc::new(properties))
                .map_err(failed)?;
        let mut group: Vec<Vec<Cell>> = Vec::new();
        finished.each(|row| {
            group.push(cells(plan, &columns, &row));
            if group.len() == GROUP_ROWS {
                write_group(&mut writer, &group).map_err(failed)?;
                group.clear();
            }
            Ok(())
        })?;
        if !group.is_empty() {
            write_group(&mut writer, &group).map_err(failed)?;
        }
        writer.close().map(drop).map_err(failed)
    })
}

fn metadata(provenance: &Provenance) -> Vec<KeyValue> {
    let pairs = provenance.metadata().into_iter();
    pairs
        .map(|(key, value)| KeyValue::new(key, value))
        .collect()
}

fn schema(columns: &[Column]) -> Result<Type, ParquetError> {
    let field = |column: &Column| {
        let (physical, logical) = match column.kind {
            Kind::Whole => (Physical::INT64, None),
            Kind::Count => (Physical::INT64, Some(LogicalType::integer(64, false))),
            Kind::Number => (Physical::DOUBLE, None),
            Kind::Truth => (Physical::BOOLEAN, None),
            Kind::Text => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
        };
        let builder = Type::primitive_type_builder(&column.name, physical)
            .with_repetition(Repetition::OPTIONAL)
            .with_logical_type(logical);
        builder.build().map(Arc::new)
    };
    let fields: Result<Vec<_>, ParquetError> = columns.iter().map(field).collect();
    Type::group_type_builder("sweep")
        .with_fields(fields?)
        .build()
}

fn write_group(
    writer: &mut SerializedFileWriter<&mut NewFile>,
    rows: &[Vec<Cell>],
) -> Result<(), ParquetError> {
    let mut group = writer.next_row_group()?;
    let mut index = 0;
    while let Some(mut column) = group.next_column()? {
        let cells = || rows.iter().map(|row| &row[index]);
        match column.untyped() {
            ColumnWriter::Int64ColumnWriter(to) => put(to, cells(), whole),
            ColumnWriter::DoubleColumnWriter(to) => put(to, cells(), number),
            ColumnWriter::BoolColumnWriter(to) => put(to, cells(), truth),
            ColumnWriter::ByteArrayColumnWriter(to) => put(to, cells(), text),
            _ => unreachable!("the schema has no other columns"),
        }?;
        column.close()?;
        index += 1;
    }
    group.close().map(drop)
}

/// Writes a column's cells; those that are empty have level 0, the others 1.
fn put<'c, D: DataType>(
    to: &mut ColumnWriterImpl<'_, D>,
    cells: impl Iterator<Item = &'c Cell>,
    value: impl Fn(&Cell) -> Option<D::T>,
) -> Result<(), ParquetError> {
    let all: Vec<Option<D::T>> = cells.map(value).collect();
    let levels: Vec<i16> = all.iter().map(|value| i16::from(value.is_some())).collect();
    let values: Vec<D::T> = all.into_iter().flatten().collect();
    to.write_batch(&values, Some(&levels), None).map(drop)
}

fn whole(cell: &Cell) -> Option<i64> {
    match cell {
        Cell::Whole(number) => Some(*number),
        // The column is of 64 bits without a sign.
        Cell::Count(number) => Some(number.cast_signed()),
        _ => None,
    }
}

fn number(cell: &Cell) -> Option<f64> {
    match cell {
        Cell::Number(number) => Some(*number),
        _ => None,
    }
}

fn truth(cell: &Cell) -> Option<bool> {
    match cell {
        Cell::Truth(truth) => Some(*truth),
        _ => None,
    }
}

fn text(cell: &Cell) -> Option<ByteArray> {
    match cell {
        Cell::Text(text) => Some(ByteArray::from(text.as_str())),
        _ => None,
    }
}
