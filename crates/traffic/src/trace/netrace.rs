//! Netrace: packets between a multiprocessor's caches, and the dependencies between them (Hestness, Grot and Keckler
//! 2010, "Netrace: Dependency-Driven Trace-Based Network-on-Chip Simulation").
//!
//! The [header](NetraceHeader) is followed by the packets, sorted by cycle; everything is packed, little-endian:
//!
//! ```text
//!   offset  0  u64  cycle                            17  u8   source
//!           8  u32  id                               18  u8   destination
//!          12  u32  address, ignored                 19  u8   node types: source, destination (4 bits each)
//!          16  u8   type                             20  u8   n
//!          21  n times u32: ids of later packets that wait for this one
//! ```

mod header;
mod kinds;
mod problem;
mod stream;

pub use header::{NetraceHeader, NetraceRegion};
pub use problem::{NetracePart, NetraceProblem};

use super::TraceReader;
use super::{Field, Links, TraceError, TraceId, TraceNode, TracePacket, TracePlace};
use flitwork_schema::WrongValue;
use header::field;
use std::io::Read;
use stream::Stream;

const PACKET_BYTES: usize = 21;
const ID_BYTES: usize = 4;
/// The highest number of a node type.
const LAST_NODE_TYPE: u8 = 3;

/// The regions of a trace to read, counted from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RegionRange {
    /// The first.
    pub first: u32,
    /// The last.
    pub last: u32,
}

/// How to read a netrace file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NetraceParameters {
    pub(crate) link_bytes: u32,
    pub(crate) regions: Option<RegionRange>,
}

impl NetraceParameters {
    /// Divides packets into words of `link_bytes`, and reads `regions`, by default the whole file.
    ///
    /// # Errors
    /// A [`WrongValue`] for links of 0 bytes and for a range that ends before it begins.
    pub fn new(
        link_bytes: u32,
        regions: Option<RegionRange>,
    ) -> Result<NetraceParameters, WrongValue> {
        if link_bytes == 0 {
            return Err(WrongValue::new("link_bytes", 0, "at least 1 byte"));
        }
        if let Some(RegionRange { first, last }) = regions
            && last < first
        {
            let allowed = format!("the first region, {first}, or one after it");
            return Err(WrongValue::new("last_region", last, allowed));
        }
        Ok(NetraceParameters {
            link_bytes,
            regions,
        })
    }
}

/// Reads a netrace file, plain or compressed with bzip2.
pub struct NetraceReader {
    stream: Stream,
    header: NetraceHeader,
    parameters: NetraceParameters,
    /// The offset of the file's first packet.
    first_packet: u64,
    /// The offset of the last packet returned, or of the end of the trace.
    packet: u64,
    /// Packets read, including those of skipped regions.
    read: u64,
    /// Regions whose beginning has been reached.
    begun: usize,
    done: bool,
}

impl NetraceReader {
    /// Reads the header of a file.
    ///
    /// # Errors
    /// A [`TraceError`] if the input can't be read, isn't a netrace file of version 1, or doesn't have the regions to read.
    pub fn new(
        input: impl Read + Send + 'static,
        parameters: NetraceParameters,
    ) -> Result<NetraceReader, TraceError> {
        let mut stream = Stream::new(input)?;
        let header = header::read(&mut stream)?;
        let regions = header.regions.len() as u32;
        if let Some(found) = parameters.regions
            && found.last >= regions
        {
            let problem = NetraceProblem::RegionChoice { found, regions };
            return Err(Stream::error_at(60, problem));
        }
        let first_packet = stream.offset();
        Ok(NetraceReader {
            stream,
            header,
            parameters,
            first_packet,
            packet: first_packet,
            read: 0,
            begun: 0,
            done: false,
        })
    }

    /// The header of the file.
    pub fn header(&self) -> &NetraceHeader {
        &self.header
    }

    /// The error for a problem at a byte of the current packet.
    fn error(&self, byte: u64, problem: NetraceProblem) -> TraceError {
        Stream::error_at(self.packet + byte, problem)
    }

    /// The total cycles of the first `regions` regions.
    fn cycles_of(&self, regions: usize) -> u64 {
        let cycles = self.header.regions[..regions].iter();
        cycles
            .map(|region| region.cycles)
            .fold(0, u64::saturating_add)
    }

    /// Notes which regions begin here, at the start of a packet or the end of the trace.
    fn begin_regions(&mut self) -> Result<(), TraceError> {
        let packet = self.packet - self.first_packet;
        while let Some(region) = self.header.regions.get(self.begun)
            && region.offset_bytes <= packet
        {
            if region.offset_bytes < packet {
                return Err(self.lost_region(region.offset_bytes));
            }
            self.begun += 1;
        }
        Ok(())
    }

    /// The error of the next region, which doesn't begin with a packet.
    fn lost_region(&self, offset: u64) -> TraceError {
        let problem = NetraceProblem::RegionOffset {
            region: self.begun as u32,
            offset,
            packet: self.packet - self.first_packet,
        };
        self.error(0, problem)
    }

    /// Whether the packet that begins here lies in the regions to read; `None` after them.
    fn is_wanted(&self) -> Option<bool> {
        match self.parameters.regions {
            None => Some(true),
            Some(RegionRange { last, .. }) if self.begun > last as usize + 1 => None,
            Some(RegionRange { first, .. }) => Some(self.begun > first as usize),
        }
    }

    /// Checks the end of the file.
    fn end(&mut self) -> Result<(), TraceError> {
        let (found, header) = (self.read, self.header.packets);
        if !self.stream.is_at_end()? {
            return Err(self.error(0, NetraceProblem::TooMany { header }));
        }
        if found < header {
            return Err(self.error(0, NetraceProblem::TooFew { found, header }));
        }
        match self.header.regions.get(self.begun) {
            Some(region) => Err(self.lost_region(region.offset_bytes)),
            None => Ok(()),
        }
    }

    /// Reads the packet that begins here.
    fn read_packet(&mut self) -> Result<TracePacket, TraceError> {
        let mut bytes = [0; PACKET_BYTES];
        let part = NetracePart::Packet(self.read);
        self.stream.fill(&mut bytes, part, 0, PACKET_BYTES)?;
        let Some((class, kind)) = kinds::class(bytes[16]) else {
            let found = bytes[16];
            return Err(self.error(16, NetraceProblem::PacketType { found }));
        };
        for (end, found) in [("source", bytes[19] >> 4), ("destination", bytes[19] & 15)] {
            if found > LAST_NODE_TYPE {
                return Err(self.error(19, NetraceProblem::NodeType { end, found }));
            }
        }
        let mut list = [0; ID_BYTES * u8::MAX as usize];
        let list = &mut list[..ID_BYTES * usize::from(bytes[20])];
        let part = NetracePart::List(self.read);
        self.stream.fill(list, part, 0, list.len())?;
        self.read += 1;
        let named = |bytes: &[u8]| TraceId(u32::from_le_bytes(field(bytes, 0)).into());
        let words = u32::from(kind.bytes).div_ceil(self.parameters.link_bytes);
        Ok(TracePacket {
            id: TraceId(u32::from_le_bytes(field(&bytes, 8)).into()),
            cycle: u64::from_le_bytes(field(&bytes, 0)),
            source: TraceNode(bytes[17].into()),
            destination: TraceNode(bytes[18].into()),
            words: words as u16,
            class,
            links: Links::Before(list.chunks_exact(ID_BYTES).map(named).collect()),
        })
    }
}

impl TraceReader for NetraceReader {
    fn nodes(&self) -> u32 {
        self.header.nodes.into()
    }

    fn packet(&mut self) -> Result<Option<TracePacket>, TraceError> {
        while !self.done {
            self.packet = self.stream.offset();
            self.begin_regions()?;
            let at_end = self.read == self.header.packets || self.stream.is_at_end()?;
            let wanted = self.is_wanted();
            if at_end {
                self.done = true;
                self.end()?;
            } else if wanted.is_none() {
                self.done = true;
            } else {
                let packet = self.read_packet()?;
                if wanted == Some(true) {
                    return Ok(Some(packet));
                }
            }
        }
        Ok(None)
    }

    fn place(&self, field: Field) -> TracePlace {
        let byte = match field {
            Field::Packet | Field::Cycle => 0,
            Field::Id => 8,
            // The length and the class follow from the type.
            Field::Words | Field::Class => 16,
            Field::Source => 17,
            Field::Destination => 18,
            Field::Links => 21,
        };
        TracePlace::Byte(self.packet + byte)
    }

    /// The total cycles of the regions before those to read.
    fn start_cycle(&self) -> u64 {
        let before = self.parameters.regions.map_or(0, |regions| regions.first);
        self.cycles_of(before as usize)
    }

    /// The cycles up to the end of the last region to read, by the file's header.
    fn ends_by(&self) -> Option<u64> {
        Some(match self.parameters.regions {
            Some(regions) => self.cycles_of(regions.last as usize + 1),
            None => self.header.cycles,
        })
    }

    fn is_whole(&self) -> bool {
        match self.parameters.regions {
            None => true,
            Some(RegionRange { last, .. }) => last as usize + 1 == self.header.regions.len(),
        }
    }
}
