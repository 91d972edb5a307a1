//! The same routers clocked at the worst case and self-timed at the average case: throughput, latency and the energy of
//! keeping time, over spread, corners and link length.
//!
//! A clock's period must cover the slowest stage of the slowest node in the slowest corner, whatever a chip turns out to
//! be. Self-timed nodes take as long as each step takes, and their links hand words over.

mod place;
mod text;

use super::{Ran, Study, StudyEntry, StudyFigure};
use crate::context::{Context, Failed};
use crate::many::{if_steady, measure, of_most};
use crate::options::{Repeats, Seeds, jobs, load, number, seeds, spread, whole};
use crate::seeds::{mean_of, over_seeds};
use clap::Args;
use flitwork_config::{Catalogue, Override};
use flitwork_measure::Estimate;
use flitwork_report::{Column, column, estimate};
use flitwork_results::Results;
use place::{Design, Load, Place, places};
use std::collections::BTreeMap;

/// Its entry in the table.
pub(super) const ENTRY: StudyEntry = StudyEntry::of::<SelfTimed>(
    "self-timed",
    "Routers clocked for the worst case against self-timed ones at the average case, by spread, corners and link \
     length: throughput, latency, energy",
);

/// The unit of loads: time is the same for all designs.
const LOAD: &str = "words/node/ns";

/// A delay in ps.
fn ps(text: &str) -> Result<u32, String> {
    whole(text, 1..=1_000_000)
}

/// How much longer delays are in a corner, in percent.
fn corner(text: &str) -> Result<f64, String> {
    let is_allowed = |percent| (-90.0..=500.0).contains(&percent);
    number(text, is_allowed, "-90 to 500 %")
}

/// A price in pJ.
fn price(text: &str) -> Result<f64, String> {
    number(
        text,
        |price| (0.0..=1e6).contains(&price),
        "0 to 1000000 pJ",
    )
}

/// Its options.
#[derive(Clone, Debug, Default, Args)]
pub(super) struct SelfTimed {
    /// The routers: chaos, wormhole, deflection.
    #[arg(
        long,
        value_name = "NAME,…",
        default_value = "chaos,wormhole,deflection"
    )]
    routers: Vec<String>,
    /// The topologies: mesh and torus.
    #[arg(long, value_name = "NAME,…", default_value = "mesh,torus")]
    topologies: Vec<String>,
    /// The side of the square network, in nodes.
    #[arg(long, default_value_t = 8, value_name = "NODES", value_parser = clap::value_parser!(u32).range(2..=64))]
    side: u32,
    /// How far a node's delays lie from those of the corner at most, in percent; drawn uniformly.
    #[arg(long, value_name = "PERCENT,…", default_value = "0,10,20", value_parser = spread)]
    spreads: Vec<f64>,
    /// How much longer (positive) or shorter all delays of a chip are than typical, in percent. The clock covers the
    /// slowest of them.
    #[arg(long, value_name = "PERCENT,…", default_value = "-20,0,30", allow_hyphen_values = true, value_parser = corner)]
    corners: Vec<f64>,
    /// Lengths of links, in segments; self-timed links have a latch between two of them.
    #[arg(long, value_name = "SEGMENTS,…", default_value = "1,4", value_parser = clap::value_parser!(u32).range(1..=100))]
    lengths: Vec<u32>,
    /// The least and the most that a step of a router takes in the typical corner, in ps; drawn for each step.
    #[arg(long, value_name = "LEAST,MOST", default_value = "600,1000", value_parser = ps)]
    step: Vec<u32>,
    /// What a signal takes over a segment of a link in the typical corner, in ps.
    #[arg(long, value_name = "PS", default_value_t = 250, value_parser = ps)]
    segment: u32,
    /// How words are handed over: two-phase or four-phase.
    #[arg(long, value_name = "NAME", default_value = "two-phase")]
    protocol: String,
    /// The load at which latency and energy are measured, in words per node and ns.
    #[arg(long, default_value_t = 0.02, value_name = "LOAD", value_parser = load)]
    low_load: f64,
    /// The energy of a tick of a node's clock, in pJ.
    #[arg(long, default_value_t = 1.0, value_name = "PJ", value_parser = price)]
    clock_pj: f64,
    /// The energy of a transition of a handshake over a segment, in pJ.
    #[arg(long, default_value_t = 0.1, value_name = "PJ", value_parser = price)]
    transition_pj: f64,
    /// The number of seeds, from 1 on. Results are means over them.
    #[arg(long, default_value_t = 3, value_name = "COUNT", value_parser = seeds)]
    seeds: u32,
    /// Measured time in ns; half as much precedes it.
    #[arg(long, default_value_t = 4000, value_name = "NS", value_parser = clap::value_parser!(u32).range(200..=10_000_000))]
    time: u32,
    /// Concurrent runs; by default one per core.
    #[arg(long, value_name = "N", value_parser = jobs)]
    jobs: Option<usize>,
}

impl Study for SelfTimed {
    type Row = SelfTimedRow;

    const FIGURES: Option<&'static str> = Some("self-timed-");

    fn run(&self, context: &mut dyn Context) -> Result<Ran<SelfTimedRow>, Failed> {
        let catalogue = context.catalogue().clone();
        let places = places(self)?;
        let runs = with_loads(&places);
        let repeats = Repeats::<3> {
            over: Seeds {
                first_seed: 1,
                seeds: self.seeds,
            },
            set: Vec::new(),
            jobs: self.jobs,
        };
        let resolve = |(place, load): &PlaceAt<'_>, seed, more: &[Override]| {
            place.resolve(self, &catalogue, (seed, *load), more)
        };
        // What an overloaded network accepts needs no steady state.
        let may_wait = |(_, load): &PlaceAt<'_>| *load == Load::Low;
        let figures = |(place, _): &PlaceAt<'_>, results: &Results| place.figures(results);
        let figures = measure(context, &runs, &repeats, resolve, may_wait, figures)?;
        let Some(figures) = figures else {
            return Ok(Ran::Nothing);
        };
        let seeds = self.seeds as usize;
        let rows = places.iter().zip(figures.chunks(Load::BOTH.len() * seeds));
        let rows = rows.map(|(place, runs)| SelfTimedRow::new(place.clone(), runs, seeds));
        Ok(Ran::Whole(rows.collect()))
    }

    #[rustfmt::skip]
    fn columns(&self) -> Vec<Column<SelfTimedRow>> {
        let mut all = vec![
            column("router", "", "`chaos`, `wormhole` or `deflection`", |it: &SelfTimedRow| it.place.router.name),
            column("topology", "", "`mesh` or `torus`", |it: &SelfTimedRow| it.place.topology.clone()),
            column("link_segments", "", "the length of links", |it: &SelfTimedRow| it.place.length),
            column("spread_percent", "%", "how far a node's delays lie from those of its corner at most", |it: &SelfTimedRow| it.place.spread),
            column("design", "", "`clocked` or `self-timed`", |it: &SelfTimedRow| it.place.design.name()),
            column("corner_percent", "%", "how much longer delays are than typical; missing for clocked designs, which run at one period in all corners", |it: &SelfTimedRow| it.place.corner()),
            column("period_ps", "ps", "of the clock", |it: &SelfTimedRow| it.place.period_ps()),
        ];
        all.extend(estimate(("latency_mean", "latency"), "ns", "from creation to delivery, at the low load", |it: &SelfTimedRow| it.latency));
        all.extend(estimate(("accepted_load", "accepted_load"), LOAD, "what was delivered in the window at overload", |it: &SelfTimedRow| Some(it.accepted)));
        all.extend(estimate(("low_energy", "low_energy"), "pJ/word", "of clocks or handshakes, per delivered word, at the low load", |it: &SelfTimedRow| it.low_energy));
        all.extend(estimate(("overload_energy", "overload_energy"), "pJ/word", "the same at overload", |it: &SelfTimedRow| it.overload_energy));
        all
    }

    /// Both loads of each design, with the first seed.
    fn configurations(&self, catalogue: &Catalogue) -> BTreeMap<String, String> {
        let places = places(self).unwrap_or_default();
        let of = |(place, load): PlaceAt<'_>| {
            let resolved = place.resolve(self, catalogue, (1, load), &[]).ok()?;
            Some((
                format!("{}, {}", place.name(), load.name()),
                resolved.to_toml(),
            ))
        };
        with_loads(&places).into_iter().filter_map(of).collect()
    }

    fn text(&self, rows: &[SelfTimedRow]) -> String {
        text::self_timed_text(self, rows)
    }

    fn figures(&self, rows: &[SelfTimedRow]) -> Vec<StudyFigure> {
        text::self_timed_figures(rows)
    }
}

/// A place at a load.
type PlaceAt<'a> = (&'a Place, Load);

/// Each place at both loads.
fn with_loads(places: &[Place]) -> Vec<PlaceAt<'_>> {
    let both = |place| Load::BOTH.map(|load| (place, load));
    places.iter().flat_map(both).collect()
}

/// The figures of a run with one seed.
#[derive(Clone, Copy, Debug)]
struct Figures {
    /// If the run was steady, in ns.
    latency: Option<f64>,
    /// In words per node and ns.
    accepted: f64,
    /// Of clocks or handshakes, in pJ per delivered word.
    energy: Option<f64>,
}

impl Place {
    fn figures(&self, results: &Results) -> Option<Figures> {
        let cycle_ns = self.cycle_ns();
        let latency = match &results.exact {
            Some(exact) => exact.latency.mean.map(|mean| mean.mean / 1000.0),
            None => results.latency.mean.map(|mean| mean.mean * cycle_ns),
        };
        let joules = results.energy.as_ref()?.joules.as_ref()?;
        Some(Figures {
            latency: if_steady(results, latency),
            accepted: results.load.as_ref()?.accepted.mean / cycle_ns,
            energy: joules.per_delivered_word.map(|joules| joules * 1e12),
        })
    }
}

/// A design on a network, over all seeds: see [`SelfTimed::columns`].
#[derive(Clone, Debug)]
pub(super) struct SelfTimedRow {
    place: Place,
    latency: Option<Estimate>,
    accepted: Estimate,
    low_energy: Option<Estimate>,
    overload_energy: Option<Estimate>,
}

impl SelfTimedRow {
    /// From the runs at overload, one per seed, and those at the low load.
    fn new(place: Place, runs: &[Figures], seeds: usize) -> SelfTimedRow {
        let (most, low) = runs.split_at(seeds);
        let latencies: Vec<Option<f64>> = low.iter().map(|run| run.latency).collect();
        let energy = |runs: &[Figures]| over_seeds(runs.iter().filter_map(|run| run.energy));
        SelfTimedRow {
            place,
            latency: of_most(&latencies),
            accepted: mean_of(most.iter().map(|run| run.accepted)),
            low_energy: energy(low),
            overload_energy: energy(most),
        }
    }
}

#[cfg(test)]
mod tests;
