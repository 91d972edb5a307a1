//! Every key of the reference: of a wrong type, out of range, misspelt, missing, and where nothing reads it.

use super::{Case, SMALL};
use crate::program::{flitwork, root};

/// A key as the reference has it.
struct Key {
    name: String,
    allowed: String,
    required: bool,
}

/// The keys by name, from the program's own reference.
fn keys() -> Vec<Key> {
    let reference = flitwork(root(), &["reference"]).out;
    let row = |line: &str| {
        let mut cells = line.trim_matches('|').split(" | ");
        let name = cells
            .next()?
            .trim()
            .strip_prefix('`')?
            .strip_suffix('`')?
            .to_owned();
        let allowed = cells.next()?.to_owned();
        let required = cells.next()?.starts_with("required");
        Some(Key {
            name,
            allowed,
            required,
        })
    };
    let mut keys: Vec<Key> = reference.lines().filter_map(row).collect();
    keys.sort_by(|one, other| one.name.cmp(&other.name));
    assert!(keys.len() > 100, "{} keys", keys.len());
    keys
}

/// Configurations that read a key, by a prefix of the key; the first match counts.
const HOMES: &[(&str, &str)] = &[
    (
        "router.greedy-hp",
        "[router.greedy-hp]\n[traffic]\nload = 0.1",
    ),
    (
        "router.wormhole",
        "[router.wormhole]\n[traffic]\nload = 0.1",
    ),
    (
        "router.deflection.epoch",
        "[router.deflection]\npreset = \"chipper\"\n[traffic]\nload = 0.1",
    ),
    (
        "router.deflection.transactions",
        "[router.deflection]\npreset = \"chipper\"\n[traffic]\nload = 0.1",
    ),
    (
        "router.deflection",
        "[router.deflection]\npreset = \"minbd\"\n[traffic]\nload = 0.1",
    ),
    (
        "router.scheduled",
        "[router.scheduled]\nschedule = \"file\"\nfile = \"../s.csv\"\n[traffic]\nprocess = \"schedule\"",
    ),
    (
        "traffic.hot_",
        "[router.wormhole]\n[traffic]\nload = 0.1\npattern = \"hot-spot\"\nhot_nodes = [3]\nhot_fraction = 0.2",
    ),
    (
        "traffic.destination",
        "[router.wormhole]\n[traffic]\nload = 0.1\npattern = \"many-to-one\"\ndestination = 5\nsources = [1]",
    ),
    (
        "traffic.sources",
        "[router.wormhole]\n[traffic]\nload = 0.1\npattern = \"many-to-one\"\ndestination = 5\nsources = [1]",
    ),
    (
        "traffic.file",
        "[router.wormhole]\n[traffic]\nload = 0.1\npattern = \"permutation\"\nfile = \"../p.txt\"",
    ),
    (
        "traffic.k",
        "[router.wormhole]\n[traffic]\nprocess = \"h-h\"\nk = 3\npackets = 20",
    ),
    (
        "traffic.packets",
        "[router.wormhole]\n[traffic]\nprocess = \"h-h\"\nk = 3\npackets = 20",
    ),
    (
        "traffic.on-off",
        "[router.wormhole]\n[traffic]\nload = 0.1\nprocess = \"on-off\"\n[traffic.on-off]\npeak_load = 0.5\nburst_cycles = 30",
    ),
    (
        "traffic.modulated",
        "[router.wormhole]\n[traffic]\nprocess = \"modulated\"\n[traffic.modulated]\ntransitions = [[0, 1], [1, 0]]\n[[traffic.modulated.states]]\nload = 0.1\nmean_cycles = 9\n[[traffic.modulated.states]]\nload = 0.2\nmean_cycles = 5",
    ),
    (
        "traffic.phases.destination",
        "[router.wormhole]\n[traffic]\nprocess = \"phases\"\n[[traffic.phases]]\nload = 0.1\npattern = \"many-to-one\"\ndestination = 5\nsources = [1]",
    ),
    (
        "traffic.phases.sources",
        "[router.wormhole]\n[traffic]\nprocess = \"phases\"\n[[traffic.phases]]\nload = 0.1\npattern = \"many-to-one\"\ndestination = 5\nsources = [1]",
    ),
    (
        "traffic.phases",
        "[router.wormhole]\n[traffic]\nprocess = \"phases\"\n[[traffic.phases]]\nload = 0.1\npattern = \"hot-spot\"\nhot_nodes = [3]\nhot_fraction = 0.2",
    ),
    (
        "traffic.repeat_cycles",
        "[router.wormhole]\n[traffic]\nprocess = \"phases\"\nrepeat_cycles = 90\n[[traffic.phases]]\nload = 0.1",
    ),
    (
        "traffic.batch",
        "[router.wormhole]\n[traffic]\nprocess = \"batch\"\n[traffic.batch]\nrequests = 9",
    ),
    (
        "traffic.trace.link_bytes",
        "[router.wormhole]\n[traffic]\nprocess = \"trace\"\n[traffic.trace]\nfile = \"../t.tra.bz2\"",
    ),
    (
        "traffic.trace.first_region",
        "[router.wormhole]\n[traffic]\nprocess = \"trace\"\n[traffic.trace]\nfile = \"../t.tra.bz2\"",
    ),
    (
        "traffic.trace.last_region",
        "[router.wormhole]\n[traffic]\nprocess = \"trace\"\n[traffic.trace]\nfile = \"../t.tra.bz2\"",
    ),
    (
        "traffic.trace.columns",
        "[router.wormhole]\n[traffic]\nprocess = \"trace\"\n[traffic.trace]\nfile = \"../t.csv\"\nnodes = 4\nmap = \"block\"\ncolumns = 2",
    ),
    (
        "traffic.trace.places",
        "[router.wormhole]\n[traffic]\nprocess = \"trace\"\n[traffic.trace]\nfile = \"../t.csv\"\nnodes = 4\nmap = \"given\"\nplaces = [1, 2, 3, 4]",
    ),
    (
        "traffic.trace",
        "[router.wormhole]\n[traffic]\nprocess = \"trace\"\n[traffic.trace]\nfile = \"../t.csv\"\nnodes = 4",
    ),
    (
        "traffic.lengths.mean_words",
        "[router.wormhole]\n[traffic]\nload = 0.1\n[traffic.lengths]\nlaw = \"geometric\"\nmean_words = 3\nmost_words = 9",
    ),
    (
        "traffic.lengths.we",
        "[router.wormhole]\n[traffic]\nload = 0.1\n[traffic.lengths]\nlaw = \"weighted\"\nwords = [1, 5]\nweights = [1, 2]",
    ),
    (
        "traffic.lengths.words",
        "[router.wormhole]\n[traffic]\nload = 0.1\n[traffic.lengths]\nlaw = \"weighted\"\nwords = [1, 5]\nweights = [1, 2]",
    ),
    (
        "traffic.lengths",
        "[router.wormhole]\n[traffic]\nload = 0.1\n[traffic.lengths]\nlaw = \"uniform\"\nleast_words = 2\nmost_words = 9",
    ),
    ("traffic", "[router.wormhole]\n[traffic]\nload = 0.1"),
    (
        "run.deadline_cycles",
        "[router.wormhole]\n[traffic]\nprocess = \"once\"",
    ),
    (
        "clocks.spread",
        "[router.chaos]\n[traffic]\nload = 0.1\n[clocks]\nspread = \"uniform\"\nspread_percent = 3",
    ),
    (
        "clocks.block_sides",
        "[router.chaos]\n[traffic]\nload = 0.1\n[clocks]\ndomains = \"blocks\"\nblock_sides = [2, 2]",
    ),
    (
        "clocks.self-timed",
        "[router.chaos]\n[traffic]\nload = 0.1\n[clocks.self-timed]\nword_ps = [1, 2]\ndecision_ps = [1, 2]\ncredit_ps = [1, 2]",
    ),
    (
        "clocks.delays",
        "[router.chaos]\n[traffic]\nload = 0.1\n[clocks.self-timed]\nword_ps = [1, 2]\ndecision_ps = [1, 2]\n[clocks.delays]\nspread = \"uniform\"\nspread_percent = 3",
    ),
    (
        "clocks.wander_bound_ps",
        "[router.chaos]\n[traffic]\nload = 0.1\n[clocks]\nwander_ps = 5\nwander_bound_ps = 9",
    ),
    (
        "clocks.islands.wander_bound_ps",
        "[router.chaos]\n[traffic]\nload = 0.1\n[[clocks.islands]]\nnodes = [3]\nperiod_ps = 900\nwander_ps = 5\nwander_bound_ps = 9",
    ),
    (
        "clocks.changes.gated",
        "[router.chaos]\n[traffic]\nload = 0.1\n[[clocks.changes]]\nat_ps = 900\ngated = true",
    ),
    (
        "clocks.changes",
        "[router.chaos]\n[traffic]\nload = 0.1\n[[clocks.changes]]\nat_ps = 900\nperiod_ps = 700",
    ),
    (
        "clocks.islands",
        "[router.chaos]\n[traffic]\nload = 0.1\n[[clocks.islands]]\nnodes = [3]\nperiod_ps = 900",
    ),
    ("", "[router.chaos]\n[traffic]\nload = 0.1"),
];

fn home(key: &str) -> String {
    let of = HOMES.iter().find(|home| key.starts_with(home.0)).unwrap().1;
    format!("[network]\ntopology = \"mesh\"\nsides = [4, 4]\n{of}\n")
}

/// A text with a line of a table replaced, or inserted below the table's header, which is appended if it is missing.
fn put(text: &str, table: &str, name: &str, line: &str) -> String {
    let mut lines: Vec<&str> = text.lines().collect();
    let is_header = |line: &&str| line.trim_matches(['[', ']']) == table && line.starts_with('[');
    let Some(header) = lines.iter().position(is_header) else {
        return format!("{text}[{table}]\n{line}\n");
    };
    let rest = &lines[header + 1..];
    let end = header
        + 1
        + rest
            .iter()
            .take_while(|line| !line.starts_with('['))
            .count();
    let begins = format!("{name} = ");
    match (header + 1..end).find(|index| lines[*index].starts_with(&begins)) {
        Some(index) => lines[index] = line,
        None => lines.insert(header + 1, line),
    }
    lines.join("\n") + "\n"
}

/// The numbers of "from A to B".
fn range(allowed: &str) -> Option<(&str, &str)> {
    let (_, from) = allowed.split_once(" from ")?;
    let (least, rest) = from.split_once(" to ")?;
    let most = rest.trim_start_matches("below ");
    let end = most
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(most.len());
    Some((least, &most[..end]))
}

/// A number that is one less, or one more.
fn beside(number: &str, step: i128) -> String {
    (number.parse::<i128>().unwrap() + step).to_string()
}

/// Values that a key doesn't take, the first of them of a wrong type.
fn wrong_values(allowed: &str) -> Vec<String> {
    let strings = |values: &[&str]| values.iter().map(|value| (*value).to_owned()).collect();
    let lists = || -> Vec<String> { strings(&["3", "[]", "[\"x\"]", "[99999999]"]) };
    if allowed.starts_with("[least, most]") {
        return strings(&[
            "3",
            "[1]",
            "[2, 1]",
            "[0, 1]",
            "[\"x\", 1]",
            "[1, 1000000001]",
        ]);
    }
    if allowed.starts_with("a list of tables") {
        return strings(&["3", "[3]", "[{ zzz = 1 }]", "{ zzz = 1 }", "[]"]);
    }
    if allowed.starts_with("a list of lists") {
        return strings(&["3", "[3]", "[[\"x\"]]", "[[2]]", "[]", "[[0, 1], [1]]"]);
    }
    if allowed.starts_with("a list") {
        return lists();
    }
    if allowed.starts_with("a table") {
        return strings(&["3", "[3]", "{ zzz = 1 }", "\"x\""]);
    }
    if allowed.starts_with("a whole number") || allowed.starts_with("a number") {
        let (least, most) = range(allowed).unwrap_or_else(|| panic!("{allowed}"));
        let mut values = vec!["\"x\"".to_owned(), beside(least, -1), beside(most, 1)];
        if allowed.starts_with("a whole number") {
            values.push("1.5".to_owned());
        }
        return values;
    }
    match allowed {
        "true or false" => strings(&["1", "\"true\"", "[true]"]),
        "a string that isn't empty" => strings(&["3", "\"\"", "[\"x\"]"]),
        "the number of a node, from 0" => strings(&["\"x\"", "-1", "16", "1.0", "[1]"]),
        choice if choice.starts_with('"') => {
            let first = choice[1..].split('"').next().unwrap();
            let near = format!("\"{}x\"", &first[..first.len() - 1]);
            vec!["3".into(), near, "\"zzzzzzzz\"".into()]
        }
        other => panic!("{other}: which values are wrong?"),
    }
}

/// The name with its second and third letter swapped.
fn misspelt(name: &str) -> String {
    let mut letters: Vec<char> = name.chars().collect();
    let last = letters.len() - 1;
    letters.swap(last.min(1), last.min(2));
    if letters.iter().collect::<String>() == name {
        letters.push('x');
    }
    letters.into_iter().collect()
}

/// Wrong values for every key, in the file and on the command line; misspelt keys; and required keys left out.
pub(super) fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for key in keys() {
        let text = home(&key.name);
        let (table, name) = key.name.rsplit_once('.').unwrap_or(("", &key.name));
        let values = wrong_values(&key.allowed);
        let is_table =
            key.allowed.starts_with("a table") || key.allowed.starts_with("a list of tables");
        for (index, value) in values.iter().enumerate() {
            if index == 0 || is_table {
                let set = format!("{}={value}", key.name);
                cases.push(
                    Case::new("", &["check", "x.toml", "--set", &set]).with("x.toml", text.clone()),
                );
            }
            if !is_table {
                let line = format!("{name} = {value}");
                let wrong = format!("{table}: {line}");
                cases.push(Case::text(wrong, put(&text, table, name, &line)));
            }
        }
        let other = misspelt(name);
        let set = format!(
            "{table}{}{other}=1",
            if table.is_empty() { "" } else { "." }
        );
        cases.push(
            Case::new("misspelt", &["check", "x.toml", "--set", &set]).with("x.toml", text.clone()),
        );
        if !is_table {
            let line = format!("{other} = 1");
            cases.push(Case::text(
                format!("{table}: {line}"),
                put(&text, table, &other, &line),
            ));
        }
        if key.required && !is_table {
            let without = put(&text, table, name, "");
            if without.lines().count() == text.lines().count() {
                cases.push(Case::text(format!("{table} without {name}"), without));
            }
        }
    }
    cases
}

/// A value that a key accepts.
fn right_value(key: &Key, text: &str) -> String {
    let name = key.name.rsplit('.').next().unwrap();
    let begins = format!("{name} = ");
    if let Some(value) = text.lines().find_map(|line| line.strip_prefix(&begins)) {
        return value.to_owned();
    }
    match key.allowed.as_str() {
        "true or false" => "true".into(),
        "a string that isn't empty" => "\"../p.txt\"".into(),
        allowed if allowed.starts_with('"') => {
            format!("\"{}\"", allowed[1..].split('"').next().unwrap())
        }
        allowed if allowed.starts_with("a list of strings") => {
            "[\"east\", \"west\", \"north\", \"south\"]".into()
        }
        allowed if allowed.starts_with("a list of 1 to 16") => "[2, 2]".into(),
        allowed if allowed.starts_with("a list") => "[1]".into(),
        allowed if allowed.starts_with("[least") => "[1, 2]".into(),
        allowed => range(allowed).map_or("1".into(), |(least, _)| least.to_owned()),
    }
}

/// Keys of the traffic. Each one's configuration also gets the keys of all other configurations, which nothing reads
/// there.
const OTHERS: [&str; 10] = [
    "traffic.batch",
    "traffic.destination",
    "traffic.file",
    "traffic.hot_nodes",
    "traffic.k",
    "traffic.lengths",
    "traffic.modulated",
    "traffic.on-off",
    "traffic.phases",
    "traffic.trace",
];

/// Every key of `[traffic]` and `[run]` in each of the [`OTHERS`]' configurations but its own, one fact per pair; and
/// each router's keys beside another router.
pub(super) fn unread() -> Vec<Case> {
    let homes = OTHERS.map(home);
    let mut cases = Vec::new();
    for key in keys() {
        let is_table = key.allowed.starts_with("a table") || key.allowed.contains("tables");
        let Some((table, name)) = key.name.rsplit_once('.').filter(|_| !is_table) else {
            continue;
        };
        let own = home(&key.name);
        let line = format!("{name} = {}", right_value(&key, &own));
        for text in &homes {
            let reads = ["traffic", "run"].contains(&table) || table.starts_with("traffic.");
            if !reads || *text == own {
                continue;
            }
            let traffic = text.split_once("[traffic]\n").unwrap().1.trim_end();
            let wrong = format!("{table}: {line}, {traffic:?}");
            cases.push(Case::text(wrong, put(text, table, name, &line)));
        }
        if table.starts_with("router.") && !own.contains("router.chaos") {
            let text = put(SMALL, table, name, &line);
            cases.push(Case::text(
                format!("{table}: {line}, beside [router.chaos]"),
                text,
            ));
        }
    }
    cases
}
