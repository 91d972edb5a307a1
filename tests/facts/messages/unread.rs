//! Rules for keys of a part that isn't chosen: nothing reads them, and the message says what would.

use super::MESH;
use super::expected::{Expected, Says, check};
use super::properties::listed;
use super::reference::{Key, Reference, home};

/// The processes that read a key, or the keys of a table.
#[rustfmt::skip]
const READERS: &[(&str, &[&str])] = &[
    ("run.deadline_cycles", &["batch", "h-h", "k-k", "once", "schedule", "trace"]),
    ("run.drain_cycles", &["bernoulli", "modulated", "on-off", "phases"]),
    ("run.measure_cycles", &["bernoulli", "modulated", "on-off", "phases"]),
    ("run.stop_at_overload", &["bernoulli", "modulated", "on-off", "phases"]),
    ("run.warmup_cycles", &["bernoulli", "modulated", "on-off", "phases"]),
    ("traffic.batch", &["batch"]),
    ("traffic.k", &["h-h", "k-k", "once"]),
    ("traffic.load", &["bernoulli", "modulated", "on-off"]),
    ("traffic.modulated", &["modulated"]),
    ("traffic.on-off", &["on-off"]),
    ("traffic.packets", &["h-h"]),
    ("traffic.phases", &["phases"]),
    ("traffic.repeat_cycles", &["phases"]),
    ("traffic.trace", &["trace"]),
];

/// A key whose configuration has a process.
const PROCESSES: &[(&str, &str)] = &[
    ("batch", "traffic.batch"),
    ("bernoulli", "traffic"),
    ("h-h", "traffic.k"),
    ("modulated", "traffic.modulated"),
    ("on-off", "traffic.on-off"),
    ("once", "run.deadline_cycles"),
    ("phases", "traffic.phases"),
    ("schedule", "router.scheduled.file"),
    ("trace", "traffic.trace"),
];

fn quoted(names: &[&str]) -> String {
    let names: Vec<String> = names.iter().map(|name| format!("{name:?}")).collect();
    listed(&names, "or")
}

/// A text with a line below the header, which is appended if it is missing.
fn below(text: &str, header: &str, line: &str) -> String {
    let begins = format!("{header}\n");
    match text.contains(&begins) {
        true => text.replacen(&begins, &format!("{begins}{line}\n"), 1),
        false => format!("{text}{begins}{line}\n"),
    }
}

/// A key in the configuration of a process that doesn't read it. Of a table that isn't read, the header is at fault.
fn beside(reference: &Reference, key: &Key, readers: &[&str], process: &str) -> Expected {
    let of = PROCESSES.iter().find(|of| of.0 == process).unwrap().1;
    let (table, name) = key.split();
    let value = key.right_value();
    let line = format!("{name} = {value}");
    let header = reference.header(table);
    let text = below(&home(of), &header, &line);
    let readers = quoted(readers);
    let only = format!("only with traffic.process = {readers}; it is {process:?}");
    if table != "traffic" && table != "run" {
        // An exception: a list of tables is found as its first header.
        let found = match header.starts_with("[[") {
            true => format!("{table} is {header}"),
            false => format!("{table} is given"),
        };
        let says = Says::found(found).allowed(only);
        return says.in_the_file(&text, &header, 0..header.len());
    }
    let allowed = match (key.name.as_str(), process) {
        // An exception: why there is no load is said instead of what would read one.
        ("traffic.load", "once") => {
            "only if traffic.process isn't \"once\": all packets exist in cycle 0".to_owned()
        }
        (other, _) if other.starts_with("run.") => {
            format!("only with traffic.process = {readers}")
        }
        _ => only,
    };
    let says = Says::found(format!("{} is {value}", key.name)).allowed(allowed);
    says.in_the_file(&text, &line, name.len() + 3..line.len())
}

/// Each key that only some processes read, with one of the others, by turns.
#[test]
fn keys_that_the_process_does_not_read() {
    let reference = Reference::printed();
    let mut all = Vec::new();
    for key in reference.keys.iter().filter(|key| !key.is_table()) {
        let reads = |of: &str| key.name == of || key.name.starts_with(&format!("{of}."));
        // The tables of the states are within a table that isn't read either.
        let is_nested = key.split().0 == "traffic.modulated.states";
        let Some((_, readers)) = READERS.iter().find(|of| reads(of.0)).filter(|_| !is_nested)
        else {
            continue;
        };
        let others = PROCESSES.iter().map(|process| process.0);
        let others: Vec<&str> = others.filter(|other| !readers.contains(other)).collect();
        let process = others[all.len() % others.len()];
        all.push(beside(&reference, key, readers, process));
    }
    assert!(all.len() > 35, "{} keys", all.len());
    check(all);
}

/// The configuration of a pattern, for all traffic or for a phase.
fn of_pattern(table: &str, pattern: &str) -> String {
    let own = match pattern {
        "hot-spot" => "hot_nodes = [3]\nhot_fraction = 0.2\n",
        "listed" => "destinations = [1, 0]\n",
        "many-to-one" => "destination = 5\n",
        "reflection" | "swap" => "locality = 2\n",
        _ => "",
    };
    let above = match table {
        "traffic" => "",
        _ => "process = \"phases\"\n[[traffic.phases]]\n",
    };
    let above = format!("[network]\n{MESH}\n[router.wormhole]\n[traffic]\n{above}");
    format!("{above}load = 0.1\npattern = {pattern:?}\n{own}")
}

/// Each key of one pattern, by the end of its meaning in the reference, beside another pattern, by turns.
#[test]
fn keys_that_the_pattern_does_not_read() {
    let reference = Reference::printed();
    let mut all = Vec::new();
    for table in ["traffic", "traffic.phases"] {
        let keys = reference.within(table);
        let names = keys.iter().find(|key| key.split().1 == "pattern").unwrap();
        let only = |key: &Key, pattern: &str| {
            let last = key.meaning.rsplit("; ").next().unwrap_or_default();
            let readers = last.strip_suffix(" only");
            readers.is_some_and(|readers| readers.split(" and ").any(|it| it == pattern))
        };
        for key in &keys {
            let patterns = names.choices();
            let own = patterns.iter().filter(|pattern| only(key, pattern));
            let own: Vec<&str> = own.copied().collect();
            if own.is_empty() {
                continue;
            }
            // Phases name no files, and a mesh has no groups.
            let of_files = ["listed", "permutation"];
            let on_meshes = patterns.iter().filter(|other| **other != "adversarial");
            let others = on_meshes.filter(|other| !own.contains(other));
            let others: Vec<&&str> = others
                .filter(|other| table == "traffic" || !of_files.contains(other))
                .collect();
            let other = others[all.len() % others.len()];
            let read = keys.iter().filter(|key| only(key, other));
            let read: Vec<String> = read.map(|key| key.split().1.to_owned()).collect();
            let reads = match read.as_slice() {
                [] => "no key of its own".to_owned(),
                read => format!("only {}", listed(read, "and")),
            };
            let name = key.split().1;
            let value = key.right_value();
            let line = format!("{name} = {value}");
            let text = format!("{}{line}\n", of_pattern(table, other));
            let says = Says::found(format!("{} is {value}", reference.path(&key.name)))
                .allowed(format!("only with another pattern: {other} reads {reads}"))
                .hint(format!("{name} belongs to pattern = {}", quoted(&own)));
            all.push(says.in_the_file(&text, &line, name.len() + 3..line.len()));
        }
    }
    assert!(all.len() > 10, "{} keys", all.len());
    check(all);
}
