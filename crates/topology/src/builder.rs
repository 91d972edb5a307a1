//! How a graph's tables are built.

use crate::distances::{Distances, Known};
use crate::graph::{FarEnd, Structure, Tables};
use crate::{Graph, Grid, MAX_COMPUTED_NODES, MAX_GRAPH_NODES};
use flitwork_types::{MAX_PORTS, NodeId, Port, PortSet, TerminalId};
use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::sync::Arc;

/// The most link ports of a node: one is its local port.
const MAX_LINK_PORTS: usize = MAX_PORTS - 1;
/// The most cycles that a link may take.
pub const MAX_LINK_CYCLES: u32 = 1024;

/// Why tables don't make a network.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GraphError {
    /// Fewer than 2 nodes, or more than [`MAX_GRAPH_NODES`].
    #[error("{0} nodes; a graph has 2 to {MAX_GRAPH_NODES}")]
    Nodes(u32),
    /// A node that the graph doesn't have.
    #[error("a link at node {0}, which doesn't exist")]
    NoNode(NodeId),
    /// More link ports than a node may have.
    #[error("more than {MAX_LINK_PORTS} link ports at node {0}")]
    Ports(NodeId),
    /// More terminals at a node than there are ports for beside those of links.
    #[error("{terminals} terminals at node {node}; with {links} ports for links a node may have {}", MAX_PORTS - .links)]
    Locals {
        /// The node.
        node: NodeId,
        /// Its terminals.
        terminals: usize,
        /// The most link ports of any node.
        links: usize,
    },
    /// A port that already has a link.
    #[error("two links at port {port} of node {0}", port = .1.0)]
    Taken(NodeId, Port),
    /// A link from a node to itself.
    #[error("a link from node {0} to itself")]
    Loop(NodeId),
    /// A link that takes no cycle, or more than [`MAX_LINK_CYCLES`].
    #[error(
        "a link of {cycles} cycles at port {} of node {}; a link takes 1 to {MAX_LINK_CYCLES}",
        .at.1.0,
        .at.0
    )]
    Latency {
        /// One end of the link.
        at: (NodeId, Port),
        /// Its cycles.
        cycles: u32,
    },
    /// A link without one back, where routers need both.
    #[error("a link at port {port} of node {0} that goes one way", port = .1.0)]
    OneWay(NodeId, Port),
    /// Names for fewer ports than nodes have, or names or places for more or fewer nodes than there are.
    #[error("{given} names or places where {needed} are needed")]
    Names {
        /// How many names are given.
        given: usize,
        /// How many are needed.
        needed: usize,
    },
    /// A port's name that is empty, or that has a space at an end or a control character.
    #[error("a port called {0:?}; allowed: text without spaces at its ends")]
    PortName(String),
    /// Ports' names that can't be told apart: both are the same, or the other is the one, a space or `@`, and more.
    #[error(
        "ports called {one:?} and {other:?}; allowed: names that differ, and don't begin with another name and a space or @"
    )]
    PortNames {
        /// One name.
        one: String,
        /// The name that is or begins with it.
        other: String,
    },
    /// Fewer than two nodes that inject and deliver.
    #[error("fewer than 2 nodes that inject and deliver")]
    Terminals,
    /// Nodes without a path between them.
    #[error("no path from node {from} to node {to}")]
    Apart {
        /// The node from which there is no path.
        from: NodeId,
        /// The node that can't be reached from it.
        to: NodeId,
    },
}

/// A graph under construction.
#[derive(Clone, Debug)]
pub struct GraphBuilder {
    /// By node: the ports at which a link begins.
    links: Vec<PortSet>,
    /// By node: the ports at which a link ends.
    ends: Vec<PortSet>,
    far_ends: BTreeMap<(NodeId, Port), FarEnd>,
    /// By terminal: its node.
    terminals: Vec<NodeId>,
    /// By terminal: the node at which its packets enter, if that isn't its own.
    entries: Option<Vec<NodeId>>,
    pub(crate) grid: Option<Grid>,
    port_names: Vec<String>,
    node_names: Vec<String>,
    positions: Option<Vec<(f64, f64)>>,
    pub(crate) structure: Structure,
    /// The distances, if the topology knows them.
    distances: Option<Arc<dyn Distances>>,
}

impl Graph {
    /// A graph of this many nodes, without links yet.
    ///
    /// # Errors
    /// [`GraphError::Nodes`] for fewer than 2 nodes, or more than [`MAX_GRAPH_NODES`].
    pub fn of_nodes(nodes: u32) -> Result<GraphBuilder, GraphError> {
        if !(2..=MAX_GRAPH_NODES).contains(&nodes) {
            return Err(GraphError::Nodes(nodes));
        }
        Ok(Graph::of_any_nodes(nodes, None))
    }

    /// A graph whose topology knows the distances of its nodes, which are at most
    /// [`MAX_COMPUTED_NODES`](crate::MAX_COMPUTED_NODES); without links yet.
    ///
    /// # Errors
    /// [`GraphError::Nodes`] for fewer than 2 nodes.
    pub(crate) fn of_known(
        nodes: u32,
        distances: impl Distances + 'static,
    ) -> Result<GraphBuilder, GraphError> {
        if nodes < 2 {
            return Err(GraphError::Nodes(nodes));
        }
        assert!(nodes <= MAX_COMPUTED_NODES, "{nodes} nodes of a graph");
        Ok(Graph::of_any_nodes(nodes, Some(Arc::new(distances))))
    }

    fn of_any_nodes(nodes: u32, distances: Option<Arc<dyn Distances>>) -> GraphBuilder {
        GraphBuilder {
            links: vec![PortSet::EMPTY; nodes as usize],
            ends: vec![PortSet::EMPTY; nodes as usize],
            far_ends: BTreeMap::new(),
            terminals: (0..nodes).map(NodeId).collect(),
            entries: None,
            grid: None,
            port_names: Vec::new(),
            node_names: (0..nodes).map(|node| node.to_string()).collect(),
            positions: None,
            structure: Structure::default(),
            distances,
        }
    }
}

impl GraphBuilder {
    /// Links two ports. Words and credits take `cycles` to cross the link, each way; if `None`, as
    /// many as the network's links that have no latency of their own.
    ///
    /// # Errors
    /// A [`GraphError`] for a node that doesn't exist, a port that is taken or impossible, a loop, and a
    /// latency of 0 cycles or more than [`MAX_LINK_CYCLES`].
    pub fn link(
        &mut self,
        one: (NodeId, Port),
        other: (NodeId, Port),
        cycles: impl Into<Option<u32>>,
    ) -> Result<(), GraphError> {
        let cycles = self.check(one, other, cycles.into())?;
        self.check(other, one, None)?;
        self.insert(one, other, cycles);
        self.insert(other, one, cycles);
        Ok(())
    }

    /// Links a port to another, one way: packets cross it from `from` to `to`. No router takes such a link, since credits
    /// must come back, so it takes [`GraphBuilder::build_one_way`]; the papers' steps do. A port may have one link that
    /// begins there and one that ends there.
    ///
    /// # Errors
    /// Those of [`GraphBuilder::link`].
    pub fn link_one_way(
        &mut self,
        from: (NodeId, Port),
        to: (NodeId, Port),
    ) -> Result<(), GraphError> {
        self.check(from, to, None)?;
        self.insert(from, to, None);
        Ok(())
    }

    /// Whether a link may go from one port to another; its cycles.
    fn check(
        &self,
        from: (NodeId, Port),
        to: (NodeId, Port),
        cycles: Option<u32>,
    ) -> Result<Option<NonZeroU32>, GraphError> {
        for ((node, port), taken) in [(from, &self.links), (to, &self.ends)] {
            let taken = taken.get(node.index());
            let taken = taken.ok_or(GraphError::NoNode(node))?;
            if port.index() >= MAX_LINK_PORTS {
                return Err(GraphError::Ports(node));
            }
            if taken.contains(port) {
                return Err(GraphError::Taken(node, port));
            }
        }
        if from.0 == to.0 {
            return Err(GraphError::Loop(from.0));
        }
        match cycles {
            Some(cycles) if !(1..=MAX_LINK_CYCLES).contains(&cycles) => {
                Err(GraphError::Latency { at: from, cycles })
            }
            cycles => Ok(cycles.and_then(NonZeroU32::new)),
        }
    }

    fn insert(&mut self, from: (NodeId, Port), to: (NodeId, Port), cycles: Option<NonZeroU32>) {
        let (node, port) = to;
        self.links[from.0.index()].insert(from.1);
        self.ends[node.index()].insert(port);
        self.far_ends.insert(from, FarEnd { node, port, cycles });
    }

    /// Links the first free ports of two nodes. It has no latency of its own.
    ///
    /// # Errors
    /// Those of [`GraphBuilder::link`].
    pub fn join(&mut self, one: NodeId, other: NodeId) -> Result<(), GraphError> {
        let free = |node: NodeId| {
            let links = self.links.get(node.index());
            let links = links.ok_or(GraphError::NoNode(node))?;
            let ends = &self.ends[node.index()];
            let mut ports = (0..MAX_LINK_PORTS as u8).map(Port);
            let port = ports.find(|port| !links.contains(*port) && !ends.contains(*port));
            Ok((node, port.ok_or(GraphError::Ports(node))?))
        };
        let (one, other) = (free(one)?, free(other)?);
        self.link(one, other, None)
    }

    /// Sets the node of each terminal, by the terminals' numbers; by default each node has one. A node that is named several times
    /// has several.
    ///
    /// # Errors
    /// A node that doesn't exist, and fewer than two terminals.
    pub fn set_terminals(
        &mut self,
        homes: impl IntoIterator<Item = NodeId>,
    ) -> Result<(), GraphError> {
        self.terminals = self.nodes_of_terminals(homes)?;
        Ok(())
    }

    /// Sets the node at which each terminal's packets enter, by the terminals' numbers, where links are used one way only; by default
    /// it is the terminal's own. A terminal has a port of the same number at both.
    ///
    /// # Errors
    /// Those of [`GraphBuilder::set_terminals`].
    pub fn set_entries(
        &mut self,
        entries: impl IntoIterator<Item = NodeId>,
    ) -> Result<(), GraphError> {
        self.entries = Some(self.nodes_of_terminals(entries)?);
        Ok(())
    }

    fn nodes_of_terminals(
        &self,
        given: impl IntoIterator<Item = NodeId>,
    ) -> Result<Vec<NodeId>, GraphError> {
        let (given, nodes): (Vec<NodeId>, _) = (given.into_iter().collect(), self.links.len());
        match given.iter().find(|node| node.index() >= nodes) {
            Some(node) => Err(GraphError::NoNode(*node)),
            None if given.len() < 2 => Err(GraphError::Terminals),
            None => Ok(given),
        }
    }

    /// Names link ports, by number; every node has at least this many. A port without a name is called, say, `port 5`.
    ///
    /// A schedule's file separates names by spaces, and a cycle follows a name and `@`. So [`GraphBuilder::build`] refuses
    /// names that can't be told apart there: `up` beside `up left`.
    ///
    /// # Errors
    /// [`GraphError::Names`] for more names than a node may have ports.
    pub fn name_ports(&mut self, names: Vec<String>) -> Result<(), GraphError> {
        let (given, needed) = (names.len(), MAX_LINK_PORTS);
        if given > needed {
            return Err(GraphError::Names { given, needed });
        }
        self.port_names = names;
        Ok(())
    }

    /// Names nodes, by number; by default their numbers are their names.
    ///
    /// # Errors
    /// [`GraphError::Names`] for more or fewer names than nodes.
    pub fn name_nodes(&mut self, names: Vec<String>) -> Result<(), GraphError> {
        self.is_for_each_node(names.len())?;
        self.node_names = names;
        Ok(())
    }

    /// Says where nodes are drawn, by number, to the right and down in any unit; by default they are on a circle.
    ///
    /// # Errors
    /// [`GraphError::Names`] for more or fewer places than nodes.
    pub fn place_nodes(&mut self, positions: Vec<(f64, f64)>) -> Result<(), GraphError> {
        self.is_for_each_node(positions.len())?;
        self.positions = Some(positions);
        Ok(())
    }

    /// Says on which level each node is, by number, for routing functions that lead from level to level.
    ///
    /// # Errors
    /// [`GraphError::Names`] for more or fewer levels than nodes.
    pub fn set_levels(&mut self, levels: Vec<u16>) -> Result<(), GraphError> {
        self.is_for_each_node(levels.len())?;
        self.structure.levels = Some(levels);
        Ok(())
    }

    /// Says to which group each node belongs, by number, for routing functions that lead from group to group.
    ///
    /// # Errors
    /// [`GraphError::Names`] for more or fewer groups than nodes.
    pub fn set_groups(&mut self, groups: Vec<u32>) -> Result<(), GraphError> {
        self.is_for_each_node(groups.len())?;
        self.structure.groups = Some(groups);
        Ok(())
    }

    /// Says how many nodes there are along each dimension, the first changing fastest, for routing functions that lead along one
    /// after the other, each by one link.
    ///
    /// # Errors
    /// [`GraphError::Names`] if they make more or fewer nodes than there are.
    pub fn set_coordinates(&mut self, sides: Vec<u32>) -> Result<(), GraphError> {
        self.is_for_each_node(sides.iter().product::<u32>() as usize)?;
        self.structure.sides = Some(sides);
        Ok(())
    }

    fn is_for_each_node(&self, given: usize) -> Result<(), GraphError> {
        let needed = self.links.len();
        match given == needed {
            true => Ok(()),
            false => Err(GraphError::Names { given, needed }),
        }
    }

    /// The graph.
    ///
    /// # Errors
    /// [`GraphError::OneWay`] for a link without one back; [`GraphError::Apart`] where one node can't be reached from another;
    /// [`GraphError::PortName`] and [`GraphError::PortNames`] for names of ports that no file can have.
    pub fn build(self) -> Result<Graph, GraphError> {
        let back = |far: &FarEnd| self.far_ends.get(&(far.node, far.port));
        let is_back = |from: (NodeId, Port), far: &FarEnd| (far.node, far.port) == from;
        let mut ends = self.far_ends.iter();
        let one_way = ends.find(|(from, far)| !back(far).is_some_and(|it| is_back(**from, it)));
        match one_way {
            Some(((node, port), _)) => Err(GraphError::OneWay(*node, *port)),
            None => self.build_one_way(),
        }
    }

    /// The graph, whose links may go one way. No router takes it.
    ///
    /// # Errors
    /// [`GraphError::Apart`] where one node can't be reached from another; [`GraphError::PortName`] and
    /// [`GraphError::PortNames`] for names of ports that no file can have.
    pub fn build_one_way(self) -> Result<Graph, GraphError> {
        let begin = self.far_ends.keys().map(|(_, port)| port.index() + 1);
        let end = self.far_ends.values().map(|far| far.port.index() + 1);
        let used = begin.chain(end);
        let ports = used.max().unwrap_or_default().max(self.port_names.len());
        let mut port_names = self.port_names;
        port_names.extend((port_names.len()..ports).map(|port| format!("port {port}")));
        check_names(&port_names)?;
        let (terminals, homes, locals) = placed(&self.terminals, self.links.len(), ports)?;
        let entries = self
            .entries
            .map(|entries| entered(entries, &homes, (self.links.len(), locals), ports));
        match locals {
            1 => port_names.push("local".into()),
            _ => port_names.extend((0..locals).map(|local| format!("local {local}"))),
        }
        let own = || self.far_ends.values().filter_map(|far| far.cycles);
        let own_latencies = own().min().zip(own().max());
        let own_latencies = own_latencies.map(|(least, most)| (least.get(), most.get()));
        let has_usual_links = self.far_ends.values().any(|far| far.cycles.is_none());
        let mut far_ends = vec![None; self.links.len() * ports];
        for ((node, port), far) in self.far_ends {
            far_ends[node.index() * ports + port.index()] = Some(far);
        }
        let distances = match (&self.grid, self.distances) {
            (Some(_), _) => Known::ByGrid,
            (None, Some(distances)) => Known::ByTopology(distances),
            (None, None) => Known::Table(Vec::new()),
        };
        Graph::new(Tables {
            nodes: self.links.len() as u32,
            ports,
            own_latencies,
            has_usual_links,
            far_ends,
            links: self.links,
            locals,
            terminals,
            homes,
            entries,
            grid: self.grid,
            port_names,
            node_names: self.node_names,
            positions: self.positions,
            structure: self.structure,
            distances,
        })
    }
}

/// The terminal at each local port of each node, the node and local port of each terminal, and how many local ports nodes have, if terminals
/// are at these nodes, which have `ports` link ports.
fn placed(homes: &[NodeId], nodes: usize, ports: usize) -> Result<Placed, GraphError> {
    let mut counts = vec![0; nodes];
    let at = homes.iter().map(|home| {
        let local = counts[home.index()];
        counts[home.index()] += 1;
        (*home, local)
    });
    let at: Vec<(NodeId, usize)> = at.collect();
    let locals = counts.iter().copied().max().unwrap_or_default();
    let fullest = counts.iter().position(|count| ports + count > MAX_PORTS);
    if let Some(node) = fullest {
        return Err(GraphError::Locals {
            node: NodeId(node as u32),
            terminals: counts[node],
            links: ports,
        });
    }
    let mut terminals = vec![None; nodes * locals];
    for (terminal, (home, local)) in (0..).map(TerminalId).zip(&at) {
        terminals[home.index() * locals + local] = Some(terminal);
    }
    let port = |(home, local)| (home, Port((ports + local) as u8));
    Ok((terminals, at.into_iter().map(port).collect(), locals))
}

/// The node at which each terminal's packets enter, and the terminal that enters at each local port of each node.
fn entered(
    entries: Vec<NodeId>,
    homes: &[(NodeId, Port)],
    (nodes, locals): (usize, usize),
    ports: usize,
) -> (Vec<NodeId>, Vec<Option<TerminalId>>) {
    let mut sources = vec![None; nodes * locals];
    for (terminal, (entry, (_, port))) in (0..).map(TerminalId).zip(entries.iter().zip(homes)) {
        sources[entry.index() * locals + port.index() - ports] = Some(terminal);
    }
    (entries, sources)
}

type Placed = (Vec<Option<TerminalId>>, Vec<(NodeId, Port)>, usize);

/// Refuses names of ports that a path can't be read from.
fn check_names(names: &[String]) -> Result<(), GraphError> {
    let is_text =
        |name: &str| !name.is_empty() && name.trim() == name && !name.contains(char::is_control);
    if let Some(name) = names.iter().find(|name| !is_text(name)) {
        return Err(GraphError::PortName(name.clone()));
    }
    let begins = |one: &str, other: &str| {
        let rest = other.strip_prefix(one);
        rest.is_some_and(|rest| {
            rest.is_empty() || rest.starts_with(|next: char| next == '@' || next.is_whitespace())
        })
    };
    for (place, one) in names.iter().enumerate() {
        let mut others = names.iter().enumerate();
        let clash = others.find(|(at, other)| *at != place && begins(one, other));
        if let Some((_, other)) = clash {
            let (one, other) = (one.clone(), other.clone());
            return Err(GraphError::PortNames { one, other });
        }
    }
    Ok(())
}
