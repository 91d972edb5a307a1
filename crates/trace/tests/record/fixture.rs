//! A small file, and its contents as read.

use crate::synthetic::{PACKET_WORDS, digest_at, encode, heads_of, light_load};
use flitwork_trace::record::{
    Chunk, Cut, CutReason, EmbeddedFile, Encoder, Header, Item, Mark, NodeEnd, Reader, RecordError,
    Trailer, Writer,
};
use flitwork_types::{Cycle, NodeId};
use std::io::Read;

pub(crate) const NODES: u32 = 3;
pub(crate) const PORTS: u8 = 4;
pub(crate) const CYCLES: u32 = 640;

/// A file that the run read.
pub(crate) fn embedded() -> EmbeddedFile {
    EmbeddedFile {
        name: "l.csv".to_owned(),
        text: "from,to\na,größer\n".into(),
    }
}

pub(crate) fn header() -> Header {
    Header {
        nodes: NODES,
        ports: PORTS,
        locals: 1,
        packet_words: PACKET_WORDS,
        heads: true,
        flitwork: "0.1.0".to_owned(),
        runtime: "threads".to_owned(),
        configuration: "seed = 1\n# größer\n".to_owned(),
        files: vec![embedded()],
    }
}

pub(crate) fn trailer() -> Trailer {
    let node = |node| NodeEnd {
        cycles: Cycle(CYCLES),
        digest: digest_at(NodeId(node), CYCLES),
    };
    Trailer {
        nodes: (0..NODES).map(node).collect(),
        ended: "drained".to_owned(),
    }
}

/// The blocks' chunks: each block is a stretch of all nodes.
pub(crate) fn blocks() -> Vec<Vec<Chunk>> {
    let ends = [200, 400];
    let mut blocks = vec![Vec::new(); 3];
    for node in (0..NODES).map(NodeId) {
        let sparse = light_load(u64::from(node.0), PORTS, CYCLES, 0.1);
        let heads = heads_of(&sparse, PACKET_WORDS);
        let mut encoder = Encoder::new(PACKET_WORDS, usize::from(PORTS)).with_heads();
        let chunks = encode(node, &mut encoder, (&sparse, &heads), &ends, CYCLES);
        for (block, chunk) in blocks.iter_mut().zip(chunks) {
            block.push(chunk);
        }
    }
    blocks
}

/// The marks after the first two blocks.
pub(crate) fn marks() -> Vec<Mark> {
    let behind = vec![(NodeId(1), Cycle(200)), (NodeId(2), Cycle(90))];
    let whole = Mark {
        digest: 7 << 60,
        behind: Vec::new(),
    };
    vec![whole, Mark { digest: 9, behind }]
}

/// The file, and where its blocks, marks and trailer start.
pub(crate) fn file() -> (Vec<u8>, Vec<usize>) {
    let mut writer = Writer::new(Vec::new(), &header()).unwrap();
    let mut starts = vec![writer.written_bytes() as usize];
    let mut marks = marks().into_iter();
    for block in blocks() {
        for chunk in block {
            writer.add(chunk).unwrap();
        }
        writer.flush_block().unwrap();
        starts.push(writer.written_bytes() as usize);
        if let Some(mark) = marks.next() {
            writer.mark(&mark).unwrap();
            starts.push(writer.written_bytes() as usize);
        }
    }
    (writer.finish(&trailer()).unwrap(), starts)
}

/// What a file contains, with a bound on the number of items, so that an endless loop is detected.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Found {
    pub(crate) blocks: Vec<Vec<Chunk>>,
    pub(crate) marks: Vec<Mark>,
    pub(crate) trailer: Option<Trailer>,
    pub(crate) cut: Option<Cut>,
}

pub(crate) fn read(input: impl Read) -> (Found, Option<RecordError>) {
    let mut found = Found::default();
    let (mut reader, read_header) = match Reader::open(input) {
        Ok(opened) => opened,
        Err(error) => return (found, Some(error)),
    };
    assert_eq!(read_header, header());
    for _ in 0..10 {
        match reader.next_block() {
            Ok(Item::Chunks(chunks)) => found.blocks.push(chunks),
            Ok(Item::Mark(mark)) => found.marks.push(mark),
            Ok(Item::Trailer(trailer)) => found.trailer = Some(trailer),
            Ok(Item::End { cut }) => {
                found.cut = cut;
                assert_eq!(reader.next_block().unwrap(), Item::End { cut });
                return (found, None);
            }
            Err(error) => {
                let Ok(Item::End { cut: Some(cut) }) = reader.next_block() else {
                    panic!("an error isn't the end");
                };
                assert_eq!(cut.reason, CutReason::AfterError);
                return (found, Some(error));
            }
        }
    }
    panic!("a record without an end");
}
