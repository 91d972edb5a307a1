//! The book's page of topologies: its figures are what its commands draw, and its tables what the program accepts.

use crate::harness::Folder;
use crate::sourced::{provenance, without_provenance};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

const PAGE: &str = include_str!("../../../docs/src/topologies.md");

/// All topologies that a router takes, with a configuration of each.
const CONFIGURATIONS: [(&str, &[&str]); 23] = [
    ("mesh", &["configs/wormhole.toml"]),
    (
        "torus",
        &["configs/wormhole.toml", "--set", "network.topology=torus"],
    ),
    ("ring", &["configs/ring.toml"]),
    ("hypercube", &["configs/hypercube.toml"]),
    ("fully-connected", &["configs/fully-connected.toml"]),
    ("circulant", &["configs/circulant.toml"]),
    ("de-bruijn", &["configs/de-bruijn.toml"]),
    ("shuffle-exchange", &["configs/shuffle-exchange.toml"]),
    (
        "express-mesh",
        &["configs/express-mesh.toml", "--set", "network.sides=[5,5]"],
    ),
    ("random-regular", &["configs/random-regular.toml"]),
    ("concentrated-mesh", &["configs/concentrated-mesh.toml"]),
    ("concentrated-torus", &["configs/concentrated-torus.toml"]),
    ("folded-torus", &["configs/folded-torus.toml"]),
    ("fly", &["configs/fly.toml"]),
    ("benes", &["configs/benes.toml"]),
    ("butterfly", &["configs/butterfly.toml"]),
    ("fat-tree", &["configs/fat-tree.toml"]),
    ("flattened-butterfly", &["configs/flattened-butterfly.toml"]),
    ("hyperx", &["configs/hyperx.toml"]),
    ("dragonfly", &["configs/dragonfly.toml"]),
    ("megafly", &["configs/megafly.toml"]),
    ("slim-fly", &["configs/slim-fly.toml"]),
    ("file", &["configs/graph-file.toml"]),
];

/// Those with several terminals a node, or whose packets enter at other nodes than they leave.
const SHARED: [&str; 12] = [
    "concentrated-mesh",
    "concentrated-torus",
    "fly",
    "benes",
    "butterfly",
    "fat-tree",
    "flattened-butterfly",
    "hyperx",
    "dragonfly",
    "megafly",
    "slim-fly",
    "file",
];

/// A folder with the repository's configurations.
fn folder() -> Folder {
    let folder = Folder::new();
    let configs = Path::new(env!("CARGO_MANIFEST_DIR")).join("configs");
    symlink(&configs, folder.path("configs")).unwrap();
    // For networks of resolved configurations, which name files as they were configured.
    let file = "graph-file.graphml";
    fs::copy(configs.join(file), folder.path(file)).unwrap();
    folder
}

/// The names in a list of the program.
fn listed(folder: &Folder, kind: &str) -> Vec<String> {
    let list = folder.fine(&["list", kind]).out;
    let names = list.lines().filter_map(|line| line.strip_prefix("  "));
    let names = names.filter_map(|line| line.split(' ').next());
    names.map(str::to_owned).collect()
}

/// The rows of the table whose first cell of the head is this, without the head; each cell without quotes.
fn table(head: &str) -> Vec<Vec<String>> {
    let begin = format!("| {head} |");
    let lines = PAGE.lines().skip_while(|line| !line.starts_with(&begin));
    let lines = lines.take_while(|line| line.starts_with('|'));
    let cells = |line: &str| {
        let cells = line.trim_matches('|').split('|');
        cells.map(|cell| cell.trim().replace('`', "")).collect()
    };
    let mut rows: Vec<Vec<String>> = lines.map(cells).collect();
    rows.remove(1);
    rows
}

#[test]
fn every_topology_is_on_the_page() {
    let folder = folder();
    let names = listed(&folder, "topologies");
    let of_routers = names.iter().filter(|name| *name != "links");
    let mut configured = CONFIGURATIONS.map(|(name, _)| name);
    configured.sort_unstable();
    assert_eq!(of_routers.collect::<Vec<_>>(), configured);
    let rows = table("topology");
    for name in names {
        let link = format!("[{name}](#");
        let row = rows.iter().find(|row| row[0].starts_with(&link));
        let row = row.unwrap_or_else(|| panic!("{name} is in no row"));
        let figure = format!("(figures/topologies/{name}.svg)");
        assert!(PAGE.contains(&figure), "{figure}");
        // The keys are those that the topology reads.
        let (_, section) = PAGE.split_once(&format!("\"{name}\"")).unwrap();
        let section = section.split("```").next().unwrap();
        let mut keys = row[1].split(", ");
        assert!(
            keys.all(|key| section.contains(&format!("\n{key} = "))),
            "{name}: {}",
            row[1]
        );
    }
}

/// Each figure of the page is drawn by a command of the page, and is what that draws.
#[test]
fn figures_are_what_their_commands_draw() {
    let folder = folder();
    let commands = PAGE
        .lines()
        .filter_map(|line| line.strip_prefix("flitwork "));
    let mut drawn = Vec::new();
    for command in commands {
        let command = command.replace('\'', "");
        let args: Vec<&str> = command.split(' ').collect();
        let plot = args
            .iter()
            .skip_while(|arg| **arg != "--plot")
            .nth(1)
            .unwrap();
        folder.fine(&args);
        let committed = Path::new(env!("CARGO_MANIFEST_DIR")).join(plot);
        fs::copy(&committed, folder.path("committed.svg")).unwrap();
        assert!(
            without_provenance(&folder, plot) == without_provenance(&folder, "committed.svg"),
            "draw it again: flitwork {command}"
        );
        let [new, old] = [plot, "committed.svg"].map(|name| provenance(&folder, name));
        assert_eq!(new["configuration"], old["configuration"], "{command}");
        let typed = old["command"].as_str().unwrap().replace('\'', "");
        assert!(typed.ends_with(&command), "{typed}");
        lines_pass_nodes(&folder.read(plot), command.as_str());
        drawn.push((*plot).to_owned());
    }
    for figure in PAGE.split("(figures/").skip(1) {
        let name = figure.split(')').next().unwrap();
        let path = format!("docs/src/figures/{name}");
        assert!(drawn.contains(&path), "{path} is drawn by no command");
    }
    assert_eq!(drawn.len(), listed(&folder, "topologies").len());
}

/// Numbers of an attribute, in order.
fn numbers(element: &str, attribute: &str) -> Vec<f64> {
    let (_, rest) = element.split_once(&format!(" {attribute}=\"")).unwrap();
    let text = rest.split('"').next().unwrap();
    let parts = text.split([' ', ',']).filter(|part| !part.is_empty());
    parts.map(|part| part.parse().unwrap()).collect()
}

/// No line of a drawing touches a node but those at its two ends.
fn lines_pass_nodes(svg: &str, what: &str) {
    let elements = |name: &str| {
        let elements = svg.split('<').filter(move |it| it.starts_with(name));
        elements.collect::<Vec<_>>()
    };
    let place = |element: &str| {
        let of = |attribute| numbers(element, attribute)[0];
        (of("cx"), of("cy"), of("r"))
    };
    // Each node is a rim and what is in it.
    let nodes: Vec<(f64, f64, f64)> = elements("circle ")
        .into_iter()
        .step_by(2)
        .map(place)
        .collect();
    let lines = elements("polyline ");
    assert!(nodes.len() > 3 && lines.len() >= nodes.len(), "{what}");
    for line in lines {
        let points: Vec<(f64, f64)> = numbers(line, "points")
            .chunks(2)
            .map(|point| (point[0], point[1]))
            .collect();
        let touched = nodes.iter().filter(|(x, y, radius)| {
            let pieces = points.windows(2);
            let nearest = pieces.map(|piece| apart((*x, *y), piece[0], piece[1]));
            nearest.fold(f64::INFINITY, f64::min) <= *radius
        });
        assert_eq!(touched.count(), 2, "{what}: {line}");
    }
}

/// How far a point is from a piece of a straight line.
fn apart(point: (f64, f64), from: (f64, f64), to: (f64, f64)) -> f64 {
    let along = (to.0 - from.0, to.1 - from.1);
    let off = (point.0 - from.0, point.1 - from.1);
    let square = along.0 * along.0 + along.1 * along.1;
    let part = (off.0 * along.0 + off.1 * along.1) / square.max(f64::MIN_POSITIVE);
    let part = part.clamp(0.0, 1.0);
    (off.0 - part * along.0).hypot(off.1 - part * along.1)
}

/// The configurations that come with the program have a routing function without deadlock, and deliver all.
#[test]
fn every_topology_has_a_configuration_without_deadlock() {
    let folder = folder();
    for (name, args) in CONFIGURATIONS {
        let checked = folder.fine(&[&["check"], args].concat()).out;
        assert!(checked.contains("free of deadlock"), "{name}: {checked}");
        let short = ["--set", "run.measure_cycles=2000", "--json"];
        let ran = folder.fine(&[&["run"], args, &short].concat()).json();
        assert_eq!(ran["status"], "complete", "{name}");
        assert_eq!(ran["packets_delivered"], ran["packets_created"], "{name}");
        assert!(ran["packets_delivered"].as_u64().unwrap() > 100, "{name}");
    }
}

/// Each cell of the table of routing functions is what `check` says of so many virtual channels, and of one fewer.
#[test]
fn routing_functions_work_where_the_table_says() {
    let folder = folder();
    let mut rows = table("routing function");
    let head = rows.remove(0);
    let functions: Vec<&String> = rows.iter().map(|row| &row[0]).collect();
    folder.write("t.csv", "node,destination,ports\n");
    let all = listed(&folder, "routing functions");
    assert_eq!(functions, all.iter().collect::<Vec<_>>());
    for row in &rows {
        for (name, args) in CONFIGURATIONS {
            let is_named = |column: &String| column.split(", ").any(|it| it == name);
            let column = head.iter().position(is_named);
            let cell = &row[column.unwrap_or(head.len() - 1)];
            let diameter = || -> u64 {
                let described = folder.fine(&[&["topology"], args, &["--json"]].concat());
                described.json()["diameter_hops"].as_u64().unwrap()
            };
            let is_checked = |vcs: u64| {
                let set = format!("router.wormhole.routing={}", row[0]);
                let channels = format!("router.wormhole.vcs={vcs}");
                let mut given = vec!["check"];
                given.extend(args);
                given.extend(["--set", &set, "--set", &channels]);
                if row[0] == "fully-adaptive" {
                    given.extend(["--set", "router.wormhole.allow_deadlock=true"]);
                }
                if row[0] == "table" {
                    given.extend(["--set", "router.wormhole.table.file=t.csv"]);
                }
                folder.flitwork(&given)
            };
            let what = format!("{} on {name}: {cell}", row[0]);
            let vcs = match cell.as_str() {
                "-" => None,
                "D" => Some(diameter()),
                "2 D" => Some(2 * diameter()),
                // As few as are accepted.
                "L" => (1..=8).find(|vcs| is_checked(*vcs).code == Some(0)),
                number => Some(number.parse::<u64>().unwrap()),
            };
            assert!(cell != "L" || vcs.is_some(), "{what}");
            let Some(vcs) = vcs else {
                // Whatever the number of channels, which ports limit.
                let done = is_checked(4);
                assert_eq!(done.code, Some(2), "{what}: {done:?}");
                let refused = format!("router.wormhole.routing={}: ", row[0]);
                assert!(done.err.contains(&refused), "{what}: {done:?}");
                continue;
            };
            let done = is_checked(vcs);
            if row[0] == "fully-adaptive" {
                assert!(matches!(done.code, Some(0 | 3)), "{what}: {done:?}");
            } else if row[0] == "table" {
                // Without a row.
                assert_eq!(done.code, Some(3), "{what}: {done:?}");
            } else {
                assert_eq!(done.code, Some(0), "{what}: {done:?}");
                assert!(done.out.contains("free of deadlock"), "{what}: {done:?}");
            }
            if vcs > 1 {
                assert_eq!(is_checked(vcs - 1).code, Some(2), "{what}");
            }
        }
    }
}

/// The page says which routers run: `queueing` with `allow_deadlock`, `scheduled` on grids only, and all others everywhere.
#[test]
fn routers_run_where_the_page_says() {
    const OPEN: &str = "[traffic]\nload = 0.05\npattern = \"uniform\"\n[run]\nwarmup_cycles = 100\nmeasure_cycles = 500\n";
    const GRIDS: [&str; 4] = ["mesh", "torus", "ring", "hypercube"];
    let folder = folder();
    for router in listed(&folder, "routers") {
        let rest = match router.as_str() {
            "queueing" => format!("allow_deadlock = true\n{OPEN}"),
            "scheduled" => "[traffic]\nprocess = \"once\"\n".to_owned(),
            _ => OPEN.to_owned(),
        };
        for (name, args) in CONFIGURATIONS {
            let described = folder.fine(&[&["topology"], args, &["--json"]].concat());
            let described = described.json();
            let resolved = described["provenance"]["configuration"].as_str().unwrap();
            let (_, network) = resolved.split_once("[network]").unwrap();
            let (network, _) = network.split_once("\n\n").unwrap();
            let text = format!("[network]{network}\n[router.{router}]\n{rest}");
            folder.write("n.toml", text);
            let done = folder.flitwork(&["run", "n.toml", "--json"]);
            let runs = match router.as_str() {
                "scheduled" => GRIDS.contains(&name),
                _ => true,
            };
            let code = if runs { 0 } else { 2 };
            assert_eq!(done.code, Some(code), "{router} on {name}: {done:?}");
        }
    }
}

/// Where nodes have several terminals all routers have one digest on all engines, on the live one in lockstep, and loads are of terminals.
#[test]
fn several_terminals_a_node_run_on_all_engines() {
    let folder = folder();
    for name in SHARED {
        let (_, args) = CONFIGURATIONS.iter().find(|it| it.0 == name).unwrap();
        let config = args[0];
        let ran = |engine: &str| {
            let engine = format!("run.engine={engine}");
            let set = ["--set", "run.measure_cycles=300", "--set", &engine];
            let short = ["--set", "run.warmup_cycles=100"];
            let lockstep: &[&str] = match engine.ends_with("live") {
                true => &["--set", "live.slack=0"],
                false => &[],
            };
            folder.flitwork(&[&["run", config][..], &set, &short, lockstep].concat())
        };
        let digest = |engine: &str| {
            let done = ran(engine);
            assert!(matches!(done.code, Some(0)), "{name}, {engine}: {done:?}");
            assert!(done.out.contains(" words/terminal/cycle\n"), "{done:?}");
            assert!(!done.out.contains("words/node/cycle"), "{done:?}");
            let mut lines = done.out.lines();
            let digest = lines.find(|line| line.starts_with("  digest "));
            digest.unwrap().to_owned()
        };
        let plain = digest("sync-plain");
        for engine in ["sync", "sync-stepped", "live"] {
            assert_eq!(digest(engine), plain, "{name}, {engine}");
        }
    }
}

/// A distance is that from where a packet enters to where it leaves: in a fly of three stages two links, whichever terminals send.
#[test]
fn distances_are_those_of_packets() {
    let folder = folder();
    let short = ["--set", "run.measure_cycles=2000"];
    let ran = folder.fine(&[&["run", "configs/fly.toml"][..], &short].concat());
    let line = ran
        .out
        .lines()
        .find(|line| line.contains("latency by distance"));
    assert!(
        line.is_none_or(|line| line.contains(" at 2 hops (cycles")),
        "{line:?}"
    );
    let [checked, described] =
        ["check", "topology"].map(|command| folder.fine(&[command, "configs/fly.toml"]).out);
    for out in [checked, described] {
        assert!(out.contains("  2 hops\n"), "{out}");
    }
}
