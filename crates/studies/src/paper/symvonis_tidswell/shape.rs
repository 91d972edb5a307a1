//! The rows and columns of a mesh.

use crate::context::Failed;
use flitwork_schedule::multistage::{MAX_SIDE, Mesh};
use flitwork_topology::Grid;
use std::fmt;

/// The most nodes of a mesh: each of its permutations is scheduled in about a second.
pub(super) const MOST_NODES: u32 = 1 << 20;

/// A mesh of rows x columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    pub(super) rows: u32,
    pub(super) columns: u32,
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}", self.rows, self.columns)
    }
}

impl Shape {
    /// Reads `3x4`: 3 rows of 4 columns.
    pub(super) fn read(text: &str) -> Result<Shape, String> {
        let side = |text: &str| {
            let side = text.trim().parse().ok();
            side.filter(|side| (1..=MAX_SIDE).contains(side))
        };
        let shape = text.split_once(['x', '×']).and_then(|(rows, columns)| {
            Some(Shape {
                rows: side(rows)?,
                columns: side(columns)?,
            })
        });
        let shape = shape.filter(|shape| (2..=u64::from(MOST_NODES)).contains(&shape.wide_nodes()));
        shape.ok_or_else(|| {
            format!(
                "allowed: ROWSxCOLUMNS, such as 3x4, with sides of 1 to {MAX_SIDE} and 2 to {MOST_NODES} nodes"
            )
        })
    }

    /// All shapes of at most so many nodes, those of fewer nodes first.
    pub(super) fn up_to(nodes: u32) -> Vec<Shape> {
        let of = |nodes: u32| {
            let rows = (1..=nodes).filter(move |rows| nodes.is_multiple_of(*rows));
            rows.map(move |rows| Shape {
                rows,
                columns: nodes / rows,
            })
        };
        (2..=nodes).flat_map(of).collect()
    }

    fn wide_nodes(self) -> u64 {
        u64::from(self.rows) * u64::from(self.columns)
    }

    /// How many nodes there are.
    pub(super) fn nodes(self) -> u32 {
        self.rows * self.columns
    }

    /// Its rows as columns.
    pub(super) fn turned(self) -> Shape {
        Shape {
            rows: self.columns,
            columns: self.rows,
        }
    }

    /// The least memory in which its permutations are scheduled, in bytes.
    pub(super) fn need_bytes(self) -> u64 {
        /// Packets with their places, ranks, ways and intervals.
        const NODE_BYTES: u64 = 100;
        /// The number of a diagonal's first interval.
        const DIAGONAL_BYTES: u64 = 4;
        let lines = u64::from(self.rows) + u64::from(self.columns);
        // Two directions a line, and as many diagonals as steps in which a packet can be on it.
        NODE_BYTES * self.wide_nodes() + DIAGONAL_BYTES * 2 * lines * lines
    }

    /// The mesh.
    pub(super) fn mesh(self) -> Result<Mesh, Failed> {
        let refused = |why: &dyn fmt::Display| Failed::option("--mesh", format!("{self}: {why}"));
        let grid = Grid::mesh(&[self.columns, self.rows]).map_err(|error| refused(&error))?;
        Mesh::new(&grid).map_err(|error| refused(&error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_come_first() {
        let shape = Shape::read("3x4").unwrap();
        assert_eq!((shape.rows, shape.columns), (3, 4));
        let mesh = shape.mesh().unwrap();
        assert_eq!((mesh.rows(), mesh.columns()), (3, 4));
        assert_eq!(shape.turned().to_string(), "4x3");
        for text in [" 3x4 ", "3 x 4", "3×4"] {
            assert_eq!(Shape::read(text), Ok(shape), "{text}");
        }
        let large = ["1x65536", "1024x1024", "16x65536"];
        assert!(large.iter().all(|text| Shape::read(text).is_ok()));
    }

    #[test]
    fn what_is_no_mesh_is_refused() {
        let none = [
            "", "x", "3", "3by4", "0x4", "4x0", "1x1", "-3x4", "3x4x5", "3x4.5", "3X4", "x4",
        ];
        let large = ["1x65537", "1025x1024", "65536x65536", "99999999999x2"];
        for text in none.iter().chain(&large) {
            let why = Shape::read(text).unwrap_err();
            assert!(why.contains("ROWSxCOLUMNS, such as 3x4"), "{text}: {why}");
        }
    }

    #[test]
    fn all_shapes_of_six_nodes() {
        let shapes = Shape::up_to(6);
        let shapes: Vec<String> = shapes.iter().map(Shape::to_string).collect();
        let expected = "1x2 2x1 1x3 3x1 1x4 2x2 4x1 1x5 5x1 1x6 2x3 3x2 6x1";
        assert_eq!(shapes.join(" "), expected);
        assert_eq!(Shape::up_to(1), []);
    }
}
