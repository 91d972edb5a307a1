//! Nodes and ports by name and by place.

use crate::language::{Column, Kind};
use flitwork_network::place_name;
use flitwork_node::Place;
use flitwork_topology::{Shape, Topology};
use flitwork_types::{NodeId, Port, TerminalId};

/// The names of the axes.
const AXES: [&str; 3] = ["x", "y", "z"];

/// Where the nodes of a network lie, and what their ports are called.
#[derive(Clone, Debug)]
pub struct Nodes {
    /// How many coordinates a node has.
    axes: usize,
    /// The coordinates of one node after another.
    coordinates: Vec<u32>,
    /// The names of ports, the local one last.
    ports: Vec<String>,
    shape: Shape,
}

impl Nodes {
    /// Those of a network.
    pub fn new(shape: &Shape) -> Nodes {
        let all = (0..shape.nodes()).map(NodeId);
        let coordinates = match shape.grid() {
            Some(grid) => all.flat_map(|node| grid.coordinates(node)).collect(),
            None => Vec::new(),
        };
        let ports = 0..(shape.ports() + shape.locals()) as u8;
        let ports = ports.map(|port| shape.port_name(Port(port)));
        Nodes {
            axes: coordinates.len() / shape.nodes().max(1) as usize,
            coordinates,
            ports: ports.collect(),
            shape: shape.clone(),
        }
    }

    /// How many nodes there are.
    pub fn count(&self) -> u32 {
        self.shape.nodes()
    }

    /// How many coordinates a node has; none on a network that is no grid.
    pub fn axes(&self) -> usize {
        self.axes
    }

    /// A coordinate of a node.
    #[inline]
    pub fn coordinate(&self, node: NodeId, axis: usize) -> Option<i64> {
        let found = self.coordinates.get(node.index() * self.axes + axis);
        found.filter(|_| axis < self.axes).map(|it| i64::from(*it))
    }

    /// A node with its coordinates, `27 (3, 6)`.
    pub fn name(&self, node: NodeId) -> String {
        self.with_coordinates(node.0, node)
    }

    /// A number with the coordinates of a node.
    fn with_coordinates(&self, number: u32, node: NodeId) -> String {
        if self.axes == 0 {
            return number.to_string();
        }
        let at = &self.coordinates[node.index() * self.axes..][..self.axes];
        let at: Vec<String> = at.iter().map(u32::to_string).collect();
        format!("{number} ({})", at.join(", "))
    }

    /// The node of a terminal.
    pub fn home(&self, terminal: TerminalId) -> NodeId {
        self.shape.home(terminal)
    }

    /// How many terminals there are.
    pub fn terminals(&self) -> u32 {
        self.shape.terminals()
    }

    /// A terminal with the coordinates of its node, `27 (3, 6)`.
    pub fn terminal_name(&self, terminal: TerminalId) -> String {
        self.with_coordinates(terminal.0, self.home(terminal))
    }

    /// What a place in a node is called.
    pub fn place(&self, place: Place) -> String {
        place_name(&self.shape, place)
    }

    /// The node at the other end of a link, and the port there.
    pub fn far(&self, node: NodeId, port: Port) -> Option<(NodeId, Port)> {
        self.shape.far(node, port)
    }

    /// What a port is called.
    pub fn port(&self, port: Port) -> &str {
        self.ports.get(port.index()).map_or("?", |name| name)
    }

    /// How many ports a node has, the local one with them.
    pub fn ports(&self) -> usize {
        self.ports.len()
    }

    /// The names of all ports.
    pub fn port_names(&self) -> Kind {
        Kind::Name(self.ports.clone())
    }

    /// The columns of a node or of a terminal: its number, and its coordinates as `name.x`.
    pub fn columns(&self, name: &str, what: &str) -> Vec<Column> {
        let number = Column::new(name, Kind::Number(""), what);
        let axis = |axis: usize| {
            let axis = AXES
                .get(axis)
                .map_or(format!("axis{axis}"), |it| (*it).to_owned());
            let help = format!("its {axis}");
            Column::new(&format!("{name}.{axis}"), Kind::Number(""), &help)
        };
        let axes = (0..self.axes).map(axis);
        [number].into_iter().chain(axes).collect()
    }

    /// What a node has in these columns.
    #[inline]
    pub fn value(&self, node: NodeId, column: usize) -> Option<i64> {
        match column {
            0 => Some(node.0.into()),
            axis => self.coordinate(node, axis - 1),
        }
    }

    /// What a terminal has in these columns: its number, and the coordinates of its node.
    #[inline]
    pub fn terminal_value(&self, terminal: TerminalId, column: usize) -> Option<i64> {
        match column {
            0 => Some(terminal.0.into()),
            axis => self.coordinate(self.home(terminal), axis - 1),
        }
    }
}
