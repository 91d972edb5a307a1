//! The same routers clocked at the worst case, clocked at what each chip can do, and self-timed: throughput, latency and energy,
//! over spread, corners and link length.
//!
//! A clock's period must cover the slowest stage of the slowest node in the slowest corner, whatever a chip turns out to
//! be; that of a chip that is tested and binned, the slowest stage of its own slowest node. Either may stop within a node that
//! does nothing. Self-timed nodes take as long as each step takes, and their links hand words over.

mod costs;
mod pairs;
mod place;
mod row;
mod run;
mod text;

use super::{Plot, Ran, Study, StudyEntry, StudyFigure};
use crate::context::{Context, Failed};
use crate::many::as_far;
use crate::options::{Repeats, listed, load, number, spread, whole};
use clap::Args;
use costs::Costs;
use flitwork_config::Catalogue;
use flitwork_report::{Column, Table};
use place::{DESIGNS, Design, Load, Place, Timing, has_buffers, places, refuse_set_of};
use row::SelfTimedRow;
use std::collections::BTreeMap;

/// Its entry in the table.
pub(super) const ENTRY: StudyEntry = StudyEntry::of::<SelfTimed>(
    "self-timed",
    "Routers clocked for the worst case, or for what each chip can do, against self-timed ones, by spread, corners and \
     link length: throughput, latency, energy",
);

/// A delay in ps.
fn ps(text: &str) -> Result<u32, String> {
    whole(text, 1..=1_000_000)
}

/// How much longer delays are in a corner, in percent.
fn corner(text: &str) -> Result<f64, String> {
    let is_allowed = |percent| (-90.0..=500.0).contains(&percent);
    number(text, is_allowed, "-90 to 500 %")
}

/// A margin in percent.
fn margin(text: &str) -> Result<f64, String> {
    number(
        text,
        |percent| (0.0..=500.0).contains(&percent),
        "0 to 500 %",
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
    /// Words of each buffer of the wormhole router, which has four at each port.
    #[arg(long, value_name = "WORDS", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=1000))]
    buffer_words: u32,
    /// The topologies: mesh and torus.
    #[arg(long, value_name = "NAME,…", default_value = "mesh,torus")]
    topologies: Vec<String>,
    /// The side of the square network, in nodes.
    #[arg(long, default_value_t = 8, value_name = "NODES", value_parser = clap::value_parser!(u32).range(2..=64))]
    side: u32,
    /// The traffic pattern, one without parameters.
    #[arg(long, default_value = "uniform", value_name = "NAME")]
    pattern: String,
    /// What is compared, always in this order.
    #[arg(long, value_name = "NAME,…", default_value = "clocked,clocked-gated,binned,binned-gated,self-timed", value_parser = listed(DESIGNS))]
    designs: Vec<Design>,
    /// By how much a binned clock's period exceeds the longest step of its own chip, in percent.
    #[arg(long, value_name = "PERCENT", default_value_t = 0.0, value_parser = margin)]
    margin: f64,
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
    /// The least and the most that a step of a router takes in the typical corner, in ps, drawn for each step; or one number for
    /// all of them.
    #[arg(long, value_name = "LEAST[,MOST]", default_value = "600,1000", value_parser = ps)]
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
    #[command(flatten)]
    costs: Costs,
    /// How often: each seed draws a chip, its steps and its traffic.
    #[command(flatten)]
    repeats: Repeats<5>,
    /// Measured time in ns; half as much precedes it.
    #[arg(long, default_value_t = 4000, value_name = "NS", value_parser = clap::value_parser!(u32).range(200..=10_000_000))]
    time: u32,
}

impl Study for SelfTimed {
    type Row = SelfTimedRow;

    const PLOT: Plot = Plot::Folder(
        "Draw what self-timing gains over the spread, and where energy goes, for each router, topology and length",
    );
    const FIGURES: Option<&'static str> = Some("self-timed-");

    fn refuse_unread(&self, given: &[String]) -> Result<(), Failed> {
        let is_given = |option: &str| given.iter().any(|it| it == option);
        let reads = |option: &str, of: fn(Design) -> bool, with: &str| {
            let is_read = self.designs.iter().any(|design| of(*design));
            if is_read || !is_given(option) {
                return Ok(());
            }
            let why =
                format!("no design that is asked for reads it; allowed: with --designs {with}");
            Err(Failed::option(&format!("--{option}"), why))
        };
        if is_given("buffer-words") && !self.routers.iter().any(|name| has_buffers(name)) {
            let why = "no router that is asked for reads it; allowed: with --routers wormhole";
            return Err(Failed::option("--buffer-words", why));
        }
        let binned = |it: Design| it.timing == Timing::Binned;
        reads("margin", binned, "binned or binned-gated")?;
        let splits = |it: Design| it.is_gated || it.is_self_timed();
        reads(
            "trunk-pj",
            splits,
            "self-timed, clocked-gated or binned-gated",
        )?;
        reads("transition-pj", Design::is_self_timed, "self-timed")?;
        reads("protocol", Design::is_self_timed, "self-timed")
    }

    fn run(&self, context: &mut dyn Context) -> Result<Ran<SelfTimedRow>, Failed> {
        let places = places(self)?;
        refuse_set_of(self, &places)?;
        let runs = self.measure(context, &places)?;
        let of = places.len();
        let rows = places.into_iter().zip(runs);
        let rows =
            rows.filter_map(|(place, runs)| Some(SelfTimedRow::new(place, self.costs, runs?)));
        Ok(as_far(rows.collect(), of))
    }

    fn columns(&self) -> Vec<Column<SelfTimedRow>> {
        row::columns()
    }

    fn details(&self, rows: &[SelfTimedRow]) -> Vec<Table> {
        let mut all = vec![row::runs_table(rows)];
        all.extend(pairs::pair_tables(rows));
        all
    }

    /// Both loads of each design, with the first seed.
    fn configurations(&self, catalogue: &Catalogue) -> BTreeMap<String, String> {
        let places = places(self).unwrap_or_default();
        let of = |(place, load): (&Place, Load)| {
            let at = (self.repeats.first_seed, load);
            let resolved = place.resolve(self, catalogue, at, &[]).ok()?;
            Some((
                format!("{}, {}", place.name(), load.name()),
                resolved.to_toml(),
            ))
        };
        let both = |place| Load::BOTH.map(|load| (place, load));
        places.iter().flat_map(both).filter_map(of).collect()
    }

    fn text(&self, rows: &[SelfTimedRow]) -> String {
        text::self_timed_text(self, rows)
    }

    fn figures(&self, rows: &[SelfTimedRow]) -> Vec<StudyFigure> {
        text::self_timed_figures(rows)
    }
}

#[cfg(test)]
mod tests;
