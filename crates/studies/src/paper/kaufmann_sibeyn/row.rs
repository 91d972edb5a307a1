//! Rows: a run, or a lemma.

use super::cases::Case;
use super::lemmas::Lemma;
use super::workload::Workload;
use crate::seeds::dash;
use flitwork_report::{Aligned, Column, Places, Table, column};
use flitwork_steps::multi_packet::{LowerBounds, Promises, Travelled};

/// A row of the table.
#[derive(Clone, Debug)]
pub(super) enum Row {
    /// A run.
    Run(Routed),
    /// A lemma.
    Lemma(Lemma),
}

/// A problem that was routed.
#[derive(Clone, Debug)]
pub(super) struct Routed {
    pub(super) case: Case,
    pub(super) locality: u32,
    pub(super) epsilon: Option<u32>,
    pub(super) promises: Promises,
    pub(super) bounds: LowerBounds,
    /// By phase what Lemmas 2 and 7 say, where they do.
    pub(super) phase_lemmas: Option<Vec<u64>>,
    pub(super) travelled: Travelled,
}

impl Routed {
    /// How many of the paper's terms of lower order the steps are above a leading term.
    fn over(&self, leading: f64) -> f64 {
        (f64::from(self.travelled.steps) - leading) / self.promises.excess_unit
    }

    pub(super) fn excess(&self) -> f64 {
        self.over(self.promises.leading)
    }

    fn average_excess(&self) -> Option<f64> {
        self.average().map(|average| self.over(average))
    }

    /// Of random problems the leading term of the average case.
    fn average(&self) -> Option<f64> {
        (self.case.workload == Workload::Random).then_some(self.promises.average)
    }
}

fn listed<T: ToString>(all: &[T]) -> String {
    let all: Vec<String> = all.iter().map(T::to_string).collect();
    all.join(" ")
}

impl Row {
    pub(super) fn run(&self) -> Option<&Routed> {
        match self {
            Row::Run(routed) => Some(routed),
            Row::Lemma(_) => None,
        }
    }

    fn lemma(&self) -> Option<&Lemma> {
        match self {
            Row::Lemma(lemma) => Some(lemma),
            Row::Run(_) => None,
        }
    }
}

/// A column of runs.
fn of<T: flitwork_report::CellValue + 'static>(
    name: &'static str,
    unit: &'static str,
    what: &'static str,
    of: fn(&Routed) -> T,
) -> Column<Row>
where
    Option<T>: flitwork_report::CellValue,
{
    column(name, unit, what, move |it: &Row| it.run().map(of))
}

/// A column of lemmas.
fn of_lemma<T: flitwork_report::CellValue + 'static>(
    name: &'static str,
    unit: &'static str,
    what: &'static str,
    of: fn(&Lemma) -> T,
) -> Column<Row>
where
    Option<T>: flitwork_report::CellValue,
{
    column(name, unit, what, move |it: &Row| it.lemma().map(of))
}

#[rustfmt::skip]
pub(super) fn run_columns() -> Vec<Column<Row>> {
    vec![
        of("algorithm", "", "what routes", |it| it.case.algorithm.name()),
        of("topology", "", "`mesh` or `torus`", |it| it.case.topology),
        of("d", "", "dimensions", |it| it.case.d),
        of("n", "nodes", "the side", |it| it.case.n),
        of("k", "packets", "that a node sends and receives; of a worm its flits", |it| it.case.k),
        of("L", "nodes", "the farthest that a packet goes along an axis", |it| it.locality),
        column("epsilon", "nodes", "the width of the strips in which packets are spread; missing for algorithms without strips", |it: &Row| it.run()?.epsilon),
        of("workload", "", "what is routed", |it| it.case.workload.name()),
        of("priority", "", "which packet a link takes", |it| it.case.manner.priority.name()),
        of("phases", "", "when they end", |it| it.case.manner.phases.name()),
        of("flits", "flits", "of a packet", |it| it.case.packets_and_flits().1),
        of("seed", "", "of all random draws", |it| it.case.seed),
        of("steps", "steps", "until the last packet has arrived", |it| it.travelled.steps),
        of("phase_steps", "steps", "of each phase and of each smearing", |it| listed(&it.travelled.phase_steps)),
        of("leading", "steps", "the leading term of what the paper promises", |it| Places::<1>(it.promises.leading)),
        of("excess", "", "the steps above the leading term, over the paper's term of lower order", |it| Places::<2>(it.excess())),
        of("bounds", "steps", "that any algorithm takes for this problem: the greatest of the three bounds of section 2", |it| it.bounds.most()),
        of("queue_max", "packets", "the most in a node at the end of a step", |it| it.travelled.queue_max as u64),
        of("distance_bound", "steps", "by the farthest packet", |it| it.bounds.distance),
        of("bisection_bound", "steps", "by the packets that have to cross a cut", |it| it.bounds.bisection),
        of("availability_bound", "steps", "by the links that all packets have to cross", |it| it.bounds.availability),
        column("phase_lemmas", "steps", "of each phase by Lemma 2 or 7, computed from where its packets begin and end; missing where they don't say", |it: &Row| Some(listed(it.run()?.phase_lemmas.as_ref()?))),
        column("average", "steps", "the leading term for random problems (section 7.4)", |it: &Row| it.run()?.average().map(Places::<1>)),
        column("average_excess", "", "the steps above that, over the paper's term of lower order", |it: &Row| it.run()?.average_excess().map(Places::<2>)),
        column("smeared_max", "packets", "the most in a node when a smearing had ended", |it: &Row| it.run()?.travelled.smeared_max.map(|it| it as u64)),
        column("information_max", "packets", "the most information packets of a link in one direction; missing unless nodes learn the locality", |it: &Row| it.run()?.travelled.information_max),
        of("moves", "links", "that packets have crossed", |it| it.travelled.moves),
    ]
}

/// Runs as text, without what JSON has besides.
pub(super) fn text(rows: &[Row]) -> String {
    let runs: Vec<Routed> = rows.iter().filter_map(Row::run).cloned().collect();
    let dashed = |found: Option<f64>| dash(found.map(|it| format!("{it:.2}")));
    Aligned::<Routed>::new()
        .left("algorithm", 14, |it| it.case.algorithm.name())
        .left("on", 5, |it| it.case.topology)
        .right("d", 1, |it| it.case.d)
        .right("n", 4, |it| it.case.n)
        .right("k", 4, |it| it.case.k)
        .left("workload", 8, |it| it.case.workload.name())
        .left("priority", 15, |it| it.case.manner.priority.name())
        .left("phases", 9, |it| it.case.manner.phases.name())
        .right("seed", 4, |it| it.case.seed)
        .right("steps", 6, |it| it.travelled.steps)
        .right("leading", 8, |it| format!("{:.1}", it.promises.leading))
        .right("excess", 6, |it| format!("{:.2}", it.excess()))
        .right("average", 7, move |it| dashed(it.average_excess()))
        .right("bound", 6, |it| it.bounds.most())
        .right("queue", 6, |it| it.travelled.queue_max)
        .text(&runs)
        + "\nexcess: the steps above the leading term, over the paper's term of lower order; average: the same above the term for\n\
           random problems (section 7.4). bound: steps that any algorithm takes. queue: the most packets in a node.\n"
}

#[rustfmt::skip]
pub(super) fn lemma_columns() -> Vec<Column<Row>> {
    vec![
        of_lemma("lemma", "", "its number in the paper", |it| it.lemma),
        of_lemma("topology", "", "`line` or `ring`", |it| it.topology),
        of_lemma("priority", "", "which packet a link takes", |it| it.priority),
        of_lemma("instances", "", "that were routed", |it| it.instances),
        of_lemma("equal", "", "whose steps are what the lemma says", |it| it.equal),
        of_lemma("fewer", "", "that took fewer steps", |it| it.fewer),
        of_lemma("more", "", "that took more steps", |it| it.more),
        of_lemma("which", "", "which instances", |it| it.which),
    ]
}

/// A table of phases.
pub(super) fn phases(rows: &[Row]) -> Table {
    struct Phase<'a> {
        run: &'a Routed,
        number: usize,
    }
    let runs = rows.iter().filter_map(Row::run);
    let phases: Vec<Phase<'_>> = runs
        .flat_map(|run| {
            (0..run.travelled.phase_steps.len()).map(move |number| Phase { run, number })
        })
        .collect();
    let columns = [
        column("run", "", "which run", |it: &Phase<'_>| {
            it.run.case.to_string()
        }),
        column("phase", "", "its number, from 1", |it: &Phase<'_>| {
            it.number as u64 + 1
        }),
        column("steps", "steps", "that it took", |it: &Phase<'_>| {
            it.run.travelled.phase_steps[it.number]
        }),
        column(
            "lemma",
            "steps",
            "by Lemma 2 or 7; missing where they don't say",
            |it: &Phase<'_>| it.run.phase_lemmas.as_ref()?.get(it.number).copied(),
        ),
    ];
    Table::new("phases", &columns, &phases)
}
