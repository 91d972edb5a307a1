//! A table of delays held against the network.

use super::file::{Cell, Row, number, wrong};
use crate::clocks::IslandParameters;
use crate::clocks::table::{About, DelayTable, Stage};
use flitwork_schema::{FileMistake, shown};
use flitwork_topology::{Shape, Topology};
use flitwork_types::{NodeId, Port};

/// What a port may be beside a link.
const LOCAL: &str = "local";
const QUEUE: &str = "queue";

/// The network that delays are read for.
pub(crate) struct Nodes<'a> {
    pub(crate) shape: &'a Shape,
    /// The islands; the other nodes are self-timed, if `are_self_timed`.
    pub(crate) islands: &'a [IslandParameters],
    pub(crate) are_self_timed: bool,
    /// Whether nodes have a buffer behind no port; `None` if that isn't known.
    pub(crate) has_queue: Option<bool>,
    /// The parts of a link with handshakes; `None` where links are wires.
    pub(crate) segments: Option<u16>,
}

impl Nodes<'_> {
    /// Whether each node is self-timed.
    pub(super) fn self_timed(&self) -> Vec<bool> {
        let mut is_self_timed = vec![self.are_self_timed; self.shape.nodes() as usize];
        for node in self.islands.iter().flat_map(|island| &island.nodes) {
            is_self_timed[node.index()] = false;
        }
        is_self_timed
    }

    /// What a row is about.
    pub(super) fn about(
        &self,
        row: &Row<'_>,
        is_self_timed: &[bool],
    ) -> Result<About, Box<FileMistake>> {
        let stage = row.stage;
        let name = stage.name();
        let instead = match self.segments {
            Some(_) if stage == Stage::Latency => {
                Some("request and acknowledge: with [network.handshake] links aren't wires")
            }
            None if stage.is_of_segments() => {
                Some("latency: without [network.handshake] links are wires")
            }
            _ => None,
        };
        if let Some(allowed) = instead {
            let found = format!("a delay for the stage {name}");
            return Err(wrong(&row.at, found, allowed));
        }
        let node = self.node(&row.node)?;
        if !stage.is_of_links() {
            let is_timed = match node {
                Some(node) => is_self_timed[node.index()],
                None => is_self_timed.contains(&true),
            };
            if !is_timed {
                let found = match node {
                    Some(node) => format!("a delay for node {node}, which isn't self-timed"),
                    None => format!("a delay for the stage {name}, but no node is self-timed"),
                };
                let allowed =
                    "stages of nodes that [clocks.self-timed] makes self-timed, and of links";
                return Err(wrong(&row.node.at, found, allowed));
            }
        }
        Ok(About {
            stage,
            node,
            port: self.port(stage, node, &row.port)?,
            segment: self.segment(stage, row.segment.as_ref())?,
        })
    }

    fn node(&self, cell: &Cell<'_>) -> Result<Option<NodeId>, Box<FileMistake>> {
        if cell.text == "*" {
            return Ok(None);
        }
        let last = u64::from(self.shape.nodes() - 1);
        let node = number("node", cell, 0, last).map_err(|mut mistake| {
            mistake.allowed = format!("the number of a node, 0 to {last}, or *");
            mistake
        })?;
        // Nodes have numbers of 32 bits.
        Ok(Some(NodeId(node as u32)))
    }

    /// The port of the local port and the one of the central queue.
    fn further(&self) -> [Port; 2] {
        let local = self.shape.local();
        [local, Port(local.0 + 1)]
    }

    fn port(
        &self,
        stage: Stage,
        node: Option<NodeId>,
        cell: &Cell<'_>,
    ) -> Result<Option<Port>, Box<FileMistake>> {
        let found = || format!("port is {:?}", shown(cell.text));
        if cell.text == "*" {
            return Ok(None);
        }
        if stage == Stage::Count {
            let allowed = "*: a node counts for all its ports";
            return Err(wrong(&cell.at, found(), allowed));
        }
        let mut links = (0..self.shape.ports() as u8).map(Port);
        let is_named = |port: &Port| {
            self.shape.port_name(*port) == cell.text || port.0.to_string() == cell.text
        };
        let [local, queue] = self.further();
        let port = match cell.text {
            LOCAL if !stage.is_of_links() => local,
            QUEUE if !stage.is_of_links() && stage != Stage::Credit => queue,
            _ => links.find(is_named).ok_or_else(|| {
                let allowed = self.port_names(stage);
                wrong(&cell.at, found(), allowed)
            })?,
        };
        let mut all = (0..self.shape.nodes()).map(NodeId);
        let is_there = match node {
            Some(node) => self.has_port(node, port),
            None => all.any(|node| self.has_port(node, port)),
        };
        if is_there {
            return Ok(Some(port));
        }
        let name = self.port_name(port);
        let (found, allowed) = match node {
            Some(node) => {
                let there = self.ports(node, stage).map(|port| self.port_name(port));
                let there: Vec<String> = there.collect();
                let node = self.shape.node_name(node);
                (
                    format!("node {node} has no port {name}"),
                    format!("{} or *", there.join(", ")),
                )
            }
            None => (format!("no node has a port {name}"), self.port_names(stage)),
        };
        Err(wrong(&cell.at, found, allowed))
    }

    /// The ports that a stage may have.
    fn port_names(&self, stage: Stage) -> String {
        let links = (0..self.shape.ports() as u8).map(|port| self.shape.port_name(Port(port)));
        let mut names: Vec<String> = links.collect();
        if !stage.is_of_links() {
            names.push(LOCAL.into());
            if stage != Stage::Credit {
                names.push(QUEUE.into());
            }
        }
        format!("{}, the number of a link's port, or *", names.join(", "))
    }

    fn port_name(&self, port: Port) -> String {
        match self.further() {
            [local, _] if port == local => LOCAL.into(),
            [_, queue] if port == queue => QUEUE.into(),
            _ => self.shape.port_name(port),
        }
    }

    /// Whether a node has a port.
    fn has_port(&self, node: NodeId, port: Port) -> bool {
        let [local, queue] = self.further();
        if port == queue {
            return self.has_queue != Some(false);
        }
        match port == local {
            true => self.shape.has_terminal(node),
            false => self.shape.links(node).contains(port),
        }
    }

    /// The ports of a node at which a stage takes its time.
    fn ports(&self, node: NodeId, stage: Stage) -> impl Iterator<Item = Port> {
        let [local, queue] = self.further();
        let is_of_node = !stage.is_of_links();
        let local = (is_of_node && self.shape.has_terminal(node)).then_some(local);
        let queues = is_of_node && stage != Stage::Credit && self.has_queue == Some(true);
        let links = self.shape.links(node).iter();
        links.chain(local).chain(queues.then_some(queue))
    }

    fn segment(
        &self,
        stage: Stage,
        cell: Option<&Cell<'_>>,
    ) -> Result<Option<u16>, Box<FileMistake>> {
        let Some(cell) = cell.filter(|cell| !matches!(cell.text, "" | "*")) else {
            return Ok(None);
        };
        let Some(segments) = self.segments.filter(|_| stage.is_of_segments()) else {
            let found = format!("segment is {:?}", shown(cell.text));
            let allowed = format!(
                "* or an empty cell: the stage {} has no segments",
                stage.name()
            );
            return Err(wrong(&cell.at, found, allowed));
        };
        let last = u64::from(segments.saturating_sub(1));
        let segment = number("segment", cell, 0, last).map_err(|mut mistake| {
            mistake.allowed += ", or *";
            mistake
        })?;
        // Segments have numbers of 16 bits.
        Ok(Some(segment as u16))
    }

    /// A stage that the table names, at a port of a node for which it says nothing.
    pub(super) fn gap(
        &self,
        table: &DelayTable,
        stage: Stage,
        is_self_timed: &[bool],
    ) -> Option<Box<FileMistake>> {
        if table.is_everywhere(stage) {
            return None;
        }
        let (_, first) = table.of(stage).min_by_key(|(_, line)| line.at)?;
        let parts: Vec<Option<u16>> = match self.segments.filter(|_| stage.is_of_segments()) {
            Some(segments) => (0..segments).map(Some).collect(),
            None => vec![None],
        };
        let is_gap = |node: NodeId, port: Port, part: Option<u16>| {
            table.find(stage, (node, port), part).is_none()
        };
        let nodes = (0..self.shape.nodes()).map(NodeId);
        let mut nodes = nodes.filter(|node| stage.is_of_links() || is_self_timed[node.index()]);
        let (node, port, part) = nodes.find_map(|node| {
            if stage == Stage::Count {
                let port = self.shape.local();
                return is_gap(node, port, None).then_some((node, None, None));
            }
            self.ports(node, stage).find_map(|port| {
                let part = parts.iter().find(|part| is_gap(node, port, **part))?;
                Some((node, Some(port), *part))
            })
        })?;
        let port = port.map_or(String::new(), |port| {
            format!(", port {}", self.port_name(port))
        });
        let part = part.map_or(String::new(), |part| format!(", segment {part}"));
        let found = format!(
            "no delay for the stage {} at node {}{port}{part}",
            stage.name(),
            self.shape.node_name(node)
        );
        let allowed = "a delay for every node and port of a stage that the table names, as with * for node and port";
        Some(wrong(&(first.at..first.at), found, allowed))
    }
}
