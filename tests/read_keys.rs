//! A key that a configuration accepts is read: some value of it changes the run.
//!
//! Each key is given many values in each of some small configurations. If any accepts it with a value other than the
//! default, one value must change the events, the length, the verdict or the figures of one of the runs, or the key is listed
//! with the reason why none does.

use flitwork_config::{Catalogue, Resolved, Verdict};
use flitwork_experiment::simulate::simulate;
use flitwork_results::Results;
use serde_json::Value;
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::Path;
use toml::{Table, Value as Toml};

/// Small networks under enough traffic for nodes to wait for each other: a name, and the lines of the tables `network`,
/// `router`, `traffic` and `run`, and further tables.
#[rustfmt::skip]
const CONFIGURATIONS: &[(&str, [&str; 5])] = &[
    ("chaos", [MESH, "[router.chaos]", "load = 0.5", OPEN, ""]),
    ("full multiqueues", [MESH, "[router.chaos]\nmultiqueue_frames = 2\nstall_threshold_cycles = 0", "load = 1.0", OPEN, ""]),
    ("chaos without derouting", [MESH, "[router.chaos]\nderouting = false\ncut_through = false", "load = 0.4", OPEN, ""]),
    ("half duplex", [MESH, "[router.chaos]\npreset = \"chaos-chip\"", "load = 0.3", OPEN, ""]),
    ("wormhole", [MESH, "[router.wormhole]", "load = 0.4", OPEN, ""]),
    ("short buffers", [MESH, "[router.wormhole]\nbuffer_words = 1", "load = 0.4", OPEN, ""]),
    ("speculative", [MESH, "[router.wormhole]\nspeculative = true", "load = 0.4\npacket_words = 1", OPEN, ""]),
    ("matrices", [MESH, "[router.wormhole]\nvc_allocator = \"matrix\"\nswitch_allocator = \"matrix\"", "load = 0.4", OPEN, ""]),
    ("wormhole on a torus", [TORUS, "[router.wormhole]\nvcs = 4", "load = 0.5", OPEN, ""]),
    ("chaotic", [MESH, "[router.wormhole]\nrouting = \"chaotic\"\nvcs = 4\nswitching = \"cut-through\"", "load = 0.5", OPEN, ""]),
    ("deflection", [MESH, "[router.deflection]", "load = 0.4", OPEN, ""]),
    ("minbd", [MESH, "[router.deflection]\npreset = \"minbd\"", "load = 0.5", OPEN, ""]),
    ("greedy-hp", [MESH, "[router.greedy-hp]", "load = 0.5", OPEN, ""]),
    ("queueing", [MESH, "[router.queueing]\nframes = 1\nhome_frames = 1", "load = 0.6", OPEN, ""]),
    ("scheduled", [MESH, "[router.scheduled]", "process = \"once\"", CLOSED, ""]),
    ("batch", [MESH, "[router.wormhole]", "process = \"batch\"\nbatch = { requests = 5 }", CLOSED, ""]),
    ("batch without replies", [MESH, "[router.wormhole]", "process = \"batch\"\nbatch = { requests = 5, replies = false }", CLOSED, ""]),
    ("h-h", [MESH, "[router.chaos]", "process = \"h-h\"\nk = 2", CLOSED, ""]),
    ("k-k", [MESH, "[router.chaos]", "process = \"k-k\"\nk = 2", CLOSED, ""]),
    ("modulated", [MESH, "[router.wormhole]", "process = \"modulated\"\nmodulated = { states = [{ load = 0.1, mean_cycles = 30 }, { load = 0.6, mean_cycles = 10 }] }", OPEN, ""]),
    ("on-off", [MESH, "[router.wormhole]", "process = \"on-off\"\nload = 0.2\non-off = { peak_load = 0.6, burst_cycles = 20 }", OPEN, ""]),
    ("phases", [MESH, "[router.wormhole]", "process = \"phases\"\nphases = [{ load = 0.1 }, { from_cycle = 60, load = 0.4, pattern = \"hot-spot\", hot_nodes = [3], hot_fraction = 0.4 }]", OPEN, ""]),
    ("hot-spot", [MESH, "[router.wormhole]", "load = 0.2\npattern = \"hot-spot\"\nhot_nodes = [3]\nhot_fraction = 0.4", OPEN, ""]),
    ("many-to-one", [MESH, "[router.wormhole]", "load = 0.05\npattern = \"many-to-one\"\ndestination = 5", OPEN, ""]),
    ("shift", [MESH, "[router.wormhole]", "load = 0.2\npattern = \"shift\"\nshift = 1", OPEN, ""]),
    ("swap", [MESH, "[router.wormhole]", "load = 0.2\npattern = \"swap\"\nlocality = 1", OPEN, ""]),
    ("uniform lengths", [MESH, "[router.wormhole]", "load = 0.3\nlengths = { law = \"uniform\", most_words = 9 }", OPEN, ""]),
    ("geometric lengths", [MESH, "[router.wormhole]", "load = 0.3\nlengths = { law = \"geometric\", most_words = 40, mean_words = 5 }", OPEN, ""]),
    ("weighted lengths", [MESH, "[router.wormhole]", "load = 0.3\nlengths = { law = \"weighted\", words = [1, 9], weights = [2, 1] }", OPEN, ""]),
    ("oscillators", [MESH, "[router.chaos]", "load = 0.3", CLOCKED, "[clocks]\nspread = \"uniform\"\nspread_percent = 4\nwander_ps = 40\nwander_bound_ps = 60\n"]),
    ("blocks", [MESH, "[router.wormhole]", "load = 0.3", CLOCKED, "[clocks]\ndomains = \"blocks\"\nblock_sides = [2, 2]\nphase = \"random\"\n"]),
    ("one clock", [MESH, "[router.wormhole]", "load = 0.3", CLOCKED, "[clocks]\ndomains = \"one\"\n"]),
    ("self-timed", [MESH, "[router.chaos]", "load = 0.3", CLOCKED, "[clocks.self-timed]\nword_ps = [800, 1000]\ndecision_ps = [900, 1200]\nallocation_ps = [100, 300]\ncredit_ps = [100, 300]\nspread = \"uniform\"\nspread_percent = 3\n[clocks.arbiter]\nwindow_ps = 50\ntau_ps = 60\n"]),
    ("self-timed worms", [MESH, "[router.wormhole]", "load = 0.3", CLOCKED, "[clocks.self-timed]\nword_ps = [800, 1000]\ndecision_ps = [900, 1200]\nallocation_ps = [100, 300]\ncredit_ps = [100, 900]\n"]),
    ("islands", [MESH, "[router.chaos]", "load = 0.3", CLOCKED, "[[clocks.islands]]\nnodes = [0, 1, 2, 3, 4, 5, 6, 7]\nperiod_ps = 1000\n[[clocks.islands]]\nnodes = [8, 9, 10, 11, 12, 13, 14, 15]\nperiod_ps = 1300\nwander_ps = 40\nwander_bound_ps = 60\n"]),
    ("an island", [MESH, "[router.wormhole]", "load = 0.3", CLOCKED, "[[clocks.islands]]\nnodes = [0, 1, 2]\nperiod_ps = 1500\n[[clocks.changes]]\nat_ps = 50000\nislands = [0]\nperiod_ps = 800\n"]),
    ("fifos", [FIFOS, "[router.wormhole]", "load = 0.3", CLOCKED, "[clocks]\nphase = \"random\"\nspread = \"normal\"\nspread_percent = 2\n"]),
    ("pausible", [PAUSIBLE, "[router.wormhole]", "load = 0.3", CLOCKED, "[clocks]\nphase = \"random\"\nspread = \"normal\"\nspread_percent = 2\n[clocks.arbiter]\nwindow_ps = 20\ntau_ps = 15\n"]),
    ("synchronizers", [SYNCHRONIZERS, "[router.wormhole]", "load = 0.3", CLOCKED, "[clocks]\nphase = \"random\"\nspread = \"normal\"\nspread_percent = 2\n"]),
    ("handshakes", [HANDSHAKES, "[router.wormhole]", "load = 0.3", CLOCKED, "[clocks]\nphase = \"random\"\n[energy]\ntransition_pj = 1\n"]),
];

const MESH: &str = "topology = \"mesh\"\nsides = [4, 4]\n";
const TORUS: &str = "topology = \"torus\"\nsides = [4, 4]\n";
const FIFOS: &str = "topology = \"mesh\"\nsides = [4, 4]\n[[network.crossings]]\nkind = \"dual-clock-fifo\"\ndepth = 4\n";
const PAUSIBLE: &str = "topology = \"mesh\"\nsides = [4, 4]\n[[network.crossings]]\nkind = \"pausible\"\ntransfer_ps = 100\n";
const SYNCHRONIZERS: &str = "topology = \"mesh\"\nsides = [4, 4]\n[[network.crossings]]\nkind = \"synchronizer\"\nwindow_ps = 100\ntau_ps = 60\n";
const HANDSHAKES: &str = "topology = \"mesh\"\nsides = [4, 4]\nlink_capacity_words = 9\n[network.handshake]\nrequest_ps = 300\nacknowledge_ps = 300\n[[network.handshake.stages]]\nlatches = 2\nrequest_ps = 200\nacknowledge_ps = 200\n";
const OPEN: &str = "warmup_cycles = 20\nmeasure_cycles = 150\ndrain_cycles = 2000\n";
const CLOCKED: &str =
    "engine = \"clocked\"\nwarmup_cycles = 20\nmeasure_cycles = 150\ndrain_cycles = 2000\n";
const CLOSED: &str = "deadline_cycles = 3000\n";

fn text_of([network, router, traffic, run, further]: &[&str; 5]) -> String {
    format!("[network]\n{network}\n{router}\n[traffic]\n{traffic}\n[run]\n{run}{further}")
}

/// The allowed values that are tried: the ends, some between them, every name.
fn candidates(schema: &Value) -> Vec<Toml> {
    if let Some(all) = schema.get("oneOf").and_then(Value::as_array) {
        return all.iter().flat_map(candidates).collect();
    }
    if let Some(one) = schema.get("const") {
        return toml(one).into_iter().collect();
    }
    if let Some(all) = schema.get("enum").and_then(Value::as_array) {
        return all.iter().filter_map(toml).collect();
    }
    let bound = |name: &str| schema.get(name).and_then(Value::as_f64);
    let (least, most) = (bound("minimum").unwrap_or(0.0), bound("maximum"));
    let most = most.or(bound("exclusiveMaximum")).unwrap_or(f64::MAX);
    let within = |number: &f64| (least..=most).contains(number);
    match schema.get("type").and_then(Value::as_str) {
        Some("boolean") => vec![Toml::Boolean(true), Toml::Boolean(false)],
        Some("integer") => {
            let all = [0, 1, 2, 3, 5, 9, 16, 40, 150, 700, 1300, 20_000];
            let all = all.into_iter().filter(|it| within(&(*it as f64)));
            all.map(Toml::Integer).collect()
        }
        Some("number") => {
            let all = [0.0, 0.05, 0.5, 1.0, 2.5, 8.0, 40.0, 900.0];
            all.into_iter().filter(within).map(Toml::Float).collect()
        }
        Some("array") => {
            let of = candidates(&schema["items"]);
            let pairs = of.iter().zip(of.iter().skip(1));
            let pairs = pairs.map(|(one, other)| Toml::Array(vec![one.clone(), other.clone()]));
            let ones = of.iter().map(|one| Toml::Array(vec![one.clone()]));
            ones.chain(pairs).collect()
        }
        _ => Vec::new(),
    }
}

fn toml(json: &Value) -> Option<Toml> {
    Toml::try_from(json).ok()
}

/// The schema of every key, by its path.
fn keys(schema: &Value, path: &str, all: &mut Vec<(String, Value)>) {
    for (name, of) in schema["properties"].as_object().unwrap() {
        let key = match path {
            "" => name.clone(),
            path => format!("{path}.{name}"),
        };
        let table = match of.get("items") {
            Some(items) if items.get("properties").is_some() => items,
            _ => of,
        };
        match table.get("properties") {
            Some(_) => keys(table, &key, all),
            None => all.push((key, of.clone())),
        }
    }
}

/// Sets a key, in the last of the tables of a list; returns whether there is a table for it.
fn set(table: &mut Table, key: &str, value: Toml) -> bool {
    let Some((name, rest)) = key.split_once('.') else {
        table.insert(key.to_owned(), value);
        return true;
    };
    match table.get_mut(name) {
        Some(Toml::Table(within)) => set(within, rest, value),
        Some(Toml::Array(list)) => match list.last_mut() {
            Some(Toml::Table(within)) => set(within, rest, value),
            _ => false,
        },
        _ => false,
    }
}

/// All that a run shows.
fn shown(resolved: &Resolved) -> String {
    let run = simulate(resolved, &mut |_| ControlFlow::Continue(()));
    let results = flitwork_results::text(&Results::new(resolved, &run));
    let (figures, _) = results.split_once("resolved configuration").unwrap();
    // How fast the host is says nothing of the run.
    let figures = figures
        .lines()
        .filter(|line| !line.trim_start().starts_with("speed"));
    let figures: Vec<&str> = figures.collect();
    format!("{} {} {figures:#?}", run.digest, run.cycles)
}

/// Of the keys that some configuration accepts: whether a value of each changed a run.
fn read_keys() -> BTreeMap<String, bool> {
    let catalogue = Catalogue::default();
    let mut all = Vec::new();
    keys(&catalogue.json_schema(), "", &mut all);
    let resolve = |text: &str| catalogue.resolve_with_unread(text, "x.toml", Path::new(""), &[]);
    let mut read: BTreeMap<String, bool> = BTreeMap::new();
    for (name, text) in CONFIGURATIONS {
        let text = text_of(text);
        let table: Table = text
            .parse()
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        let (resolved, unread) = resolve(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(unread.is_empty(), "{name}: {unread:?}");
        let usual = shown(&resolved);
        for (key, schema) in &all {
            if read.get(key) == Some(&true) {
                continue;
            }
            let accepted = candidates(schema).into_iter().filter_map(|value| {
                let mut table = table.clone();
                let is_set = set(&mut table, key, value);
                let (resolved, unread) = resolve(&table.to_string()).ok().filter(|_| is_set)?;
                let is_refused = unread.iter().any(|it| it.verdict == Verdict::Refused);
                let is_usual = unread.iter().any(|it| it.verdict == Verdict::Usual);
                (!is_refused && !is_usual).then_some(resolved)
            });
            let mut changes = accepted.filter(|it| *it != resolved).peekable();
            if changes.peek().is_some() {
                let is_read = changes.any(|changed| shown(&changed) != usual);
                *read.entry(key.clone()).or_default() |= is_read;
            }
        }
    }
    read
}

/// Keys that change no run here, each with the reason.
const UNREAD: &[(&str, &str)] = &[
    (
        "router.queueing.allow_deadlock",
        "a permission: it decides what is refused",
    ),
    (
        "router.queueing.frame_words",
        "the longest packet that is accepted",
    ),
    (
        "router.wormhole.allow_deadlock",
        "a permission: it decides what is refused",
    ),
];

#[test]
fn what_is_accepted_is_read() {
    let read = read_keys();
    let unread = read.iter().filter(|(_, is_read)| !**is_read);
    let unread: Vec<&str> = unread.map(|(key, _)| key.as_str()).collect();
    let listed: Vec<&str> = UNREAD.iter().map(|(key, _)| *key).collect();
    assert_eq!(
        unread, listed,
        "keys that are accepted and change nothing anywhere"
    );
    assert!(read.len() > 150, "{} keys", read.len());
}
