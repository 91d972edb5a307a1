//! Netrace files: what is read, and every mistake by its name and place.

use super::writer::{File, Written, netrace, packed, packet};
use super::*;
use crate::{
    Links, NetraceParameters, NetracePart, NetraceProblem, NetraceReader, OrderProblem, TraceNode,
    TracePlace, TraceProblem, TraceSummary,
};
use std::io::{self, Cursor as Bytes, Read};

/// Where the first packet of [`small_file`] begins: header, notes, a region.
const FIRST: u64 = 72 + 13 + 24;

fn small_file() -> File {
    File::new(
        8,
        vec![
            packet(0, 3, (0, 7), &[2, 4]),
            packet(2, 3, (7, 3), &[4]),
            Written {
                kind: 30,
                node_types: 0x31,
                ..packet(4, 9, (7, 0), &[])
            },
        ],
    )
}

/// The error of reading a file to its end, with all checks.
fn refused(bytes: &[u8]) -> TraceError {
    let read = netrace(bytes).and_then(TraceSummary::of);
    read.expect_err("a refusal")
}

fn refused_packets(packets: Vec<Written>) -> (TracePlace, TraceProblem) {
    let TraceError { place, problem } = refused(&File::new(8, packets).bytes());
    (place, problem)
}

#[test]
fn everything_is_read() {
    let bytes = small_file().bytes();
    let mut reader = netrace(&bytes).unwrap();
    let header = reader.header();
    assert_eq!((header.benchmark.as_str(), header.nodes), ("hand-made", 8));
    assert_eq!(
        (header.notes.as_str(), header.packets, header.cycles),
        ("of the tests", 3, 1000)
    );
    let packets = all(&mut reader).unwrap();
    let law = |id, cycle, (from, to), words, class, names: &[u64]| TracePacket {
        id: TraceId(id),
        cycle,
        source: TraceNode(from),
        destination: TraceNode(to),
        words,
        class,
        links: Links::Before(names.iter().copied().map(TraceId).collect()),
    };
    let expected = [
        law(0, 3, (0, 7), 1, 0, &[2, 4]),
        law(2, 3, (7, 3), 1, 0, &[4]),
        law(4, 9, (7, 0), 9, 14, &[]),
    ];
    assert_eq!(packets, expected);
    assert_eq!(
        all(&mut netrace(&packed(&bytes)).unwrap()).unwrap(),
        packets
    );
    // Several streams, one after the other.
    let (one, other) = bytes.split_at(150);
    let two = [packed(one), packed(other)].concat();
    assert_eq!(all(&mut netrace(&two).unwrap()).unwrap(), packets);
}

#[test]
fn words_are_bytes_over_the_links_width_rounded_up() {
    // The published sizes: 8 bytes for requests and acknowledgements, 72 with a cache line of data.
    let data = [2, 3, 4, 6, 16, 30];
    let short = [1, 5, 13, 14, 15, 25, 27, 28, 29];
    for (kinds, bytes) in [(&data[..], 72u32), (&short[..], 8)] {
        for kind in kinds {
            for link_bytes in [1, 5, 8, 16, 71, 72, 1000, u32::MAX] {
                let one = Written {
                    kind: *kind,
                    ..packet(0, 0, (0, 1), &[])
                };
                let input = Bytes::new(File::new(8, vec![one]).bytes());
                let parameters = NetraceParameters::new(link_bytes, None).unwrap();
                let mut reader = NetraceReader::new(input, parameters).unwrap();
                let packet = reader.packet().unwrap().unwrap();
                assert_eq!(
                    u32::from(packet.words),
                    bytes.div_ceil(link_bytes),
                    "{kind}"
                );
            }
        }
    }
    let error = NetraceParameters::new(0, None).unwrap_err().to_string();
    assert_eq!(error, "link_bytes is 0; allowed: at least 1 byte");
}

#[test]
fn files_that_are_not_netrace_are_reported() {
    let with = |offset: usize, bytes: &[u8]| {
        let mut file = small_file().bytes();
        file[offset..offset + bytes.len()].copy_from_slice(bytes);
        refused(&file).to_string()
    };
    let message = with(0, b"HJTU");
    assert!(
        message.starts_with("byte 0: the file begins with 48 4a 54 55, "),
        "{message}"
    );
    assert!(message.contains("it was written big-endian"), "{message}");
    assert!(with(0, &[0x1f, 0x8b]).contains("compressed with gzip"));
    assert!(with(0, b"cycl").contains("begins with 63 79 63 6c; a netrace"));
    let version = with(4, &1.5f32.to_le_bytes());
    assert_eq!(version, "byte 4: version 1.5; only version 1 can be read");
    assert!(with(4, &f32::NAN.to_le_bytes()).contains("version NaN"));
    assert_eq!(
        with(38, &[0]),
        "byte 38: a trace of 0 nodes; it has 1 to 255"
    );
    assert!(with(56, &[255; 4]).starts_with("byte 56: notes of 4294967295 bytes"));
    assert!(with(60, &[255; 4]).starts_with("byte 60: 4294967295 regions"));
    let empty = refused(b"").to_string();
    assert_eq!(
        empty,
        "byte 0: the file ends after 0 of 72 bytes of the header"
    );
    assert!(
        refused(b"BZ")
            .to_string()
            .starts_with("byte 2: the file ends after 2 of 72")
    );
}

/// 65,536 bytes of notes and the same number of regions are read; one more of either is refused with both
/// numbers.
#[test]
fn the_longest_notes_and_the_most_regions_are_read() {
    let with = |notes: usize, regions: usize| File {
        notes: vec![b'n'; notes],
        regions: vec![(0, 1); regions],
        ..small_file()
    };
    for (notes, regions) in [(65_536, 1), (1, 65_536)] {
        let mut reader = netrace(&with(notes, regions).bytes()).unwrap();
        let header = reader.header();
        assert_eq!((header.notes.len(), header.regions.len()), (notes, regions));
        assert_eq!(all(&mut reader).unwrap().len(), 3);
    }
    let (found, most) = (65_537, 65_536);
    let problem = |notes, regions| refused(&with(notes, regions).bytes()).problem;
    assert_eq!(
        problem(65_537, 1),
        TraceProblem::Netrace(NetraceProblem::Notes { found, most })
    );
    assert_eq!(
        problem(1, 65_537),
        TraceProblem::Netrace(NetraceProblem::Regions { found, most })
    );
}

#[test]
fn a_cut_is_reported_with_the_part_that_it_cuts() {
    let file = small_file();
    let bytes = file.bytes();
    let parts: [(NetracePart, u64, u64); 8] = [
        (NetracePart::Header, 0, 72),
        (NetracePart::Notes, 72, 13),
        (NetracePart::Region(0), 85, 24),
        (NetracePart::Packet(0), FIRST, 21),
        (NetracePart::List(0), FIRST + 21, 8),
        (NetracePart::Packet(1), FIRST + 29, 21),
        (NetracePart::List(1), FIRST + 50, 4),
        (NetracePart::Packet(2), FIRST + 54, 21),
    ];
    for (part, start, needed) in parts {
        for found in 0..needed {
            let cut = start + found;
            let TraceError { place, problem } = refused(&bytes[..cut as usize]);
            assert_eq!(place, TracePlace::Byte(cut));
            // Between packets a cut shows in the number of missing packets.
            let expected = match part {
                NetracePart::Packet(packets) if found == 0 => NetraceProblem::TooFew {
                    found: packets,
                    header: 3,
                },
                _ => NetraceProblem::CutOff {
                    part,
                    found,
                    needed,
                },
            };
            assert_eq!(problem, TraceProblem::Netrace(expected));
        }
    }
    assert_eq!(bytes.len() as u64, FIRST + 75);
    let more = refused(&[&bytes[..], &[0]].concat());
    assert_eq!(more.place, TracePlace::Byte(FIRST + 75));
    let header = 3;
    assert_eq!(
        more.problem,
        TraceProblem::Netrace(NetraceProblem::TooMany { header })
    );
}

#[test]
fn a_cut_bzip2_file_is_reported() {
    let packed = packed(&small_file().bytes());
    for cut in 3..packed.len() {
        let error = refused(&packed[..cut]);
        assert_eq!(error.problem, TraceProblem::Bzip2End, "{cut}: {error}");
    }
    let trailing = [&packed[..], b"no bzip2"].concat();
    assert!(matches!(
        refused(&trailing).problem,
        TraceProblem::Bzip2 { .. }
    ));
    assert!(matches!(
        refused(b"BZh9 nonsense and more").problem,
        TraceProblem::Bzip2 { .. }
    ));
}

/// Where from the first packet, and what is wrong with the order of packets that are changed so.
fn order(change: fn(&mut Vec<Written>)) -> (u64, OrderProblem) {
    let mut packets = small_file().packets;
    change(&mut packets);
    match refused_packets(packets) {
        (TracePlace::Byte(offset), TraceProblem::Order(problem)) => (offset - FIRST, problem),
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_is_wrong_with_a_packet_is_reported() {
    let mut packets = small_file().packets;
    packets[1].kind = 7;
    let kind = TraceProblem::Netrace(NetraceProblem::PacketType { found: 7 });
    assert_eq!(
        refused_packets(packets),
        (TracePlace::Byte(FIRST + 29 + 16), kind)
    );
    for (node_types, end, found) in [(0x42, "source", 4), (0x2f, "destination", 15)] {
        let mut packets = small_file().packets;
        packets[0].node_types = node_types;
        let node = TraceProblem::Netrace(NetraceProblem::NodeType { end, found });
        assert_eq!(
            refused_packets(packets),
            (TracePlace::Byte(FIRST + 19), node)
        );
    }
}

#[test]
fn what_is_wrong_with_the_order_of_packets_is_reported() {
    let off = TraceNode(8);
    let nodes = 8;
    let end = |end| OrderProblem::OffTrace {
        end,
        found: off,
        nodes,
    };
    let source = end("source");
    assert_eq!(order(|packets| packets[1].source = 8), (29 + 17, source));
    let destination = end("destination");
    assert_eq!(
        order(|packets| packets[1].destination = 8),
        (29 + 18, destination)
    );
    let unsorted = OrderProblem::Unsorted {
        cycle: 2,
        before: 3,
    };
    assert_eq!(order(|packets| packets[1].cycle = 2), (29, unsorted));
    let repeated = OrderProblem::Repeated { id: TraceId(0) };
    assert_eq!(order(|packets| packets[1].id = 0), (29 + 8, repeated));
    let itself = OrderProblem::Itself { id: TraceId(2) };
    assert_eq!(
        order(|packets| packets[1].names = vec![4, 2]),
        (29 + 21, itself)
    );
    let backward = OrderProblem::Backward {
        id: TraceId(2),
        named: TraceId(0),
    };
    assert_eq!(
        order(|packets| packets[1].names = vec![0]),
        (29 + 21, backward)
    );
    let missing = OrderProblem::Missing {
        named: TraceId(5),
        count: 2,
    };
    assert_eq!(
        order(|packets| packets[1].names = vec![9, 5, 4]),
        (29 + 21 + 12 + 21, missing)
    );
    let circle = refused_packets(vec![packet(1, 0, (0, 1), &[2]), packet(2, 0, (1, 0), &[1])]);
    assert!(
        circle
            .1
            .to_string()
            .starts_with("dependency cycle: packet 1 precedes packet 2")
    );
}

#[test]
fn an_input_that_fails_is_reported() {
    /// Byte by byte with interruptions, then an error.
    struct Fails(Bytes<Vec<u8>>, bool);
    impl Read for Fails {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            self.1 = !self.1;
            if self.1 {
                return Err(io::ErrorKind::Interrupted.into());
            }
            match self.0.read(&mut buffer[..1])? {
                0 => Err(io::Error::new(
                    io::ErrorKind::PermissionDenied,
                    "the disk is gone",
                )),
                read => Ok(read),
            }
        }
    }
    let bytes = small_file().bytes()[..120].to_vec();
    let parameters = NetraceParameters::new(8, None).unwrap();
    let mut reader = NetraceReader::new(Fails(Bytes::new(bytes), false), parameters).unwrap();
    let error = all(&mut reader).unwrap_err();
    let (kind, message) = (io::ErrorKind::PermissionDenied, "the disk is gone".into());
    assert_eq!(error.problem, TraceProblem::Io { kind, message });
}
