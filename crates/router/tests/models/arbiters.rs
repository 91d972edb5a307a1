//! Allocators as the papers describe them, with lists and loops in place of sets of bits.
//!
//! A request matrix has a row for each requester and a column for each resource. Round robin starts at number
//! 0, as do queues and diagonals.

use flitwork_router::allocate::Allocator;

/// The requests: `matrix[row][column]`.
pub(crate) type Matrix = Vec<Vec<bool>>;

/// An allocator and what it remembers.
#[derive(Clone)]
pub(crate) struct Arbiters {
    allocator: Allocator,
    size: usize,
    /// Round robin: the number with the highest priority, for each column and for each row.
    of_column: Vec<usize>,
    of_row: Vec<usize>,
    /// The diagonal with the highest priority.
    diagonal: usize,
    /// Queues in which the least recently served is first, for each column and for each row.
    column_queues: Vec<Vec<usize>>,
    row_queues: Vec<Vec<usize>>,
}

/// The first of `numbers` from `from` on, wrapping around.
fn round_robin(size: usize, from: usize, numbers: impl Fn(usize) -> bool) -> Option<usize> {
    (0..size)
        .map(|step| (from + step) % size)
        .find(|number| numbers(*number))
}

/// Moves a number to the end of a queue.
fn served(queue: &mut Vec<usize>, number: usize) {
    queue.retain(|other| *other != number);
    queue.push(number);
}

/// Pairs that have been matched.
#[derive(Default)]
struct Matched(Vec<(usize, usize)>);

impl Matched {
    fn row(&self, row: usize) -> bool {
        self.0.iter().any(|pair| pair.0 == row)
    }

    fn column(&self, column: usize) -> bool {
        self.0.iter().any(|pair| pair.1 == column)
    }
}

/// Whether there is a model of an allocator: one that is new may have none yet.
pub(crate) fn has_model(allocator: Allocator) -> bool {
    use Allocator::{Age, Islip, Matrix, SeparableInputFirst, SeparableOutputFirst, Wavefront};
    matches!(
        allocator,
        Age | Islip(_) | Matrix | SeparableInputFirst | SeparableOutputFirst | Wavefront
    )
}

impl Arbiters {
    pub(crate) fn new(allocator: Allocator, size: usize) -> Arbiters {
        let queues = vec![(0..size).collect(); size];
        Arbiters {
            allocator,
            size,
            of_column: vec![0; size],
            of_row: vec![0; size],
            diagonal: 0,
            column_queues: queues.clone(),
            row_queues: queues,
        }
    }

    /// The pairs that are matched, by row. `born` is the cycle in which the packet behind a request was made.
    pub(crate) fn allocate(
        &mut self,
        asked: &Matrix,
        born: impl Fn(usize, usize) -> u64,
    ) -> Vec<(usize, usize)> {
        if asked.iter().flatten().all(|asks| !asks) {
            return Vec::new();
        }
        let mut pairs = match self.allocator {
            Allocator::Age => self.oldest_first(asked, born),
            Allocator::Islip(iterations) => self.islip(asked, iterations),
            Allocator::Matrix => self.least_recently_served(asked),
            Allocator::SeparableInputFirst => self.rows_first(asked),
            Allocator::SeparableOutputFirst => self.columns_first(asked),
            Allocator::Wavefront => self.wavefront(asked),
            other => unreachable!("{other:?} has no model"),
        };
        pairs.sort_unstable();
        pairs
    }

    /// The oldest request, then the oldest of those that are left; among equally old ones the lowest row's,
    /// then the lowest column's.
    fn oldest_first(
        &self,
        asked: &Matrix,
        born: impl Fn(usize, usize) -> u64,
    ) -> Vec<(usize, usize)> {
        let mut requests = Vec::new();
        for (row, columns) in asked.iter().enumerate() {
            for column in (0..self.size).filter(|column| columns[*column]) {
                requests.push((born(row, column), row, column));
            }
        }
        requests.sort_unstable();
        let mut matched = Matched::default();
        for (_, row, column) in requests {
            if !matched.row(row) && !matched.column(column) {
                matched.0.push((row, column));
            }
        }
        matched.0
    }

    /// McKeown 1999, section III. *Request*: each unmatched row asks. *Grant*: each unmatched column grants
    /// the row that comes next by round robin. *Accept*: each row accepts the grant that comes next. Both
    /// pointers move to one beyond, modulo the size, where a grant is accepted, in the first iteration only.
    fn islip(&mut self, asked: &Matrix, iterations: u8) -> Vec<(usize, usize)> {
        let size = self.size;
        let mut matched = Matched::default();
        for iteration in 0..iterations {
            let grant = |column: usize| {
                let may = |row: usize| asked[row][column] && !matched.row(row);
                let free = !matched.column(column);
                round_robin(size, self.of_column[column], may).filter(|_| free)
            };
            let grants: Vec<Option<usize>> = (0..size).map(grant).collect();
            for row in 0..size {
                let granted = |column: usize| grants[column] == Some(row);
                if let Some(column) = round_robin(size, self.of_row[row], granted) {
                    matched.0.push((row, column));
                    if iteration == 0 {
                        self.of_column[column] = (row + 1) % size;
                        self.of_row[row] = (column + 1) % size;
                    }
                }
            }
        }
        matched.0
    }

    /// Dally and Towles 2004, sections 18.5 and 19.3: matrix arbiters grant the least recently served;
    /// columns choose first, then rows, and only those that are finally served move to the back.
    fn least_recently_served(&mut self, asked: &Matrix) -> Vec<(usize, usize)> {
        let first = |queue: &[usize], asks: &dyn Fn(usize) -> bool| {
            queue.iter().copied().find(|number| asks(*number))
        };
        let columns = self.column_queues.iter().enumerate();
        let grants: Vec<Option<usize>> = columns
            .map(|(column, queue)| first(queue, &|row| asked[row][column]))
            .collect();
        let rows = self.row_queues.iter().enumerate();
        let pairs: Vec<(usize, usize)> = rows
            .filter_map(|(row, queue)| {
                first(queue, &|column| grants[column] == Some(row)).map(|column| (row, column))
            })
            .collect();
        for (row, column) in &pairs {
            served(&mut self.column_queues[*column], *row);
            served(&mut self.row_queues[*row], *column);
        }
        pairs
    }

    /// Dally and Towles 2004, section 19.3: rows choose by round robin, then columns choose among the rows
    /// that chose them. The pointers of both sides of a match move on.
    fn rows_first(&mut self, asked: &Matrix) -> Vec<(usize, usize)> {
        let size = self.size;
        let choices: Vec<Option<usize>> = (0..size)
            .map(|row| round_robin(size, self.of_row[row], |column| asked[row][column]))
            .collect();
        let mut pairs = Vec::new();
        for column in 0..size {
            let chose = |row: usize| choices[row] == Some(column);
            if let Some(row) = round_robin(size, self.of_column[column], chose) {
                pairs.push((row, column));
                self.of_column[column] = (row + 1) % size;
                self.of_row[row] = (column + 1) % size;
            }
        }
        pairs
    }

    /// The same with columns first, whose pointers move on with every choice, accepted or not.
    fn columns_first(&mut self, asked: &Matrix) -> Vec<(usize, usize)> {
        let size = self.size;
        let mut choices = Vec::new();
        for (column, pointer) in self.of_column.iter_mut().enumerate() {
            let choice = round_robin(size, *pointer, |row| asked[row][column]);
            if let Some(row) = choice {
                *pointer = (row + 1) % size;
            }
            choices.push(choice);
        }
        let mut pairs = Vec::new();
        for row in 0..size {
            let chose = |column: usize| choices[column] == Some(row);
            if let Some(column) = round_robin(size, self.of_row[row], chose) {
                pairs.push((row, column));
                self.of_row[row] = (column + 1) % size;
            }
        }
        pairs
    }

    /// Tamir and Chi 1993: the diagonals of the matrix one after the other, each with all of its requests
    /// that can still be granted. On diagonal d row and column add up to d, modulo the size. The first
    /// diagonal advances with each allocation.
    fn wavefront(&mut self, asked: &Matrix) -> Vec<(usize, usize)> {
        let size = self.size;
        let mut matched = Matched::default();
        for wave in 0..size {
            for (row, columns) in asked.iter().enumerate() {
                for (column, asks) in columns.iter().enumerate() {
                    let on_diagonal = (row + column) % size == (self.diagonal + wave) % size;
                    let free = !matched.row(row) && !matched.column(column);
                    if *asks && on_diagonal && free {
                        matched.0.push((row, column));
                    }
                }
            }
        }
        self.diagonal = (self.diagonal + 1) % size;
        matched.0
    }
}
