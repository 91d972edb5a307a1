//! Apache Parquet: events as rows, for notebooks.
//!
//! Each column has its own type; all are optional. A packet is two columns, its source and its serial number. Times grow
//! from row to row, so their differences are stored; other columns have few values, which are numbered. A node's coordinates
//! follow from its number: they would be an eighth of the file.

use super::ExportFormat;
use crate::error::ExportError;
use crate::job::{Done, Job, Progress};
use flitwork_debug::language::{Columns, Kind, Row};
use flitwork_debug::rows::{EventRow, event_columns};
use flitwork_debug::{Ended, Wanted};
use flitwork_files::{LentFile, NewFile};
use parquet::basic::{Compression, Encoding, LogicalType, Repetition, Type as Physical, ZstdLevel};
use parquet::column::writer::ColumnWriter;
use parquet::data_type::ByteArray;
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::{ColumnPath, Type};
use std::io;
use std::sync::Arc;

/// Apache Parquet.
pub(super) static FORMAT: ExportFormat = ExportFormat {
    name: "parquet",
    help: "Apache Parquet: events as rows, for notebooks",
    rows: "events",
    counted: "events",
    columns: event_columns,
    needs_words: false,
    goes_back: false,
    write,
};

/// Rows that are held in memory and written at once.
const GROUP_ROWS: usize = 1 << 18;

/// The most bytes of a page, before compression.
const PAGE_BYTES: usize = 8 << 20;

/// How hard it is compressed.
const ZSTD_LEVEL: i32 = 6;

/// Cycles whose events are gathered at once.
const AT_ONCE_CYCLES: u64 = 64;

fn write(job: &mut Job<'_>, file: NewFile) -> Result<Done, ExportError> {
    let path = file.path().to_owned();
    let failed = |error| ExportError::writing(&path)(system(error));
    let columns = event_columns(job.nodes, job.timeline.unit());
    let mut table = Table::begin(file, &columns, job.about.provenance).map_err(failed)?;
    let done = each_event(job, &mut |row| table.put(row).map_err(failed))?;
    let file = table.end(&done).map_err(failed)?;
    file.finish()?;
    Ok(done)
}

/// Gives each event that is wanted, in order.
fn each_event(
    job: &mut Job<'_>,
    put: &mut dyn FnMut(&EventRow<'_>) -> Result<(), ExportError>,
) -> Result<Done, ExportError> {
    let (from, to) = job.times;
    let wanted = Wanted {
        words: job.words,
        arrivals: job.words,
        ..Wanted::EVENTS
    };
    let mut branch = job.timeline.copy_at(from, wanted);
    let stretch = AT_ONCE_CYCLES * job.timeline.cycle_time();
    let (mut count, mut is_whole, mut ended) = (0, true, Ended::Deadline);
    while branch.now() < to && ended == Ended::Deadline {
        let time = branch.now();
        is_whole = (job.go_on)(Progress { time, count });
        if !is_whole {
            break;
        }
        let (mut happened, how) = branch.advance(time.saturating_add(stretch).min(to));
        ended = how;
        if ended != Ended::Deadline {
            happened.extend(branch.rest().into_iter().filter(|it| it.time < to));
        }
        for happening in &happened {
            let row = EventRow {
                happening,
                nodes: job.nodes,
            };
            if job.filter.holds(&row) {
                count += 1;
                job.admit("events", count, happening.time + 1)?;
                put(&row)?;
            }
        }
    }
    Ok(Done {
        count,
        until: branch.now().min(to),
        is_whole,
    })
}

/// A table under way.
struct Table {
    file: SerializedFileWriter<LentFile>,
    columns: Vec<Pending>,
    rows: usize,
}

/// A column of the file, with its values of one group.
struct Pending {
    /// From which column of the rows.
    of: usize,
    takes: Takes,
    /// 1 where there is a value.
    levels: Vec<i16>,
    values: Values,
}

/// What a column of the file takes of a value of the rows.
#[derive(Clone, Copy)]
enum Takes {
    All,
    Source,
    Serial,
}

enum Values {
    Whole(Vec<i64>),
    Truth(Vec<bool>),
    /// The names that there are, and one for each row.
    Name(Vec<ByteArray>, Vec<ByteArray>),
}

impl Pending {
    /// The columns for one of the rows' columns, each with its name.
    fn of(of: usize, name: &str, kind: &Kind) -> Vec<(String, Pending)> {
        let pending = |takes, values| Pending {
            of,
            takes,
            levels: Vec::new(),
            values,
        };
        let whole = || Values::Whole(Vec::new());
        match kind {
            Kind::Number(_) => vec![(name.to_owned(), pending(Takes::All, whole()))],
            Kind::Flag => vec![(
                name.to_owned(),
                pending(Takes::All, Values::Truth(Vec::new())),
            )],
            Kind::Name(names) => {
                let names = names.iter().map(|name| ByteArray::from(name.as_str()));
                let values = Values::Name(names.collect(), Vec::new());
                vec![(name.to_owned(), pending(Takes::All, values))]
            }
            Kind::Packet => vec![
                (format!("{name}.source"), pending(Takes::Source, whole())),
                (format!("{name}.serial"), pending(Takes::Serial, whole())),
            ],
        }
    }

    /// Its type in the file.
    fn field(&self, name: &str) -> Result<Type, ParquetError> {
        let (physical, logical) = match self.values {
            Values::Whole(_) => (Physical::INT64, None),
            Values::Truth(_) => (Physical::BOOLEAN, None),
            Values::Name(..) => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
        };
        Type::primitive_type_builder(name, physical)
            .with_repetition(Repetition::OPTIONAL)
            .with_logical_type(logical)
            .build()
    }

    fn put(&mut self, row: &impl Row) {
        let value = row.value(self.of);
        self.levels.push(value.is_some().into());
        let Some(value) = value else {
            return;
        };
        let value = match self.takes {
            Takes::All => value,
            Takes::Source => value >> 32,
            Takes::Serial => (value as u32).into(),
        };
        match &mut self.values {
            Values::Whole(values) => values.push(value),
            Values::Truth(values) => values.push(value == 1),
            Values::Name(names, values) => {
                values.extend(names.get(value as usize).cloned());
            }
        }
    }

    /// Writes the group's values, and forgets them.
    fn write(&mut self, to: &mut ColumnWriter<'_>) -> Result<(), ParquetError> {
        let levels = Some(&self.levels[..]);
        match (to, &mut self.values) {
            (ColumnWriter::Int64ColumnWriter(to), Values::Whole(values)) => {
                to.write_batch(values, levels, None)?;
                values.clear();
            }
            (ColumnWriter::BoolColumnWriter(to), Values::Truth(values)) => {
                to.write_batch(values, levels, None)?;
                values.clear();
            }
            (ColumnWriter::ByteArrayColumnWriter(to), Values::Name(_, values)) => {
                to.write_batch(values, levels, None)?;
                values.clear();
            }
            _ => unreachable!("the schema has no other columns"),
        }
        self.levels.clear();
        Ok(())
    }
}

/// How columns begin that aren't in the file: a node's coordinates follow from its number.
const COORDINATE: &str = "node.";

/// The columns whose values grow from row to row.
const GROWING: [&str; 2] = ["time", "cycle"];

impl Table {
    fn begin(
        file: NewFile,
        columns: &Columns,
        provenance: &[(String, String)],
    ) -> Result<Table, ParquetError> {
        let all = columns.0.iter().enumerate();
        let all = all.filter(|(_, column)| !column.name.starts_with(COORDINATE));
        let all: Vec<(String, Pending)> = all
            .flat_map(|(of, column)| Pending::of(of, &column.name, &column.kind))
            .collect();
        let fields: Result<Vec<_>, ParquetError> = all
            .iter()
            .map(|(name, column)| column.field(name).map(Arc::new))
            .collect();
        let schema = Type::group_type_builder("events")
            .with_fields(fields?)
            .build()?;
        let pairs = provenance.iter();
        let pairs = pairs.map(|(key, value)| KeyValue::new(key.clone(), value.clone()));
        let mut properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(ZstdLevel::try_new(ZSTD_LEVEL)?))
            // Long pages are compressed better: what a packet does in one place is like what it does in others.
            .set_data_page_row_count_limit(GROUP_ROWS)
            .set_data_page_size_limit(PAGE_BYTES)
            .set_key_value_metadata(Some(pairs.collect()));
        for name in GROWING {
            let column = ColumnPath::from(name);
            properties = properties
                .set_column_dictionary_enabled(column.clone(), false)
                .set_column_encoding(column, Encoding::DELTA_BINARY_PACKED);
        }
        let properties = Arc::new(properties.build());
        Ok(Table {
            file: SerializedFileWriter::new(LentFile::new(file), Arc::new(schema), properties)?,
            columns: all.into_iter().map(|(_, column)| column).collect(),
            rows: 0,
        })
    }

    fn put(&mut self, row: &impl Row) -> Result<(), ParquetError> {
        for column in &mut self.columns {
            column.put(row);
        }
        self.rows += 1;
        match self.rows >= GROUP_ROWS {
            true => self.write_group(),
            false => Ok(()),
        }
    }

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

    fn end(mut self, done: &Done) -> Result<NewFile, ParquetError> {
        if self.rows > 0 {
            self.write_group()?;
        }
        let status = KeyValue::new("flitwork.status".to_owned(), done.status());
        self.file.append_key_value_metadata(status);
        self.file.finish()?;
        let file = self.file.inner_mut().take();
        Ok(file.expect("it is finished once"))
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
