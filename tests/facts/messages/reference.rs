//! The keys of the program's own reference, and a configuration for each in which it is read.

use crate::program::{flitwork, root};

/// A row of the reference.
pub(super) struct Key {
    pub(super) name: String,
    pub(super) allowed: String,
    pub(super) default: String,
    pub(super) meaning: String,
}

impl Key {
    pub(super) fn is_list_of_tables(&self) -> bool {
        self.allowed == "a list of tables"
    }

    pub(super) fn is_table(&self) -> bool {
        self.allowed == "a table" || self.is_list_of_tables()
    }

    /// The key's table, and its name within.
    pub(super) fn split(&self) -> (&str, &str) {
        self.name.rsplit_once('.').unwrap_or(("", &self.name))
    }

    /// The names that the key takes, if it takes names.
    pub(super) fn choices(&self) -> Vec<&str> {
        match self.allowed.starts_with('"') {
            true => self.allowed.split('"').skip(1).step_by(2).collect(),
            false => Vec::new(),
        }
    }

    /// The numbers of "from A to B".
    pub(super) fn range(&self) -> Option<(i128, i128)> {
        let (_, from) = self.allowed.split_once(" from ")?;
        let (least, rest) = from.split_once(" to ")?;
        let most = rest.trim_start_matches("below ");
        let end = most
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(most.len());
        Some((least.parse().ok()?, most[..end].parse().ok()?))
    }

    /// A value that the key takes where it is read: that of its configuration, or any.
    pub(super) fn right_value(&self) -> String {
        let begins = format!("{} = ", self.split().1);
        let text = home(&self.name);
        if let Some(value) = text.lines().find_map(|line| line.strip_prefix(&begins)) {
            return value.to_owned();
        }
        match self.allowed.as_str() {
            "true or false" => "true".to_owned(),
            "a string that isn't empty" => "\"../p.txt\"".to_owned(),
            allowed if allowed.starts_with('"') => format!("\"{}\"", self.choices()[0]),
            allowed if allowed.starts_with("a list") => "[1]".to_owned(),
            _ => self
                .range()
                .map_or("1".to_owned(), |(least, _)| least.to_string()),
        }
    }
}

pub(super) struct Reference {
    pub(super) keys: Vec<Key>,
}

impl Reference {
    /// What `flitwork reference` prints.
    pub(super) fn printed() -> Reference {
        let row = |line: &str| {
            let mut cells = line.trim_matches('|').split(" | ");
            let name = cells.next()?.trim().strip_prefix('`')?.strip_suffix('`')?;
            Some(Key {
                name: name.to_owned(),
                allowed: cells.next()?.to_owned(),
                default: cells.next()?.to_owned(),
                meaning: cells.collect::<Vec<_>>().join(" | ").trim().to_owned(),
            })
        };
        let printed = flitwork(root(), &["reference"]).out;
        let keys: Vec<Key> = printed.lines().filter_map(row).collect();
        assert!(keys.len() > 200, "{} keys", keys.len());
        Reference { keys }
    }

    /// The keys of a table, in the order of the reference.
    pub(super) fn within(&self, table: &str) -> Vec<&Key> {
        let keys = self.keys.iter();
        keys.filter(|key| key.split().0 == table).collect()
    }

    /// The list of tables that a key is in.
    pub(super) fn list_of(&self, key: &str) -> Option<&str> {
        let mut lists = self.keys.iter().filter(|key| key.is_list_of_tables());
        let list = lists.find(|list| key.starts_with(&format!("{}.", list.name)))?;
        Some(&list.name)
    }

    /// A key's path in a file, where it is in the first table of a list.
    pub(super) fn path(&self, key: &str) -> String {
        match self.list_of(key) {
            Some(list) => format!("{list}[0]{}", &key[list.len()..]),
            None => key.to_owned(),
        }
    }

    /// The line above a table's keys.
    pub(super) fn header(&self, table: &str) -> String {
        let is_list = |key: &Key| key.name == table && key.is_list_of_tables();
        match self.keys.iter().any(is_list) {
            true => format!("[[{table}]]"),
            false => format!("[{table}]"),
        }
    }
}

/// Configurations that read a key, by a prefix of the key; the first match counts.
#[rustfmt::skip]
pub(super) const HOMES: &[(&str, &str)] = &[
    ("network.file", "[network]\ntopology = \"links\"\nfile = \"../l.csv\"\n[rule.fifo]\n[traffic]\nprocess = \"once\"\npattern = \"reversal\""),
    ("network.format", "[network]\ntopology = \"file\"\nfile = \"../n.csv\"\n[rule.fifo]\n[traffic]\nprocess = \"once\"\npattern = \"reversal\""),
    ("network.nodes_file", "[network]\ntopology = \"file\"\nfile = \"../n.csv\"\n[rule.fifo]\n[traffic]\nprocess = \"once\"\npattern = \"reversal\""),
    ("rule.alternating", "[rule.alternating]\n[traffic]\nprocess = \"once\"\npattern = \"reversal\""),
    ("rule.derouting", "[rule.derouting]\n[traffic]\nprocess = \"once\"\npattern = \"reversal\""),
    ("rule.farthest-first", "[rule.farthest-first]\n[traffic]\nprocess = \"once\"\npattern = \"reversal\""),
    ("rule.fifo", "[rule.fifo]\n[traffic]\nprocess = \"once\"\npattern = \"reversal\""),
    ("rule.greedy-adaptive", "[rule.greedy-adaptive]\n[traffic]\nprocess = \"once\"\npattern = \"reversal\""),
    ("rule.lifo", "[rule.lifo]\n[traffic]\nprocess = \"once\"\npattern = \"reversal\""),
    ("rule.nearest-first", "[rule.nearest-first]\n[traffic]\nprocess = \"once\"\npattern = \"reversal\""),
    ("rule.random", "[rule.random]\n[traffic]\nprocess = \"once\"\npattern = \"reversal\""),
    ("rule.straight-first", "[rule.straight-first]\n[traffic]\nprocess = \"once\"\npattern = \"reversal\""),
    ("rule.straight-through", "[rule.straight-through]\n[traffic]\nprocess = \"once\"\npattern = \"reversal\""),
    ("rule", "[rule.fifo]\n[traffic]\nprocess = \"once\"\npattern = \"reversal\""),
    ("schedule.worms.seed", "[schedule.worms]\norder = \"random\"\nseed = 3\n[traffic]\nprocess = \"once\"\npattern = \"reversal\""),
    ("schedule.multistage.seed", "[schedule.multistage]\norder = \"random\"\nseed = 3\n[traffic]\nprocess = \"once\"\npattern = \"reversal\""),
    ("schedule.multistage.waiting", "[schedule.multistage]\nselect = \"earliest\"\n[traffic]\nprocess = \"once\"\npattern = \"reversal\""),
    ("schedule.multistage.detours", "[schedule.multistage]\nselect = \"earliest\"\n[traffic]\nprocess = \"once\"\npattern = \"reversal\""),
    ("schedule.exact", "[schedule.exact]\n[traffic]\nprocess = \"once\"\npattern = \"reversal\""),
    ("schedule.frames", "[schedule.frames]\n[traffic]\nprocess = \"once\"\npattern = \"reversal\""),
    ("schedule.naive", "[schedule.naive]\n[traffic]\nprocess = \"once\"\npattern = \"reversal\""),
    ("schedule.product", "[schedule.product]\n[traffic]\nprocess = \"once\"\npattern = \"reversal\""),
    ("schedule.worms", "[schedule.worms]\n[traffic]\nprocess = \"once\"\npattern = \"reversal\""),
    ("schedule", "[schedule.multistage]\n[traffic]\nprocess = \"once\"\npattern = \"reversal\""),
    ("network.handshake", "[router.chaos]\n[traffic]\nload = 0.1\n[run]\nengine = \"clocked\"\n[network.handshake]\nrequest_ps = 300\nacknowledge_ps = 300\n[[network.handshake.stages]]\nrequest_ps = 200\nacknowledge_ps = 200"),
    ("network.crossings", "[router.chaos]\n[traffic]\nload = 0.1\n[run]\nengine = \"clocked\"\n[[network.crossings]]\nkind = \"dual-clock-fifo\"\ndepth = 4"),
    ("router.greedy-hp", "[router.greedy-hp]\n[traffic]\nload = 0.1"),
    ("router.wormhole", "[router.wormhole]\n[traffic]\nload = 0.1"),
    ("router.queueing", "[router.queueing]\nallow_deadlock = true\n[traffic]\nload = 0.1"),
    ("router.deflection.epoch", "[router.deflection]\npreset = \"chipper\"\n[traffic]\nload = 0.1"),
    ("router.deflection.transactions", "[router.deflection]\npreset = \"chipper\"\n[traffic]\nload = 0.1"),
    ("router.deflection", "[router.deflection]\npreset = \"minbd\"\n[traffic]\nload = 0.1"),
    ("router.scheduled.", "[router.scheduled]\nschedule = \"file\"\nfile = \"../s.csv\"\n[traffic]\nprocess = \"schedule\""),
    ("router.scheduled", "[router.scheduled]\n[traffic]\nprocess = \"once\""),
    ("faults.seed", "[[faults]]\nfraction = 0.1\nseed = 3\n[router.chaos]\n[traffic]\nload = 0.1"),
    ("faults.fraction", "[[faults]]\nfraction = 0.1\n[router.chaos]\n[traffic]\nload = 0.1"),
    ("faults", "[[faults]]\nlinks = [[0, 1]]\nrouters = [3]\nfrom_cycle = 50\nuntil_cycle = 90\n[router.chaos]\n[traffic]\nload = 0.1"),
    ("traffic.resend_after_cycles", "[[faults]]\nlinks = [[0, 1]]\n[router.chaos]\n[traffic]\nload = 0.1\nresend_after_cycles = 40"),
    ("traffic.hot_", "[router.wormhole]\n[traffic]\nload = 0.1\npattern = \"hot-spot\"\nhot_nodes = [3]\nhot_fraction = 0.2"),
    ("traffic.destinations", "[router.wormhole]\n[traffic]\nload = 0.1\npattern = \"listed\"\ndestinations = [1, 0]"),
    ("traffic.phases.destinations", "[router.wormhole]\n[traffic]\nprocess = \"phases\"\n[[traffic.phases]]\nload = 0.1\npattern = \"listed\"\ndestinations = [1, 0]"),
    ("traffic.destination", "[router.wormhole]\n[traffic]\nload = 0.1\npattern = \"many-to-one\"\ndestination = 5\nsources = [1]"),
    ("traffic.sources", "[router.wormhole]\n[traffic]\nload = 0.1\npattern = \"many-to-one\"\ndestination = 5\nsources = [1]"),
    ("traffic.shift", "[router.wormhole]\n[traffic]\nload = 0.1\npattern = \"shift\"\nshift = 3"),
    ("traffic.locality", "[router.wormhole]\n[traffic]\nload = 0.1\npattern = \"reflection\"\nlocality = 2"),
    ("traffic.file", "[router.wormhole]\n[traffic]\nload = 0.1\npattern = \"permutation\"\nfile = \"../p.txt\""),
    ("traffic.k", "[router.wormhole]\n[traffic]\nprocess = \"h-h\"\nk = 3\npackets = 20"),
    ("traffic.packets", "[router.wormhole]\n[traffic]\nprocess = \"h-h\"\nk = 3\npackets = 20"),
    ("traffic.on-off", "[router.wormhole]\n[traffic]\nload = 0.1\nprocess = \"on-off\"\n[traffic.on-off]\npeak_load = 0.5\nburst_cycles = 30"),
    ("traffic.modulated", "[router.wormhole]\n[traffic]\nprocess = \"modulated\"\n[traffic.modulated]\ntransitions = [[0, 1], [1, 0]]\n[[traffic.modulated.states]]\nload = 0.1\nmean_cycles = 9\n[[traffic.modulated.states]]\nload = 0.2\nmean_cycles = 5"),
    ("traffic.phases.destination", "[router.wormhole]\n[traffic]\nprocess = \"phases\"\n[[traffic.phases]]\nload = 0.1\npattern = \"many-to-one\"\ndestination = 5\nsources = [1]"),
    ("traffic.phases.sources", "[router.wormhole]\n[traffic]\nprocess = \"phases\"\n[[traffic.phases]]\nload = 0.1\npattern = \"many-to-one\"\ndestination = 5\nsources = [1]"),
    ("traffic.phases.shift", "[router.wormhole]\n[traffic]\nprocess = \"phases\"\n[[traffic.phases]]\nload = 0.1\npattern = \"shift\"\nshift = 3"),
    ("traffic.phases.locality", "[router.wormhole]\n[traffic]\nprocess = \"phases\"\n[[traffic.phases]]\nload = 0.1\npattern = \"swap\"\nlocality = 2"),
    ("traffic.phases", "[router.wormhole]\n[traffic]\nprocess = \"phases\"\n[[traffic.phases]]\nload = 0.1\npattern = \"hot-spot\"\nhot_nodes = [3]\nhot_fraction = 0.2"),
    ("traffic.repeat_cycles", "[router.wormhole]\n[traffic]\nprocess = \"phases\"\nrepeat_cycles = 90\n[[traffic.phases]]\nload = 0.1"),
    ("traffic.batch", "[router.wormhole]\n[traffic]\nprocess = \"batch\"\n[traffic.batch]\nrequests = 9"),
    ("traffic.trace.link_bytes", "[router.wormhole]\n[traffic]\nprocess = \"trace\"\n[traffic.trace]\nfile = \"../t.tra.bz2\""),
    ("traffic.trace.first_region", "[router.wormhole]\n[traffic]\nprocess = \"trace\"\n[traffic.trace]\nfile = \"../t.tra.bz2\""),
    ("traffic.trace.last_region", "[router.wormhole]\n[traffic]\nprocess = \"trace\"\n[traffic.trace]\nfile = \"../t.tra.bz2\""),
    ("traffic.trace.columns", "[router.wormhole]\n[traffic]\nprocess = \"trace\"\n[traffic.trace]\nfile = \"../t.csv\"\nnodes = 4\nmap = \"block\"\ncolumns = 2"),
    ("traffic.trace.places", "[router.wormhole]\n[traffic]\nprocess = \"trace\"\n[traffic.trace]\nfile = \"../t.csv\"\nnodes = 4\nmap = \"given\"\nplaces = [1, 2, 3, 4]"),
    ("traffic.trace", "[router.wormhole]\n[traffic]\nprocess = \"trace\"\n[traffic.trace]\nfile = \"../t.csv\"\nnodes = 4"),
    ("traffic.lengths.mean_words", "[router.wormhole]\n[traffic]\nload = 0.1\n[traffic.lengths]\nlaw = \"geometric\"\nmean_words = 3\nmost_words = 9"),
    ("traffic.lengths.we", "[router.wormhole]\n[traffic]\nload = 0.1\n[traffic.lengths]\nlaw = \"weighted\"\nwords = [1, 5]\nweights = [1, 2]"),
    ("traffic.lengths.words", "[router.wormhole]\n[traffic]\nload = 0.1\n[traffic.lengths]\nlaw = \"weighted\"\nwords = [1, 5]\nweights = [1, 2]"),
    ("traffic.lengths", "[router.wormhole]\n[traffic]\nload = 0.1\n[traffic.lengths]\nlaw = \"uniform\"\nleast_words = 2\nmost_words = 9"),
    ("traffic", "[router.wormhole]\n[traffic]\nload = 0.1"),
    ("run.deadline_cycles", "[router.wormhole]\n[traffic]\nprocess = \"once\""),
    ("clocks.spread", "[router.chaos]\n[traffic]\nload = 0.1\n[run]\nengine = \"clocked\"\n[clocks]\nspread = \"uniform\"\nspread_percent = 3"),
    ("clocks.block_sides", "[router.chaos]\n[traffic]\nload = 0.1\n[run]\nengine = \"clocked\"\n[clocks]\ndomains = \"blocks\"\nblock_sides = [2, 2]"),
    ("clocks.self-timed.spread", "[router.chaos]\n[traffic]\nload = 0.1\n[run]\nengine = \"clocked\"\n[clocks.self-timed]\nword_ps = [1, 2]\ndecision_ps = [1, 2]\nspread = \"uniform\"\nspread_percent = 3"),
    ("clocks.self-timed", "[router.chaos]\n[traffic]\nload = 0.1\n[run]\nengine = \"clocked\"\n[clocks.self-timed]\nword_ps = [1, 2]\ndecision_ps = [1, 2]\ncredit_ps = [1, 2]"),
    ("clocks.arbiter", "[router.chaos]\n[traffic]\nload = 0.1\n[run]\nengine = \"clocked\"\n[clocks.self-timed]\nword_ps = [1, 2]\ndecision_ps = [1, 2]\n[clocks.arbiter]\nwindow_ps = 3\ntau_ps = 4"),
    ("clocks.delays", "[router.chaos]\n[traffic]\nload = 0.1\n[run]\nengine = \"clocked\"\n[clocks.self-timed]\nword_ps = [1, 2]\ndecision_ps = [1, 2]\n[clocks.delays]\nspread = \"uniform\"\nspread_percent = 3"),
    ("clocks.wander_bound_ps", "[router.chaos]\n[traffic]\nload = 0.1\n[run]\nengine = \"clocked\"\n[clocks]\nwander_ps = 5\nwander_bound_ps = 9"),
    ("clocks.islands.wander_bound_ps", "[router.chaos]\n[traffic]\nload = 0.1\n[run]\nengine = \"clocked\"\n[[clocks.islands]]\nnodes = [3]\nperiod_ps = 900\nwander_ps = 5\nwander_bound_ps = 9"),
    ("clocks.changes.gated", "[router.chaos]\n[traffic]\nload = 0.1\n[run]\nengine = \"clocked\"\n[[clocks.changes]]\nat_ps = 900\nnodes = [3]\ngated = true"),
    ("clocks.changes", "[router.chaos]\n[traffic]\nload = 0.1\n[run]\nengine = \"clocked\"\n[[clocks.islands]]\nnodes = [3]\nperiod_ps = 900\n[[clocks.changes]]\nat_ps = 900\nislands = [0]\nperiod_ps = 700"),
    ("clocks.islands", "[router.chaos]\n[traffic]\nload = 0.1\n[run]\nengine = \"clocked\"\n[[clocks.islands]]\nnodes = [3]\nperiod_ps = 900"),
    ("clocks", "[router.chaos]\n[traffic]\nload = 0.1\n[run]\nengine = \"clocked\""),
    ("live", "[router.chaos]\n[traffic]\nload = 0.1\n[run]\nengine = \"live\""),
    ("", "[router.chaos]\n[traffic]\nload = 0.1"),
];

/// The configuration of a key.
pub(super) fn home(key: &str) -> String {
    let of = HOMES.iter().find(|home| key.starts_with(home.0)).unwrap().1;
    match of.starts_with("[network]") {
        true => format!("{of}\n"),
        false => format!("[network]\n{}\n{of}\n", super::MESH),
    }
}

/// A text with a line of a table replaced, or inserted below the table's header, which is appended if it is missing.
pub(super) fn put(text: &str, table: &str, name: &str, line: &str) -> String {
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

/// The name with its second and third letter swapped.
pub(super) fn misspelt(name: &str) -> String {
    let mut letters: Vec<char> = name.chars().collect();
    let last = letters.len() - 1;
    letters.swap(last.min(1), last.min(2));
    if letters.iter().collect::<String>() == name {
        letters.push('x');
    }
    letters.into_iter().collect()
}
