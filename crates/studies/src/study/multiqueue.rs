//! The effect of the multiqueue's size under overload; Chaos drains whatever it is.
//!
//! Sources offer a word per node and cycle, far more than the network accepts. Then they fall silent, and the
//! network must empty: with derouting it always does; without it a torus may not.

mod place;
#[cfg(test)]
mod tests;

use super::{Ran, Study, StudyEntry};
use crate::axes::base_text;
use crate::context::{Context, Failed};
use crate::many::{admit, alone, repeat_fallibly, rows_of};
use crate::options::{Repeats, jobs_or_cores};
use crate::seeds::{counted, dash, over_seeds};
use crate::seen::{self, Seen};
use clap::Args;
use flitwork_config::Catalogue;
use flitwork_measure::Estimate;
use flitwork_report::{Aligned, Column, Table, column, estimate};
use flitwork_sweep::pool::Stop;
use place::{Drain, Place, Run, places, refuse_set_of};
use std::collections::BTreeMap;

/// Its entry in the table.
pub(super) const ENTRY: StudyEntry = StudyEntry::of::<Multiqueue>(
    "multiqueue",
    "The effect of the multiqueue's size under overload, on a mesh and a torus, and how long the network takes to \
     drain afterwards",
);

/// Its options.
#[derive(Clone, Debug, Default, Args)]
// The seed's name when there was one.
#[command(mut_arg("first_seed", |it| it.alias("seed")))]
pub(super) struct Multiqueue {
    /// The topologies: mesh and torus.
    #[arg(long, value_name = "NAME,…", default_value = "mesh,torus")]
    topologies: Vec<String>,
    /// The side of the square networks, in nodes.
    #[arg(long, default_value_t = 16, value_name = "NODES")]
    side: u32,
    /// Cycles of overload; the second half is measured. Networks with large multiqueues change slowly: after few cycles they look better
    /// than they are.
    #[arg(long, default_value_t = 200_000, value_parser = clap::value_parser!(u32).range(2..=1_000_000_000))]
    cycles: u32,
    /// Traffic patterns without parameters.
    #[arg(long, value_name = "NAME,…", default_value = "uniform,bit-complement")]
    patterns: Vec<String>,
    /// Sizes of the multiqueue, in frames.
    #[arg(long, value_name = "N,…", default_value = "1,2,3,4,5,6,7,8")]
    frames: Vec<usize>,
    /// Minimal Chaos: full multiqueues don't deroute.
    #[arg(long)]
    no_derouting: bool,
    /// How often.
    #[command(flatten)]
    repeats: Repeats<5>,
}

/// A place with all seeds.
#[derive(Clone, Debug)]
pub(super) struct MultiqueueRow {
    place: Place,
    seen: Vec<Seen>,
    /// Of the same runs.
    drains: Vec<Drain>,
}

impl MultiqueueRow {
    fn new(place: &Place, runs: Vec<Run>) -> MultiqueueRow {
        let (seen, drains) = runs.into_iter().map(|run| (run.seen, run.drain)).unzip();
        MultiqueueRow {
            place: place.clone(),
            seen,
            drains,
        }
    }

    fn mean(&self, of: fn(&Drain) -> f64) -> Option<Estimate> {
        over_seeds(self.drains.iter().map(of))
    }

    /// The times of those that emptied, ascending.
    fn drained(&self) -> Vec<u32> {
        let mut all: Vec<u32> = self.drains.iter().filter_map(|run| run.after).collect();
        all.sort_unstable();
        all
    }

    /// When half of the seeds' networks were empty.
    fn drained_median(&self) -> Option<u32> {
        let half = self.drains.len().div_ceil(2);
        self.drained().get(half.checked_sub(1)?).copied()
    }

    /// When all of them were.
    fn drained_worst(&self) -> Option<u32> {
        let drained = self.drained();
        let is_all = drained.len() == self.drains.len();
        drained.last().copied().filter(|_| is_all)
    }

    fn left(&self) -> u64 {
        self.drains.iter().map(|run| run.left).sum()
    }
}

impl Study for Multiqueue {
    type Row = MultiqueueRow;

    fn run(&self, context: &mut dyn Context) -> Result<Ran<MultiqueueRow>, Failed> {
        let catalogue = context.catalogue().clone();
        let places = places(self, &catalogue)?;
        refuse_set_of(self, &places)?;
        let Repeats { over, jobs, .. } = &self.repeats;
        let first = places
            .iter()
            .map(|place| place.resolve(self, &catalogue, over.first_seed));
        admit(jobs_or_cores(*jobs), over.seeds, first)?;
        let run = |place: &Place, seed, stop: &Stop| place.run(self, &catalogue, seed, stop);
        let runs = repeat_fallibly(context, &places, (over, *jobs), run)?;
        let done: Vec<_> = places.into_iter().zip(runs).collect();
        Ok(rows_of(&done, alone, |(place, runs)| {
            Some(MultiqueueRow::new(place, runs.clone()?))
        }))
    }

    #[rustfmt::skip]
    fn columns(&self) -> Vec<Column<MultiqueueRow>> {
        let mut all = place_columns(|it: &MultiqueueRow| &it.place);
        all.push(column("seeds", "", "runs: one per seed", |it: &MultiqueueRow| it.drains.len() as u64));
        all.extend(estimate(("accepted_load", "accepted_load"), "words/node/cycle", "what was delivered in the window", |it: &MultiqueueRow| seen::over(&it.seen, |run| run.accepted)));
        all.extend(estimate(("deroutes_per_hop", "deroutes_per_hop"), "", "of all hops in the whole run", |it: &MultiqueueRow| it.mean(|run| run.deroutes_per_hop)));
        all.extend([
            column("buffer_packets_mean", "packets", "in a multiqueue, mean over nodes, window and seeds", |it: &MultiqueueRow| it.mean(|run| run.multiqueue_mean).map(|mean| mean.mean)),
            column("buffer_half_width_packets", "packets", "half the width of its 95 % interval over seeds; missing with one seed", |it: &MultiqueueRow| it.mean(|run| run.multiqueue_mean)?.half_width),
            column("drained_after_cycles", "cycles", "from the sources' last packet until the networks of half of the seeds were empty; missing if more never were", MultiqueueRow::drained_median),
            column("drained_after_max_cycles", "cycles", "until those of all seeds were; missing if one never was", MultiqueueRow::drained_worst),
            column("drained_seeds", "", "seeds whose network emptied", |it: &MultiqueueRow| it.drained().len() as u64),
            column("packets_in_network", "packets", "in the network at the end, sum over the seeds", MultiqueueRow::left),
        ]);
        all.extend(seen::fairness_columns(|it: &MultiqueueRow| &it.seen));
        all
    }

    #[rustfmt::skip]
    fn details(&self, rows: &[MultiqueueRow]) -> Vec<Table> {
        type One<'a> = (&'a MultiqueueRow, &'a Seen, &'a Drain);
        let runs = rows.iter().flat_map(|row| row.seen.iter().zip(&row.drains).map(move |(seen, drain)| (row, seen, drain)));
        let mut columns = place_columns(|it: &One<'_>| &it.0.place);
        columns.extend(seen::seed_columns(|it: &One<'_>| it.1));
        columns.extend([
            column("whole_run_deroutes_per_hop", "", "of all hops in the whole run", |it: &One<'_>| it.2.deroutes_per_hop),
            column("buffer_packets_mean", "packets", "in a multiqueue, mean over nodes and window", |it: &One<'_>| it.2.multiqueue_mean),
            column("drained_after_cycles", "cycles", "from the sources' last packet until the network was empty; missing if it never was", |it: &One<'_>| it.2.after),
            column("packets_in_network", "packets", "in the network at the end", |it: &One<'_>| it.2.left),
        ]);
        vec![Table::new("runs", &columns, runs)]
    }

    /// What runs with the first seed, by network, pattern and frames.
    fn configurations(&self, catalogue: &Catalogue) -> BTreeMap<String, String> {
        let places = places(self, catalogue).unwrap_or_default().into_iter();
        let of = |place: Place| {
            let resolved = place.resolve(self, catalogue, self.repeats.first_seed);
            Some((place.to_string(), resolved.ok()?.to_toml()))
        };
        places.filter_map(of).collect()
    }

    fn text(&self, rows: &[MultiqueueRow]) -> String {
        let out = format!(
            "{0} x {0} nodes, offered load 1 word/node/cycle for {1} cycles, derouting {2}, {3}, ± 95 % intervals\n\
             change: of the accepted load, from the first to the second half of the window\n{4}\n",
            self.side,
            self.cycles,
            if self.no_derouting { "off" } else { "on" },
            counted(self.repeats.seeds as usize, "seed"),
            base_text([""; 0], &self.repeats.set),
        );
        let over = |of: seen::Of, digits: usize| {
            move |it: &MultiqueueRow| {
                dash(seen::over(&it.seen, of).map(|it| format!("{it:.digits$}")))
            }
        };
        let mean = |of: fn(&Drain) -> f64, digits: usize| {
            move |it: &MultiqueueRow| dash(it.mean(of).map(|it| format!("{:.digits$}", it.mean)))
        };
        let percent = |run: &Seen| Some(100.0 * run.change?);
        let columns = Aligned::<MultiqueueRow>::new()
            .left("", 6, |it| it.place.topology)
            .left("pattern", 15, |it| it.place.pattern.clone())
            .right("frames", 6, |it| it.place.frames)
            .right(
                "accepted load\nwords/node/cycle",
                18,
                over(|run| run.accepted, 4),
            )
            .right("change\n%", 13, over(percent, 1))
            .right("deroutes\n/hop", 8, mean(|run| run.deroutes_per_hop, 4))
            .right(
                "in the queue\npackets",
                12,
                mean(|run| run.multiqueue_mean, 3),
            )
            .right("worst source\n/mean", 15, over(|run| run.worst_source, 3))
            .right("drained\nseeds", 8, |it| {
                format!("{} of {}", it.drained().len(), it.drains.len())
            })
            .right("after\ncycles", 7, |it| dash(it.drained_median()))
            .right("worst\ncycles", 7, |it| dash(it.drained_worst()))
            .right("left\npackets", 7, MultiqueueRow::left);
        out + &columns.text(rows)
    }
}

#[rustfmt::skip]
fn place_columns<R>(of: impl Fn(&R) -> &Place + Copy + Send + Sync + 'static) -> Vec<Column<R>> {
    vec![
        column("topology", "", "`mesh` or `torus`", move |it| of(it).topology),
        column("pattern", "", "the traffic pattern", move |it| of(it).pattern.clone()),
        column("multiqueue_frames", "packets", "frames of the multiqueue", move |it| of(it).frames),
    ]
}
