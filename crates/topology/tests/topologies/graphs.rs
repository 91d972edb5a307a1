//! Graphs against the grids that they copy, further graphs against distances counted by hand, and a topology
//! from another crate.

use flitwork_schema::{
    Allowed, Datum, Files, Key, MistakeKind, Part, Parts, RawTable, Refusal, Unreadable, Value,
    entries, key, settings,
};
use flitwork_topology::{
    Built, Graph, GraphError, Grid, MAX_GRAPH_NODES, Shape, Topology, TopologyEntry,
};
use flitwork_types::{NodeId, Port, PortSet, TerminalId};

const SIDES: [&[u32]; 10] = [
    &[2],
    &[7],
    &[2, 2],
    &[5, 3],
    &[1, 6],
    &[8, 8],
    &[3, 4, 5],
    &[2, 3, 2, 3],
    &[2; 6],
    &[2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 3],
];

fn grids() -> Vec<Grid> {
    let meshes = SIDES.iter().map(|sides| Grid::mesh(sides).unwrap());
    let tori = SIDES.iter().filter(|sides| !sides.contains(&1));
    let tori = tori.map(|sides| Grid::torus(sides).unwrap());
    meshes.chain(tori).collect()
}

fn nodes(topology: &dyn Topology) -> impl Iterator<Item = NodeId> + use<> {
    (0..topology.nodes()).map(NodeId)
}

/// Asserts that two topologies give the same answers to all questions.
fn assert_same(one: &dyn Topology, other: &dyn Topology, what: &str) {
    assert_eq!(one.nodes(), other.nodes(), "{what}");
    assert_eq!(one.ports(), other.ports(), "{what}");
    assert_eq!(one.local(), other.local(), "{what}");
    assert_eq!(one.diameter_hops(), other.diameter_hops(), "{what}");
    assert_eq!(one.latencies(3), other.latencies(3), "{what}");
    for port in (0..=one.ports() as u8).map(Port) {
        assert_eq!(one.port_name(port), other.port_name(port), "{what}");
    }
    assert_eq!(one.terminals(), other.terminals(), "{what}");
    assert_eq!(one.locals(), other.locals(), "{what}");
    for terminal in (0..one.terminals()).map(TerminalId) {
        let (home, local) = (one.home(terminal), one.local_of(terminal));
        assert_eq!(other.home(terminal), home, "{what}");
        assert_eq!(other.local_of(terminal), local, "{what}");
        assert_eq!(one.terminal_at(home, local), Some(terminal), "{what}");
    }
    for here in nodes(one) {
        assert_eq!(one.links(here), other.links(here), "{what} {here}");
        assert_eq!(one.node_name(here), other.node_name(here), "{what}");
        for port in (0..=one.ports() as u8 + 1).map(Port) {
            let at = format!("{what} {here} {port:?}");
            let terminals = [one, other].map(|it| it.terminal_at(here, port));
            assert_eq!(terminals[0], terminals[1], "{at}");
            assert_eq!(one.far(here, port), other.far(here, port), "{at}");
            assert_eq!(
                one.neighbour(here, port),
                other.neighbour(here, port),
                "{at}"
            );
            assert_eq!(
                one.link_cycles(here, port),
                other.link_cycles(here, port),
                "{at}"
            );
        }
        for there in nodes(one) {
            let at = format!("{what} {here} to {there}");
            assert_eq!(
                one.distance(here, there),
                other.distance(here, there),
                "{at}"
            );
            assert_eq!(
                one.productive(here, there),
                other.productive(here, there),
                "{at}"
            );
        }
    }
}

#[test]
fn a_grid_by_tables_is_the_grid() {
    for grid in grids() {
        let graph = Graph::copy_of(&grid).unwrap();
        let what = format!("{grid:?}");
        assert_same(&grid, &graph, &what);
        assert_same(&grid, &Shape::from(grid.clone()), &what);
        assert_same(&graph, &Shape::from(graph.clone()), &what);
        assert_eq!(Graph::copy_of(&graph).unwrap(), graph);
    }
}

/// A ring of 8 nodes with a chord from 0 to 4, which takes 3 cycles:
///
/// ```text
///   0 ─ 1 ─ 2 ─ 3
///   │ ╲         │
///   │   ╲─────╮ │
///   7 ─ 6 ─ 5 ─ 4
/// ```
fn ring_with_a_chord() -> Graph {
    let mut ring = Graph::of_nodes(8).unwrap();
    for node in 0..8 {
        let next = (NodeId((node + 1) % 8), Port(0));
        ring.link((NodeId(node), Port(1)), next, None).unwrap();
    }
    ring.link((NodeId(0), Port(2)), (NodeId(4), Port(2)), 3)
        .unwrap();
    ring.name_ports(vec!["back".into(), "on".into(), "over".into()])
        .unwrap();
    ring.build().unwrap()
}

#[test]
fn a_chord_shortens_the_distances_of_a_ring() {
    let ring = ring_with_a_chord();
    assert_eq!((ring.nodes(), ring.ports(), ring.local()), (8, 3, Port(3)));
    assert_eq!(format!("{ring:?}"), "graph of 8 nodes and 9 links");
    let from_0: Vec<u32> = nodes(&ring)
        .map(|to| ring.distance(NodeId(0), to))
        .collect();
    // Around the ring 0, 1, 2, 3 and back; over the chord 4 is 1 away, 3 and 5 are 2.
    assert_eq!(from_0, [0, 1, 2, 2, 1, 2, 2, 1]);
    // From 2 to 6: through 1, 0 and 7, or through 3, 4 and 5: 4 each; the chord gives no shorter path.
    assert_eq!(ring.distance(NodeId(2), NodeId(6)), 4);
    assert_eq!(ring.diameter_hops(), 4);
    let ports = |ports: &[u8]| {
        let mut set = PortSet::EMPTY;
        ports.iter().for_each(|port| set.insert(Port(*port)));
        set
    };
    assert_eq!(ring.productive(NodeId(0), NodeId(3)), ports(&[2]));
    assert_eq!(ring.productive(NodeId(0), NodeId(2)), ports(&[1]));
    assert_eq!(ring.productive(NodeId(2), NodeId(6)), ports(&[0, 1]));
    assert_eq!(ring.productive(NodeId(5), NodeId(5)), PortSet::EMPTY);
    assert_eq!(ring.links(NodeId(0)), ports(&[0, 1, 2]));
    assert_eq!(ring.links(NodeId(1)), ports(&[0, 1]));
    assert_eq!(ring.far(NodeId(0), Port(2)), Some((NodeId(4), Port(2))));
    assert_eq!(ring.far(NodeId(0), Port(0)), Some((NodeId(7), Port(1))));
    assert_eq!(ring.far(NodeId(1), Port(2)), None);
    assert_eq!(ring.far(NodeId(1), ring.local()), None);
    assert_eq!(ring.link_cycles(NodeId(4), Port(2)), Some(3));
    // All links but the chord take the network's latency.
    assert_eq!(ring.link_cycles(NodeId(4), Port(1)), None);
    assert_eq!(ring.latencies(1), 1..=3);
    assert_eq!(ring.latencies(7), 3..=7);
    assert_eq!(
        (ring.port_name(Port(2)), ring.port_name(Port(3))),
        ("over".into(), "local".into())
    );
    assert_eq!(ring.node_name(NodeId(5)), "5");
}

/// A ring that goes one way, with a chord that leads back: distances are searched along the links.
#[test]
fn links_may_go_one_way() {
    let end = |node, port| (NodeId(node), Port(port));
    let mut graph = Graph::of_nodes(5).unwrap();
    for node in 0..5 {
        graph
            .link_one_way(end(node, 0), end((node + 1) % 5, 1))
            .unwrap();
    }
    graph.link_one_way(end(4, 2), end(2, 2)).unwrap();
    let taken = graph.link_one_way(end(1, 1), end(3, 1)).unwrap_err();
    assert_eq!(taken, GraphError::Taken(NodeId(3), Port(1)));
    assert!(graph.link(end(0, 3), end(3, 3), None).is_ok());
    let error = graph.clone().build().unwrap_err();
    assert_eq!(
        error.to_string(),
        "a link at port 0 of node 0 that goes one way"
    );
    let graph = graph.build_one_way().unwrap();
    let distances: Vec<u32> = (0..5)
        .map(|to| graph.distance(NodeId(0), NodeId(to)))
        .collect();
    assert_eq!(distances, [0, 1, 2, 1, 2]);
    let distances: Vec<u32> = (0..5)
        .map(|to| graph.distance(NodeId(to), NodeId(2)))
        .collect();
    assert_eq!(distances, [2, 1, 0, 2, 1]);
    assert_eq!(graph.far(NodeId(4), Port(2)), Some(end(2, 2)));
    // Nothing leaves by the port at which a link only ends.
    assert_eq!(graph.far(NodeId(2), Port(2)), None);
    assert_eq!(
        graph.productive(NodeId(4), NodeId(2)),
        PortSet::only(Port(2))
    );
    assert_eq!(
        Graph::copy_of(&graph)
            .unwrap()
            .distance(NodeId(2), NodeId(1)),
        graph.distance(NodeId(2), NodeId(1))
    );
    // Without a way back nodes are apart.
    let mut line = Graph::of_nodes(2).unwrap();
    line.link_one_way(end(0, 0), end(1, 0)).unwrap();
    let (from, to) = (NodeId(1), NodeId(0));
    assert_eq!(
        line.build_one_way().map(drop),
        Err(GraphError::Apart { from, to })
    );
}

/// Circles of links that go one way: at each far end another link begins, and leads on instead of back, to a third node
/// or to another port of the first one.
#[test]
fn a_link_that_leads_on_is_no_way_back() {
    let end = |node, port| (NodeId(node), Port(port));
    let circles = [
        (3, vec![end(0, 0), end(1, 0), end(2, 0)]),
        (2, vec![end(0, 0), end(1, 0), end(0, 1), end(1, 1)]),
    ];
    for (nodes, circle) in circles {
        let mut graph = Graph::of_nodes(nodes).unwrap();
        for (from, to) in circle.iter().zip(circle.iter().cycle().skip(1)) {
            graph.link_one_way(*from, *to).unwrap();
        }
        let refused = GraphError::OneWay(NodeId(0), Port(0));
        assert_eq!(graph.build().map(drop), Err(refused), "{circle:?}");
    }
}

#[test]
fn tables_that_are_no_graph_are_refused() {
    let nodes = |nodes| Graph::of_nodes(nodes).map(drop).unwrap_err().to_string();
    assert_eq!(nodes(1), "1 nodes; a graph has 2 to 8192");
    assert_eq!(
        nodes(MAX_GRAPH_NODES + 1),
        "8193 nodes; a graph has 2 to 8192"
    );
    let end = |node, port| (NodeId(node), Port(port));
    let mut graph = Graph::of_nodes(3).unwrap();
    graph.link(end(0, 0), end(1, 0), 1).unwrap();
    let mut wrong = |one, other, cycles| graph.link(one, other, cycles).unwrap_err().to_string();
    assert_eq!(
        wrong(end(0, 1), end(3, 0), 1),
        "a link at node 3, which doesn't exist"
    );
    assert_eq!(
        wrong(end(0, 0), end(2, 0), 1),
        "two links at port 0 of node 0"
    );
    assert_eq!(
        wrong(end(2, 0), end(1, 0), 1),
        "two links at port 0 of node 1"
    );
    assert_eq!(
        wrong(end(0, 1), end(0, 2), 1),
        "a link from node 0 to itself"
    );
    assert_eq!(
        wrong(end(0, 63), end(2, 0), 1),
        "more than 63 link ports at node 0"
    );
    let text = "a link of 0 cycles at port 1 of node 0; a link takes 1 to 1024";
    assert_eq!(wrong(end(0, 1), end(2, 0), 0), text);
    let text = "a link of 1025 cycles at port 1 of node 0; a link takes 1 to 1024";
    assert_eq!(wrong(end(0, 1), end(2, 0), 1025), text);
    let text = "fewer than 2 nodes that inject and deliver";
    assert_eq!(
        graph.set_terminals([NodeId(2)]).unwrap_err().to_string(),
        text
    );
    assert_eq!(
        graph.set_terminals([NodeId(3)]),
        Err(GraphError::NoNode(NodeId(3)))
    );
    let names = GraphError::Names {
        given: 2,
        needed: 3,
    };
    assert_eq!(graph.name_nodes(vec![String::new(); 2]), Err(names));
    let names = GraphError::Names {
        given: 64,
        needed: 63,
    };
    assert_eq!(graph.name_ports(vec![String::new(); 64]), Err(names));
    let apart = graph.build().unwrap_err();
    assert_eq!(apart.to_string(), "no path from node 2 to node 0");
}

/// Of five nodes, 0 and 3 are switches, and 1 has two terminals.
#[test]
fn terminals_are_numbered_in_the_order_given() {
    let mut line = Graph::of_nodes(5).unwrap();
    (0..4).for_each(|node| line.join(NodeId(node), NodeId(node + 1)).unwrap());
    line.set_terminals([4, 1, 2, 1].map(NodeId)).unwrap();
    let line = line.build().unwrap();
    assert_eq!((line.terminals(), line.locals()), (4, 2));
    let homes = [0, 1, 2, 3].map(|terminal| line.home(TerminalId(terminal)).0);
    assert_eq!(homes, [4, 1, 2, 1]);
    let terminals = nodes(&line).map(|node| line.terminal_at(node, line.local()));
    let expected = [None, Some(1), Some(2), None, Some(0)];
    assert!(terminals.eq(expected.map(|terminal| terminal.map(TerminalId))));
    let second = Port(line.local().0 + 1);
    assert_eq!(line.terminal_at(NodeId(1), second), Some(TerminalId(3)));
    assert_eq!(line.terminal_at(NodeId(2), second), None);
    assert_eq!(line.port_name(second), "local 1");
}

/// Paths are written as names with spaces between them: they must be readable.
#[test]
fn names_of_ports_can_be_told_apart() {
    let named = |names: &[&str]| {
        let mut pair = Graph::of_nodes(2).unwrap();
        for port in (0..3).map(Port) {
            let ends = ((NodeId(0), port), (NodeId(1), port));
            pair.link(ends.0, ends.1, None).unwrap();
        }
        let names = names.iter().map(|name| (*name).to_owned());
        pair.name_ports(names.collect()).unwrap();
        pair.build().map_err(|error| error.to_string())
    };
    for names in [["up", "upper left", "upper right"], ["a", "A", "a,@"]] {
        assert!(named(&names).is_ok(), "{names:?}");
    }
    for (names, why) in [
        (
            &["up", "down", "up"][..],
            "ports called \"up\" and \"up\"; ",
        ),
        (&["up left", "up"], "ports called \"up\" and \"up left\"; "),
        (&["up", "up@7"], "ports called \"up\" and \"up@7\"; "),
        (&["port 2"], "ports called \"port 2\" and \"port 2\"; "),
        (&["port"], "ports called \"port\" and \"port 1\"; "),
        (&["up", ""], "a port called \"\"; "),
        (&[" up"], "a port called \" up\"; "),
        (&["up\n1"], "a port called \"up\\n1\"; "),
    ] {
        let found = named(names).unwrap_err();
        assert!(found.starts_with(why), "{found}");
    }
}

/// A star, as another crate would add it: its parameters, their keys, and how to build it.
#[derive(Clone, Default)]
struct Star {
    leaves: u32,
}

const STAR: &[Key<Star>] = &[key(
    "leaves",
    |star| &mut star.leaves,
    Allowed::Whole(2, 1 << 20),
    "required",
    "nodes around the middle",
)];

fn star(star: &Star, given: &RawTable<'_>) -> Result<Shape, Refusal> {
    let graph = || {
        let mut graph = Graph::of_nodes(star.leaves + 1)?;
        (1..=star.leaves).try_for_each(|leaf| graph.join(NodeId(0), NodeId(leaf)))?;
        graph.set_terminals((1..=star.leaves).map(NodeId))?;
        graph.build()
    };
    let graph = graph().map_err(|error: GraphError| given.conflict("leaves", error.to_string()));
    graph.map(Shape::Graph)
}

fn entry() -> TopologyEntry {
    TopologyEntry::new("star", "leaves around a node in the middle", STAR, star)
}

/// No file can be read here.
struct NoFiles;

impl Files for NoFiles {
    fn path(&self, name: &str) -> std::path::PathBuf {
        name.into()
    }

    fn text(&self, name: &str, _: u64) -> Result<String, Unreadable> {
        panic!("{name} is read, and no key names a file")
    }

    fn is_no_file(&self, name: &str) -> Option<String> {
        panic!("{name} is looked for, and no key names a file")
    }
}

pub(crate) fn build(entry: &TopologyEntry, keys: &[(&str, Datum)]) -> Result<Built, Refusal> {
    let keys = keys
        .iter()
        .map(|(name, datum)| ((*name).to_owned(), Value::from(datum.clone())));
    let keys: Vec<_> = keys.collect();
    entry.build(&RawTable::new("network".into(), 0..0, &keys), &NoFiles)
}

#[test]
fn a_topology_from_outside_is_in_the_table() {
    let parts = Parts::new().with(entry());
    let names = parts.names::<TopologyEntry>();
    assert!(names.is_sorted() && names.contains(&"star"), "{names:?}");
    let entry: TopologyEntry = parts.find("star").unwrap();
    assert_eq!(entry.help(), "leaves around a node in the middle");
    assert_eq!(entry.keys(), entries(&STAR[..1]));
    let leaves = |leaves| build(&entry, &[("leaves", Datum::Whole(leaves))]);
    let built = leaves(5).unwrap();
    assert_eq!(built.topology, "star");
    assert_eq!(built.keys, settings(STAR, &Star { leaves: 5 }));
    let shape = built.shape;
    assert_eq!(
        (shape.nodes(), shape.ports(), shape.diameter_hops()),
        (6, 5, 2)
    );
    for leaf in (1..6).map(NodeId) {
        assert_eq!(
            shape.far(leaf, Port(0)),
            Some((NodeId(0), Port(leaf.0 as u8 - 1)))
        );
        assert_eq!(shape.links(leaf), PortSet::only(Port(0)));
        let terminal = TerminalId(leaf.0 - 1);
        assert_eq!(shape.home(terminal), leaf);
        assert_eq!(shape.terminal_at(leaf, shape.local()), Some(terminal));
        assert_eq!(shape.terminal_at(leaf, Port(0)), None);
        for other in (1..6).map(NodeId) {
            assert_eq!(
                shape.distance(leaf, other),
                if leaf == other { 0 } else { 2 }
            );
        }
    }
    assert_eq!(shape.terminals(), 5);
    assert!(!shape.has_terminal(NodeId(0)) && shape.has_terminal(NodeId(5)));
    let needs = shape
        .grid_for("traffic.pattern = \"transpose\"")
        .unwrap_err();
    let text =
        "traffic.pattern = \"transpose\" needs a mesh or a torus, whose nodes have coordinates";
    assert_eq!(needs.to_string(), text);
    let refused = leaves(64).unwrap_err();
    assert_eq!(
        (refused.kind, refused.key.as_str()),
        (MistakeKind::Conflict, "network.leaves")
    );
    assert_eq!(refused.allowed, "more than 63 link ports at node 0");
    let missing = build(&entry, &[]).unwrap_err();
    assert_eq!(
        (missing.kind, missing.key.as_str()),
        (MistakeKind::Missing, "network.leaves")
    );
}

#[test]
fn a_grid_knows_what_builds_it() {
    for grid in grids() {
        let built = Built::from(grid);
        let entry: TopologyEntry = Parts::new().find(built.topology).unwrap();
        assert_eq!(build(&entry, &built.keys).unwrap(), built);
    }
}
