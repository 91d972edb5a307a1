//! Samples of what [`properties`](super::properties) and [`unread`](super::unread) demand of every key, one of each kind;
//! and messages that follow a rule of their own.

use super::Case;
use super::reference::{home, misspelt, put};

/// Keys and values in the file.
#[rustfmt::skip]
const IN_THE_FILE: &[(&str, &str)] = &[
    ("router.wormhole.vcs", "\"x\""),
    ("router.wormhole.vcs", "33"),
    ("router.chaos.derouting", "[true]"),
    ("run.engine", "3"),
    ("run.engine", "\"synx\""),
    ("traffic.file", "\"\""),
    ("traffic.file", "[\"x\"]"),
    ("traffic.destination", "-1"),
    ("traffic.destination", "16"),
    ("traffic.hot_nodes", "3"),
    ("traffic.hot_nodes", "[]"),
    ("traffic.modulated.transitions", "[[\"x\"]]"),
    ("traffic.modulated.transitions", "[[0, 1], [1]]"),
    ("router.chaos.scan_order", "[]"),
    ("traffic.lengths.weights", "[99999999]"),
    ("traffic.phases.load", "\"x\""),
    ("live.slack", "-1"),
    ("clocks.self-timed.word_ps", "0"),
];

/// Keys misspelt in the file.
const MISSPELT: &[&str] = &["traffic.phases.pattern", "router.wormhole.vcs"];

/// The key whose configuration it is, and the value set on the command line.
#[rustfmt::skip]
const ON_THE_COMMAND_LINE: &[(&str, &str)] = &[
    ("traffic", "traffic=3"),
    ("traffic", "traffic={ zzz = 1 }"),
    ("traffic.phases", "traffic.phases=[3]"),
    ("traffic.phases", "traffic.phases={ zzz = 1 }"),
    ("traffic.phases", "traffic.phases=[]"),
    ("traffic.phases", "traffic.phases.load=\"x\""),
    ("traffic.modulated", "traffic.modulated.states=[]"),
    ("", "tarffic=1"),
    ("", "clocks.changes=[]"),
    ("clocks.delays", "clocks.delays.file=3"),
    ("", "clocks.arbiter={ zzz = 1 }"),
    ("", "network.handshake.acknowledge_ps=\"x\""),
];

/// Required keys that are left out.
const LEFT_OUT: &[&str] = &[
    "traffic.load",
    "traffic.phases.hot_nodes",
    "router.scheduled.file",
    "clocks.changes.period_ps",
];

/// Keys and values in the configuration of another key, where nothing reads them.
#[rustfmt::skip]
const UNREAD: &[(&str, &str, &str)] = &[
    ("traffic.trace", "run.measure_cycles", "1"),
    ("traffic", "traffic.k", "3"),
    ("traffic.hot_nodes", "traffic.destination", "5"),
    ("traffic.k", "traffic.destination", "5"),
    ("traffic.phases", "traffic.destination", "5"),
    ("traffic.trace", "traffic.destination", "5"),
    ("traffic.lengths", "traffic.lengths.mean_words", "3"),
    ("traffic.lengths", "traffic.packet_words", "1"),
    ("traffic.batch", "traffic.lengths.law", "\"uniform\""),
    ("traffic.trace", "traffic.lengths.law", "\"uniform\""),
    ("traffic.trace", "traffic.trace.columns", "2"),
    ("traffic.trace", "traffic.trace.first_region", "0"),
    ("traffic.trace", "traffic.trace.places", "[1, 2, 3, 4]"),
];

/// A key's table, and its name within.
fn split(key: &str) -> (&str, &str) {
    key.rsplit_once('.').unwrap()
}

pub(super) fn cases() -> Vec<Case> {
    let line_in_file = |key: &str, name: &str, value: &str| {
        let (table, line) = (split(key).0, format!("{name} = {value}"));
        let text = put(&home(key), table, name, &line);
        Case::text(format!("{table}: {line}"), text)
    };
    let values = IN_THE_FILE
        .iter()
        .map(|(key, value)| line_in_file(key, split(key).1, value));
    let misspelt = MISSPELT
        .iter()
        .map(|key| line_in_file(key, &misspelt(split(key).1), "1"));
    let set = ON_THE_COMMAND_LINE.iter().map(|(key, set)| {
        Case::new("", &["check", "x.toml", "--set", set]).with("x.toml", home(key))
    });
    let left_out = LEFT_OUT.iter().map(|key| {
        let (table, name) = split(key);
        let text = put(&home(key), table, name, "");
        Case::text(format!("{table} without {name}"), text)
    });
    values.chain(misspelt).chain(set).chain(left_out).collect()
}

pub(super) fn unread() -> Vec<Case> {
    let case = |(beside, key, value): &(&str, &str, &str)| {
        let (table, name) = split(key);
        let (line, text) = (format!("{name} = {value}"), home(beside));
        let traffic = text.split_once("[traffic]\n").unwrap().1.trim_end();
        let wrong = format!("{table}: {line}, {traffic:?}");
        Case::text(wrong, put(&text, table, name, &line))
    };
    UNREAD.iter().map(case).collect()
}
