//! The head of a record's file.

use super::MAX_LINK_PORTS;
use super::error::{RecordError, invalid};
use super::fields::{Fields, put_string};
use super::files::{self, EmbeddedFile};
use super::source::{Source, check_crc, put_crc};
use flitwork_types::MAX_PORTS;
use std::io::{self, Read};

/// The version of the format that is written and read.
pub const FORMAT_VERSION: u16 = 6;
/// The oldest version of the format that is read: it has no [`Arrivals::turns`](super::Arrivals::turns).
const OLDEST_VERSION: u16 = 3;
/// The first version whose headers have files.
const FILES_VERSION: u16 = 5;
/// The first version whose nodes may have several local ports.
const LOCALS_VERSION: u16 = 6;
/// The most bytes the body of a header may have: a configuration, and the packed texts of files.
pub const MAX_HEADER_BYTES: u64 = 160 << 20;

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
    /// How many local ports a node has, at least 1; at most [`MAX_PORTS`] together with those for links.
    pub locals: u8,
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
    /// The files that the configuration names, as the run read them.
    pub files: Vec<EmbeddedFile>,
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
        if self.locals == 0 || usize::from(self.ports) + usize::from(self.locals) > MAX_PORTS {
            return Err(format!(
                "{} local ports a node beside {} for links; at least 1 is needed, and at most {MAX_PORTS} altogether are allowed",
                self.locals, self.ports
            ));
        }
        match self.packet_words {
            0 => Err("packets of 0 words; at least 1 is needed".to_owned()),
            _ => Ok(()),
        }
    }

    /// The bytes as [the format](super) has them.
    pub(super) fn to_bytes(&self) -> io::Result<Vec<u8>> {
        self.check().map_err(invalid)?;
        let mut body = self.nodes.to_le_bytes().to_vec();
        body.extend([self.ports, self.locals]);
        body.extend(self.packet_words.to_le_bytes());
        body.push(self.heads.into());
        for string in [&self.flitwork, &self.runtime, &self.configuration] {
            put_string(&mut body, string);
        }
        files::put(&mut body, &self.files)?;
        let length = body.len() as u64;
        if length > MAX_HEADER_BYTES {
            let what =
                format!("a header of {length} bytes; at most {MAX_HEADER_BYTES} are allowed");
            return Err(invalid(what));
        }
        let mut bytes = MAGIC.to_vec();
        bytes.extend(FORMAT_VERSION.to_le_bytes());
        bytes.extend((length as u32).to_le_bytes());
        bytes.extend(body);
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
        let version = fields.u16();
        if let Some(found) =
            version.filter(|found| !(OLDEST_VERSION..=FORMAT_VERSION).contains(found))
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
        let length = fields.u32().filter(|_| whole);
        let Some((version, length)) = version.zip(length) else {
            return Err(truncated(source.offset()));
        };
        let length = u64::from(length);
        RecordError::check_length(0, "a header", length, MAX_HEADER_BYTES)?;
        if !source.fill(&mut bytes, length + 4)? {
            return Err(truncated(source.offset()));
        }
        let body = &check_crc(&bytes, 0)?[HEAD_BYTES as usize..];
        let header = Header::parse(body, version)
            .unwrap_or_else(|| Err("the header's fields don't fill its length".into()));
        let checked = header.and_then(|header| header.check().map(|()| header));
        checked.map_err(|what| RecordError::corrupt(0, what))
    }

    /// The header of this version, or what is wrong with one of its files; `None` for another length.
    fn parse(body: &[u8], version: u16) -> Option<Result<Header, String>> {
        let mut fields = Fields(body);
        let mut header = Header {
            nodes: fields.u32()?,
            ports: fields.u8()?,
            locals: match version >= LOCALS_VERSION {
                true => fields.u8()?,
                false => 1,
            },
            packet_words: fields.u16()?,
            heads: match fields.u8()? {
                0 => false,
                1 => true,
                _ => return None,
            },
            flitwork: fields.string()?,
            runtime: fields.string()?,
            configuration: fields.string()?,
            files: Vec::new(),
        };
        if version >= FILES_VERSION {
            match files::get(&mut fields)? {
                Ok(files) => header.files = files,
                Err(what) => return Some(Err(what)),
            }
        }
        fields.0.is_empty().then_some(Ok(header))
    }
}
