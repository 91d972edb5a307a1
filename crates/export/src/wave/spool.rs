//! Changes on their way into a file: in memory while they are few, and then in a temporary file.

use prost::encoding::encode_varint;
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};
use tempfile::SpooledTempFile;

/// What is kept in memory, in bytes.
const MOST_BYTES: usize = 64 << 20;

/// What is written at once, in bytes.
const AT_ONCE: usize = 1 << 16;

/// Changes, in the order of time.
pub(super) struct Spool {
    file: SpooledTempFile,
    buffer: Vec<u8>,
    /// The time of the last change.
    last: u64,
    /// How many there are.
    pub(super) count: u64,
}

/// A signal's change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Change {
    pub(crate) time: u64,
    /// Which signal, by its place among all.
    pub(crate) signal: u32,
    /// What it has from then on, if it has anything.
    pub(crate) value: Option<u64>,
}

impl Spool {
    pub(super) fn new() -> Spool {
        Spool {
            file: SpooledTempFile::new(MOST_BYTES),
            buffer: Vec::with_capacity(2 * AT_ONCE),
            last: 0,
            count: 0,
        }
    }

    /// Adds a change that isn't earlier than the one before.
    pub(super) fn put(&mut self, change: Change) -> io::Result<()> {
        let Change {
            time,
            signal,
            value,
        } = change;
        // The last bit says whether there is a value.
        let signal = u64::from(signal) << 1 | u64::from(value.is_some());
        for number in [time - self.last, signal].into_iter().chain(value) {
            encode_varint(number, &mut self.buffer);
        }
        self.last = time;
        self.count += 1;
        if self.buffer.len() >= AT_ONCE {
            self.file.write_all(&self.buffer)?;
            self.buffer.clear();
        }
        Ok(())
    }

    /// All changes, from the first on.
    pub(super) fn read(mut self) -> io::Result<Changes> {
        self.file.write_all(&self.buffer)?;
        self.file.seek(SeekFrom::Start(0))?;
        Ok(Changes {
            file: BufReader::with_capacity(AT_ONCE, self.file),
            left: self.count,
            last: 0,
        })
    }
}

/// The changes of a spool.
pub(crate) struct Changes {
    file: BufReader<SpooledTempFile>,
    left: u64,
    last: u64,
}

impl Changes {
    fn number(&mut self) -> io::Result<u64> {
        let (mut number, mut shift) = (0, 0);
        loop {
            let mut byte = [0];
            self.file.read_exact(&mut byte)?;
            number |= u64::from(byte[0] & 0x7f) << shift;
            if byte[0] < 0x80 {
                return Ok(number);
            }
            shift += 7;
        }
    }

    fn change(&mut self) -> io::Result<Change> {
        self.last += self.number()?;
        let signal = self.number()?;
        let value = match signal & 1 {
            1 => Some(self.number()?),
            _ => None,
        };
        Ok(Change {
            time: self.last,
            signal: (signal >> 1) as u32,
            value,
        })
    }
}

impl Iterator for Changes {
    type Item = io::Result<Change>;

    fn next(&mut self) -> Option<io::Result<Change>> {
        self.left = self.left.checked_sub(1)?;
        Some(self.change())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// More than fits into memory at once isn't needed: numbers of every length come back.
    #[test]
    fn what_is_put_comes_back() {
        let mut spool = Spool::new();
        let changes: Vec<Change> = (0..200_000u64)
            .map(|number| Change {
                time: number * number,
                signal: (number * 2_654_435_761 % (1 << 31)) as u32,
                value: (number % 5 != 0).then_some(u64::MAX >> (number % 64)),
            })
            .collect();
        for change in &changes {
            spool.put(*change).unwrap();
        }
        let back: Vec<Change> = spool.read().unwrap().map(Result::unwrap).collect();
        assert_eq!(back, changes);
    }
}
