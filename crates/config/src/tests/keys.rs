//! The keys and their descriptions, and the defaults that apply.

use super::right_by_clocked;
use crate::Catalogue;
use std::collections::BTreeSet;

#[test]
fn a_default_that_is_written_changes_nothing() {
    let mut written = 0;
    for entry in Catalogue::default().describe_keys() {
        let Some((table, name)) = entry.key.rsplit_once('.') else {
            continue;
        };
        if toml::from_str::<toml::Table>(&format!("x = {}", entry.default)).is_err() {
            continue;
        }
        let closed = ["run.deadline_cycles", "traffic.k"].contains(&entry.key.as_str());
        let traffic = if closed {
            "process = \"once\""
        } else {
            "load = 0.5"
        };
        let text = |key: &str| {
            let tables = [
                "network",
                "router.chaos",
                "traffic",
                "run",
                "clocks",
                "clocks.delays",
                "clocks.islands",
                "clocks.changes",
                "live",
                "energy",
            ];
            let tables = tables.map(|other| {
                let own = match other {
                    "network" => "topology = \"mesh\"\nsides = [4, 4]",
                    "traffic" => traffic,
                    "clocks.islands" => "nodes = [3]\nperiod_ps = 2000",
                    "clocks.changes" => "at_ps = 5000\nperiod_ps = 2000",
                    _ => "",
                };
                format!(
                    "{}\n{own}\n{}\n",
                    Catalogue::default().schema().header(other),
                    if other == table { key } else { "" }
                )
            });
            tables.concat()
        };
        let explicit = text(&format!("{name} = {}", entry.default));
        assert_eq!(
            right_by_clocked(&explicit),
            right_by_clocked(&text("")),
            "{}",
            entry.key
        );
        written += 1;
    }
    assert!(written >= 30, "only {written} defaults are TOML");
}

/// Parts of a kind may have keys of the same name in one table, which are one key.
#[test]
fn no_key_is_described_twice() {
    let mut keys = BTreeSet::new();
    for entry in Catalogue::default().describe_keys() {
        assert!(keys.insert(entry.key.clone()), "{}", entry.key);
    }
    let of_patterns = ["traffic.locality", "traffic.phases.locality"];
    assert!(of_patterns.iter().all(|key| keys.contains(*key)));
}

#[test]
fn every_key_says_what_it_means() {
    for entry in Catalogue::default().describe_keys() {
        assert!(
            !entry.allowed.is_empty() && !entry.default.is_empty(),
            "{entry:?}"
        );
        assert!(
            !entry.meaning.is_empty() && !entry.meaning.ends_with('.'),
            "{entry:?}"
        );
    }
}
