//! Whole files: round trips, cuts, flips, and what is no record.

use crate::synthetic::{PACKET_WORDS, digest_at, encode, light_load};
use flitwork_trace::record::{
    Chunk, Cut, CutReason, Encoder, FORMAT_VERSION, Header, Item, MAX_BLOCK_BYTES,
    MAX_HEADER_BYTES, NodeEnd, Reader, RecordError, Trailer, Writer,
};
use flitwork_types::{Cycle, NodeId};
use proptest::prelude::*;
use std::io::Read;

const NODES: u32 = 3;
const PORTS: u8 = 4;
const CYCLES: u32 = 640;

fn header() -> Header {
    Header {
        nodes: NODES,
        ports: PORTS,
        packet_words: PACKET_WORDS,
        flitwork: "0.1.0".to_owned(),
        runtime: "threads".to_owned(),
        configuration: "seed = 1\n# größer\n".to_owned(),
    }
}

fn trailer() -> Trailer {
    let node = |node| NodeEnd {
        cycles: Cycle(CYCLES),
        digest: digest_at(NodeId(node), CYCLES),
    };
    Trailer {
        nodes: (0..NODES).map(node).collect(),
        digest: 0x0123_4567_89ab_cdef,
        ended: "drained".to_owned(),
    }
}

/// The blocks' chunks: each a stretch of all nodes.
fn blocks() -> Vec<Vec<Chunk>> {
    let ends = [200, 400];
    let mut blocks = vec![Vec::new(); 3];
    for node in (0..NODES).map(NodeId) {
        let sparse = light_load(u64::from(node.0), PORTS, CYCLES, 0.1);
        let mut encoder = Encoder::new(PACKET_WORDS, usize::from(PORTS));
        let chunks = encode(node, &mut encoder, &sparse, &ends, CYCLES);
        for (block, chunk) in blocks.iter_mut().zip(chunks) {
            block.push(chunk);
        }
    }
    blocks
}

/// The file, and where its blocks and its trailer start.
fn file() -> (Vec<u8>, Vec<usize>) {
    let mut writer = Writer::new(Vec::new(), &header()).unwrap();
    let mut starts = vec![writer.written_bytes() as usize];
    for block in blocks() {
        for chunk in block {
            writer.add(chunk).unwrap();
        }
        writer.flush_block().unwrap();
        starts.push(writer.written_bytes() as usize);
    }
    let raw = writer.raw_bytes();
    assert!(raw > 9 * 12);
    (writer.finish(&trailer()).unwrap(), starts)
}

/// What a file gives, with a bound on the number of items, so that a loop would be seen.
#[derive(Debug, Default, PartialEq)]
struct Found {
    blocks: Vec<Vec<Chunk>>,
    trailer: Option<Trailer>,
    cut: Option<Cut>,
}

fn read(input: impl Read) -> (Found, Option<RecordError>) {
    let mut found = Found::default();
    let (mut reader, read_header) = match Reader::open(input) {
        Ok(opened) => opened,
        Err(error) => return (found, Some(error)),
    };
    assert_eq!(read_header, header());
    for _ in 0..10 {
        match reader.next_block() {
            Ok(Item::Chunks(chunks)) => found.blocks.push(chunks),
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

/// Gives one byte a call, as a pipe might.
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
        trailer: Some(trailer()),
        cut: None,
    };
    let (found, error) = read(&file[..]);
    assert!(error.is_none(), "{error:?}");
    assert_eq!(found, whole);
    assert_eq!(read(Trickle(&file)).0, whole);
}

/// The fixed parts, byte by byte as the format says.
#[test]
fn the_file_is_laid_out_as_the_format_says() {
    let (file, starts) = file();
    let mut head = b"\x89FLITREC\x01\0".to_vec();
    // 7 bytes of numbers, then 4 + 5, 4 + 7 and 4 + 20 bytes of strings.
    head.extend([51, 0, 0, 0]);
    head.extend([3, 0, 0, 0, 4, 10, 0]);
    head.extend(b"\x05\0\0\x000.1.0\x07\0\0\0threads\x14\0\0\0");
    head.extend("seed = 1\n# größer\n".as_bytes());
    assert_eq!(file[..head.len()], head);
    assert_eq!(starts[0], head.len() + 4);
    assert_eq!(file[starts[0]], b'B');

    let mut end = vec![b'T'];
    end.extend([8 + 4 + 7 + 3 * 12, 0, 0, 0, 0, 0, 0, 0]);
    end.extend(crc32fast::hash(&end).to_le_bytes());
    end.extend(trailer().digest.to_le_bytes());
    end.extend(b"\x07\0\0\0drained");
    for node in trailer().nodes {
        end.extend(node.cycles.0.to_le_bytes());
        end.extend(node.digest.to_le_bytes());
    }
    end.extend(crc32fast::hash(&end).to_le_bytes());
    end.extend(b"FLITEND\n");
    assert_eq!(file[starts[3]..], end);
}

#[test]
fn a_full_block_is_written_by_itself() {
    let mut writer = Writer::new(Vec::new(), &header()).unwrap();
    let mut chunks = Vec::new();
    for part in 0..700 {
        let chunk = Chunk {
            node: NodeId(1),
            from: Cycle(part * 100),
            upto: Cycle(part * 100 + 100),
            digest: u64::from(part),
            tokens: (0..1000).map(|at| ((at * part) >> 3) as u8).collect(),
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
fn a_cut_at_any_byte_leaves_the_whole_blocks() {
    let (file, starts) = file();
    let blocks = blocks();
    for length in 0..file.len() {
        let (found, error) = read(&file[..length]);
        match error {
            Some(RecordError::Empty) => assert_eq!(length, 0),
            Some(RecordError::Truncated { offset, .. }) => {
                assert!(0 < length && length < starts[0]);
                assert_eq!(offset, length as u64);
            }
            Some(error) => panic!("cut at {length}: {error}"),
            None => {
                let whole = starts.iter().filter(|&&start| start <= length).count() - 1;
                assert_eq!(found.blocks, blocks[..whole]);
                assert_eq!(found.trailer, None);
                let reason = match length {
                    _ if length == starts[whole] => CutReason::NoTrailer,
                    _ if whole == blocks.len() => CutReason::InTrailer,
                    _ => CutReason::InBlock,
                };
                let offset = starts[whole] as u64;
                assert_eq!(found.cut, Some(Cut { offset, reason }), "cut at {length}");
            }
        }
    }
}

#[test]
fn any_flipped_bit_is_found() {
    let (file, starts) = file();
    let blocks = blocks();
    for bit in 0..8 * file.len() {
        let mut file = file.clone();
        file[bit / 8] ^= 1 << (bit % 8);
        let (found, error) = read(&file[..]);
        let error = error.unwrap_or_else(|| panic!("bit {bit} was not missed"));
        let whole = starts.iter().filter(|&&start| start <= bit / 8).count();
        assert_eq!(found.blocks, blocks[..whole.saturating_sub(1)], "bit {bit}");
        assert_eq!(found.trailer, None, "bit {bit}");
        // Inside a block all but the marker is found by a checksum, and placed at the block's start.
        if 0 < whole && whole < starts.len() && bit / 8 != starts[whole - 1] {
            let RecordError::Checksum { offset, .. } = error else {
                panic!("bit {bit}: {error}");
            };
            assert_eq!(offset, starts[whole - 1] as u64);
        }
    }
}

#[test]
fn what_is_no_record_is_said_to_be_none() {
    let (mut file, _) = file();
    assert!(matches!(Reader::open(&[][..]), Err(RecordError::Empty)));
    let text = b"seed = 1\nnodes = 4\n";
    assert!(matches!(
        Reader::open(&text[..]),
        Err(RecordError::NotARecord)
    ));
    assert!(matches!(
        Reader::open(&text[..3]),
        Err(RecordError::NotARecord)
    ));
    file.push(0);
    let (found, error) = read(&file[..]);
    assert_eq!(found.trailer, None);
    let end = file.len() as u64 - 1;
    assert!(matches!(error, Some(RecordError::Corrupt { offset, .. }) if offset == end));
    file[8] = FORMAT_VERSION as u8 + 1;
    let error = Reader::open(&file[..]).unwrap_err();
    let message = error.to_string();
    assert!(
        message.contains("byte 8") && message.contains("version 2"),
        "{message}"
    );
}

/// A header with a right checksum, then bytes that were put together by hand, then their checksum.
fn with_head(head: &[u8]) -> Vec<u8> {
    let (file, starts) = file();
    let mut bytes = file[..starts[0]].to_vec();
    bytes.extend_from_slice(head);
    bytes.extend(crc32fast::hash(head).to_le_bytes());
    bytes
}

#[test]
fn gigantic_lengths_are_refused() {
    let (file, starts) = file();
    let mut long = file.clone();
    long[10..14].copy_from_slice(&u32::MAX.to_le_bytes());
    let error = Reader::open(&long[..]).unwrap_err();
    assert!(
        matches!(error, RecordError::TooLarge { found, allowed, .. }
            if found == u64::from(u32::MAX) && allowed == MAX_HEADER_BYTES),
        "{error}"
    );
    // The most that is allowed, of a file that doesn't hold it.
    long[10..14].copy_from_slice(&(MAX_HEADER_BYTES as u32).to_le_bytes());
    assert!(matches!(
        Reader::open(&long[..]),
        Err(RecordError::Truncated { .. })
    ));

    let block = |raw: u32, plain: u32, packed: u32| {
        let mut head = vec![b'B'];
        for length in [raw, plain, packed] {
            head.extend(length.to_le_bytes());
        }
        read(&with_head(&head)[..])
    };
    let most = MAX_BLOCK_BYTES as u32;
    for (raw, plain, packed) in [
        (u32::MAX, 0, 0),
        (9, u32::MAX, 9),
        (9, 9, u32::MAX),
        (9, 9, 5_000),
    ] {
        let (_, error) = block(raw, plain, packed);
        let offset = starts[0] as u64;
        assert!(matches!(error, Some(RecordError::TooLarge { offset: at, .. }) if at == offset));
    }
    let (found, error) = block(most, most, most);
    assert!(error.is_none());
    assert_eq!(found.cut.map(|cut| cut.reason), Some(CutReason::InBlock));

    for (length, large) in [(u64::MAX, true), (0, false)] {
        let mut head = vec![b'T'];
        head.extend(length.to_le_bytes());
        let error = read(&with_head(&head)[..]).1;
        match error {
            Some(RecordError::TooLarge { found, .. }) => assert!(large && found == length),
            Some(RecordError::Corrupt { .. }) => assert!(!large),
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn a_block_of_nonsense_with_right_checksums_is_an_error() {
    let raws: [&[u8]; 7] = [
        &[],
        &[0xff; 12],
        // One chunk, of node 5 of 3, of no cycle, of too many tokens, of too few, without its length.
        &[1, 10, 0, 2, 0],
        &[1, 0, 0, 0, 0],
        &[1, 0, 0, 2, 7],
        &[1, 0, 0, 2, 0, 0],
        &[1, 0, 0, 2, 0x80],
    ];
    for raw in raws {
        let packed = zstd::bulk::compress(raw, 1).unwrap();
        let mut head = vec![b'B'];
        for length in [raw.len(), 8, packed.len()] {
            head.extend((length as u32).to_le_bytes());
        }
        let mut file = with_head(&head);
        let start = file.len() - 17;
        file.extend([0; 8]);
        file.extend(packed);
        file.extend(crc32fast::hash(&file[start..]).to_le_bytes());
        let error = read(&file[..]).1;
        let placed = matches!(error, Some(RecordError::Corrupt { offset, .. })
            if offset == start as u64);
        assert!(placed, "{raw:?}: {error:?}");
    }
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
            upto: Cycle::NEVER,
            ..good.clone()
        },
        Chunk {
            checks: vec![0; 40],
            ..good.clone()
        },
        Chunk {
            tokens: vec![0; MAX_BLOCK_BYTES],
            ..good
        },
    ] {
        assert!(writer.add(bad).is_err());
    }
    writer.flush_block().unwrap();
    assert_eq!(writer.written_bytes(), written);
    let mut short = trailer();
    short.nodes.pop();
    assert!(writer.finish(&short).is_err());
    for bad in [
        Header {
            ports: 33,
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

/// Takes so many bytes, then fails.
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

proptest! {
    #[test]
    fn random_bytes_are_no_record(
        bytes in prop::collection::vec(any::<u8>(), 1..300),
        keep in 0_usize..40,
    ) {
        let (mut file, starts) = file();
        // Behind a good head, so that all parts of the reader are reached.
        let keep = if keep < 20 { keep } else { starts[keep % starts.len()] };
        file.truncate(keep);
        file.extend(bytes);
        let (found, error) = read(&file[..]);
        prop_assert!(error.is_some() || found.cut.is_some());
    }

    #[test]
    fn altered_bytes_are_found(changes in prop::collection::vec((any::<prop::sample::Index>(), 1..=255_u8), 1..6)) {
        let (good, _) = file();
        let mut file = good.clone();
        for (at, change) in changes {
            let at = at.index(file.len());
            file[at] ^= change;
        }
        let (_, error) = read(&file[..]);
        prop_assert!(error.is_some() || file == good);
    }
}
