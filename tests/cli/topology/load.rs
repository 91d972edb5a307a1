//! The load of links, of every kind of router and function: text, JSON and picture, and a run that prints the throughput.

use crate::harness::Folder;
use serde_json::Value;

fn said(folder: &Folder, network: &str, router: &str, traffic: &str) -> (Value, String) {
    let text =
        format!("[network]\n{network}\n[router.{router}\n[traffic]\nload = 0.05\n{traffic}\n");
    folder.write("l.toml", text);
    let json = folder.fine(&["topology", "l.toml", "--json"]).json();
    (json, folder.fine(&["topology", "l.toml"]).out)
}

/// Loads by hand: a mesh of 4 x 4 carries 64 / 60 words in its middle; in a transpose three turn at a corner; on a torus
/// of 4 x 4 each of 16 words takes four hops over 64 links, all ways alike; on a dragonfly of a = 2,
/// h = 1 with one terminal a node the two of a group share a link.
#[test]
fn loads_by_hand_under_every_kind_of_function() {
    let folder = Folder::new();
    let mesh = "topology = \"mesh\"\nsides = [4, 4]";
    let dragonfly = "topology = \"dragonfly\"\ngroup_nodes = 2\nglobal_links = 1";
    let torus = "topology = \"torus\"\nsides = [4, 4]";
    let shift = "pattern = \"shift\"";
    let transpose = "pattern = \"transpose\"";
    let adversarial = "pattern = \"adversarial\"";
    let middle = 64.0 / 60.0;
    for (network, router, traffic, basis, load, throughput) in [
        (mesh, "wormhole]", "", "exact", middle, 1.0 / middle),
        (mesh, "queueing]", "", "exact", middle, 1.0 / middle),
        (mesh, "wormhole]", transpose, "exact", 3.0, 1.0 / 3.0),
        (torus, "chaos]", shift, "even-split", 1.0, 1.0),
        (
            dragonfly,
            "wormhole]\nvcs = 4",
            adversarial,
            "exact",
            2.0,
            0.5,
        ),
        (
            dragonfly,
            "wormhole]\nvcs = 4\nrouting = \"ugal-g\"",
            adversarial,
            "best-mix",
            f64::NAN,
            f64::NAN,
        ),
    ] {
        let (json, text) = said(&folder, network, router, traffic);
        let number = |name: &str| json[name].as_f64().unwrap();
        let name = format!("{network} {router} {traffic}: {json}");
        assert_eq!(json["channel_load_basis"], basis, "{name}");
        if load.is_finite() {
            assert!(
                (number("channel_load_max_words_per_cycle") - load).abs() < 1e-9,
                "{name}"
            );
            let found = number("channel_load_throughput_words_per_terminal_cycle");
            assert!((found - throughput).abs() < 1e-9, "{name}");
            let line = format!("channel load       at most {load:.4} words/cycle");
            assert!(text.contains(&line), "{text}");
        }
        assert_eq!(
            json["channel_load_by_way"].is_number(),
            basis == "best-mix",
            "{name}"
        );
        assert!(json["channel_load_unknown"].is_null(), "{name}");
    }
}

#[test]
fn what_is_not_known_is_said() {
    let folder = Folder::new();
    let mesh = "[network]\ntopology = \"mesh\"\nsides = [4, 4]\n[router.wormhole]\n[traffic]\nprocess = \"k-k\"\n";
    folder.write("k.toml", mesh);
    let text = folder.fine(&["topology", "k.toml"]).out;
    let line = "channel load       not known: traffic.process = \"k-k\" has no pattern\n";
    assert!(text.ends_with(line), "{text}");
    let json = folder.fine(&["topology", "k.toml", "--json"]).json();
    assert!(json["channel_load_max_words_per_cycle"].is_null());
    let why = json["channel_load_unknown"].as_str().unwrap();
    assert_eq!(why, "traffic.process = \"k-k\" has no pattern");
}

/// A run of the same configuration has the same throughput, over all terminals; the picture has the scale.
#[test]
fn a_run_and_a_picture_have_it() {
    let folder = Folder::new();
    let mesh = "topology = \"mesh\"\nsides = [4, 4]";
    let cycles = "pattern = \"transpose\"\n[run]\nwarmup_cycles = 500\nmeasure_cycles = 2000";
    said(&folder, mesh, "wormhole]", cycles);
    let run = folder.fine(&["run", "l.toml", "--json"]).json();
    // Twelve of sixteen send a third of a word.
    let found = run["ideal_throughput_words_per_node_cycle"]
        .as_f64()
        .unwrap();
    assert!((found - 0.25).abs() < 1e-9, "{found}");
    assert_eq!(run["ideal_throughput_basis"], "exact");
    assert_eq!(run["channel_load_max_words_per_cycle"], 3.0);
    let text = folder.fine(&["run", "l.toml"]).out;
    let line = "  ideal throughput       0.2500 words/node/cycle\n";
    assert!(text.contains(line), "{text}");
    folder.fine(&["topology", "l.toml", "--plot", "l.svg"]);
    let svg = folder.read("l.svg");
    for text in [
        "\n3\n",
        "transpose under dimension-order",
        "words on a link for each word of a terminal",
    ] {
        assert!(svg.contains(text), "{text}");
    }
}

/// Patterns by terminal, where a network has no coordinates; what doesn't suit it ends with 2.
#[test]
fn patterns_by_terminal_run_and_are_refused() {
    let folder = Folder::new();
    let tree = |levels: u32| format!("topology = \"fat-tree\"\nradix = 2\nlevels = {levels}");
    for pattern in ["transpose", "tornado", "neighbour"] {
        let traffic =
            format!("pattern = \"{pattern}\"\n[run]\nwarmup_cycles = 10\nmeasure_cycles = 100");
        said(&folder, &tree(4), "wormhole]", &traffic);
        folder.fine(&["run", "l.toml"]);
    }
    let text = format!(
        "[network]\n{}\n[router.wormhole]\n[traffic]\nload = 0.05\npattern = \"transpose\"\n",
        tree(3)
    );
    folder.write("r.toml", text);
    let done = folder.flitwork(&["run", "r.toml"]);
    assert_eq!(done.code, Some(2));
    let needs = "transpose needs a square number of terminals";
    assert!(done.err.contains(needs), "{}", done.err);
}
