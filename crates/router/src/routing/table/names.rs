//! What a table calls nodes and ports.

use flitwork_schema::shown;
use flitwork_topology::{Shape, Topology};
use flitwork_types::{NodeId, Port};
use std::collections::HashMap;

/// The nodes and ports of a network, by what files call them.
pub(super) struct Names<'s> {
    shape: &'s Shape,
    /// Nodes by name; `None` if several have it.
    nodes: HashMap<String, Option<NodeId>>,
    /// Whether nodes may be given by number: no node has the number of another as its name.
    has_numbers: bool,
    ports: Vec<String>,
}

impl<'s> Names<'s> {
    pub(super) fn of(shape: &'s Shape) -> Names<'s> {
        let mut nodes = HashMap::new();
        let mut has_numbers = true;
        for node in (0..shape.nodes()).map(NodeId) {
            let called = shape.node_name(node);
            let number = node.0.to_string();
            if called == number {
                continue;
            }
            // `3 (dram)`
            let within = called.strip_prefix(&number);
            let within = within.and_then(|it| it.strip_prefix(" (")?.strip_suffix(')'));
            let name = within.unwrap_or(&called).to_owned();
            has_numbers &= name.parse().map_or(true, |other: u32| other == node.0);
            let another = |it: &mut Option<NodeId>| *it = None;
            nodes.entry(name).and_modify(another).or_insert(Some(node));
        }
        Names {
            shape,
            nodes,
            has_numbers,
            ports: (0..shape.ports() as u8)
                .map(|port| shape.port_name(Port(port)))
                .collect(),
        }
    }

    /// The node of a name or number.
    ///
    /// # Errors
    /// What was found, and what is allowed.
    pub(super) fn node(&self, text: &str) -> Result<NodeId, (String, String)> {
        let found = format!("node `{}`", shown(text));
        match self.nodes.get(text) {
            Some(Some(node)) => return Ok(*node),
            Some(None) => {
                let allowed = "the number of a node, as several nodes have that name";
                return Err((found, allowed.into()));
            }
            None => {}
        }
        let most = self.shape.nodes() - 1;
        let is_plain = text.bytes().all(|byte| byte.is_ascii_digit());
        let number = text.parse().ok().filter(|it| is_plain && *it <= most);
        let number = number.filter(|_| self.has_numbers);
        number.map(NodeId).ok_or_else(|| {
            let allowed = match (self.nodes.is_empty(), self.has_numbers) {
                (true, _) => format!("a node of the network, by its number, 0 to {most}"),
                (false, true) => {
                    format!("a node of the network, by its name or its number, 0 to {most}")
                }
                (false, false) => "a node of the network, by its name".into(),
            };
            (found, allowed)
        })
    }

    /// The ports of a node that a name stands for: that of a port, or those of the links to a neighbour.
    ///
    /// # Errors
    /// What was found, and what is allowed.
    pub(super) fn ports(&self, node: NodeId, text: &str) -> Result<Vec<Port>, (String, String)> {
        let links = || self.shape.links(node).iter();
        let by_name = links().find(|port| self.ports[port.index()] == text);
        let neighbour = self.node(text).ok();
        let leads_there =
            |port: &Port| neighbour.is_some() && self.shape.neighbour(node, *port) == neighbour;
        let mut to_it: Vec<Port> = links().filter(leads_there).collect();
        let called = || self.shape.node_name(node);
        match by_name {
            Some(port) if to_it.is_empty() || to_it == [port] => Ok(vec![port]),
            Some(_) => {
                let found = format!(
                    "`{}` at node {}, a port and another's neighbour",
                    shown(text),
                    called()
                );
                Err((found, "a name that only one of them has".into()))
            }
            None if to_it.is_empty() => {
                let all: Vec<String> = links().map(|port| self.described(node, port)).collect();
                let found = format!("`{}` at node {}", shown(text), called());
                Err((
                    found,
                    format!("its ports or its neighbours: {}", all.join(", ")),
                ))
            }
            None => Ok(std::mem::take(&mut to_it)),
        }
    }

    /// A port, and where it leads.
    fn described(&self, node: NodeId, port: Port) -> String {
        let neighbour = self.shape.neighbour(node, port);
        let to = neighbour.map_or_else(String::new, |it| self.shape.node_name(it));
        format!("{} to {to}", self.ports[port.index()])
    }
}
