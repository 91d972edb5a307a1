//! Static problems: what `flitwork route` and `flitwork schedule` read.

use crate::{Catalogue, ConfigError, Override, Routing, Scheduling};
use flitwork_schedule::method::MethodEntry;
use flitwork_schema::{Allowed, Entry, Part, Parts};
use flitwork_steps::named::RuleEntry;
use flitwork_topology::Topology;
use flitwork_types::NodeId;
use std::path::Path;

const NETWORK: &str = "[network]\ntopology = \"mesh\"\nsides = [4, 4]\n";
const TRAFFIC: &str = "[traffic]\nprocess = \"once\"\npattern = \"transpose\"\n";

fn routing(text: &str, set: &[Override]) -> Result<Routing, ConfigError> {
    let loaded = Catalogue::default().resolve_problem(text, ("x.toml", Path::new("")), set);
    loaded.map(|loaded| loaded.value)
}

fn scheduling(text: &str, set: &[Override]) -> Result<Scheduling, ConfigError> {
    let loaded = Catalogue::default().resolve_problem(text, ("x.toml", Path::new("")), set);
    loaded.map(|loaded| loaded.value)
}

/// What is said of each mistake, and where.
fn said<T>(found: Result<T, ConfigError>) -> Vec<String> {
    let Err(error) = found else {
        panic!("it is accepted")
    };
    let each = error
        .each()
        .map(|one| format!("{}: {}", one.place(), one.found()));
    each.collect()
}

/// Lines of a table that give each key a value: its default, or the first that it may have.
fn lines(keys: &[Entry]) -> String {
    let line = |key: &Entry| {
        let value = match &key.allowed {
            Allowed::Choice(names) => format!("{:?}", names[0]),
            Allowed::Part(names) => format!("{:?}", names(&Parts::new())[0]),
            Allowed::Whole(least, most) => (least + 3).min(*most).to_string(),
            Allowed::Truth => "true".to_owned(),
            other => panic!("{other}"),
        };
        format!("{} = {value}\n", key.name)
    };
    keys.iter().map(line).collect()
}

/// With its defaults, and with another value of every key, each part's text means the same when it is read again.
#[test]
fn every_part_reads_back_what_it_writes() {
    for entry in Parts::new().all::<RuleEntry>() {
        // Algorithms that go by legs are for many packets a node, and some for tori alone.
        let by_legs = entry.facts().goes_by_legs;
        let (network, traffic) = match by_legs {
            true => (
                "[network]\ntopology = \"torus\"\nsides = [8, 8]\n",
                "[traffic]\nprocess = \"once\"\npattern = \"shift\"\nk = 32\n",
            ),
            false => (NETWORK, TRAFFIC),
        };
        for lines in [String::new(), lines(&entry.keys())] {
            let text = format!("{network}[rule.{}]\n{lines}{traffic}", entry.name());
            let first = match routing(&text, &[]) {
                // Not every width fits this problem.
                Err(_) if by_legs && !lines.is_empty() => continue,
                first => first.unwrap_or_else(|error| panic!("{text}{error}")),
            };
            let again = routing(&first.to_toml(), &[]).unwrap();
            assert_eq!(again.to_toml(), first.to_toml());
            assert_eq!(again.packets, first.packets);
        }
    }
    for entry in Parts::new().all::<MethodEntry>() {
        for lines in [String::new(), lines(&entry.keys())] {
            let text = format!("{NETWORK}[schedule.{}]\n{lines}{TRAFFIC}", entry.name());
            let catalogue = Catalogue::default();
            let place = ("x.toml", Path::new(""));
            let loaded = catalogue.resolve_problem::<flitwork_schedule::method::AnyMethod>(
                &text,
                place,
                &[],
            );
            let first = match loaded {
                Ok(loaded) => loaded.value,
                // Not all keys of a method are read at once.
                Err(error) => {
                    let unread = |it: ConfigError| {
                        let allowed = it.allowed().unwrap_or_default();
                        allowed.starts_with("only with")
                    };
                    assert!(error.each().all(unread), "{text}{error}");
                    continue;
                }
            };
            let again = scheduling(&first.to_toml(), &[]).unwrap();
            assert_eq!(again.to_toml(), first.to_toml());
            assert_eq!(again.algorithm, first.algorithm);
        }
    }
}

#[test]
fn packets_are_numbered_in_their_order_with_those_that_stay() {
    let text = format!("{NETWORK}[rule.fifo]\n{TRAFFIC}");
    let transpose = routing(&text, &[]).unwrap();
    assert_eq!(transpose.packets.len(), 16);
    assert_eq!(transpose.packets[1], (NodeId(1), NodeId(4), 1));
    assert_eq!(transpose.packets[5], (NodeId(5), NodeId(5), 1));
    let twice = routing(&text, &[Override::new("traffic.k", "2")]).unwrap();
    assert_eq!(twice.packets[2..4], [(NodeId(1), NodeId(4), 1); 2]);
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("p"), "3 1\n0 2\n3 3\n0 1\n").unwrap();
    let listed = "pattern = \"listed\"\nfile = \"p\"\n";
    let text = text.replace("pattern = \"transpose\"\n", listed);
    let loaded = Catalogue::default().resolve_problem(&text, ("x.toml", folder.path()), &[]);
    let listed: Routing = loaded.unwrap().value;
    let packets = [(3, 1), (0, 2), (3, 3), (0, 1)].map(|(from, to)| (NodeId(from), NodeId(to), 1));
    assert_eq!(listed.packets, packets);
    let h_h = text.replace(
        "\"once\"\npattern = \"listed\"\nfile = \"p\"",
        "\"h-h\"\nk = 3",
    );
    assert_eq!(routing(&h_h, &[]).unwrap().packets.len(), 48);
}

#[test]
fn words_are_one_unless_given() {
    let text = format!("{NETWORK}[schedule.worms]\n{TRAFFIC}");
    assert_eq!(scheduling(&text, &[]).unwrap().packets[1].2, 1);
    let long = Override::new("traffic.packet_words", "7");
    assert_eq!(
        scheduling(&text, std::slice::from_ref(&long))
            .unwrap()
            .packets[1]
            .2,
        7
    );
    let text = format!("{NETWORK}[rule.fifo]\n{TRAFFIC}");
    let found = routing(&text, &[long]);
    let says = "command line: --set traffic.packet_words=7: traffic.packet_words is 7";
    assert_eq!(said(found), [says]);
}

#[test]
fn a_problem_needs_one_part_that_takes_it() {
    let both = format!("{NETWORK}[rule.fifo]\n[rule.lifo]\n{TRAFFIC}");
    assert_eq!(said(routing(&both, &[])), ["x.toml:5:1: a second rule"]);
    let none = format!("{NETWORK}[rule]\n{TRAFFIC}");
    assert_eq!(said(routing(&none, &[])), ["x.toml:4:1: no rule is named"]);
    let missing = format!("{NETWORK}{TRAFFIC}");
    let says = "x.toml: has no table [schedule]";
    assert_eq!(said(scheduling(&missing, &[])), [says]);
    let other = format!("{NETWORK}[rule.fifo]\n[schedule.worms]\n[router.chaos]\n{TRAFFIC}");
    let says = [
        "x.toml:5:2: schedule is given",
        "x.toml:6:2: router is given",
    ];
    assert_eq!(said(routing(&other, &[])), says);
    assert_eq!(said(routing("", &[])), ["x.toml: is empty"]);
}

#[test]
fn mistakes_of_all_tables_are_found_at_once() {
    let text = "[network]\ntopology = \"torus\"\nsides = [4, 4, 1]\n[schedule.multistage]\nselect = \"path\"\nwaitng = 1\n\
                [traffic]\nprocess = \"bernoulli\"\n[run]\nengine = \"sinc\"\n";
    let says = [
        "x.toml:3:16: network.sides[2] is 1",
        "x.toml:6:1: unknown key schedule.multistage.waitng",
        "x.toml:8:11: traffic.process is \"bernoulli\"",
        "x.toml:10:10: run.engine is \"sinc\"",
    ];
    assert_eq!(said(scheduling(text, &[])), says);
    // A table is judged beside others once its own keys are right.
    let text = "[network]\ntopology = \"torus\"\nsides = [4, 4]\n[schedule.multistage]\nselect = \"path\"\n\
                [traffic]\nprocess = \"once\"\n[run]\nengine = \"sinc\"\n";
    let says = ["x.toml:9:10: run.engine is \"sinc\""];
    assert_eq!(said(scheduling(text, &[])), says);
}

/// Links of a file, each one way, make a network that no router takes.
#[test]
fn links_of_a_file_are_a_network() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("l"), "0,0,1,0\n1,0,2,0\n2,0,0,0\n").unwrap();
    let text = format!("[network]\ntopology = \"links\"\nfile = \"l\"\n[rule.fifo]\n{TRAFFIC}");
    let text = text.replace("transpose", "reversal");
    let loaded = Catalogue::default().resolve_problem(&text, ("x.toml", folder.path()), &[]);
    let ring: Routing = loaded.unwrap().value;
    let shape = ring.shape();
    assert_eq!(
        (shape.nodes(), shape.distance(NodeId(1), NodeId(0))),
        (3, 2)
    );
    assert!(
        ring.to_toml()
            .starts_with("[network]\ntopology = \"links\"\nfile = \"l\"\n")
    );
    let run = text.replace("[rule.fifo]", "[router.chaos]");
    let refused = Catalogue::default().resolve(&run, "x.toml", folder.path(), &[]);
    let says = "x.toml:2:12: network.topology is \"links\"";
    assert_eq!(said(refused), [says]);
}

/// What every key of the old form becomes.
#[test]
fn the_old_form_is_translated_key_by_key() {
    let translated = |text: &str| {
        let error = routing(text, &[]).unwrap_err();
        let allowed = error.allowed().unwrap().to_owned();
        let lines = allowed.lines().skip(1).map(str::trim);
        lines.collect::<Vec<_>>().join("\n") + "\n"
    };
    let rule = "[graph]\ntopology = \"torus\"\nsides = [4, 4]\n[rule]\nname = \"derouting\"\nqueues = \"incoming\"\nk = 3\n\
                inqueue = \"fixed\"\nbox_side = 2\ncorner = \"north-west\"\n[problem]\npattern = \"random\"\nseed = 3\n";
    let now = "[network]\ntopology = \"torus\"\nsides = [4, 4]\n[rule.derouting]\nqueues = \"incoming\"\nk = 3\n\
               inqueue = \"fixed\"\nbox_side = 2\ncorner = \"north-west\"\n[traffic]\nprocess = \"once\"\n\
               pattern = \"random-permutation\"\n[run]\nseed = 3\n";
    assert_eq!(translated(rule), now);
    assert!(routing(now, &[]).is_ok());
    let random = rule
        .replace("derouting", "random")
        .replace("corner", "table");
    let random = random.replace("\"north-west\"", "9");
    assert!(
        translated(&random).contains(
            "[rule.random]\nqueues = \"incoming\"\nk = 3\ninqueue = \"fixed\"\nseed = 9\n"
        )
    );
    let schedule = "graph = { topology = \"mesh\", sides = [4, 4] }\nschedule.select = \"earliest\"\nschedule.waiting = 1\n\
                    schedule.detours = true\nproblem = { destinations = [1, 0], words = 2 }\n";
    let now = "[network]\ntopology = \"mesh\"\nsides = [4, 4]\n[schedule.multistage]\nselect = \"earliest\"\nwaiting = 1\n\
               detours = true\n[traffic]\nprocess = \"once\"\npattern = \"listed\"\ndestinations = [1, 0]\npacket_words = 2\n";
    assert_eq!(translated(schedule), now);
    assert!(scheduling(now, &[]).is_ok());
}
