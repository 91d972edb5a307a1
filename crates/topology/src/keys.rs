//! Keys of `[network]` that several topologies have.
//!
//! A list of one name is the same in all; whole numbers may have a range of their own.

use crate::{MAX_DIMENSIONS, MAX_GRAPH_NODES, MAX_LINK_CYCLES, MAX_NODES};
use flitwork_schema::{Allowed, Field, Key, key};
use flitwork_types::MAX_PORTS;

/// The allowed sides: at least one, with at least one node.
pub const SIDES: Allowed = Allowed::List(1, MAX_DIMENSIONS, &Allowed::Whole(1, MAX_NODES as u64));

/// `nodes`: how many there are.
pub const fn nodes<P>(field: fn(&mut P) -> &mut dyn Field) -> Key<P> {
    let allowed = Allowed::Whole(2, MAX_NODES as u64);
    let meaning = "how many nodes there are";
    key("nodes", field, allowed, "required", meaning)
}

/// The key of the file that describes a network.
pub const FILE: &str = "file";

/// The key of a second file, of nodes.
pub const NODES_FILE: &str = "nodes_file";

/// The keys that name files, in any topology.
pub const FILES: [&str; 2] = [FILE, NODES_FILE];

/// `file`: the file that describes the network.
pub const fn file<P>(field: fn(&mut P) -> &mut dyn Field) -> Key<P> {
    let meaning = "the file of the network, relative to the configuration file's directory: for links one link per line as node,port,node,port, from one port to another, one way; for file CSV, GraphML or BookSim's anynet, with links both ways";
    key(FILE, field, Allowed::Text, "required", meaning)
}

/// `sides`: nodes along each dimension.
pub const fn sides<P>(field: fn(&mut P) -> &mut dyn Field) -> Key<P> {
    let meaning = "nodes along each dimension, x first; 2 to 16777216 nodes in all, and the sides of a torus are at least 2";
    key("sides", field, SIDES, "required", meaning)
}

/// `dimensions`: how many digits the number of a node has.
pub const fn dimensions<P>(field: fn(&mut P) -> &mut dyn Field) -> Key<P> {
    let allowed = Allowed::Whole(1, MAX_DIMENSIONS as u64);
    let meaning = "how many digits the number of a node has: 2 ^ dimensions nodes, or radix ^ dimensions where the radix is a key";
    key("dimensions", field, allowed, "required", meaning)
}

/// `seed`: where a topology's own random draws come from.
pub const fn seed<P>(field: fn(&mut P) -> &mut dyn Field) -> Key<P> {
    let meaning = "the seed from which links are drawn; the run's own seed draws other things";
    key("seed", field, Allowed::Whole(0, u64::MAX), "1", meaning)
}

/// `radix`: the k of a k-ary network, or the base of digits.
pub const fn radix<P>(field: fn(&mut P) -> &mut dyn Field) -> Key<P> {
    let allowed = Allowed::Whole(2, MAX_PORTS as u64 / 2);
    let meaning = "the k of a k-ary n-fly, n-flat or n-tree; the base of the digits of nodes' numbers on a de Bruijn graph";
    key("radix", field, allowed, "2", meaning)
}

/// `stages`: the n of a k-ary n-fly.
pub const fn stages<P>(field: fn(&mut P) -> &mut dyn Field) -> Key<P> {
    let allowed = Allowed::Whole(2, 13);
    let meaning = "stages of switches: the n of a k-ary n-fly, or of the n-fly that a k-ary n-flat flattens; k ^ n terminals";
    key("stages", field, allowed, "required", meaning)
}

/// `concentration`: terminals of a node that has any.
pub const fn concentration<P>(field: fn(&mut P) -> &mut dyn Field) -> Key<P> {
    let allowed = Allowed::Whole(1, MAX_PORTS as u64 - 1);
    let usual = "1; as many as global_links on a dragonfly and leaves on a megafly, and half of a node's links, rounded up, on a slim fly";
    key(
        "concentration",
        field,
        allowed,
        usual,
        "terminals of each node that has any",
    )
}

/// `global_links`: links of a node to other groups.
pub const fn global_links<P>(field: fn(&mut P) -> &mut dyn Field) -> Key<P> {
    let allowed = Allowed::Whole(1, MAX_PORTS as u64 - 1);
    let meaning = "links to other groups of a node that has any: the h of a dragonfly";
    key("global_links", field, allowed, "required", meaning)
}

/// `place_cycles`: how long a word takes to where the next node of a line lies.
pub const fn place_cycles<P>(field: fn(&mut P) -> &mut dyn Field) -> Key<P> {
    let allowed = Allowed::Whole(1, MAX_LINK_CYCLES as u64 / 2);
    let usual = "1 on a folded torus; elsewhere links take network.link_latency_cycles, however long they are";
    let meaning = "cycles that a word takes from one place to the next: a link over several places takes as many times that";
    key("place_cycles", field, allowed, usual, meaning)
}

/// `global_link_latency_cycles`: latency of links between groups, where they have one of their own.
pub const fn global_cycles<P>(field: fn(&mut P) -> &mut dyn Field) -> Key<P> {
    let allowed = Allowed::Whole(1, MAX_LINK_CYCLES as u64);
    let usual = "network.link_latency_cycles";
    let meaning = "cycles that a word takes on a link between groups";
    key("global_link_latency_cycles", field, allowed, usual, meaning)
}

/// `groups`: how many there are.
pub const fn groups<P>(field: fn(&mut P) -> &mut dyn Field) -> Key<P> {
    let allowed = Allowed::Whole(2, MAX_GRAPH_NODES as u64);
    let usual = "as many as global links lead to, and one more";
    key("groups", field, allowed, usual, "groups of nodes")
}
