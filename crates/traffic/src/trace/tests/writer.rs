//! Writes small traces, in both formats.

use crate::{Links, NetraceParameters, NetraceReader, TraceError, TracePacket};
use bzip2::Compression;
use bzip2::read::BzEncoder;
use std::io::{Cursor, Read};

/// A packet of a netrace file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Written {
    pub(super) cycle: u64,
    pub(super) id: u32,
    pub(super) kind: u8,
    pub(super) source: u8,
    pub(super) destination: u8,
    pub(super) node_types: u8,
    /// Packets that wait for this one.
    pub(super) names: Vec<u32>,
}

impl Written {
    pub(super) fn bytes(&self) -> Vec<u8> {
        let mut bytes = self.cycle.to_le_bytes().to_vec();
        bytes.extend(self.id.to_le_bytes());
        bytes.extend(0xdead_beefu32.to_le_bytes());
        bytes.extend([self.kind, self.source, self.destination, self.node_types]);
        bytes.push(self.names.len() as u8);
        bytes.extend(self.names.iter().flat_map(|name| name.to_le_bytes()));
        bytes
    }
}

/// A packet of type ReadReq, from an L1 data cache to an L2.
pub(super) fn packet(id: u32, cycle: u64, ends: (u8, u8), names: &[u32]) -> Written {
    Written {
        cycle,
        id,
        kind: 1,
        source: ends.0,
        destination: ends.1,
        node_types: 0x02,
        names: names.to_vec(),
    }
}

/// A netrace file.
#[derive(Clone, Debug)]
pub(super) struct File {
    pub(super) nodes: u8,
    pub(super) notes: Vec<u8>,
    /// Where regions begin, by the packet, and their cycles.
    pub(super) regions: Vec<(usize, u64)>,
    pub(super) packets: Vec<Written>,
}

impl File {
    pub(super) fn new(nodes: u8, packets: Vec<Written>) -> File {
        File {
            nodes,
            notes: b"of the tests\0".to_vec(),
            regions: vec![(0, 1000)],
            packets,
        }
    }

    /// The bytes before the first packet.
    pub(super) fn head(&self) -> Vec<u8> {
        let mut bytes = 0x484a_5455u32.to_le_bytes().to_vec();
        bytes.extend(1.0f32.to_le_bytes());
        bytes.extend(b"hand-made\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0");
        bytes.extend([self.nodes, 0]);
        bytes.extend(1000u64.to_le_bytes());
        bytes.extend((self.packets.len() as u64).to_le_bytes());
        bytes.extend((self.notes.len() as u32).to_le_bytes());
        bytes.extend((self.regions.len() as u32).to_le_bytes());
        bytes.extend([7; 8]);
        bytes.extend(&self.notes);
        let offset = |packet: usize| -> u64 {
            let before = self.packets[..packet].iter();
            before.map(|packet| packet.bytes().len() as u64).sum()
        };
        for (first, cycles) in &self.regions {
            bytes.extend(offset(*first).to_le_bytes());
            bytes.extend(cycles.to_le_bytes());
            bytes.extend((self.packets.len() as u64).to_le_bytes());
        }
        bytes
    }

    pub(super) fn bytes(&self) -> Vec<u8> {
        let mut bytes = self.head();
        bytes.extend(self.packets.iter().flat_map(Written::bytes));
        bytes
    }
}

/// The bytes compressed by bzip2.
pub(super) fn packed(bytes: &[u8]) -> Vec<u8> {
    let mut packed = Vec::new();
    let mut encoder = BzEncoder::new(bytes, Compression::best());
    encoder.read_to_end(&mut packed).unwrap();
    packed
}

/// A reader of netrace bytes, with links of 8 bytes.
pub(super) fn netrace(bytes: &[u8]) -> Result<NetraceReader, TraceError> {
    let parameters = NetraceParameters::new(8, None).unwrap();
    NetraceReader::new(Cursor::new(bytes.to_vec()), parameters)
}

/// The packets as a CSV trace that names the packets to wait for.
pub(super) fn csv(packets: &[TracePacket]) -> String {
    let mut text = String::from("# written by a test\ncycle,src,dst,words,id,class,after\n");
    for packet in packets {
        let after: Vec<String> = packets
            .iter()
            .filter(|earlier| match &earlier.links {
                Links::Before(names) => names.contains(&packet.id),
                Links::After(_) => false,
            })
            .map(|earlier| earlier.id.to_string())
            .collect();
        let TracePacket {
            id,
            cycle,
            source,
            destination,
            words,
            class,
            ..
        } = packet;
        let after = after.join(";");
        text += &format!("{cycle},{source},{destination},{words},{id},{class},{after}\n");
    }
    text
}
