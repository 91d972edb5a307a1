//! The study of load under clocks, as text and as figures.

use super::{AsyncLoad, AsyncLoadRow, DRAIN_CYCLES};
use crate::axes::base_text;
use crate::contract::StudyFigure;
use crate::seeds::{counted, dash, distinct};
use crate::study::clocking::{Clocking, change};
use flitwork_measure::Reason;
use flitwork_plot::Drawable;
use flitwork_plot::load_curves::{LoadCurves, Point, Shown};
use flitwork_report::{Aligned, load_unit};
use std::fmt::Write;

/// What the letters in the tables mean.
const LETTERS: &str = "In parentheses, what is not steady in most runs: o overload, b the sources' \
    backlog grows, f too few\nobservations, w the warm-up is too short, t a trend, s a window too short to tell. \
    At overload the mean is over the packets delivered in the window.\n";

/// The rows of a network and a pattern: for each of the clocks, in the order of the loads.
struct Panel<'a>(&'a [AsyncLoadRow]);

fn panels(rows: &[AsyncLoadRow]) -> impl Iterator<Item = Panel<'_>> {
    let key = |row: &AsyncLoadRow| (row.topology, row.pattern);
    let panels = rows.chunk_by(move |one, other| key(one) == key(other));
    panels.map(Panel)
}

/// The rows as tables, and the conclusions in sentences.
pub(super) fn async_load_text(asked: &AsyncLoad, rows: &[AsyncLoadRow]) -> String {
    let mut out = format!(
        "Chaos with asynchronous nodes, {0} x {0} nodes, {1} measured cycles, {2}, 95 % intervals\n\
         Loads in words/node/cycle, latencies in cycles, both of the nominal clock\n{LETTERS}{3}",
        asked.side,
        asked.cycles,
        counted(asked.repeats.seeds as usize, "seed"),
        base_text([""; 0], &asked.repeats.set),
    );
    for panel in panels(rows) {
        let title = |what: &str| format!("\n{}: {what}\n", panel.title());
        out += &title("latency, mean");
        out += &panel.table(|row| latency(row, row.latency.map(|mean| format!("{mean:.1}"))));
        out += &title("latency, 99th percentile");
        out += &panel.table(|row| latency(row, row.latency_p99.map(|p99| format!("{p99:.0}"))));
        out += &title("accepted load");
        out += &panel.table(|row| format!("{:.4}", row.accepted));
    }
    out.push('\n');
    for panel in panels(rows) {
        let all = [
            panel.latency_sentence(),
            panel.load_sentence(),
            panel.left_sentence(),
        ];
        for sentence in all.into_iter().flatten() {
            let _ = writeln!(out, "{}{sentence}", panel.title());
        }
    }
    out
}

/// A latency, in parentheses where the network wasn't in its steady state.
fn latency(row: &AsyncLoadRow, shown: Option<String>) -> String {
    let shown = dash(shown);
    let letter = match row.reason() {
        None => return shown,
        Some(Reason::Overload { .. }) => 'o',
        Some(Reason::BacklogGrows { .. }) => 'b',
        Some(Reason::TooFewObservations { .. }) => 'f',
        Some(Reason::WarmUpTooShort { .. }) => 'w',
        Some(Reason::Trend { .. }) => 't',
        Some(Reason::WindowTooShort { .. } | Reason::WindowCutShort { .. }) => 's',
    };
    format!("({shown}) {letter}")
}

impl<'a> Panel<'a> {
    fn title(&self) -> String {
        format!("{}, {}", self.0[0].topology, self.0[0].pattern)
    }

    /// The clocks of the rows, in their order.
    fn clockings(&self) -> Vec<Clocking> {
        distinct(self.0.iter().map(|row| row.clocking))
    }

    /// Whether synchronizers differ, so that they must be named.
    fn names_edges(&self) -> bool {
        distinct(self.0.iter().filter_map(|row| row.clocking.edges())).len() > 1
    }

    fn name(&self, clocking: Clocking) -> String {
        match clocking.edges() {
            Some(edges) if self.names_edges() => format!("{clocking}, {edges} e."),
            _ => clocking.to_string(),
        }
    }

    fn curve(&self, clocking: Clocking) -> impl Iterator<Item = &'a AsyncLoadRow> {
        let rows = self.0.iter();
        rows.filter(move |row| row.clocking == clocking)
    }

    /// A line per load, a column for each of the clocks.
    fn table(&self, cell: impl Fn(&AsyncLoadRow) -> String) -> String {
        let clockings = self.clockings().into_iter();
        let clockings: Vec<_> = clockings.map(|it| (it, self.name(it))).collect();
        let (head, cell) = (Aligned::new().right("load", 6, |load| *load), &cell);
        let columns = clockings.iter().fold(head, |columns, (clocking, name)| {
            columns.right(name, 19, move |load| {
                dash(self.row(*clocking, *load).map(cell))
            })
        });
        let mut loads = distinct(self.0.iter().map(|row| row.load));
        loads.sort_by(f64::total_cmp);
        columns.text(&loads)
    }

    fn row(&self, clocking: Clocking, load: f64) -> Option<&'a AsyncLoadRow> {
        self.curve(clocking).find(|row| row.load == load)
    }

    /// The highest load, if it is more than any of the networks carries. What they accept there is compared:
    /// each one's most may be accepted at another load, on the way to saturation.
    fn overload(&self) -> Option<f64> {
        let rows = self.0.iter();
        let highest = rows.clone().map(|row| row.load).max_by(f64::total_cmp)?;
        let mut there = rows.filter(|row| row.load == highest);
        let is_overloaded = |reason: Reason| reason.is_overload();
        let all = there.all(|row| row.reason().is_some_and(is_overloaded));
        all.then_some(highest)
    }

    /// The effect of a clock per node on latency, at the lowest load that is steady under one clock.
    fn latency_sentence(&self) -> Option<String> {
        let one = self.curve(Clocking::OneClock).find(|row| row.steady)?;
        let base = one.latency?.mean;
        let others = self.others(|clocking| {
            let row = self.row(clocking, one.load).filter(|row| row.steady)?;
            let mean = row.latency?.mean;
            let (added, change) = (mean - base, change(mean / base));
            Some(format!("{added:+.1} cycles ({change})"))
        })?;
        let load = one.load;
        Some(format!(
            ", load {load}: latency {base:.1} cycles under one clock; {others}."
        ))
    }

    /// The same on throughput.
    fn load_sentence(&self) -> Option<String> {
        let load = self.overload()?;
        let accepted = |clocking| Some(self.row(clocking, load)?.accepted.mean);
        let one = accepted(Clocking::OneClock)?;
        let others = self.others(|clocking| {
            let accepted = accepted(clocking)?;
            Some(format!("{accepted:.4} ({})", change(accepted / one)))
        })?;
        Some(format!(
            ", saturated at load {load}: {one:.4} words/node/cycle accepted under one clock; {others}."
        ))
    }

    fn left_sentence(&self) -> Option<String> {
        let left: u64 = self.0.iter().map(|row| row.left_packets).sum();
        (left > 0).then(|| {
            format!(": {left} packets of all runs were still in the network {DRAIN_CYCLES} cycles after the last entered.")
        })
    }

    /// What is found under each of the clocks but the one, and under which.
    fn others(&self, found: impl Fn(Clocking) -> Option<String>) -> Option<String> {
        let others = self.clockings().into_iter();
        let others = others.filter(|clocking| *clocking != Clocking::OneClock);
        let others = others.filter_map(|it| Some(format!("{} {}", found(it)?, self.with(it))));
        let others: Vec<String> = others.collect();
        (!others.is_empty()).then(|| others.join(", "))
    }

    fn with(&self, clocking: Clocking) -> String {
        match clocking {
            Clocking::SelfTimed => self.name(clocking),
            _ => format!("at {}", self.name(clocking)),
        }
    }

    fn figure(&self, asked: &AsyncLoad) -> StudyFigure {
        let named = self.clockings().into_iter().map(|clocking| {
            let points = self.curve(clocking).filter_map(point).collect();
            (self.name(clocking), points)
        });
        let (side, row) = (asked.side, &self.0[0]);
        let curves = LoadCurves {
            title: &format!("{side} x {side} {}", self.title()),
            over: None,
            shown: Shown::Latency,
            load_unit: load_unit(false),
            seeds: asked.repeats.seeds as usize,
            curves: &named.collect::<Vec<_>>(),
        };
        let name = format!("async-load-{}-{}.svg", row.topology, row.pattern);
        (name, curves.svg())
    }
}

/// A row's point, at what its sources offered.
fn point(row: &AsyncLoadRow) -> Option<Point> {
    let latency = row.latency?;
    Some(Point {
        x: row.offered.mean,
        y: latency.mean,
        half_width: latency.half_width,
        steady: row.steady,
        saturated: 2 * row.overloaded_seeds >= row.seeds,
    })
}

/// Latency over load, a curve for each of the clocks; a figure for each network and pattern.
pub(super) fn async_load_figures(asked: &AsyncLoad, rows: &[AsyncLoadRow]) -> Vec<StudyFigure> {
    panels(rows).map(|panel| panel.figure(asked)).collect()
}
