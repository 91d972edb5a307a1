//! Problems in netrace files.

use super::RegionRange;
use super::kinds::KINDS;
use std::fmt;

/// A part of a netrace file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NetracePart {
    /// The header.
    Header,
    /// The notes that follow it.
    Notes,
    /// A region, from 0.
    Region(u32),
    /// A packet, from 0.
    Packet(u64),
    /// The list of packets that wait for a packet, from 0.
    List(u64),
}

/// A problem in a netrace file.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum NetraceProblem {
    /// The first four bytes aren't those of a netrace file.
    #[error("the file begins with {}; a netrace file begins with 55 54 4a 48", beginning(*.found))]
    Magic {
        /// The bytes.
        found: [u8; 4],
    },
    /// A version other than 1.0.
    #[error("version {found}; only version 1 can be read")]
    Version {
        /// The version.
        found: f32,
    },
    /// A header with 0 nodes.
    #[error("a trace of 0 nodes; it has 1 to 255")]
    NoNodes,
    /// Notes that are too long.
    #[error("notes of {found} bytes; at most {most} are read")]
    Notes {
        /// Their bytes.
        found: u32,
        /// The most allowed.
        most: u32,
    },
    /// Too many regions.
    #[error("{found} regions; at most {most} are read")]
    Regions {
        /// How many.
        found: u32,
        /// The most allowed.
        most: u32,
    },
    /// A part that is cut off by the end of the file.
    #[error("the file ends after {found} of {needed} bytes of {part}")]
    CutOff {
        /// The part.
        part: NetracePart,
        /// Bytes of it that are present.
        found: u64,
        /// Bytes that it should have.
        needed: u64,
    },
    /// A region that begins before the previous one.
    #[error(
        "region {region} begins at byte {offset} from the first packet, before the previous one, at {before}"
    )]
    RegionOrder {
        /// The region, from 0.
        region: u32,
        /// Where it begins, in bytes from the first packet.
        offset: u64,
        /// Where the previous one begins.
        before: u64,
    },
    /// A region that begins within a packet or after the last one.
    #[error(
        "region {region} begins at byte {offset} from the first packet, where no packet does; \
         the next one begins, or the trace ends, at {packet}"
    )]
    RegionOffset {
        /// The region, from 0.
        region: u32,
        /// Where it begins, in bytes from the first packet.
        offset: u64,
        /// Where the next packet begins, or the trace ends.
        packet: u64,
    },
    /// Selected regions that the file doesn't have.
    #[error(
        "regions {} to {} are selected; the trace has {regions}, counted from 0",
        .found.first,
        .found.last
    )]
    RegionChoice {
        /// The selection.
        found: RegionRange,
        /// How many regions the file has.
        regions: u32,
    },
    /// An unknown type of packet.
    #[error("packet type {found}; the known types are {}", codes())]
    PacketType {
        /// Its number.
        found: u8,
    },
    /// An unknown type of node.
    #[error(
        "{end} of node type {found}; 0 to 3 are L1 data, L1 instruction, L2 and memory controller"
    )]
    NodeType {
        /// Which end of the packet.
        end: &'static str,
        /// Its number.
        found: u8,
    },
    /// Fewer packets than the header counts.
    #[error("the trace ends after {found} packets; its header counts {header}")]
    TooFew {
        /// How many.
        found: u64,
        /// How many the header counts.
        header: u64,
    },
    /// Bytes after the last packet that the header counts.
    #[error("the trace continues after the {header} packets that its header counts")]
    TooMany {
        /// How many it counts.
        header: u64,
    },
}

impl fmt::Display for NetracePart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NetracePart::Header => write!(f, "the header"),
            NetracePart::Notes => write!(f, "the notes"),
            NetracePart::Region(region) => write!(f, "region {region}"),
            NetracePart::Packet(packet) => write!(f, "packet number {packet}"),
            NetracePart::List(packet) => write!(f, "the list of packet number {packet}"),
        }
    }
}

/// The numbers of all types of packets.
fn codes() -> String {
    let codes: Vec<String> = KINDS.iter().map(|kind| kind.code.to_string()).collect();
    codes.join(", ")
}

/// The first bytes of a file, and what kind of file they indicate.
fn beginning(found: [u8; 4]) -> String {
    let [a, b, c, d] = found;
    format!("{a:02x} {b:02x} {c:02x} {d:02x}{}", hint(found))
}

/// What kind of file the first bytes indicate.
fn hint(found: [u8; 4]) -> &'static str {
    match found {
        [0x48, 0x4a, 0x54, 0x55] => {
            ", the expected bytes in reverse order: it was written big-endian"
        }
        [0x1f, 0x8b, ..] => ", a file compressed with gzip; only bzip2 and plain files can be read",
        [0x28, 0xb5, 0x2f, 0xfd] => {
            ", a file compressed with zstd; only bzip2 and plain files can be read"
        }
        [0xfd, b'7', b'z', b'X'] => {
            ", a file compressed with xz; only bzip2 and plain files can be read"
        }
        _ => "",
    }
}
