//! Finished points on disk: an append-only file with a line per point.
//!
//! ```text
//! {"row":{"point":3,...},"crc32":"9ae1c07b"}
//! ```
//!
//! The checksum is of the row's text. A line is written and synced before its point counts as done. A
//! process that dies while writing leaves a torn last line: it is cut off when the journal is
//! reopened, and its point is run again. A damaged line elsewhere is skipped and reported.

use crate::error::Error;
use crate::row::Row;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};

const HEAD: &str = "{\"row\":";
const MIDDLE: &str = ",\"crc32\":\"";
const TAIL: &str = "\"}";
/// No line is longer, whatever its row contains.
const LONGEST_LINE: u64 = 1 << 20;

/// A journal as it was found.
#[derive(Debug)]
pub(crate) struct Scan {
    /// The row of each whole line, and where it is.
    pub(crate) rows: Vec<(Row, Spot)>,
    /// Whole lines without a valid row.
    pub(crate) damaged: u64,
    /// Bytes up to the end of the last whole line.
    pub(crate) whole_bytes: u64,
}

/// Where a line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Spot {
    pub(crate) offset: u64,
}

/// The line of a row.
pub(crate) fn line(row: &Row) -> String {
    let text = serde_json::to_string(row).expect("a row holds only what JSON has");
    let crc32 = crc32fast::hash(text.as_bytes());
    format!("{HEAD}{text}{MIDDLE}{crc32:08x}{TAIL}\n")
}

/// The row of a line, without its line feed, if the line is undamaged.
fn parse(line: &[u8]) -> Option<Row> {
    let line = std::str::from_utf8(line).ok()?;
    let inner = line.strip_prefix(HEAD)?.strip_suffix(TAIL)?;
    let (text, crc32) = inner.rsplit_once(MIDDLE)?;
    let lower_hex = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    let is_sum = crc32.len() == 8 && crc32.bytes().all(lower_hex);
    let sum = u32::from_str_radix(crc32, 16).ok().filter(|_| is_sum)?;
    (sum == crc32fast::hash(text.as_bytes())).then(|| serde_json::from_str(text).ok())?
}

/// Passes each whole line of a journal to `each`; returns the bytes up to the end of the last one.
fn lines(reader: &mut impl BufRead, mut each: impl FnMut(&[u8], Spot)) -> std::io::Result<u64> {
    let mut offset = 0;
    let mut line = Vec::new();
    loop {
        line.clear();
        let read = reader
            .by_ref()
            .take(LONGEST_LINE)
            .read_until(b'\n', &mut line)? as u64;
        match line.strip_suffix(b"\n") {
            Some(line) => each(line, Spot { offset }),
            // A line that is too long is damaged; its rest is read next.
            None if read == LONGEST_LINE => each(b"", Spot { offset }),
            None => return Ok(offset),
        }
        offset += read;
    }
}

/// Reads a journal.
pub(crate) fn scan(path: &Path) -> Result<Scan, Error> {
    let file = File::open(path).map_err(Error::reading(path))?;
    let (mut rows, mut damaged) = (Vec::new(), 0);
    let whole_bytes = lines(&mut BufReader::new(file), |line, spot| match parse(line) {
        Some(row) => rows.push((row, spot)),
        None => damaged += 1,
    });
    Ok(Scan {
        rows,
        damaged,
        whole_bytes: whole_bytes.map_err(Error::reading(path))?,
    })
}

/// A journal that is being written.
#[derive(Debug)]
pub(crate) struct Journal {
    path: PathBuf,
    file: File,
    bytes: u64,
}

impl Journal {
    /// Opens a journal, or creates it; returns its rows.
    pub(crate) fn open(path: &Path) -> Result<(Journal, Scan), Error> {
        let file = OpenOptions::new().append(true).create(true).open(path);
        let file = file.map_err(Error::writing(path))?;
        if !is_held(file.try_lock(), path)? {
            return Err(Error::Locked(path.into()));
        }
        let scan = scan(path)?;
        file.set_len(scan.whole_bytes)
            .map_err(Error::writing(path))?;
        let (path, bytes) = (path.to_owned(), scan.whole_bytes);
        Ok((Journal { path, file, bytes }, scan))
    }

    /// Writes rows and makes sure that they are on disk; returns where they are.
    pub(crate) fn append(&mut self, rows: &[Row]) -> Result<Vec<Spot>, Error> {
        let mut text = String::new();
        let mut spots = Vec::new();
        for row in rows {
            let offset = self.bytes + text.len() as u64;
            spots.push(Spot { offset });
            text.push_str(&line(row));
        }
        let written = self
            .file
            .write_all(text.as_bytes())
            .and_then(|()| self.file.sync_data());
        written.map_err(Error::writing(&self.path))?;
        self.bytes += text.len() as u64;
        Ok(spots)
    }
}

/// Whether an attempt to lock a file succeeded.
pub(crate) fn is_held(tried: Result<(), TryLockError>, path: &Path) -> Result<bool, Error> {
    match tried {
        Ok(()) => Ok(true),
        Err(TryLockError::WouldBlock) => Ok(false),
        Err(TryLockError::Error(error)) => Err(Error::writing(path)(error)),
    }
}

/// Reads rows again, each where it is.
#[derive(Debug)]
pub(crate) struct Rereader {
    path: PathBuf,
    reader: BufReader<File>,
    at: u64,
}

impl Rereader {
    pub(crate) fn open(path: &Path) -> Result<Rereader, Error> {
        let file = File::open(path).map_err(Error::reading(path))?;
        let reader = BufReader::new(file);
        Ok(Rereader {
            path: path.into(),
            reader,
            at: 0,
        })
    }

    pub(crate) fn row(&mut self, spot: Spot) -> Result<Row, Error> {
        let mut line = Vec::new();
        let ahead = spot.offset.wrapping_sub(self.at) as i64;
        let sought = self.reader.seek_relative(ahead);
        let read = sought.and_then(|()| self.reader.read_until(b'\n', &mut line));
        let read = read.map_err(Error::reading(&self.path))?;
        self.at = spot.offset + read as u64;
        let row = line.strip_suffix(b"\n").and_then(parse);
        row.ok_or_else(|| Error::Damaged {
            path: self.path.clone(),
            found: format!(
                "the line at byte {} changed while it was in use",
                spot.offset
            ),
        })
    }
}

#[cfg(test)]
pub(crate) mod tests;
