//! Indexes read back, cut and altered.

use super::*;
use flitwork_types::{Cycle, Loss, NodeId, TerminalId};
use proptest::prelude::*;

const NODES: u32 = 5;

fn rows() -> impl Strategy<Value = Vec<PacketRow>> {
    let cycle =
        || prop_oneof![0u32..50, Just(0), Just(Cycle::LAST.0), any::<u32>()].prop_map(Cycle);
    let entered = (0..NODES, any::<u8>(), any::<u32>(), cycle());
    let delivered = (any::<u64>(), cycle(), any::<u16>(), any::<u16>());
    let row = (
        0..NODES,
        any::<u16>(),
        cycle(),
        prop::option::of(entered),
        prop::option::of(delivered),
        prop::option::of(any::<u64>()),
        prop::option::of(any::<[u64; 3]>()),
        prop::option::of((cycle(), prop::sample::select(Loss::ALL.to_vec()))),
    );
    let row = row.prop_map(
        |(source, words, created, entered, delivered, trace_id, times, lost)| {
            let delivered = delivered.filter(|_| entered.is_some());
            PacketRow {
                source: TerminalId(source),
                words,
                created,
                trace_id,
                serial: entered.map(|it| it.2),
                destination: entered.map(|it| TerminalId(it.0)),
                class: entered.map(|it| it.1),
                injected: entered.map(|it| it.3),
                delivered: delivered.map(|it| it.1),
                lost: lost.filter(|_| entered.is_some() && delivered.is_none()),
                latency: delivered.map(|it| it.0),
                hops: delivered.map(|it| it.2),
                deroutes: delivered.map(|it| it.3),
                created_ps: times.map(|it| it[0]),
                injected_ps: times.filter(|_| entered.is_some()).map(|it| it[1]),
                delivered_ps: times.filter(|_| delivered.is_some()).map(|it| it[2]),
            }
        },
    );
    prop::collection::vec(row, 0..40)
}

fn epochs() -> impl Strategy<Value = Epochs> {
    let cell = (any::<i32>(), any::<u32>(), any::<u32>());
    let epoch = (any::<u64>(), prop::collection::vec(cell, NODES as usize));
    prop::collection::vec(epoch, 0..4).prop_map(|all| {
        let mut epochs = Epochs::new(NODES);
        for (number, (digest, cells)) in all.into_iter().enumerate() {
            for (node, (change, deroutes, link_words)) in (0..).map(NodeId).zip(cells) {
                epochs.reach(number);
                *epochs.digest_mut(number) = digest;
                *epochs.cell_mut(number, node) = EpochCell {
                    change,
                    deroutes,
                    link_words,
                };
            }
        }
        epochs
    })
}

fn header() -> IndexHeader {
    IndexHeader {
        nodes: NODES,
        flitwork: "0.1.0".into(),
        configuration: "[network]\n".into(),
        record: String::new(),
        files: vec![InputFile::of("/a/b.csv".into(), b"1,2\n")],
    }
}

fn trailer() -> IndexTrailer {
    IndexTrailer {
        digest: 0x0123_4567_89ab_cdef,
        cycles: 77,
        ended: "empty".into(),
    }
}

fn written(rows: &[PacketRow], epochs: &Epochs) -> Vec<u8> {
    let mut writer = IndexWriter::new(Vec::new(), &header()).unwrap();
    for row in rows {
        writer.put(row).unwrap();
    }
    writer.finish(epochs, &trailer()).unwrap()
}

proptest! {
    #[test]
    fn what_is_written_is_read(rows in rows(), epochs in epochs()) {
        let index = Index::read(&*written(&rows, &epochs)).unwrap();
        prop_assert_eq!(index.header, header());
        prop_assert_eq!(index.rows, rows);
        prop_assert_eq!(index.epochs, epochs);
        prop_assert_eq!(index.trailer, Some(trailer()));
        prop_assert_eq!(index.cut, None);
    }

    /// A cut file is read as far as it is whole, and says so.
    #[test]
    fn cuts_are_noticed(rows in rows(), epochs in epochs(), place in any::<prop::sample::Index>()) {
        let bytes = written(&rows, &epochs);
        let end = place.index(bytes.len());
        match Index::read(&bytes[..end]) {
            Ok(index) => {
                prop_assert!(index.cut.is_some_and(|cut| cut <= end as u64));
                prop_assert_eq!(index.trailer, None);
                prop_assert!(rows.starts_with(&index.rows));
            }
            Err(error) => prop_assert!(matches!(error, IndexError::Truncated | IndexError::NotAnIndex), "{}", error),
        }
    }

    /// A bit that is altered anywhere is an error with its place.
    #[test]
    fn flips_are_noticed(rows in rows(), epochs in epochs(), place in any::<prop::sample::Index>(), bit in 0u32..8) {
        let mut bytes = written(&rows, &epochs);
        let at = place.index(bytes.len());
        bytes[at] ^= 1 << bit;
        match Index::read(&*bytes) {
            // What is altered in a length may make the file look cut.
            Ok(index) => prop_assert!(index.cut.is_some()),
            Err(error) => prop_assert!(!error.to_string().is_empty()),
        }
    }

    #[test]
    fn garbage_is_refused(bytes in prop::collection::vec(any::<u8>(), 0..200), keeps_head in any::<bool>()) {
        let mut file = if keeps_head { header().to_bytes().unwrap() } else { Vec::new() };
        file.extend(&bytes);
        if let Ok(index) = Index::read(&*file) {
            prop_assert!(index.cut.is_some() || index.trailer.is_some());
        }
    }
}

proptest! {
    /// Whatever a block holds whose checksums are right: an index, or an error with the block's place.
    #[test]
    fn forged_blocks_do_no_harm(
        nodes in prop_oneof![Just(NODES), Just(flitwork_types::MAX_NODES)],
        marker in prop_oneof![Just(write::PACKETS), Just(write::EPOCH), any::<u8>()],
        raw in prop::collection::vec(prop_oneof![0u8..4, any::<u8>()], 0..60),
    ) {
        let header = IndexHeader { nodes, ..header() };
        let mut writer = IndexWriter::new(Vec::new(), &header).unwrap();
        writer.write_block(marker, &raw).unwrap();
        let file = writer.finish(&Epochs::new(nodes), &trailer()).unwrap();
        match Index::read(&*file) {
            Ok(index) => prop_assert!(index.rows.iter().all(|row| row.source.0 < nodes)),
            Err(error) => prop_assert!(!error.to_string().is_empty()),
        }
    }
}

/// Neither written nor read: no network has so many nodes.
#[test]
fn numbers_of_nodes_are_checked() {
    let most = flitwork_types::MAX_NODES;
    for nodes in [0, most + 1, u32::MAX] {
        let refused = IndexHeader { nodes, ..header() };
        let error = IndexWriter::new(Vec::new(), &refused).err().unwrap();
        assert!(error.to_string().contains("are allowed"), "{error}");
        let mut forged = header().to_bytes().unwrap();
        forged.truncate(forged.len() - 4);
        forged[header::HEAD_BYTES..][..4].copy_from_slice(&nodes.to_le_bytes());
        crate::record::source::put_crc(&mut forged);
        let error = Index::read(&*forged).unwrap_err();
        assert!(error.to_string().contains("are allowed"), "{error}");
    }
    let largest = IndexHeader {
        nodes: most,
        ..header()
    };
    assert_eq!(
        Index::read(&*largest.to_bytes().unwrap()).unwrap().header,
        largest
    );
}

/// A row of a network that has run for a while takes less than ten bytes: serial numbers follow each other, sources,
/// destinations and latencies are small. 20,000 rows drawn like those of a mesh of 256 nodes.
#[test]
fn a_packet_takes_less_than_ten_bytes() {
    let mut state = 1u64;
    let mut draw = |below: u64| {
        state = flitwork_node::mix(state.wrapping_add(1));
        state % below
    };
    let mut serials = [0; 256];
    let mut writer = IndexWriter::new(
        Vec::new(),
        &IndexHeader {
            nodes: 256,
            ..header()
        },
    )
    .unwrap();
    for number in 0..20_000 {
        let source = draw(256) as u32;
        let created = number / 4 + draw(60) as u32;
        let (wait, latency) = (draw(8) as u32, 40 + draw(60));
        let serial = serials[source as usize];
        serials[source as usize] += 1;
        let row = PacketRow {
            source: TerminalId(source),
            serial: Some(serial),
            destination: Some(TerminalId(draw(256) as u32)),
            class: Some(0),
            words: 10,
            trace_id: None,
            created: Cycle(created),
            injected: Some(Cycle(created + wait)),
            delivered: Some(Cycle(created + latency as u32)),
            latency: Some(latency),
            hops: Some(1 + draw(20) as u16),
            deroutes: Some((draw(50) == 0).into()),
            ..PacketRow::default()
        };
        writer.put(&row).unwrap();
    }
    let bytes = writer.finish(&Epochs::new(256), &trailer()).unwrap();
    assert!(bytes.len() < 10 * 20_000, "{} bytes", bytes.len());
}

/// What a series of events adds: in which cycle, at which node, its digest.
type Added = (usize, u32, u32, u64);

/// Cycles near the ends of epochs, of those that are there and of longer ones.
fn additions() -> impl Strategy<Value = Vec<Added>> {
    let cycle = (0u32..1 << 11, 0u32..8, 0u32..3);
    let cycle =
        cycle.prop_map(|(epoch, doubled, off)| (((epoch * 64) << doubled) + off).saturating_sub(1));
    prop::collection::vec((0..3usize, cycle, 0..NODES, any::<u64>()), 0..60)
}

fn counted(additions: &[Added]) -> EpochCounter<3> {
    let mut counter = EpochCounter::new(NODES);
    for (series, cycle, node, digest) in additions {
        counter.add(*series, Cycle(*cycle), *digest);
        counter.cell_mut(*series, NodeId(*node)).link_words += 1;
    }
    counter
}

proptest! {
    #[test]
    fn epochs_add_up_whatever_the_order(additions in additions(), split in any::<prop::sample::Index>()) {
        let split = split.index(additions.len() + 1);
        let mut counter = counted(&additions[..split]);
        counter.merge(&counted(&additions[split..]));
        let epochs = counter.into_epochs();
        prop_assert!(epochs.count() <= 256);
        // The model knows cycles and nodes alone.
        let cycles = epochs.epoch_cycles();
        let last = additions.iter().map(|it| it.1).max();
        prop_assert!(cycles == 64 || last.is_some_and(|last| last / (cycles / 2) >= 256));
        for epoch in 0..epochs.count() {
            let within: Vec<&Added> = additions.iter().filter(|it| (it.1 / cycles) as usize == epoch).collect();
            let digest = within.iter().fold(0u64, |sum, it| sum.wrapping_add(it.3));
            prop_assert_eq!(epochs.digest(epoch), digest);
            for (node, cell) in (0..).zip(epochs.cells(epoch)) {
                let words = within.iter().filter(|it| it.2 == node).count();
                prop_assert_eq!(cell.link_words as usize, words);
            }
        }
        let beyond = additions.iter().filter(|it| (it.1 / cycles) as usize >= epochs.count());
        prop_assert_eq!(beyond.count(), 0);
    }
}

/// Node 1's deeds in the epochs of cycles 0 to 63 and 64 to 127.
fn of_node_1(first: EpochCell, second: EpochCell) -> Epochs {
    let mut epochs = Epochs::new(NODES);
    epochs.reach(1);
    *epochs.cell_mut(0, NodeId(1)) = first;
    *epochs.cell_mut(1, NodeId(1)) = second;
    *epochs.digest_mut(0) = 7;
    *epochs.digest_mut(1) = 11;
    epochs
}

/// Three packets come and one leaves, so two are held; deroutes and words add up, whether by another worker or in an epoch
/// twice as long.
#[test]
fn everything_in_a_cell_adds_up() {
    let cell = |change, deroutes, link_words| EpochCell {
        change,
        deroutes,
        link_words,
    };
    let (first, second) = (cell(3, 4, 50), cell(-1, 2, 9));
    let mut twice = of_node_1(first, second);
    twice.merge(&of_node_1(first, second));
    assert_eq!(twice.cells(0)[1], cell(6, 8, 100));
    assert_eq!(twice.cells(1)[1], cell(-2, 4, 18));
    // Cycle 64 x 256 needs longer epochs: 0 to 127, and so on.
    let mut longer = of_node_1(first, second);
    longer.further(Cycle(64 * 256));
    assert_eq!((longer.epoch_cycles(), longer.digest(0)), (128, 18));
    assert_eq!(longer.cells(0)[1], cell(2, 6, 59));
    assert_eq!(longer.cells(0)[0], EpochCell::default());
}

/// A run that goes on where the other has ended differs from the first epoch that only one has, in either order; in an
/// earlier one by its first node that does other things.
#[test]
fn a_longer_run_differs_where_the_other_has_ended() {
    let cell = EpochCell {
        link_words: 5,
        ..EpochCell::default()
    };
    let short = of_node_1(cell, cell);
    let mut long = short.clone();
    long.reach(3);
    assert_eq!(short.first_difference(&long), Some((2, None)));
    assert_eq!(long.first_difference(&short), Some((2, None)));
    assert_eq!(long.first_difference(&long), None);
    long.cell_mut(1, NodeId(1)).deroutes = 1;
    assert_eq!(short.first_difference(&long), Some((1, Some(NodeId(1)))));
    *long.digest_mut(0) = 8;
    assert_eq!(long.first_difference(&short), Some((0, None)));
}

/// Of a run that was interrupted before cycle 40, a delivery in 39 has happened, one in 40 has not; then nothing is known
/// that only the delivery tells.
#[test]
fn a_delivery_counts_before_the_end_alone() {
    let row = |delivered| PacketRow {
        serial: Some(3),
        destination: Some(TerminalId(2)),
        class: Some(1),
        words: 8,
        created: Cycle(10),
        injected: Some(Cycle(12)),
        delivered: Some(Cycle(delivered)),
        latency: Some(u64::from(delivered) - 10),
        hops: Some(4),
        deroutes: Some(1),
        ..PacketRow::default()
    };
    for (delivered, has_happened) in [(39, true), (40, false), (41, false)] {
        let whole = row(delivered);
        let mut ended = whole;
        ended.end_before(Cycle(40));
        let under_way = PacketRow {
            delivered: None,
            latency: None,
            hops: None,
            deroutes: None,
            ..whole
        };
        let expected = if has_happened { whole } else { under_way };
        assert_eq!(ended, expected, "{delivered}");
    }
}
