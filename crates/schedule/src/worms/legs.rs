//! The legs of the worms that have been placed, and the first step in which another has no leg in its way.
//!
//! A line of nodes carries worms in two directions. One that moves towards greater coordinates is at x in step t with t - x
//! fixed, one that moves towards smaller ones with t + x fixed: its diagonal D. Where a worm of k words and one of j words both
//! use some link of a line in one direction, the second has its words on it at other times than the first if its own diagonal
//! isn't one of D - j + 1 … D + k - 1: for equal lengths, of 2k - 1.
//!
//! Legs are kept in a list for each line and direction. A worm's first start follows from the steps that the legs of its two
//! lines forbid, which are few: at most those of the worms that share its row or its column.

use super::{Bend, Bends, MAX_STEP, Way};
use crate::Request;

/// A leg of a worm that has no start yet.
#[derive(Clone, Copy)]
struct Run {
    /// The line and direction: an index into [`Table::lines`].
    line: usize,
    /// The first and the last link, as coordinates of the nodes that they leave.
    links: (u32, u32),
    /// The diagonal for a start in step 0.
    diagonal: i64,
}

/// A leg of a worm that has been placed.
struct Leg {
    links: (u32, u32),
    diagonal: i64,
    words: i64,
}

/// All legs that have been placed.
pub(super) struct Table {
    width: u32,
    /// For each row the one to the east and the one to the west, then for each column the one to the south and the one to the
    /// north.
    lines: Vec<Vec<Leg>>,
    /// Where the columns begin.
    columns: usize,
    /// First and last steps that are forbidden, while a worm is placed.
    forbidden: Vec<(i64, i64)>,
}

/// The leg along a line from one coordinate to another that begins so many steps after the worm, if it has any link.
fn run(line: usize, from: u32, to: u32, after: u32) -> Option<Run> {
    let after = i64::from(after);
    match from.cmp(&to) {
        std::cmp::Ordering::Less => Some(Run {
            line,
            links: (from, to - 1),
            diagonal: after - i64::from(from),
        }),
        std::cmp::Ordering::Equal => None,
        std::cmp::Ordering::Greater => Some(Run {
            line: line + 1,
            links: (to + 1, from),
            diagonal: after + i64::from(from),
        }),
    }
}

impl Table {
    pub(super) fn new(width: u32, height: u32) -> Table {
        let columns = 2 * height as usize;
        let lines = columns + 2 * width as usize;
        Table {
            width,
            lines: (0..lines).map(|_| Vec::new()).collect(),
            columns,
            forbidden: Vec::new(),
        }
    }

    /// Places a worm, unless it would be under way for too long.
    pub(super) fn place(&mut self, request: &Request, bends: Bends) -> Option<Way> {
        let mut bend = Bend::HorizontalFirst;
        let mut runs = self.runs(request, bend);
        let mut step = self.earliest(&runs, request.words);
        if bends == Bends::Either && step > 0 {
            let other = self.runs(request, Bend::VerticalFirst);
            let its = self.earliest(&other, request.words);
            if its < step {
                (bend, runs, step) = (Bend::VerticalFirst, other, its);
            }
        }
        let links = runs
            .iter()
            .flatten()
            .map(|run| run.links.1 - run.links.0 + 1);
        let end = step + links.map(i64::from).sum::<i64>() + i64::from(request.words);
        if end > i64::from(MAX_STEP) {
            return None;
        }
        for run in runs.into_iter().flatten() {
            self.lines[run.line].push(Leg {
                links: run.links,
                diagonal: step + run.diagonal,
                words: request.words.into(),
            });
        }
        Some(Way {
            start: step as u32,
            bend,
        })
    }

    /// The two legs of a worm.
    fn runs(&self, request: &Request, bend: Bend) -> [Option<Run>; 2] {
        let place = |node: u32| (node % self.width, node / self.width);
        let (from, to) = (place(request.source.0), place(request.destination.0));
        let row = |y: u32| 2 * y as usize;
        let column = |x: u32| self.columns + 2 * x as usize;
        match bend {
            Bend::HorizontalFirst => [
                run(row(from.1), from.0, to.0, 0),
                run(column(to.0), from.1, to.1, from.0.abs_diff(to.0)),
            ],
            Bend::VerticalFirst => [
                run(column(from.0), from.1, to.1, 0),
                run(row(to.1), from.0, to.0, from.1.abs_diff(to.1)),
            ],
        }
    }

    /// The first step that no leg forbids.
    fn earliest(&mut self, runs: &[Option<Run>; 2], words: u32) -> i64 {
        let words = i64::from(words);
        self.forbidden.clear();
        for run in runs.iter().flatten() {
            let (first, last) = run.links;
            for leg in &self.lines[run.line] {
                if leg.links.0 <= last && first <= leg.links.1 {
                    let same = leg.diagonal - run.diagonal;
                    self.forbidden
                        .push((same - words + 1, same + leg.words - 1));
                }
            }
        }
        self.forbidden.sort_unstable_by_key(|(first, _)| *first);
        let mut step = 0;
        for &(first, last) in &self.forbidden {
            if step < first {
                break;
            }
            step = step.max(last + 1);
        }
        step
    }
}
