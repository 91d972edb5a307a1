//! All keys of a configuration, whoever declares them.

use super::tables::{clocks, energy, faults, live, network, part, run};
use flitwork_schema::{Allowed, Entry, Parts};
use flitwork_traffic::TrafficParameters;

/// A key or a table, with the tables around it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Line {
    /// The key with its tables; a table's is that of its header.
    pub(super) key: String,
    /// What it may be.
    pub(super) allowed: Allowed,
    /// Its value if it isn't given.
    pub(super) default: &'static str,
    /// What it means, with its unit.
    pub(super) meaning: &'static str,
    /// With what it is read; empty if it always is.
    pub(super) only_with: &'static str,
}

impl Line {
    /// What it means, and with what it is read.
    pub(super) fn described(&self) -> String {
        match self.only_with {
            "" => self.meaning.to_owned(),
            with => format!("{}; read only with {with}", self.meaning),
        }
    }
}

/// Every key, in the order of the file: a table comes before what is in it.
#[derive(Clone, Debug)]
pub(super) struct Schema {
    pub(super) lines: Vec<Line>,
}

impl Schema {
    /// The keys of these parts.
    pub(super) fn of(parts: &Parts) -> Schema {
        let mut lines: Vec<Line> = Vec::new();
        let tables = [
            network::table(parts),
            faults::table(),
            part::routers(parts),
            part::rules(parts),
            part::schedules(parts),
            TrafficParameters::keys(parts),
            run::table(),
            clocks::table(),
            live::table(),
            energy::table(),
        ];
        let mut path = String::new();
        for table in tables {
            add(&mut lines, parts, &mut path, table);
        }
        Schema { lines }
    }

    /// The line of a key.
    pub(super) fn find(&self, key: &str) -> Option<&Line> {
        self.lines.iter().find(|line| line.key == key)
    }

    /// With what a key or a table is read, by what it says itself; empty if it always is.
    pub(super) fn only_with(&self, key: &str) -> &'static str {
        self.find(&plain(key)).map_or("", |line| line.only_with)
    }

    /// The names directly within a table; those of the top level for the empty name.
    pub(super) fn names_in(&self, table: &str) -> Vec<&str> {
        self.within(table).map(|(_, name)| name).collect()
    }

    /// The lines directly within a table, and their names there.
    pub(super) fn within(&self, table: &str) -> impl Iterator<Item = (&Line, &str)> {
        self.lines.iter().filter_map(move |line| {
            let (parent, name) = line.key.rsplit_once('.').unwrap_or(("", &line.key));
            (parent == table).then_some((line, name))
        })
    }

    /// How the header of a table is written, or that of one of a list of tables.
    pub(super) fn header(&self, path: &str) -> String {
        let table = plain(path);
        match self.find(&table) {
            Some(line) if line.allowed == Allowed::Tables => format!("[[{table}]]"),
            _ => format!("[{table}]"),
        }
    }

    /// The list of tables that a key is within.
    pub(super) fn list_around(&self, key: &str) -> Option<&Line> {
        let mut lists = self.lines.iter();
        lists.find(|line| {
            let within = key.strip_prefix(&*line.key);
            line.allowed == Allowed::Tables && within.is_some_and(|rest| rest.starts_with('.'))
        })
    }

    /// The keys that `--set` takes whose last name, or whole name, is this one, with dashes or underscores.
    pub(super) fn called(&self, name: &str) -> Vec<&str> {
        let alike = |name: &str| name.replace('-', "_");
        let name = alike(name);
        let is_called = |line: &&Line| {
            let last = line.key.rsplit('.').next().unwrap_or(&line.key);
            !line.allowed.is_table()
                && self.list_around(&line.key).is_none()
                && (alike(last) == name || alike(&line.key) == name)
        };
        let called = self.lines.iter().filter(is_called);
        called.map(|line| line.key.as_str()).collect()
    }
}

/// The lines of an entry within the table at `path`, and of all within it; leaves the path as it was.
fn add(lines: &mut Vec<Line>, parts: &Parts, path: &mut String, entry: Entry) {
    let table = path.len();
    if table > 0 {
        path.push('.');
    }
    path.push_str(entry.name);
    lines.push(Line {
        key: path.clone(),
        allowed: entry.allowed.with_names(parts),
        default: entry.default,
        meaning: entry.meaning,
        only_with: entry.only_with,
    });
    for entry in entry.within {
        add(lines, parts, path, entry);
    }
    path.truncate(table);
}

/// A key without the places in lists of tables that its path leads through: `clocks.islands[1].nodes` is
/// about `clocks.islands.nodes`.
pub(super) fn plain(key: &str) -> String {
    let (mut plain, mut inside) = (String::new(), false);
    for character in key.chars() {
        inside |= character == '[';
        if !inside {
            plain.push(character);
        }
        inside &= character != ']';
    }
    plain
}
