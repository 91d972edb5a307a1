use super::*;
use crate::figures::Figures;
use crate::row::Status;
use flitwork_report::Cell;
use proptest::prelude::*;
use std::fs;

/// A made-up row of a point.
pub(crate) fn row(point: u32) -> Row {
    Row {
        point,
        configuration: 7 * point,
        status: Status::Complete,
        reason: point
            .is_multiple_of(3)
            .then(|| "\"quoted\",\"crc32\":\"00000000\"}\nand more ü".into()),
        times_the_cycles: 1 << (point % 4),
        figures: Some(Figures::known(&[
            ("seed", Cell::Count(u64::MAX)),
            ("steady", Cell::Truth(true)),
            (
                "accepted_load_words_per_node_cycle",
                Cell::Number(0.1 + f64::from(point) / 3.0),
            ),
            ("latency_mean_cycles", Cell::Number(1.0 / 3.0)),
            ("latency_half_width_cycles", Cell::Number(f64::MIN_POSITIVE)),
            ("latency_max_cycles", Cell::Count(9)),
            ("hops_per_packet", Cell::Number(2.0)),
            (
                "not_steady",
                Cell::Text("\"quoted\",\"crc32\":\"00000000\"}\n".into()),
            ),
            ("digest", Cell::Text("abc".into())),
        ])),
        seconds: 0.1,
    }
}

fn rows(count: u32) -> Vec<Row> {
    (0..count).map(row).collect()
}

fn text(rows: &[Row]) -> Vec<u8> {
    rows.iter().map(line).collect::<String>().into_bytes()
}

#[test]
fn what_is_appended_is_found_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = &folder.path().join("j");
    let rows = rows(5);
    {
        let (mut journal, _) = Journal::open(path).unwrap();
        journal.append(&rows[..2]).unwrap();
        assert!(matches!(Journal::open(path), Err(Error::Locked(_))));
    }
    let (mut journal, found) = Journal::open(path).unwrap();
    assert_eq!(found.rows.len(), 2);
    let spots = journal.append(&rows[2..]).unwrap();
    let mut again = Rereader::open(path).unwrap();
    for (spot, row) in spots.iter().zip(&rows[2..]).rev() {
        assert_eq!(again.row(*spot).unwrap(), *row);
    }
    let found: Vec<Row> = scan(path)
        .unwrap()
        .rows
        .into_iter()
        .map(|(row, _)| row)
        .collect();
    assert_eq!(found, rows);
}

proptest! {
    /// Torn at any byte, a journal keeps every whole line and continues as if the rest had never been written.
    #[test]
    fn a_torn_journal_keeps_its_whole_lines(count in 1u32..6, share in 0.0f64..=1.0) {
        let rows = rows(count);
        let whole = text(&rows);
        let cut = (share * whole.len() as f64) as usize;
        let folder = tempfile::tempdir().unwrap();
        let path = &folder.path().join("j");
        fs::write(path, &whole[..cut]).unwrap();
        let kept = whole[..cut].iter().filter(|byte| **byte == b'\n').count();
        let (mut journal, found) = Journal::open(path).unwrap();
        prop_assert_eq!(found.damaged, 0);
        prop_assert_eq!(found.rows.len(), kept);
        journal.append(&rows[kept..]).unwrap();
        prop_assert_eq!(fs::read(path).unwrap(), whole);
    }

    /// However a byte changes, no row is mistaken for another.
    #[test]
    fn a_damaged_line_is_no_row(count in 1u32..6, share in 0.0f64..1.0, byte in any::<u8>()) {
        let rows = rows(count);
        let mut bytes = text(&rows);
        let at = (share * bytes.len() as f64) as usize;
        prop_assume!(bytes[at] != byte);
        bytes[at] = byte;
        let folder = tempfile::tempdir().unwrap();
        let path = &folder.path().join("j");
        fs::write(path, &bytes).unwrap();
        let (_, found) = Journal::open(path).unwrap();
        prop_assert!(found.rows.len() < rows.len());
        prop_assert!(found.rows.len() + 2 >= rows.len());
        prop_assert!(found.rows.iter().all(|(found, _)| rows.contains(found)));
    }

    /// A file of anything else isn't a journal, and is handled without a panic.
    #[test]
    fn any_bytes_are_taken(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let folder = tempfile::tempdir().unwrap();
        let path = &folder.path().join("j");
        fs::write(path, &bytes).unwrap();
        prop_assert!(scan(path).unwrap().rows.is_empty());
    }
}
