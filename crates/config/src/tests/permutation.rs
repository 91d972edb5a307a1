//! Valid and invalid permutation files.

use super::SHORT;
use crate::{ConfigError, ErrorPlace, MistakeKind, Resolved, resolve};
use flitwork_traffic::PermutationParameters;
use flitwork_types::TerminalId;
use std::path::Path;

fn with_file(content: Option<&[u8]>) -> (Result<Resolved, ConfigError>, String) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("perm.json");
    if let Some(content) = content {
        std::fs::write(&path, content).unwrap();
    }
    let text = format!("{SHORT}pattern = \"permutation\"\nfile = \"perm.json\"\n");
    (
        resolve(&text, "x.toml", directory.path(), &[]),
        path.display().to_string(),
    )
}

fn refusal(content: &[u8]) -> String {
    let (error, path) = with_file(Some(content));
    error.unwrap_err().to_string().replace(&path, "perm.json")
}

#[test]
fn a_file_becomes_packets_and_keeps_its_path() {
    for content in ["{\"packets\": [[0, 3], [3, 0]]}", "\u{feff}0 3\n3 0\n"] {
        let traffic = with_file(Some(content.as_bytes())).0.unwrap().traffic;
        let pairs = [(0, 3), (3, 0)].map(|(from, to)| (TerminalId(from), TerminalId(to)));
        let expected = PermutationParameters {
            file: Some("perm.json".into()),
            listed: Some(pairs.to_vec()),
        };
        assert_eq!(traffic.pattern, expected.into());
    }
}

#[test]
fn without_a_file_it_is_drawn() {
    let text = format!("{SHORT}pattern = \"permutation\"\n[run]\nseed = 9\n");
    let resolved = resolve(&text, "x.toml", Path::new(""), &[]).unwrap();
    let traffic = resolved.traffic;
    assert_eq!(traffic.pattern, PermutationParameters::default().into());
}

#[test]
fn a_missing_file_is_a_mistake_of_the_configuration() {
    let (error, path) = with_file(None);
    let error = error.unwrap_err();
    assert_eq!(error.kind(), MistakeKind::File);
    let expected = format!(
        "\
x.toml:8:8: traffic.file: {path} doesn't exist
  8 | file = \"perm.json\"
    |        ^^^^^^^^^^^
  allowed: a readable file of UTF-8 text, at most 1 GiB"
    );
    assert_eq!(error.to_string(), expected);
}

#[test]
fn a_wrong_file_is_the_place_of_its_mistake() {
    let expected = "\
perm.json:3:3: \"99\" is not a node; nodes are whole numbers from 0 to 15
  3 | 2 99
    |   ^
  hint: read for traffic.file, x.toml:8:8";
    assert_eq!(refusal(b"0 1\n1 0\n2 99\n"), expected);
    let (error, path) = with_file(Some(b"0 1\n1 1"));
    let place = ErrorPlace::Text {
        file: path,
        line: 2,
        column: 3,
    };
    assert_eq!(*error.unwrap_err().place(), place);
}

#[test]
fn malformed_permutation_files_are_refused() {
    let cases: [(&[u8], &str); 9] = [
        (b"", "perm.json: no packet; "),
        (b"# none\n", "perm.json: no packet; "),
        (b"{\"packets\": [[0, 1], [1", "perm.json:1:23: "),
        (b"[1, 0, 2", "perm.json:1:8: "),
        (
            b"0 1\n\xff",
            "perm.json: is not UTF-8 text: byte 4 (0xff, in line 2)",
        ),
        (b"\0\x01\x02", "perm.json:1:"),
        (b"0 1\n0 2\n", "perm.json:2:1: a second packet from node 0"),
        (b"0 1\n2 1\n", "perm.json:2:3: a second packet to node 1"),
        (
            b"0 0\n1 1\n",
            "x.toml:7:11: traffic.pattern: permutation makes every node of this network send to itself",
        ),
    ];
    for (content, expected) in cases {
        let message = refusal(content);
        assert!(
            message.starts_with(expected),
            "{content:?} gives\n{message}"
        );
    }
}

#[test]
fn a_file_of_one_long_line_gives_a_short_excerpt() {
    let long = format!("[1, {}", "é".repeat(1_000_000));
    let message = refusal(long.as_bytes());
    assert!(message.len() < 1000, "{} bytes", message.len());
}

#[test]
fn a_huge_file_and_a_directory_are_not_read() {
    let directory = tempfile::tempdir().unwrap();
    std::fs::File::create(directory.path().join("huge"))
        .unwrap()
        .set_len((1 << 30) + 1)
        .unwrap();
    for (file, expected) in [("huge", "has 1073741825 bytes"), (".", "is a directory")] {
        let text = format!("{SHORT}pattern = \"permutation\"\nfile = \"{file}\"\n");
        let error = resolve(&text, "x.toml", directory.path(), &[])
            .unwrap_err()
            .to_string();
        assert!(
            error.starts_with("x.toml:8:8: ") && error.contains(expected),
            "{error}"
        );
    }
}
