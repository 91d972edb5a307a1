//! Rows: a run, or a lemma.

use super::cases::Case;
use super::lemmas::Lemma;
use super::workload::Workload;
use crate::seeds::{dash, distinct};
use flitwork_report::{Aligned, Column, Places, Table, column};
use flitwork_steps::multi_packet::{CutPhase, LowerBounds, Promises, Travelled};

/// A row of the table.
#[derive(Clone, Debug)]
pub(super) enum Row {
    /// A run.
    Run(Box<Routed>),
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
    /// The mean packets of a node in the fullest row or column when the first phase has ended.
    pub(super) fullest_line: Option<f64>,
    /// What has crossed the middle, if that is counted.
    pub(super) cuts: Vec<CutPhase>,
}

impl Routed {
    /// How many of the paper's terms of lower order the steps are above a leading term.
    fn over(&self, leading: f64) -> f64 {
        (f64::from(self.travelled.steps) - leading) / self.promises.excess_unit
    }

    /// None where the paper promises nothing.
    pub(super) fn excess(&self) -> Option<f64> {
        Some(self.over(self.promises.leading?))
    }

    fn average_excess(&self) -> Option<f64> {
        Some(self.over(self.average()?))
    }

    /// Of random problems the leading term of the average case.
    fn average(&self) -> Option<f64> {
        let average = self.promises.average;
        average.filter(|_| self.case.workload == Workload::Random)
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
        of("phase_steps", "steps", "of each phase in turn, and of the smearing after it if there is one", |it| listed(&it.travelled.phase_steps)),
        column("leading", "steps", "the leading term of what the paper promises; missing where it promises nothing", |it: &Row| it.run()?.promises.leading.map(Places::<1>)),
        column("excess", "", "the steps above the leading term, over the paper's term of lower order", |it: &Row| it.run()?.excess().map(Places::<2>)),
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
        column("fullest_line", "packets", "of a node on average, in the fullest row or column, when the first phase has ended; missing unless there are rows and columns, and the phase ends for all at once", |it: &Row| it.run()?.fullest_line.map(Places::<2>)),
        of("moves", "links", "that packets have crossed", |it| it.travelled.moves),
        of("smear", "", "whether packets were spread evenly after each phase but the last", |it| it.case.manner.smears),
        column("randomise", "", "whether packets were sent to random places first; missing for algorithms that always or never do", |it: &Row| it.run()?.case.randomises()),
        column("strips", "", "of `no-l`: `learnt`, or `own`", |it: &Row| it.run()?.case.strips()),
    ]
}

/// Runs as text, without what JSON has besides: what all have in common is said once.
pub(super) fn text(rows: &[Row]) -> String {
    let runs: Vec<Routed> = rows.iter().filter_map(Row::run).cloned().collect();
    let dashed = |found: Option<f64>| dash(found.map(|it| format!("{it:.2}")));
    let names = runs.iter().map(|it| it.case.name().chars().count());
    let width = names.max().unwrap_or(0).max("algorithm".len());
    let dimensions = distinct(runs.iter().map(|it| it.case.d));
    let priorities = distinct(runs.iter().map(|it| it.case.manner.priority));
    let mut common = Vec::new();
    let mut table = Aligned::<Routed>::new()
        .left("algorithm", width, |it| it.case.name())
        .left("topology", 8, |it| it.case.topology);
    table = match dimensions[..] {
        [d] => {
            common.push(format!("d = {d}"));
            table
        }
        _ => table.right("d", 1, |it| it.case.d),
    };
    table = table
        .right("n", 4, |it| it.case.n)
        .right("k", 4, |it| it.case.k)
        .left("workload", 8, |it| it.case.workload.name());
    table = match priorities[..] {
        [priority] => {
            common.push(format!("priority {}", priority.name()));
            table
        }
        _ => table.left("priority", 15, |it| it.case.manner.priority.name()),
    };
    table = table
        .left("phases", 9, |it| it.case.manner.phases.name())
        .right("seed", 4, |it| it.case.seed)
        .right("steps", 6, |it| it.travelled.steps)
        .right("leading", 8, |it| {
            dash(it.promises.leading.map(|it| format!("{it:.1}")))
        })
        .right("excess", 6, move |it| dashed(it.excess()));
    if runs.iter().any(|it| it.average().is_some()) {
        table = table.right("average_excess", 14, move |it| dashed(it.average_excess()));
    }
    table = table
        .right("bounds", 6, |it| it.bounds.most())
        .right("queue_max", 9, |it| it.travelled.queue_max);
    format!("Of all rows: {}\n\n", common.join(", "))
        + &table.text(&runs)
        + "\nexcess: the steps above the leading term, over the paper's term of lower order; average_excess: the same above the\n\
           term for random problems (section 7.4). bounds: steps that any algorithm takes. queue_max: the most packets in a node.\n"
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

/// A strip's cut in a phase.
struct Cut<'a> {
    run: &'a Routed,
    cut: CutPhase,
}

impl Cut<'_> {
    fn steps(&self) -> u32 {
        self.run.travelled.phase_steps[self.cut.phase]
    }

    /// The part of the phase's steps in which a link of the cut is busy.
    fn busy(&self) -> f64 {
        self.cut.packets as f64 / (f64::from(self.cut.links) * f64::from(self.steps()))
    }

    /// Whether both colours cross it, in a pass neither the first nor the last, all of them in that one phase.
    fn is_of_middle_pass(&self) -> bool {
        let all = self.run.cuts.iter();
        let passes: Vec<usize> = distinct(all.filter(|it| it.packets > 0).map(|it| it.phase));
        let ends = [passes.first(), passes.last()];
        !ends.contains(&Some(&self.cut.phase)) && passes.contains(&self.cut.phase)
    }
}

fn all_cuts(rows: &[Row]) -> Vec<Cut<'_>> {
    let runs = rows.iter().filter_map(Row::run);
    runs.flat_map(|run| run.cuts.iter().map(move |cut| Cut { run, cut: *cut }))
        .collect()
}

/// A table of what crosses the middle.
pub(super) fn cuts(rows: &[Row]) -> Table {
    let columns = [
        column("run", "", "which run", |it: &Cut<'_>| {
            it.run.case.to_string()
        }),
        column("phase", "", "its number, from 1", |it: &Cut<'_>| {
            it.cut.phase as u64 + 1
        }),
        column(
            "strip",
            "",
            "which strip of rows, from 0",
            |it: &Cut<'_>| it.cut.strip,
        ),
        column(
            "links",
            "links",
            "of the strip's cut, one way",
            |it: &Cut<'_>| it.cut.links,
        ),
        column("direction", "", "`east` or `west`", |it: &Cut<'_>| {
            if it.cut.grows { "east" } else { "west" }
        }),
        column(
            "packets",
            "packets",
            "that have crossed it",
            |it: &Cut<'_>| it.cut.packets,
        ),
        column("steps", "steps", "of the phase", |it: &Cut<'_>| it.steps()),
        column(
            "busy",
            "",
            "the part of the steps in which a link of it is busy, on average",
            |it: &Cut<'_>| it.busy(),
        ),
    ];
    Table::new("cuts", &columns, all_cuts(rows))
}

/// The same as text: a line for each run, of the passes in the middle.
pub(super) fn cuts_text(rows: &[Row], are_asked: bool) -> String {
    let mut out = String::new();
    let all = all_cuts(rows);
    for run in rows.iter().filter_map(Row::run).filter(|_| are_asked) {
        let own = all.iter().filter(|it| std::ptr::eq(it.run, run));
        let own: Vec<&Cut<'_>> = own.filter(|it| it.is_of_middle_pass()).collect();
        // The last strip may be narrower than the others.
        let links = own.iter().map(|it| it.cut.links).max();
        let own: Vec<&Cut<'_>> = own
            .into_iter()
            .filter(|it| Some(it.cut.links) == links)
            .collect();
        let Some(first) = own.first() else {
            if run.epsilon.is_some() {
                let case = &run.case;
                out += &format!(
                    "\n{case}: no pass is in the middle; --json and --out have all cuts\n"
                );
            }
            continue;
        };
        let mean = |of: &dyn Fn(&Cut<'_>) -> f64| {
            own.iter().map(|it| of(it)).sum::<f64>() / own.len() as f64
        };
        let most = own.iter().map(|it| it.busy()).fold(0.0, f64::max);
        out += &format!(
            "\n{}: in a pass in the middle a strip's cut of {} links passes {:.1} packets one way, on average; it is busy in {:.0} % of \
             the steps, at best {:.0} %\n",
            run.case,
            first.cut.links,
            mean(&|it| it.cut.packets as f64),
            100.0 * mean(&|it| it.busy()),
            100.0 * most,
        );
    }
    out
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
