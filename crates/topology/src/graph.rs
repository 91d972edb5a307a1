//! Topologies given as tables: any nodes, any links.
//!
//! ```text
//!              port 0   port 1   …                      to 0   to 1   …
//!   node 0   │ 3, 1   │ none   │ …          from 0    │  0   │  2   │ …     links of a shortest path
//!   node 1   │ none   │ 0, 2   │ …          from 1    │  2   │  0   │ …
//!            far node, far port
//! ```
//!
//! Nodes may have different numbers of ports. A link goes both ways, unless it is made one-way. Which ports are
//! productive follows from the distances. Some topologies know them by arithmetic; for all others a breadth-first search from each
//! node finds them, and they are kept for each pair.

use crate::distances::Known;
use crate::{GraphBuilder, GraphError, Grid, Topology};
use flitwork_types::{NodeId, Port, PortSet, TerminalId};
use std::collections::VecDeque;
use std::fmt;
use std::num::NonZeroU32;
use std::ops::RangeInclusive;
use std::sync::Arc;

/// The most nodes of a graph of any kind: the table of distances takes two bytes for each pair of nodes, 128 MiB for this
/// many.
pub const MAX_GRAPH_NODES: u32 = 1 << 13;

/// A topology given as tables. Copies share them.
#[derive(Clone, PartialEq)]
pub struct Graph(Arc<Tables>);

/// The far end of a link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct FarEnd {
    pub(crate) node: NodeId,
    pub(crate) port: Port,
    /// Cycles that the link takes; `None` if it takes the network's latency.
    pub(crate) cycles: Option<NonZeroU32>,
}

/// The tables of a graph.
#[derive(PartialEq)]
pub(crate) struct Tables {
    pub(crate) nodes: u32,
    /// The most link ports of a node.
    pub(crate) ports: usize,
    /// The fewest and the most cycles of links with a latency of their own.
    pub(crate) own_latencies: Option<(u32, u32)>,
    /// Whether there are links without one.
    pub(crate) has_usual_links: bool,
    /// For each node and port.
    pub(crate) far_ends: Vec<Option<FarEnd>>,
    /// For each node, the ports with a link.
    pub(crate) links: Vec<PortSet>,
    /// The most terminals of a node.
    pub(crate) locals: usize,
    /// For each node and local port, the terminal there.
    pub(crate) terminals: Vec<Option<TerminalId>>,
    /// For each terminal, its node and local port.
    pub(crate) homes: Vec<(NodeId, Port)>,
    /// For each terminal, the node at which its packets enter, and for each node and local port, the terminal whose packets enter
    /// there, if that isn't their home.
    pub(crate) entries: Option<(Vec<NodeId>, Vec<Option<TerminalId>>)>,
    /// The grid whose nodes and links these are, if nodes have coordinates.
    pub(crate) grid: Option<Grid>,
    /// For each port, including the local one.
    pub(crate) port_names: Vec<String>,
    /// For each node.
    pub(crate) node_names: Vec<String>,
    /// For each node, where it is drawn, if the topology says.
    pub(crate) positions: Option<Vec<(f64, f64)>>,
    /// What else its topology says of nodes.
    pub(crate) structure: Structure,
    /// Where distances come from.
    pub(crate) distances: Known,
}

/// What routing functions that aren't for any graph know of nodes.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Structure {
    /// By node: its level.
    pub(crate) levels: Option<Vec<u16>>,
    /// By node: its group.
    pub(crate) groups: Option<Vec<u32>>,
    /// Nodes along each dimension.
    pub(crate) sides: Option<Vec<u32>>,
    /// By node: the part of the network in which it is, if links that have failed leave several.
    pub(crate) parts: Option<Arc<[u32]>>,
}

impl Tables {
    fn far_end(&self, node: NodeId, port: Port) -> Option<FarEnd> {
        if port.index() >= self.ports {
            return None;
        }
        self.far_ends[node.index() * self.ports + port.index()]
    }

    /// What a table of nodes and local ports has at one of them.
    #[inline]
    fn at_local(
        &self,
        table: &[Option<TerminalId>],
        node: NodeId,
        port: Port,
    ) -> Option<TerminalId> {
        let local = port.index().checked_sub(self.ports)?;
        (local < self.locals).then(|| table[node.index() * self.locals + local])?
    }

    /// For each node, those from which a link leads to it.
    fn before(&self) -> Vec<Vec<NodeId>> {
        let mut before = vec![Vec::new(); self.nodes as usize];
        for node in (0..self.nodes).map(NodeId) {
            let ports = self.links[node.index()].iter();
            for far in ports.filter_map(|port| self.far_end(node, port)) {
                before[far.node.index()].push(node);
            }
        }
        before
    }

    /// The distances of all nodes to `to`, or a node from which `to` can't be reached.
    fn distances_to(&self, to: NodeId, before: &[Vec<NodeId>]) -> Result<Vec<u16>, NodeId> {
        let mut distances: Vec<Option<u16>> = vec![None; self.nodes as usize];
        distances[to.index()] = Some(0);
        let mut queue = VecDeque::from([(to, 0)]);
        while let Some((node, distance)) = queue.pop_front() {
            for next in &before[node.index()] {
                let known = &mut distances[next.index()];
                if known.is_none() {
                    *known = Some(distance + 1);
                    queue.push_back((*next, distance + 1));
                }
            }
        }
        let numbered = (0..self.nodes).map(NodeId).zip(distances);
        numbered
            .map(|(node, distance)| distance.ok_or(node))
            .collect()
    }
}

impl Graph {
    /// A copy of a network, as tables: without its coordinates.
    ///
    /// # Errors
    /// A [`GraphError`] for more nodes than a graph may have.
    pub fn copy_of(topology: &dyn Topology) -> Result<Graph, GraphError> {
        let terminals = (0..topology.terminals()).map(TerminalId);
        let (homes, entries): (Vec<NodeId>, Vec<NodeId>) = terminals
            .map(|terminal| (topology.home(terminal), topology.entry(terminal)))
            .unzip();
        let mut graph = Graph::links_of(topology)?;
        graph.grid = None;
        if homes != entries {
            graph.set_entries(entries)?;
        }
        graph.set_terminals(homes)?;
        graph.build_one_way()
    }

    /// The nodes and links of a network, and its grid if it has one.
    fn links_of(topology: &dyn Topology) -> Result<GraphBuilder, GraphError> {
        let nodes = || (0..topology.nodes()).map(NodeId);
        let mut graph = Graph::of_nodes(topology.nodes())?;
        let ports = (0..topology.ports() as u8).map(|port| topology.port_name(Port(port)));
        graph.name_ports(ports.collect())?;
        graph.name_nodes(nodes().map(|node| topology.node_name(node)).collect())?;
        graph.grid = topology.grid().cloned();
        for node in nodes() {
            for port in topology.links(node).iter() {
                let Some(far) = topology.far(node, port) else {
                    continue;
                };
                if topology.far(far.0, far.1) != Some((node, port)) {
                    graph.link_one_way((node, port), far)?;
                } else if (node, port) < far {
                    let cycles = topology.link_cycles(node, port);
                    graph.link((node, port), far, cycles)?;
                }
            }
        }
        Ok(graph)
    }

    /// The nodes of a grid and their names, without links, its coordinates kept.
    pub(crate) fn nodes_of(grid: &Grid) -> Result<GraphBuilder, GraphError> {
        let mut graph = Graph::of_nodes(grid.nodes())?;
        let ports = (0..grid.ports() as u8).map(|port| grid.port_name(Port(port)));
        graph.name_ports(ports.collect())?;
        let nodes = (0..grid.nodes()).map(|node| grid.node_name(NodeId(node)));
        graph.name_nodes(nodes.collect())?;
        graph.grid = Some(grid.clone());
        Ok(graph)
    }

    /// The nodes and links of a grid, to which terminals can be given.
    ///
    /// # Errors
    /// A [`GraphError`] for more nodes than a graph may have.
    pub fn of_grid(grid: &Grid) -> Result<GraphBuilder, GraphError> {
        Graph::links_of(grid)
    }

    /// Computes the distances of tables that are otherwise complete, if nobody knows them.
    pub(crate) fn new(mut tables: Tables) -> Result<Graph, GraphError> {
        if !matches!(tables.distances, Known::Table(_)) {
            return Ok(Graph(Arc::new(tables)));
        }
        let nodes = tables.nodes as usize;
        let mut distances = Vec::with_capacity(nodes * nodes);
        let before = tables.before();
        for to in (0..tables.nodes).map(NodeId) {
            let row = tables.distances_to(to, &before);
            distances.extend(row.map_err(|from| GraphError::Apart { from, to })?);
        }
        tables.distances = Known::Table(distances);
        Ok(Graph(Arc::new(tables)))
    }

    /// Where each node is drawn, to the right and down, by number, if it was said.
    pub fn positions(&self) -> Option<&[(f64, f64)]> {
        self.0.positions.as_deref()
    }

    /// The distances of all nodes to a destination, in a table of all distances.
    fn row<'a>(&self, table: &'a [u16], destination: NodeId) -> &'a [u16] {
        let nodes = self.0.nodes as usize;
        &table[destination.index() * nodes..][..nodes]
    }

    /// The ports of a node that lead to one that has less than a distance.
    #[inline]
    fn closer(&self, here: NodeId, distance: u32, of: impl Fn(NodeId) -> u32) -> PortSet {
        let leads_closer = |port: &Port| {
            let far = self.0.far_end(here, *port);
            far.is_some_and(|far| of(far.node) < distance)
        };
        self.links(here).iter().filter(leads_closer).collect()
    }
}

impl fmt::Debug for Graph {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let links: usize = self.0.links.iter().map(|links| links.len()).sum();
        write!(f, "graph of {} nodes", self.0.nodes)?;
        if self.terminals() != self.0.nodes {
            write!(f, " ({} terminals)", self.terminals())?;
        }
        write!(f, " and {} links", links / 2)
    }
}

impl Topology for Graph {
    fn nodes(&self) -> u32 {
        self.0.nodes
    }

    #[inline]
    fn ports(&self) -> usize {
        self.0.ports
    }

    #[inline]
    fn links(&self, node: NodeId) -> PortSet {
        self.0.links[node.index()]
    }

    #[inline]
    fn far(&self, node: NodeId, port: Port) -> Option<(NodeId, Port)> {
        let far = self.0.far_end(node, port)?;
        Some((far.node, far.port))
    }

    #[inline]
    fn link_cycles(&self, node: NodeId, port: Port) -> Option<u32> {
        let far = self.0.far_end(node, port)?;
        far.cycles.map(NonZeroU32::get)
    }

    #[inline]
    fn has_own_latencies(&self) -> bool {
        self.0.own_latencies.is_some()
    }

    fn latencies(&self, usual: u32) -> RangeInclusive<u32> {
        match self.0.own_latencies {
            None => usual..=usual,
            Some((least, most)) if self.0.has_usual_links => least.min(usual)..=most.max(usual),
            Some((least, most)) => least..=most,
        }
    }

    fn terminals(&self) -> u32 {
        self.0.homes.len() as u32
    }

    #[inline]
    fn home(&self, terminal: TerminalId) -> NodeId {
        self.0.homes[terminal.index()].0
    }

    #[inline]
    fn terminal_at(&self, node: NodeId, port: Port) -> Option<TerminalId> {
        self.0.at_local(&self.0.terminals, node, port)
    }

    #[inline]
    fn entry(&self, terminal: TerminalId) -> NodeId {
        match &self.0.entries {
            None => self.home(terminal),
            Some((entries, _)) => entries[terminal.index()],
        }
    }

    #[inline]
    fn source_at(&self, node: NodeId, port: Port) -> Option<TerminalId> {
        match &self.0.entries {
            None => self.terminal_at(node, port),
            Some((_, sources)) => self.0.at_local(sources, node, port),
        }
    }

    #[inline]
    fn local_of(&self, terminal: TerminalId) -> Port {
        self.0.homes[terminal.index()].1
    }

    #[inline]
    fn locals(&self) -> usize {
        self.0.locals
    }

    fn has_plain_terminals(&self) -> bool {
        self.0.locals == 1 && self.0.entries.is_none()
    }

    fn level(&self, node: NodeId) -> Option<u32> {
        let levels = self.0.structure.levels.as_ref();
        levels.map(|levels| levels[node.index()].into())
    }

    fn group(&self, node: NodeId) -> Option<u32> {
        let groups = self.0.structure.groups.as_ref();
        groups.map(|groups| groups[node.index()])
    }

    fn lines(&self) -> Option<&[u32]> {
        self.0.structure.sides.as_deref()
    }

    fn grid(&self) -> Option<&Grid> {
        self.0.grid.as_ref()
    }

    fn productive(&self, here: NodeId, destination: NodeId) -> PortSet {
        if let Some(grid) = &self.0.grid {
            return grid.productive(here, destination);
        }
        match &self.0.distances {
            Known::Table(table) => {
                let row = self.row(table, destination);
                self.closer(here, row[here.index()].into(), |node| {
                    row[node.index()].into()
                })
            }
            _ if here == destination => PortSet::EMPTY,
            _ => {
                let distance = self.distance(here, destination);
                self.closer(here, distance, |node| self.distance(node, destination))
            }
        }
    }

    fn is_joined(&self, from: NodeId, to: NodeId) -> bool {
        let parts = self.0.structure.parts.as_ref();
        parts.is_none_or(|parts| parts[from.index()] == parts[to.index()])
    }

    fn distance(&self, from: NodeId, to: NodeId) -> u32 {
        match &self.0.grid {
            Some(grid) => grid.distance(from, to),
            None => match &self.0.distances {
                Known::ByTopology(distances) => distances.between(from, to),
                Known::Table(table) => self.row(table, to)[from.index()].into(),
                Known::ByGrid => unreachable!("without a grid"),
            },
        }
    }

    fn diameter_hops(&self) -> u32 {
        match &self.0.grid {
            Some(grid) => grid.diameter_hops(),
            None => match &self.0.distances {
                Known::ByTopology(distances) => distances.longest(),
                Known::Table(table) => table.iter().copied().max().unwrap_or_default().into(),
                Known::ByGrid => unreachable!("without a grid"),
            },
        }
    }

    fn port_name(&self, port: Port) -> String {
        self.0.port_names[port.index()].clone()
    }

    fn node_name(&self, node: NodeId) -> String {
        self.0.node_names[node.index()].clone()
    }
}
