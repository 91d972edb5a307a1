//! The output of `flitwork run` is consistent, and is enough to run it again.

use crate::harness::{Folder, SMALL};
use crate::sourced::{provenance, without_provenance};
use serde_json::Value;
use std::fs;

pub(crate) const FILES: [&str; 12] = [
    "energy.csv",
    "heatmap.png",
    "heatmap.svg",
    "latency.csv",
    "latency_by_class.csv",
    "latency_by_distance.csv",
    "links.csv",
    "links.png",
    "links.svg",
    "nodes.csv",
    "results.csv",
    "results.json",
];

/// All files: the tables as Parquet too if the program writes that.
pub(crate) fn files() -> Vec<String> {
    let mut files: Vec<String> = FILES.map(str::to_owned).into();
    let tables = FILES.iter().filter_map(|name| name.strip_suffix(".csv"));
    files.extend(tables.map(|table| format!("{table}.parquet")));
    files.sort();
    files
}

/// The number of files with further tables.
fn files_and(tables: &[&str]) -> usize {
    files().len() + tables.len() * 2
}

/// A column's sum.
fn sum(table: &(Vec<String>, Vec<Vec<String>>), column: &str) -> f64 {
    let at = table.0.iter().position(|name| name == column).unwrap();
    table
        .1
        .iter()
        .map(|row| row[at].parse::<f64>().unwrap())
        .sum()
}

fn number(value: &Value, path: &str) -> f64 {
    value
        .pointer(path)
        .and_then(Value::as_f64)
        .unwrap_or_else(|| panic!("{path} in {value}"))
}

fn near(one: f64, other: f64) {
    assert!(
        (one - other).abs() <= 1e-6 * one.abs().max(other.abs()),
        "{one} and {other}"
    );
}

#[test]
fn all_files_are_written_and_nothing_else() {
    let folder = Folder::new();
    // Folders above it are created, and existing files are overwritten.
    for _ in 0..2 {
        folder.fine(&["run", "small.toml", "--force", "--out", "new/out"]);
    }
    let mut names: Vec<String> = fs::read_dir(folder.path("new/out"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(names, files());
    let png = fs::read(folder.path("new/out/heatmap.png")).unwrap();
    assert!(png.starts_with(b"\x89PNG\r\n\x1a\n"));
    assert!(png.ends_with(b"IEND\xae\x42\x60\x82"));
    let svg = folder.read("new/out/heatmap.svg");
    assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"));
}

/// Every table as Parquet has the cells of the CSV file, and null where those are empty; CSV may round.
#[test]
fn parquet_has_what_csv_has() {
    use parquet::file::reader::{FileReader, SerializedFileReader};
    use parquet::record::Field;
    let folder = Folder::new();
    let heavy = SMALL.replace("0.1", "1.0") + "drain_cycles = 1\n";
    folder.write("heavy.toml", heavy);
    let run = ["run", "heavy.toml", "--out", "out", "--every", "7"];
    assert_eq!(folder.flitwork(&run).code, Some(3));
    let tables = FILES.iter().filter_map(|name| name.strip_suffix(".csv"));
    for table in tables.chain(["waits", "intervals"]) {
        let file = fs::File::open(folder.path(&format!("out/{table}.parquet"))).unwrap();
        let reader = SerializedFileReader::new(file).unwrap();
        let text = folder.read(&format!("out/{table}.csv"));
        let mut csv = csv::ReaderBuilder::new();
        let mut csv = csv.comment(Some(b'#')).from_reader(text.as_bytes());
        let names = csv.headers().unwrap().clone();
        let mut found = reader.get_row_iter(None).unwrap();
        for row in csv.records() {
            let (row, found) = (row.unwrap(), found.next().unwrap().unwrap());
            let pairs: Vec<_> = row.iter().zip(found.get_column_iter()).collect();
            assert_eq!(pairs.len(), names.len(), "{table}");
            for ((text, (name, field)), expected) in pairs.into_iter().zip(&names) {
                assert_eq!(name, expected, "{table}");
                let same = match field {
                    Field::Null => text.is_empty(),
                    Field::Double(number) => {
                        (text.parse::<f64>().unwrap() - number).abs() <= 5.1e-7
                            || text.parse() == Ok(*number)
                    }
                    Field::Str(found) => text == found,
                    other => text == other.to_string(),
                };
                assert!(same, "{table}, {name}: {text:?} and {field:?}");
            }
        }
        assert!(found.next().is_none(), "{table}");
    }
}

/// A column's cells.
fn cells(table: &(Vec<String>, Vec<Vec<String>>), column: &str) -> Vec<f64> {
    let at = table.0.iter().position(|name| name == column).unwrap();
    let rows = table.1.iter();
    rows.map(|row| row[at].parse().unwrap()).collect()
}

/// A static problem is measured from its first cycle to its last, so figures of different events must agree:
/// what was made, what entered and what was delivered; latencies and packets in nodes; hops, words on links
/// and decisions. (`tests/figures.rs` compares every column with events.)
#[test]
fn files_agree_with_each_other() {
    let folder = Folder::new();
    let text = SMALL.replace(
        "load = 0.1",
        "process = \"once\"\nk = 30\npattern = \"uniform\"",
    );
    folder.write("once.toml", &text[..text.find("[run]").unwrap()]);
    let printed = folder
        .fine(&["run", "once.toml", "--out", "out", "--json"])
        .json();
    let results = folder.json("out/results.json");
    assert_eq!(printed, results);
    assert_eq!(results["status"], "complete");
    let cycles = number(&results, "/measured_cycles");
    assert_eq!(cycles, number(&results, "/cycles"));

    // Everything that was made was delivered, from and to the right nodes. Packets have 10 words.
    let nodes = folder.table("out/nodes.csv");
    let words = |column| cells(&nodes, column);
    assert_eq!(words("words_created"), [300.0; 16]);
    assert_eq!(words("words_delivered_from"), [300.0; 16]);
    assert_eq!(words("words_injected_to"), words("words_delivered_to"));
    let packets: Vec<f64> = words("packets_delivered")
        .iter()
        .map(|it| 10.0 * it)
        .collect();
    assert_eq!(packets, words("words_delivered_to"));
    assert_ne!(packets, [300.0; 16], "uniform destinations differ");
    near(number(&results, "/source_jain"), 1.0);
    assert!(number(&results, "/destination_jain") < 1.0);

    // A packet is in some node for as long as it is in the network.
    let in_network = number(&results, "/network_latency_mean_cycles") * 480.0;
    near(sum(&nodes, "node_packets_mean") * cycles, in_network);
    assert!(number(&results, "/latency_mean_cycles") * 480.0 > in_network);

    // Packets by latency, by class, by distance; the mean over distances is that of all packets.
    let latency = folder.table("out/latency.csv");
    assert_eq!(sum(&latency, "packets"), 480.0);
    let by = |table, packets, value| -> f64 {
        let pairs = cells(table, value).into_iter().zip(cells(table, packets));
        pairs.map(|(value, packets)| value * packets).sum()
    };
    let all = number(&results, "/latency_mean_cycles") * 480.0;
    near(by(&latency, "packets", "from_cycles"), all);
    let classes = folder.table("out/latency_by_class.csv");
    near(by(&classes, "latency_packets", "latency_mean_cycles"), all);
    let distances = folder.table("out/latency_by_distance.csv");
    near(
        by(&distances, "latency_packets", "latency_mean_cycles"),
        all,
    );

    // Without deroutes packets cross as many links as their ends are apart; each hop takes 10 words over a
    // link and a decision, and the last decision is for the processor.
    let hops = number(&results, "/packet_hops");
    let deroutes = number(&results, "/deroutes_per_packet") * 480.0;
    near(hops, number(&results, "/hops_per_packet") * 480.0);
    near(
        hops,
        by(&distances, "latency_packets", "hops") + 2.0 * deroutes,
    );
    let links = folder.table("out/links.csv");
    // A mesh of 4 x 4 nodes: 2 directions, 2 dimensions, 4 lines of 3 links each.
    assert_eq!(links.1.len(), 48);
    assert_eq!(sum(&links, "link_words"), 10.0 * hops);
    let moves = number(&results, "/decisions");
    assert!(moves >= hops + 480.0, "{moves} decisions for {hops} hops");
    let work = |what| number(&results, &format!("/{what}"));
    assert_eq!(work("crossbar_words"), 10.0 * moves);
    assert_eq!(work("buffer_write_words"), work("buffer_read_words"));
    assert_eq!(work("node_cycles"), 16.0 * cycles);
}

/// With one packet per source, everything that happens is measured.
#[test]
fn a_static_problem_is_measured_completely() {
    let folder = Folder::new();
    let text = SMALL.replace("load = 0.1", "process = \"once\"\npattern = \"transpose\"");
    folder.write("once.toml", &text[..text.find("[run]").unwrap()]);
    let results = folder
        .fine(&["run", "once.toml", "--out", "out", "--json"])
        .json();
    // A transposition leaves the four nodes of the diagonal silent.
    assert_eq!(number(&results, "/packets_delivered"), 12.0);
    assert_eq!(sum(&folder.table("out/latency.csv"), "packets"), 12.0);
    assert_eq!(
        sum(&folder.table("out/nodes.csv"), "packets_delivered"),
        12.0
    );
    let words = sum(&folder.table("out/links.csv"), "link_words");
    assert_eq!(words, 10.0 * number(&results, "/packet_hops"));
    // Distances of (x, y) and (y, x): 2 |x - y|, 6 pairs of nodes both ways.
    assert_eq!(
        number(&results, "/packet_hops"),
        2.0 * (3.0 * 2.0 + 2.0 * 4.0 + 6.0)
    );
}

#[test]
fn the_configuration_in_the_results_runs_again() {
    let folder = Folder::new();
    folder.fine(&[
        "run",
        "small.toml",
        "--out",
        "out",
        "--seed",
        "77",
        "--set",
        "traffic.load=0.2",
    ]);
    let results = folder.json("out/results.json");
    assert_eq!(results["provenance"]["seed"], 77);
    let configuration = &results["provenance"]["configuration"];
    folder.write("again.toml", configuration.as_str().unwrap());
    let again = folder.fine(&["run", "again.toml", "--json"]).json();
    assert_eq!(again["digest"], results["digest"]);
    assert_eq!(&again["provenance"]["configuration"], configuration);
    let other = folder
        .fine(&["run", "again.toml", "--json", "--seed=78"])
        .json();
    assert_ne!(other["digest"], results["digest"]);
    let text = folder.fine(&["run", "again.toml"]).out;
    assert!(text.contains(results["digest"].as_str().unwrap()));
    assert!(text.contains("seed                   77"));
}

/// Version, revision, command line, seed, resolved configuration and the schema's version.
#[test]
fn every_file_has_its_provenance() {
    let folder = Folder::new();
    folder.write(
        "it's.toml",
        SMALL.replace("0.1", "1.0") + "drain_cycles = 1\n",
    );
    let args = [
        "run",
        "it's.toml",
        "--seed=5",
        "--out",
        "out",
        "--set",
        "run.measure_cycles=9",
    ];
    // Too short to drain, so that waits.csv exists too.
    assert_eq!(folder.flitwork(&args).code, Some(3));
    let names: Vec<String> = fs::read_dir(folder.path("out"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    assert_eq!(names.len(), files_and(&["waits"]), "{names:?}");
    let mut configurations = Vec::new();
    for name in names {
        let found = provenance(&folder, &format!("out/{name}"));
        let number = |key: &str| found[key].as_u64();
        assert_eq!(number("schema_version"), Some(4), "{name}: {found}");
        assert_eq!(found["version"], env!("CARGO_PKG_VERSION"), "{name}");
        assert_eq!(found["revision"], env!("FLITWORK_REVISION"), "{name}");
        let command = found["command"].as_str().unwrap();
        let asked = "run \"it's.toml\" '--seed=5' --out out --set 'run.measure_cycles=9'";
        assert!(command.ends_with(asked), "{name}: {command}");
        assert_eq!(
            (number("seed"), number("seeds")),
            (Some(5), Some(1)),
            "{name}"
        );
        configurations.push(found["configuration"].as_str().unwrap().to_owned());
    }
    configurations.dedup();
    assert_eq!(configurations.len(), 1);
    assert!(configurations[0].contains("\nmeasure_cycles = 9\n"));
    folder.write("again.toml", &configurations[0]);
    assert_eq!(folder.flitwork(&["run", "again.toml"]).code, Some(3));
}

/// A record is enough to run it again, and has its provenance.
#[test]
fn a_record_has_its_provenance() {
    let folder = Folder::new();
    let args = "run small.toml --engine live --seed 9 --record r.flog";
    folder.fine(&args.split(' ').collect::<Vec<_>>());
    let record = fs::read(folder.path("r.flog")).unwrap();
    let record = String::from_utf8_lossy(&record);
    let revision = format!("# revision = {:?}\n# command = ", env!("FLITWORK_REVISION"));
    assert!(record.contains(&revision), "{revision}");
    assert!(record.contains(&format!("{args}\"\n[network]\n")));
    assert!(record.contains("\nseed = 9\n"));
    let again = folder.fine(&["replay", "r.flog", "--json"]);
    assert!(again.err.contains("agrees"), "{}", again.err);
}

/// A revision is a commit's name, or unknown.
#[test]
fn the_revision_is_one_of_git() {
    let revision = env!("FLITWORK_REVISION");
    let commit = revision.strip_suffix("-dirty").unwrap_or(revision);
    let hex = |c: char| matches!(c, '0'..='9' | 'a'..='f');
    assert!(
        revision == "unknown" || (commit.len() >= 40 && commit.chars().all(hex)),
        "{revision}"
    );
    let shown = Folder::new().fine(&["--version"]).out;
    assert!(shown.contains(&format!("revision {revision}\n")), "{shown}");
}

/// The results of both engines, without those about the host and the engine, and without the keys of `but`.
fn by_both(config: &str, but: &[&str]) {
    let folder = Folder::new();
    folder.write("config.toml", config);
    let by = |engine: &str| {
        let out = format!("out-{engine}");
        let args = [
            "run",
            "config.toml",
            "--engine",
            engine,
            "--out",
            &out,
            "--json",
        ];
        let mut results = folder.fine(&args).json();
        let map = results.as_object_mut().unwrap();
        let host = [
            "seconds",
            "packet_hops_per_second",
            "node_cycles_per_second",
            "node_steps",
        ];
        for key in host.iter().chain(but) {
            map.remove(*key).unwrap();
        }
        let provenance = map.remove("provenance").unwrap();
        let resolved = provenance["configuration"].as_str().unwrap().to_owned();
        let engine_line = format!("engine = \"{engine}\"\n");
        assert!(resolved.contains(&engine_line));
        (results, resolved.replace(&engine_line, ""))
    };
    assert_eq!(by("sync"), by("sync-plain"));
    for name in FILES.iter().filter(|name| !name.starts_with("results")) {
        let bytes = |engine| without_provenance(&folder, &format!("out-{engine}/{name}"));
        assert!(bytes("sync") == bytes("sync-plain"), "{name}");
    }
}

#[test]
fn both_engines_give_one_result() {
    by_both(SMALL, &["cycles"]);
    let heavy = SMALL.replace("0.1", "0.9").replace("\"mesh\"", "\"torus\"");
    by_both(&heavy, &["cycles"]);
    let small = "network = { topology = \"mesh\", sides = [5, 4] }\n";
    by_both(
        &format!("{small}router.greedy-hp = {{}}\ntraffic.load = 0.3\nrun.measure_cycles = 900\n"),
        &["cycles"],
    );
}

#[test]
fn both_engines_agree_on_when_a_run_ended() {
    by_both(SMALL, &[]);
    let small = "network = { topology = \"mesh\", sides = [5, 4] }\n";
    by_both(
        &format!("{small}router.chaos = {{}}\ntraffic.process = \"once\"\n"),
        &[],
    );
}

#[test]
fn unusual_networks_run() {
    let folder = Folder::new();
    for (topology, sides, latency, nodes, links) in [
        ("torus", "[3, 4, 5]", "1", 60, 6 * 60),
        ("mesh", "[9]", "1", 9, 16),
        ("torus", "[2]", "1", 2, 4),
        ("mesh", "[2]", "3", 2, 2),
        ("mesh", "[7, 2]", "1", 14, 2 * (6 * 2 + 7)),
        ("mesh", "[1, 5]", "1", 5, 8),
        ("torus", "[2, 2]", "1", 4, 16),
        ("torus", "[4, 6]", "4", 24, 4 * 24),
        ("mesh", "[2, 2, 2, 2]", "2", 16, 64),
    ] {
        let sides = format!("network.sides={sides}");
        let topology = format!("network.topology={topology}");
        let latency = format!("network.link_latency_cycles={latency}");
        let mut args = vec!["run", "small.toml", "--json", "--force", "--out", "out"];
        args.extend(["--set", &sides, "--set", &topology, "--set", &latency]);
        let results = folder.fine(&args).json();
        assert!(number(&results, "/packets_delivered") > 0.0, "{sides}");
        assert_eq!(folder.table("out/nodes.csv").1.len(), nodes, "{sides}");
        assert_eq!(folder.table("out/links.csv").1.len(), links, "{sides}");
    }
}

/// A run without packets has no means, neither as text nor in JSON.
#[test]
fn an_idle_network_has_no_latency() {
    let folder = Folder::new();
    let results = folder
        .fine(&["run", "small.toml", "--set", "traffic.load=0", "--json"])
        .json();
    assert_eq!(results["status"], "complete");
    assert!(results["latency_mean_cycles"].is_null() && results["latency_p99_cycles"].is_null());
    let text = folder
        .fine(&["run", "small.toml", "--set", "traffic.load=0"])
        .out;
    assert!(!text.contains("NaN") && !text.contains("inf"), "{text}");
}

#[test]
fn options_of_the_live_engine_are_in_the_resolved_configuration() {
    let folder = Folder::new();
    let args = "run small.toml --json --engine live --runtime tokio --slack none --workers 3 \
        --channel-capacity 9 --burst-cycles 2 --pinning --set run.drain_cycles=1000000000";
    let args: Vec<&str> = args.split_whitespace().collect();
    let results = folder.fine(&args).json();
    let resolved = results["provenance"]["configuration"].as_str().unwrap();
    let expected = "
engine = \"live\"
warmup_cycles = 200
measure_cycles = 2000
drain_cycles = 1000000000
stop_at_overload = false

[live]
runtime = \"tokio\"
slack = \"none\"
workers = 3
channel_capacity = 9
burst_cycles = 2
pinning = true
";
    assert!(resolved.ends_with(expected), "{resolved}");
}
