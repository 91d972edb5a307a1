//! Made-up arrivals.

use flitwork_trace::record::{Arrivals, CHECK_CYCLES, Chunk, Encoder, Head};
use flitwork_types::{Cycle, NodeId, PacketId, Port, PortSet, TerminalId};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use std::collections::BTreeMap;

/// The arrivals of a node, by cycle, without the quiet cycles.
pub(crate) type Sparse = BTreeMap<u32, Arrivals>;

/// Words per packet of [`light_load`].
pub(crate) const PACKET_WORDS: u16 = 10;

/// Each of `ports` links delivers packets of ten words, with gaps such that words fill `load` of the cycles,
/// and a credit 14 to 16 cycles after each head.
pub(crate) fn light_load(seed: u64, ports: u8, cycles: u32, load: f64) -> Sparse {
    let words = u32::from(PACKET_WORDS);
    // A gap is geometric from 0 on: with probability p a packet starts in a cycle in which none is arriving,
    // so a gap takes (1 - p) / p cycles on average, and load = words / (words + (1 - p) / p).
    let start = 1.0 / (1.0 + f64::from(words) * (1.0 / load - 1.0));
    let mut random = Pcg64Mcg::seed_from_u64(seed);
    let mut sparse = Sparse::new();
    for port in (0..ports).map(Port) {
        let mut now = 0;
        while now < cycles {
            if !random.random_bool(start) {
                now += 1;
                continue;
            }
            for cycle in (now..now + words).filter(|&cycle| cycle < cycles) {
                sparse.entry(cycle).or_default().words.insert(port);
            }
            let credit = now + random.random_range(14..=16);
            if credit < cycles {
                sparse.entry(credit).or_default().credits.insert(port);
            }
            now += words;
        }
    }
    sparse
}

/// A digest that depends on node and cycle.
pub(crate) fn digest_at(node: NodeId, cycle: u32) -> u64 {
    let place = u64::from(node.0) << 32 | u64::from(cycle);
    (place ^ 0x2d35_8dcc_aa6c_78a5)
        .wrapping_mul(0x9e37_79b9_7f4a_7c15)
        .rotate_left(29)
}

/// Made-up heads, by cycle and port.
pub(crate) type Heads = BTreeMap<(u32, Port), Head>;

/// A head for every word of `sparse` that is the first of its packet.
pub(crate) fn heads_of(sparse: &Sparse, packet_words: u16) -> Heads {
    let mut came = BTreeMap::new();
    let mut heads = Heads::new();
    for (&now, arrivals) in sparse {
        for port in arrivals.words.iter() {
            let words: &mut u16 = came.entry(port).or_default();
            if *words == 0 {
                let random = digest_at(NodeId(port.0.into()), now);
                let strays = random >> 62 == 0;
                let head = Head {
                    packet: PacketId {
                        source: TerminalId(random as u32 >> (random % 32)),
                        serial: (random >> 32) as u32 >> (random % 31),
                    },
                    extra_hops: if strays { random as u16 } else { 0 },
                    deroutes: if strays { (random >> 16) as u16 } else { 0 },
                };
                heads.insert((now, port), head);
            }
            *words = (*words + 1) % packet_words.max(1);
        }
    }
    heads
}

/// Encodes a node's cycles before `cycles`, with chunks that end at `ends` and at `cycles`.
pub(crate) fn encode(
    node: NodeId,
    encoder: &mut Encoder,
    (sparse, heads): (&Sparse, &Heads),
    ends: &[u32],
    cycles: u32,
) -> Vec<Chunk> {
    let mut chunks = Vec::new();
    let mut from = 0;
    for &upto in ends.iter().filter(|&&end| end < cycles).chain([&cycles]) {
        let mut now = from;
        while now < upto {
            let next = sparse
                .range(now..upto)
                .next()
                .map_or(upto, |(&cycle, _)| cycle);
            now = if encoder.expects_any() { now } else { next };
            if now < upto {
                let arrivals = sparse.get(&now).copied().unwrap_or_default();
                for port in arrivals.words.iter() {
                    if let Some(head) = heads.get(&(now, port)) {
                        encoder.head(head);
                    }
                }
                encoder.cycle(Cycle(now), &arrivals);
                now += 1;
            }
        }
        for check in from / CHECK_CYCLES + 1..=upto / CHECK_CYCLES {
            encoder.check(digest_at(node, check * CHECK_CYCLES) as u8);
        }
        chunks.extend(encoder.take_chunk(node, Cycle(upto), digest_at(node, upto) as u8));
        from = upto;
    }
    chunks
}

/// The set of the ports whose bits are set.
pub(crate) fn set(bits: u32) -> PortSet {
    PortSet(u64::from(bits))
}
