//! Unrelated mistakes are all reported, each as if it were the only one, and nothing else is reported.

use crate::{ConfigError, Override, resolve};
use proptest::prelude::*;
use proptest::sample::subsequence;
use std::path::Path;

/// A valid configuration: headers, each with keys and values.
const RIGHT: &[(&str, &[(&str, &str)])] = &[
    (
        "[network]",
        &[
            ("topology", "\"mesh\""),
            ("sides", "[4, 4]"),
            ("link_latency_cycles", "1"),
            ("synchronizer_edges", "2"),
        ],
    ),
    (
        "[router.chaos]",
        &[("multiqueue_frames", "5"), ("packet_words", "20")],
    ),
    (
        "[traffic]",
        &[
            ("process", "\"bernoulli\""),
            ("load", "0.2"),
            ("pattern", "\"hot-spot\""),
            ("hot_nodes", "[3]"),
            ("hot_fraction", "0.1"),
        ],
    ),
    (
        "[run]",
        &[
            ("engine", "\"clocked\""),
            ("seed", "1"),
            ("warmup_cycles", "100"),
            ("measure_cycles", "1000"),
        ],
    ),
    (
        "[clocks]",
        &[
            ("period_ps", "1000"),
            ("spread", "\"uniform\""),
            ("spread_percent", "1.0"),
            ("domains", "\"node\""),
        ],
    ),
    (
        "[[clocks.islands]]",
        &[("nodes", "[1]"), ("period_ps", "900")],
    ),
    (
        "[[clocks.islands]] # 1",
        &[("nodes", "[2]"), ("period_ps", "900")],
    ),
    (
        "[[clocks.changes]]",
        &[("at_ps", "7000"), ("period_ps", "800"), ("nodes", "[5]")],
    ),
    ("[live]", &[("workers", "2"), ("channel_capacity", "64")]),
    ("[energy]", &[("link_pj", "1.0")]),
];

/// A mistake: the wrong value of a key under a header, or on the command line if there is no header; the key that the
/// message is about; and the tables and keys that it is held against, if it isn't wrong in itself. While those are
/// wrong, it isn't sought.
struct Mistake {
    header: &'static str,
    key: &'static str,
    value: Option<&'static str>,
    about: &'static str,
    beside: &'static [&'static str],
}

const fn mistake(
    header: &'static str,
    (key, value): (&'static str, Option<&'static str>),
    about: &'static str,
    beside: &'static [&'static str],
) -> Mistake {
    Mistake {
        header,
        key,
        value,
        about,
        beside,
    }
}

/// What tables are held against: those that decide how long a link takes, and their own.
const TRAFFIC: &[&str] = &["network", "router", "traffic", "run", "clocks"];
const ROUTER: &[&str] = &["network", "router", "traffic.process", "run", "clocks"];
const CLOCKS: &[&str] = &["network", "traffic.process", "run", "clocks"];
const LIVE: &[&str] = &["network", "traffic.process", "run", "clocks", "live"];

#[rustfmt::skip]
const MISTAKES: &[Mistake] = &[
    // Wrong independently of others.
    mistake("[network]", ("topology", Some("\"tours\"")), "network.topology", &[]),
    mistake("[network]", ("sides", Some("[4, 0]")), "network.sides", &[]),
    mistake("[network]", ("link_latency_cycles", Some("0")), "network.link_latency_cycles", &[]),
    mistake("[network]", ("synchronizer_edges", Some("\"two\"")), "network.synchronizer_edges", &[]),
    mistake("[router.chaos]", ("multiqueue_frames", Some("0.5")), "router.chaos.multiqueue_frames", &[]),
    mistake("[router.chaos]", ("packet_words", Some("[1]")), "router.chaos.packet_words", &[]),
    mistake("[traffic]", ("process", Some("\"bernouli\"")), "traffic.process", &[]),
    mistake("[traffic]", ("load", Some("1.5")), "traffic.load", &[]),
    mistake("[traffic]", ("pattern", Some("\"hotspot\"")), "traffic.pattern", &[]),
    mistake("[traffic]", ("hot_nodes", Some("[-1]")), "traffic.hot_nodes", &[]),
    mistake("[run]", ("engine", Some("\"clock\"")), "run.engine", &[]),
    mistake("[run]", ("seed", Some("-1")), "run.seed", &[]),
    mistake("[run]", ("warmup_cycles", Some("\"100\"")), "run.warmup_cycles", &[]),
    mistake("[run]", ("measure_cycles", Some("0")), "run.measure_cycles", &[]),
    mistake("[clocks]", ("period_ps", Some("0")), "clocks.period_ps", &[]),
    mistake("[clocks]", ("spread", Some("\"unifrom\"")), "clocks.spread", &[]),
    mistake("[clocks]", ("domains", Some("\"nodes\"")), "clocks.domains", &[]),
    mistake("[[clocks.islands]]", ("period_ps", Some("0")), "clocks.islands[0].period_ps", &[]),
    mistake("[[clocks.islands]]", ("phase_ps", Some("-3")), "clocks.islands[0].phase_ps", &[]),
    mistake("[[clocks.islands]] # 1", ("nodes", Some("3")), "clocks.islands[1].nodes", &[]),
    mistake("[clocks]", ("wander_ps", Some("-1")), "clocks.wander_ps", &[]),
    mistake("[[clocks.changes]]", ("at_ps", Some("-1")), "clocks.changes[0].at_ps", &[]),
    mistake("[[clocks.changes]]", ("gated", Some("1")), "clocks.changes[0].gated", &[]),
    mistake("[live]", ("workers", Some("0")), "live.workers", &[]),
    mistake("[live]", ("pinning", Some("\"true\"")), "live.pinning", &[]),
    mistake("[energy]", ("link_pj", Some("-1")), "energy.link_pj", &[]),
    mistake("", ("run.drain_cycles", Some("soon")), "run.drain_cycles", &[]),
    mistake("", ("live.burst_cycles", Some("0")), "live.burst_cycles", &[]),
    // Names that don't exist.
    mistake("[network]", ("link_color", Some("\"red\"")), "network.link_color", &[]),
    mistake("[router.chaos]", ("frames", Some("3")), "router.chaos.frames", &[]),
    mistake("[traffic]", ("sead", Some("3")), "traffic.sead", &[]),
    mistake("[run]", ("sead", Some("3")), "run.sead", &[]),
    mistake("[clocks]", ("[x]", Some("3")), "clocks.[x]", &[]),
    mistake("[[clocks.islands]]", ("node", Some("3")), "clocks.islands[0].node", &[]),
    mistake("[[clocks.changes]]", ("gate", Some("true")), "clocks.changes[0].gate", &[]),
    mistake("[live]", ("worker", Some("3")), "live.worker", &[]),
    mistake("[energy]", ("lnik_pj", Some("3")), "energy.lnik_pj", &[]),
    mistake("", ("power.link_pj", Some("3")), "power.link_pj", &[]),
    // Missing.
    mistake("[network]", ("sides", None), "network.sides", &["network"]),
    mistake("[traffic]", ("load", None), "traffic.load", TRAFFIC),
    mistake("[traffic]", ("hot_nodes", None), "traffic.hot_nodes", TRAFFIC),
    mistake("[clocks]", ("spread_percent", None), "clocks.spread_percent", CLOCKS),
    mistake("[[clocks.islands]]", ("nodes", None), "clocks.islands[0].nodes", CLOCKS),
    mistake("[[clocks.changes]]", ("at_ps", None), "clocks.changes[0].at_ps", CLOCKS),
    // Wrong beside other keys.
    mistake("[network]", ("sides", Some("[16384, 16384]")), "network.sides", &["network"]),
    mistake("[traffic]", ("k", Some("2")), "traffic.k", TRAFFIC),
    mistake("[traffic]", ("destination", Some("2")), "traffic.destination", TRAFFIC),
    mistake("[traffic]", ("hot_nodes", Some("[3, 16]")), "traffic.hot_nodes", TRAFFIC),
    mistake("[traffic]", ("packet_words", Some("4")), "traffic.packet_words", TRAFFIC),
    mistake("[router.chaos]", ("input_release_cycles", Some("1")), "router.chaos.input_release_cycles", ROUTER),
    mistake("[router.chaos]", ("scan_order", Some("[\"east\", \"east\"]")), "router.chaos.scan_order", ROUTER),
    mistake("[run]", ("deadline_cycles", Some("500")), "run.deadline_cycles", &["run", "traffic.process"]),
    mistake("[[clocks.islands]] # 1", ("nodes", Some("[2, 2]")), "clocks.islands[1].nodes", CLOCKS),
    mistake("[[clocks.islands]] # 1", ("jitter_ps", Some("950")), "clocks.islands[1].jitter_ps", CLOCKS),
    mistake("[[clocks.changes]]", ("nodes", Some("[16]")), "clocks.changes[0].nodes", CLOCKS),
    mistake("[live]", ("channel_capacity", Some("1")), "live.channel_capacity", LIVE),
];

/// The configuration with mistakes, and what the command line gives.
fn with(mistakes: &[&Mistake]) -> (String, Vec<Override>) {
    let mut text = String::new();
    for (header, keys) in RIGHT {
        let own = || mistakes.iter().filter(|it| it.header == *header);
        text += &format!("{header}\n");
        for (key, value) in *keys {
            match own().find(|mistake| mistake.key == *key) {
                Some(Mistake { value: None, .. }) => {}
                Some(Mistake {
                    value: Some(value), ..
                }) => text += &format!("{key} = {value}\n"),
                None => text += &format!("{key} = {value}\n"),
            }
        }
        for further in own().filter(|it| keys.iter().all(|(key, _)| *key != it.key)) {
            let key = match further.key.starts_with('[') {
                true => format!("{:?}", further.key),
                false => further.key.to_owned(),
            };
            text += &format!("{key} = {}\n", further.value.expect("a value"));
        }
    }
    let given = mistakes.iter().filter(|mistake| mistake.header.is_empty());
    let given = given.map(|it| Override::new(it.key, it.value.expect("a value")));
    (text, given.collect())
}

/// The message without its place, which depends on the lines of other mistakes.
fn said(error: &ConfigError) -> [String; 4] {
    let text = |text: Option<&str>| text.unwrap_or_default().to_owned();
    let found = error.found().to_owned();
    [
        text(error.key()),
        found,
        text(error.allowed()),
        text(error.hint()),
    ]
}

fn found(mistakes: &[&Mistake]) -> (Vec<[String; 4]>, String) {
    let (text, overrides) = with(mistakes);
    match resolve(&text, "x.toml", Path::new("no/such/directory"), &overrides) {
        Ok(_) => (Vec::new(), text),
        Err(error) => (
            error.each().map(|it| said(&it)).collect(),
            format!("{text}\n{error}"),
        ),
    }
}

impl Mistake {
    fn is_apart_from(&self, other: &Mistake) -> bool {
        let hides = |one: &Mistake, other: &Mistake| {
            let table = one.about.split('.').next();
            let is_in = |key: &&str| *key == one.about || Some(*key) == table;
            other.beside.iter().any(is_in)
        };
        self.about != other.about && !hides(self, other) && !hides(other, self)
    }
}

#[test]
fn each_mistake_is_found_in_isolation() {
    let (none, text) = found(&[]);
    assert!(none.is_empty(), "{text}");
    for mistake in MISTAKES {
        let (found, text) = found(&[mistake]);
        let keys: Vec<&str> = found.iter().map(|said| said[0].as_str()).collect();
        assert_eq!(keys, [mistake.about], "{text}");
    }
}

/// All pairs: a mistake hides none that isn't held against it, and adds none.
#[test]
fn any_two_mistakes_are_both_found() {
    let mut pairs = 0;
    for (place, one) in MISTAKES.iter().enumerate() {
        for other in MISTAKES[..place]
            .iter()
            .filter(|other| one.is_apart_from(other))
        {
            same(&[one, other]);
            pairs += 1;
        }
    }
    assert!(pairs > 900, "{pairs}");
}

fn same(mistakes: &[&Mistake]) {
    let (mut all, text) = found(mistakes);
    let mut isolated: Vec<_> = mistakes
        .iter()
        .flat_map(|mistake| found(&[mistake]).0)
        .collect();
    all.sort();
    isolated.sort();
    let missing: Vec<_> = isolated.iter().filter(|it| !all.contains(it)).collect();
    let further: Vec<_> = all.iter().filter(|it| !isolated.contains(it)).collect();
    assert_eq!(
        all, isolated,
        "missing: {missing:?}, further: {further:?} in\n{text}"
    );
}

proptest! {
    #[test]
    fn many_mistakes_are_all_found(
        drawn in subsequence((0..MISTAKES.len()).collect::<Vec<_>>(), 2..30).prop_shuffle(),
    ) {
        let mut apart: Vec<&Mistake> = Vec::new();
        for index in drawn {
            let mistake = &MISTAKES[index];
            if apart.iter().all(|other| other.is_apart_from(mistake)) && apart.len() < 20 {
                apart.push(mistake);
            }
        }
        same(&apart);
    }
}
