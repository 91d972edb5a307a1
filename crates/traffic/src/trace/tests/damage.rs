//! Damaged files: truncated after every byte, with every bit flipped. Each gives an error or a trace that can
//! be run to its end; none panics or hangs.

use super::writer::{File, Written, netrace, packed, packet};
use super::*;
use crate::{CsvReader, TraceProblem, TraceSummary};
use std::io::Cursor as Bytes;

fn file() -> Vec<u8> {
    let packets = vec![
        packet(1, 100, (0, 1), &[2]),
        packet(2, 101, (1, 1), &[3, 4]),
        Written {
            kind: 2,
            ..packet(3, 104, (1, 2), &[])
        },
        packet(4, 109, (1, 0), &[]),
    ];
    let file = File {
        notes: b"x\0".to_vec(),
        regions: vec![(0, 10), (2, 10)],
        ..File::new(3, packets)
    };
    file.bytes()
}

const TEXT: &str = "cycle,src,dst,words,id,after\n0,0,1,1,7,\n4,1,1,2,8,7\n9,1,2,3,9,8;7\n";

/// Reads and runs what a reader gives; returns whether it is a trace without an error.
fn survives(reader: impl Fn() -> Result<Box<dyn TraceReader>, TraceError>) -> bool {
    let summary = reader().and_then(TraceSummary::of);
    let Ok(first) = reader() else {
        return false;
    };
    let toy = toy(&*first, 9, 1);
    let map = NodeMap::in_order(first.nodes(), first.nodes()).unwrap();
    let Ok(mut trace) = TraceWorkload::new(first, map, TraceOptions::default()) else {
        assert!(summary.is_err() || summary.unwrap().last_cycle > u64::from(Cycle::LAST.get()));
        return false;
    };
    let handle = Followed::new(&trace);
    let run = toy.run(&mut trace);
    match (summary, handle.error()) {
        (Ok(_), None) => {
            let packets = reader().and_then(|mut reader| all(&mut *reader)).unwrap();
            let waits = reader().map(dependencies).unwrap();
            check(&packets, &waits, &run, &handle);
            true
        }
        // A run finds what reading finds, or an earlier packet in a cycle that no run has.
        (summary, Some(found)) => {
            let beyond = matches!(found.problem, TraceProblem::BeyondRun { .. });
            assert!(
                beyond || summary == Err(found.clone()),
                "{summary:?} and {found}"
            );
            false
        }
        (summary, None) => panic!("a run doesn't find {summary:?}"),
    }
}

fn damaged(
    whole: &[u8],
    reader: impl Fn(&[u8]) -> Result<Box<dyn TraceReader>, TraceError>,
) -> [u32; 2] {
    assert!(survives(|| reader(whole)));
    let mut survivors = [0; 2];
    for cut in 0..whole.len() {
        survivors[0] += u32::from(survives(|| reader(&whole[..cut])));
    }
    for bit in 0..8 * whole.len() {
        let mut bytes = whole.to_vec();
        bytes[bit / 8] ^= 1 << (bit % 8);
        survivors[1] += u32::from(survives(|| reader(&bytes)));
    }
    survivors
}

fn open_netrace(bytes: &[u8]) -> Result<Box<dyn TraceReader>, TraceError> {
    Ok(Box::new(netrace(bytes)?))
}

fn open_csv(bytes: &[u8]) -> Result<Box<dyn TraceReader>, TraceError> {
    Ok(Box::new(CsvReader::new(Bytes::new(bytes.to_vec()), 3)?))
}

#[test]
fn damaged_netrace_files() {
    let [cuts, flips] = damaged(&file(), open_netrace);
    assert_eq!(cuts, 0);
    // Names, cycles and addresses may change into valid ones.
    assert!(flips > 100, "{flips}");
}

#[test]
fn damaged_packed_files() {
    // bzip2 has a checksum of every block: a flipped bit is detected, except for a few bits of padding and of
    // the block size at the file's beginning.
    let [cuts, flips] = damaged(&packed(&file()), open_netrace);
    assert_eq!(cuts, 0);
    assert!(flips < 16, "{flips}");
    let [cuts, flips] = damaged(&packed(TEXT.as_bytes()), open_csv);
    assert_eq!(cuts, 0);
    assert!(flips < 16, "{flips}");
}

#[test]
fn damaged_csv_traces() {
    // A text truncated between lines, or within a number, is another trace.
    let [cuts, flips] = damaged(TEXT.as_bytes(), open_csv);
    assert!(cuts > 3 && flips > 3, "{cuts} {flips}");
}
