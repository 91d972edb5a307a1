//! The beginning of a netrace file: header, notes, regions. Everything is packed, little-endian.
//!
//! ```text
//!   offset  0  u32  magic 0x484a5455                 40  u64  cycles
//!           4  f32  version, 1.0                     48  u64  packets
//!           8  30 bytes  benchmark, zero-padded      56  u32  length of the notes, with the final zero
//!          38  u8   nodes                            60  u32  regions
//!          39  u8   padding                          64  8 bytes  padding
//!          72  the notes; then 24 bytes per region: u64 offset, u64 cycles, u64 packets
//! ```

use super::problem::{NetracePart, NetraceProblem};
use super::stream::Stream;
use crate::trace::TraceError;

pub(super) const MAGIC: u32 = 0x484a_5455;
const VERSION: f32 = 1.0;
const HEADER_BYTES: usize = 72;
const REGION_BYTES: usize = 24;
/// These bound the memory that a file can claim before its contents have been read.
const MOST_NOTES_BYTES: u32 = 1 << 16;
const MOST_REGIONS: u32 = 1 << 16;

/// The header of a netrace file, with its notes and regions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NetraceHeader {
    /// The benchmark's name; bytes that aren't UTF-8 are replaced.
    pub benchmark: String,
    /// Nodes of the machine, at least 1.
    pub nodes: u8,
    /// Cycles of the run.
    pub cycles: u64,
    /// Packets in the file.
    pub packets: u64,
    /// Remarks.
    pub notes: String,
    /// The parts of the run.
    pub regions: Vec<NetraceRegion>,
}

/// A part of the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NetraceRegion {
    /// The offset of its first packet, in bytes from the first packet of the file.
    pub offset_bytes: u64,
    /// Its length in cycles.
    pub cycles: u64,
    /// The number of its packets by the file; its actual end is given by the offset of the next region.
    pub packets: u64,
}

/// The bytes of a field at an offset.
pub(super) fn field<const N: usize>(bytes: &[u8], offset: usize) -> [u8; N] {
    let mut field = [0; N];
    field.copy_from_slice(&bytes[offset..offset + N]);
    field
}

/// The text up to its first zero.
fn text(bytes: &[u8]) -> String {
    let text = bytes.split(|byte| *byte == 0).next().unwrap_or_default();
    String::from_utf8_lossy(text).into_owned()
}

/// Reads header, notes and regions.
pub(super) fn read(stream: &mut Stream) -> Result<NetraceHeader, TraceError> {
    let refuse = |offset, problem| Err(Stream::error_at(offset, problem));
    let mut header = [0; HEADER_BYTES];
    stream.fill(&mut header[..4], NetracePart::Header, 0, HEADER_BYTES)?;
    let found = field(&header, 0);
    if u32::from_le_bytes(found) != MAGIC {
        return refuse(0, NetraceProblem::Magic { found });
    }
    stream.fill(&mut header[4..], NetracePart::Header, 4, HEADER_BYTES)?;
    let found = f32::from_le_bytes(field(&header, 4));
    if found != VERSION {
        return refuse(4, NetraceProblem::Version { found });
    }
    let nodes = header[38];
    if nodes == 0 {
        return refuse(38, NetraceProblem::NoNodes);
    }
    let (found, most) = (u32::from_le_bytes(field(&header, 56)), MOST_NOTES_BYTES);
    if found > most {
        return refuse(56, NetraceProblem::Notes { found, most });
    }
    let mut notes = vec![0; found as usize];
    stream.fill(&mut notes, NetracePart::Notes, 0, found as usize)?;
    let (found, most) = (u32::from_le_bytes(field(&header, 60)), MOST_REGIONS);
    if found > most {
        return refuse(60, NetraceProblem::Regions { found, most });
    }
    Ok(NetraceHeader {
        benchmark: text(&header[8..38]),
        nodes,
        cycles: u64::from_le_bytes(field(&header, 40)),
        packets: u64::from_le_bytes(field(&header, 48)),
        notes: text(&notes),
        regions: read_regions(stream, found)?,
    })
}

fn read_regions(stream: &mut Stream, count: u32) -> Result<Vec<NetraceRegion>, TraceError> {
    let mut regions: Vec<NetraceRegion> = Vec::new();
    for region in 0..count {
        let start = stream.offset();
        let mut bytes = [0; REGION_BYTES];
        stream.fill(&mut bytes, NetracePart::Region(region), 0, REGION_BYTES)?;
        let offset = u64::from_le_bytes(field(&bytes, 0));
        let before = regions.last().map_or(0, |region| region.offset_bytes);
        if offset < before {
            let problem = NetraceProblem::RegionOrder {
                region,
                offset,
                before,
            };
            return Err(Stream::error_at(start, problem));
        }
        regions.push(NetraceRegion {
            offset_bytes: offset,
            cycles: u64::from_le_bytes(field(&bytes, 8)),
            packets: u64::from_le_bytes(field(&bytes, 16)),
        });
    }
    Ok(regions)
}
