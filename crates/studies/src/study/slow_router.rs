//! One router is slower than all others: what the network loses, and who pays.
//!
//! Each run has a twin without a slow router, with the same seed, clocks and packets. Losses are differences between the two, seed by
//! seed.

mod places;
#[cfg(test)]
mod tests;
mod text;

use super::{Plot, Ran, Study, StudyEntry, StudyFigure};
use crate::axes::{self, Measured};
use crate::context::{Context, Failed};
use crate::many::{alone, rows_of};
use crate::options::{Repeats, edges, number, whole};
use crate::seen::{self, Seen};
use clap::Args;
use flitwork_config::{Catalogue, Override};
use flitwork_measure::Estimate;
use flitwork_report::{Column, Table, column, estimate};
use flitwork_topology::Topology;
use flitwork_types::NodeId;
use places::{Place, Run, places, refuse_set_of};
use std::collections::BTreeMap;

/// Its entry in the table.
pub(super) const ENTRY: StudyEntry = StudyEntry::of::<SlowRouter>(
    "slow-router",
    "What a network loses by a slow router, and who pays: by position, factor, pattern, clocks, threshold and network",
);

/// Its options. Each axis is varied from one point: the first topology, side, pattern, position and factor of their lists, others with one
/// clock, and two edges at its crossings.
#[derive(Clone, Debug, Default, Args)]
pub(super) struct SlowRouter {
    /// What is varied, each alone: pattern, position, factor, clocks, threshold, network.
    #[arg(
        long,
        value_name = "NAME,…",
        default_value = "pattern,position,factor,clocks,threshold,network"
    )]
    axes: Vec<String>,
    /// The routers: chaos, adaptive, dimension-order, flit-bless.
    #[arg(
        long,
        value_name = "NAME,…",
        default_value = "chaos,adaptive,dimension-order,flit-bless"
    )]
    routers: Vec<String>,
    /// The topologies: mesh and torus.
    #[arg(long, value_name = "NAME,…", default_value = "mesh,torus")]
    topologies: Vec<String>,
    /// Sides of the square networks, in nodes.
    #[arg(long, value_name = "NODES,…", default_value = "8,4,12", value_parser = clap::value_parser!(u32).range(2..=64))]
    sides: Vec<u32>,
    /// Traffic patterns without parameters.
    #[arg(
        long,
        value_name = "NAME,…",
        default_value = "uniform,bit-complement,transpose"
    )]
    patterns: Vec<String>,
    /// Which routers are slow: centre, edge, corner, pair (the centre and its neighbour to the east), apart (a quarter and three quarters
    /// of each side), or the number of a node.
    #[arg(
        long,
        value_name = "NAME,…",
        default_value = "centre,edge,corner,pair,apart"
    )]
    positions: Vec<String>,
    /// How many times as long the slow router's period is.
    #[arg(long, value_name = "TIMES,…", default_value = "4,1.5,2,8", value_parser = |text: &str| number(text, |it| (1.0..=1000.0).contains(&it), "1 to 1000"))]
    factors: Vec<f64>,
    /// Edges of the receiver's clock that a word or a credit waits where it crosses from one clock to another.
    #[arg(long, value_name = "EDGES,…", default_value = "2,0", value_parser = edges)]
    edges: Vec<u32>,
    /// Stall thresholds of Chaos, in cycles.
    #[arg(long, value_name = "CYCLES,…", default_value = "7,0,1,20,80", value_parser = |text: &str| whole(text, 0..=100_000))]
    thresholds: Vec<u32>,
    /// Words of a packet.
    #[arg(long, default_value_t = 20, value_name = "WORDS", value_parser = clap::value_parser!(u16).range(3..=1024))]
    packet_words: u16,
    /// What each source offers, in words per cycle.
    #[arg(long, default_value_t = 1.0, value_name = "LOAD", value_parser = crate::options::load)]
    load: f64,
    /// Measured cycles; half as many precede them. What an overloaded network with a slow router accepts falls for long: after few cycles
    /// less seems to be lost.
    #[arg(long, default_value_t = 60_000, value_parser = clap::value_parser!(u32).range(100..=100_000_000))]
    cycles: u32,
    /// How often.
    #[command(flatten)]
    repeats: Repeats<5>,
}

/// A place on an axis, with all seeds, and the same without a slow router.
#[derive(Clone, Debug)]
pub(super) struct SlowRouterRow {
    place: Place,
    with: Vec<Seen>,
    without: Vec<Seen>,
    /// The hops from each node to the nearest slow one.
    away: Vec<u32>,
}

impl SlowRouterRow {
    /// The part of a figure that is lost.
    fn lost(&self, of: impl Fn(&Seen) -> Option<f64>) -> Option<Estimate> {
        seen::more(&self.with, &self.without, of).map(|more| more.scaled(-1.0))
    }

    /// Of all words.
    fn lost_of_all(&self) -> Option<Estimate> {
        self.lost(|run| run.accepted)
    }

    /// Of the runs with a slow router, if most were steady: at overload there is none.
    fn latency(&self) -> Option<Estimate> {
        of_steady(&self.with)
    }

    fn latency_without(&self) -> Option<Estimate> {
        of_steady(&self.without)
    }

    /// By how much it is longer with a slow router, as a part of that without one; of the seeds that were steady in both.
    fn longer(&self) -> Option<Estimate> {
        let steady = |run: &Seen| run.latency.filter(|_| run.is_steady);
        let both = seen::is_steady(&self.with) && seen::is_steady(&self.without);
        both.then(|| seen::more(&self.with, &self.without, steady))?
    }

    /// Of words that neither come from a slow router nor go to one: those that pay for its being on their way.
    fn lost_of_others(&self) -> Option<Estimate> {
        self.lost(|run| self.of_others(run))
    }

    fn of_others(&self, run: &Seen) -> Option<f64> {
        let slow = self.place.point.slow.iter();
        let of_slow = slow.map(|node| run.sent[*node as usize] + run.got[*node as usize]);
        Some(run.sent.iter().sum::<f64>() - of_slow.sum::<f64>())
    }

    /// The part of a figure that a run with a slow router loses.
    fn lost_in(&self, run: &Seen, of: impl Fn(&Seen) -> Option<f64>) -> Option<f64> {
        let more = seen::more(std::slice::from_ref(run), &self.without, of);
        more.map(|more| -more.mean)
    }

    /// Of words from sources so many hops away from the nearest slow router.
    fn lost_at(&self, hops: u32) -> Option<Estimate> {
        self.lost(|run| Some(self.sent_at(run, hops)))
    }

    /// What they sent.
    fn sent_at(&self, run: &Seen, hops: u32) -> f64 {
        let sources = run.sent.iter().zip(&self.away);
        let sent = sources.filter(|(_, away)| **away == hops);
        sent.map(|(sent, _)| *sent).sum()
    }

    /// The distances that there are.
    fn distances(&self) -> impl Iterator<Item = u32> {
        0..=self.away.iter().copied().max().unwrap_or(0)
    }
}

/// The latency of the steady runs, if they are most.
fn of_steady(runs: &[Seen]) -> Option<Estimate> {
    seen::latency(runs).filter(|_| seen::is_steady(runs))
}

impl Study for SlowRouter {
    type Row = SlowRouterRow;

    const PLOT: Plot =
        Plot::Folder("Draw what is lost over each axis, and by distance from the slow router");
    const FIGURES: Option<&'static str> = Some("slow-router-");

    fn refuse_unread(&self, given: &[String]) -> Result<(), Failed> {
        let has_chaos = self.routers.iter().any(|it| it == "chaos");
        match given.iter().any(|it| it == "thresholds") && !has_chaos {
            true => Err(Failed::option(
                "--thresholds",
                "no router that is asked for has one; allowed: with --routers chaos",
            )),
            false => axes::refuse_empty(&places(self)?, &self.axes, given),
        }
    }

    fn plan(&self) -> Option<Vec<String>> {
        let places = places(self).ok()?;
        let of =
            |place: &Place| format!("{} {} {}", place.axis, place.value, place.point.plan(self));
        Some(places.iter().map(of).collect())
    }

    fn run(&self, context: &mut dyn Context) -> Result<Ran<SlowRouterRow>, Failed> {
        let catalogue = context.catalogue().clone();
        let places = places(self)?;
        let runs = || places.iter().map(|place| &place.point);
        refuse_set_of(self, runs())?;
        let both = runs().flat_map(|run| [run.clone(), run.without()]);
        let resolve =
            |run: &Run, seed, more: &[Override]| run.resolve(self, &catalogue, seed, more);
        let may_wait = |_: &Run| false;
        let measured = Measured::of(context, both, &self.repeats, resolve, may_wait, Seen::found)?;
        let row = |place: &Place| {
            Some(SlowRouterRow {
                place: place.clone(),
                with: measured.get(&place.point)?,
                without: measured.get(&place.point.without())?,
                away: place.point.away(),
            })
        };
        Ok(rows_of(&places, alone, row))
    }

    #[rustfmt::skip]
    fn columns(&self) -> Vec<Column<SlowRouterRow>> {
        const LOAD: &str = "words/node/cycle";
        let mut all = place_columns(|it: &SlowRouterRow| &it.place);
        all.extend(estimate(("accepted_load", "accepted_load"), LOAD, "what was delivered in the window", |it: &SlowRouterRow| seen::over(&it.with, |run| run.accepted)));
        all.extend(estimate(("accepted_without", "accepted_without"), LOAD, "the same without a slow router", |it: &SlowRouterRow| seen::over(&it.without, |run| run.accepted)));
        all.extend(estimate(("lost_part", "lost_part"), "", "by how much less was delivered than without a slow router, as a part of that; seed by seed", SlowRouterRow::lost_of_all));
        all.extend(estimate(("others_lost_part", "others_lost_part"), "", "the same of words that neither come from a slow router nor go to one; those between two slow ones count twice as theirs", SlowRouterRow::lost_of_others));
        all.extend(estimate(("latency_mean", "latency"), "cycles", "from creation to delivery, of the steady runs; missing unless most were", SlowRouterRow::latency));
        all.extend(estimate(("latency_without_mean", "latency_without"), "cycles", "the same without a slow router", SlowRouterRow::latency_without));
        all.extend(estimate(("latency_longer_part", "latency_longer_part"), "", "by how much the one is longer than the other, as a part of that; seed by seed", SlowRouterRow::longer));
        all.extend(seen::fairness_columns(|it: &SlowRouterRow| &it.with));
        all
    }

    #[rustfmt::skip]
    fn details(&self, rows: &[SlowRouterRow]) -> Vec<Table> {
        type One<'a> = (&'a SlowRouterRow, &'a Seen, bool);
        let runs = rows.iter().flat_map(|row| {
            let with = row.with.iter().map(move |run| (row, run, true));
            with.chain(row.without.iter().map(move |run| (row, run, false)))
        });
        let mut columns = place_columns(|it: &One<'_>| &it.0.place);
        columns.push(column("slow", "", "whether there is a slow router", |it: &One<'_>| it.2));
        columns.extend(seen::seed_columns(|it: &One<'_>| it.1));
        columns.extend([
            column("lost_part", "", "by how much less was delivered than without a slow router; missing without one", |it: &One<'_>| it.0.lost_in(it.1, |run| run.accepted).filter(|_| it.2)),
            column("others_lost_part", "", "the same of words that neither come from a slow router nor go to one", |it: &One<'_>| it.0.lost_in(it.1, |run| it.0.of_others(run)).filter(|_| it.2)),
        ]);
        let runs = Table::new("runs", &columns, runs);
        vec![runs, distances(rows), distance_runs(rows)]
    }

    /// What each router runs at its first place, with the first seed.
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

    fn text(&self, rows: &[SlowRouterRow]) -> String {
        text::slow_router_text(self, rows)
    }

    fn figures(&self, rows: &[SlowRouterRow]) -> Vec<StudyFigure> {
        text::slow_router_figures(rows)
    }
}

/// What is lost by the distance from the nearest slow router.
#[rustfmt::skip]
fn distances(rows: &[SlowRouterRow]) -> Table {
    type At<'a> = (&'a SlowRouterRow, u32);
    let distances = rows.iter().flat_map(|row| row.distances().map(move |hops| (row, hops)));
    let mut columns = place_columns(|it: &At<'_>| &it.0.place);
    columns.extend([
        column("distance_hops", "hops", FROM_SLOW, |it: &At<'_>| it.1),
        column("sources", "nodes", "so far away", |it: &At<'_>| it.0.away.iter().filter(|away| **away == it.1).count() as u64),
        column("lost_part", "", "by how much less was delivered from them than without a slow router, as a part of that; seed by seed", |it: &At<'_>| it.0.lost_at(it.1).map(|it| it.mean)),
        column("lost_part_half_width", "", "half the width of its 95 % interval", |it: &At<'_>| it.0.lost_at(it.1)?.half_width),
    ]);
    Table::new("distances", &columns, distances)
}

/// The same of each seed.
#[rustfmt::skip]
fn distance_runs(rows: &[SlowRouterRow]) -> Table {
    type At<'a> = (&'a SlowRouterRow, u32, &'a Seen);
    let runs = rows.iter().flat_map(|row| {
        let at = row.distances().map(move |hops| (row, hops));
        at.flat_map(|(row, hops)| row.with.iter().map(move |run| (row, hops, run)))
    });
    let mut columns = place_columns(|it: &At<'_>| &it.0.place);
    columns.extend([
        column("distance_hops", "hops", FROM_SLOW, |it: &At<'_>| it.1),
        column("seed", "", "the seed of all random draws", |it: &At<'_>| it.2.seed),
        column("lost_part", "", "by how much less was delivered from sources so far away than without a slow router, as a part of that", |it: &At<'_>| it.0.lost_in(it.2, |run| Some(it.0.sent_at(run, it.1)))),
    ]);
    Table::new("distance_runs", &columns, runs)
}

const FROM_SLOW: &str = "from a source to the nearest slow router";

#[rustfmt::skip]
fn place_columns<R>(of: impl Fn(&R) -> &Place + Copy + Send + Sync + 'static) -> Vec<Column<R>> {
    vec![
        column("axis", "", "what is varied", move |it| of(it).axis),
        column("value", "", "its value", move |it| of(it).value.clone()),
        column("router", "", "the router", move |it| of(it).point.router()),
        column("topology", "", "`mesh` or `torus`", move |it| of(it).point.panel.topology.clone()),
        column("side", "nodes", "of the square network", move |it| of(it).point.panel.side),
        column("pattern", "", "the traffic pattern", move |it| of(it).point.panel.pattern.clone()),
        column("slow_nodes", "", "the slow routers' nodes", move |it| of(it).point.nodes()),
        column("factor", "", "how many times as long their period is", move |it| of(it).point.factor),
        column("clocks", "", "`shared`: all others have one clock; `own`: each has a clock of its own, of one period and random phase", move |it| of(it).point.clocks.name()),
        column("synchronizer_edges", "edges", "of the receiver's clock at a crossing", move |it| of(it).point.edges),
        column("stall_threshold_cycles", "cycles", "of Chaos", move |it| of(it).point.threshold()),
    ]
}

/// The hops from each node to the nearest of some.
fn away(shape: &impl Topology, from: &[u32]) -> Vec<u32> {
    let nearest = |node| {
        let hops = from
            .iter()
            .map(|slow| shape.distance(NodeId(node), NodeId(*slow)));
        hops.min().unwrap_or(0)
    };
    (0..shape.nodes()).map(nearest).collect()
}
