//! The parts of a live run and of a replay, each on its own.

mod awaited_port;
mod chunk_reader;
mod ended;
mod log;
mod marks;
mod run;
pub(crate) mod slack;
mod timing;

use flitwork_trace::record::{Arrivals, CHECK_CYCLES, Chunk, Encoder, Header};
use flitwork_types::{Cycle, NodeId, PortSet};

/// Words per packet and ports per node.
pub(crate) const WORDS: u16 = 4;
pub(crate) const PORTS: usize = 2;

/// A credit at port 1.
pub(crate) fn credit() -> Arrivals {
    Arrivals {
        credits: PortSet(2),
        ..Arrivals::default()
    }
}

/// The header of a record of so many nodes.
pub(crate) fn header(nodes: u32) -> Header {
    Header {
        nodes,
        ports: PORTS as u8,
        locals: 1,
        packet_words: WORDS,
        heads: false,
        flitwork: "test".into(),
        runtime: "threads".into(),
        configuration: String::new(),
        files: Vec::new(),
    }
}

/// The chunks of a node at which credits arrive in some cycles, and whose digest is always `digest`.
pub(crate) fn chunks(node: u32, credits: &[u32], ends: &[u32], digest: u8) -> Vec<Chunk> {
    let mut encoder = Encoder::new(WORDS, PORTS);
    let mut from = 0;
    let chunk = |end: &u32| {
        for cycle in credits.iter().filter(|cycle| (from..*end).contains(*cycle)) {
            encoder.cycle(Cycle(*cycle), &credit());
        }
        for _ in from / CHECK_CYCLES..end / CHECK_CYCLES {
            encoder.check(digest);
        }
        from = *end;
        let chunk = encoder.take_chunk(NodeId(node), Cycle(*end), digest);
        chunk.expect("some cycles")
    };
    ends.iter().map(chunk).collect()
}
