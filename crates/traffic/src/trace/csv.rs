//! CSV traces: one line per packet, plain or compressed with bzip2.
//!
//! ```text
//! cycle,src,dst,words,id,after   # the header is required; columns in any order
//! 0,0,3,1,10,
//! 4,3,0,5,11,10                  # waits for packet 10
//! 4,3,1,1,12,10;11               # waits for both; a # starts a comment
//! ```
//!
//! | column | contents | required |
//! |---|---|---|
//! | `cycle` | the earliest cycle in which the packet can start; never less than in the line before | yes |
//! | `src`, `dst` | nodes | yes |
//! | `words` | the packet's length, 1 to 65535 | yes |
//! | `id` | a unique number; by default packets are numbered from 0 | no |
//! | `class` | the packet's class, 0 to 255; by default 0 | no |
//! | `after` | ids of earlier packets that must have been delivered, separated by `;` or spaces | no |
//!
//! Blanks around a field and blank lines are ignored. Numbers are decimal integers.

mod columns;
mod problem;

pub use problem::CsvProblem;

use super::TraceReader;
use super::unpack::{Bytes, unpack};
use super::{Field, Links, TraceError, TraceId, TraceNode, TracePacket, TracePlace, TraceProblem};
use flitwork_schema::cut;
use std::io::{BufRead, Read};

/// The longest line, in bytes, which bounds the memory that a file can claim.
const MOST_LINE_BYTES: usize = 1 << 20;
/// The most characters of a field that an error quotes.
const LONGEST_FIELD: usize = 40;

/// Some programs write this before a text.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// Reads a CSV trace.
pub struct CsvReader {
    bytes: Bytes,
    nodes: u32,
    /// What each column has.
    columns: Vec<Field>,
    /// The last line read, and its number from 1.
    text: Vec<u8>,
    line: u64,
    /// Packets read.
    read: u64,
}

/// A problem with a line, and the part of the packet that it concerns.
type Wrong = (Field, CsvProblem);

impl CsvReader {
    /// Reads the header of a trace between nodes 0 to `nodes` - 1.
    ///
    /// # Errors
    /// A [`TraceError`] if the input can't be read or its first line isn't a header.
    pub fn new(input: impl Read + Send + 'static, nodes: u32) -> Result<CsvReader, TraceError> {
        let place = TracePlace::Line {
            line: 1,
            column: None,
        };
        let bytes = unpack(input).map_err(|error| TraceError::of_input(place, &error))?;
        let mut reader = CsvReader {
            bytes,
            nodes,
            columns: Vec::new(),
            text: Vec::new(),
            line: 0,
            read: 0,
        };
        if !reader.read_line()? {
            return Err(reader.error((Field::Packet, CsvProblem::NoHeader)));
        }
        let header = String::from_utf8_lossy(content(&reader.text)).into_owned();
        let columns = columns::of_header(&header);
        reader.columns = columns.map_err(|problem| reader.error((Field::Packet, problem)))?;
        Ok(reader)
    }

    fn error(&self, (field, problem): Wrong) -> TraceError {
        TraceError {
            place: self.place(field),
            problem: TraceProblem::Csv(problem),
        }
    }

    /// Reads the next line that isn't blank. Returns whether there is one.
    fn read_line(&mut self) -> Result<bool, TraceError> {
        loop {
            self.text.clear();
            let mut limited = (&mut self.bytes).take(MOST_LINE_BYTES as u64 + 1);
            let read = limited.read_until(b'\n', &mut self.text);
            if !matches!(read, Ok(0)) {
                self.line += 1;
            }
            if self.line == 1 && self.text.starts_with(BYTE_ORDER_MARK) {
                self.text.drain(..BYTE_ORDER_MARK.len());
            }
            match read {
                Ok(0) => return Ok(false),
                Ok(_) if self.text.len() > MOST_LINE_BYTES => {
                    let most = MOST_LINE_BYTES;
                    return Err(self.error((Field::Packet, CsvProblem::LongLine { most })));
                }
                Ok(_) if content(&self.text).is_empty() => {}
                Ok(_) => return Ok(true),
                Err(error) => return Err(TraceError::of_input(self.place(Field::Packet), &error)),
            }
        }
    }

    /// The packet of the last line read.
    fn parse(&self) -> Result<TracePacket, Wrong> {
        let fields = Fields::of(content(&self.text), &self.columns)?;
        let links = fields.links()?;
        let words = fields.number(Field::Words, 1, u16::MAX.into())?;
        let class = fields.optional(Field::Class, u8::MAX.into())?;
        let node = |column| {
            let node = fields.number(column, 0, u32::MAX.into())?;
            Ok(TraceNode(node as u32))
        };
        let id = fields.optional(Field::Id, u64::MAX)?;
        Ok(TracePacket {
            id: TraceId(id.unwrap_or(self.read)),
            cycle: fields.number(Field::Cycle, 0, u64::MAX)?,
            source: node(Field::Source)?,
            destination: node(Field::Destination)?,
            words: words as u16,
            class: class.unwrap_or(0) as u8,
            links: Links::After(links),
        })
    }
}

/// A line without its comment, its line ending and the blanks around it.
fn content(line: &[u8]) -> &[u8] {
    let comment = line.iter().position(|byte| *byte == b'#');
    line[..comment.unwrap_or(line.len())].trim_ascii()
}

/// The fields of a line.
struct Fields<'a> {
    fields: Vec<&'a [u8]>,
    columns: &'a [Field],
}

impl<'a> Fields<'a> {
    fn of(line: &'a [u8], columns: &'a [Field]) -> Result<Fields<'a>, Wrong> {
        let fields: Vec<&[u8]> = line.split(|byte| *byte == b',').collect();
        let (found, header) = (fields.len(), columns.len());
        if found != header {
            return Err((Field::Packet, CsvProblem::Fields { found, header }));
        }
        Ok(Fields { fields, columns })
    }

    fn field(&self, column: Field) -> Option<&'a [u8]> {
        let place = self.columns.iter().position(|other| *other == column)?;
        self.fields.get(place).map(|field| field.trim_ascii())
    }

    /// The number in a required column.
    fn number(&self, column: Field, least: u64, most: u64) -> Result<u64, Wrong> {
        number(self.field(column).unwrap_or_default(), column, least, most)
    }

    /// The number in an optional column, if the trace has it.
    fn optional(&self, column: Field, most: u64) -> Result<Option<u64>, Wrong> {
        let field = self.field(column);
        field
            .map(|field| number(field, column, 0, most))
            .transpose()
    }

    /// The ids in the column of dependencies.
    fn links(&self) -> Result<Vec<TraceId>, Wrong> {
        let field = self.field(Field::Links).unwrap_or_default();
        let is_between = |byte: &u8| *byte == b';' || byte.is_ascii_whitespace();
        let ids = field.split(is_between).filter(|id| !id.is_empty());
        let id = |id| number(id, Field::Links, 0, u64::MAX).map(TraceId);
        ids.map(id).collect()
    }
}

fn number(field: &[u8], column: Field, least: u64, most: u64) -> Result<u64, Wrong> {
    let digits = !field.is_empty() && field.iter().all(u8::is_ascii_digit);
    let text = std::str::from_utf8(field).ok().filter(|_| digits);
    let number = text.and_then(|text| text.parse().ok());
    match number.filter(|number| (least..=most).contains(number)) {
        Some(number) => Ok(number),
        None => {
            let found = cut(&String::from_utf8_lossy(field), LONGEST_FIELD);
            Err((column, CsvProblem::Number { found, least, most }))
        }
    }
}

impl TraceReader for CsvReader {
    fn nodes(&self) -> u32 {
        self.nodes
    }

    fn packet(&mut self) -> Result<Option<TracePacket>, TraceError> {
        if !self.read_line()? {
            return Ok(None);
        }
        let packet = self.parse().map_err(|wrong| self.error(wrong))?;
        self.read += 1;
        Ok(Some(packet))
    }

    fn place(&self, field: Field) -> TracePlace {
        TracePlace::Line {
            line: self.line.max(1),
            column: columns::name(field),
        }
    }
}
