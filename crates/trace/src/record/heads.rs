//! Which packets' heads arrived, which a node cannot know without its neighbours.
//!
//! A record can do without this, because a replay of all nodes makes the words again. With it, a node can be replayed
//! alone.

use super::corrupt::WhyCorrupt;
use super::flow::bits;
use super::varint;
use flitwork_types::{PacketId, Port};
use std::collections::VecDeque;

/// What the head of an arriving packet says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Head {
    /// Which packet it is.
    pub packet: PacketId,
    /// Links crossed in addition to those of a shortest path from its source to here.
    pub extra_hops: u16,
    /// Deroutes so far.
    pub deroutes: u16,
}

/// Encodes heads.
#[derive(Clone, Debug, Default)]
pub(super) struct HeadEncoder {
    pub(super) bytes: Vec<u8>,
    /// How many more heads have arrived than have been encoded.
    pub(super) owed: i64,
    serial: u32,
}

impl HeadEncoder {
    pub(super) fn put(&mut self, head: &Head) {
        let Head {
            packet,
            extra_hops,
            deroutes,
        } = *head;
        let strays = extra_hops | deroutes != 0;
        varint::put(&mut self.bytes, u64::from(packet.source.0));
        let serial = varint::difference(self.serial, packet.serial);
        varint::put(&mut self.bytes, serial << 1 | u64::from(strays));
        if strays {
            varint::put(&mut self.bytes, extra_hops.into());
            varint::put(&mut self.bytes, deroutes.into());
        }
        self.serial = packet.serial;
        self.owed -= 1;
    }
}

/// Decodes heads.
#[derive(Clone, Debug, Default)]
pub(super) struct HeadDecoder {
    /// The heads of the cycle that was taken last, and their ports.
    pub(super) latest: Vec<(Port, Head)>,
    /// The bytes of each chunk that have not been read, and its end.
    chunks: VecDeque<(Vec<u8>, u32)>,
    /// How many bytes of the first have been read.
    read: usize,
    serial: u32,
}

impl HeadDecoder {
    pub(super) fn push(&mut self, bytes: Vec<u8>, upto: u32) {
        if !bytes.is_empty() {
            self.chunks.push_back((bytes, upto));
        }
    }

    /// Reads the heads that arrive in cycle `now` at these ports, one bit each.
    pub(super) fn take(&mut self, now: u32, ports: u64) -> Result<(), WhyCorrupt> {
        for port in bits(ports) {
            let (bytes, upto) = self.chunks.front().ok_or(WhyCorrupt::Heads)?;
            // Bytes left over from an earlier chunk belong to no head.
            if now >= *upto {
                return Err(WhyCorrupt::Heads);
            }
            let mut left = &bytes[self.read..];
            let head = get(&mut left, self.serial).ok_or(WhyCorrupt::Heads)?;
            self.read = bytes.len() - left.len();
            if left.is_empty() {
                self.chunks.pop_front();
                self.read = 0;
            }
            self.serial = head.packet.serial;
            self.latest.push((Port(port as u8), head));
        }
        Ok(())
    }
}

fn get(bytes: &mut &[u8], serial: u32) -> Option<Head> {
    let source = varint::get_as(bytes)?;
    let code = varint::get(bytes)?;
    let mut head = Head {
        packet: PacketId {
            source: flitwork_types::TerminalId(source),
            serial: varint::add_difference(serial, code >> 1)?,
        },
        ..Head::default()
    };
    if code & 1 == 1 {
        head.extra_hops = varint::get_as(bytes)?;
        head.deroutes = varint::get_as(bytes)?;
    }
    Some(head)
}

#[cfg(test)]
mod tests {
    use super::*;
    use flitwork_types::TerminalId;

    fn head(source: u32, serial: u32) -> Head {
        Head {
            packet: PacketId {
                source: TerminalId(source),
                serial,
            },
            ..Head::default()
        }
    }

    /// The heads of a chunk that covers the cycles before `upto`.
    fn chunk(heads: &[Head], upto: u32, decoder: &mut HeadDecoder, encoder: &mut HeadEncoder) {
        heads.iter().for_each(|head| encoder.put(head));
        decoder.push(std::mem::take(&mut encoder.bytes), upto);
    }

    /// A chunk up to cycle 10 has the heads of cycles 0 to 9. A head that is asked for in cycle 10 is the next chunk's, and what
    /// is left over of the first belongs to none.
    #[test]
    fn a_chunks_heads_are_those_before_its_end() {
        let (mut decoder, mut encoder) = (HeadDecoder::default(), HeadEncoder::default());
        chunk(&[head(1, 5), head(2, 6)], 10, &mut decoder, &mut encoder);
        chunk(&[head(3, 7)], 20, &mut decoder, &mut encoder);
        // Ports 0 and 3 in the last cycle of the first, port 1 in the first of the second.
        assert!(decoder.take(9, 0b1001).is_ok());
        assert!(decoder.take(10, 0b10).is_ok());
        let expected = [
            (Port(0), head(1, 5)),
            (Port(3), head(2, 6)),
            (Port(1), head(3, 7)),
        ];
        assert_eq!(decoder.latest, expected);
        assert!(matches!(decoder.take(11, 1), Err(WhyCorrupt::Heads)));

        let (mut decoder, mut encoder) = (HeadDecoder::default(), HeadEncoder::default());
        chunk(&[head(1, 5), head(2, 6)], 10, &mut decoder, &mut encoder);
        assert!(decoder.take(9, 1).is_ok());
        assert!(matches!(decoder.take(10, 1), Err(WhyCorrupt::Heads)));
    }
}
