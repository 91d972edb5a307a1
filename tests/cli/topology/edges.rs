//! Every key of every topology at its edges: one beyond is refused with its place, what was found and what is allowed.

use crate::harness::Folder;

/// A configuration whose first line of `[network]` is the second of the file.
fn text(network: &str) -> String {
    format!("[network]\n{network}\n[router.chaos]\n[traffic]\nload = 0.1\n")
}

/// Keys, the place of the wrong one, what is found, and what is allowed.
#[rustfmt::skip]
const BEYOND: &[(&str, &str, &str, &str)] = &[
    ("topology = \"ring\"\nnodes = 1", "3:9", "network.nodes is 1", "a whole number from 2 to 16777216"),
    ("topology = \"ring\"\nnodes = 16777217", "3:9", "network.nodes is 16777217", "a whole number from 2 to 16777216"),
    ("topology = \"ring\"\nnodes = -1", "3:9", "network.nodes is -1", "a whole number from 2 to 16777216"),
    ("topology = \"ring\"\nnodes = 2.5", "3:9", "network.nodes is 2.5", "a whole number from 2 to 16777216"),
    ("topology = \"ring\"", "1:1", "network.nodes is missing", "a whole number from 2 to 16777216"),
    ("topology = \"ring\"\nnodes = 8\nsides = [8]", "4:9", "network.sides is [8]", "only with network.topology = \"concentrated-mesh\", \"concentrated-torus\", \"express-mesh\", \"folded-torus\", \"hyperx\", \"mesh\" or \"torus\"; it is \"ring\""),
    ("topology = \"rings\"\nnodes = 8", "2:12", "network.topology is \"rings\"", "\"ring\""),
    ("topology = \"hypercube\"\ndimensions = 0", "3:14", "network.dimensions is 0", "a whole number from 1 to 16"),
    ("topology = \"hypercube\"\ndimensions = 17", "3:14", "network.dimensions is 17", "a whole number from 1 to 16"),
    ("topology = \"hypercube\"\nnodes = 8\ndimensions = 3", "3:9", "network.nodes is 8", "only with network.topology ="),
    ("topology = \"fully-connected\"\nnodes = 1", "3:9", "network.nodes is 1", "a whole number from 2 to 16777216"),
    ("topology = \"fully-connected\"\nnodes = 65", "3:9", "network.nodes is 65", "2 to 64 nodes"),
    ("topology = \"circulant\"\nnodes = 8193\njumps = [1]", "3:9", "network.nodes is 8193", "2 to 8192 nodes"),
    ("topology = \"circulant\"\nnodes = 8", "1:1", "network.jumps is missing", "a list of 1 to 31 whole numbers from 1 to 4096"),
    ("topology = \"circulant\"\nnodes = 8\njumps = []", "4:9", "network.jumps is an empty list", "a list of 1 to 31 whole numbers from 1 to 4096"),
    ("topology = \"circulant\"\nnodes = 8\njumps = [1, 0]", "4:13", "network.jumps[1] is 0", "a list of 1 to 31 whole numbers from 1 to 4096"),
    ("topology = \"circulant\"\nnodes = 8\njumps = [4097]", "4:10", "network.jumps[0] is 4097", "a list of 1 to 31 whole numbers from 1 to 4096"),
    ("topology = \"circulant\"\nnodes = 8\njumps = [5]", "4:9", "network.jumps is [5]", "jumps of 1 to 4, half of the nodes"),
    ("topology = \"circulant\"\nnodes = 9\njumps = [5]", "4:9", "network.jumps is [5]", "jumps of 1 to 4, half of the nodes"),
    ("topology = \"circulant\"\nnodes = 8\njumps = [2, 3, 2]", "4:9", "network.jumps is [2, 3, 2]", "each jump once"),
    ("topology = \"circulant\"\nnodes = 12\njumps = [4, 6]", "4:9", "network.jumps is [4, 6]", "jumps that lead from each node to all others: 2 divides these and the 12 nodes"),
    ("topology = \"circulant\"\nnodes = 99\njumps = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32]", "4:9", "network.jumps has 32 entries", "a list of 1 to 31 whole numbers from 1 to 4096"),
    ("topology = \"de-bruijn\"\nradix = 1\ndimensions = 2", "3:9", "network.radix is 1", "a whole number from 2 to 32"),
    ("topology = \"de-bruijn\"\nradix = 33\ndimensions = 1", "3:9", "network.radix is 33", "a whole number from 2 to 32"),
    ("topology = \"de-bruijn\"\ndimensions = 14", "3:14", "network.dimensions is 14", "1 to 13: a graph has at most 8192 nodes"),
    ("topology = \"de-bruijn\"\nradix = 16\ndimensions = 4", "4:14", "network.dimensions is 4", "1 to 3: a graph has at most 8192 nodes"),
    ("topology = \"de-bruijn\"\nradix = 16\ndimensions = 16", "4:14", "network.dimensions is 16", "1 to 3: a graph has at most 8192 nodes"),
    ("topology = \"shuffle-exchange\"\ndimensions = 14", "3:14", "network.dimensions is 14", "1 to 13: a graph has at most 8192 nodes"),
    ("topology = \"shuffle-exchange\"\nradix = 3\ndimensions = 4", "3:9", "network.radix is 3", "only with network.topology = \"de-bruijn\", \"fat-tree\", \"flattened-butterfly\" or \"fly\"; it is \"shuffle-exchange\""),
    ("topology = \"express-mesh\"\nsides = [5]\ninterval = 1", "4:12", "network.interval is 1", "a whole number from 2 to 8191"),
    ("topology = \"express-mesh\"\nsides = [5, 4]\ninterval = 5", "4:12", "network.interval is 5", "2 to 4: a longer link fits along no side"),
    ("topology = \"express-mesh\"\nsides = [4, 4]", "1:1", "network.interval is 4 by default", "2 to 3: a longer link fits along no side"),
    ("topology = \"express-mesh\"\nsides = [2, 2]\ninterval = 2", "3:9", "network.sides is [2, 2]", "a side of at least 3 nodes"),
    ("topology = \"express-mesh\"\nsides = [91, 91]", "3:9", "network.sides is [91, 91]", "2 to 8192 nodes of an express mesh; these sides have 8281"),
    ("topology = \"express-mesh\"\nsides = [5, 0]", "3:13", "network.sides[1] is 0", "a list of 1 to 16 whole numbers from 1 to 16777216"),
    ("topology = \"express-mesh\"\nsides = [5, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]", "3:9", "network.sides is [5, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]", "1 to 15 sides of an express mesh"),
    ("topology = \"express-mesh\"\nsides = [4096, 4096, 4096]", "3:9", "network.sides is [4096, 4096, 4096]", "2 to 16777216 nodes; these sides have 68719476736"),
    ("topology = \"random-regular\"\nnodes = 2\ndegree = 2", "3:9", "network.nodes is 2", "3 to 8192 nodes"),
    ("topology = \"random-regular\"\nnodes = 8193\ndegree = 2", "3:9", "network.nodes is 8193", "3 to 8192 nodes"),
    ("topology = \"random-regular\"\nnodes = 9\ndegree = 1", "4:10", "network.degree is 1", "a whole number from 2 to 63"),
    ("topology = \"random-regular\"\nnodes = 99\ndegree = 64", "4:10", "network.degree is 64", "a whole number from 2 to 63"),
    ("topology = \"random-regular\"\nnodes = 4\ndegree = 4", "4:10", "network.degree is 4", "fewer than the 4 nodes"),
    ("topology = \"random-regular\"\nnodes = 5\ndegree = 3", "4:10", "network.degree is 3", "an even number, since the number of nodes is odd"),
    ("topology = \"random-regular\"\nnodes = 5\ndegree = 2\nseed = -1", "5:8", "network.seed is -1", "a whole number from 0 to 18446744073709551615"),
    ("topology = \"random-regular\"\nnodes = 5\ndegree = 2\nseed = 18446744073709551616", "5:8", "network.seed is 18446744073709551616", "a whole number from 0 to 18446744073709551615"),
    ("topology = \"concentrated-mesh\"\nsides = [4, 4]", "1:1", "network.block is missing", "a list of 1 to 16 whole numbers from 1 to 64"),
    ("topology = \"concentrated-mesh\"\nsides = [4, 4]\nblock = [2]", "4:9", "network.block is [2]", "a number for each of the 2 sides"),
    ("topology = \"concentrated-mesh\"\nsides = [4, 4]\nblock = [2, 0]", "4:13", "network.block[1] is 0", "a list of 1 to 16 whole numbers from 1 to 64"),
    ("topology = \"concentrated-mesh\"\nsides = [4, 4]\nblock = [6, 11]", "4:9", "network.block is [6, 11]", "a product of at most 60: a node has 64 ports, 4 of them for links"),
    // 2 ^ 65: no more than 0 in 64 bits.
    ("topology = \"concentrated-mesh\"\nsides = [2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2]\nblock = [32, 32, 32, 32, 32, 32, 32, 32, 32, 32, 32, 32, 32]", "4:9", "network.block is [32, 32, 32, 32, 32, 32, 32, 32, 32, 32, 32, 32, 32]", "a product of at most 38: a node has 64 ports, 26 of them for links"),
    ("topology = \"concentrated-mesh\"\nsides = [91, 91]\nblock = [2, 2]", "3:9", "network.sides is [91, 91]", "a smaller network: this one has 8281 nodes; a graph has 2 to 8192"),
    ("topology = \"concentrated-mesh\"\nsides = [1]\nblock = [5]", "3:9", "network.sides is [1]", "2 to 16777216 nodes; these sides have 1"),
    ("topology = \"concentrated-torus\"\nsides = [4, 1]\nblock = [2, 2]", "3:13", "network.sides[1] is 1", "2 or more nodes"),
    ("topology = \"folded-torus\"\nsides = [91, 91]", "3:9", "network.sides is [91, 91]", "a smaller network: this one has 8281 nodes; a graph has 2 to 8192"),
    ("topology = \"folded-torus\"\nsides = [4]\nplace_cycles = 513", "4:16", "network.place_cycles is 513", "a whole number from 1 to 512"),
    ("topology = \"fly\"\nstages = 1", "3:10", "network.stages is 1", "a whole number from 2 to 13"),
    ("topology = \"fly\"\nstages = 11", "3:10", "network.stages is 11", "at most 8192 switches: stages x radix ^ (stages - 1)"),
    ("topology = \"fly\"\nradix = 22\nstages = 2", "3:9", "network.radix is 22", "a smaller network: this one has 22 terminals at node 22; with 44 ports for links a node may have 20"),
    ("topology = \"fly\"\nradix = 33\nstages = 2", "3:9", "network.radix is 33", "a whole number from 2 to 32"),
    ("topology = \"benes\"\ndimensions = 1", "3:14", "network.dimensions is 1", "2 to 9: a graph has at most 8192 switches"),
    ("topology = \"benes\"\ndimensions = 10", "3:14", "network.dimensions is 10", "2 to 9: a graph has at most 8192 switches"),
    ("topology = \"butterfly\"\ndimensions = 10", "3:14", "network.dimensions is 10", "1 to 9: a graph has at most 8192 nodes"),
    ("topology = \"fat-tree\"\nlevels = 0", "3:10", "network.levels is 0", "a whole number from 1 to 13"),
    ("topology = \"fat-tree\"\nlevels = 1", "3:10", "network.levels is 1", "2 to 8192 switches: levels x radix ^ (levels - 1)"),
    ("topology = \"fat-tree\"\nradix = 8\nlevels = 5", "4:10", "network.levels is 5", "2 to 8192 switches: levels x radix ^ (levels - 1)"),
    ("topology = \"flattened-butterfly\"\nradix = 23\nstages = 3", "3:9", "network.radix is 23", "a smaller network: this one has 23 terminals at node 0; with 44 ports for links a node may have 20"),
    ("topology = \"flattened-butterfly\"\nradix = 3\nstages = 12", "4:10", "network.stages is 12", "so many that there are at most 65536 nodes"),
    ("topology = \"hyperx\"\nsides = [4, 1]", "3:9", "network.sides is [4, 1]", "sides of at least 2"),
    ("topology = \"hyperx\"\nsides = [4, 4]\nwidths = [1]", "4:10", "network.widths is [1]", "a number for each of the 2 sides"),
    ("topology = \"hyperx\"\nsides = [4, 4]\nwidths = [1, 0]", "4:14", "network.widths[1] is 0", "a list of 1 to 16 whole numbers from 1 to 64"),
    ("topology = \"hyperx\"\nsides = [4, 17]\nplace_cycles = 65", "4:16", "network.place_cycles is 65", "1 to 64: the longest link goes 16 places"),
    ("topology = \"hyperx\"\nsides = [2, 2000]\nplace_cycles = 1", "3:9", "network.sides is [2, 2000]", "a smaller network: this one has more than 63 link ports at node 2"),
    ("topology = \"flattened-butterfly\"\nradix = 16\nstages = 2\nplace_cycles = 69", "5:16", "network.place_cycles is 69", "1 to 68: the longest link goes 15 places"),
    ("topology = \"dragonfly\"\ngroup_nodes = 4\nglobal_links = 2\nglobal_link_latency_cycles = 1025", "5:30", "network.global_link_latency_cycles is 1025", "a whole number from 1 to 1024"),
    ("topology = \"hyperx\"\nsides = [4, 4]\nconcentration = 0", "4:17", "network.concentration is 0", "a whole number from 1 to 63"),
    ("topology = \"dragonfly\"\nglobal_links = 2", "1:1", "network.group_nodes is missing", "a whole number from 1 to 64"),
    ("topology = \"dragonfly\"\ngroup_nodes = 4\nglobal_links = 2\ngroups = 10", "5:10", "network.groups is 10", "2 to 9: a group has 8 global links"),
    ("topology = \"dragonfly\"\ngroup_nodes = 4\nglobal_links = 2\ngroups = 1", "5:10", "network.groups is 1", "a whole number from 2 to 8192"),
    ("topology = \"dragonfly\"\ngroup_nodes = 4\nglobal_links = 0", "4:16", "network.global_links is 0", "a whole number from 1 to 63"),
    ("topology = \"dragonfly\"\ngroup_nodes = 64\nglobal_links = 16", "4:16", "network.global_links is 16", "so many that there are at most 65536 nodes"),
    ("topology = \"dragonfly\"\ngroup_nodes = 4\nglobal_links = 2\narrangement = \"circular\"", "5:15", "network.arrangement is \"circular\"", "\"absolute\", \"palm-tree\" or \"canonical\""),
    ("topology = \"megafly\"\nleaves = 65\nglobal_links = 1", "3:10", "network.leaves is 65", "a whole number from 1 to 64"),
    ("topology = \"megafly\"\nleaves = 63\nglobal_links = 1", "3:10", "network.leaves is 63", "a smaller network: this one has more than 63 link ports at node 63"),
    ("topology = \"slim-fly\"\nq = 2", "3:5", "network.q is 2", "a whole number from 3 to 64"),
    ("topology = \"slim-fly\"\nq = 15", "3:5", "network.q is 15", "a power of a prime, of the form 4 w - 1, 4 w or 4 w + 1"),
    ("topology = \"slim-fly\"\nq = 43", "3:5", "network.q is 43", "a smaller network: this one has more than 63 link ports at node 0"),
    ("topology = \"hyperx\"\nsides = [4]\nblock = [2]", "4:9", "network.block is [2]", "only with network.topology = \"concentrated-mesh\" or \"concentrated-torus\"; it is \"hyperx\""),
];

#[test]
fn one_beyond_an_edge_is_refused_with_its_place() {
    let folder = Folder::new();
    for (network, place, found, allowed) in BEYOND {
        folder.write("bad.toml", text(network));
        for command in ["topology", "check", "run"] {
            let says = [&format!("bad.toml:{place}: {found}"), "allowed: ", allowed];
            folder.refuses(&[command, "bad.toml"], &says);
        }
    }
}

/// Nodes, and links.
#[rustfmt::skip]
const EDGES: &[(&str, u64, u64)] = &[
    ("topology = \"ring\"\nnodes = 2", 2, 2),
    // A key with its default value may stand anywhere.
    ("topology = \"ring\"\nnodes = 9\nradix = 2\ninterval = 4\nseed = 1", 9, 9),
    ("topology = \"hypercube\"\ndimensions = 1", 2, 1),
    ("topology = \"hypercube\"\ndimensions = 16", 65536, 524288),
    ("topology = \"fully-connected\"\nnodes = 2", 2, 1),
    ("topology = \"fully-connected\"\nnodes = 64", 64, 2016),
    ("topology = \"circulant\"\nnodes = 2\njumps = [1]", 2, 1),
    ("topology = \"circulant\"\nnodes = 33\njumps = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]", 33, 528),
    ("topology = \"circulant\"\nnodes = 32\njumps = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]", 32, 496),
    ("topology = \"de-bruijn\"\nradix = 2\ndimensions = 1", 2, 2),
    ("topology = \"de-bruijn\"\nradix = 31\ndimensions = 1", 31, 930),
    ("topology = \"shuffle-exchange\"\ndimensions = 1", 2, 1),
    ("topology = \"express-mesh\"\nsides = [3]\ninterval = 2", 3, 3),
    ("topology = \"express-mesh\"\nsides = [3, 1, 1, 1, 1, 1, 1, 1]\ninterval = 2", 3, 3),
    ("topology = \"express-mesh\"\nsides = [5]", 5, 5),
    ("topology = \"random-regular\"\nnodes = 3\ndegree = 2", 3, 3),
    ("topology = \"random-regular\"\nnodes = 64\ndegree = 63\nseed = 18446744073709551615", 64, 2016),
    ("topology = \"random-regular\"\nnodes = 4\ndegree = 3\nseed = 0", 4, 6),
    ("topology = \"concentrated-mesh\"\nsides = [2]\nblock = [62]", 2, 1),
    ("topology = \"concentrated-torus\"\nsides = [3, 3]\nblock = [60, 1]", 9, 18),
    ("topology = \"folded-torus\"\nsides = [2]\nplace_cycles = 512", 2, 2),
    ("topology = \"fly\"\nstages = 2", 4, 4),
    ("topology = \"fly\"\nstages = 10", 5120, 9216),
    ("topology = \"fly\"\nradix = 21\nstages = 2", 42, 441),
    ("topology = \"benes\"\ndimensions = 2", 6, 8),
    ("topology = \"butterfly\"\ndimensions = 1", 4, 4),
    ("topology = \"butterfly\"\ndimensions = 9", 5120, 9216),
    ("topology = \"fat-tree\"\nlevels = 2", 4, 4),
    ("topology = \"fat-tree\"\nradix = 21\nlevels = 2", 42, 441),
    ("topology = \"flattened-butterfly\"\nstages = 2", 2, 1),
    ("topology = \"hyperx\"\nsides = [2]\nwidths = [63]", 2, 63),
    ("topology = \"dragonfly\"\ngroup_nodes = 1\nglobal_links = 1", 2, 1),
    ("topology = \"dragonfly\"\ngroup_nodes = 1\nglobal_links = 63\nconcentration = 1", 64, 2016),
    ("topology = \"dragonfly\"\ngroup_nodes = 4\nglobal_links = 2\ngroups = 4\narrangement = \"palm-tree\"", 16, 36),
    ("topology = \"megafly\"\nleaves = 1\nglobal_links = 1", 4, 3),
    ("topology = \"slim-fly\"\nq = 3", 18, 45),
    ("topology = \"slim-fly\"\nq = 4", 32, 96),
    ("topology = \"slim-fly\"\nq = 19\nconcentration = 1", 722, 10469),
    ("topology = \"hyperx\"\nsides = [4, 17]\nplace_cycles = 64", 68, 17 * 6 + 4 * 136),
    ("topology = \"flattened-butterfly\"\nradix = 16\nstages = 2\nplace_cycles = 68", 16, 120),
];

#[test]
fn networks_at_an_edge_are_described() {
    let folder = Folder::new();
    for (network, nodes, links) in EDGES {
        folder.write("edge.toml", text(network));
        let found = folder.fine(&["topology", "edge.toml", "--json"]).json();
        assert_eq!(found["routers"], *nodes, "{network}");
        assert_eq!(found["links"], *links, "{network}");
        // The resolved configuration gives the same network.
        let again = found["provenance"]["configuration"].as_str().unwrap();
        folder.write("again.toml", again);
        let again = folder.fine(&["topology", "again.toml", "--json"]).json();
        assert_eq!(again["network"], found["network"], "{network}");
        assert_eq!(
            again["mean_distance_hops"], found["mean_distance_hops"],
            "{network}"
        );
    }
}
