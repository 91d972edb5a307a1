//! Where nodes stand on the screen: grids by their coordinates, one plane at a time; others in rows.
//!
//! A network that is larger than the screen is shown in squares of nodes, each as hot as its hottest.

use flitwork_debug::rows::Nodes;
use flitwork_types::NodeId;

/// A network as rows and columns.
#[derive(Clone, Debug)]
pub(super) struct Plane {
    pub(super) columns: u32,
    pub(super) rows: u32,
    /// The node at a place, row by row.
    at: Vec<Option<NodeId>>,
    /// The place of each node that is in the plane.
    place: Vec<Option<(u32, u32)>>,
}

impl Plane {
    /// The plane in which a node lies: that of the first two axes on a grid, at its other coordinates.
    pub(super) fn of(nodes: &Nodes, node: NodeId) -> Plane {
        let all = (0..nodes.count()).map(NodeId);
        let places: Vec<Option<(u32, u32)>> = match nodes.axes() {
            0 => {
                let columns = f64::from(nodes.count()).sqrt().ceil().max(1.0) as u32;
                all.map(|it| Some((it.0 % columns, it.0 / columns)))
                    .collect()
            }
            axes => {
                let at = |it: NodeId, axis: usize| nodes.coordinate(it, axis).unwrap_or(0) as u32;
                let is_in = |it: NodeId| (2..axes).all(|axis| at(it, axis) == at(node, axis));
                all.map(|it| is_in(it).then(|| (at(it, 0), at(it, 1))))
                    .collect()
            }
        };
        let known = places.iter().flatten();
        let columns = known.clone().map(|(x, _)| x + 1).max().unwrap_or(1);
        let rows = known.map(|(_, y)| y + 1).max().unwrap_or(1);
        let mut at = vec![None; (columns * rows) as usize];
        for (place, node) in places.iter().zip((0..).map(NodeId)) {
            if let Some((x, y)) = place {
                at[(y * columns + x) as usize] = Some(node);
            }
        }
        Plane {
            columns,
            rows,
            at,
            place: places,
        }
    }

    /// The node at a place.
    pub(super) fn node(&self, (x, y): (u32, u32)) -> Option<NodeId> {
        match x < self.columns && y < self.rows {
            true => self.at[(y * self.columns + x) as usize],
            false => None,
        }
    }

    /// Where a node is.
    pub(super) fn place(&self, node: NodeId) -> Option<(u32, u32)> {
        self.place.get(node.index()).copied().flatten()
    }

    /// The node some places away, as far as there is one.
    pub(super) fn beside(&self, node: NodeId, (right, down): (i32, i32)) -> NodeId {
        let Some((x, y)) = self.place(node) else {
            return node;
        };
        let to = (
            x.saturating_add_signed(right),
            y.saturating_add_signed(down),
        );
        self.node(to).unwrap_or(node)
    }

    /// How it fits into so many characters.
    pub(super) fn fit(&self, width: u16, height: u16) -> Fit {
        let (width, height) = (u32::from(width.max(1)), u32::from(height.max(1)));
        let square = self
            .columns
            .div_ceil(width)
            .max(self.rows.div_ceil(height))
            .max(1);
        let columns = self.columns.div_ceil(square);
        Fit {
            square,
            columns,
            rows: self.rows.div_ceil(square),
            cell: (width / columns).clamp(1, 4) as u16,
        }
    }
}

/// How a plane is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Fit {
    /// Each cell shows so many nodes by so many.
    pub(super) square: u32,
    /// How many cells lie beside each other.
    pub(super) columns: u32,
    /// How many cells lie below each other.
    pub(super) rows: u32,
    /// How many characters a cell is wide.
    pub(super) cell: u16,
}

impl Fit {
    /// The nodes of a cell.
    pub(super) fn nodes<'a>(
        self,
        plane: &'a Plane,
        (column, row): (u32, u32),
    ) -> impl Iterator<Item = NodeId> + 'a {
        let (x, y) = (column * self.square, row * self.square);
        let rows = y..y + self.square;
        rows.flat_map(move |y| (x..x + self.square).filter_map(move |x| plane.node((x, y))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flitwork_topology::{Grid, Shape};

    fn nodes(sides: &[u32]) -> Nodes {
        Nodes::new(&Shape::from(Grid::mesh(sides).unwrap()))
    }

    #[test]
    fn a_grid_of_three_axes_is_shown_in_planes() {
        let nodes = nodes(&[3, 4, 2]);
        let plane = Plane::of(&nodes, NodeId(13));
        assert_eq!((plane.columns, plane.rows), (3, 4));
        // x is the fastest: the second plane begins at 3 * 4.
        assert_eq!(plane.node((0, 0)), Some(NodeId(12)));
        assert_eq!(plane.node((2, 3)), Some(NodeId(23)));
        assert_eq!(plane.place(NodeId(11)), None);
        assert_eq!(plane.beside(NodeId(12), (1, 1)), NodeId(16));
        assert_eq!(plane.beside(NodeId(12), (-1, 0)), NodeId(12));
    }

    #[test]
    fn what_is_too_large_is_shown_in_squares() {
        let plane = Plane::of(&nodes(&[364, 364]), NodeId(0));
        let fit = plane.fit(80, 40);
        // 364 / 40 rows: ten by ten.
        assert_eq!(
            (fit.square, fit.columns, fit.rows, fit.cell),
            (10, 37, 37, 2)
        );
        assert_eq!(fit.nodes(&plane, (0, 0)).count(), 100);
        // The last square: 364 - 360 columns and rows.
        assert_eq!(fit.nodes(&plane, (36, 36)).count(), 16);
        let small = Plane::of(&nodes(&[4, 4]), NodeId(0));
        assert_eq!(small.fit(80, 40).cell, 4);
    }
}
