//! What it costs that words and credits cross from clock to clock: throughput and latency by packet length, edges, kind of crossing,
//! buffers, router and network; and whether the credit loop explains it.
//!
//! Each run has a twin under one clock, with the same seed and packets, and two more under one clock with longer links, whose round trips
//! lie just below and just above that of the crossing: what they lose, no asynchrony is needed for.

mod places;
#[cfg(test)]
mod tests;
mod text;

use super::{Plot, Ran, Study, StudyEntry, StudyFigure};
use crate::axes::{self, Measured};
use crate::context::{Context, Failed};
use crate::many::{alone, rows_of};
use crate::options::{Repeats, edges, spread};
use crate::seeds::over_seeds;
use crate::seen::{self, Seen};
use clap::Args;
use flitwork_config::{Catalogue, Override};
use flitwork_measure::Estimate;
use flitwork_report::{Column, Table, column, estimate};
use places::{Place, Run, places, refuse_set_of};
use std::collections::BTreeMap;

/// Its entry in the table.
pub(super) const ENTRY: StudyEntry = StudyEntry::of::<Crossing>(
    "crossing",
    "What crossing from clock to clock costs, and whether the credit loop explains it: by packet length, edges, kind of crossing, buffers, \
     router and network",
);

/// Its options. Each axis is varied from one point: the first packet length, number of edges, topology and side of their lists, a
/// synchronizer, and buffers of a packet.
#[derive(Clone, Debug, Default, Args)]
pub(super) struct Crossing {
    /// What is varied, each alone: packet, edges, kind, buffer, network.
    #[arg(
        long,
        value_name = "NAME,…",
        default_value = "packet,edges,kind,buffer,network"
    )]
    axes: Vec<String>,
    /// The routers: chaos, adaptive, dimension-order, flit-bless.
    #[arg(
        long,
        value_name = "NAME,…",
        default_value = "chaos,dimension-order,flit-bless"
    )]
    routers: Vec<String>,
    /// The topologies: mesh and torus.
    #[arg(long, value_name = "NAME,…", default_value = "mesh,torus")]
    topologies: Vec<String>,
    /// Sides of the square networks, in nodes.
    #[arg(long, value_name = "NODES,…", default_value = "8,4", value_parser = clap::value_parser!(u32).range(2..=64))]
    sides: Vec<u32>,
    /// The traffic pattern, one without parameters.
    #[arg(long, value_name = "NAME", default_value = "uniform")]
    pattern: String,
    /// Words of a packet.
    #[arg(long, value_name = "WORDS,…", default_value = "10,5,20,40", value_parser = clap::value_parser!(u16).range(3..=1024))]
    packet_words: Vec<u16>,
    /// Edges of the receiver's clock that a word or a credit waits at a crossing.
    #[arg(long, value_name = "EDGES,…", default_value = "2,0,1,3", value_parser = edges)]
    edges: Vec<u32>,
    /// Kinds of crossings: synchronizer, dual-clock-fifo (of 32 words), mesochronous, pausible (a transfer takes a tenth of a period).
    #[arg(
        long,
        value_name = "NAME,…",
        default_value = "synchronizer,dual-clock-fifo,mesochronous,pausible"
    )]
    kinds: Vec<String>,
    /// Words of a wormhole router's virtual channel, of which it has four, on the axis buffer; elsewhere a packet's.
    #[arg(long, value_name = "WORDS,…", default_value = "2,5,10,20,40", value_parser = clap::value_parser!(u16).range(1..=4096))]
    buffer_words: Vec<u16>,
    /// The most by which periods differ from the nominal one, in percent; 0 leaves the phases random alone.
    #[arg(long, value_name = "PERCENT", default_value_t = 0.0, value_parser = spread)]
    spread: f64,
    /// The load at which latency is measured, in words per node and cycle.
    #[arg(long, default_value_t = 0.02, value_name = "LOAD", value_parser = crate::options::load)]
    low_load: f64,
    /// Measured cycles; half as many precede them.
    #[arg(long, default_value_t = 6000, value_parser = clap::value_parser!(u32).range(100..=100_000_000))]
    cycles: u32,
    /// How often.
    #[command(flatten)]
    repeats: Repeats<5>,
}

/// A place on an axis, with all seeds, and its twins.
#[derive(Clone, Debug)]
pub(super) struct CrossingRow {
    place: Place,
    /// At overload, and at the low load.
    crossed: [Vec<Seen>; 2],
    one_clock: [Vec<Seen>; 2],
    /// At overload, under one clock: with a round trip shorter by a cycle than that of the crossing, and longer by one.
    longer: [Vec<Seen>; 2],
}

impl CrossingRow {
    /// The part of the throughput that is lost.
    fn lost(&self) -> Option<Estimate> {
        let more = seen::more(&self.crossed[0], &self.one_clock[0], |run| run.accepted);
        more.map(|more| more.scaled(-1.0))
    }

    /// The same under one clock with links as long as the crossing's round trip: half-way between the two whole numbers of cycles.
    fn lost_by_length(&self) -> Option<Estimate> {
        let of_seed = |one: &Seen| {
            let longer = |runs: &[Seen]| runs.iter().find(|run| run.seed == one.seed)?.accepted;
            let [shorter, longer] = [longer(&self.longer[0])?, longer(&self.longer[1])?];
            let lost = 1.0 - (shorter + longer) / 2.0 / one.accepted?;
            Some(lost).filter(|it| it.is_finite())
        };
        over_seeds(self.one_clock[0].iter().filter_map(of_seed))
    }

    /// The latency that a hop costs more, in cycles, at the low load.
    fn added_per_hop(&self) -> Option<Estimate> {
        let of_seed = |run: &Seen| {
            let other = self.one_clock[1].iter().find(|it| it.seed == run.seed)?;
            Some((run.latency? - other.latency?) / run.hops?).filter(|it| it.is_finite())
        };
        over_seeds(self.crossed[1].iter().filter_map(of_seed))
    }
}

impl Study for Crossing {
    type Row = CrossingRow;

    const PLOT: Plot = Plot::Folder("Draw what is lost over each axis of numbers");
    const FIGURES: Option<&'static str> = Some("crossing-");

    fn refuse_unread(&self, given: &[String]) -> Result<(), Failed> {
        let unread = |option: &str, axis: &str| {
            let is_given = given.iter().any(|it| it == option);
            match is_given && !self.axes.iter().any(|it| it == axis) {
                true => {
                    let why = format!("only the axis {axis} reads it; allowed: with --axes {axis}");
                    Err(Failed::option(&format!("--{option}"), why))
                }
                false => Ok(()),
            }
        };
        unread("buffer-words", "buffer")?;
        unread("kinds", "kind")?;
        axes::refuse_empty(&places(self)?, &self.axes, given)
    }

    fn plan(&self) -> Option<Vec<String>> {
        let places = places(self).ok()?;
        let of =
            |place: &Place| format!("{} {} {}", place.axis, place.value, place.point.plan(self));
        Some(places.iter().map(of).collect())
    }

    fn run(&self, context: &mut dyn Context) -> Result<Ran<CrossingRow>, Failed> {
        let catalogue = context.catalogue().clone();
        let places = places(self)?;
        let runs = || places.iter().map(|place| &place.point);
        refuse_set_of(self, runs())?;
        let all = runs().flat_map(|run| run.with_twins());
        let resolve =
            |run: &Run, seed, more: &[Override]| run.resolve(self, &catalogue, seed, more);
        // What an overloaded network accepts needs no steady state.
        let may_wait = |run: &Run| !run.is_overload;
        let measured = Measured::of(context, all, &self.repeats, resolve, may_wait, Seen::found)?;
        let row = |place: &Place| {
            let of = |[one, other]: [Run; 2]| Some([measured.get(&one)?, measured.get(&other)?]);
            let run = &place.point;
            Some(CrossingRow {
                place: place.clone(),
                crossed: of(run.at_both_loads())?,
                one_clock: of(run.under_one_clock(1).at_both_loads())?,
                longer: of(run.longer())?,
            })
        };
        Ok(rows_of(&places, alone, row))
    }

    #[rustfmt::skip]
    fn columns(&self) -> Vec<Column<CrossingRow>> {
        const LOAD: &str = "words/node/cycle";
        let mut all = place_columns(|it: &CrossingRow| &it.place);
        all.extend(estimate(("accepted_load", "accepted_load"), LOAD, "what was delivered in the window at overload", |it: &CrossingRow| seen::over(&it.crossed[0], |run| run.accepted)));
        all.extend(estimate(("accepted_one_clock", "accepted_one_clock"), LOAD, "the same under one clock", |it: &CrossingRow| seen::over(&it.one_clock[0], |run| run.accepted)));
        all.extend(estimate(("lost_part", "lost_part"), "", "by how much less was delivered than under one clock, as a part of that; seed by seed", CrossingRow::lost));
        all.extend(estimate(("lost_by_length_part", "lost_by_length_part"), "", "the same under one clock whose links are as long as the round trip of a word and its credit: half-way between two whole numbers of cycles", CrossingRow::lost_by_length));
        all.push(column("predicted_lost_part", "", "of Chaos, by which a link starts a packet every packet length, 4 cycles and what the round trip is longer: what a link that is always loaded loses", |it: &CrossingRow| it.place.point.predicted()));
        all.extend(estimate(("latency_mean", "latency"), "cycles", "from creation to delivery at the low load, of the seeds whose runs were steady, where they are most of them", |it: &CrossingRow| seen::latency(&it.crossed[1])));
        all.extend(estimate(("latency_one_clock_mean", "latency_one_clock"), "cycles", "the same under one clock", |it: &CrossingRow| seen::latency(&it.one_clock[1])));
        all.extend(estimate(("added_per_hop_mean", "added_per_hop"), "cycles", "by how much more latency a hop costs than under one clock; seed by seed", CrossingRow::added_per_hop));
        all.extend(seen::fairness_columns(|it: &CrossingRow| &it.crossed[0]));
        all
    }

    #[rustfmt::skip]
    fn details(&self, rows: &[CrossingRow]) -> Vec<Table> {
        type One<'a> = (&'a CrossingRow, &'a Seen, &'static str);
        let runs = rows.iter().flat_map(|row| {
            let all = [(&row.crossed[0], "crossing, overload"), (&row.crossed[1], "crossing, low load"), (&row.one_clock[0], "one clock, overload"),
                (&row.one_clock[1], "one clock, low load"), (&row.longer[0], "shorter round trip, overload"), (&row.longer[1], "longer round trip, overload")];
            all.into_iter().flat_map(move |(runs, name)| runs.iter().map(move |run| (row, run, name)))
        });
        let mut columns = place_columns(|it: &One<'_>| &it.0.place);
        columns.push(column("run", "", "with the crossing, or under one clock: with links of a cycle, or with round trips just below and just above that of the crossing", |it: &One<'_>| it.2));
        columns.extend(seen::seed_columns(|it: &One<'_>| it.1));
        vec![Table::new("runs", &columns, runs)]
    }

    /// What each router runs at its first place, at overload, with the first seed.
    fn configurations(&self, catalogue: &Catalogue) -> BTreeMap<String, String> {
        let places = places(self).unwrap_or_default();
        let of = |place: &Place| {
            let run = &place.point;
            let resolved = run
                .resolve(self, catalogue, self.repeats.first_seed, &[])
                .ok()?;
            Some((run.to_string(), resolved.to_toml()))
        };
        let firsts = axes::firsts(&places, Run::router).into_iter();
        firsts.filter_map(of).collect()
    }

    fn text(&self, rows: &[CrossingRow]) -> String {
        text::crossing_text(self, rows)
    }

    fn figures(&self, rows: &[CrossingRow]) -> Vec<StudyFigure> {
        text::crossing_figures(rows)
    }
}

#[rustfmt::skip]
fn place_columns<R>(of: impl Fn(&R) -> &Place + Copy + Send + Sync + 'static) -> Vec<Column<R>> {
    vec![
        column("axis", "", "what is varied", move |it| of(it).axis),
        column("value", "", "its value", move |it| of(it).value.clone()),
        column("router", "", "the router", move |it| of(it).point.router()),
        column("topology", "", "`mesh` or `torus`", move |it| of(it).point.panel.topology.clone()),
        column("side", "nodes", "of the square network", move |it| of(it).point.panel.side),
        column("pattern", "", "the traffic pattern", move |it| of(it).point.panel.pattern.clone()),
        column("packet_words", "words", "per packet", move |it| of(it).point.words),
        column("buffer_words", "words", "of a virtual channel; missing for routers without any", move |it| of(it).point.buffer()),
        column("crossing", "", "its kind", move |it| of(it).point.kind()),
        column("synchronizer_edges", "edges", "of the receiver's clock at a crossing; missing for kinds that have none", move |it| of(it).point.edges()),
    ]
}
