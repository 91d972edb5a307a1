//! `flitwork topology`: figures of networks against closed forms, what is refused, and the book's page.

#[path = "topology/adaptive.rs"]
mod adaptive;
#[path = "topology/edges.rs"]
mod edges;
#[path = "topology/load.rs"]
mod load;
#[path = "topology/page.rs"]
mod page;
#[path = "topology/paths.rs"]
mod paths;
#[path = "topology/records.rs"]
mod records;
#[path = "topology/terminals.rs"]
mod terminals;

use crate::harness::Folder;
use serde_json::Value;

/// What the program says of a network with these keys in `[network]`.
fn described(folder: &Folder, network: &str) -> Value {
    let text = format!(
        "[network]\n{network}\n[router.wormhole]\n[traffic]\npattern = \"uniform\"\nload = 0.1\npacket_words = 4\n"
    );
    folder.write("n.toml", text);
    folder.fine(&["topology", "n.toml", "--json"]).json()
}

/// Nodes, links, fewest and most links of a node, diameter, bisection, and the mean distance where there is a form for it.
type Expected = (u64, u64, [u64; 2], u64, u64, Option<f64>);

/// - ring of n: diameter n / 2, mean distance n²/4 / (n - 1), two links cut;
/// - hypercube of d: d N / 2 links, diameter d, mean distance d/2 N / (N - 1), N / 2 cut;
/// - fully connected: n (n - 1) / 2 links, n²/4 cut, rounded down;
/// - circulant of 12 with jumps 1 and 6, a Möbius ladder: distances from a node are 1, 2, 3, 3, 2, 1, 2, 3, 3, 2 and 1, 23 in all; three neighbours
///   and their opposites are parted from the rest by 4 links of the circle;
/// - de Bruijn, radix 2, 3 dimensions: two links begin at each node, but for two from a node to itself; the diameter is that of 000 to 111, 3;
/// - shuffle-exchange of 3 dimensions: 4 exchanges, and 8 shuffles without those of 000 and 111; from 000 to 111 three exchanges and two shuffles;
/// - express mesh, a line of 9 with links over 4: from 1 to 7 over 0, 4 and 8; cut between 4 and 5 by a link and an express link;
/// - torus of 4 x 4: mean distance 2 times 1, over 16 nodes, without the node itself; 2 x 4 links cut. The mesh of 4 x 4: 2 times 5/4, and 4.
#[rustfmt::skip]
const NETWORKS: &[(&str, Expected)] = &[
    ("topology = \"ring\"\nnodes = 10", (10, 10, [2, 2], 5, 2, Some(25.0 / 9.0))),
    ("topology = \"hypercube\"\ndimensions = 5", (32, 80, [5, 5], 5, 16, Some(2.5 * 32.0 / 31.0))),
    ("topology = \"fully-connected\"\nnodes = 9", (9, 36, [8, 8], 1, 20, Some(1.0))),
    ("topology = \"circulant\"\nnodes = 12\njumps = [1, 6]", (12, 18, [3, 3], 3, 4, Some(23.0 / 11.0))),
    ("topology = \"de-bruijn\"\ndimensions = 3", (8, 14, [2, 4], 3, 4, None)),
    ("topology = \"shuffle-exchange\"\ndimensions = 3", (8, 10, [1, 3], 5, 2, None)),
    ("topology = \"express-mesh\"\nsides = [9]", (9, 10, [2, 4], 4, 2, None)),
    ("topology = \"torus\"\nsides = [4, 4]", (16, 32, [4, 4], 4, 8, Some(2.0 * 16.0 / 15.0))),
    ("topology = \"mesh\"\nsides = [4, 4]", (16, 24, [2, 4], 6, 4, Some(2.5 * 16.0 / 15.0))),
];

#[test]
fn networks_have_the_figures_of_their_closed_forms() {
    let folder = Folder::new();
    for (network, (nodes, links, degrees, diameter, cut, mean)) in NETWORKS {
        let found = described(&folder, network);
        let whole = |name: &str| found[name].as_u64().unwrap();
        assert_eq!(whole("routers"), *nodes, "{network}");
        assert_eq!(whole("terminals"), *nodes, "{network}");
        assert_eq!(whole("links"), *links, "{network}");
        assert_eq!(
            [whole("degree_min"), whole("degree_max")],
            *degrees,
            "{network}"
        );
        assert_eq!(whole("diameter_hops"), *diameter, "{network}");
        assert_eq!(whole("bisection_links_max"), *cut, "{network}");
        assert!(whole("bisection_links_min") <= *cut, "{network}");
        if let Some(mean) = mean {
            let own = found["mean_distance_hops"].as_f64().unwrap();
            assert!((own - mean).abs() < 1e-9, "{network}: {own}");
        }
    }
}

/// Under uniform traffic each direction of a ring of 8 has 8 · 16/2 / 8 = 8 of all 56 ordered pairs a link: 8/7 words for
/// each of a terminal's, so 7/8 of a word is the most. Of a fully connected network each link has one pair.
#[test]
fn the_busiest_link_bounds_the_throughput() {
    let folder = Folder::new();
    let of = |network: &str, name: &str| described(&folder, network)[name].as_f64().unwrap();
    let (load, most) = (
        "uniform_busiest_link_words_per_cycle",
        "uniform_throughput_words_per_terminal_cycle",
    );
    let ring = "topology = \"ring\"\nnodes = 8";
    assert!((of(ring, load) - 8.0 / 7.0).abs() < 1e-9);
    assert!((of(ring, most) - 7.0 / 8.0).abs() < 1e-9);
    let all = "topology = \"fully-connected\"\nnodes = 5";
    assert!((of(all, load) - 0.25).abs() < 1e-9);
    assert_eq!(of(all, most), 1.0);
    let text = folder.fine(&["topology", "n.toml"]).out;
    assert!(text.contains("\ndiameter           1 hop\n"), "{text}");
}

/// The same seed draws the same network, another one another; all nodes have as many links, and packets arrive.
#[test]
fn random_networks_are_drawn_by_their_seed() {
    let folder = Folder::new();
    let drawn = |seed: u32| {
        let network =
            format!("topology = \"random-regular\"\nnodes = 40\ndegree = 3\nseed = {seed}");
        let found = described(&folder, &network);
        assert_eq!([&found["degree_min"], &found["degree_max"]], [3, 3]);
        let ran = folder.fine(&["run", "n.toml", "--json"]).json();
        ran["digest"].clone()
    };
    let [one, again, other] = [7, 7, 8].map(drawn);
    assert_eq!(one, again);
    assert_ne!(one, other);
}

/// A ring of 8 one way only, by a file: 8 links that lead one way, of which a word takes 4 on average; the text says so.
/// What it has is described for `flitwork route` and `flitwork schedule`.
#[test]
fn networks_of_static_problems_are_described() {
    let folder = Folder::new();
    let lines: String = (0..8)
        .map(|node| format!("{node},0,{},1\n", (node + 1) % 8))
        .collect();
    folder.write("ring.csv", lines);
    let traffic = "[traffic]\nprocess = \"once\"\npattern = \"reversal\"\n";
    let network = "[network]\ntopology = \"links\"\nfile = \"ring.csv\"\n";
    folder.write(
        "route.toml",
        format!("{network}[rule.fifo]\nqueues = \"unbounded\"\n{traffic}"),
    );
    folder.write(
        "schedule.toml",
        format!("[network]\ntopology = \"mesh\"\nsides = [3, 2]\n[schedule.multistage]\n{traffic}"),
    );
    let found = folder.fine(&["topology", "route.toml", "--json"]).json();
    assert_eq!([&found["links"], &found["links_one_way"]], [8, 8]);
    assert_eq!([&found["degree_min"], &found["degree_max"]], [1, 1]);
    assert_eq!(found["diameter_hops"], 7);
    assert_eq!(found["mean_distance_hops"], 4.0);
    assert!(found["bisection_links_max"].is_null());
    // Eight terminals' words take four links each, of eight.
    assert_eq!(found["uniform_bound_words_per_terminal_cycle"], 0.25);
    let text = folder.fine(&["topology", "route.toml"]).out;
    for line in [
        "links              8, each one way\n",
        "not searched for: links lead one way",
    ] {
        assert!(text.contains(line), "{text}");
    }
    let found = folder.fine(&["topology", "schedule.toml", "--json"]).json();
    assert_eq!([&found["routers"], &found["bisection_links_max"]], [6, 3]);
    assert_eq!(found["network"], "mesh of 3 x 2, 6 nodes");
}

/// Over links whose directions share their wires half as much goes.
#[test]
fn half_duplex_links_carry_half() {
    let folder = Folder::new();
    let of = |duplex: &str| {
        let keys = format!("topology = \"ring\"\nnodes = 16\nduplex = \"{duplex}\"");
        let text = format!("[network]\n{keys}\n[router.chaos]\n[traffic]\nload = 0.1\n");
        folder.write("n.toml", text);
        let found = folder.fine(&["topology", "n.toml", "--json"]).json();
        [
            "uniform_bound_words_per_terminal_cycle",
            "uniform_throughput_words_per_terminal_cycle",
        ]
        .map(|name| found[name].as_f64().unwrap())
    };
    let [full, half] = ["full", "half"].map(of);
    // 64 pairs of halves over two links, of 15 that each terminal sends to.
    assert_eq!(full, [30.0 / 64.0; 2]);
    assert_eq!(half, [15.0 / 64.0; 2]);
}
