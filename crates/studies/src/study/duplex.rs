//! Full and half duplex links at equal wires: throughput and latency of Chaos routers, and of others beside them.
//!
//! A half-duplex wire is twice as wide as each of the two full-duplex ones that take its place, so that a packet of as
//! many bits has twice as many words over full duplex. Loads are compared in wide words, those of half duplex.

mod places;
mod text;

use super::{Ran, Study, StudyEntry, StudyFigure};
use crate::axes::Measured;
use crate::context::{Context, Failed};
use crate::many::{if_steady, of_most, rows_of};
use crate::options::{Repeats, ascending, number};
use crate::seeds::{distinct, mean_of};
use crate::seen::{Served, served_columns, served_seed_columns};
use clap::Args;
use flitwork_config::{Catalogue, Override};
use flitwork_measure::Estimate;
use flitwork_report::{Column, Table, column, estimate};
use flitwork_results::Results;
use places::{Place, Run, places, refuse_set_of};
use std::collections::BTreeMap;

/// Its entry in the table.
pub(super) const ENTRY: StudyEntry = StudyEntry::of::<Duplex>(
    "duplex",
    "Full and half duplex links at equal wires: throughput and latency by pattern, network, packet length, multiqueue, \
     stall threshold and turnaround",
);

/// The unit of loads in columns, whose names it is part of.
const WIDE: &str = "wide_words/node/cycle";
/// The same in figures.
const SHOWN: &str = "wide words/node/cycle";

/// Its options. Each axis is varied from one point: the first topology, `--side`, the first pattern, and the chip's
/// parameters.
#[derive(Clone, Debug, Default, Args)]
pub(super) struct Duplex {
    /// What is varied, each alone: pattern, network, packet, multiqueue, threshold, turnaround, load.
    #[arg(
        long,
        value_name = "NAME,…",
        default_value = "pattern,network,packet,multiqueue,threshold,turnaround,load"
    )]
    axes: Vec<String>,
    /// The topologies: mesh and torus. The first is that of the point from which all axes start.
    #[arg(long, value_name = "NAME,…", default_value = "torus,mesh")]
    topologies: Vec<String>,
    /// The side of the square network, in nodes.
    #[arg(long, default_value_t = 16, value_name = "NODES", value_parser = clap::value_parser!(u32).range(2..=64))]
    side: u32,
    /// Sides of the square networks, in nodes.
    #[arg(long, value_name = "NODES,…", default_value = "8,16,32", value_parser = clap::value_parser!(u32).range(2..=64))]
    sides: Vec<u32>,
    /// Traffic patterns without parameters, and hot-spot: a tenth of the packets goes to four nodes, at
    /// a quarter and three quarters of each side.
    #[arg(
        long,
        value_name = "NAME,…",
        default_value = "uniform,transpose,bit-complement,tornado,hot-spot"
    )]
    patterns: Vec<String>,
    /// Packet lengths, in wide words: over full duplex packets have twice as many words.
    #[arg(long, value_name = "WORDS,…", default_value = "5,10,20,40", value_parser = clap::value_parser!(u16).range(3..=1024))]
    packet_words: Vec<u16>,
    /// Sizes of the multiqueue, in frames.
    #[arg(long, value_name = "N,…", default_value = "1,2,3,4,5,6,7,8", value_parser = clap::value_parser!(u32).range(1..=64))]
    frames: Vec<u32>,
    /// Stall thresholds, in cycles.
    #[arg(long, value_name = "CYCLES,…", default_value = "0,1,7,20,80", value_parser = clap::value_parser!(u32).range(0..=100_000))]
    thresholds: Vec<u32>,
    /// Cycles that a half-duplex wire takes to turn around: with output frames that are decided on again a cycle after
    /// they are empty, as on the chip, and that many cycles later.
    #[arg(long, value_name = "CYCLES,…", default_value = "0,1,2,4", value_parser = clap::value_parser!(u32).range(0..=1000))]
    turnarounds: Vec<u32>,
    /// Virtual channels of the wormhole routers.
    #[arg(long, default_value_t = 4, value_name = "COUNT", value_parser = clap::value_parser!(u8).range(2..=32))]
    vcs: u8,
    /// Words of their own width that a virtual channel's buffer holds; a packet's unless given.
    #[arg(long, value_name = "WORDS", value_parser = clap::value_parser!(u16).range(1..=4096))]
    buffer_words: Option<u16>,
    /// Offered loads of the axis load, ascending, in wide words per node and cycle.
    #[arg(long, value_name = "LOAD,…", default_value = "0.02,0.05,0.1,0.15,0.2,0.25", value_parser = wide_load)]
    loads: Vec<f64>,
    /// The load at which the other axes' latency is measured, in wide words per node and cycle.
    #[arg(long, default_value_t = 0.01, value_name = "LOAD", value_parser = wide_load)]
    low_load: f64,
    /// Measured cycles; half as many precede them. What an overloaded mesh accepts falls for long.
    #[arg(long, default_value_t = 20_000, value_parser = clap::value_parser!(u32).range(100..=100_000_000))]
    cycles: u32,
    /// How often.
    #[command(flatten)]
    repeats: Repeats<5>,
}

/// A load that full-duplex nodes can offer too: half a wide word per cycle is one of theirs.
fn wide_load(text: &str) -> Result<f64, String> {
    let allowed = "above 0, up to 0.5 wide words per node and cycle";
    number(text, |load| load > 0.0 && load <= 0.5, allowed)
}

impl Study for Duplex {
    type Row = DuplexRow;

    const FIGURES: Option<&'static str> = Some("duplex-");

    fn plan(&self) -> Option<Vec<String>> {
        let places = places(self).ok()?;
        let of =
            |place: &Place| format!("{} {} {}", place.axis, place.value, place.point.plan(self));
        Some(places.iter().map(of).collect())
    }

    fn run(&self, context: &mut dyn Context) -> Result<Ran<DuplexRow>, Failed> {
        ascending("--loads", &self.loads)?;
        let catalogue = context.catalogue().clone();
        let places = places(self)?;
        let runs = distinct(places.iter().map(|place| place.point.clone()));
        refuse_set_of(self, &runs)?;
        let resolve =
            |run: &Run, seed, more: &[Override]| run.resolve(self, &catalogue, seed, more);
        // What an overloaded network accepts needs no steady state.
        let may_wait = |run: &Run| run.load.is_some();
        let measured = Measured::of(
            context,
            runs,
            &self.repeats,
            resolve,
            may_wait,
            Run::figures,
        )?;
        let row = |place: &Place| {
            let runs = measured.get(&place.point)?;
            Some(DuplexRow::new(place.clone(), &runs))
        };
        Ok(rows_of(&places, text::is_pair, row))
    }

    #[rustfmt::skip]
    fn columns(&self) -> Vec<Column<DuplexRow>> {
        let mut all = vec![
            column("axis", "", "what is varied", |it: &DuplexRow| it.place.axis),
            column("value", "", "its value", |it: &DuplexRow| it.place.value.clone()),
            column("router", "", "the router, and for Chaos its links; all others have full-duplex links", |it: &DuplexRow| it.place.point.contender.name),
            column("topology", "", "`mesh` or `torus`", |it: &DuplexRow| it.place.point.panel.topology.clone()),
            column("side", "nodes", "of the square network", |it: &DuplexRow| it.place.point.panel.side),
            column("pattern", "", "the traffic pattern", |it: &DuplexRow| it.place.point.panel.pattern.clone()),
            column("packet_wide_words", "wide_words", "per packet: a wire of half duplex carries one a cycle", |it: &DuplexRow| it.place.point.wide_words),
            column("packet_words", "words", "per packet, of the router's own width", |it: &DuplexRow| it.place.point.own_words()),
            column("multiqueue_frames", "packets", "frames of the multiqueue; missing for other routers than Chaos", |it: &DuplexRow| it.place.point.of_chaos(it.place.point.frames)),
            column("stall_threshold_cycles", "cycles", "missing for other routers than Chaos", |it: &DuplexRow| it.place.point.of_chaos(it.place.point.threshold)),
            column("output_reopen_cycles", "cycles", "missing for other routers than Chaos", |it: &DuplexRow| it.place.point.of_chaos(it.place.point.reopen)),
            column("turnaround_cycles", "cycles", "of a half-duplex wire", |it: &DuplexRow| it.place.point.contender.is_half().then_some(it.place.point.turnaround)),
            column("configured_load_wide_words_per_node_cycle", WIDE, "what the configuration asks for", |it: &DuplexRow| it.place.point.configured_load()),
            column("overload", "", "whether sources offer a word of their own width per cycle, the most that they can", |it: &DuplexRow| it.place.point.load.is_none()),
        ];
        all.extend(estimate(("accepted_load", "accepted_load"), WIDE, "what was delivered in the window", |it: &DuplexRow| Some(it.accepted)));
        all.extend(estimate(("latency_mean", "latency"), "cycles", "from creation to delivery, of the seeds whose runs were steady; missing unless most were", |it: &DuplexRow| it.latency));
        all.extend(estimate(("wire_utilisation_mean", "wire_utilisation"), "", "over all wires, as part of what they can carry", |it: &DuplexRow| Some(it.utilisation)));
        all.push(column("saturated_seeds", "", "seeds whose network was saturated", |it: &DuplexRow| it.saturated_seeds));
        all.extend(served_columns("cycles", |it: &DuplexRow| it.served.clone()));
        all
    }

    /// Each run at its places.
    #[rustfmt::skip]
    fn details(&self, rows: &[DuplexRow]) -> Vec<Table> {
        type One<'a> = (&'a DuplexRow, usize);
        let runs = rows.iter().flat_map(|row| (0..row.seeds.len()).map(move |at| (row, at)));
        let mut columns: Vec<Column<One<'_>>> = vec![
            column("axis", "", "what is varied", |it: &One<'_>| it.0.place.axis),
            column("value", "", "its value", |it: &One<'_>| it.0.place.value.clone()),
            column("router", "", "the router, and for Chaos its links", |it: &One<'_>| it.0.place.point.contender.name),
            column("overload", "", "whether sources offer a word of their own width per cycle, the most that they can", |it: &One<'_>| it.0.place.point.load.is_none()),
            column("configured_load_wide_words_per_node_cycle", WIDE, "what the configuration asks for", |it: &One<'_>| it.0.place.point.configured_load()),
            column("seed", "", "the seed of all random draws", |it: &One<'_>| it.0.seeds[it.1]),
            column("accepted_load_wide_words_per_node_cycle", WIDE, "what was delivered in the window", |it: &One<'_>| it.0.accepted_by_seed[it.1]),
            column("latency_mean_cycles", "cycles", "from creation to delivery, if the run was steady", |it: &One<'_>| it.0.latency_by_seed[it.1]),
            column("wire_utilisation", "", "over all wires, as part of what they can carry", |it: &One<'_>| it.0.utilisation_by_seed[it.1]),
        ];
        columns.extend(served_seed_columns("cycles", |it: &One<'_>| it.0.served[it.1]));
        vec![Table::new("runs", &columns, runs)]
    }

    /// What each contender runs: at its first place, with the first seed. The columns say what differs elsewhere.
    fn configurations(&self, catalogue: &Catalogue) -> BTreeMap<String, String> {
        let places = places(self).unwrap_or_default();
        let first = |name: &str| {
            let mut runs = places.iter().map(|place| &place.point);
            runs.find(|run| run.contender.name == name)
        };
        let names = distinct(places.iter().map(|place| place.point.contender.name));
        let runs = names.into_iter().filter_map(first);
        let of = |run: &Run| {
            let resolved = run
                .resolve(self, catalogue, self.repeats.first_seed, &[])
                .ok()?;
            Some((run.name(), resolved.to_toml()))
        };
        runs.filter_map(of).collect()
    }

    fn text(&self, rows: &[DuplexRow]) -> String {
        text::duplex_text(self, rows)
    }

    fn figures(&self, rows: &[DuplexRow]) -> Vec<StudyFigure> {
        text::duplex_figures(self, rows)
    }
}

/// The figures of a run with one seed. Loads are in wide words.
#[derive(Clone)]
struct Figures {
    seed: u64,
    accepted: f64,
    /// If the run was steady.
    latency: Option<f64>,
    utilisation: f64,
    is_saturated: bool,
    served: Served,
}

impl Run {
    fn figures(&self, results: &Results) -> Option<Figures> {
        let latency = results.latency.mean.map(|mean| mean.mean);
        Some(Figures {
            seed: results.seed,
            accepted: results.load.as_ref()?.accepted.mean / self.contender.own_per_wide(),
            latency: if_steady(results, latency),
            utilisation: results.link_utilisation_mean,
            is_saturated: results.is_saturated(),
            served: Served::of(results),
        })
    }
}

/// A run at its place on an axis, over all seeds: see [`Duplex::columns`].
#[derive(Clone, Debug)]
pub(super) struct DuplexRow {
    place: Place,
    accepted: Estimate,
    latency: Option<Estimate>,
    utilisation: Estimate,
    saturated_seeds: u32,
    seeds: Vec<u64>,
    accepted_by_seed: Vec<f64>,
    latency_by_seed: Vec<Option<f64>>,
    utilisation_by_seed: Vec<f64>,
    served: Vec<Served>,
}

impl DuplexRow {
    fn new(place: Place, runs: &[Figures]) -> DuplexRow {
        let accepted_by_seed: Vec<f64> = runs.iter().map(|run| run.accepted).collect();
        let latency_by_seed: Vec<Option<f64>> = runs.iter().map(|run| run.latency).collect();
        DuplexRow {
            place,
            accepted: mean_of(accepted_by_seed.iter().copied()),
            latency: of_most(&latency_by_seed),
            utilisation: mean_of(runs.iter().map(|run| run.utilisation)),
            saturated_seeds: runs.iter().filter(|run| run.is_saturated).count() as u32,
            seeds: runs.iter().map(|run| run.seed).collect(),
            accepted_by_seed,
            latency_by_seed,
            utilisation_by_seed: runs.iter().map(|run| run.utilisation).collect(),
            served: runs.iter().map(|run| run.served).collect(),
        }
    }
}

#[cfg(test)]
mod tests;
