//! Networks in GraphML (Brandes and others 2001).
//!
//! ```text
//!   <graphml>
//!     <key id="t" for="node" attr.name="terminals"> ──┐   terminals, x, y and name of nodes; cycles of edges.
//!     <graph edgedefault="undirected">                │   Other data are ignored
//!       <node id="a"><data key="t">2</data></node> ───┘
//!       <edge source="a" target="b"/>                     undirected, or one of a pair a→b and b→a
//! ```

mod xml;

use super::listing::{
    Known, Link, Listing, MAX_TERMINALS, Node, coordinate, too_many, whole, wrong,
};
use crate::{MAX_GRAPH_NODES, MAX_LINK_CYCLES};
use flitwork_schema::{FileMistake, Span, shown};
use std::collections::BTreeMap;
use xml::{Element, Xml};

/// The network of a text.
pub(super) fn listing(text: &str) -> Result<Listing, FileMistake> {
    let mut found = Found::default();
    let mut xml = Xml::new(text);
    let root = xml.child()?;
    if root.as_ref().is_none_or(|it| it.name != "graphml") {
        let found = root.as_ref().map_or("no element".into(), called);
        return Err(wrong(root.map(|it| it.at), found, "<graphml> around all"));
    }
    let mut has_graph = false;
    while let Some(element) = xml.child()? {
        match element.name.as_str() {
            "key" => found.declare(&element, &mut xml)?,
            "graph" if has_graph => {
                return Err(wrong(element.at, "a second <graph>", "one in a file"));
            }
            "graph" => {
                has_graph = true;
                found.graph(&element, &mut xml)?;
            }
            _ => xml.skip()?,
        }
    }
    match xml.child()? {
        Some(more) => Err(wrong(
            more.at.clone(),
            called(&more),
            "nothing after </graphml>",
        )),
        None if !has_graph => Err(wrong(None, "no <graph>", "a <graph> within <graphml>")),
        None => found.listing(),
    }
}

fn called(element: &Element) -> String {
    format!("<{}>", shown(&element.name))
}

/// What data say of a node or an edge.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Meaning {
    Terminals,
    X,
    Y,
    Name,
    Cycles,
}

impl Meaning {
    const OF_NODES: [(&'static str, Meaning); 4] = [
        ("terminals", Meaning::Terminals),
        ("x", Meaning::X),
        ("y", Meaning::Y),
        ("name", Meaning::Name),
    ];
    const OF_EDGES: [(&'static str, Meaning); 1] = [("cycles", Meaning::Cycles)];

    /// That of a key's data, if these are of interest.
    fn of(whose: &str, name: &str) -> Option<Meaning> {
        let (nodes, edges) = (&Meaning::OF_NODES[..], &Meaning::OF_EDGES[..]);
        let all: Vec<&(&str, Meaning)> = match whose {
            "node" => nodes.iter().collect(),
            "edge" => edges.iter().collect(),
            "all" => nodes.iter().chain(edges).collect(),
            _ => Vec::new(),
        };
        let named = all.into_iter().find(|(other, _)| *other == name);
        named.map(|(_, meaning)| *meaning)
    }
}

/// Values by their meanings, with their places.
type Data = BTreeMap<Meaning, (String, Span)>;

#[derive(Default)]
struct Found {
    /// By the names of keys.
    keys: BTreeMap<String, Option<Meaning>>,
    defaults: Data,
    is_directed: bool,
    nodes: Vec<Node>,
    by_id: BTreeMap<String, usize>,
    edges: Vec<Edge>,
}

struct Edge {
    at: Span,
    /// The nodes' names, from the source to the target.
    ends: [String; 2],
    is_directed: bool,
    cycles: Option<u32>,
}

impl Found {
    /// Reads a `<key>`.
    fn declare(&mut self, key: &Element, xml: &mut Xml<'_>) -> Result<(), FileMistake> {
        let id = key.needed("id")?;
        let whose = key.attribute("for").unwrap_or("all");
        let meaning = key.attribute("attr.name");
        let meaning = meaning.and_then(|name| Meaning::of(whose, name));
        let twice = |what: &str| {
            let found = format!("a second key {what}");
            Err(wrong(key.at.clone(), found, "one key for each"))
        };
        if meaning.is_some() && self.keys.values().any(|other| *other == meaning) {
            return twice(&format!(
                "for {}",
                key.attribute("attr.name").unwrap_or_default()
            ));
        }
        if self.keys.insert(id.to_owned(), meaning).is_some() {
            return twice(&format!("with the id `{}`", shown(id)));
        }
        while let Some(element) = xml.child()? {
            let content = xml.content()?;
            if let (Some(meaning), "default") = (meaning, element.name.as_str()) {
                self.defaults.insert(meaning, (content, element.at));
            }
        }
        Ok(())
    }

    /// Reads a `<graph>`.
    fn graph(&mut self, graph: &Element, xml: &mut Xml<'_>) -> Result<(), FileMistake> {
        self.is_directed = match graph.needed("edgedefault")? {
            "directed" => true,
            "undirected" => false,
            other => {
                let found = format!("edgedefault is `{}`", shown(other));
                return Err(wrong(graph.at.clone(), found, "directed or undirected"));
            }
        };
        while let Some(element) = xml.child()? {
            match element.name.as_str() {
                "node" => self.node(&element, xml)?,
                "edge" => self.edge(&element, xml)?,
                "hyperedge" => {
                    let allowed = "edges, which link two nodes";
                    return Err(wrong(element.at.clone(), called(&element), allowed));
                }
                _ => xml.skip()?,
            }
        }
        Ok(())
    }

    /// Reads a `<node>`.
    fn node(&mut self, node: &Element, xml: &mut Xml<'_>) -> Result<(), FileMistake> {
        let id = node.needed("id")?;
        if self.nodes.len() == MAX_GRAPH_NODES as usize {
            return Err(too_many(&node.at));
        }
        if self.by_id.insert(id.to_owned(), self.nodes.len()).is_some() {
            let found = format!("a second node `{}`", shown(id));
            return Err(wrong(node.at.clone(), found, "each id once"));
        }
        let data = self.data(xml)?;
        let value = |meaning| data.get(&meaning).or(self.defaults.get(&meaning));
        let terminals = value(Meaning::Terminals);
        let terminals =
            terminals.map(|(text, at)| whole(text, "terminals", (0, MAX_TERMINALS), at));
        let place = match (value(Meaning::X), value(Meaning::Y)) {
            (Some(x), Some(y)) => {
                Some((coordinate(&x.0, "x", &x.1)?, coordinate(&y.0, "y", &y.1)?))
            }
            (None, None) => None,
            (x, _) => {
                let found = if x.is_some() {
                    "x without y"
                } else {
                    "y without x"
                };
                return Err(wrong(node.at.clone(), found, "both of them, or neither"));
            }
        };
        let name = value(Meaning::Name).filter(|(name, _)| !name.is_empty());
        self.nodes.push(Node {
            name: name.map_or(id, |(name, _)| name).to_owned(),
            at: node.at.clone(),
            terminals: terminals.transpose()?.unwrap_or(1),
            place,
        });
        Ok(())
    }

    /// Reads an `<edge>`. Its nodes may follow later.
    fn edge(&mut self, edge: &Element, xml: &mut Xml<'_>) -> Result<(), FileMistake> {
        let ports = ["sourceport", "targetport"];
        if let Some(port) = ports.iter().find(|it| edge.attribute(it).is_some()) {
            let found = format!("an edge with a {port}");
            let allowed = "edges between nodes; ports have names only in CSV";
            return Err(wrong(edge.at.clone(), found, allowed));
        }
        let is_directed = match edge.attribute("directed") {
            None => self.is_directed,
            Some("true") => true,
            Some("false") => false,
            Some(other) => {
                let found = format!("directed is `{}`", shown(other));
                return Err(wrong(edge.at.clone(), found, "true or false"));
            }
        };
        let ends = [edge.needed("source")?, edge.needed("target")?].map(str::to_owned);
        let data = self.data(xml)?;
        let cycles = data
            .get(&Meaning::Cycles)
            .or(self.defaults.get(&Meaning::Cycles));
        let cycles = cycles.map(|(text, at)| whole(text, "cycles", (1, MAX_LINK_CYCLES), at));
        self.edges.push(Edge {
            at: edge.at.clone(),
            ends,
            is_directed,
            cycles: cycles.transpose()?,
        });
        Ok(())
    }

    /// The data of the innermost element, which has no ports and no graph in it.
    fn data(&self, xml: &mut Xml<'_>) -> Result<Data, FileMistake> {
        let mut data = Data::new();
        while let Some(element) = xml.child()? {
            let at = element.at.clone();
            match element.name.as_str() {
                "data" => {}
                "port" => {
                    let allowed = "nodes without ports; ports have names only in CSV";
                    return Err(wrong(at, called(&element), allowed));
                }
                "graph" => {
                    return Err(wrong(
                        at,
                        "a graph within another",
                        "one graph of nodes and edges",
                    ));
                }
                _ => {
                    xml.skip()?;
                    continue;
                }
            }
            let key = element.needed("key")?;
            let Some(meaning) = self.keys.get(key) else {
                let found = format!("data of the key `{}`, which isn't declared", shown(key));
                return Err(wrong(at, found, "a <key> for it before the graph"));
            };
            let content = xml.content()?;
            if let Some(meaning) = meaning
                && data.insert(*meaning, (content, at.clone())).is_some()
            {
                let found = format!("second data of the key `{}`", shown(key));
                return Err(wrong(at, found, "data of a key once"));
            }
        }
        Ok(data)
    }

    fn listing(self) -> Result<Listing, FileMistake> {
        let links = self.links()?;
        Ok(Listing {
            known: Known::ByName,
            nodes: self.nodes,
            links,
            ports: Vec::new(),
            homes: None,
        })
    }

    /// The links of all edges, each two directed ones of opposite ways being one.
    fn links(&self) -> Result<Vec<Link>, FileMistake> {
        let mut links: Vec<Link> = Vec::new();
        // By their ends, directed edges that none leads back from yet.
        let mut single: BTreeMap<[usize; 2], usize> = BTreeMap::new();
        for edge in &self.edges {
            let [from, to] = [self.end(edge, 0)?, self.end(edge, 1)?];
            let forth = single.remove(&[to, from]).filter(|_| edge.is_directed);
            if let Some(forth) = forth {
                same_latency(&links[forth], edge)?;
                continue;
            }
            if edge.is_directed && from != to {
                single.insert([from, to], links.len());
            }
            links.push(Link {
                at: edge.at.clone(),
                ends: [from, to],
                ports: None,
                cycles: edge.cycles,
            });
        }
        let Some(link) = single.values().min() else {
            return Ok(links);
        };
        let Link { ends, at, .. } = &links[*link];
        let [from, to] = ends.map(|node| shown(&self.nodes[node].name));
        let found = format!("an edge from `{from}` to `{to}`, and none back");
        let allowed = "undirected edges, or one each way: credits need a link back";
        Err(wrong(at.clone(), found, allowed))
    }

    /// The node at an end of an edge.
    fn end(&self, edge: &Edge, end: usize) -> Result<usize, FileMistake> {
        let id = &edge.ends[end];
        self.by_id.get(id).copied().ok_or_else(|| {
            let found = format!("an edge at node `{}`, which doesn't exist", shown(id));
            wrong(edge.at.clone(), found, "the ids of nodes")
        })
    }
}

/// Holds that an edge has the latency of the one that leads the other way.
fn same_latency(forth: &Link, back: &Edge) -> Result<(), FileMistake> {
    if forth.cycles == back.cycles {
        return Ok(());
    }
    let shown = |cycles: Option<u32>| cycles.map_or("no".into(), |it| it.to_string());
    let (cycles, returns) = (shown(forth.cycles), shown(back.cycles));
    let found = format!("an edge with {returns} cycles, and the other way {cycles}");
    Err(wrong(back.at.clone(), found, "the same cycles both ways"))
}
