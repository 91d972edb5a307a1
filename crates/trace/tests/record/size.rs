//! How large records are, and how fast they are written and read.

#![expect(
    clippy::print_stderr,
    reason = "the figures are what these tests are for"
)]

use crate::synthetic::{Heads, PACKET_WORDS, Sparse, digest_at, encode, light_load};
use flitwork_trace::record::{
    Arrivals, CHECK_CYCLES, Chunk, Decoder, Encoder, Header, Item, NodeEnd, Reader, Trailer, Writer,
};
use flitwork_types::{Cycle, NodeId};
use std::time::Instant;

/// The bytes of a record of `nodes` nodes under `load`.
fn record(nodes: u32, ports: u8, cycles: u32, load: f64) -> Vec<u8> {
    let header = Header {
        nodes,
        ports,
        locals: 1,
        packet_words: PACKET_WORDS,
        heads: false,
        flitwork: "0.1.0".to_owned(),
        runtime: "threads".to_owned(),
        configuration: "seed = 1\n".to_owned(),
        files: Vec::new(),
    };
    let mut writer = Writer::new(Vec::new(), &header).unwrap();
    let ends: Vec<u32> = (1..cycles / 5_000).map(|chunk| chunk * 5_000).collect();
    let mut ended = Vec::new();
    let mut all = Vec::new();
    for node in (0..nodes).map(NodeId) {
        let sparse = light_load(u64::from(node.0), ports, cycles, load);
        let mut encoder = Encoder::new(PACKET_WORDS, usize::from(ports));
        all.push(encode(node, &mut encoder, (&sparse, &Heads::new()), &ends, cycles).into_iter());
        ended.push(NodeEnd {
            cycles: Cycle(cycles),
            digest: digest_at(node, cycles),
        });
    }
    for _ in 0..=ends.len() {
        for chunk in all.iter_mut().filter_map(Iterator::next) {
            writer.add(chunk).unwrap();
        }
    }
    let trailer = Trailer {
        nodes: ended,
        ended: "drained".to_owned(),
    };
    writer.finish(&trailer).unwrap()
}

/// Four ports, words in 10 % of the cycles: 0.01 packets per port and cycle. A head arrives with probability
/// p = 1/91 in a cycle in which no packet is arriving, which takes log2(e/p) = 7.95 bits, and the time of its
/// credit takes log2(3) = 1.58: 0.04 * 9.53 = 0.38 bits per node-cycle. A coder that considers single tokens,
/// and doesn't know which port was busy when, has 0.08 tokens per cycle, each one of 8 symbols (3 bits) with
/// a gap of 12.5 cycles on average (log2(12.5 e) = 5.09 bits): 0.65. A check byte every 128 cycles adds 0.06,
/// a digest's byte every 5,000 cycles next to nothing: 0.71 in all.
#[test]
fn a_node_cycle_at_10_percent_takes_less_than_a_bit() {
    let (nodes, cycles) = (64, 50_000);
    let file = record(nodes, 4, cycles, 0.1);
    let bits = 8.0 * file.len() as f64 / (f64::from(nodes) * f64::from(cycles));
    eprintln!("{bits:.3} bits per node-cycle");
    assert!(bits < 1.0, "{bits:.3} bits per node-cycle");
}

#[test]
#[ignore = "prints figures"]
fn sizes() {
    for ports in [4, 6, 10] {
        for load in [0.01, 0.03, 0.1, 0.3, 0.6, 0.9] {
            let (nodes, cycles) = (32, 50_000);
            let file = record(nodes, ports, cycles, load);
            let bits = 8.0 * file.len() as f64 / (f64::from(nodes) * f64::from(cycles));
            eprintln!("{ports} ports, load {load}: {bits:.3} bits per node-cycle");
        }
    }
}

fn dense(sparse: &Sparse, cycles: u32) -> Vec<Arrivals> {
    let at = |cycle| sparse.get(&cycle).copied().unwrap_or_default();
    (0..cycles).map(at).collect()
}

fn encode_dense(dense: &[Arrivals], every: bool) -> Vec<Chunk> {
    let mut encoder = Encoder::new(PACKET_WORDS, 4);
    let mut chunks = Vec::new();
    for (now, arrivals) in (0..).zip(dense) {
        if every || !arrivals.is_quiet() || encoder.expects_any() {
            encoder.cycle(Cycle(now), arrivals);
        }
        let run = now + 1;
        if run % CHECK_CYCLES == 0 {
            encoder.check(0);
            if run % (64 * CHECK_CYCLES) == 0 {
                chunks.extend(encoder.take_chunk(NodeId(0), Cycle(run), 0));
            }
        }
    }
    chunks
}

fn decode_all(chunks: &[Chunk], every: bool) -> u64 {
    let mut decoder = Decoder::new(NodeId(0), PACKET_WORDS, 4);
    let mut sum = 0;
    for chunk in chunks {
        decoder.push(chunk.clone()).unwrap();
        let mut now = Cycle(chunk.from.0);
        while now < decoder.upto() {
            if every || now == decoder.next() {
                let arrivals = decoder.take(now).unwrap();
                sum += arrivals.words.0 ^ arrivals.credits.0 << 8;
                now += 1;
            } else {
                now = decoder.next();
            }
        }
    }
    sum
}

#[test]
#[ignore = "prints figures"]
fn speed() {
    // A megabyte of arrivals stays in the cache, so that memory isn't what is measured.
    let cycles = 64 * CHECK_CYCLES * 4;
    for load in [0.0001, 0.1, 0.5, 0.9] {
        let dense = dense(&light_load(1, 4, cycles, load), cycles);
        for every in [false, true] {
            let mut best = [f64::MAX; 2];
            let mut bytes = 0;
            for _ in 0..300 {
                let start = Instant::now();
                let chunks = encode_dense(&dense, every);
                best[0] = best[0].min(start.elapsed().as_secs_f64());
                bytes = chunks.iter().map(|chunk| chunk.tokens.len()).sum();
                let start = Instant::now();
                std::hint::black_box(decode_all(&chunks, every));
                best[1] = best[1].min(start.elapsed().as_secs_f64());
            }
            let [encode, decode] = best.map(|seconds| seconds * 1e9 / f64::from(cycles));
            let tokens = bytes as f64 / f64::from(cycles);
            eprintln!(
                "load {load}, every cycle {every}: {encode:.1} ns/cycle encoding, {decode:.1} decoding, \
                 {tokens:.3} token bytes a cycle"
            );
        }
    }
    let file = record(256, 4, 50_000, 0.1);
    let start = Instant::now();
    let (mut reader, _) = Reader::open(&file[..]).unwrap();
    while !matches!(reader.next_block().unwrap(), Item::End { .. }) {}
    let seconds = start.elapsed().as_secs_f64();
    eprintln!(
        "reading: {:.2} ns a node-cycle",
        seconds * 1e9 / (256.0 * 50_000.0)
    );
}
