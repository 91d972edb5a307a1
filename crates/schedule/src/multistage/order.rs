//! In which order packets get their ways. Each order has a file, and a line in the table.

use super::Mesh;
use super::mesh::Place;
use crate::Request;
use flitwork_schema::Part;
use std::fmt;

/// Declares the orders' files, and the table of them.
macro_rules! orders {
    ($($file:ident::$order:ident),+ $(,)?) => {
        $(mod $file;)+
        $(pub use $file::$order;)+

        /// Every order, sorted by name.
        pub const ORDERS: &[Order] = &[$(Order::of::<$order>()),+];
    };
}

orders! {
    column_major::ColumnMajor,
    column_snake::ColumnSnake,
    longest_horizontal::LongestHorizontal,
    longest_total::LongestTotal,
    longest_vertical::LongestVertical,
    random::Random,
    row_major::RowMajor,
    row_snake::RowSnake,
    shortest_horizontal::ShortestHorizontal,
    shortest_total::ShortestTotal,
    shortest_vertical::ShortestVertical,
}

/// What an order's file declares: which packet is first.
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

    /// The order of that name.
    pub fn find(name: &str) -> Option<Order> {
        ORDERS.iter().copied().find(|order| order.name == name)
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

impl Part for Order {
    const KIND: &'static str = "orders";

    fn name(&self) -> &'static str {
        self.name
    }

    fn help(&self) -> &'static str {
        self.help
    }

    fn built_in() -> Vec<Order> {
        ORDERS.to_vec()
    }
}

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

/// The number of a place, row by row.
#[inline]
pub(super) fn row_by_row(mesh: &Mesh, [x, y]: Place) -> u32 {
    u32::from(y) * mesh.columns + u32::from(x)
}

/// The number of a place, column by column.
#[inline]
pub(super) fn column_by_column(mesh: &Mesh, [x, y]: Place) -> u32 {
    u32::from(x) * mesh.rows + u32::from(y)
}
