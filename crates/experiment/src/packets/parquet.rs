//! Packets as Parquet: the columns of the CSV file, as whole numbers of 64 bits.

use super::{COLUMNS, Row, Rows};
use crate::provenance::Provenance;
use flitwork_files::{NewFile, WriteError};
use parquet::basic::{Compression, Encoding, Repetition, Type as Physical};
use parquet::column::writer::ColumnWriter;
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::Type;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

/// Rows that are held in memory at once.
const GROUP_ROWS: usize = 1 << 16;
/// What these take, and the pages that are made of them, in bytes.
pub(super) const HELD_BYTES: u64 = (GROUP_ROWS * COLUMNS.len() * (size_of::<i64>() + 8)) as u64;

/// A table under way.
pub(super) struct Parquet {
    path: PathBuf,
    file: SerializedFileWriter<NewFile>,
    columns: [Column; COLUMNS.len()],
}

/// A column's cells of one group: level 1 for those that aren't empty, and what stands in these.
#[derive(Default)]
struct Column {
    levels: Vec<i16>,
    values: Vec<i64>,
}

impl Parquet {
    pub(super) fn begin(file: NewFile, provenance: &Provenance) -> Result<Parquet, WriteError> {
        let path = file.path().to_owned();
        let pairs = provenance.metadata().into_iter();
        let pairs = pairs.map(|(key, value)| KeyValue::new(key, value));
        // Cycles and serial numbers grow from row to row.
        let properties = WriterProperties::builder()
            .set_compression(Compression::SNAPPY)
            .set_dictionary_enabled(false)
            .set_encoding(Encoding::DELTA_BINARY_PACKED)
            .set_key_value_metadata(Some(pairs.collect()))
            .build();
        let file = schema().and_then(|schema| {
            SerializedFileWriter::new(file, Arc::new(schema), Arc::new(properties))
        });
        let file = file.map_err(|error| WriteError::writing(&path)(system(error)))?;
        Ok(Parquet {
            path,
            file,
            columns: Default::default(),
        })
    }

    fn write_group(&mut self) -> Result<(), ParquetError> {
        let mut group = self.file.next_row_group()?;
        let mut columns = self.columns.iter_mut();
        while let (Some(mut writer), Some(column)) = (group.next_column()?, columns.next()) {
            let ColumnWriter::Int64ColumnWriter(to) = writer.untyped() else {
                unreachable!("the schema has no other columns");
            };
            to.write_batch(&column.values, Some(&column.levels), None)?;
            writer.close()?;
            column.levels.clear();
            column.values.clear();
        }
        group.close().map(drop)
    }
}

fn schema() -> Result<Type, ParquetError> {
    let field = |name: &&str| {
        Type::primitive_type_builder(name, Physical::INT64)
            .with_repetition(Repetition::OPTIONAL)
            .build()
            .map(Arc::new)
    };
    let fields: Result<Vec<_>, ParquetError> = COLUMNS.iter().map(field).collect();
    Type::group_type_builder("packets")
        .with_fields(fields?)
        .build()
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

impl Rows for Parquet {
    fn put(&mut self, row: &Row) -> io::Result<()> {
        for (column, cell) in self.columns.iter_mut().zip(row) {
            column.levels.push(cell.is_some().into());
            // A trace's ids have 64 bits without a sign.
            column.values.extend(cell.map(u64::cast_signed));
        }
        match self.columns[0].levels.len() {
            GROUP_ROWS.. => self.write_group().map_err(system),
            _ => Ok(()),
        }
    }

    fn finish(mut self: Box<Self>, status: &str, unlisted: u64) -> Result<(), WriteError> {
        let path = self.path.clone();
        let failed = |error| WriteError::writing(&path)(system(error));
        if !self.columns[0].levels.is_empty() {
            self.write_group().map_err(failed)?;
        }
        let status = KeyValue::new("flitwork.status".to_owned(), status.to_owned());
        self.file.append_key_value_metadata(status);
        if unlisted > 0 {
            let unlisted = ("flitwork.unlisted_packets".to_owned(), unlisted.to_string());
            let unlisted = KeyValue::new(unlisted.0, unlisted.1);
            self.file.append_key_value_metadata(unlisted);
        }
        self.file.into_inner().map_err(failed)?.finish()
    }
}
