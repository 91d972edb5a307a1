//! Networks from files: the same one in each format, and what each refuses.

mod damage;
mod refused;

use flitwork_schema::{Datum, Files, Parts, RawTable, Refusal, Unreadable, Value};
use flitwork_topology::{Shape, Topology, TopologyEntry, positions};
use flitwork_types::{NodeId, Port, TerminalId};
use std::path::PathBuf;

/// Files by their names.
struct Memory<'a>(&'a [(&'a str, &'a [u8])]);

impl Files for Memory<'_> {
    fn path(&self, name: &str) -> PathBuf {
        name.into()
    }

    fn text(&self, name: &str, most_bytes: u64) -> Result<String, Unreadable> {
        let unreadable = |found: String, content| Unreadable {
            found,
            allowed: "text".into(),
            content,
        };
        let file = self.0.iter().find(|(other, _)| *other == name);
        let (_, bytes) = file.ok_or_else(|| unreadable("doesn't exist".into(), false))?;
        if bytes.len() as u64 > most_bytes {
            return Err(unreadable(format!("has {} bytes", bytes.len()), false));
        }
        let text = String::from_utf8(bytes.to_vec());
        text.map_err(|_| unreadable("is not UTF-8 text".into(), true))
    }

    fn is_no_file(&self, _: &str) -> Option<String> {
        None
    }
}

/// The network of files and the keys that are given.
fn read(files: &[(&str, &[u8])], keys: &[(&str, &str)]) -> Result<Shape, Refusal> {
    let keys = keys.iter();
    let keys = keys.map(|(key, name)| ((*key).to_owned(), Value::from(Datum::text(*name))));
    let keys: Vec<(String, Value)> = keys.collect();
    let entry: TopologyEntry = Parts::new().find("file").unwrap();
    let table = RawTable::new("network".into(), 0..0, &keys);
    entry.build(&table, &Memory(files)).map(|built| built.shape)
}

/// The network of one file.
fn of(name: &str, text: &str) -> Result<Shape, Refusal> {
    read(&[(name, text.as_bytes())], &[("file", name)])
}

#[track_caller]
fn good(name: &str, text: &str) -> Shape {
    of(name, text).unwrap_or_else(|refusal| panic!("{refusal:?}"))
}

/// Lines end in carriage returns, line feeds or both, and are counted alike.
#[test]
fn all_ends_of_lines_are_ends_of_lines() {
    for end in ["\n", "\r", "\r\n"] {
        let with = |text: &str| of("l.csv", &text.replace('\n', end));
        assert_eq!(with(LINKS).unwrap().nodes(), 4, "{end:?}");
        let refused = with("from,to\n0,1\n1,1\n").unwrap_err();
        let (text, at) = refused.file.unwrap().text.unwrap();
        let before = text[..at.start].matches(if end == "\r\n" { "\r\n" } else { "\n" });
        assert_eq!(before.count(), 2, "{end:?}");
    }
}

/// A square with a diagonal, whose nodes have 2, 1, 0 and 1 terminals.
const LINKS: &str = "from,to,cycles\n0,1,\n1,2,3\n2,3,\n3,0,\n0,2,7\n";
const NODES: &str = "node,terminals\n0,2\n1,\n2,0\n3,1\n";
const ANYNET: &str = "router 0 node 0 node 1 1 router 1\nrouter 1 node 2 router 2 3\nrouter 2 router 1 3 router 3\nnode 3 router 3\nrouter 3 router 0\nrouter 0 router 2 7\nrouter 2 router 0 7\n";
const GRAPHML: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<!-- A square with a diagonal. -->
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
  <key id="t" for="node" attr.name="terminals" attr.type="int"><default>1</default></key>
  <key id="c" for="edge" attr.name="cycles" attr.type="int"/>
  <key id="color" for="all" attr.name="color"/>
  <graph id="G" edgedefault="undirected">
    <desc>A square</desc>
    <node id="0"><data key="t">2</data><data key="color">red</data></node>
    <edge source="0" target="1"/>
    <node id="1"/>
    <node id="2"><data key="t"> 0
    </data></node>
    <node id="3"/>
    <edge source="1" target="2" directed="true"><data key="c">3</data></edge>
    <edge source="2" target="3"><data key="color">blue</data></edge>
    <edge source="3" target="0"/>
    <edge source="2" target="1" directed="true"><data key="c">&#51;</data></edge>
    <edge source="0" target="2"><data key="c">7</data></edge>
  </graph>
</graphml>
"#;

fn in_csv() -> Shape {
    linked_by(LINKS)
}

fn linked_by(links: &str) -> Shape {
    let files = [("l.csv", links.as_bytes()), ("n.csv", NODES.as_bytes())];
    let shape = read(&files, &[("file", "l.csv"), ("nodes_file", "n.csv")]);
    shape.unwrap_or_else(|refusal| panic!("{refusal:?}"))
}

#[test]
fn the_same_network_in_each_format() {
    let shape = in_csv();
    assert_eq!(good("square.graphml", GRAPHML), shape);
    assert_eq!(good("square.xml", GRAPHML), shape);
    // Ports of anynet are in the order of neighbours, whatever the text's.
    let in_order = linked_by("from,to,cycles\n0,1,\n0,2,7\n0,3,\n1,2,3\n2,3,\n");
    assert_eq!(good("square", ANYNET), in_order);
    assert_eq!(good("square.txt", ANYNET), in_order);
    let forced = read(
        &[("square.csv", GRAPHML.as_bytes())],
        &[("file", "square.csv"), ("format", "graphml")],
    );
    assert_eq!(forced.unwrap(), shape);
    // By hand.
    assert_eq!((shape.nodes(), shape.ports(), shape.terminals()), (4, 3, 4));
    let homes = (0..4).map(|terminal| shape.home(TerminalId(terminal)).0);
    assert_eq!(homes.collect::<Vec<_>>(), [0, 0, 1, 3]);
    let far = |node, port| {
        shape
            .far(NodeId(node), Port(port))
            .map(|it| (it.0.0, it.1.0))
    };
    assert_eq!(
        [far(0, 0), far(0, 1), far(0, 2)],
        [Some((1, 0)), Some((3, 1)), Some((2, 2))]
    );
    assert_eq!([far(1, 1), far(1, 2)], [Some((2, 0)), None]);
    let cycles = |node, port| shape.link_cycles(NodeId(node), Port(port));
    assert_eq!(
        [cycles(0, 0), cycles(2, 0), cycles(2, 2)],
        [None, Some(3), Some(7)]
    );
    assert_eq!(shape.node_name(NodeId(2)), "2");
}

/// A direction without a latency takes BookSim's, 1, where the other has one; where none is given, links take the network's.
#[test]
fn latencies_of_anynet() {
    let shape = good(
        "n",
        "router 0 node 0 router 1 1\nrouter 1 node 1 router 2\nrouter 2 router 1",
    );
    let cycles = |node| shape.link_cycles(NodeId(node), Port(0));
    assert_eq!([cycles(0), cycles(2)], [Some(1), None]);
    let node_first = good(
        "n",
        "node 0 router 0 1\n\n  router 0 node 0\trouter 1 node 1\r\n",
    );
    assert_eq!((node_first.nodes(), node_first.terminals()), (2, 2));
}

/// In whatever order a file has the links, a router's ports are in the order of the routers that they lead to.
#[test]
fn ports_of_anynet() {
    let shape = good(
        "n",
        "router 2 router 3 router 0 node 1\nrouter 1 router 3 router 2\nrouter 0 router 3 node 0\nrouter 3 node 2",
    );
    let far = |node, port| shape.neighbour(node, port).unwrap().0;
    let ports = |node: NodeId| {
        shape
            .links(node)
            .iter()
            .map(|port| far(node, port))
            .collect()
    };
    let all: Vec<Vec<u32>> = (0..4).map(|node| ports(NodeId(node))).collect();
    assert_eq!(all, [vec![2, 3], vec![2, 3], vec![0, 1, 3], vec![0, 1, 2]]);
}

/// Names are numbered as they appear; those of ports are the same at all nodes, and links without take the ports after them.
#[test]
fn names_of_nodes_and_ports_in_csv() {
    let text = "# Two chiplets.\r\n\r\nto , from_port,from,to_port\r\n\"b, right\",east,a,west\r\na,east,\"b, right\",west\r\nc,,a,\r\n\"#d\",,c,\r\n";
    let shape = good("l.csv", text);
    let names = (0..4).map(|node| shape.node_name(NodeId(node)));
    assert_eq!(
        names.collect::<Vec<_>>(),
        ["0 (a)", "1 (b, right)", "2 (c)", "3 (#d)"]
    );
    let ports = (0..4).map(|port| shape.port_name(Port(port)));
    assert_eq!(
        ports.collect::<Vec<_>>(),
        ["east", "west", "port 2", "port 3"]
    );
    let far = |node, port| {
        shape
            .far(NodeId(node), Port(port))
            .map(|it| (it.0.0, it.1.0))
    };
    assert_eq!(
        [far(0, 0), far(1, 0), far(0, 2)],
        [Some((1, 1)), Some((0, 1)), Some((2, 2))]
    );
    assert_eq!([far(2, 3), far(3, 2)], [Some((3, 2)), Some((2, 3))]);
}

/// Nodes are drawn at their places if all have one.
#[test]
fn places() {
    let links = "from,to\na,b\n";
    let with = |nodes: &str| {
        let files = [("l.csv", links.as_bytes()), ("n.csv", nodes.as_bytes())];
        positions(&read(&files, &[("file", "l.csv"), ("nodes_file", "n.csv")]).unwrap())
    };
    let circle = positions(&good("l.csv", links));
    assert_eq!(
        with("node,x,y\na,0,-1.5\nb,2e3,4\n"),
        [(0.0, -1.5), (2000.0, 4.0)]
    );
    assert_eq!(with("node,x,y\na,0,-1.5\nb,,\n"), circle);
    let graph = |second: &str| {
        let text = format!(
            "<graphml><key id='x' for='node' attr.name='x'/><key id='y' for='node' attr.name='y'/><key id='n' for='node' attr.name='name'/><g:graph xmlns:g='g' edgedefault='directed'><node id='p'><data key='x'>1</data><data key='y'>2</data><data key='n'><![CDATA[left & ]]>&amp; up</data></node><node id='q'>{second}</node><edge source='p' target='q'/><edge source='q' target='p'/></g:graph></graphml>"
        );
        good("n.graphml", &text)
    };
    let placed = graph("<data key='y'>3</data><data key='x'>-1</data>");
    assert_eq!(positions(&placed), [(1.0, 2.0), (-1.0, 3.0)]);
    assert_eq!(positions(&graph("")), circle);
    assert_eq!(placed.node_name(NodeId(0)), "0 (left & & up)");
    assert_eq!(placed.node_name(NodeId(1)), "1 (q)");
}

/// Lines may end as on other systems.
#[test]
fn ends_of_lines() {
    for (name, text) in [("l.csv", LINKS), ("n.xml", GRAPHML), ("n", ANYNET)] {
        let other = text.replace('\n', "\r\n");
        assert_eq!(good(name, &other), good(name, text), "{name}");
    }
}
