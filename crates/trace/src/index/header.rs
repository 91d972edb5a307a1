//! The recipe at the head of an index.

use super::error::IndexError;
use crate::record::error::invalid;
use crate::record::fields::{Fields, put_string};
use crate::record::source::{check_crc, put_crc};
use crate::record::varint;
use flitwork_types::MAX_NODES;
use std::io;

/// The version of the format that is written and read.
pub const INDEX_VERSION: u16 = 3;
/// The first bytes; the very first is not ASCII, so that no text is mistaken for an index.
pub const INDEX_MAGIC: [u8; 8] = *b"\x89FLITIDX";
/// The most bytes the body may have.
const MOST_BYTES: usize = 16 << 20;
/// Magic, version and length.
pub(super) const HEAD_BYTES: usize = 14;

/// A file that a run read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputFile {
    /// Its path, absolute.
    pub path: String,
    /// Its length in bytes.
    pub bytes: u64,
    /// The CRC-32 of its contents.
    pub crc: u32,
}

impl InputFile {
    /// A file with these contents.
    pub fn of(path: String, contents: &[u8]) -> InputFile {
        InputFile {
            path,
            bytes: contents.len() as u64,
            crc: crc32fast::hash(contents),
        }
    }
}

/// What is at the head of an index: enough to repeat the run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexHeader {
    /// How many nodes the network has.
    pub nodes: u32,
    /// The version of the program that wrote it.
    pub flitwork: String,
    /// The run's whole configuration, as TOML.
    pub configuration: String,
    /// The file of the live run's record; empty for other runs.
    pub record: String,
    /// The files that the run read.
    pub files: Vec<InputFile>,
}

/// What is wrong with a number of nodes, if anything is.
fn check_nodes(nodes: u32) -> Result<(), String> {
    match nodes {
        1..=MAX_NODES => Ok(()),
        _ => Err(format!("{nodes} nodes; 1 to {MAX_NODES} are allowed")),
    }
}

fn check_length(bytes: usize) -> Result<(), String> {
    match bytes > MOST_BYTES {
        true => Err(format!(
            "a header of {bytes} bytes; at most {MOST_BYTES} are allowed"
        )),
        false => Ok(()),
    }
}

impl IndexHeader {
    pub(super) fn to_bytes(&self) -> io::Result<Vec<u8>> {
        check_nodes(self.nodes).map_err(invalid)?;
        let mut body = self.nodes.to_le_bytes().to_vec();
        for text in [&self.flitwork, &self.configuration, &self.record] {
            put_string(&mut body, text);
        }
        varint::put(&mut body, self.files.len() as u64);
        for file in &self.files {
            put_string(&mut body, &file.path);
            varint::put(&mut body, file.bytes);
            body.extend(file.crc.to_le_bytes());
        }
        check_length(body.len()).map_err(invalid)?;
        let mut bytes = INDEX_MAGIC.to_vec();
        bytes.extend(INDEX_VERSION.to_le_bytes());
        bytes.extend((body.len() as u32).to_le_bytes());
        bytes.extend(body);
        put_crc(&mut bytes);
        Ok(bytes)
    }

    /// The header, and how many bytes it has.
    pub(super) fn parse(file: &[u8]) -> Result<(IndexHeader, usize), IndexError> {
        let magic = &file[..file.len().min(INDEX_MAGIC.len())];
        if magic.is_empty() || !INDEX_MAGIC.starts_with(magic) {
            return Err(IndexError::NotAnIndex);
        }
        let mut fields = Fields(&file[magic.len()..]);
        let found = fields.u16().ok_or(IndexError::Truncated)?;
        // Version 1 has no times.
        if !(1..=INDEX_VERSION).contains(&found) {
            return Err(IndexError::Version {
                found,
                supported: INDEX_VERSION,
            });
        }
        let length = fields.u32().ok_or(IndexError::Truncated)? as usize;
        let corrupt = |what: String| IndexError::Corrupt { offset: 0, what };
        check_length(length).map_err(corrupt)?;
        let end = HEAD_BYTES + length + 4;
        let bytes = file.get(..end).ok_or(IndexError::Truncated)?;
        let body = check_crc(bytes, 0).map_err(|_| IndexError::Checksum { offset: 0 })?;
        let header = Self::parse_body(&body[HEAD_BYTES..]);
        let header =
            header.ok_or_else(|| corrupt("the header's fields don't fill its length".into()))?;
        check_nodes(header.nodes).map_err(corrupt)?;
        Ok((header, end))
    }

    fn parse_body(body: &[u8]) -> Option<IndexHeader> {
        let mut fields = Fields(body);
        let mut header = IndexHeader {
            nodes: fields.u32()?,
            flitwork: fields.string()?,
            configuration: fields.string()?,
            record: fields.string()?,
            files: Vec::new(),
        };
        let files: u64 = fields.varint()?;
        for _ in 0..files {
            header.files.push(InputFile {
                path: fields.string()?,
                bytes: fields.varint()?,
                crc: fields.u32()?,
            });
        }
        fields.0.is_empty().then_some(header)
    }
}
