//! A row of the table, and of the runs that it is made of.

use super::costs::{Costs, Counts, Spent};
use super::place::{Load, Place};
use super::run::{Measured, Run};
use crate::many::of_most;
use crate::seeds::{mean_of, over_seeds};
use crate::seen::{Served, served_columns, served_seed_columns};
use flitwork_measure::Estimate;
use flitwork_report::{Column, Table, column, estimate};

/// The unit of loads: time is the same for all designs.
pub(super) const LOAD: &str = "words/node/ns";
/// The unit of energy.
pub(super) const ENERGY: &str = "pJ/word";

/// A design on a network, over all seeds: see [`columns`].
#[derive(Clone, Debug)]
pub(crate) struct SelfTimedRow {
    pub(super) place: Place,
    pub(super) costs: Costs,
    pub(super) runs: Vec<Run>,
}

impl SelfTimedRow {
    pub(super) fn new(place: Place, costs: Costs, runs: Vec<Run>) -> SelfTimedRow {
        SelfTimedRow { place, costs, runs }
    }

    /// At the low load, if most runs were steady.
    pub(super) fn latency(&self) -> Option<Estimate> {
        let latencies: Vec<Option<f64>> = self.runs.iter().map(|run| run.low.latency).collect();
        of_most(&latencies)
    }

    /// At overload.
    pub(super) fn accepted(&self) -> Estimate {
        mean_of(self.runs.iter().map(|run| run.most.accepted))
    }

    /// Who is served at overload.
    pub(super) fn served(&self) -> Vec<Served> {
        self.runs.iter().map(|run| run.most.served).collect()
    }

    /// Of the clock, over the seeds: those of other chips may differ.
    pub(super) fn period_ps(&self) -> Option<f64> {
        let periods = self.runs.iter().filter_map(|run| run.period_ps);
        over_seeds(periods.map(|ps| ps as f64)).map(|mean| mean.mean)
    }

    fn spent(&self, run: &Run, load: Load) -> Option<Spent> {
        run.spent(&self.place, &self.costs, self.place.design.gating(), load)
    }

    /// A part of the energy at a load, in pJ per delivered word.
    pub(super) fn energy(&self, load: Load, of: fn(&Spent) -> f64) -> Option<Estimate> {
        let spent = self.runs.iter().filter_map(|run| self.spent(run, load));
        over_seeds(spent.map(|it| of(&it)))
    }
}

/// The columns that say which design of which network a row is about.
#[rustfmt::skip]
pub(super) fn place_columns<R: 'static>(of: impl Fn(&R) -> &Place + Copy + Send + Sync + 'static) -> Vec<Column<R>> {
    vec![
        column("router", "", "`chaos`, `wormhole` or `deflection`", move |it| of(it).router.name),
        column("topology", "", "`mesh` or `torus`", move |it| of(it).topology.clone()),
        column("link_segments", "", "the length of links", move |it| of(it).length),
        column("spread_percent", "%", "how far a node's delays lie from those of its corner at most", move |it| of(it).spread),
        column("design", "", "`clocked` for the slowest corner, `binned` for the chip's own, either `-gated`; `average`, or `self-timed`", move |it| of(it).design.name()),
        column("corner_percent", "%", "how much longer delays are than typical; missing for designs `clocked`, which run at one period in all corners", move |it| of(it).corner),
    ]
}

/// The columns of the study's table.
#[rustfmt::skip]
pub(super) fn columns() -> Vec<Column<SelfTimedRow>> {
    type Row = SelfTimedRow;
    let mut all = place_columns(|it: &Row| &it.place);
    all.push(column("period_ps", "ps", "of the clock, mean over seeds: each binned chip has a slowest node of its own", Row::period_ps));
    all.extend(estimate(("latency_mean", "latency"), "ns", "from creation to delivery, at the low load", Row::latency));
    all.extend(estimate(("accepted_load", "accepted_load"), LOAD, "what was delivered in the window at overload", |it: &Row| Some(it.accepted())));
    all.extend(estimate(("low_energy", "low_energy"), ENERGY, "of keeping time (clocks, steps, handshakes), per delivered word, at the low load", |it: &Row| it.energy(Load::Low, Spent::timing)));
    all.extend(estimate(("overload_energy", "overload_energy"), ENERGY, "the same at overload", |it: &Row| it.energy(Load::Most, Spent::timing)));
    all.extend(parts(Load::Low, "low", "at the low load"));
    all.extend(parts(Load::Most, "overload", "at overload"));
    all.extend(served_columns("ns", Row::served));
    all
}

/// The columns of what is spent at a load.
#[rustfmt::skip]
fn parts(load: Load, name: &str, at: &str) -> Vec<Column<SelfTimedRow>> {
    let mean = |what: &str, description: &str, of: fn(&Spent) -> f64| {
        column(format!("{name}_{what}_energy_pJ_per_word"), ENERGY, format!("{description}, {at}"), move |it: &SelfTimedRow| it.energy(load, of).map(|it| it.mean))
    };
    let mut all = vec![
        mean("clock", "of the clock outside and inside nodes", |it| it.clock),
        mean("step", "of the registers that self-timed steps open", |it| it.steps),
        mean("handshake", "of requests and acknowledges", |it| it.handshake),
        mean("datapath", "of buffers, crossbars, decisions and links", |it| it.datapath),
    ];
    let total = format!("{name}_total_energy");
    all.extend(estimate((&*total, &*total), ENERGY, format!("the sum, {at}"), move |it: &SelfTimedRow| it.energy(load, Spent::total)));
    all
}

/// The runs of all rows but those whose clocks are gated, which are the same runs.
#[rustfmt::skip]
pub(super) fn runs_table(rows: &[SelfTimedRow]) -> Table {
    type Of = (Place, Run);
    let own = rows.iter().enumerate().filter(|(at, row)| {
        !rows[..*at].iter().any(|other| other.place.as_run() == row.place.as_run())
    });
    let runs = own.flat_map(|(_, row)| row.runs.iter().map(|run| (row.place.as_run(), *run)));
    let mut columns = place_columns(|it: &Of| &it.0);
    columns.extend([
        column("seed", "", "of all random draws: the chip's nodes, their steps, traffic", |it: &Of| it.1.seed),
        column("period_ps", "ps", "of the clock", |it: &Of| it.1.period_ps),
        column("link_registers", "", "on each link", |it: &Of| it.1.registers),
        column("latency_mean_ns", "ns", "at the low load; missing if the run wasn't steady", |it: &Of| it.1.low.latency),
        column("accepted_load_words_per_node_ns", LOAD, "at overload", |it: &Of| it.1.most.accepted),
    ]);
    columns.extend(served_seed_columns("ns", |it: &Of| it.1.most.served));
    columns.extend(counted("low", "at the low load", |it| &it.low));
    columns.extend(counted("overload", "at overload", |it| &it.most));
    Table::new("runs", &columns, runs)
}

/// The columns of what happened at a load.
#[rustfmt::skip]
fn counted(name: &str, at: &str, of: fn(&Run) -> &Measured) -> Vec<Column<(Place, Run)>> {
    let count = |what: &str, unit: &'static str, description: &str, count: fn(&Counts) -> u64| {
        column(format!("{name}_{what}"), unit, format!("{description}, {at}"), move |it: &(Place, Run)| count(&of(&it.1).counts))
    };
    vec![
        count("words_delivered", "words", "in the window", |it| it.words),
        count("clock_ticks", "ticks", "of nodes' clocks", |it| it.ticks),
        count("idle_clock_ticks", "ticks", "of nodes that held nothing and received nothing", |it| it.idle_ticks),
        count("working_steps", "steps", "ticks and self-timed steps in which a node did something", |it| it.steps),
        count("handshake_transitions", "transitions", "of requests and acknowledges", |it| it.transitions),
        count("buffer_write_words", "words", "written into buffers", |it| it.writes),
        count("buffer_read_words", "words", "read from buffers", |it| it.reads),
        count("crossbar_words", "words", "through crossbars", |it| it.crossings),
        count("decisions", "", "heads, or packets, that were routed onward", |it| it.decisions),
        count("link_words", "words", "over links", |it| it.link_words),
    ]
}
