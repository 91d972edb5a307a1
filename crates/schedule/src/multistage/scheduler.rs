//! Gives the packets of a mesh their ways.

use super::diagonals::{Bits, Diagonals, Intervals, MAX_LINE};
use super::mesh::Place;
use super::order::{LongestTotal, Random};
use super::sorter::Sorter;
use super::{Bend, Mesh, Order, ProblemError, Selection, Ties, Way};
use crate::{Plan, Request};

/// By which rules packets get their ways.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rules {
    /// Which packets are first.
    pub order: Order,
    /// Which of those of one rank.
    pub ties: Ties,
    /// The seed of what looks random.
    pub seed: u64,
    /// Which paths are tried.
    pub selection: Selection,
}

impl Default for Rules {
    /// The paper's own: the longest total distance first, and `Path_Selection`. Ties are by source, row by row.
    fn default() -> Rules {
        Rules {
            order: Order::of::<LongestTotal>(),
            ties: Ties::SourceRowMajor,
            seed: 0,
            selection: Selection::PathSelection,
        }
    }
}

impl Rules {
    /// The same with random ties, those of a try: the first has the seed.
    #[must_use]
    pub fn with_random_ties(self, number: u32) -> Rules {
        Rules {
            ties: Ties::Random,
            seed: self.seed.wrapping_add(number.into()),
            ..self
        }
    }

    /// The same with a random order, that of a try: the first has the seed.
    #[must_use]
    pub fn with_random_order(self, number: u32) -> Rules {
        Rules {
            order: Order::of::<Random>(),
            seed: self.seed.wrapping_add(number.into()),
            ..self
        }
    }
}

/// What a schedule comes to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Its steps.
    pub makespan: u32,
    /// The fewest that any schedule can have: the steps of the longest distance, alone.
    pub distance: u32,
    /// The last step in which a packet leaves.
    pub latest_start: u32,
}

impl Summary {
    /// The steps beyond the distance.
    pub fn excess(&self) -> u32 {
        self.makespan - self.distance
    }

    fn add(&mut self, steps: u32, start: u32) {
        if steps > 0 {
            self.makespan = self.makespan.max(start + steps);
            self.distance = self.distance.max(steps);
            self.latest_start = self.latest_start.max(start);
        }
    }
}

/// Schedules problems of a mesh, one after the other; memory is kept for the next.
#[derive(Clone, Debug)]
pub struct Scheduler {
    mesh: Mesh,
    sorter: Sorter,
    ways: Vec<Way>,
    table: Table,
    /// The starts that the table has room for; more are made on demand.
    starts: u32,
}

/// Which links are taken.
#[derive(Clone, Debug)]
enum Table {
    Bits(Bits),
    Intervals(Intervals),
}

impl Scheduler {
    /// A scheduler with the memory that suits the mesh: bits for short lines, intervals for long ones.
    pub fn new(mesh: Mesh) -> Scheduler {
        if mesh.columns.max(mesh.rows) <= MAX_LINE {
            return Scheduler::with(mesh, Table::Bits(Bits::default()));
        }
        Scheduler::with_intervals(mesh)
    }

    /// A scheduler with intervals, however short the lines are. Its schedules are the same.
    pub fn with_intervals(mesh: Mesh) -> Scheduler {
        Scheduler::with(mesh, Table::Intervals(Intervals::default()))
    }

    fn with(mesh: Mesh, table: Table) -> Scheduler {
        // The latest start of longest-first is 29 at 1024 x 1024.
        let starts = ((mesh.columns + mesh.rows) / 4 + 1).min(32);
        Scheduler {
            mesh,
            sorter: Sorter::default(),
            ways: Vec::new(),
            table,
            starts,
        }
    }

    /// The mesh.
    pub fn mesh(&self) -> &Mesh {
        &self.mesh
    }

    /// Schedules packets by rules.
    ///
    /// # Errors
    /// A [`ProblemError`] for packets that aren't the mesh's.
    pub fn schedule(
        &mut self,
        requests: &[Request],
        rules: &Rules,
    ) -> Result<Summary, ProblemError> {
        self.mesh.admits(requests)?;
        Ok(self.schedule_admitted(requests, rules))
    }

    /// The order of packets by rules: their places, first to last.
    ///
    /// # Errors
    /// A [`ProblemError`] for packets that aren't the mesh's.
    pub fn order(&mut self, requests: &[Request], rules: &Rules) -> Result<&[u32], ProblemError> {
        self.mesh.admits(requests)?;
        self.sorter.sort(&self.mesh, requests, rules);
        Ok(&self.sorter.order)
    }

    /// The ways of the packets that were scheduled last, in the order of their requests.
    pub fn ways(&self) -> &[Way] {
        &self.ways
    }

    /// The plans of the packets that were scheduled last.
    pub fn plans(&self, requests: &[Request]) -> Vec<Plan> {
        let both = requests.iter().zip(&self.ways);
        both.map(|(request, way)| way.plan(self.mesh.grid(), request))
            .collect()
    }

    pub(super) fn schedule_admitted(&mut self, requests: &[Request], rules: &Rules) -> Summary {
        self.sorter.sort(&self.mesh, requests, rules);
        self.select(requests, rules.selection)
    }

    fn select(&mut self, requests: &[Request], selection: Selection) -> Summary {
        match selection {
            Selection::HorizontalFirst => self.place::<true, false>(requests),
            Selection::PathSelection => self.place::<true, true>(requests),
            Selection::VerticalFirst => self.place::<false, true>(requests),
        }
    }

    fn place<const ROWS: bool, const COLUMNS: bool>(&mut self, requests: &[Request]) -> Summary {
        let at_source = Way {
            start: 0,
            bend: Bend::HorizontalFirst,
        };
        self.ways.resize(requests.len(), at_source);
        let words = requests.iter().map(|it| it.words).max().unwrap_or(1);
        let lines = Lines::new(&self.mesh, self.starts, words);
        let order = &self.sorter.order;
        let ways = &mut self.ways;
        let (summary, starts) = match &mut self.table {
            Table::Bits(table) => {
                Placing::<_, ROWS, COLUMNS>::run(&self.mesh, table, lines, requests, order, ways)
            }
            Table::Intervals(table) => {
                Placing::<_, ROWS, COLUMNS>::run(&self.mesh, table, lines, requests, order, ways)
            }
        };
        self.starts = starts;
        summary
    }
}

/// How diagonals are numbered: all those of a line and direction together, rows eastwards and westwards, then columns
/// southwards and northwards.
#[derive(Clone, Copy)]
struct Lines {
    columns: u32,
    rows: u32,
    /// The starts for which there are diagonals.
    starts: u32,
    /// The most words of a packet.
    words: u32,
    /// The diagonals of a line and direction.
    each: usize,
}

impl Lines {
    fn new(mesh: &Mesh, starts: u32, words: u32) -> Lines {
        // A leg begins at most all other links of a path after the start.
        let each = (mesh.columns - 1) + (mesh.rows - 1) + starts + words - 1;
        Lines {
            columns: mesh.columns,
            rows: mesh.rows,
            starts,
            words,
            each: each as usize,
        }
    }

    fn count(&self) -> usize {
        2 * (self.columns as usize + self.rows as usize)
    }

    /// The leg along a row that begins `after` steps after the packet leaves.
    #[inline]
    fn row<D: Diagonals>(&self, y: u16, from: u16, to: u16, after: u32) -> Leg<D::Span> {
        self.leg::<D>(0, [self.rows, self.columns], y, [from, to], after)
    }

    /// The leg along a column.
    #[inline]
    fn column<D: Diagonals>(&self, x: u16, from: u16, to: u16, after: u32) -> Leg<D::Span> {
        let sides = [self.columns, self.rows];
        self.leg::<D>(2 * self.rows, sides, x, [from, to], after)
    }

    #[inline]
    fn leg<D: Diagonals>(
        &self,
        first: u32,
        [lines, side]: [u32; 2],
        line: u16,
        [from, to]: [u16; 2],
        after: u32,
    ) -> Leg<D::Span> {
        let (direction, diagonal) = if from < to {
            (0, side - 1 - u32::from(from))
        } else {
            (lines, u32::from(from))
        };
        let line = (first + direction + u32::from(line)) as usize;
        Leg {
            diagonal: line * self.each + (diagonal + after) as usize,
            span: D::span(from.min(to), from.max(to)),
        }
    }
}

/// The links of a line that a packet crosses.
#[derive(Clone, Copy)]
struct Leg<S> {
    /// The diagonal if it leaves in step 0; it is one further for each step.
    diagonal: usize,
    span: S,
}

/// The legs of both paths.
struct Legs<S> {
    horizontal_first: [Leg<S>; 2],
    vertical_first: [Leg<S>; 2],
}

impl<S: Copy> Legs<S> {
    #[inline]
    fn new<D: Diagonals<Span = S>>(lines: &Lines, from: Place, to: Place) -> Legs<S> {
        let ([x, y], [its_x, its_y]) = (from, to);
        let (across, along) = (x.abs_diff(its_x).into(), y.abs_diff(its_y).into());
        Legs {
            horizontal_first: [
                lines.row::<D>(y, x, its_x, 0),
                lines.column::<D>(its_x, y, its_y, across),
            ],
            vertical_first: [
                lines.column::<D>(x, y, its_y, 0),
                lines.row::<D>(its_y, x, its_x, along),
            ],
        }
    }

    #[inline]
    fn of(&self, bend: Bend) -> &[Leg<S>; 2] {
        match bend {
            Bend::HorizontalFirst => &self.horizontal_first,
            Bend::VerticalFirst => &self.vertical_first,
        }
    }
}

/// A problem whose packets get their ways: whether along rows first and along columns first are constants of the inner loop.
struct Placing<'a, D, const ROWS: bool, const COLUMNS: bool> {
    mesh: &'a Mesh,
    diagonals: &'a mut D,
    lines: Lines,
}

impl<'a, D: Diagonals, const ROWS: bool, const COLUMNS: bool> Placing<'a, D, ROWS, COLUMNS> {
    /// Gives each packet its way; the summary, and the starts that were needed.
    fn run(
        mesh: &'a Mesh,
        diagonals: &'a mut D,
        lines: Lines,
        requests: &[Request],
        order: &[u32],
        ways: &mut [Way],
    ) -> (Summary, u32) {
        diagonals.clear(lines.count() * lines.each);
        let mut placing: Self = Placing {
            mesh,
            diagonals,
            lines,
        };
        let mut summary = Summary::default();
        for packet in order {
            let request = &requests[*packet as usize];
            let way = placing.place(request, &mut summary);
            ways[*packet as usize] = way;
        }
        (summary, placing.lines.starts)
    }

    #[inline]
    fn place(&mut self, request: &Request, summary: &mut Summary) -> Way {
        let from = self.mesh.place(request.source);
        let to = self.mesh.place(request.destination);
        let links = u32::from(from[0].abs_diff(to[0])) + u32::from(from[1].abs_diff(to[1]));
        let (way, legs) = loop {
            let legs = Legs::new::<D>(&self.lines, from, to);
            match self.first_free(&legs, request.words) {
                Some(way) => break (way, legs),
                None => self.widen(),
            }
        };
        for leg in legs.of(way.bend) {
            let first = leg.diagonal + way.start as usize;
            for diagonal in first..first + request.words as usize {
                self.diagonals.take(diagonal, leg.span);
            }
        }
        if links > 0 {
            summary.add(links + request.words - 1, way.start);
        }
        way
    }

    /// The first stage from which a path is free, of those in the table.
    #[inline]
    fn first_free(&self, legs: &Legs<D::Span>, words: u32) -> Option<Way> {
        for start in 0..self.lines.starts {
            let bend = if ROWS && self.is_free(&legs.horizontal_first, start, words) {
                Bend::HorizontalFirst
            } else if COLUMNS && self.is_free(&legs.vertical_first, start, words) {
                Bend::VerticalFirst
            } else {
                continue;
            };
            return Some(Way { start, bend });
        }
        None
    }

    /// Whether both legs are free. A word follows the one before it on the next diagonal.
    #[inline]
    fn is_free(&self, legs: &[Leg<D::Span>; 2], start: u32, words: u32) -> bool {
        legs.iter().all(|leg| {
            let first = leg.diagonal + start as usize;
            let all = first..first + words as usize;
            all.into_iter()
                .all(|diagonal| self.diagonals.is_free(diagonal, leg.span))
        })
    }

    /// Makes room for more starts.
    #[cold]
    fn widen(&mut self) {
        let starts = self.lines.starts + self.lines.starts / 2 + 1;
        let wider = Lines::new(self.mesh, starts, self.lines.words);
        let count = wider.count();
        self.diagonals.widen(count, self.lines.each, wider.each);
        self.lines = wider;
    }
}
