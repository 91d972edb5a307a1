//! Rows of `flitwork trace` as JSON.

use crate::harness::Folder;
use serde_json::Value;

/// `--json` prints one document, also where it is a list of many rows, of one or of none; `--jsonl` one a line.
#[test]
fn a_list_is_one_document_or_a_row_a_line() {
    let folder = Folder::new();
    let (packet, _) = folder.slowest("small.toml", &[]);
    let none = ["events", "small.toml", "--where", "latency > 1000000"];
    for question in [
        &["packets", "small.toml"][..],
        &["packets", "small.toml", "--limit", "1"],
        &["events", "small.toml", "--to", "300"],
        &none,
        &["packet", "small.toml", &packet],
    ] {
        let ask = |form| folder.fine(&[&["trace"], question, &[form]].concat());
        let list = ask("--json").json();
        let lines = ask("--jsonl");
        let rows = lines.out.lines().map(serde_json::from_str::<Value>);
        let rows: Vec<Value> = rows.collect::<Result<_, _>>().unwrap();
        assert_eq!(list.as_array().unwrap(), &rows, "{question:?}");
        assert_eq!(rows.is_empty(), question == none, "{question:?}");
    }
    let both = ["trace", "packets", "small.toml", "--json", "--jsonl"];
    folder.refuses(&both, &["--jsonl"]);
}
