//! Which of a record's chunks nodes are given, and when.

use super::{chunks, header};
use crate::chunk_reader::{ChunkReader, Reads};
use flitwork_trace::record::{Chunk, Corrupt, CutReason, Mark, NodeEnd, Reader, Trailer, Writer};
use flitwork_types::{Cycle, Due, NodeId};
use std::io::{Cursor, Read};

/// A node that only counts.
struct NodeRunner {
    node: NodeId,
    upto: Cycle,
    end: Due,
}

impl Reads for NodeRunner {
    fn node(&self) -> NodeId {
        self.node
    }

    fn push(&mut self, chunk: Chunk) -> Result<(), Corrupt> {
        assert_eq!((chunk.node, chunk.from), (self.node, self.upto));
        self.upto = chunk.upto;
        Ok(())
    }

    fn upto(&self) -> Cycle {
        self.upto
    }

    fn end(&mut self) -> Option<&mut Due> {
        Some(&mut self.end)
    }
}

fn runners(nodes: &[u32]) -> Vec<NodeRunner> {
    let runner = |node: &u32| NodeRunner {
        node: NodeId(*node),
        upto: Cycle::ZERO,
        end: Due::NEVER,
    };
    nodes.iter().map(runner).collect()
}

/// A block of chunks up to 10, 20 and 30 of nodes 0 and 1 and up to 10 of node 2; a mark at which node 1 is
/// behind; a block with the rest of node 2, to 30; a second mark; the bytes written by then; and a trailer.
fn record() -> (Vec<u8>, usize) {
    let mut writer = Writer::new(Vec::new(), &header(3)).unwrap();
    for node in 0..2 {
        for chunk in chunks(node, &[], &[10, 20, 30], 0) {
            writer.add(chunk).unwrap();
        }
    }
    let mut of_two = chunks(2, &[], &[10, 30], 0).into_iter();
    writer.add(of_two.next().unwrap()).unwrap();
    let behind = vec![(NodeId(1), Cycle(20))];
    writer.mark(&Mark { digest: 5, behind }).unwrap();
    writer.add(of_two.next().unwrap()).unwrap();
    writer.flush_block().unwrap();
    let first = writer.written_bytes() as usize;
    let behind = Vec::new();
    writer.mark(&Mark { digest: 6, behind }).unwrap();
    let node = |cycles| NodeEnd {
        cycles: Cycle(cycles),
        digest: 0,
    };
    let trailer = Trailer {
        // Node 0 didn't finish its last cycles; the trailer names more cycles of node 2 than its chunks
        // cover.
        nodes: vec![node(25), node(30), node(40)],
        ended: "run".into(),
    };
    (writer.finish(&trailer).unwrap(), first)
}

fn chunk_reader(bytes: &[u8]) -> ChunkReader {
    let file: Box<dyn Read + Send> = Box::new(Cursor::new(bytes.to_vec()));
    ChunkReader::new(Reader::open(file).unwrap().0)
}

fn uptos(runners: &[NodeRunner]) -> Vec<u32> {
    runners.iter().map(|runner| runner.upto.get()).collect()
}

fn ends(runners: &[NodeRunner]) -> Vec<Option<Cycle>> {
    runners.iter().map(|runner| runner.end.get()).collect()
}

#[test]
fn nodes_get_what_precedes_a_mark_once_the_mark_is_read() {
    let (bytes, _) = record();
    let (mut chunk_reader, mut runners) = (chunk_reader(&bytes), runners(&[0, 1, 2]));
    chunk_reader.read(&mut runners).unwrap();
    assert_eq!(uptos(&runners), [0, 0, 0]);
    chunk_reader.read(&mut runners).unwrap();
    assert_eq!(uptos(&runners), [30, 20, 10]);
    chunk_reader.read(&mut runners).unwrap();
    assert_eq!(uptos(&runners), [30, 20, 10]);
    chunk_reader.read(&mut runners).unwrap();
    assert_eq!(uptos(&runners), [30, 30, 30]);
    // The trailer, and the end.
    chunk_reader.read(&mut runners).unwrap();
    assert_eq!((&chunk_reader.end, ends(&runners)), (&None, vec![None; 3]));
    chunk_reader.read(&mut runners).unwrap();
    assert!(matches!(chunk_reader.end, Some(Ok(_))));
    let expected = [25, 30, 30].map(|end| Some(Cycle(end)));
    assert_eq!(ends(&runners), expected);
}

#[test]
fn a_cut_record_ends_at_its_last_mark() {
    let (bytes, first) = record();
    let (mut chunk_reader, mut runners) = (chunk_reader(&bytes[..first]), runners(&[0, 1, 2]));
    // One node is to stop earlier anyway.
    runners[0].end = Cycle(12).into();
    while chunk_reader.end.is_none() {
        chunk_reader.read(&mut runners).unwrap();
    }
    let Some(Err(end)) = chunk_reader.end else {
        panic!("{:?}", chunk_reader.end);
    };
    assert_eq!(
        (end.cut.offset, end.cut.reason),
        (first as u64, CutReason::NoTrailer)
    );
    assert_eq!((end.digest, end.most_cycles), (Some(5), Cycle(30)));
    let expected = [12, 20, 10].map(|end| Some(Cycle(end)));
    assert_eq!(ends(&runners), expected);
}

#[test]
fn a_record_that_stops_before_its_first_mark_gives_nothing() {
    let (bytes, first) = record();
    // Within the first mark.
    let length = (0..first)
        .rev()
        .find(|length| {
            let mut chunk_reader = chunk_reader(&bytes[..*length]);
            while chunk_reader.end.is_none() {
                chunk_reader.read(&mut runners(&[0])).unwrap();
            }
            matches!(&chunk_reader.end, Some(Err(end)) if end.cut.reason == CutReason::InMark)
        })
        .unwrap();
    let (mut chunk_reader, mut runners) = (chunk_reader(&bytes[..length]), runners(&[0, 1, 2]));
    while chunk_reader.end.is_none() {
        chunk_reader.read(&mut runners).unwrap();
    }
    let Some(Err(end)) = chunk_reader.end else {
        panic!("{:?}", chunk_reader.end);
    };
    assert_eq!((end.digest, end.most_cycles), (None, Cycle(30)));
    assert_eq!(ends(&runners), [Some(Cycle::ZERO); 3]);
}

/// Node 0 comes to cycle 30 in the first block, node 1 to cycle 20 in the second, in which the record stops.
#[test]
fn the_most_cycles_are_those_of_all_blocks() {
    let mut bytes = Vec::new();
    let mut writer = Writer::new(&mut bytes, &header(2)).unwrap();
    for (node, end) in [(0, 30), (1, 20)] {
        for chunk in chunks(node, &[], &[end], 0) {
            writer.add(chunk).unwrap();
        }
        writer.flush_block().unwrap();
    }
    drop(writer);
    let (mut chunk_reader, mut runners) = (chunk_reader(&bytes), runners(&[0, 1]));
    while chunk_reader.end.is_none() {
        chunk_reader.read(&mut runners).unwrap();
    }
    let Some(Err(end)) = chunk_reader.end else {
        panic!("{:?}", chunk_reader.end);
    };
    assert_eq!((end.digest, end.most_cycles), (None, Cycle(30)));
}

/// A worker reads the whole file and keeps what belongs to its nodes.
#[test]
fn each_worker_keeps_its_own() {
    let (bytes, _) = record();
    for nodes in [&[0][..], &[1, 2], &[0, 2]] {
        let (mut chunk_reader, mut runners) = (chunk_reader(&bytes), runners(nodes));
        while chunk_reader.end.is_none() {
            chunk_reader.read(&mut runners).unwrap();
        }
        assert_eq!(uptos(&runners), vec![30; nodes.len()]);
    }
}
