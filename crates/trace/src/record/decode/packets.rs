//! From tokens to whole packets, without the cycles between them.

use super::marks::Check;
use super::reading::Reading;
use crate::record::Chunk;
use crate::record::corrupt::Corrupt;
use crate::record::flow::bits;
use flitwork_types::{Cycle, NodeId, Port};
use std::collections::VecDeque;

/// The delay of words that never arrived.
const NEVER_CAME: u32 = u32::MAX >> 2;

/// Something that arrives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PacketArrival {
    /// A packet's head at a link's port, and by how many cycles the words from a place on are late: see
    /// [`flitwork_types::Gaps`].
    Head(Port, Vec<(u16, u32)>),
    /// A credit at a link's port.
    Credit(Port),
    /// The node's turn on the half-duplex link at a port: a packet begins to leave.
    Turn(Port),
    /// The node's source injects a packet.
    Injection,
}

/// What is known about a node's next arrival.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PacketNext {
    /// It arrives in this cycle and is known completely.
    Known(Cycle),
    /// Nothing arrives before this cycle; more of the record has to be read.
    NotBefore(Cycle),
    /// There is none.
    Never,
}

/// The packet that arrived last at a port.
#[derive(Clone, Copy, Debug)]
struct Coming {
    /// Which of all arrivals its head is.
    place: u64,
    head: u32,
    /// Words before its latest run of words without a gap.
    words: u32,
    /// Where that run began, and whether it continues to the end of the packet, as far as is known.
    since: u32,
    flows: bool,
}

/// Reads a node's part of a record in advance, packet by packet: each packet as soon as it is known when its last word
/// arrived. It reads what [`super::Decoder`] does, except which packets arrived.
#[derive(Clone, Debug)]
pub struct PacketDecoder {
    reading: Reading,
    /// Words per packet, at least 1.
    packet_words: u32,
    /// Arrivals in order, with their cycles.
    queue: VecDeque<(Cycle, PacketArrival)>,
    /// Arrivals taken out of the queue so far.
    taken: u64,
    ports: Box<[Option<Coming>]>,
    /// The first cycle that the node is not to run, once that is known.
    pub end: Option<Cycle>,
}

impl PacketDecoder {
    /// A decoder for `node` before its cycle 0, as [`super::Decoder::new`].
    ///
    /// # Panics
    /// With more than [`crate::record::MAX_LINK_PORTS`] ports.
    pub fn new(node: NodeId, packet_words: u16, ports: usize) -> PacketDecoder {
        PacketDecoder {
            reading: Reading::new(node, ports),
            packet_words: u32::from(packet_words.max(1)),
            queue: VecDeque::new(),
            taken: 0,
            ports: vec![None; ports].into(),
            end: None,
        }
    }

    /// Adds the node's next chunk.
    ///
    /// # Errors
    /// As [`super::Decoder::push`].
    pub fn push(&mut self, chunk: Chunk) -> Result<(), Corrupt> {
        self.reading.push(chunk).map(drop)
    }

    /// The first cycle that no chunk so far covers.
    #[inline]
    pub fn upto(&self) -> Cycle {
        Cycle(self.reading.upto)
    }

    /// The node's next arrival.
    ///
    /// # Errors
    /// If bytes are not a token; nothing may be asked after that.
    #[inline]
    pub fn next_arrival(&mut self) -> Result<PacketNext, Corrupt> {
        loop {
            if let Some((cycle, arrival)) = self.queue.front()
                && self.is_known(arrival)
            {
                return Ok(PacketNext::Known(*cycle));
            }
            if self.reading.due >= self.limit() {
                return Ok(self.next_unknown());
            }
            self.read_cycle()?;
        }
    }

    /// The first cycle about which nothing is known, or nothing will be.
    #[inline]
    fn limit(&self) -> u32 {
        self.reading.upto.min(self.end.map_or(u32::MAX, Cycle::get))
    }

    /// Whether the first arrival is known completely: for a packet, that none of its words is missing before the next
    /// token, or another packet has arrived after it.
    #[inline]
    fn is_known(&self, first: &PacketArrival) -> bool {
        let PacketArrival::Head(port, _) = first else {
            return true;
        };
        self.ports[port.index()].is_none_or(|coming| {
            let known = self.reading.due.min(self.limit());
            coming.place != self.taken || coming.flows && self.end_of(&coming) <= known
        })
    }

    /// The cycle after a flowing packet's last word.
    #[inline]
    fn end_of(&self, coming: &Coming) -> u32 {
        coming.since + (self.packet_words - coming.words)
    }

    /// What is known if nothing more can be read.
    fn next_unknown(&mut self) -> PacketNext {
        let first = self.queue.front().map(|(cycle, _)| *cycle);
        match (first, self.end) {
            // A packet some of whose words never arrived, because the node's run ends earlier.
            (Some(cycle), Some(end)) if cycle < end && end <= self.upto() => {
                self.cut_short(end);
                PacketNext::Known(cycle)
            }
            (_, Some(end)) if end <= self.upto() => PacketNext::Never,
            (first, _) => PacketNext::NotBefore(first.unwrap_or(self.upto())),
        }
    }

    /// The node's run ends within the first packet: what is missing of it no longer matters.
    fn cut_short(&mut self, end: Cycle) {
        let Some((_, PacketArrival::Head(port, late))) = self.queue.front_mut() else {
            return;
        };
        if let Some(coming) = self.ports[port.index()].take_if(|coming| coming.place == self.taken)
        {
            let run = if coming.flows {
                end.get() - coming.since
            } else {
                0
            };
            late.push(((coming.words + run) as u16, NEVER_CAME));
        }
    }

    /// The first arrival, once it is known.
    #[inline]
    pub fn first(&self) -> Option<&PacketArrival> {
        self.queue.front().map(|(_, arrival)| arrival)
    }

    /// Takes the first arrival.
    #[inline]
    pub fn take(&mut self) -> Option<PacketArrival> {
        self.taken += 1;
        self.queue.pop_front().map(|(_, arrival)| arrival)
    }

    /// Reads the arrivals in the cycle of the next token.
    fn read_cycle(&mut self) -> Result<(), Corrupt> {
        let now = self.reading.due;
        let symbols = self.reading.take()?;
        for port in bits(symbols.credits) {
            let arrival = PacketArrival::Credit(Port(port as u8));
            self.queue.push_back((Cycle(now), arrival));
        }
        for port in bits(symbols.turns) {
            let arrival = PacketArrival::Turn(Port(port as u8));
            self.queue.push_back((Cycle(now), arrival));
        }
        if symbols.injected {
            self.queue.push_back((Cycle(now), PacketArrival::Injection));
        }
        for port in bits(symbols.words) {
            self.change(port, now);
        }
        Ok(())
    }

    /// At a port, a packet begins, a word that was due is missing, or one arrives after such a gap.
    #[inline]
    fn change(&mut self, port: usize, now: u32) {
        let place = self.taken + self.queue.len() as u64;
        let coming = self.ports[port].filter(|coming| !coming.flows || now < self.end_of(coming));
        self.ports[port] = Some(match coming {
            None => {
                let arrival = PacketArrival::Head(Port(port as u8), Vec::new());
                self.queue.push_back((Cycle(now), arrival));
                Coming {
                    place,
                    head: now,
                    words: 0,
                    since: now,
                    flows: true,
                }
            }
            Some(coming) if coming.flows => Coming {
                words: coming.words + (now - coming.since),
                flows: false,
                ..coming
            },
            Some(coming) => {
                let late = now - coming.head - coming.words;
                let place = (coming.place - self.taken) as usize;
                if let Some((_, PacketArrival::Head(_, all))) = self.queue.get_mut(place) {
                    all.push((coming.words as u16, late));
                }
                Coming {
                    since: now,
                    flows: true,
                    ..coming
                }
            }
        });
    }

    /// As [`super::Decoder::next_checkpoint`].
    #[inline]
    pub fn next_checkpoint(&self) -> Cycle {
        self.reading.next_checkpoint()
    }

    /// As [`super::Decoder::checkpoint`].
    #[inline]
    pub fn checkpoint(&mut self, run: Cycle) -> Option<Check> {
        self.reading.checkpoint(run)
    }
}
