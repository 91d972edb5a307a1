//! What a file says of a network, before it is known to be one.

pub(super) use crate::rows::{line_of, whole, wrong};
use crate::{Graph, GraphBuilder, GraphError, MAX_GRAPH_NODES};
use flitwork_schema::{FileMistake, Span, shown};
use flitwork_types::{MAX_PORTS, NodeId, Port};
use std::collections::BTreeMap;

/// The most link ports of a node, and so the most names of ports, which are the same at all nodes.
pub(super) const MAX_LINK_PORTS: usize = MAX_PORTS - 1;
/// The most terminals of a node: it has a link too.
pub(super) const MAX_TERMINALS: u32 = MAX_PORTS as u32 - 1;

/// The nodes and links of a file.
pub(super) struct Listing {
    pub(super) known: Known,
    pub(super) nodes: Vec<Node>,
    pub(super) links: Vec<Link>,
    /// The names of ports, by number.
    pub(super) ports: Vec<String>,
    /// The node of each terminal; if `None`, terminals are numbered node by node.
    pub(super) homes: Option<Vec<NodeId>>,
}

/// By what a file's nodes are known, and where they are listed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Known {
    /// By numbers, as routers.
    ByNumber,
    /// By names.
    ByName,
    /// By names, in a file of their own.
    Apart,
}

pub(super) struct Node {
    pub(super) name: String,
    pub(super) at: Span,
    pub(super) terminals: u32,
    /// Where it is drawn, to the right and down.
    pub(super) place: Option<(f64, f64)>,
}

pub(super) struct Link {
    pub(super) at: Span,
    /// The nodes at its ends, by their places in the list.
    pub(super) ends: [usize; 2],
    /// Its ports at both, if they have names.
    pub(super) ports: Option<[usize; 2]>,
    /// Its latency, if it has one of its own.
    pub(super) cycles: Option<u32>,
}

/// A mistake in the file of links, or in that of nodes.
#[derive(Debug)]
pub(super) struct Mistake {
    pub(super) is_in_nodes: bool,
    pub(super) what: FileMistake,
}

impl From<FileMistake> for Mistake {
    fn from(what: FileMistake) -> Mistake {
        Mistake {
            is_in_nodes: false,
            what,
        }
    }
}

/// A coordinate.
pub(super) fn coordinate(text: &str, what: &str, at: &Span) -> Result<f64, FileMistake> {
    const MOST: f64 = 1e9;
    let number = text.parse().ok().filter(|it: &f64| it.abs() <= MOST);
    number.ok_or_else(|| {
        let allowed = format!("a number from -{MOST} to {MOST}");
        wrong(at.clone(), format!("{what} `{}`", shown(text)), allowed)
    })
}

/// One more node than may be.
pub(super) fn too_many(at: &Span) -> FileMistake {
    let found = format!("more than {MAX_GRAPH_NODES} nodes");
    wrong(
        at.clone(),
        found,
        format!("at most {MAX_GRAPH_NODES} nodes"),
    )
}

impl Listing {
    /// The network; `text` is that of the file of links.
    pub(super) fn graph(&self, text: &str) -> Result<Graph, Mistake> {
        self.hold_nodes()?;
        self.hold_links(text)?;
        let mut graph = Graph::of_nodes(self.nodes.len() as u32).map_err(|it| self.unbuilt(&it))?;
        self.link(&mut graph)?;
        self.describe(&mut graph).map_err(|it| self.unbuilt(&it))?;
        graph.build().map_err(|it| self.unbuilt(&it))
    }

    /// Holds that there are enough nodes and terminals.
    fn hold_nodes(&self) -> Result<(), FileMistake> {
        let counted = |count: usize, what: &str| match count {
            0 => format!("no {what}s"),
            count => format!("{count} {what}"),
        };
        if self.nodes.len() < 2 {
            let what = match self.known {
                Known::ByNumber => "router",
                Known::ByName | Known::Apart => "node",
            };
            let allowed = format!("2 to {MAX_GRAPH_NODES} {what}s");
            return Err(wrong(None, counted(self.nodes.len(), what), allowed));
        }
        match self.homes().len() {
            few @ 0..2 => Err(wrong(
                None,
                counted(few, "terminal"),
                "at least 2 terminals",
            )),
            _ => Ok(()),
        }
    }

    /// Holds that each link is between two nodes, and the only one unless its ports have names.
    fn hold_links(&self, text: &str) -> Result<(), FileMistake> {
        let mut seen: BTreeMap<[usize; 2], &Link> = BTreeMap::new();
        for link in &self.links {
            let [one, other] = link.ends.map(|node| self.called(node));
            let mut ends = link.ends;
            ends.sort_unstable();
            if ends[0] == ends[1] {
                let found = format!("a link from {one} to itself");
                return Err(wrong(link.at.clone(), found, "links between two nodes"));
            }
            let Some(before) = seen.insert(ends, link) else {
                continue;
            };
            if before.ports.is_none() || link.ports.is_none() {
                let line = line_of(text, &before.at);
                let found =
                    format!("a second link between {one} and {other}; the first is in line {line}");
                let allowed = "one link between two nodes; several only in CSV, with names for the ports of each";
                return Err(wrong(link.at.clone(), found, allowed));
            }
        }
        Ok(())
    }

    /// Links that name no ports take those after the ports with names, each node's in the order of the file.
    fn link(&self, graph: &mut GraphBuilder) -> Result<(), FileMistake> {
        let mut free = vec![self.ports.len(); self.nodes.len()];
        for link in &self.links {
            let mut next = |node: usize| {
                free[node] += 1;
                free[node] - 1
            };
            let ports = link.ports.unwrap_or_else(|| link.ends.map(&mut next));
            let end = |end: usize| {
                let port = u8::try_from(ports[end]).unwrap_or(u8::MAX);
                (NodeId(link.ends[end] as u32), Port(port))
            };
            let linked = graph.link(end(0), end(1), link.cycles);
            linked.map_err(|error| self.unlinked(link, &error))?;
        }
        Ok(())
    }

    fn describe(&self, graph: &mut GraphBuilder) -> Result<(), GraphError> {
        graph.set_terminals(self.homes())?;
        graph.name_ports(self.ports.clone())?;
        let named = self.nodes.iter().enumerate();
        let named = named.map(|(number, node)| match shown(&node.name) {
            name if name == number.to_string() => name,
            name => format!("{number} ({name})"),
        });
        graph.name_nodes(named.collect())?;
        let places: Option<Vec<_>> = self.nodes.iter().map(|node| node.place).collect();
        places.map_or(Ok(()), |places| graph.place_nodes(places))
    }

    /// The node of each terminal.
    fn homes(&self) -> Vec<NodeId> {
        let node_by_node = || {
            let nodes = (0..).map(NodeId).zip(&self.nodes);
            let of = |(id, node): (NodeId, &Node)| vec![id; node.terminals as usize];
            nodes.flat_map(of).collect()
        };
        self.homes.clone().unwrap_or_else(node_by_node)
    }

    /// A node, as messages name it.
    fn called(&self, node: usize) -> String {
        let name = shown(&self.nodes[node].name);
        match self.known {
            Known::ByNumber => format!("router {name}"),
            Known::ByName | Known::Apart => format!("node `{name}`"),
        }
    }

    /// Why a link can't be made.
    fn unlinked(&self, link: &Link, error: &GraphError) -> FileMistake {
        let (found, allowed) = match error {
            GraphError::Taken(node, port) => (
                format!(
                    "a second link at port `{}` of {}",
                    shown(&self.ports[port.index()]),
                    self.called(node.index())
                ),
                "one link at each port of a node".to_owned(),
            ),
            GraphError::Ports(node) => (
                format!("no port is left at {}", self.called(node.index())),
                format!(
                    "at most {MAX_LINK_PORTS} links of a node, or fewer where ports have names: those are ports of all nodes"
                ),
            ),
            other => (other.to_string(), "links between two nodes".into()),
        };
        wrong(link.at.clone(), found, allowed)
    }

    /// Why nodes and links make no network.
    fn unbuilt(&self, error: &GraphError) -> Mistake {
        let at_node = |node: NodeId, found, allowed: String| Mistake {
            is_in_nodes: self.known == Known::Apart,
            what: wrong(self.nodes[node.index()].at.clone(), found, allowed),
        };
        let called = |node: &NodeId| self.called(node.index());
        match error {
            GraphError::Apart { from, to } => {
                let found = format!("no path from {} to {}", called(from), called(to));
                let allowed = "a network in which every node reaches every other";
                at_node(*from, found, allowed.into())
            }
            GraphError::Locals {
                node,
                terminals,
                links,
            } => {
                let most = MAX_PORTS - links;
                let found = format!("{terminals} terminals at {}", called(node));
                let allowed = format!(
                    "at most {most} terminals at a node, as a node has {links} ports for links"
                );
                at_node(*node, found, allowed)
            }
            GraphError::PortName(name) => {
                let found = format!("a port called `{}`", shown(name));
                let allowed = "names without control characters";
                wrong(self.naming(name), found, allowed).into()
            }
            GraphError::PortNames { one, other } => {
                let found = format!("ports called `{}` and `{}`", shown(one), shown(other));
                let allowed =
                    "names that differ, and don't begin with another name and a space or @";
                let at = self.naming(other).or_else(|| self.naming(one));
                wrong(at, found, allowed).into()
            }
            other => wrong(None, other.to_string(), "a network's nodes and links").into(),
        }
    }

    /// The place of the first link that names a port.
    fn naming(&self, name: &str) -> Option<Span> {
        let port = self.ports.iter().position(|port| port == name)?;
        let names = |link: &&Link| link.ports.is_some_and(|ports| ports.contains(&port));
        Some(self.links.iter().find(names)?.at.clone())
    }
}
