//! Section 2.2: worms are scheduled one after the other, each from the first step in which nothing is in its way.

use crate::context::Failed;
use crate::options::{Names, listed, name_of, or, seeds, side, whole};
use crate::paper::problems::Pattern;
use crate::seeds::distinct;
use crate::statics;
use clap::{Args, ValueEnum};
use flitwork_engine::{Control, Progress};
use flitwork_plot::{Curves, Drawable, Scale, Series, Style};
use flitwork_report::{Column, Places, column};
use flitwork_schedule::worms::{Bends, Order, first_fit_while};
use flitwork_topology::{Grid, Topology};
use flitwork_types::Cycle;
use std::fmt;
use std::time::Instant;

/// The greatest mesh: its worms are scheduled in half a minute.
const MOST_SIDE: u32 = 1024;
/// The longest worms: no schedule of the greatest mesh has more steps than can be counted.
const MOST_WORDS: u32 = 1 << 16;

/// Which worms are scheduled first.
#[rustfmt::skip]
const ORDERS: Names<Order> = &[
    ("column-major", Order::ColumnMajor, "By source, column after column"),
    ("lexicographic", Order::Lexicographic, "The greatest horizontal distance first, then the greatest vertical one: the paper's for k = 1"),
    ("longest-first", Order::LongestFirst, "The greatest distance first"),
    ("random", Order::Random, "Another order for each seed"),
    ("row-major", Order::RowMajor, "By source, row after row"),
    ("shortest-first", Order::ShortestFirst, "The smallest distance first"),
];

/// Which paths a worm may take.
#[rustfmt::skip]
const PATHS: Names<Bends> = &[
    ("horizontal-first", Bends::HorizontalFirst, "Along its row, then along its destination's column: the paper's"),
    ("either", Bends::Either, "That, or the column first, whichever it can start on earlier"),
];

/// Its options.
#[derive(Clone, Debug, Args)]
pub(super) struct Offline {
    /// Sides of the meshes in nodes, e.g. 600,1080; by default the experiment's own.
    #[arg(long, value_name = "N,…", value_parser = side, conflicts_with = "simulate")]
    n: Vec<u32>,
    /// Words of the worms; by default 1, 2 and 8, or 4 with --simulate.
    #[arg(long, value_name = "K,…", value_parser = |text: &str| whole(text, 1..=MOST_WORDS))]
    pub(super) k: Vec<u32>,
    /// Permutations to schedule; by default all of them.
    #[arg(long, value_enum, value_name = "NAME,…")]
    pub(super) pattern: Vec<Pattern>,
    /// Which worms are scheduled first.
    #[arg(
        long,
        value_parser = listed(ORDERS),
        value_name = "ORDER,…",
        conflicts_with = "simulate",
        default_value = "longest-first"
    )]
    order: Vec<Order>,
    /// Which paths a worm may take: along its row first, or whichever way it can start earlier.
    #[arg(
        long,
        value_parser = listed(PATHS),
        value_name = "PATHS,…",
        conflicts_with = "simulate",
        default_value = "horizontal-first"
    )]
    select: Vec<Bends>,
    /// The number of seeds. Means and intervals are over them.
    #[arg(long, default_value_t = 3, value_name = "COUNT", value_parser = seeds)]
    pub(super) seeds: u32,
}

/// What a row is about.
#[derive(Clone, Copy, Debug)]
pub(super) struct Case {
    n: u32,
    k: u32,
    pattern: Pattern,
    order: Order,
    select: Bends,
    seed: u32,
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (n, k, pattern, seed) = (self.n, self.k, self.pattern.pattern(), self.seed);
        let (order, select) = (self.order.name(), self.select.name());
        write!(f, "n = {n}, k = {k}, {pattern} {seed}, {order}, {select}")
    }
}

impl Case {
    /// It as a configuration.
    pub(super) fn to_toml(self) -> String {
        let (n, k, pattern, seed) = (self.n, self.k, self.pattern.pattern(), self.seed);
        let (order, select) = (self.order.name(), self.select.name());
        let drawn = match order {
            "random" => format!("seed = {seed}\n"),
            _ => String::new(),
        };
        let network = statics::network("mesh", [n, n]);
        let traffic = statics::traffic(&pattern, &format!("packet_words = {k}\n"), seed.into());
        format!(
            "{network}[schedule.worms]\norder = \"{order}\"\nselect = \"{select}\"\n{drawn}{traffic}"
        )
    }

    /// The steps that Theorem 1 allows: the last start, the longest distance, and the words behind the first.
    fn bound(&self) -> u64 {
        let (links, k) = (u64::from(2 * self.n - 2), u64::from(self.k));
        links * (2 * k - 1) + links + k - 1
    }

    /// Its row; none if the user asks to stop.
    pub(super) fn row(self, control: Control<'_>) -> Result<Option<Row>, Failed> {
        let go_on = &mut |_| control(Progress::at(Cycle::ZERO, 0)).is_continue();
        let begun = Instant::now();
        let mesh = Grid::mesh(&[self.n, self.n]).map_err(Failed::bad_input)?;
        let worms = self.pattern.worms(self.n, self.k, self.seed.into());
        let order = (self.order, self.seed.into());
        let starts = first_fit_while(&mesh, &worms, order, self.select, go_on);
        let starts = starts.map_err(|error| Failed::Failure(format!("{self}: {error}")))?;
        let Some(starts) = starts else {
            return Ok(None);
        };
        let ends = starts.iter().zip(&worms);
        let ends = ends.map(|(start, worm)| start.end(&mesh, worm));
        let distances = worms.iter();
        let distances = distances.map(|it| mesh.distance(it.source, it.destination));
        Ok(Some(Row {
            case: self,
            makespan: ends.max().unwrap_or(0),
            distance: distances.max().unwrap_or(0),
            latest_start: starts.iter().map(|way| way.start).max().unwrap_or(0),
            seconds: begun.elapsed().as_secs_f64(),
        }))
    }
}

/// A permutation that was scheduled.
#[derive(Clone, Debug)]
pub(super) struct Row {
    case: Case,
    makespan: u32,
    distance: u32,
    latest_start: u32,
    seconds: f64,
}

impl Row {
    fn ratio(&self) -> f64 {
        f64::from(self.makespan) / f64::from(self.case.k) / f64::from(self.case.n)
    }
}

impl Offline {
    fn patterns(&self) -> &[Pattern] {
        or(&self.pattern, Pattern::value_variants())
    }

    /// A case for each row; those in which nothing is drawn have one seed.
    pub(super) fn cases(&self) -> Result<Vec<Case>, Failed> {
        let mut cases = Vec::new();
        for n in or(&self.n, &[16, 32, 64]) {
            self.refuse(*n)?;
            for k in or(&self.k, &[1, 2, 8]) {
                for pattern in self.patterns() {
                    for order in &self.order {
                        let is_drawn = pattern.is_drawn() || *order == Order::Random;
                        let seeds = if is_drawn { self.seeds } else { 1 };
                        let selects = self.select.iter();
                        let of = |select| (1..=seeds).map(move |seed| (select, seed));
                        cases.extend(selects.flat_map(of).map(|(select, seed)| Case {
                            n: *n,
                            k: *k,
                            pattern: *pattern,
                            order: *order,
                            select: *select,
                            seed,
                        }));
                    }
                }
            }
        }
        Ok(cases)
    }

    fn refuse(&self, n: u32) -> Result<(), Failed> {
        let mut patterns = self.patterns().iter();
        let unfit = patterns.find(|pattern| !pattern.fits(n));
        let why = match unfit {
            _ if !(2..=MOST_SIDE).contains(&n) => format!("{n}; allowed: 2 to {MOST_SIDE} nodes"),
            Some(pattern) => {
                let name = name_of(*pattern);
                format!("{n}; allowed with --pattern {name}: powers of two up to {MOST_SIDE}")
            }
            None => return Ok(()),
        };
        Err(Failed::option("--n", why))
    }
}

#[rustfmt::skip]
pub(super) fn columns<R: 'static>(of: fn(&R) -> &Row) -> Vec<Column<R>> {
    vec![
        column("n", "nodes", "the side of the mesh", move |it| of(it).case.n),
        column("k", "words", "of a worm", move |it| of(it).case.k),
        column("pattern", "", "the permutation", move |it| name_of(of(it).case.pattern)),
        column("order", "", "which worms are scheduled first", move |it| of(it).case.order.name()),
        column("select", "", "which paths a worm may take", move |it| of(it).case.select.name()),
        column("seed", "", "of a random permutation or order", move |it| of(it).case.seed),
        column("makespan", "steps", "of the schedule", move |it| of(it).makespan),
        column("bound", "steps", "(2n - 2)(2k - 1) + 2n - 2 + k - 1: Theorem 1's for worms that go horizontally first", move |it| of(it).case.bound()),
        column("ratio", "", "makespan divided by kn", move |it| Places::<4>(of(it).ratio())),
        column("distance", "hops", "the longest of a worm", move |it| of(it).distance),
        column("latest_start", "step", "the last in which a worm starts, from 0", move |it| of(it).latest_start),
        column("seconds", "s", "host time", move |it| Places::<3>(of(it).seconds)),
    ]
}

/// The schedules' lengths over kn, over the side of the mesh, as an SVG document: the longest over the seeds.
pub(super) fn figure(rows: &[&Row]) -> String {
    let key = |row: &Row| {
        let it = &row.case;
        (it.k, it.pattern, it.order, it.select)
    };
    let keys = distinct(rows.iter().copied().map(key));
    let orders = distinct(rows.iter().map(|row| row.case.order)).len();
    let selects = distinct(rows.iter().map(|row| row.case.select)).len();
    let series = keys.into_iter().map(|of| {
        let own = rows.iter().copied().filter(|row| key(row) == of);
        let own: Vec<&Row> = own.collect();
        let sides = distinct(own.iter().map(|row| row.case.n));
        let most = |n: u32| {
            let ratios = own
                .iter()
                .filter(|row| row.case.n == n)
                .map(|row| row.ratio());
            (f64::from(n), ratios.fold(0.0, f64::max))
        };
        let (k, pattern, order, select) = of;
        let mut name = format!("k = {k}, {}", name_of(pattern));
        for (part, count) in [(order.name(), orders), (select.name(), selects)] {
            if count > 1 {
                name = format!("{name}, {part}");
            }
        }
        Series::new(name, Style::Curve, sides.into_iter().map(most).collect())
    });
    let curves = Curves {
        title: "Schedules of worms that never stop",
        x_label: "side of the mesh, n (nodes)",
        y_label: "steps / kn, maximum over the seeds",
        x_scale: Scale::Logarithmic,
        series: series.collect(),
        ..Curves::default()
    };
    curves.svg()
}
