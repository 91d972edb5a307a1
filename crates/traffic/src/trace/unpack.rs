//! The bytes of a trace, decompressed if necessary.
//!
//! A file that begins with `BZh` is taken for a bzip2 file, which may consist of several streams. No trace format begins
//! like that.

use bzip2::bufread::MultiBzDecoder;
use std::io::{self, BufRead, BufReader, Cursor, ErrorKind, Read};

const BZIP2_MAGIC: &[u8] = b"BZh";
/// Bytes read at a time.
const CHUNK_BYTES: usize = 1 << 16;

/// The bytes of a trace.
pub(super) type Bytes = BufReader<Box<dyn Read + Send>>;

/// The bytes of an input, decompressed if it begins like a bzip2 file.
pub(super) fn unpack(mut input: impl Read + Send + 'static) -> io::Result<Bytes> {
    let mut first = [0; BZIP2_MAGIC.len()];
    let found = fill(&mut input, &mut first)?;
    let whole = Cursor::new(first).take(found as u64).chain(input);
    let bytes: Box<dyn Read + Send> = if first == BZIP2_MAGIC {
        let packed = BufReader::with_capacity(CHUNK_BYTES, whole);
        Box::new(MultiBzDecoder::new(packed))
    } else {
        Box::new(whole)
    };
    Ok(BufReader::with_capacity(CHUNK_BYTES, bytes))
}

/// Fills as much of the buffer as there is input. Returns the number of bytes.
pub(super) fn fill(input: &mut impl Read, buffer: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match input.read(&mut buffer[filled..]) {
            Ok(0) => break,
            Ok(read) => filled += read,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

/// Whether no byte is left.
pub(super) fn is_at_end(bytes: &mut Bytes) -> io::Result<bool> {
    loop {
        match bytes.fill_buf() {
            Ok(left) => return Ok(left.is_empty()),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}
