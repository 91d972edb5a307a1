//! CSV traces: what is read, and every mistake by its line and column.

use super::writer::packed;
use super::*;
use crate::{CsvReader, Links, TraceNode, TraceSummary};
use proptest::prelude::*;
use std::io::Cursor as Bytes;

fn read(text: &str) -> Result<Vec<TracePacket>, TraceError> {
    read_bytes(text.as_bytes())
}

fn read_bytes(bytes: &[u8]) -> Result<Vec<TracePacket>, TraceError> {
    let packets =
        CsvReader::new(Bytes::new(bytes.to_vec()), 4).and_then(|mut reader| all(&mut reader))?;
    TraceSummary::of(CsvReader::new(Bytes::new(bytes.to_vec()), 4)?)?;
    Ok(packets)
}

fn law(id: u64, cycle: u64, ends: (u32, u32), words: u16, class: u8, after: &[u64]) -> TracePacket {
    TracePacket {
        id: TraceId(id),
        cycle,
        source: TraceNode(ends.0),
        destination: TraceNode(ends.1),
        words,
        class,
        links: Links::After(after.iter().copied().map(TraceId).collect()),
    }
}

#[test]
fn everything_is_read() {
    let text = "\u{feff}# a comment, with commas\r\n\n cycle , src,dst,words,id,after # the header\r\n\
                0,0,3,1,10,\r\n  \n\t4 , 3,0,5, 7,10\n# between\n4,3,3,65535,18446744073709551615, 10;7 ;; 7 # both";
    let expected = [
        law(10, 0, (0, 3), 1, 0, &[]),
        law(7, 4, (3, 0), 5, 0, &[10]),
        law(u64::MAX, 4, (3, 3), 65_535, 0, &[10, 7, 7]),
    ];
    assert_eq!(read(text).unwrap(), expected);
    assert_eq!(read_bytes(&packed(text.as_bytes())).unwrap(), expected);
    // Columns in another order; packets are counted from 0.
    let text = "after,class,words,dst,src,cycle\n,255,1,1,0,0\n0,0,2,0,1,0\n0 1,3,3,2,3,18446744073709551615\n";
    let expected = [
        law(0, 0, (0, 1), 1, 255, &[]),
        law(1, 0, (1, 0), 2, 0, &[0]),
        law(2, u64::MAX, (3, 2), 3, 3, &[0, 1]),
    ];
    assert_eq!(read(text).unwrap(), expected);
    assert_eq!(read("cycle,src,dst,words").unwrap(), []);
}

#[test]
fn the_documentations_example_is_a_trace() {
    let page = include_str!("../../../../../docs/src/traces.md");
    let (_, example) = page.split_once("```text\ncycle,").unwrap();
    let (example, _) = example.split_once("```").unwrap();
    let expected = [
        law(10, 0, (0, 3), 1, 0, &[]),
        law(11, 4, (3, 0), 5, 0, &[10]),
        law(12, 4, (3, 1), 1, 0, &[10, 11]),
    ];
    assert_eq!(read(&format!("cycle,{example}")).unwrap(), expected);
}

/// Reads a row after one of packet 5, in a trace of nodes 0 to 3 with all columns.
fn row(row: &str) -> Result<Vec<TracePacket>, TraceError> {
    read(&format!(
        "# \ncycle,src,dst,words,id,class,after\n0,0,1,1,5,0,\n{row}\n"
    ))
}

#[test]
fn invalid_numbers_are_reported_with_line_and_column() {
    let (node, most) = (u32::MAX.into(), u64::MAX);
    for (text, column, found, (least, most)) in [
        ("-1,0,1,1,6,0,", "cycle", "-1", (0, most)),
        ("1.5,0,1,1,6,0,", "cycle", "1.5", (0, most)),
        (
            "18446744073709551616,0,1,1,6,0,",
            "cycle",
            "18446744073709551616",
            (0, most),
        ),
        ("0,,1,1,6,0,", "src", "", (0, node)),
        ("0,0,1,0,6,0,", "words", "0", (1, 65_535)),
        ("0,0,1,65536,6,0,", "words", "65536", (1, 65_535)),
        ("0,0,1,1,,0,", "id", "", (0, most)),
        ("0,0,1,1,6,256,", "class", "256", (0, 255)),
        ("0,0,1,1,6,0,5;x", "after", "x", (0, most)),
    ] {
        let message = format!(
            "line 4, column {column}: {found:?} is not allowed; a whole number from {least} to {most} is"
        );
        assert_eq!(row(text).unwrap_err().to_string(), message);
    }
}

#[test]
fn mistakes_are_reported_with_line_and_column() {
    for (text, message) in [
        ("0,0,1,1,5", "line 4: a line of 5 fields; the header has 7"),
        (
            "0,0,1,1,6,0,,",
            "line 4: a line of 8 fields; the header has 7",
        ),
        (
            "0,4,1,1,6,0,",
            "line 4, column src: source 4; the trace has nodes 0 to 3",
        ),
        (
            "0,0,9,1,6,0,",
            "line 4, column dst: destination 9; the trace has nodes 0 to 3",
        ),
        (
            "0,0,1,1,5,0,",
            "line 4, column id: a second packet with the id 5; each has its own",
        ),
        (
            "0,0,1,1,6,0,6",
            "line 4, column after: dependency cycle: packet 6 waits for itself",
        ),
    ] {
        assert_eq!(row(text).unwrap_err().to_string(), message);
    }
    let forward = row("0,0,1,1,6,0,5;7\n0,0,1,1,7,0,")
        .unwrap_err()
        .to_string();
    let message = "line 4, column after: packet 6 waits for packet 7, which doesn't precede it; ";
    assert!(forward.starts_with(message), "{forward}");
    let unsorted = read("cycle,src,dst,words\n3,0,1,1\n\n2,0,1,1")
        .unwrap_err()
        .to_string();
    let message = "line 4, column cycle: cycle 2 after cycle 3; packets are sorted by cycle";
    assert_eq!(unsorted, message);
    let long = "x".repeat(60);
    let excerpt = row(&format!("{long},0,1,1,6,0,")).unwrap_err().to_string();
    assert!(
        excerpt.contains(&format!("\"{}…\"", "x".repeat(40))),
        "{excerpt}"
    );
}

#[test]
fn invalid_headers_are_reported() {
    let refused = |text: &str| read(text).unwrap_err().to_string();
    for empty in ["", "\n\n", "# nothing\n"] {
        assert!(refused(empty).contains("the trace is empty; its first line must name"));
    }
    assert_eq!(
        refused("0,1,2,3\n"),
        "line 1: the header names the column \"0\"; \
         the columns are cycle, src, dst, words, id, class, after"
    );
    assert!(refused("\ncycle,src,dst\n").starts_with("line 2: the header has no column words;"));
    assert!(refused("cycle,src,src,dst,words").contains("names the column src twice"));
    assert!(refused("cycle,src,dst,words,").contains("names the column \"\"; "));
    let long = format!("cycle,src,dst,words\n0,0,1,1\n{}", "9".repeat(2 << 20));
    assert_eq!(
        refused(&long),
        "line 3: a line of more than 1048576 bytes; a line is one packet"
    );
}

#[test]
fn a_truncated_bzip2_trace_is_reported() {
    let packed = packed(b"cycle,src,dst,words\n0,0,1,1\n");
    for cut in 3..packed.len() {
        let error = read_bytes(&packed[..cut]).unwrap_err().to_string();
        assert!(
            error.ends_with("the bzip2 file is truncated here"),
            "{error}"
        );
    }
}

proptest! {
    #[test]
    fn any_text_gives_packets_or_an_error(text in "(cycle,src,dst,words(,id)?(,after)?\n)?([0-9a-z,;# \n\"-]|[0-3],){0,80}") {
        if let Err(error) = read(&text) {
            prop_assert!(error.to_string().starts_with("line "));
        }
    }

    #[test]
    fn any_bytes_give_packets_or_an_error(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let bytes = [b"cycle,src,dst,words\n", &bytes[..]].concat();
        let _ = read_bytes(&bytes);
    }
}
