//! The three published traces, if they are available: in `traces/published`, or in the folder that
//! FLITWORK_TRACES names. And the repository's own, which always are.

use super::writer::{File, Written, csv, netrace, packed, packet};
use super::*;
use crate::{CsvReader, NetraceParameters, NetraceReader, TraceSummary};
use std::path::{Path, PathBuf};

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The folder of the published traces, if it exists; otherwise prints that it doesn't.
#[expect(clippy::print_stderr, reason = "a test that is skipped must say so")]
fn published() -> Option<PathBuf> {
    let given = std::env::var_os("FLITWORK_TRACES").map(PathBuf::from);
    let folder = given.unwrap_or_else(|| repository().join("traces/published"));
    if folder.join("lngrex.tra.bz2").exists() {
        return Some(folder);
    }
    eprintln!(
        "skipped: no published traces in {}; FLITWORK_TRACES names their folder",
        folder.display()
    );
    None
}

fn open(path: &Path) -> NetraceReader {
    let file = std::fs::File::open(path).unwrap();
    NetraceReader::new(file, NetraceParameters::new(16, None).unwrap()).unwrap()
}

/// Counted independently of this crate, by a program in Python that unpacks the files' structures.
#[test]
fn the_published_traces_are_read_whole() {
    let Some(folder) = published() else {
        return;
    };
    let expected = [
        ("shrtex", "short example trace", 12, 0, 9, 221),
        ("example", "read-resp-delay-test", 175, 4, 136, 6820),
        (
            "lngrex",
            "blackscholes-short-test",
            81_749,
            1406,
            52_672,
            2_325_306,
        ),
    ];
    for (name, benchmark, packets, to_self, dependencies, last_cycle) in expected {
        let reader = open(&folder.join(format!("{name}.tra.bz2")));
        let header = reader.header().clone();
        assert_eq!((header.benchmark.as_str(), header.nodes), (benchmark, 64));
        assert_eq!((header.packets, header.cycles), (packets, last_cycle));
        let summary = TraceSummary::of(reader).unwrap();
        assert_eq!((summary.packets, summary.self_packets), (packets, to_self));
        assert_eq!(
            (summary.dependencies, summary.last_cycle),
            (dependencies, last_cycle)
        );
        // In all three, packets wait only for packets delivered to their own source.
        assert!(summary.is_local());
        assert_eq!(summary.most_words, 5);
    }
}

#[test]
fn the_published_traces_keep_the_rule() {
    let Some(folder) = published() else {
        return;
    };
    for (name, longest) in [("shrtex", 50), ("example", 30), ("lngrex", 20)] {
        let path = folder.join(format!("{name}.tra.bz2"));
        let packets = all(&mut open(&path)).unwrap();
        let waits = dependencies(open(&path));
        let summary = TraceSummary::of(open(&path)).unwrap();
        let (mut trace, handle) = workload(Box::new(open(&path)), 4096);
        let toy = Toy::new(64, longest, 7);
        let run = toy.run(&mut trace);
        check(&packets, &waits, &run, &handle);
        let (trace, other) = workload(Box::new(open(&path)), 64);
        let mut trace = trace.with_summary(&summary);
        assert_eq!(toy.in_order(5).run(&mut trace), run);
        assert_eq!(other.births(), handle.births());
    }
}

/// The repository's own trace: a read that misses in two caches, on 2 x 2 nodes. Node 0 asks node 3, which
/// asks the memory controller at node 1; messages of node 3 to itself never enter the network. Meanwhile node
/// 2 writes back, and an upgrade is passed around.
fn read_miss() -> File {
    let of = |kind, node_types, packet| Written {
        kind,
        node_types,
        ..packet
    };
    let packets = vec![
        of(1, 0x02, packet(0, 0, (0, 3), &[1])),
        of(1, 0x23, packet(1, 12, (3, 1), &[3])),
        of(6, 0x02, packet(2, 15, (2, 3), &[])),
        of(2, 0x32, packet(3, 112, (1, 3), &[4, 5])),
        of(29, 0x20, packet(4, 124, (3, 3), &[5])),
        of(2, 0x20, packet(5, 130, (3, 0), &[6])),
        of(13, 0x02, packet(6, 140, (0, 3), &[7, 8])),
        of(27, 0x20, packet(7, 152, (3, 2), &[])),
        of(14, 0x20, packet(8, 160, (3, 0), &[])),
    ];
    File {
        notes: b"a read miss, on 2 x 2 nodes\0".to_vec(),
        regions: vec![(0, 130), (5, 70)],
        ..File::new(4, packets)
    }
}

/// The files in the folder `traces` hold the trace above. FLITWORK_WRITE_TRACES rewrites them.
#[test]
fn the_repositorys_traces_are_these() {
    let file = read_miss();
    let packets = all(&mut netrace(&file.bytes()).unwrap()).unwrap();
    let text = csv(&packets).replace(
        "# written by a test",
        "# The packets of read-miss.tra.bz2, with links of 8 bytes.",
    );
    let written = [
        ("read-miss.tra.bz2", packed(&file.bytes())),
        ("read-miss.csv", text.into_bytes()),
    ];
    for (name, bytes) in written {
        let path = repository().join("traces").join(name);
        if std::env::var_os("FLITWORK_WRITE_TRACES").is_some() {
            std::fs::write(&path, &bytes).unwrap();
        }
        assert_eq!(std::fs::read(&path).unwrap(), bytes, "{name}");
    }
    let opened = std::fs::File::open(repository().join("traces/read-miss.csv")).unwrap();
    let (mut from_csv, one) = workload(Box::new(CsvReader::new(opened, 4).unwrap()), 9);
    let (mut from_netrace, other) = workload(Box::new(netrace(&file.bytes()).unwrap()), 9);
    let toy = Toy::new(4, 30, 2);
    assert_eq!(toy.run(&mut from_csv), toy.run(&mut from_netrace));
    assert!(one.account().is_finished() && one.account() == other.account());
    assert!(
        TraceSummary::of(netrace(&file.bytes()).unwrap())
            .unwrap()
            .is_local()
    );
}
