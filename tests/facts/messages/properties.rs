//! Rules that hold for the message about every key of the reference. Each is stated here, by the text that it
//! demands; what the program prints is compared with that text whole, so that it has no second error and no panic.

use super::expected::{Expected, Says, accepted, check};
use super::reference::{HOMES, Key, Reference, home, misspelt, put};
use super::wrong::{Place, Wrong, wrong_values};

/// Keys that are required by another one's value, which is where the message points; the table otherwise.
const CHOSEN_BY: &[(&str, &str)] = &[
    ("hot_nodes", "pattern"),
    ("hot_fraction", "pattern"),
    ("destination", "pattern"),
    ("destinations", "pattern"),
    ("locality", "pattern"),
    ("spread_percent", "spread"),
];

/// Keys whose absence has a message of its own, because the key is one of two ways out; they are among the samples.
const OTHERWISE_MISSED: [&str; 2] = ["clocks.changes.period_ps", "router.scheduled.file"];

/// Names as a message lists them: "a, b or c", "a, b and c".
pub(super) fn listed(names: &[String], last: &str) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., end] => format!("{} {last} {end}", first.join(", ")),
    }
}

/// The keys that a table may have, all of them, in the order of the reference.
fn allowed_in(reference: &Reference, table: &str) -> String {
    let names = reference.within(table);
    let names: Vec<&str> = names.iter().map(|key| key.split().1).collect();
    match (reference.header(table), names.as_slice()) {
        (header, []) => format!("no keys in {header}"),
        (header, names) => format!("in {header}: {}", names.join(", ")),
    }
}

/// The key with a wrong value, in the file or on the command line.
fn mistaken(reference: &Reference, key: &Key, wrong: &Wrong) -> Expected {
    let (table, name) = key.split();
    let text = home(&key.name);
    let Wrong { value, index, .. } = wrong;
    let says = |path: String| {
        let says = Says::found(format!("{path}{index} is {}", wrong.found()));
        let says = says.allowed(&key.allowed);
        match &wrong.hint {
            Some(hint) => says.hint(hint),
            None => says,
        }
    };
    match (wrong.place, reference.list_of(&key.name)) {
        (Place::File, _) => {
            let line = format!("{name} = {value}");
            let start = name.len() + 3 + wrong.depth();
            let part = start..start + wrong.part().len();
            let says = says(reference.path(&key.name));
            says.in_the_file(&put(&text, table, name, &line), &line, part)
        }
        (Place::CommandLine, None) => {
            says(key.name.clone()).on_the_command_line(&text, &format!("{}={value}", key.name))
        }
        (Place::CommandLine, Some(list)) => {
            Says::found(format!("{} is a key of the tables of a list", key.name))
                .allowed(format!("the whole list, as in {list}=[{{…}}, {{…}}]"))
                .on_the_command_line(&text, &format!("{}={value}", key.name))
        }
    }
}

/// The mistakes below are the only ones in these configurations.
#[test]
fn every_key_has_a_configuration_without_mistakes() {
    check(HOMES.iter().map(|(key, _)| accepted(&home(key))).collect());
}

/// A value of another type, beyond a bound, empty or of an unknown name: the message names the place of the value, or of
/// the item in a list; the key's whole path; the value; and the type as the reference states it.
#[test]
fn wrong_values_of_every_key() {
    let reference = Reference::printed();
    let mut all = Vec::new();
    for key in &reference.keys {
        let is_in_list = reference.list_of(&key.name).is_some();
        let mut said_to_be_in_list = false;
        for wrong in wrong_values(key) {
            let is_set = wrong.place == Place::CommandLine;
            if is_set && is_in_list && said_to_be_in_list {
                continue;
            }
            said_to_be_in_list |= is_set;
            all.push(mistaken(&reference, key, &wrong));
        }
    }
    check(all);
}

/// An unknown key of a table: the message lists exactly the table's keys.
#[test]
fn an_unknown_key_in_every_table() {
    let reference = Reference::printed();
    let tables = reference.keys.iter().filter(|key| key.is_table());
    let all = tables.map(|key| {
        let Key { name, .. } = key;
        let (path, set) = match key.is_list_of_tables() {
            true => (format!("{name}[0]"), format!("{name}=[{{ zzz = 1 }}]")),
            false => (name.clone(), format!("{name}={{ zzz = 1 }}")),
        };
        Says::found(format!("unknown key {path}.zzz"))
            .allowed(allowed_in(&reference, name))
            .on_the_command_line(&home(name), &set)
    });
    check(all.collect());
}

/// Each key misspelt, by turns in the file and on the command line; tables on the command line.
#[test]
fn every_key_misspelt() {
    let reference = Reference::printed();
    let all = reference.keys.iter().enumerate().map(|(index, key)| {
        let (table, name) = key.split();
        let (text, other) = (home(&key.name), misspelt(name));
        if !key.is_table() && index % 2 == 0 {
            let line = format!("{other} = 1");
            let path = reference.path(&format!("{table}.{other}"));
            return Says::found(format!("unknown key {path}"))
                .allowed(allowed_in(&reference, table))
                .hint(format!("did you mean {name}?"))
                .in_the_file(&put(&text, table, &other, &line), &line, 0..other.len());
        }
        let path = match table {
            "" => other,
            table => format!("{table}.{other}"),
        };
        Says::found(format!("unknown key {path}"))
            .hint(format!("did you mean {}?", key.name))
            .hint("`flitwork reference` lists all keys")
            .on_the_command_line(&text, &format!("{path}=1"))
    });
    check(all.collect());
}

/// Each required key left out: its type and its meaning are those of the reference.
#[test]
fn every_required_key_left_out() {
    let reference = Reference::printed();
    let mut all = Vec::new();
    for key in &reference.keys {
        let (table, name) = key.split();
        let text = home(&key.name);
        let is_required = key.default.starts_with("required") && !key.is_table();
        let is_there = put(&text, table, name, "").lines().count() == text.lines().count();
        if !is_required || !is_there || OTHERWISE_MISSED.contains(&key.name.as_str()) {
            continue;
        }
        let path = reference.path(&key.name);
        // What reads it is given: the message leaves that out.
        let whole = (key.meaning.as_str(), "");
        let (meaning, _) = key.meaning.split_once("; read only with").unwrap_or(whole);
        let says = Says::found(format!("{path} is missing"))
            .allowed(&key.allowed)
            .hint(format!("{path}: {meaning}"));
        let chosen_by = CHOSEN_BY.iter().find(|(chosen, _)| *chosen == name);
        let (line, start) = match chosen_by {
            Some((_, by)) => {
                let begins = format!("{by} = ");
                let mut lines = text.lines();
                let line = lines.find(|line| line.starts_with(&begins)).unwrap();
                (line.to_owned(), begins.len())
            }
            None => (reference.header(table), 0),
        };
        let part = start..line.len();
        all.push(says.in_the_file(&put(&text, table, name, ""), &line, part));
    }
    assert!(all.len() > 30, "{} required keys", all.len());
    check(all);
}

/// Each router's table below another one's.
#[test]
fn a_second_router() {
    let reference = Reference::printed();
    let routers: Vec<String> = reference
        .within("router")
        .iter()
        .map(|key| format!("[{}]", key.name))
        .collect();
    let all = routers.iter().zip(routers.iter().cycle().skip(1));
    let all = all.map(|(one, other)| {
        let text = super::with(super::MESH, &format!("{one}\n{other}"), "load = 0.1");
        Says::found("a second router")
            .allowed(format!("exactly one of {}", listed(&routers, "and")))
            .in_the_file(&text, other, 0..other.len())
    });
    check(all.collect());
}
