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
use flitwork_files::NewFile;
use flitwork_report::{Cell, Header, Kind as Holds, ParquetLayout, begin_parquet};
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::WriterProperties;

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
    let columns = event_columns(job.nodes, job.timeline.unit());
    let fields = fields(&columns);
    let headers: Vec<Header> = fields.iter().map(Field::header).collect();
    let mut table = begin_parquet(file, &headers, job.about.provenance, layout())?;
    let mut cells = Vec::new();
    let done = each_event(job, &mut |row| {
        cells.clear();
        cells.extend(fields.iter().map(|field| field.cell(row)));
        table.put(&cells).map_err(ExportError::writing(&path))
    })?;
    table.finish(&[("status", Cell::Text(done.status()))])?;
    Ok(done)
}

fn layout() -> ParquetLayout<'static> {
    let level = ZstdLevel::try_new(ZSTD_LEVEL).expect("zstd has this level");
    ParquetLayout {
        name: "events",
        properties: WriterProperties::builder()
            .set_compression(Compression::ZSTD(level))
            // Long pages are compressed better: what a packet does in one place is like what it does in others.
            .set_data_page_row_count_limit(GROUP_ROWS)
            .set_data_page_size_limit(PAGE_BYTES),
        growing: vec!["time", "cycle"],
        group_rows: GROUP_ROWS,
    }
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

/// A column of the file: a column of the rows, or a half of one that holds packets.
struct Field<'a> {
    name: String,
    /// Which column of the rows.
    of: usize,
    kind: &'a Kind,
    /// What it takes of a value of the rows.
    takes: fn(i64) -> i64,
}

/// How columns begin that aren't in the file: a node's coordinates follow from its number.
const COORDINATE: &str = "node.";

fn fields(columns: &Columns) -> Vec<Field<'_>> {
    let mut fields = Vec::new();
    for (of, column) in columns.0.iter().enumerate() {
        let (name, kind) = (&column.name, &column.kind);
        let mut put = |name, takes| {
            fields.push(Field {
                name,
                of,
                kind,
                takes,
            });
        };
        match kind {
            _ if name.starts_with(COORDINATE) => {}
            Kind::Packet => {
                put(format!("{name}.source"), |value| value >> 32);
                put(format!("{name}.serial"), |value| (value as u32).into());
            }
            _ => put(name.clone(), |value| value),
        }
    }
    fields
}

impl Field<'_> {
    fn header(&self) -> Header {
        Header {
            name: self.name.clone().into(),
            unit: "",
            kind: match self.kind {
                Kind::Number(_) | Kind::Packet => Holds::Whole,
                Kind::Flag => Holds::Truth,
                Kind::Name(_) => Holds::Text,
            },
            description: "".into(),
        }
    }

    fn cell(&self, row: &impl Row) -> Cell {
        let Some(value) = row.value(self.of).map(self.takes) else {
            return Cell::Missing;
        };
        match self.kind {
            Kind::Number(_) | Kind::Packet => Cell::Whole(value),
            Kind::Flag => Cell::Truth(value == 1),
            Kind::Name(names) => {
                let name = names.get(value as usize);
                name.map_or(Cell::Missing, |name| Cell::Text(name.clone()))
            }
        }
    }
}
