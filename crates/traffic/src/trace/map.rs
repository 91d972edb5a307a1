//! The map from nodes of a trace to terminals of the network.

use super::TraceNode;
use crate::patterns::by;
use flitwork_topology::{Grid, Topology};
use flitwork_types::{NodeId, TerminalId};

/// The map from nodes of a trace to terminals of the network, no two to the same one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeMap {
    /// The terminal, by the trace's node.
    terminals: Vec<TerminalId>,
    /// The trace's node, by the terminal.
    back: Vec<Option<TraceNode>>,
}

/// Why nodes can't be mapped.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MapError {
    /// The trace has more nodes than the network.
    #[error(
        "the trace has {trace} nodes, but the network only {network}; it needs at least as many"
    )]
    TooMany {
        /// Nodes of the trace.
        trace: u32,
        /// Terminals of the network.
        network: u32,
    },
    /// The length of a given map differs from the trace's number of nodes.
    #[error("the map lists {found} nodes; it needs one for each of the trace's {trace}")]
    Length {
        /// Nodes in the map.
        found: usize,
        /// Nodes of the trace.
        trace: u32,
    },
    /// A given map names a terminal that the network doesn't have.
    #[error(
        "the map sends the trace's node {node} to node {found}; the network has nodes 0 to {}",
        .network.saturating_sub(1)
    )]
    OffNetwork {
        /// The trace's node.
        node: TraceNode,
        /// The terminal that it is mapped to.
        found: TerminalId,
        /// Terminals of the network.
        network: u32,
    },
    /// A given map names a terminal twice.
    #[error("the map lists node {node} twice; each can stand for one node of the trace only")]
    Repeated {
        /// The terminal of the network.
        node: TerminalId,
    },
    /// Rows of this many nodes don't fit the grid.
    #[error(
        "{rows} rows of {columns} nodes don't fit the grid of {}; \
         it needs two sides, at least as long, and rows of at least 1 node",
        by(.sides)
    )]
    Block {
        /// Nodes per row of the trace.
        columns: u32,
        /// Rows of the trace.
        rows: u32,
        /// The grid's sides, in nodes.
        sides: Vec<u32>,
    },
}

impl NodeMap {
    /// The map to terminals with the same numbers; on a larger grid, they fill it row by row.
    ///
    /// # Errors
    /// A [`MapError`] if the trace has more nodes than the network.
    pub fn in_order(trace: u32, network: u32) -> Result<NodeMap, MapError> {
        let terminals = (0..trace.min(network)).map(TerminalId).collect();
        NodeMap::new(terminals, trace, network)
    }

    /// A given map: the network's terminal for each node of the trace.
    ///
    /// # Errors
    /// A [`MapError`] if the trace has more nodes than the network, or if the map has another length than the trace, or
    /// names a terminal twice or one that the network doesn't have.
    pub fn given(terminals: &[TerminalId], trace: u32, network: u32) -> Result<NodeMap, MapError> {
        NodeMap::new(terminals.to_vec(), trace, network)
    }

    /// The map of the trace's nodes, in rows of `columns` nodes, to the corner of a plane where both coordinates are 0: a
    /// trace of 8 x 8 nodes keeps its neighbours on a grid of 16 x 16.
    ///
    /// # Errors
    /// A [`MapError`] for rows that don't fit the grid, and for a grid that isn't a plane.
    pub fn block(columns: u32, trace: u32, topology: &dyn Topology) -> Result<NodeMap, MapError> {
        let network = topology.terminals();
        let sides = topology.grid().map_or(vec![network], Grid::sides);
        let rows = if columns == 0 {
            0
        } else {
            trace.div_ceil(columns)
        };
        match sides[..] {
            [width, height] if columns > 0 && columns <= width && rows <= height => {
                let place = |node| {
                    let home = NodeId(node / columns * width + node % columns);
                    topology.terminal_at(home, topology.local())
                };
                let terminals = (0..trace).map_while(place).collect();
                NodeMap::new(terminals, trace, network)
            }
            _ => Err(MapError::Block {
                columns,
                rows,
                sides,
            }),
        }
    }

    fn new(terminals: Vec<TerminalId>, trace: u32, network: u32) -> Result<NodeMap, MapError> {
        if trace > network {
            return Err(MapError::TooMany { trace, network });
        }
        if terminals.len() != trace as usize {
            let found = terminals.len();
            return Err(MapError::Length { found, trace });
        }
        let mut back = vec![None; network as usize];
        for (node, found) in (0..).map(TraceNode).zip(&terminals) {
            let Some(place) = back.get_mut(found.index()) else {
                return Err(MapError::OffNetwork {
                    node,
                    found: *found,
                    network,
                });
            };
            if place.replace(node).is_some() {
                return Err(MapError::Repeated { node: *found });
            }
        }
        Ok(NodeMap { terminals, back })
    }

    /// The number of nodes in the trace.
    pub fn trace_nodes(&self) -> u32 {
        self.terminals.len() as u32
    }

    /// The network's terminal that stands for a node of the trace.
    pub fn terminal(&self, node: TraceNode) -> TerminalId {
        self.terminals[node.0 as usize]
    }

    /// The trace's node that a terminal of the network stands for.
    pub fn trace_node(&self, terminal: TerminalId) -> Option<TraceNode> {
        self.back.get(terminal.index()).copied().flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(map: &NodeMap) -> Vec<u32> {
        let there_and_back = |(trace, node): (u32, &TerminalId)| {
            assert_eq!(map.trace_node(*node), Some(TraceNode(trace)));
            node.0
        };
        (0..).zip(&map.terminals).map(there_and_back).collect()
    }

    #[test]
    fn maps() {
        let same = NodeMap::in_order(4, 4).unwrap();
        assert_eq!(numbers(&same), [0, 1, 2, 3]);
        let larger = NodeMap::in_order(4, 9).unwrap();
        assert_eq!(numbers(&larger), [0, 1, 2, 3]);
        assert_eq!(larger.trace_node(TerminalId(4)), None);
        assert_eq!(larger.trace_node(TerminalId(9)), None);
        let given = [5, 0, 3].map(TerminalId);
        assert_eq!(numbers(&NodeMap::given(&given, 3, 6).unwrap()), [5, 0, 3]);
        let grid = Grid::torus(&[5, 3]).unwrap();
        let block = NodeMap::block(2, 5, &grid).unwrap();
        assert_eq!(numbers(&block), [0, 1, 5, 6, 10]);
    }

    #[test]
    fn nonsense_is_refused() {
        let too_many = MapError::TooMany {
            trace: 9,
            network: 8,
        };
        assert_eq!(NodeMap::in_order(9, 8), Err(too_many));
        let given = |nodes: &[u32], trace| {
            let nodes: Vec<TerminalId> = nodes.iter().copied().map(TerminalId).collect();
            NodeMap::given(&nodes, trace, 4).unwrap_err()
        };
        assert_eq!(given(&[0, 1], 3), MapError::Length { found: 2, trace: 3 });
        assert_eq!(given(&[0, 1], 1), MapError::Length { found: 2, trace: 1 });
        assert_eq!(
            given(&[0, 1, 0], 3),
            MapError::Repeated {
                node: TerminalId(0)
            }
        );
        let off = given(&[0, 4], 2).to_string();
        assert!(
            off.starts_with("the map sends the trace's node 1 to node 4; "),
            "{off}"
        );
        for (columns, trace, sides) in [
            (0, 4, [4, 4]),
            (5, 5, [4, 4]),
            (4, 17, [4, 4]),
            (2, 10, [8, 4]),
        ] {
            let grid = Grid::mesh(&sides).unwrap();
            let refused = NodeMap::block(columns, trace, &grid).unwrap_err();
            assert!(matches!(refused, MapError::Block { .. }), "{refused}");
        }
        let cube = Grid::mesh(&[4, 4, 4]).unwrap();
        assert!(NodeMap::block(2, 4, &cube).is_err());
    }
}
