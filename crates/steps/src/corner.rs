//! Columns and rows as the papers count them: from a corner of a square mesh.

use flitwork_types::NodeId;

/// A corner of a square mesh: that in which an adversary's packets begin. Columns and rows count from there, from 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Corner {
    /// At x = 0 and the greatest y: the papers' own.
    #[default]
    SouthWest,
    /// At x = 0 and y = 0.
    NorthWest,
    /// At the greatest x and y.
    SouthEast,
    /// At the greatest x and y = 0.
    NorthEast,
}

flitwork_schema::named!(Corner {
    SouthWest = "south-west",
    NorthWest = "north-west",
    SouthEast = "south-east",
    NorthEast = "north-east",
});

impl Corner {
    fn is_east(self) -> bool {
        matches!(self, Corner::SouthEast | Corner::NorthEast)
    }

    fn is_north(self) -> bool {
        matches!(self, Corner::NorthWest | Corner::NorthEast)
    }

    /// The node in a column and a row of a square mesh.
    pub fn node(self, side: u32, column: u32, row: u32) -> NodeId {
        let x = if self.is_east() {
            side - column
        } else {
            column - 1
        };
        let y = if self.is_north() { row - 1 } else { side - row };
        NodeId(y * side + x)
    }

    /// The column and the row of a node of a square mesh.
    pub fn place(self, side: u32, node: NodeId) -> (u32, u32) {
        let (x, y) = (node.0 % side, node.0 / side);
        let column = if self.is_east() { side - x } else { x + 1 };
        let row = if self.is_north() { y + 1 } else { side - y };
        (column, row)
    }
}
