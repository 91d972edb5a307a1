//! In which order packets get their ways. Each order is a line in the table.

use super::Mesh;
use super::mesh::Place;
use crate::Request;
use flitwork_types::draws::split_mix;
use std::fmt;

/// Declares a type for each order, and the table of them.
macro_rules! orders {
    ($($order:ident = $name:literal, $help:literal, $section:literal, $ranks:expr, $rank:expr;)+) => {
        $(
            #[doc = concat!("The order ", $help, " (Symvonis and Tidswell 1994, section ", $section, ").")]
            #[derive(Clone, Copy, Debug)]
            pub struct $order;

            impl Ranking for $order {
                const NAME: &'static str = $name;
                const HELP: &'static str = $help;

                fn ranks(mesh: &Mesh) -> Option<u32> {
                    let ranks: Option<fn(&Mesh) -> u32> = $ranks;
                    ranks.map(|ranks| ranks(mesh))
                }

                #[inline]
                fn rank(packet: Ranked<'_>) -> u32 {
                    let rank: fn(Ranked<'_>) -> u32 = $rank;
                    rank(packet)
                }
            }
        )+

        /// Every order, sorted by name.
        pub const ORDERS: &[Order] = &[$(Order::of::<$order>()),+];
    };
}

// What users call it, which packet is first, where the paper has it; how many ranks there are, and a packet's.
#[rustfmt::skip]
orders! {
    ColumnMajor = "column-major", "by source, column by column", "4.1, 2", Some(Mesh::nodes), |it| column_by_column(it.mesh, it.source);
    ColumnSnake = "column-snake", "by source, column by column, every other column backwards", "4.1, 3", Some(Mesh::nodes), |it| column_snake(it.mesh, it.source);
    LongestHorizontal = "longest-horizontal", "the most links along the row first", "4.1, 6", Some(Mesh::columns), |it| it.mesh.columns - 1 - it.horizontal();
    LongestTotal = "longest-total", "the most links first", "4.1, 5", Some(distances), |it| distances(it.mesh) - 1 - it.total();
    LongestVertical = "longest-vertical", "the most links along the column first", "4.1, 7", Some(Mesh::rows), |it| it.mesh.rows - 1 - it.vertical();
    Random = "random", "by a number that looks random, of a seed", "4.1, 4", None, |it| (split_mix(split_mix(it.seed) ^ it.number as u64) >> 32) as u32;
    RowMajor = "row-major", "by source, row by row", "4.1, 1", Some(Mesh::nodes), |it| row_by_row(it.mesh, it.source);
    RowSnake = "row-snake", "by source, row by row, every other row backwards", "4.1, 3", Some(Mesh::nodes), |it| row_snake(it.mesh, it.source);
    ShortestHorizontal = "shortest-horizontal", "the fewest links along the row first", "4.1, 8", Some(Mesh::columns), |it| it.horizontal();
    ShortestTotal = "shortest-total", "the fewest links first", "4.1, 8", Some(distances), |it| it.total();
    ShortestVertical = "shortest-vertical", "the fewest links along the column first", "4.1, 8", Some(Mesh::rows), |it| it.vertical();
}

/// What an order declares: which packet is first.
pub trait Ranking {
    /// What users call it.
    const NAME: &'static str;
    /// Which packet is first, in a line.
    const HELP: &'static str;

    /// How many ranks there are, if packets are to be sorted by counting.
    fn ranks(mesh: &Mesh) -> Option<u32>;

    /// A packet's rank: the least is first.
    fn rank(packet: Ranked<'_>) -> u32;
}

/// An order in the table.
#[derive(Clone, Copy)]
pub struct Order {
    name: &'static str,
    help: &'static str,
    /// How many ranks there are, if packets are to be sorted by counting.
    pub(super) ranks: fn(&Mesh) -> Option<u32>,
    /// Writes the ranks of packets.
    pub(super) rank: fn(&Mesh, &[Request], u64, &mut Vec<u32>),
}

impl Order {
    /// The order of a ranking.
    pub const fn of<R: Ranking>() -> Order {
        Order {
            name: R::NAME,
            help: R::HELP,
            ranks: R::ranks,
            rank: |mesh, requests, seed, ranks| {
                ranks.clear();
                let packets = requests.iter().enumerate().map(|(number, request)| Ranked {
                    mesh,
                    source: mesh.place(request.source),
                    destination: mesh.place(request.destination),
                    number,
                    seed,
                });
                ranks.extend(packets.map(R::rank));
            },
        }
    }

    /// What users call it.
    pub fn name(self) -> &'static str {
        self.name
    }
}

impl PartialEq for Order {
    fn eq(&self, other: &Order) -> bool {
        self.name == other.name
    }
}

impl Eq for Order {}

impl fmt::Debug for Order {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

flitwork_schema::part!(Order { name, help }: "orders", ORDERS.to_vec());

/// A packet, as an order sees it.
#[derive(Clone, Copy, Debug)]
pub struct Ranked<'a> {
    mesh: &'a Mesh,
    source: Place,
    destination: Place,
    /// Its place among the requests.
    number: usize,
    seed: u64,
}

impl Ranked<'_> {
    /// The mesh.
    pub fn mesh(&self) -> &Mesh {
        self.mesh
    }

    /// The column and the row in which it begins.
    pub fn source(&self) -> [u16; 2] {
        self.source
    }

    /// The column and the row to which it goes.
    pub fn destination(&self) -> [u16; 2] {
        self.destination
    }

    /// Its place among the requests.
    pub fn number(&self) -> usize {
        self.number
    }

    /// The seed of what looks random.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// The links that it crosses along a row.
    #[inline]
    pub fn horizontal(&self) -> u32 {
        self.source[0].abs_diff(self.destination[0]).into()
    }

    /// The links that it crosses along a column.
    #[inline]
    pub fn vertical(&self) -> u32 {
        self.source[1].abs_diff(self.destination[1]).into()
    }

    /// All links that it crosses.
    #[inline]
    pub fn total(&self) -> u32 {
        self.horizontal() + self.vertical()
    }
}

/// How many distances there are, 0 among them.
#[inline]
fn distances(mesh: &Mesh) -> u32 {
    mesh.columns + mesh.rows - 1
}

/// The number of a place, row by row.
#[inline]
pub(super) fn row_by_row(mesh: &Mesh, [x, y]: Place) -> u32 {
    u32::from(y) * mesh.columns + u32::from(x)
}

/// The same as a snake goes: every other row backwards.
#[inline]
fn row_snake(mesh: &Mesh, [x, y]: Place) -> u32 {
    let last = (mesh.columns - 1) as u16;
    row_by_row(mesh, [if y % 2 == 0 { x } else { last - x }, y])
}

/// The number of a place, column by column.
#[inline]
pub(super) fn column_by_column(mesh: &Mesh, [x, y]: Place) -> u32 {
    u32::from(x) * mesh.rows + u32::from(y)
}

/// The same as a snake goes: every other column backwards.
#[inline]
fn column_snake(mesh: &Mesh, [x, y]: Place) -> u32 {
    let last = (mesh.rows - 1) as u16;
    column_by_column(mesh, [x, if x % 2 == 0 { y } else { last - y }])
}
