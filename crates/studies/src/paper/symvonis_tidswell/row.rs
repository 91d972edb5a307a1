//! A row, and its columns.

use super::cases::{Case, Sample};
use super::figure::wilson;
use flitwork_report::{Column, Places, Table, column};
use flitwork_schedule::multistage::Mended;
use flitwork_schedule::multistage::count::Counts;

/// The most nodes of a mesh whose first miss is shown.
const MOST_SHOWN_NODES: u32 = 1024;

/// How many permutations that miss are mended, and by what.
type Mends = [u64; MENDS.len()];

/// A column of it: its name, what it is, and which permutations it counts.
type Mend = (&'static str, &'static str, fn(&Mended) -> bool);

#[rustfmt::skip]
const MENDS: [Mend; 7] = [
    ("mend_tried", "misses that were to be mended", |_| true),
    ("mended", "of them by anything", Mended::is_mended),
    ("mended_by_ties", "by a random tie order", |it| it.ties.is_some()),
    ("mended_by_restarts", "by a random order", |it| it.restarts.is_some()),
    ("mended_by_waiting", "on shortest paths, where a packet may wait in each node", |it| it.waiting),
    ("mended_by_detours", "on any paths, without waiting", |it| it.detours),
    ("mended_by_both", "on any paths, with waiting", |it| it.waiting_and_detours),
];

/// One permutation that was to be mended.
pub(super) fn mends_of(mended: &Mended) -> Mends {
    MENDS.map(|(_, _, counts)| u64::from(counts(mended)))
}

pub(super) fn add(sums: &mut Mends, others: Mends) {
    sums.iter_mut()
        .zip(others)
        .for_each(|(sum, other)| *sum += other);
}

/// What permutations came to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) counts: Counts,
    pub(super) mends: Mends,
    /// The first that missed, after the number of its task.
    pub(super) first_miss: Option<(u32, Vec<u32>)>,
}

impl Found {
    /// Adds what another task found. The sum is the same in whichever order tasks end.
    pub(super) fn add(&mut self, other: Found) {
        self.counts = self.counts.with(other.counts);
        add(&mut self.mends, other.mends);
        let misses = self.first_miss.take().into_iter().chain(other.first_miss);
        self.first_miss = misses.min_by_key(|(task, _)| *task);
    }
}

/// A row.
#[derive(Clone, Debug)]
pub(super) struct Row {
    pub(super) case: Case,
    pub(super) found: Found,
    pub(super) seconds: f64,
}

impl Row {
    /// A figure of the share that misses, and of its interval if permutations were drawn; none if there are none.
    fn per_million(&self, figure: fn(f64, Option<(f64, f64)>) -> f64) -> Option<Places<2>> {
        let (misses, permutations) = (self.found.counts.misses, self.found.counts.permutations);
        let is_drawn = matches!(self.case.sample, Sample::Random(_));
        let ends = is_drawn.then(|| wilson(misses, permutations));
        let share = misses as f64 / permutations as f64;
        let found = 1e6 * figure(share, ends);
        found.is_finite().then_some(Places(found))
    }
}

/// The mesh and the rules of a row.
#[rustfmt::skip]
fn case_columns() -> [Column<Row>; 5] {
    [
        column("rows", "nodes", "of the mesh", |it: &Row| it.case.shape.rows),
        column("columns", "nodes", "of the mesh", |it: &Row| it.case.shape.columns),
        column("order", "", "of the packets that get paths", |it: &Row| it.case.rules.order.name()),
        column("select", "", "which paths are tried", |it: &Row| it.case.rules.selection.name()),
        column("ties", "", "which of two packets of one rank is first", |it: &Row| it.case.rules.ties.name()),
    ]
}

#[rustfmt::skip]
pub(super) fn columns(is_of_tables: bool, is_mending: bool) -> Vec<Column<Row>> {
    let mut columns = Vec::new();
    if is_of_tables {
        columns.push(column("table", "", "of the paper", |it: &Row| it.case.printed.map(|it| it.0)));
    }
    columns.extend(case_columns());
    columns.push(column("sample", "", "which permutations: all, random ones, or the given one", |it: &Row| it.case.sample.name()));
    if is_of_tables {
        columns.push(column("printed", "", "permutations that the paper scheduled", |it: &Row| it.case.printed.map(|it| it.1)));
    }
    columns.extend([
        column("of", "", "permutations to schedule", |it: &Row| it.case.sample.permutations(it.case.shape)),
        column("permutations", "", "scheduled: fewer if the user stopped", |it: &Row| it.found.counts.permutations),
        column("misses", "", "permutations whose schedule is longer than the longest distance", |it: &Row| it.found.counts.misses),
        column("misses_per_million", "", "of the permutations", |it: &Row| it.per_million(|share, _| share)),
        column("misses_per_million_low", "", "the lower end of the interval of 95 % (Wilson 1927); of random ones", |it: &Row| it.per_million(|_, ends| ends.map_or(f64::NAN, |it| it.0))),
        column("misses_per_million_high", "", "the upper end", |it: &Row| it.per_million(|_, ends| ends.map_or(f64::NAN, |it| it.1))),
        column("worst_excess", "steps", "the most by which one is longer", |it: &Row| it.found.counts.worst_excess),
        column("longest", "steps", "of the longest schedule", |it: &Row| it.found.counts.longest),
        column("latest_start", "step", "the last in which a packet leaves, from 0", |it: &Row| it.found.counts.latest_start),
    ]);
    if is_mending {
        columns.extend(MENDS.iter().enumerate().map(|(place, (name, what, _))| {
            column(*name, "", *what, move |it: &Row| it.found.mends[place])
        }));
    }
    columns.push(column("seconds", "s", "host time", |it: &Row| Places::<3>(it.seconds)));
    columns
}

/// The first permutation of each row that misses, as `--permutation` takes it.
#[rustfmt::skip]
pub(super) fn first_misses(rows: &[Row]) -> Table {
    let is_shown = |it: &&Row| it.found.first_miss.is_some() && it.case.shape.nodes() <= MOST_SHOWN_NODES;
    let mut columns = Vec::from(case_columns());
    columns.push(column("permutation", "", "the first that misses, as --permutation takes it", |it: &Row| it.found.first_miss.as_ref().map(|it| listed(&it.1))));
    Table::new("first_misses", &columns, rows.iter().filter(is_shown))
}

fn listed(nodes: &[u32]) -> String {
    let nodes: Vec<String> = nodes.iter().map(u32::to_string).collect();
    nodes.join(",")
}
