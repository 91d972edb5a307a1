//! Texts of files that a run read, in the header of its record.

use super::error::invalid;
use super::fields::{Fields, put_string};
use std::io::{self, Read};
use std::sync::Arc;

/// The most bytes that the text of a file may have.
pub const MAX_TEXT_BYTES: u64 = 1 << 30;
/// zstd's own default: more takes longer and gains little on tables of numbers.
const LEVEL: i32 = 3;

/// The text of a file that a run read: a replay reads it from the record, whatever has become of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EmbeddedFile {
    /// Its name, as the record's configuration has it.
    pub name: String,
    /// Its text.
    pub text: Arc<str>,
}

/// Appends files as [the format](super) has them.
pub(super) fn put(out: &mut Vec<u8>, files: &[EmbeddedFile]) -> io::Result<()> {
    out.extend((files.len() as u32).to_le_bytes());
    for EmbeddedFile { name, text } in files {
        if text.len() as u64 > MAX_TEXT_BYTES {
            let bytes = text.len();
            let what = format!("{name} of {bytes} bytes; at most {MAX_TEXT_BYTES} are allowed");
            return Err(invalid(what));
        }
        let packed = zstd::bulk::compress(text.as_bytes(), LEVEL)?;
        put_string(out, name);
        out.extend((text.len() as u32).to_le_bytes());
        out.extend((packed.len() as u32).to_le_bytes());
        out.extend(packed);
    }
    Ok(())
}

/// Takes files off the front, or says what is wrong with one; `None` if too little is left.
pub(super) fn get(fields: &mut Fields<'_>) -> Option<Result<Vec<EmbeddedFile>, String>> {
    let count = fields.u32()?;
    let mut files = Vec::new();
    for _ in 0..count {
        let name = fields.string()?;
        let raw = fields.u32()?.into();
        let packed = usize::try_from(fields.u32()?).ok()?;
        let packed = fields.bytes(packed)?;
        match unpack(packed, raw) {
            Ok(text) => files.push(EmbeddedFile { name, text }),
            Err(what) => return Some(Err(format!("the text of {name:?} {what}"))),
        }
    }
    Some(Ok(files))
}

/// The text of so many bytes, or what is wrong with it. Memory grows with what is unpacked, not with what is claimed.
fn unpack(packed: &[u8], raw_bytes: u64) -> Result<Arc<str>, String> {
    if raw_bytes > MAX_TEXT_BYTES {
        return Err(format!(
            "has {raw_bytes} bytes; at most {MAX_TEXT_BYTES} are allowed"
        ));
    }
    let refused = |error: io::Error| format!("can't be unpacked: zstd says {error}");
    let mut bytes = Vec::new();
    zstd::Decoder::with_buffer(packed)
        .map_err(refused)?
        .take(raw_bytes + 1)
        .read_to_end(&mut bytes)
        .map_err(refused)?;
    if bytes.len() as u64 != raw_bytes {
        return Err(format!("doesn't have the {raw_bytes} bytes that it should"));
    }
    let text = String::from_utf8(bytes);
    text.map(Arc::from).map_err(|_| "isn't UTF-8".into())
}
