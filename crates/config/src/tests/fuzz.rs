//! Every text, whatever it holds, gets an answer.

use super::round_trip::configuration;
use crate::{Catalogue, Override, file, resolve};
use flitwork_schedule::method::AnyMethod;
use flitwork_steps::named::AnyRule;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use std::path::Path;

/// Resolves as each command does, and prints the errors, which must neither panic nor be long.
fn answer(text: &str, overrides: &[Override]) -> Result<(), TestCaseError> {
    let (catalogue, base_dir) = (Catalogue::default(), Path::new("no/such/directory"));
    let run = resolve(text, "x.toml", base_dir, overrides).err();
    let routing = catalogue.resolve_problem::<AnyRule>(text, ("x.toml", base_dir), overrides);
    let scheduling = catalogue.resolve_problem::<AnyMethod>(text, ("x.toml", base_dir), overrides);
    for error in [run, routing.err(), scheduling.err()].into_iter().flatten() {
        let message = error.to_string();
        for one in error.each() {
            let message = one.to_string();
            prop_assert!(message.len() < 4000, "{} bytes", message.len());
            prop_assert!(message.lines().count() <= 6, "{message}");
        }
        prop_assert!(error.each().count() <= 20, "{message}");
        prop_assert!(
            !message.contains(|c: char| c.is_control() && c != '\n'),
            "{message:?}"
        );
    }
    Ok(())
}

/// A string that a mutation inserts into a text.
fn insertion() -> BoxedStrategy<String> {
    let syntax = select(vec![
        "0",
        "-1",
        "99999999999999999999",
        "1e400",
        "nan",
        "inf",
        "\"",
        "'''",
        "[",
        "]",
        "{",
        "}",
        "=",
        ".",
        ",",
        "\n",
        "\r",
        "\0",
        "\u{feff}",
        "\u{202e}",
        "é",
        "#",
        "true",
        "2024-01-01",
        "[[x]]\n",
        "[network]\n",
        "network.sides = [1]\n",
        "\"\\u0000\"",
        "x = 1\n",
        "_",
        "0x",
    ]);
    prop_oneof![syntax.prop_map(str::to_owned), any::<String>()].boxed()
}

fn mutate(text: &str, changes: &[(Index, usize, String)]) -> String {
    let mut text = text.to_owned();
    for (at, removed, inserted) in changes {
        let from = text.floor_char_boundary(at.index(text.len() + 1));
        let to = text
            .floor_char_boundary((from + removed).min(text.len()))
            .max(from);
        text.replace_range(from..to, inserted);
    }
    text
}

proptest! {
    #[test]
    fn any_text(text in any::<String>(), over in any::<String>()) {
        let overrides: Vec<Override> = over.parse().into_iter().collect();
        answer(&text, &overrides)?;
    }

    #[test]
    fn a_cut_text(text in configuration(), at in any::<Index>()) {
        answer(&text[..text.floor_char_boundary(at.index(text.len()))], &[])?;
    }

    #[test]
    fn a_changed_text(
        text in configuration(),
        changes in prop::collection::vec((any::<Index>(), 0usize..8, insertion()), 1..4),
    ) {
        answer(&mutate(&text, &changes), &[])?;
    }

    #[test]
    fn any_value_for_any_key(
        text in configuration(),
        key in select(Catalogue::default().describe_keys().into_iter().map(|key| key.key).collect::<Vec<_>>()),
        value in insertion(),
    ) {
        answer(&text, &[Override::new(&key, &value)])?;
    }

    #[test]
    fn any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), &bytes).unwrap();
        if let Ok(text) = file::read_text(file.path(), 100) {
            prop_assert!(bytes.len() <= 100);
            answer(&text, &[])?;
        }
    }
}

#[test]
fn long_and_deep_texts() {
    let texts = [
        format!("{}a = 1", "a.".repeat(500_000)),
        format!("[{}a]\nx = 1", "a.".repeat(500_000)),
        format!("a = {}", "[".repeat(1_000_000)),
        format!("a = {}", "{a=".repeat(300_000)),
        "k = 1\n".repeat(170_000),
        "[[a]]\n".repeat(170_000),
        format!("a = \"{}", "\\".repeat(1_000_000)),
        format!("{} = 1", "n".repeat(1_000_000)),
        format!("network = {{ sides = [{}] }}", "1,".repeat(500_000)),
        format!("traffic = {{ load = {} }}", "1".repeat(1_000_000)),
        "#".repeat(2_000_000),
    ];
    for text in texts {
        answer(&text, &[]).unwrap();
        let value = format!("network={{sides={}", "[".repeat(100_000));
        answer("", &[value.parse().unwrap()]).unwrap();
    }
}
