//! A provenance can be read back from every kind of file.

use super::*;
use std::collections::BTreeMap;

const CONFIGURATION: &str = "[network]\nsides = [4, 4]\n\n[traffic]\nfile = \"a'''b <&> #.json\"\n";

fn program() -> Program {
    Program {
        version: "1.2.3".into(),
        revision: "0123abcd-dirty".into(),
        command: command_line(["flitwork", "run", "it's here.toml", "--set", "a=\"b\nc\""]),
    }
}

fn one() -> Provenance {
    program().made(Configuration::One(CONFIGURATION.into()), u64::MAX, 3)
}

/// A shell turns the text back into the arguments.
#[test]
fn a_command_line_is_what_a_shell_takes() {
    let arguments = [
        "flitwork",
        "",
        "a b",
        "it's",
        "$HOME `x` \"y\" \\",
        "*.toml",
        "ü=1",
        "two\nlines",
    ];
    let text = command_line(arguments);
    let script = format!("set -- {text}; for one in \"$@\"; do printf '%s\\0' \"$one\"; done");
    let done = std::process::Command::new("sh")
        .args(["-c", &script])
        .output()
        .unwrap();
    let shown = String::from_utf8(done.stdout).unwrap();
    let shown: Vec<&str> = shown.split_terminator('\0').collect();
    assert_eq!(shown, arguments);
}

fn check(table: &toml::Table) {
    assert_eq!(table["schema_version"].as_integer(), Some(4));
    assert_eq!(table["version"].as_str(), Some("1.2.3"));
    assert_eq!(table["revision"].as_str(), Some("0123abcd-dirty"));
    let command = "flitwork run \"it's here.toml\" --set 'a=\"b\nc\"'";
    assert_eq!(table["command"].as_str(), Some(command));
    // Beyond what TOML has as a number.
    assert_eq!(table["seed"].as_str(), Some("18446744073709551615"));
    assert_eq!(table["seeds"].as_integer(), Some(3));
    assert_eq!(table["configuration"].as_str(), Some(CONFIGURATION));
}

#[test]
fn the_lines_in_front_of_a_table_are_toml() {
    let csv = [one().comment().as_bytes(), b"a,b\n1,2\n"].concat();
    let csv = String::from_utf8(csv).unwrap();
    let (head, table): (Vec<&str>, Vec<&str>) = csv.lines().partition(|line| line.starts_with('#'));
    assert_eq!(table, ["a,b", "1,2"]);
    let lines = head.iter().map(|line| {
        let line = line.strip_prefix('#').unwrap();
        line.strip_prefix(' ').unwrap_or(line).to_owned() + "\n"
    });
    let text: String = lines.collect();
    check(&toml::from_str(&text).unwrap());
}

#[test]
fn an_svg_document_holds_it_as_metadata() {
    let document = one().in_svg("<?xml version=\"1.0\"?>\n<svg width=\"1\">\n<g/>\n</svg>\n");
    let (before, rest) = document.split_once("\n<metadata>\n").unwrap();
    assert_eq!(before, "<?xml version=\"1.0\"?>\n<svg width=\"1\">");
    let (text, after) = rest.split_once("</metadata>").unwrap();
    assert_eq!(after, "\n<g/>\n</svg>\n");
    assert!(!text.contains('<'));
    let text = text.replace("&lt;", "<").replace("&amp;", "&");
    check(&toml::from_str(&text).unwrap());
}

#[test]
fn configurations_keep_their_names() {
    let several = BTreeMap::from([
        ("a".to_owned(), CONFIGURATION.to_owned()),
        ("b".to_owned(), "[router.chaos]\n".to_owned()),
    ]);
    let provenance = program().made(Configuration::Several(several), 7, 1);
    let table: toml::Table = toml::from_str(&provenance.toml()).unwrap();
    assert_eq!(table["seed"].as_integer(), Some(7));
    let read = &table["configuration"];
    assert_eq!(read["a"].as_str(), Some(CONFIGURATION));
    assert_eq!(read["b"].as_str(), Some("[router.chaos]\n"));
    let json = serde_json::to_value(&provenance).unwrap();
    assert_eq!(json["configuration"]["b"], "[router.chaos]\n");
    let names: Vec<String> = provenance
        .metadata()
        .into_iter()
        .map(|pair| pair.0)
        .collect();
    assert_eq!(names.last().unwrap(), "flitwork.configuration.b");
}

#[test]
fn the_provenance_comes_first() {
    let found = BTreeMap::from([("status", "complete")]);
    let provenance = one();
    let sourced = Sourced {
        provenance: &provenance,
        found: &found,
    };
    let json = serde_json::to_value(&sourced).unwrap();
    assert_eq!(json["status"], "complete");
    assert_eq!(json["provenance"]["seed"], u64::MAX);
    assert_eq!(json["provenance"]["configuration"], CONFIGURATION);
}
