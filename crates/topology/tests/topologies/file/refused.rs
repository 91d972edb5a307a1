//! What is refused, with its line and its words.

use super::{of, read};
use flitwork_schema::Refusal;
use std::fmt::Write;

/// A refusal in one line: where, what was found, what is allowed.
fn told(refusal: &Refusal) -> String {
    let place = match &refusal.file {
        None => refusal.key.clone(),
        Some(file) => match &file.text {
            None => file.name.clone(),
            Some((text, span)) => {
                let line = text[..span.start].matches('\n').count() + 1;
                format!("{}:{line}", file.name)
            }
        },
    };
    format!("{place}: {}; {}", refusal.found, refusal.allowed)
}

#[track_caller]
fn is_refused(name: &str, text: &str, expected: &str) {
    let refusal = of(name, text).map(|shape| format!("{shape:?}"));
    let refusal = refusal.expect_err(text);
    assert_eq!(told(&refusal), expected, "{text}");
}

const COLUMNS: &str = "the columns from and to, and cycles, from_port, to_port if they are needed";

#[test]
#[rustfmt::skip]
fn in_csv() {
    let is_refused = |text: &str, expected: &str| is_refused("l.csv", text, expected);
    is_refused(" \n", "l.csv: the file is empty; the nodes or links of a network");
    is_refused("# Nothing.\n", &format!("l.csv: no columns; {COLUMNS}"));
    is_refused("from,to\n", "l.csv: no nodes; 2 to 8192 nodes");
    is_refused("from,cycles\na,1\n", &format!("l.csv:1: no column `to`; {COLUMNS}"));
    is_refused("from,to,to\n", &format!("l.csv:1: two columns `to`; {COLUMNS}"));
    is_refused("#\n\nfrom,to,Cycles\n", &format!("l.csv:3: a column `Cycles`; {COLUMNS}"));
    is_refused("from,to\na,b,1\n", "l.csv:2: 3 cells; 2, one for each column");
    is_refused("from,to\n\"a,b\nc,d", "l.csv:2: 1 cell; 2, one for each column");
    is_refused("from,to\r\na,b\r\nb,b\r\n", "l.csv:3: a link from node `b` to itself; links between two nodes");
    is_refused("\u{feff}from,to\na,a\nb,c\n", "l.csv:2: a link from node `a` to itself; links between two nodes");
    is_refused("from,to\na,\n", "l.csv:2: nothing in the column to; the name of a node");
    is_refused("from,to\na,b\n\n# c\nb,b\n", "l.csv:5: a link from node `b` to itself; links between two nodes");
    let several =
        "one link between two nodes; several only in CSV, with names for the ports of each";
    is_refused("from,to\na,b\nb,a\n", &format!("l.csv:3: a second link between node `b` and node `a`; the first is in line 2; {several}"));
    is_refused("from,to,from_port,to_port\na,b,p,q\nb,a,,\n", &format!("l.csv:3: a second link between node `b` and node `a`; the first is in line 2; {several}"));
    for cycles in ["0", "1025", "-1", "1.0", "+1", "1e1", "99999999999", "x"] {
        let text = format!("from,to,cycles\na,b,{cycles}\n");
        is_refused(&text, &format!("l.csv:2: cycles `{cycles}`; a whole number from 1 to 1024"));
    }
    is_refused("from,to,from_port,to_port\na,b,p,\n", "l.csv:2: from_port without to_port; both of them, or neither");
    is_refused("from,to,to_port\na,b,p\n", "l.csv:2: to_port without from_port; both of them, or neither");
    is_refused("from,to,from_port,to_port\na,b,p,q\na,c,p,q\n", "l.csv:3: a second link at port `p` of node `a`; one link at each port of a node");
    is_refused("from,to,from_port,to_port\na,b,p,p q\n", "l.csv:2: ports called `p` and `p q`; names that differ, and don't begin with another name and a space or @");
    is_refused("from,to,from_port,to_port\na,b,,\nb,c,port,q\n", "l.csv:3: ports called `port` and `port 2`; names that differ, and don't begin with another name and a space or @");
    is_refused("from,to,from_port,to_port\na,b,p,\"q\u{7}r\"\n", "l.csv:2: a port called `q\u{fffd}r`; names without control characters");
    is_refused("from,to\na,b\nc,d\nd,e\n", "l.csv:3: no path from node `c` to node `a`; a network in which every node reaches every other");
}

#[test]
#[rustfmt::skip]
fn more_than_a_network_may_have() {
    let mut star = "from,to\n".to_owned();
    let mut long = star.clone();
    let mut ports = "from,to,from_port,to_port\n".to_owned();
    for node in 0..8192 {
        if node < 64 {
            writeln!(star, "m,{node}").unwrap();
            writeln!(ports, "{node},{},p{node}.,q", node + 1).unwrap();
        }
        writeln!(long, "{node},{}", node + 1).unwrap();
    }
    is_refused("l.csv", &star, "l.csv:65: no port is left at node `m`; at most 63 links of a node, or fewer where ports have names: those are ports of all nodes");
    is_refused("l.csv", &ports, "l.csv:64: more than 63 names of ports; at most 63: ports of a name are the same at all nodes");
    is_refused("l.csv", &long, "l.csv:8193: more than 8192 nodes; at most 8192 nodes");
    let big = vec![b' '; (1 << 26) + 1];
    let refusal = read(&[("l.csv", &big)], &[("file", "l.csv")]).unwrap_err();
    assert_eq!(
        told(&refusal),
        "network.file: network.file: l.csv has 67108865 bytes; text"
    );
    let refusal = read(&[("l.csv", b"from,to\na,\xff\n")], &[("file", "l.csv")]).unwrap_err();
    assert_eq!(told(&refusal), "l.csv: is not UTF-8 text; text");
    let refusal = read(&[], &[("file", "l.csv")]).unwrap_err();
    assert_eq!(
        told(&refusal),
        "network.file: network.file: l.csv doesn't exist; text"
    );
    let refusal = read(&[], &[("file", "n.xml"), ("nodes_file", "n.csv")]).unwrap_err();
    assert_eq!(
        told(&refusal),
        "network.nodes_file: ; only with a file in CSV; it is read as \"graphml\""
    );
    assert_eq!(refusal.decided_by, ["network.format", "network.file"]);
}

#[test]
#[rustfmt::skip]
fn in_tables_of_nodes() {
    let is_refused = |nodes: &str, expected: &str| {
        let files = [
            ("l.csv", &b"from,to\na,b\nb,c\n"[..]),
            ("n.csv", nodes.as_bytes()),
        ];
        let refusal = read(&files, &[("file", "l.csv"), ("nodes_file", "n.csv")]);
        assert_eq!(told(&refusal.expect_err(nodes)), expected, "{nodes}");
    };
    let columns = "the columns node, and terminals, x, y if they are needed";
    is_refused("", "n.csv: the file is empty; the nodes or links of a network");
    is_refused("name\na\n", &format!("n.csv:1: a column `name`; {columns}"));
    is_refused("x,y\n", &format!("n.csv:1: no column `node`; {columns}"));
    is_refused("node\na\nb\n", "l.csv:3: node `c`, which isn't in the table of nodes; the nodes of that table");
    is_refused("node\na\nb\na\n", "n.csv:4: node `a` again; it is in line 2; each node once");
    is_refused("node\nc\nb\na\nd\n", "n.csv:5: no path from node `d` to node `c`; a network in which every node reaches every other");
    is_refused("node,terminals\na,0\nb,0\nc,0\n", "l.csv: no terminals; at least 2 terminals");
    is_refused("node,terminals\na,0\nb,1\nc,0\n", "l.csv: 1 terminal; at least 2 terminals");
    is_refused("node,terminals\na,64\n", "n.csv:2: terminals `64`; a whole number from 0 to 63");
    is_refused("node,terminals\na,2\nb,63\nc,0\n", "n.csv:3: 63 terminals at node `b`; at most 62 terminals at a node, as a node has 2 ports for links");
    is_refused("node,x,y\na,1,2\nb,,1\n", "n.csv:3: y without x; both of them, or neither");
    for x in ["nan", "inf", "1e10", "x"] {
        let text = format!("node,x,y\na,{x},2\n");
        is_refused(&text, &format!("n.csv:2: x `{x}`; a number from -1000000000 to 1000000000"));
    }
}

#[test]
#[rustfmt::skip]
fn in_anynet() {
    let is_refused = |text: &str, expected: &str| is_refused("n", text, expected);
    is_refused("\n\n", "n: the file is empty; the nodes or links of a network");
    let ends = "router or node, and its number";
    is_refused("router 0 link 1\n", &format!("n:1: `link`; {ends}"));
    is_refused("\n# router 0\n", &format!("n:2: `#`; {ends}"));
    is_refused("router 0 router\n", &format!("n:1: router without a number; {ends}"));
    is_refused("router 0 router 1 2 3\n", &format!("n:1: `3`; {ends}"));
    is_refused("router 0 node x\n", "n:1: node `x`; a whole number from 0 to 524287");
    is_refused("router 8192\n", "n:1: router `8192`; a whole number from 0 to 8191");
    is_refused("router 0 router 1 0\n", "n:1: a latency of `0`; a whole number from 1 to 1024");
    is_refused("router 0 router 1 1025\n", "n:1: a latency of `1025`; a whole number from 1 to 1024");
    is_refused("router 0 node 0 2\n", "n:1: a latency of `2` to a node; 1: packets take one cycle from a terminal to its router, and back");
    is_refused("node 0 node 1\n", "n:1: node 1 at node 0; nodes at routers");
    is_refused("router 0 router 0 node 0 node 1\nrouter 1 router 0\n", "n:1: a link from router 0 to itself; links between two nodes");
    let one = "one link between two routers, listed at one end or at both";
    is_refused("router 0 router 1\nrouter 0 router 1\n", &format!("n:2: a second link from router 0 to router 1; the first is in line 1; {one}"));
    let same = "the same latency both ways; an end that gives none has 1";
    is_refused("router 0 node 0 router 1 5\nrouter 1 node 1 router 0 4\n", &format!("n:2: latency 5 from router 0 to router 1, and 4 back; {same}"));
    is_refused("router 0 node 0 router 1 5\nrouter 1 node 1\n", &format!("n:1: latency 5 from router 0 to router 1, and 1 back; {same}"));
    is_refused("router 0 node 0 router 1\nrouter 1 node 1 router 0 5\n", &format!("n:2: latency 1 from router 0 to router 1, and 5 back; {same}"));
    let once = "each node once, at one router";
    is_refused("router 0 node 0 node 0\n", &format!("n:1: node 0 at router 0; it is at router 0 in line 1; {once}"));
    is_refused("router 0 node 0 router 1\nnode 0 router 1\n", &format!("n:2: node 0 at router 1; it is at router 0 in line 1; {once}"));
    is_refused("router 0 node 0 node 2 router 1\n", "n:1: node 2, but no node 1; nodes numbered from 0, without gaps");
    is_refused("router 1 node 0 node 1\nrouter 2 router 1\n", "n:1: router 1, but no router 0; routers numbered from 0, without gaps");
    is_refused("router 0 node 0 node 1\n", "n: 1 router; 2 to 8192 routers");
    is_refused("router 0 router 1\n", "n: no terminals; at least 2 terminals");
    is_refused("router 0 node 0 node 1\nrouter 1\n", "n:2: no path from router 1 to router 0; a network in which every node reaches every other");
}

/// A graph with these nodes and edges, the first in line 2.
fn graph(nodes_and_edges: &str) -> String {
    format!(
        "<graphml><key id='t' for='node' attr.name='terminals'/><key id='x' for='node' attr.name='x'/><key id='c' for='edge' attr.name='cycles'/><graph edgedefault='undirected'>\n{nodes_and_edges}</graph></graphml>"
    )
}

#[test]
#[rustfmt::skip]
fn in_graphml() {
    let is_refused = |text: &str, expected: &str| is_refused("n.xml", text, expected);
    is_refused("\n", "n.xml: the file is empty; the nodes or links of a network");
    is_refused("graph\n", "n.xml: no element; <graphml> around all");
    is_refused("\n<svg/>\n", "n.xml:2: <svg>; <graphml> around all");
    is_refused("<graphml/>\n", "n.xml: no <graph>; a <graph> within <graphml>");
    is_refused("<graphml><graph/></graphml>", "n.xml:1: <graph> without edgedefault; <graph edgedefault=\"…\">");
    is_refused("<graphml><graph edgedefault='both'/></graphml>", "n.xml:1: edgedefault is `both`; directed or undirected");
    is_refused("<graphml>\n<graph edgedefault='directed'/>\n<graph/></graphml>", "n.xml:3: a second <graph>; one in a file");
    is_refused("<graphml>\n<graph edgedefault='directed'/></graphml>\n<a/>", "n.xml:3: <a>; nothing after </graphml>");
    is_refused("<graphml>\n<graph edgedefault='directed'>\n", "n.xml:3: the file ends within <graph>; an end tag for each element");
    is_refused("<graphml>\n<key id='a' for='node' attr.name='x'/>\n<key id='b' attr.name='x'/></graphml>", "n.xml:3: a second key for x; one key for each");
    is_refused("<graphml>\n<key id='a'/>\n<key id='a'/></graphml>", "n.xml:3: a second key with the id `a`; one key for each");
    let deep = format!("<graphml>\n{}", "<a>".repeat(64));
    is_refused(&deep, "n.xml:2: <a> within 64 elements; fewer elements around one another");
}

#[test]
#[rustfmt::skip]
fn in_graphs_of_graphml() {
    let is_refused = |text: &str, expected: &str| is_refused("n.xml", &graph(text), expected);
    let two = "<node id='a'/><node id='b'/>\n";
    is_refused("", "n.xml: no nodes; 2 to 8192 nodes");
    is_refused("<node/>", "n.xml:2: <node> without id; <node id=\"…\">");
    is_refused("<node id='a'/>\n<node id='a'/>", "n.xml:3: a second node `a`; each id once");
    is_refused("<node id='a'><port name='p'/></node>", "n.xml:2: <port>; nodes without ports; ports have names only in CSV");
    is_refused("<node id='a'>\n<graph edgedefault='directed'/></node>", "n.xml:3: a graph within another; one graph of nodes and edges");
    is_refused("<node id='a'>\n<data key='t'>64</data></node>", "n.xml:3: terminals `64`; a whole number from 0 to 63");
    is_refused("<node id='a'>\n<data key='t'>&two;</data></node>", "n.xml:3: `&two;`; &lt; &gt; &amp; &apos; &quot; and characters by number");
    is_refused("<node id='a'>\n<data key='u'/></node>", "n.xml:3: data of the key `u`, which isn't declared; a <key> for it before the graph");
    is_refused("<node id='a'>\n<data key='t'>1</data>\n<data key='t'>1</data></node>", "n.xml:4: second data of the key `t`; data of a key once");
    is_refused("<node id='a'><data key='x'>1</data></node>", "n.xml:2: x without y; both of them, or neither");
    is_refused("<hyperedge/>", "n.xml:2: <hyperedge>; edges, which link two nodes");
    let edges = |edges: &str, expected: &str| is_refused(&format!("{two}{edges}"), expected);
    edges("<edge target='b'/>", "n.xml:3: <edge> without source; <edge source=\"…\">");
    edges("<edge source='a' target='c'/>", "n.xml:3: an edge at node `c`, which doesn't exist; the ids of nodes");
    edges("<edge source='a' target='b' sourceport='p'/>", "n.xml:3: an edge with a sourceport; edges between nodes; ports have names only in CSV");
    edges("<edge source='a' target='b' directed='no'/>", "n.xml:3: directed is `no`; true or false");
    edges("<edge source='a' target='b'>\n<data key='c'>0</data></edge>", "n.xml:4: cycles `0`; a whole number from 1 to 1024");
    edges("<edge source='a' target='a'/>", "n.xml:3: a link from node `a` to itself; links between two nodes");
    edges("<edge source='a' target='b'/>\n<edge source='b' target='a'/>", "n.xml:4: a second link between node `b` and node `a`; the first is in line 3; one link between two nodes; several only in CSV, with names for the ports of each");
    edges("<edge source='b' target='a' directed='true'/>", "n.xml:3: an edge from `b` to `a`, and none back; undirected edges, or one each way: credits need a link back");
    edges("<edge source='a' target='b' directed='true'/>\n<edge source='b' target='a' directed='true'><data key='c'>2</data></edge>", "n.xml:4: an edge with 2 cycles, and the other way no; the same cycles both ways");
    edges("", "n.xml:2: no path from node `b` to node `a`; a network in which every node reaches every other");
    let attributes: String = (0..65).map(|number| format!(" a{number}=''")).collect();
    edges(&format!("<edge{attributes}/>"), "n.xml:3: more than 64 attributes in <edge>; at most 64");
    edges("<edge source='a' target='b'/>\n</node>", "n.xml:4: isn't XML: ill-formed document: expected `</graph>`, but `</node>` was found; well-formed XML");
    edges("<edge source='a' source='b'/>", "n.xml:3: isn't XML: error while parsing attribute: position 16: duplicated attribute, previous declaration at position 5; attributes as name=\"value\"");
}

/// Entities that a file declares are unknown, whether they grow or name other files.
#[test]
#[rustfmt::skip]
fn entities_of_graphml() {
    let bomb = "<!DOCTYPE graphml [<!ENTITY a \"xx\"><!ENTITY b \"&a;&a;\">]>\n<graphml><graph edgedefault='undirected'><node id='&b;'/></graph></graphml>";
    is_refused("n.xml", bomb, "n.xml:2: isn't XML: at 1..2: unrecognized entity `b`; attributes as name=\"value\"");
    let other = "<!DOCTYPE graphml [<!ENTITY a SYSTEM \"other\">]>\n<graphml><key id='t' for='node' attr.name='terminals'><default>&a;</default></key></graphml>";
    is_refused("n.xml", other, "n.xml:2: `&a;`; &lt; &gt; &amp; &apos; &quot; and characters by number");
}
