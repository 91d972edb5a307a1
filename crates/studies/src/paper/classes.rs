//! The order in which the classes of a permutation leave the corner (Chinn 1995, section 4.2.2).
//!
//! ```text
//!      1 … cn          N_i-packets go down column cn - 1 + i, E_i-packets along row cn - 1 + i: the line of
//!   1  ┌────────┐      N_1 and E_1 is the corner's last one, and that of N_2 and E_2 the first beyond it.
//!   …  │        │
//!  cn  └────────■──▶ E_1   ■ the hot spot
//!               ├──▶ E_2
//!              N_1 …
//! ```

use super::published::Published;
use super::row::{Kind, Row};
use flitwork_adversary::{Class, Direction};
use flitwork_plot::{Curves, Drawable, Series, Style};
use flitwork_report::{Aligned, Column, Table, column};
use flitwork_topology::{Grid, Topology};
use flitwork_types::{Cycle, NodeId, PacketId, Port};
use std::collections::BTreeMap;

/// When packets leave the corner in which they start.
#[derive(Clone, Debug)]
pub(super) struct Leaves {
    grid: Grid,
    corner: u32,
    /// The cycle in which the head of each packet last crossed the corner's edge, by its source: row by row.
    last: Vec<Cycle>,
}

impl Leaves {
    /// No packet has left yet.
    pub(super) fn new(grid: Grid, corner: u32) -> Leaves {
        Leaves {
            grid,
            corner,
            last: vec![Cycle::ZERO; (corner * corner) as usize],
        }
    }

    fn is_in(&self, node: NodeId) -> bool {
        let at = self.grid.coordinates(node);
        at.iter().all(|way| *way < self.corner)
    }

    /// A head leaves a node over a link. A packet may come back, by deroutes, so its last way out counts.
    pub(super) fn head(&mut self, node: NodeId, cycle: Cycle, packet: PacketId, port: Port) {
        let far = self.grid.neighbour(node, port);
        if self.is_in(node) && far.is_some_and(|far| !self.is_in(far)) {
            let source = self.grid.coordinates(self.grid.home(packet.source));
            self.last[(source[1] * self.corner + source[0]) as usize] = cycle;
        }
    }

    /// When the packets of each class left; their classes are in the order of their sources.
    pub(super) fn of_classes(&self, seed: u64, classes: &[Class]) -> Leaving {
        let mut all: BTreeMap<usize, Vec<u32>> = BTreeMap::new();
        for (class, cycle) in classes.iter().zip(&self.last) {
            all.entry(class.place()).or_default().push(cycle.get());
        }
        let left = |(place, mut cycles): (usize, Vec<u32>)| {
            cycles.sort_unstable();
            Left {
                class: Class::number(place),
                packets: cycles.len() as u32,
                cycles: [0, (cycles.len() - 1) / 2, cycles.len() - 1].map(|packet| cycles[packet]),
            }
        };
        Leaving {
            seed,
            classes: all.into_iter().map(left).collect(),
        }
    }
}

/// When the classes left in a run.
#[derive(Clone, Debug)]
pub(super) struct Leaving {
    seed: u64,
    classes: Vec<Left>,
}

/// When a class left: the cycles in which the heads of its first packet, of the middle one and of the last crossed the
/// corner's edge for good.
#[derive(Clone, Copy, Debug)]
struct Left {
    class: Class,
    packets: u32,
    /// Of the first packet, of the middle one, by which at least half have left, and of the last.
    cycles: [u32; 3],
}

/// A row of the table of classes.
#[derive(Clone, Copy, Debug)]
struct ClassRow {
    experiment: &'static str,
    n: u32,
    cn: u32,
    kind: Kind,
    seed: u64,
    left: Left,
}

fn letter(class: Class) -> &'static str {
    match class.kind {
        Direction::N => "N",
        Direction::E => "E",
    }
}

/// Every class in every run.
#[rustfmt::skip]
pub(super) fn table(rows: &[Row]) -> Table {
    let all = rows.iter().flat_map(|row| row.leaving.iter().flat_map(move |leaving| {
        let row = ClassRow { experiment: row.experiment, n: row.n, cn: row.cn, kind: row.kind, seed: leaving.seed, left: leaving.classes[0] };
        leaving.classes.iter().map(move |left| ClassRow { left: *left, ..row })
    }));
    let columns: Vec<Column<ClassRow>> = vec![
        column("experiment", "", "the experiment", |it: &ClassRow| it.experiment),
        column("n", "nodes", "the side of the mesh", |it: &ClassRow| it.n),
        column("cn", "nodes", "the side of the corner", |it: &ClassRow| it.cn),
        column("algorithm", "", "what routed", |it: &ClassRow| it.kind.algorithm.name()),
        column("seed", "", "the seed of all random draws", |it: &ClassRow| it.seed),
        column("kind", "", "N: down column cn - 1 + i; E: along row cn - 1 + i", |it: &ClassRow| letter(it.left.class)),
        column("i", "", "which of them", |it: &ClassRow| it.left.class.index),
        column("packets", "packets", "of the class", |it: &ClassRow| it.left.packets),
        column("first_cycles", "cycles", "until the first of them has left the corner", |it: &ClassRow| it.left.cycles[0]),
        column("median_cycles", "cycles", "until half of them have left it for good", |it: &ClassRow| it.left.cycles[1]),
        column("last_cycles", "cycles", "until all have", |it: &ClassRow| it.left.cycles[2]),
    ];
    Table::new("classes", &columns, all)
}

/// A class in the runs of a row: means over the seeds.
struct Mean<'a> {
    row: &'a Row,
    left: &'a Left,
    cycles: [f64; 3],
}

/// A row's classes. Each seed has the same number of packets in each class.
fn means(row: &Row) -> impl Iterator<Item = Mean<'_>> {
    let classes = row.leaving.first().map_or(&[][..], |first| &first.classes);
    classes.iter().enumerate().map(move |(place, left)| {
        let mean = |which: usize| {
            let all = row.leaving.iter();
            let cycles = all.map(|leaving| f64::from(leaving.classes[place].cycles[which]));
            cycles.sum::<f64>() / row.leaving.len() as f64
        };
        Mean {
            row,
            left,
            cycles: [0, 1, 2].map(mean),
        }
    })
}

/// The classes as text, means over the seeds.
pub(super) fn text(rows: &[Row]) -> String {
    let cycles = |which: usize| move |it: &Mean<'_>| format!("{:.0}", it.cycles[which]);
    let columns = Aligned::<Mean<'_>>::new()
        .right("n", 6, |it| it.row.n)
        .left("algorithm", 13, |it| it.row.kind.algorithm.name())
        .behind(2)
        .left("class", 5, |it| {
            format!("{}_{}", letter(it.left.class), it.left.class.index)
        })
        .right("packets", 9, |it| it.left.packets)
        .right("first", 9, cycles(0))
        .right("median", 9, cycles(1))
        .right("last", 9, cycles(2));
    let all: Vec<Mean<'_>> = rows.iter().flat_map(means).collect();
    let table = columns.text(&all);
    format!("\nCycles in which the classes leave the corner, means over the seeds:\n{table}")
}

/// The median cycle of each class over its number, N_i and E_i together: a line for each mesh and algorithm.
pub(super) fn figure(published: &Published, rows: &[Row]) -> String {
    let line = |row: &Row| {
        let mut lines: BTreeMap<u32, Vec<f64>> = BTreeMap::new();
        for mean in means(row) {
            lines
                .entry(mean.left.class.index)
                .or_default()
                .push(mean.cycles[1]);
        }
        let mean = |(i, both): (u32, Vec<f64>)| {
            (f64::from(i), both.iter().sum::<f64>() / both.len() as f64)
        };
        let label = format!("{}, n = {}", row.kind.label(), row.n);
        Series::new(label, Style::Curve, lines.into_iter().map(mean).collect())
    };
    let title = format!("{}: the classes' order", published.title);
    let curves = Curves {
        title: &title,
        x_label: "i of the classes N_i and E_i",
        y_label: "half of the class has left the corner (cycles)",
        series: rows.iter().map(line).collect(),
        ..Curves::default()
    };
    curves.svg()
}

#[cfg(test)]
mod tests {
    use super::*;
    use flitwork_types::TerminalId;

    const CORNER: u32 = 2;

    /// The packet of node (1, 0) leaves east, comes back, and leaves again; that of (0, 1) leaves south, and beyond the
    /// corner nothing counts. The others don't leave.
    #[test]
    fn the_last_way_out_counts() {
        let grid = Grid::mesh(&[4, 4]).unwrap();
        let mut leaves = Leaves::new(grid.clone(), CORNER);
        let [north, east, south, west] = [0, 1, 2, 3].map(Port);
        let packet = |x, y| PacketId {
            source: TerminalId(grid.node_at(&[x, y]).0),
            serial: 0,
        };
        let mut head = |x, y, port, cycle, packet| {
            leaves.head(grid.node_at(&[x, y]), Cycle(cycle), packet, port);
        };
        let (one, other) = (packet(1, 0), packet(0, 1));
        head(0, 0, east, 1, packet(0, 0));
        head(1, 0, east, 2, one);
        head(2, 0, west, 3, one);
        head(1, 0, south, 4, one);
        head(0, 1, south, 5, other);
        head(1, 1, east, 6, one);
        head(2, 1, north, 7, one);
        head(0, 2, south, 8, other);
        assert_eq!(leaves.last, [0, 6, 5, 0].map(Cycle));
        let classes = [0, 1, 1, 0].map(Class::number);
        let leaving = leaves.of_classes(1, &classes);
        let of = |left: &Left| (left.packets, left.cycles);
        let all: Vec<_> = leaving.classes.iter().map(of).collect();
        assert_eq!(all, [(2, [0, 0, 0]), (2, [5, 5, 6])]);
    }
}
