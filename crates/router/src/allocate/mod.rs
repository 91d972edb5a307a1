//! Allocators: who gets what if several ask. Each has a file, and a line in [`ALLOCATORS`].
//!
//! ```text
//!              columns: what is asked for           An allocator matches rows and columns: each row gets
//!             ┌───┬───┬───┬───┐                     at most one of the columns that it asks for, each
//!   rows:     │ ■ │   │ ■ │   │                     column goes to at most one row.
//!   who asks  │ ■ │   │   │   │
//!             │   │ ■ │   │ ■ │
//!             └───┴───┴───┴───┘
//! ```
//!
//! The terms are those of Dally and Towles, "Principles and Practices of Interconnection Networks" (2004),
//! chapter 19. An allocation without requests changes nothing, so cycles may be skipped.

mod explained;
mod switch;

pub use explained::{Bidder, Remembered, Rules};
pub use matrix::MatrixFirst;
pub use switch::{Speculation, SwitchAllocator, SwitchMemory};

use crate::bits::Bits;

/// Which of up to `N` rows asks for which of up to `N` columns.
#[derive(Clone, Debug)]
pub struct Requests<B, const N: usize> {
    rows: [B; N],
    columns: [B; N],
    asking: B,
    asked: B,
}

impl<B: Bits, const N: usize> Requests<B, N> {
    /// No requests.
    #[inline]
    pub fn none() -> Requests<B, N> {
        Requests {
            rows: [B::NONE; N],
            columns: [B::NONE; N],
            asking: B::NONE,
            asked: B::NONE,
        }
    }

    /// Adds a request of a row for a column.
    #[inline]
    pub fn ask(&mut self, row: usize, column: usize) {
        self.rows[row].put(column);
        self.columns[column].put(row);
        self.asking.put(row);
        self.asked.put(column);
    }

    /// Removes rows and columns.
    #[inline]
    pub fn without(&mut self, rows: B, columns: B) {
        for row in (self.asking & rows).numbers() {
            for column in self.rows[row].numbers() {
                self.columns[column].take(row);
            }
            self.rows[row] = B::NONE;
        }
        for column in (self.asked & columns).numbers() {
            for row in self.columns[column].numbers() {
                self.rows[row].take(column);
            }
            self.columns[column] = B::NONE;
        }
        let (rows, columns) = (&self.rows, &self.columns);
        self.asking = kept(self.asking, |row| !rows[row].is_empty());
        self.asked = kept(self.asked, |column| !columns[column].is_empty());
    }
}

fn kept<B: Bits>(set: B, keep: impl Fn(usize) -> bool) -> B {
    let mut kept = set;
    for number in set.numbers() {
        if !keep(number) {
            kept.take(number);
        }
    }
    kept
}

/// Rows, and the columns that they were granted.
#[derive(Clone, Debug)]
pub struct Matches<B, const N: usize> {
    /// The rows that were granted a column.
    pub rows: B,
    /// The columns that were granted.
    pub columns: B,
    column_of: [u8; N],
}

impl<B: Bits, const N: usize> Matches<B, N> {
    #[inline]
    fn none() -> Matches<B, N> {
        Matches {
            rows: B::NONE,
            columns: B::NONE,
            column_of: [0; N],
        }
    }

    #[inline]
    fn add(&mut self, row: usize, column: usize) {
        self.rows.put(row);
        self.columns.put(column);
        self.column_of[row] = column as u8;
    }

    /// The pairs, by row.
    #[inline]
    pub fn pairs(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        let pair = |row: usize| (row, usize::from(self.column_of[row]));
        self.rows.numbers().map(pair)
    }
}

/// What an allocator remembers from one allocation to the next, for up to `N` rows and columns: all 0, or
/// empty, before the first.
#[derive(Clone, Debug)]
pub struct Memory<B, const N: usize> {
    /// For each column, the row with the highest priority: the one that has its turn, by round robin.
    of_column: [u8; N],
    /// For each row, the column, in the same way.
    of_row: [u8; N],
    /// The diagonal with the highest priority.
    diagonal: u8,
    /// For each column, and then for each row, who was served before whom.
    order: Option<Box<matrix::Orders<B, N>>>,
}

impl<B: Bits, const N: usize> Default for Memory<B, N> {
    fn default() -> Memory<B, N> {
        Memory {
            of_column: [0; N],
            of_row: [0; N],
            diagonal: 0,
            order: None,
        }
    }
}

impl<B: Bits, const N: usize> Memory<B, N> {
    /// The memory before the first allocation of so many rows and columns, if the turn is that of the row and the column of
    /// this number, and of the diagonal through both.
    pub fn beginning_at(first: usize, size: usize) -> Memory<B, N> {
        Memory {
            of_column: [first as u8; N],
            of_row: [first as u8; N],
            diagonal: (2 * first % size) as u8,
            order: None,
        }
    }

    /// The memory of matrix arbiters before the first allocation.
    pub fn of_matrices(first: MatrixFirst) -> Memory<B, N> {
        Memory {
            order: Some(matrix::Orders::new(first)),
            ..Memory::default()
        }
    }
}

/// Declares the allocators' files and generates from them the table and the enum by which the switch
/// allocator is compiled into the router's inner loop. A further parameter of an allocator has a name and a
/// type.
macro_rules! allocators {
    ($($file:ident::$allocator:ident $(($option:ident: $type:ty))?),+ $(,)?) => {
        $(mod $file;)+

        /// An allocator; its file says what it does.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[non_exhaustive]
        pub enum Allocator {
            $(
                #[doc = concat!("See `allocate/", stringify!($file), ".rs`.")]
                $allocator $(($type))?,
            )+
        }

        /// Every allocator, sorted by name.
        pub const ALLOCATORS: &[AllocatorEntry] = &[$($file::ENTRY),+];

        impl Allocator {
            /// Its entry in the table.
            #[inline]
            fn entry(self) -> AllocatorEntry {
                match self {
                    $(Allocator::$allocator { .. } => $file::ENTRY,)+
                }
            }

            /// Matches `size` rows and columns. `born` returns when the packet behind a row's request was
            /// made.
            #[inline]
            pub fn allocate<B: Bits, const N: usize>(
                self,
                memory: &mut Memory<B, N>,
                size: usize,
                requests: &Requests<B, N>,
                born: impl Fn(usize, usize) -> u64,
            ) -> Matches<B, N> {
                let mut matches = Matches::none();
                if requests.asking.is_empty() {
                    return matches;
                }
                match self {
                    $(Allocator::$allocator $(($option))? => {
                        $file::allocate($($option,)? memory, size, requests, born, &mut matches);
                    })+
                }
                matches
            }

            /// By what the rows that ask for a column are compared: the lower goes first, then the lower row. `born`
            /// says when the packet behind the request was made.
            pub fn rank<B: Bits, const N: usize>(
                self,
                memory: &Memory<B, N>,
                size: usize,
                pair: (usize, usize),
                born: u64,
            ) -> u64 {
                match self {
                    $(Allocator::$allocator { .. } => $file::rank(memory, size, pair, born),)+
                }
            }

            /// What is remembered, as far as it decides.
            pub fn remembered<B: Bits, const N: usize>(
                self,
                memory: &Memory<B, N>,
                size: usize,
            ) -> Remembered {
                match self {
                    $(Allocator::$allocator { .. } => $file::remembered(memory, size),)+
                }
            }
        }
    };
}

allocators! {
    age::Age,
    islip::Islip(iterations: u8),
    matrix::Matrix,
    separable_input_first::SeparableInputFirst,
    separable_output_first::SeparableOutputFirst,
    wavefront::Wavefront,
}

/// What a row is granted if no other row asks for the columns that it asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Apart {
    /// That depends on the other rows, or on what is remembered about them.
    No,
    /// The first column, and nothing is remembered: the oldest goes first among the lanes of a port, too.
    ByAge,
    /// The column that has its turn; then the turns of both move on.
    InTurn,
    /// The same, but the turns of all columns that it asks for move on.
    AllInTurn,
}

/// An allocator in the table.
#[derive(Clone, Copy, Debug)]
pub struct AllocatorEntry {
    /// What users call it.
    pub name: &'static str,
    /// What it does, in one line.
    pub summary: &'static str,
    /// The allocator; iSLIP with one iteration.
    pub allocator: Allocator,
    apart: Apart,
    rules: &'static Rules,
}

flitwork_schema::part!(AllocatorEntry { name, summary }: "allocator", ALLOCATORS.to_vec());

impl Allocator {
    /// What users call it.
    pub fn name(self) -> &'static str {
        self.entry().name
    }

    /// Its rules in a router with virtual channels.
    pub fn rules(self) -> &'static Rules {
        self.entry().rules
    }

    /// Whether rows that ask for different columns don't affect each other.
    #[inline]
    pub fn settles_apart(self) -> bool {
        self.entry().apart != Apart::No
    }

    /// Whether it depends on the age of packets.
    #[inline]
    fn goes_by_age(self) -> bool {
        self.entry().apart == Apart::ByAge
    }

    /// What a row is granted if no other row asks for its columns, by an allocator that settles such rows
    /// separately ([`Allocator::settles_apart`]).
    #[inline]
    pub fn allocate_apart<B: Bits, const N: usize>(
        self,
        memory: &mut Memory<B, N>,
        size: usize,
        (row, columns): (usize, B),
    ) -> usize {
        let apart = self.entry().apart;
        if apart == Apart::ByAge {
            return columns.first();
        }
        if apart == Apart::AllInTurn {
            for column in columns.numbers() {
                memory.of_column[column] = after(row, size);
            }
        }
        let column = columns.first_from(memory.of_row[row].into());
        memory.note((row, column), (after(row, size), after(column, size)));
        column
    }
}

impl<B: Bits, const N: usize> Memory<B, N> {
    /// Records an allocation in which a row asked for one column that no other row asked for, by an allocator
    /// that settles such rows separately and isn't [`Allocator::Age`]; given are the numbers that follow the
    /// row and the column, wrapping around.
    #[inline]
    pub fn note(&mut self, (row, column): (usize, usize), (next_row, next_column): (u8, u8)) {
        self.of_column[column] = next_row;
        self.of_row[row] = next_column;
    }
}

/// The number after `number` below `size`, wrapping around.
#[inline]
fn after(number: usize, size: usize) -> u8 {
    let next = number + 1;
    if next == size { 0 } else { next as u8 }
}

#[cfg(test)]
mod tests;
