//! Events in any order become one row per packet, in both formats.

use super::*;
use ::parquet::file::reader::{FileReader, SerializedFileReader};
use ::parquet::record::RowAccessor;
use flitwork_report::PARQUET;
use flitwork_report::{CSV, Configuration, Formats, Program};
use flitwork_types::PacketId;
use std::fs;

fn provenance() -> Provenance {
    let program = Program {
        version: "1".into(),
        revision: "unknown".into(),
        command: "flitwork run".into(),
    };
    program.made(Configuration::One("[network]\n".into()), 9, 1)
}

fn packet(source: u32, serial: u32) -> Packet {
    Packet {
        id: PacketId {
            source: TerminalId(source),
            serial,
        },
        destination: TerminalId(source + 1),
        created: Cycle(10 * serial),
        injected: Cycle(10 * serial + 2),
        hops: 3,
        deroutes: 1,
        words: 5,
        class: 2,
        loss: None,
        skew: 0,
    }
}

fn event(reporter: &mut PacketReporter, cycle: u32, event: Event) {
    reporter.event(NodeId(0), Cycle(cycle), event);
}

/// Two workers: the second reports a delivery before the first reports the injection; one packet stays in the
/// network and one in its source; clocks shift a delivery.
fn report_events(file: &PacketFile) {
    let (mut one, mut other) = (file.reporter(), file.reporter());
    let at = Moment::new(Cycle(25), 25_400);
    other.tick(NodeId(1), Cycle(20), at);
    event(
        &mut other,
        20,
        Event::Delivered {
            packet: packet(0, 0),
        },
    );
    drop(other);
    event(
        &mut one,
        2,
        Event::Injected {
            packet: packet(0, 0),
        },
    );
    event(
        &mut one,
        12,
        Event::Injected {
            packet: packet(0, 1),
        },
    );
    event(
        &mut one,
        12,
        Event::Injected {
            packet: packet(7, 1),
        },
    );
    event(
        &mut one,
        40,
        Event::Delivered {
            packet: packet(7, 1),
        },
    );
    one.left_over(TerminalId(3), Cycle(33), 6, 1);
}

const ROWS: [&str; 4] = [
    "0,0,1,2,5,,0,2,25,25,3,1,,,,,,",
    "7,1,8,2,5,,10,12,40,30,3,1,,,,,,",
    "3,,,,6,,33,,,,,,,,,,,",
    "0,1,1,2,5,,10,12,,,,,,,,,,",
];

fn names() -> Vec<String> {
    let headers = headers();
    headers.iter().map(|it| it.name.to_string()).collect()
}

#[test]
fn a_csv_file_has_a_row_a_packet() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("packets.csv");
    let file = PacketFile::create(&path, &CSV, &provenance()).unwrap();
    report_events(&file);
    assert!(!path.exists(), "it isn't complete");
    file.finish("partial").unwrap();
    let text = fs::read_to_string(&path).unwrap();
    let head = provenance().comment();
    let rows = ROWS.join("\n");
    let columns = names().join(",");
    assert_eq!(
        text,
        format!("{head}{columns}\n{rows}\n# status = \"partial\"\n")
    );
}

/// As an index keeps them, and questions read them.
#[test]
fn rows_in_memory_are_the_same() {
    fn cell(number: Option<impl ToString>) -> String {
        number.map(|it| it.to_string()).unwrap_or_default()
    }
    let (file, rows) = PacketFile::to_memory().unwrap();
    report_events(&file);
    file.finish("").unwrap();
    let shown = rows.take().into_iter().map(|row| {
        let cells = [
            row.source.to_string(),
            cell(row.serial),
            cell(row.destination),
            cell(row.class),
            row.words.to_string(),
            cell(row.trace_id),
            row.created.to_string(),
            cell(row.injected),
            cell(row.delivered),
            cell(row.latency),
            cell(row.hops),
            cell(row.deroutes),
            cell(row.created_ps),
            cell(row.injected_ps),
            cell(row.delivered_ps),
            cell(row.latency_ps()),
            cell(row.lost.map(|(cycle, _)| cycle)),
            cell(row.lost.map(|(_, loss)| loss.name())),
        ];
        cells.join(",")
    });
    assert_eq!(shown.collect::<Vec<_>>(), ROWS);
}

/// Where nodes have clocks of their own rows have times: a packet is made when its cycle of the nominal clock begins, here
/// every 1,010 ps. The row of a delivery that is reported first waits for its injection.
#[test]
fn rows_of_clocks_have_times() {
    let (file, rows) = PacketFile::to_memory().unwrap();
    let (mut one, mut other) = (file.reporter(), file.reporter());
    for (reporter, cycle, ps) in [(&mut one, 12, 12_300), (&mut other, 40, 40_400)] {
        reporter.of_clocks(1010);
        let (reference, local) = (Cycle(cycle), Cycle(cycle));
        reporter.tick(NodeId(0), local, Moment { reference, ps });
    }
    let [of_one, of_other] = [packet(0, 1), packet(7, 1)];
    event(&mut other, 40, Event::Delivered { packet: of_other });
    // Its injection is never reported.
    event(
        &mut other,
        40,
        Event::Delivered {
            packet: packet(7, 2),
        },
    );
    drop(other);
    event(&mut one, 12, Event::Injected { packet: of_other });
    event(&mut one, 12, Event::Injected { packet: of_one });
    one.left_over(TerminalId(3), Cycle(33), 6, 1);
    drop(one);
    file.finish("").unwrap();
    let rows = rows.take();
    let times = rows.iter().map(|row| {
        let times = [row.created_ps, row.injected_ps, row.delivered_ps];
        (row.source.0, times, row.latency_ps())
    });
    let expected = [
        (7, [Some(10_100), Some(12_300), Some(40_400)], Some(30_300)),
        (3, [Some(33_330), None, None], None),
        (7, [Some(20_200), None, Some(40_400)], Some(20_200)),
        (0, [Some(10_100), Some(12_300), None], None),
    ];
    assert_eq!(times.collect::<Vec<_>>(), expected);
}

#[test]
fn a_parquet_file_has_the_same_rows() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("packets.parquet");
    let file = PacketFile::create(&path, &PARQUET, &provenance()).unwrap();
    report_events(&file);
    file.finish("complete").unwrap();
    let reader = SerializedFileReader::new(fs::File::open(&path).unwrap()).unwrap();
    let rows = reader.get_row_iter(None).unwrap().map(|row| {
        let row = row.unwrap();
        let cells = (0..COLUMNS).map(|column| {
            let cell = row.get_ulong(column);
            cell.map_or(String::new(), |number| number.to_string())
        });
        cells.collect::<Vec<_>>().join(",")
    });
    assert_eq!(rows.collect::<Vec<_>>(), ROWS);
    let metadata = reader.metadata().file_metadata();
    let fields = metadata.schema().get_fields().iter();
    assert!(fields.map(|field| field.name().to_owned()).eq(names()));
    let mut pairs: Vec<(String, String)> = metadata
        .key_value_metadata()
        .unwrap()
        .iter()
        .map(|pair| (pair.key.clone(), pair.value.clone().unwrap()))
        .collect();
    let status = pairs.pop().unwrap();
    assert_eq!(
        status,
        ("flitwork.status".to_owned(), "complete".to_owned())
    );
    assert_eq!(pairs, provenance().metadata());
}

/// More rows than a group of the file, more batches than may wait.
#[test]
fn many_packets_are_all_there() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("packets.parquet");
    let file = PacketFile::create(&path, &PARQUET, &provenance()).unwrap();
    let mut reporter = file.reporter();
    const PACKETS: u32 = 150_000;
    for serial in 0..PACKETS {
        let packet = packet(1, serial);
        event(&mut reporter, 0, Event::Injected { packet });
        let after = Event::Delivered { packet };
        event(&mut reporter, 10 * serial + 9, after);
    }
    drop(reporter);
    file.finish("complete").unwrap();
    let reader = SerializedFileReader::new(fs::File::open(&path).unwrap()).unwrap();
    assert!(reader.num_row_groups() > 2);
    let mut serials = 0u32..;
    for row in reader.get_row_iter(None).unwrap() {
        let row = row.unwrap();
        let serial = serials.next().unwrap();
        assert_eq!(row.get_ulong(1).unwrap(), u64::from(serial));
        assert_eq!(row.get_ulong(9).unwrap(), 9);
    }
    assert_eq!(serials.next(), Some(PACKETS));
}

#[test]
fn a_run_that_came_to_nothing_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("packets.csv");
    let file = PacketFile::create(&path, &CSV, &provenance()).unwrap();
    report_events(&file);
    drop(file);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

/// Of a source's million packets, 65,536 are always listed, and three more batches until nobody waits any longer;
/// the others are only counted.
#[test]
fn packets_that_nobody_waits_for_are_counted() {
    let folder = tempfile::tempdir().unwrap();
    let listed = 65_536 + 3 * BATCH;
    for format in Formats::default().iter() {
        let path = folder.path().join("packets");
        let asked = Arc::new(AtomicU64::new(0));
        let file = PacketFile::create(&path, format, &provenance()).unwrap();
        let file = file.listing_while(move || asked.fetch_add(1, Ordering::SeqCst) < 3);
        let mut reporter = file.reporter();
        reporter.left_over(TerminalId(0), Cycle(0), 1, 1_000_000);
        drop(reporter);
        let unlisted = 1_000_000 - listed as u64;
        assert_eq!(file.finish("partial").unwrap(), unlisted);
        let count = unlisted.to_string();
        match format.ending {
            "csv" => {
                let text = fs::read_to_string(&path).unwrap();
                let rows = text.lines().filter(|line| line.starts_with("0,"));
                assert_eq!(rows.count(), listed);
                let end = format!("# unlisted_packets = {count}\n# status = \"partial\"\n");
                assert!(text.ends_with(&end));
            }
            "parquet" => {
                let reader = SerializedFileReader::new(fs::File::open(&path).unwrap()).unwrap();
                let metadata = reader.metadata().file_metadata();
                assert_eq!(metadata.num_rows(), listed as i64);
                let pairs = metadata.key_value_metadata().unwrap();
                let said = |pair: &&::parquet::file::metadata::KeyValue| {
                    pair.key == "flitwork.unlisted_packets" && pair.value.as_ref() == Some(&count)
                };
                assert!(pairs.iter().any(|pair| said(&pair)));
            }
            other => panic!("{other}"),
        }
    }
}
