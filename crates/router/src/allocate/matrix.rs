//! Matrix arbiters (Dally and Towles, section 18.5): the contender served least recently goes first. Columns
//! choose first, then rows; an arbiter's order changes only if its choice is carried out.

use super::explained::rules;
use super::{Allocator, AllocatorEntry, Apart, Matches, Memory, Remembered, Requests};
use crate::bits::Bits;

pub(super) const ENTRY: AllocatorEntry = AllocatorEntry {
    name: "matrix",
    summary: "outputs choose the input least recently served, then inputs likewise",
    allocator: Allocator::Matrix,
    apart: Apart::No,
    rules: rules!(
        "matrix",
        "each output grants the input that it served least recently, and each input accepts the output that it was served by least recently",
        "Dally and Towles 2004, section 18.5"
    ),
};

/// The contender that a matrix arbiter serves first while it has served nobody.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MatrixFirst {
    /// The one with the lowest number, then in ascending order.
    #[default]
    Lowest,
    /// The one with the highest number, then in descending order (BookSim 2, arbiters/matrix_arb.cpp).
    Highest,
}

flitwork_schema::named!(MatrixFirst { Lowest = "lowest", Highest = "highest" });

/// The arbiters of all columns and rows.
#[derive(Clone, Debug)]
pub(super) struct Orders<B, const N: usize> {
    columns: Box<[Order<B, N>]>,
    rows: Box<[Order<B, N>]>,
}

impl<B: Bits, const N: usize> Orders<B, N> {
    /// The orders before the first allocation.
    pub(super) fn new(first: MatrixFirst) -> Box<Orders<B, N>> {
        Box::new(Orders {
            columns: vec![Order::new(first); N].into(),
            rows: vec![Order::new(first); N].into(),
        })
    }
}

/// A matrix arbiter: for each contender, those that have been served since and therefore come after it.
#[derive(Clone, Copy, Debug)]
struct Order<B, const N: usize>([B; N]);

impl<B: Bits, const N: usize> Order<B, N> {
    /// The order before the first allocation.
    fn new(first: MatrixFirst) -> Order<B, N> {
        Order(std::array::from_fn(|number| match first {
            MatrixFirst::Lowest => !B::below(number + 1),
            MatrixFirst::Highest => B::below(number),
        }))
    }

    /// The contender that no other precedes.
    fn first(&self, contenders: B) -> usize {
        let beats_all = |number: &usize| {
            let others = contenders & !B::only(*number);
            (others & !self.0[*number]).is_empty()
        };
        let first = contenders.numbers().find(beats_all);
        first.expect("an order has a first")
    }

    /// How many of `size` contenders precede one.
    fn before(&self, size: usize, number: usize) -> u64 {
        let others = (0..size).filter(|other| *other != number);
        others.filter(|other| self.0[*other].has(number)).count() as u64
    }

    /// Moves a contender to the end of the order.
    fn served(&mut self, number: usize) {
        self.0[number] = B::NONE;
        for (other, after) in self.0.iter_mut().enumerate() {
            if other != number {
                after.put(number);
            }
        }
    }
}

pub(super) fn allocate<B: Bits, const N: usize>(
    memory: &mut Memory<B, N>,
    _: usize,
    requests: &Requests<B, N>,
    _: impl Fn(usize, usize) -> u64,
    matches: &mut Matches<B, N>,
) {
    let orders = memory
        .order
        .get_or_insert_with(|| Orders::new(MatrixFirst::Lowest));
    let mut granted = B::NONE;
    let mut grants = [B::NONE; N];
    for column in requests.asked.numbers() {
        let row = orders.columns[column].first(requests.columns[column]);
        grants[row].put(column);
        granted.put(row);
    }
    for row in granted.numbers() {
        let column = orders.rows[row].first(grants[row]);
        matches.add(row, column);
        orders.columns[column].served(row);
        orders.rows[row].served(column);
    }
}

/// The rows that a column's arbiter serves before a row.
pub(super) fn rank<B: Bits, const N: usize>(
    memory: &Memory<B, N>,
    size: usize,
    (row, column): (usize, usize),
    _: u64,
) -> u64 {
    match &memory.order {
        Some(orders) => orders.columns[column].before(size, row),
        None => Order::<B, N>::new(MatrixFirst::Lowest).before(size, row),
    }
}

pub(super) fn remembered<B: Bits, const N: usize>(
    memory: &Memory<B, N>,
    size: usize,
) -> Remembered {
    let first = |orders: &[Order<B, N>]| -> Vec<usize> {
        let orders = orders[..size].iter();
        orders.map(|order| order.first(B::below(size))).collect()
    };
    let new = || Orders::new(MatrixFirst::Lowest);
    let orders = memory.order.clone().unwrap_or_else(new);
    Remembered {
        diagonal: None,
        first_rows: first(&orders.columns),
        first_columns: first(&orders.rows),
    }
}
