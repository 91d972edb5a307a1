//! Regions of netrace files.

use super::writer::{File, netrace, packet};
use super::*;
use crate::{
    NetraceParameters, NetraceProblem, NetraceReader, RegionRange, TraceProblem, TraceSummary,
};
use std::io::Cursor as Bytes;

fn regions() -> File {
    let packets = vec![
        packet(10, 100, (0, 1), &[11, 13]),
        packet(11, 150, (1, 0), &[14]),
        packet(12, 240, (0, 1), &[13]),
        packet(13, 260, (1, 0), &[14, 15]),
        packet(14, 400, (0, 1), &[]),
        packet(15, 410, (0, 1), &[]),
    ];
    File {
        regions: vec![(0, 200), (2, 150), (4, 0), (4, 60), (6, 0)],
        ..File::new(2, packets)
    }
}

fn chosen(file: &File, first: u32, last: u32) -> Result<NetraceReader, TraceError> {
    let range = RegionRange { first, last };
    let parameters = NetraceParameters::new(8, Some(range)).unwrap();
    NetraceReader::new(Bytes::new(file.bytes()), parameters)
}

#[test]
fn regions_are_read_separately() {
    let file = regions();
    let ids = |first, last| -> Vec<u64> {
        let packets = all(&mut chosen(&file, first, last).unwrap()).unwrap();
        packets.iter().map(|packet| packet.id.0).collect()
    };
    assert_eq!(ids(0, 0), [10, 11]);
    assert_eq!(ids(1, 1), [12, 13]);
    assert_eq!(ids(2, 2), [0; 0]);
    assert_eq!(ids(1, 3), [12, 13, 14, 15]);
    assert_eq!(ids(0, 4), [10, 11, 12, 13, 14, 15]);
    assert_eq!(ids(4, 4), [0; 0]);
    // The total cycles of the earlier regions, unless a packet is earlier.
    assert_eq!(chosen(&file, 1, 1).unwrap().start_cycle(), 200);
    assert_eq!(chosen(&file, 3, 4).unwrap().start_cycle(), 350);
}

#[test]
fn packets_of_skipped_regions_delay_nothing() {
    let file = regions();
    let reader = Box::new(chosen(&file, 1, 1).unwrap());
    let (mut trace, handle) = workload(reader, 100);
    let run = Toy::new(2, 1, 1).run(&mut trace);
    // Cycle 200 is the run's 0. Packet 12 of one word begins in 40 and is delivered two cycles later; 13
    // doesn't wait for 10.
    let made: Vec<(u32, u32)> = run
        .sent
        .iter()
        .map(|sent| (sent.birth.created.get(), sent.delivered.get()))
        .collect();
    assert_eq!(made, [(40, 42), (60, 62)]);
    assert!(handle.account().is_finished(), "{:?}", handle.error());
    // If a region begins before the sum of the earlier regions' cycles, its first packet is the beginning.
    let mut early = regions();
    early.regions[0].1 = 1_000_000;
    let (mut trace, _) = workload(Box::new(chosen(&early, 1, 1).unwrap()), 100);
    let run = Toy::new(2, 1, 1).run(&mut trace);
    assert_eq!(run.sent[0].birth.created, Cycle(0));
}

#[test]
fn invalid_regions_are_refused() {
    let file = regions();
    let choice = chosen(&file, 2, 5).err().unwrap();
    let message = "byte 60: regions 2 to 5 are selected; the trace has 5, counted from 0";
    assert_eq!(choice.to_string(), message);
    let backwards = NetraceParameters::new(8, Some(RegionRange { first: 2, last: 1 }));
    assert_eq!(backwards.unwrap_err().key, "last_region");
    // Offsets follow the notes; a region takes 24 bytes.
    let with_offset = |region: usize, offset: u64| {
        let mut bytes = file.bytes();
        let place = 72 + 13 + 24 * region;
        bytes[place..place + 8].copy_from_slice(&offset.to_le_bytes());
        netrace(&bytes).and_then(TraceSummary::of).unwrap_err()
    };
    let first_two = 29 + 25;
    let problem = |region, offset, packet| {
        TraceProblem::Netrace(NetraceProblem::RegionOffset {
            region,
            offset,
            packet,
        })
    };
    let within = with_offset(1, first_two - 1);
    assert_eq!(within.problem, problem(1, first_two - 1, first_two));
    let behind = with_offset(4, 1000);
    let length: u64 = file
        .packets
        .iter()
        .map(|packet| packet.bytes().len() as u64)
        .sum();
    assert_eq!(behind.problem, problem(4, 1000, length));
    let order = NetraceProblem::RegionOrder {
        region: 2,
        offset: 3,
        before: first_two,
    };
    assert_eq!(with_offset(2, 3).problem, TraceProblem::Netrace(order));
    // A wrong offset before the regions that are read is detected too.
    let mut bytes = file.bytes();
    bytes[72 + 13 + 24] -= 1;
    let range = RegionRange { first: 3, last: 4 };
    let parameters = NetraceParameters::new(8, Some(range)).unwrap();
    let read =
        NetraceReader::new(Bytes::new(bytes), parameters).and_then(|mut reader| all(&mut reader));
    assert!(read.is_err());
}
