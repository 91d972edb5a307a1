//! The head of a record's file.

use super::MAX_LINK_PORTS;
use super::error::{RecordError, invalid};
use super::fields::{Fields, put_string};
use super::source::{Source, check_crc, put_crc};
use std::io::{self, Read};

/// The version of the format that is written and read.
pub const FORMAT_VERSION: u16 = 4;
/// The oldest version of the format that is read: it has no [`Arrivals::turns`](super::Arrivals::turns).
const OLDEST_VERSION: u16 = 3;
/// The most bytes the body of a header may have.
pub const MAX_HEADER_BYTES: u64 = 16 << 20;

/// The first byte is not ASCII, so that no text is mistaken for a record.
const MAGIC: [u8; 8] = *b"\x89FLITREC";
/// Magic, version and length.
const HEAD_BYTES: u64 = 14;

/// What is at the head of a record: enough to repeat the run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// How many nodes the network has; they are numbered from 0.
    pub nodes: u32,
    /// How many link ports a node has, at most [`MAX_LINK_PORTS`]. All of a record's encoders and
    /// decoders work with this number.
    pub ports: u8,
    /// How many words a packet has, at least 1.
    pub packet_words: u16,
    /// Whether it says which packets arrived: either all encoders and decoders are those with heads, or none.
    pub heads: bool,
    /// The version of the program that wrote it.
    pub flitwork: String,
    /// What scheduled the nodes.
    pub runtime: String,
    /// The run's whole configuration, as TOML.
    pub configuration: String,
}

impl Header {
    /// What is wrong with its numbers, if anything.
    fn check(&self) -> Result<(), String> {
        if usize::from(self.ports) > MAX_LINK_PORTS {
            return Err(format!(
                "{} link ports a node; at most {MAX_LINK_PORTS} are allowed",
                self.ports
            ));
        }
        match self.packet_words {
            0 => Err("packets of 0 words; at least 1 is needed".to_owned()),
            _ => Ok(()),
        }
    }

    /// The bytes as [the format](super) has them.
    pub(super) fn to_bytes(&self) -> io::Result<Vec<u8>> {
        let strings = [&self.flitwork, &self.runtime, &self.configuration];
        let length = 8 + strings.iter().map(|s| 4 + s.len() as u64).sum::<u64>();
        if length > MAX_HEADER_BYTES {
            let what =
                format!("a header of {length} bytes; at most {MAX_HEADER_BYTES} are allowed");
            return Err(invalid(what));
        }
        self.check().map_err(invalid)?;
        let mut bytes = Vec::with_capacity(length as usize + 18);
        bytes.extend(MAGIC);
        bytes.extend(FORMAT_VERSION.to_le_bytes());
        bytes.extend((length as u32).to_le_bytes());
        bytes.extend(self.nodes.to_le_bytes());
        bytes.push(self.ports);
        bytes.extend(self.packet_words.to_le_bytes());
        bytes.push(self.heads.into());
        for string in strings {
            put_string(&mut bytes, string);
        }
        put_crc(&mut bytes);
        Ok(bytes)
    }

    pub(super) fn read<R: Read>(source: &mut Source<R>) -> Result<Header, RecordError> {
        let mut bytes = Vec::new();
        let whole = source.fill(&mut bytes, HEAD_BYTES)?;
        if bytes.is_empty() {
            return Err(RecordError::Empty);
        }
        let magic = &bytes[..bytes.len().min(MAGIC.len())];
        if !MAGIC.starts_with(magic) {
            return Err(RecordError::NotARecord);
        }
        let mut fields = Fields(&bytes[magic.len()..]);
        // The version comes before everything else: another may have another layout from there on.
        if let Some(found) = fields
            .u16()
            .filter(|found| !(OLDEST_VERSION..=FORMAT_VERSION).contains(found))
        {
            return Err(RecordError::Version {
                found,
                supported: OLDEST_VERSION..=FORMAT_VERSION,
            });
        }
        let truncated = |offset| RecordError::Truncated {
            offset,
            what: "the header",
        };
        let Some(length) = fields.u32().filter(|_| whole) else {
            return Err(truncated(source.offset()));
        };
        let length = u64::from(length);
        RecordError::check_length(0, "a header", length, MAX_HEADER_BYTES)?;
        if !source.fill(&mut bytes, length + 4)? {
            return Err(truncated(source.offset()));
        }
        let body = &check_crc(&bytes, 0)?[HEAD_BYTES as usize..];
        let header = Header::parse(body)
            .ok_or_else(|| RecordError::corrupt(0, "the header's fields don't fill its length"))?;
        let checked = header.check();
        checked.map_err(|what| RecordError::corrupt(0, what))?;
        Ok(header)
    }

    fn parse(body: &[u8]) -> Option<Header> {
        let mut fields = Fields(body);
        let header = Header {
            nodes: fields.u32()?,
            ports: fields.u8()?,
            packet_words: fields.u16()?,
            heads: match fields.u8()? {
                0 => false,
                1 => true,
                _ => return None,
            },
            flitwork: fields.string()?,
            runtime: fields.string()?,
            configuration: fields.string()?,
        };
        fields.0.is_empty().then_some(header)
    }
}
