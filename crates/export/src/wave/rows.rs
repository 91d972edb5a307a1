//! Signals as rows: what a condition chooses.

use super::signals::{KINDS, Key};
use flitwork_debug::language::{Column, Columns, Kind, Row};
use flitwork_debug::rows::{Nodes, place_kind, place_names, place_parts, place_port};
use flitwork_types::NodeId;

/// The columns of signals.
pub fn signal_columns(nodes: &Nodes) -> Columns {
    let mut columns = nodes.columns("node", "whose signal it is");
    columns.extend([
        Column::new("kind", Kind::names(&KINDS), "what it is about"),
        Column::new("place", place_names(), "of which kind of place in the node"),
        Column::new("port", nodes.port_names(), "at which port"),
        Column::new("channel", Kind::Number(""), "at which virtual channel"),
    ]);
    Columns(columns)
}

/// A signal as a row; or all of a node's, of which only the node is known.
#[derive(Clone, Copy, Debug)]
pub struct SignalRow<'a> {
    nodes: &'a Nodes,
    node: NodeId,
    key: Option<Key>,
}

impl<'a> SignalRow<'a> {
    pub(super) fn of(nodes: &'a Nodes, node: NodeId, key: Option<Key>) -> SignalRow<'a> {
        SignalRow { nodes, node, key }
    }

    /// Whether a column is known of all of a node's signals.
    pub(super) fn is_of_node(nodes: &Nodes, column: usize) -> bool {
        column <= nodes.axes()
    }
}

impl Row for SignalRow<'_> {
    fn value(&self, column: usize) -> Option<i64> {
        if SignalRow::is_of_node(self.nodes, column) {
            return self.nodes.value(self.node, column);
        }
        let key = self.key?;
        match column - self.nodes.axes() - 1 {
            0 => Some(key.subject.kind()),
            1 => key.at.map(place_kind),
            2 => key.at.and_then(place_port),
            3 => place_parts(key.at?).1.map(i64::from),
            _ => None,
        }
    }
}
