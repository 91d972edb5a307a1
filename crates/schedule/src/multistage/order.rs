//! In which order packets get their ways. Each order has a file, and a line in the table.

use super::Mesh;
use super::mesh::Place;
use crate::Request;

/// Declares the orders' files, and the enum and the table of them.
macro_rules! orders {
    ($($file:ident::$order:ident),+ $(,)?) => {
        $(mod $file;)+

        /// An order of packets; its file says which is first.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Order {
            $(
                #[doc = concat!("See `order/", stringify!($file), ".rs`.")]
                $order,
            )+
        }

        /// Every order, sorted by name.
        pub const ORDERS: &[OrderEntry] = &[$(
            OrderEntry {
                name: $file::NAME,
                summary: $file::SUMMARY,
                order: Order::$order,
            }
        ),+];

        impl Order {
            /// What users call it.
            pub fn name(self) -> &'static str {
                match self {
                    $(Order::$order => $file::NAME,)+
                }
            }

            /// How many ranks there are, if packets are to be sorted by counting.
            pub(super) fn ranks(self, mesh: &Mesh) -> Option<u32> {
                match self {
                    $(Order::$order => $file::ranks(mesh),)+
                }
            }

            /// Writes the ranks of packets; the least is first.
            pub(super) fn rank(
                self, mesh: &Mesh, requests: &[Request], seed: u64, ranks: &mut Vec<u32>,
            ) {
                ranks.clear();
                let packets = requests.iter().enumerate().map(|(number, request)| Ranked {
                    mesh,
                    source: mesh.place(request.source),
                    destination: mesh.place(request.destination),
                    number,
                    seed,
                });
                match self {
                    $(Order::$order => ranks.extend(packets.map($file::rank)),)+
                }
            }
        }
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

/// An order in the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OrderEntry {
    /// What users call it.
    pub name: &'static str,
    /// Which packet is first, in one line.
    pub summary: &'static str,
    /// The order.
    pub order: Order,
}

impl Order {
    /// The order of that name.
    pub fn find(name: &str) -> Option<Order> {
        let entry = ORDERS.iter().find(|entry| entry.name == name);
        entry.map(|entry| entry.order)
    }
}

/// A packet, as an order sees it.
struct Ranked<'a> {
    mesh: &'a Mesh,
    source: Place,
    destination: Place,
    /// Its place among the requests.
    number: usize,
    seed: u64,
}

impl Ranked<'_> {
    /// The links that it crosses along a row.
    #[inline]
    fn horizontal(&self) -> u32 {
        self.source[0].abs_diff(self.destination[0]).into()
    }

    /// The links that it crosses along a column.
    #[inline]
    fn vertical(&self) -> u32 {
        self.source[1].abs_diff(self.destination[1]).into()
    }

    /// All links that it crosses.
    #[inline]
    fn total(&self) -> u32 {
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
