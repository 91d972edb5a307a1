//! `flitwork topology`: figures of networks against closed forms.

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
    ("topology = \"express-mesh\"\nsides = [9]", (9, 10, [1, 4], 4, 2, None)),
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
        assert_eq!([whole("degree_min"), whole("degree_max")], *degrees, "{network}");
        assert_eq!(whole("diameter_hops"), *diameter, "{network}");
        assert_eq!(whole("bisection_links_max"), *cut, "{network}");
        assert!(whole("bisection_links_min") <= *cut, "{network}");
        if let Some(mean) = mean {
            let own = found["mean_distance_hops"].as_f64().unwrap();
            assert!((own - mean).abs() < 1e-9, "{network}: {own}");
        }
    }
}

/// Under uniform traffic each direction of a ring of 8 has 8 · 16/2 / 8 = 8 of all 56 ordered pairs a link: 8/7 words for each of a terminal's, so 7/8 of a
/// word is the most. Of a fully connected network each link has one pair.
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
}

/// The same seed draws the same network, another one another; all nodes have as many links, and packets arrive.
#[test]
fn random_networks_are_drawn_by_their_seed() {
    let folder = Folder::new();
    let drawn = |seed: u32| {
        let network = format!("topology = \"random-regular\"\nnodes = 40\ndegree = 3\nseed = {seed}");
        let found = described(&folder, &network);
        assert_eq!([&found["degree_min"], &found["degree_max"]], [3, 3]);
        let ran = folder.fine(&["run", "n.toml", "--json"]).json();
        ran["digest"].clone()
    };
    let [one, again, other] = [7, 7, 8].map(drawn);
    assert_eq!(one, again);
    assert_ne!(one, other);
}

#[test]
fn what_makes_no_network_is_refused() {
    let folder = Folder::new();
    for (network, part) in [
        ("topology = \"ring\"\nnodes = 1", "2 to"),
        ("topology = \"circulant\"\nnodes = 8\njumps = [5]", "jumps of 1 to 4"),
        ("topology = \"circulant\"\nnodes = 8\njumps = [2, 2]", "each jump once"),
        ("topology = \"circulant\"\nnodes = 8\njumps = [2, 4]", "no path"),
        ("topology = \"fully-connected\"\nnodes = 40", "link ports"),
        ("topology = \"random-regular\"\nnodes = 5\ndegree = 3", "an even number"),
        ("topology = \"random-regular\"\nnodes = 4\ndegree = 4", "fewer than the 4 nodes"),
        ("topology = \"de-bruijn\"\ndimensions = 14", "8192"),
        ("topology = \"mesh\"\nsides = [4]\nnodes = 4", "only with network.topology"),
    ] {
        let text = format!("[network]\n{network}\n[router.wormhole]\n[traffic]\nload = 0.1\n");
        folder.write("bad.toml", text);
        folder.refuses(&["topology", "bad.toml"], &["bad.toml", part]);
    }
}

#[test]
fn a_network_is_drawn() {
    let folder = Folder::new();
    folder.fine(&["topology", "small.toml", "--plot", "n.svg"]);
    let drawn = folder.read("n.svg");
    assert!(drawn.contains("<circle") && drawn.contains(">mesh<"), "{drawn}");
    folder.refuses(&["topology", "small.toml", "--plot", "n.svg"], &["--plot", "--force"]);
}
