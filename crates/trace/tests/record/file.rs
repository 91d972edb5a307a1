//! Whole files: what is written is read, and nothing that can't be read is written.

use crate::fixture::{Found, NODES, blocks, embedded, file, header, marks, read, trailer};
use flitwork_trace::record::{
    Chunk, EmbeddedFile, Header, Item, MAX_BLOCK_BYTES, MAX_HEADER_BYTES, Mark, Reader, Writer,
};
use flitwork_types::{Cycle, MAX_PORTS, NodeId};
use std::io::Read;
use std::sync::Arc;

/// Returns one byte per call, as a pipe might.
struct Trickle<'a>(&'a [u8]);

impl Read for Trickle<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let count = buffer.len().min(1);
        self.0.read(&mut buffer[..count])
    }
}

#[test]
fn what_is_written_is_read() {
    let (file, _) = file();
    let whole = Found {
        blocks: blocks(),
        marks: marks(),
        trailer: Some(trailer()),
        cut: None,
    };
    let (found, error) = read(&file[..]);
    assert!(error.is_none(), "{error:?}");
    assert_eq!(found, whole);
    assert_eq!(read(Trickle(&file)).0, whole);
}

/// The fixed parts, byte by byte as the format specifies.
#[test]
fn the_file_is_laid_out_as_the_format_says() {
    let (file, starts) = file();
    let packed = zstd::bulk::compress(embedded().text.as_bytes(), 3).unwrap();
    let mut head = b"\x89FLITREC\x06\0".to_vec();
    // 9 bytes of numbers, then 4 + 5, 4 + 7 and 4 + 20 bytes of strings, and a file: 4 bytes for how many there are, 4 + 5 of its name,
    // its two lengths, and its frame.
    head.extend([53 + 4 + 9 + 8 + packed.len() as u8, 0, 0, 0]);
    head.extend([3, 0, 0, 0, 4, 1, 10, 0, 1]);
    head.extend(b"\x05\0\0\x000.1.0\x07\0\0\0threads\x14\0\0\0");
    head.extend("seed = 1\n# größer\n".as_bytes());
    head.extend(b"\x01\0\0\0\x05\0\0\0l.csv\x13\0\0\0");
    head.extend((packed.len() as u32).to_le_bytes());
    head.extend(packed);
    assert_eq!(file[..head.len()], head);
    assert_eq!(starts[0], head.len() + 4);
    let markers: Vec<u8> = starts.iter().map(|start| file[*start]).collect();
    assert_eq!(markers, b"BMBMBT");

    // The second mark: its digest, then node 1 at its cycle 200 and, one further, node 2 at its cycle 90.
    let mut mark = vec![b'M', 8 + 3 + 2, 0, 0, 0];
    mark.extend(crc32fast::hash(&mark).to_le_bytes());
    mark.extend(marks()[1].digest.to_le_bytes());
    mark.extend([1, 200 & 0x7f | 0x80, 200 >> 7, 1, 90]);
    mark.extend(crc32fast::hash(&mark).to_le_bytes());
    assert_eq!(file[starts[3]..starts[4]], mark);

    let mut end = vec![b'T'];
    end.extend([8 + 4 + 7 + 3 * 12, 0, 0, 0, 0, 0, 0, 0]);
    end.extend(crc32fast::hash(&end).to_le_bytes());
    end.extend(trailer().digest().get().to_le_bytes());
    end.extend(b"\x07\0\0\0drained");
    for node in trailer().nodes {
        end.extend(node.cycles.0.to_le_bytes());
        end.extend(node.digest.to_le_bytes());
    }
    end.extend(crc32fast::hash(&end).to_le_bytes());
    end.extend(b"FLITEND\n");
    assert_eq!(file[starts[5]..], end);
}

/// Half a million links take less than a third of their text, and come back.
#[test]
fn a_large_file_is_packed() {
    let links = (0..500_000_u32).map(|link| format!("{},{},3\n", link / 61, link % 8192));
    let text: Arc<str> = links.collect::<String>().into();
    let files = vec![
        EmbeddedFile {
            name: "links".into(),
            text: text.clone(),
        },
        EmbeddedFile {
            name: "empty".into(),
            text: "".into(),
        },
    ];
    let large = Header { files, ..header() };
    let writer = Writer::new(Vec::new(), &large).unwrap();
    assert!(writer.written_bytes() < text.len() as u64 / 3);
    let file = writer.finish(&trailer()).unwrap();
    assert_eq!(Reader::open(&file[..]).unwrap().1, large);
}

/// A record of version 4 has no files, and one of version 5 or less no number of local ports.
#[test]
fn the_versions_before_are_read() {
    for version in [4, 5] {
        let files = match version {
            4 => Vec::new(),
            _ => header().files,
        };
        let before = Header { files, ..header() };
        let writer = Writer::new(Vec::new(), &before).unwrap();
        let head = writer.written_bytes() as usize;
        let mut file = writer.finish(&trailer()).unwrap();
        let rest = file.split_off(head);
        let cut = if version == 4 { 8 } else { 4 };
        file.truncate(head - cut);
        // Behind magic, version and length: the nodes, the ports for links, the local ones.
        assert_eq!(file.remove(14 + 5), 1);
        file[8] = version;
        file[10] -= cut as u8 - 3;
        file.extend(crc32fast::hash(&file).to_le_bytes());
        file.extend(rest);
        let (mut reader, read) = Reader::open(&file[..]).unwrap();
        assert_eq!(read, before);
        assert_eq!(reader.next_block().unwrap(), Item::Trailer(trailer()));
    }
}

#[test]
fn a_full_block_is_written_without_a_flush() {
    let mut writer = Writer::new(Vec::new(), &header()).unwrap();
    let mut chunks = Vec::new();
    for part in 0..700 {
        let chunk = Chunk {
            node: NodeId(1),
            from: Cycle(part * 100),
            upto: Cycle(part * 100 + 100),
            digest_low: part as u8,
            tokens: (0..1000).map(|at| ((at * part) >> 3) as u8).collect(),
            heads: (0..part % 7).map(|at| at as u8).collect(),
            checks: vec![7; ((part + 1) * 100 / 128 - part * 100 / 128) as usize],
        };
        writer.add(chunk.clone()).unwrap();
        chunks.push(chunk);
    }
    let file = writer.finish(&trailer()).unwrap();
    let (found, error) = read(&file[..]);
    assert!(error.is_none(), "{error:?}");
    assert_eq!(found.blocks.len(), 3);
    assert_eq!(found.blocks.concat(), chunks);
}

#[test]
fn a_writer_takes_nothing_that_a_reader_refuses() {
    let good = blocks().concat().remove(0);
    let mut writer = Writer::new(Vec::new(), &header()).unwrap();
    let written = writer.written_bytes();
    for bad in [
        Chunk {
            node: NodeId(NODES),
            ..good.clone()
        },
        Chunk {
            upto: good.from,
            ..good.clone()
        },
        Chunk {
            upto: Cycle::LAST + 1,
            ..good.clone()
        },
        Chunk {
            checks: vec![0; 40],
            ..good.clone()
        },
        Chunk {
            tokens: vec![0; MAX_BLOCK_BYTES],
            ..good.clone()
        },
        Chunk {
            heads: vec![0; MAX_BLOCK_BYTES],
            ..good
        },
    ] {
        assert!(writer.add(bad).is_err());
    }
    writer.flush_block().unwrap();
    assert_eq!(writer.written_bytes(), written);
    for behind in [vec![(NODES, 5)], vec![(1, 5), (1, 6)], vec![(1, 5), (0, 5)]] {
        let behind = behind
            .into_iter()
            .map(|(node, cycle)| (NodeId(node), Cycle(cycle)));
        let behind = behind.collect();
        assert!(writer.mark(&Mark { digest: 0, behind }).is_err());
    }
    assert_eq!(writer.written_bytes(), written);
    let mut short = trailer();
    short.nodes.pop();
    assert!(writer.finish(&short).is_err());
    for bad in [
        Header {
            ports: MAX_PORTS as u8,
            ..header()
        },
        Header {
            locals: 0,
            ..header()
        },
        Header {
            locals: MAX_PORTS as u8 - 3,
            ..header()
        },
        Header {
            packet_words: 0,
            ..header()
        },
        Header {
            configuration: "x".repeat(MAX_HEADER_BYTES as usize),
            ..header()
        },
    ] {
        assert!(Writer::new(Vec::new(), &bad).is_err());
    }
}

/// Accepts this many bytes, then fails.
struct Full(usize);

impl std::io::Write for Full {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let count = bytes.len().min(self.0);
        self.0 -= count;
        match count {
            0 => Err(std::io::ErrorKind::StorageFull.into()),
            _ => Ok(count),
        }
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn after_a_failed_write_nothing_follows() {
    let (_, starts) = file();
    let mut writer = Writer::new(Full(starts[0] + 30), &header()).unwrap();
    let chunk = blocks().concat().remove(0);
    writer.add(chunk.clone()).unwrap();
    assert!(writer.flush_block().is_err());
    assert_eq!(writer.written_bytes(), starts[0] as u64);
    writer.add(chunk).unwrap();
    assert!(writer.flush_block().is_err());
}
