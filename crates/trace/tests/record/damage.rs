//! Files that were cut or altered, and files that are no records.

use crate::fixture::{blocks, embedded, file, marks, read};
use flitwork_trace::record::{
    Cut, CutReason, FORMAT_VERSION, MAX_BLOCK_BYTES, MAX_HEADER_BYTES, Reader, RecordError,
};
use proptest::prelude::*;

#[test]
fn a_cut_at_any_byte_leaves_the_whole_blocks() {
    let (file, starts) = file();
    let (blocks, marks) = (blocks(), marks());
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
                assert_eq!(found.blocks, blocks[..whole.div_ceil(2)]);
                assert_eq!(found.marks, marks[..whole / 2]);
                assert_eq!(found.trailer, None);
                let reason = match file[starts[whole]] {
                    _ if length == starts[whole] => CutReason::NoTrailer,
                    b'T' => CutReason::InTrailer,
                    b'M' => CutReason::InMark,
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
        let blocks = &blocks[..whole.saturating_sub(1).div_ceil(2)];
        assert_eq!(found.blocks, blocks, "bit {bit}");
        assert_eq!(found.trailer, None, "bit {bit}");
        // Inside a block everything but the marker is protected by a checksum, and reported at the block's
        // start.
        if 0 < whole && whole < starts.len() && bit / 8 != starts[whole - 1] {
            let RecordError::Checksum { offset, .. } = error else {
                panic!("bit {bit}: {error}");
            };
            assert_eq!(offset, starts[whole - 1] as u64);
        }
    }
}

#[test]
fn what_is_no_record_is_reported_as_none() {
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
    let error = Reader::open(&file[..]).err().unwrap();
    let message = error.to_string();
    assert!(
        message.contains("byte 8") && message.contains("versions 3 to 6"),
        "{message}"
    );
}

/// A header with a correct checksum, then bytes assembled by hand, then their checksum.
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
    let error = Reader::open(&long[..]).err().unwrap();
    assert!(
        matches!(error, RecordError::TooLarge { found, allowed, .. }
            if found == u64::from(u32::MAX) && allowed == MAX_HEADER_BYTES),
        "{error}"
    );
    // The most that is allowed, in a file that doesn't hold it.
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

    let mut head = vec![b'M'];
    head.extend(u32::MAX.to_le_bytes());
    let (_, error) = read(&with_head(&head)[..]);
    // The digest, and two varints per node.
    assert!(
        matches!(error, Some(RecordError::TooLarge { found, allowed, .. })
            if found == u64::from(u32::MAX) && allowed == 8 + 3 * 10),
        "{error:?}"
    );

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
    let raws: [&[u8]; 9] = [
        &[],
        &[0xff; 12],
        // One chunk: of node 5 of 3, of no cycle, of too many tokens, of too few, of too many heads, without
        // its lengths.
        &[1, 10, 0, 2, 0, 0],
        &[1, 0, 0, 0, 0, 0],
        &[1, 0, 0, 2, 7, 0],
        &[1, 0, 0, 2, 0, 0, 0],
        &[1, 0, 0, 2, 0, 7],
        &[1, 0, 0, 2, 0x80],
        &[1, 0, 0, 2, 0, 0x80],
    ];
    for raw in raws {
        let packed = zstd::bulk::compress(raw, 1).unwrap();
        let mut head = vec![b'B'];
        for length in [raw.len(), 1, packed.len()] {
            head.extend((length as u32).to_le_bytes());
        }
        let mut file = with_head(&head);
        let start = file.len() - 17;
        file.push(0);
        file.extend(packed);
        file.extend(crc32fast::hash(&file[start..]).to_le_bytes());
        let error = read(&file[..]).1;
        let placed = matches!(error, Some(RecordError::Corrupt { offset, .. })
            if offset == start as u64);
        assert!(placed, "{raw:?}: {error:?}");
    }
}

/// Each byte of an embedded file, altered in each bit, with a right checksum: the text of the same length, or an error at the header.
#[test]
fn a_file_of_nonsense_with_right_checksums_is_no_panic() {
    let (file, starts) = file();
    let end = starts[0] - 4;
    let begin = file.windows(5).position(|it| it == b"l.csv").unwrap() - 8;
    let (mut refused, mut texts) = (0, 0);
    for bit in 8 * begin..8 * end {
        let mut file = file.clone();
        file[bit / 8] ^= 1 << (bit % 8);
        let crc = crc32fast::hash(&file[..end]);
        file[end..end + 4].copy_from_slice(&crc.to_le_bytes());
        match Reader::open(&file[..]) {
            Ok((_, header)) => {
                let text = &header.files[0].text;
                assert_eq!(text.len(), embedded().text.len(), "bit {bit}");
                texts += 1;
            }
            Err(RecordError::Corrupt { offset: 0, what }) => {
                assert!(
                    what.contains("l.csv") || what.contains("length") || what.contains("text of"),
                    "{what}"
                );
                refused += 1;
            }
            Err(error) => panic!("bit {bit}: {error}"),
        }
    }
    assert!(refused > 50 && texts > 50, "{refused} {texts}");
}

#[test]
fn a_mark_of_nonsense_with_right_checksums_is_an_error() {
    // Nodes behind, after the digest: a cycle is missing; node 3 of 3; a number without an end; more than 32
    // bits; a node that is named twice.
    let bodies: [&[u8]; 5] = [
        &[1],
        &[3, 5],
        &[1, 0x80],
        &[0, 0xff, 0xff, 0xff, 0xff, 0x7f],
        &[1, 5, 0, 6],
    ];
    for behind in bodies {
        let mut head = vec![b'M'];
        head.extend((8 + behind.len() as u32).to_le_bytes());
        let mut file = with_head(&head);
        let start = file.len() - 9;
        file.extend([0; 8]);
        file.extend(behind);
        file.extend(crc32fast::hash(&file[start..]).to_le_bytes());
        let (found, error) = read(&file[..]);
        assert_eq!(found.marks, []);
        let placed = matches!(error, Some(RecordError::Corrupt { offset, .. })
            if offset == start as u64);
        assert!(placed, "{behind:?}: {error:?}");
    }
    // A mark shorter than its digest.
    let mut file = with_head(&[b'M', 3, 0, 0, 0]);
    let start = file.len() - 9;
    file.extend([0; 3]);
    file.extend(crc32fast::hash(&file[start..]).to_le_bytes());
    let error = read(&file[..]).1;
    assert!(
        matches!(error, Some(RecordError::Corrupt { .. })),
        "{error:?}"
    );
}

#[test]
fn a_digest_that_is_not_the_sum_of_the_nodes_is_an_error() {
    let (mut file, starts) = file();
    // Marker, length and head CRC, then the digest; the trailer's CRC precedes the end magic.
    let (start, end) = (starts[5], file.len() - 8);
    file[start + 13] ^= 1;
    let crc = crc32fast::hash(&file[start..end - 4]);
    file[end - 4..end].copy_from_slice(&crc.to_le_bytes());
    let (found, error) = read(&file[..]);
    assert_eq!(found.blocks, blocks());
    match error {
        Some(RecordError::Corrupt { offset, what }) => {
            assert_eq!(offset, start as u64);
            assert_eq!(what, "the digest of the run isn't that of its nodes");
        }
        other => panic!("{other:?}"),
    }
}

proptest! {
    #[test]
    fn random_bytes_are_no_record(
        bytes in prop::collection::vec(any::<u8>(), 1..300),
        keep in 0_usize..40,
    ) {
        let (mut file, starts) = file();
        // After a valid beginning, so that all parts of the reader are reached.
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
