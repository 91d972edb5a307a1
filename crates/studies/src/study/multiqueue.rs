//! What the size of the multiqueue does under overload, and that Chaos drains whatever it is.
//!
//! Sources offer a word a node and cycle, far more than the network takes. Then they fall silent, and the
//! network must empty: with derouting it always does, without it a torus may not.

use super::{Ran, Study, StudyEntry};
use crate::context::{At, Context, Failed};
use clap::Args;
use flitwork_config::{
    ClockParameters, EnergyParameters, EngineChoice, LiveParameters, NetworkParameters, Resolved,
    RunParameters, TrafficParameters,
};
use flitwork_engine::{Ended, Progress};
use flitwork_experiment::memory;
use flitwork_experiment::simulate::{execute, load};
use flitwork_measure::Window;
use flitwork_observe::Observer;
use flitwork_router::chaos::ChaosParameters;
use flitwork_topology::{Grid, Topology};
use flitwork_traffic::{AnyPattern, BernoulliParameters, LengthLaw};
use flitwork_types::Cycle;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::ops::ControlFlow;

/// Cycles in which the network must have emptied.
const DRAIN_CYCLES: u32 = 2_000_000;

/// Its line in the table.
pub(super) const ENTRY: StudyEntry = StudyEntry::of::<Multiqueue>(
    "multiqueue",
    "What the size of the multiqueue does under overload, on a mesh and a torus, and how long the network takes to \
     empty afterwards",
);

/// What is asked for.
#[derive(Clone, Debug, Default, Args)]
pub struct Multiqueue {
    /// The side of the square mesh and torus, in nodes.
    #[arg(long, default_value_t = 16, value_name = "NODES")]
    pub side: u32,
    /// Cycles of overload; the second half is measured.
    #[arg(long, default_value_t = 200_000, value_parser = clap::value_parser!(u32).range(2..=1_000_000_000))]
    pub cycles: u32,
    /// Traffic patterns that need no parameter.
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "NAME,…",
        default_value = "uniform,bit-complement"
    )]
    pub patterns: Vec<String>,
    /// Sizes of the multiqueue, in frames.
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "N,…",
        default_value = "1,2,3,4,5,6,7,8"
    )]
    pub frames: Vec<usize>,
    /// Minimal Chaos: full multiqueues don't deroute.
    #[arg(long)]
    pub no_derouting: bool,
    /// The seed.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Print the rows as JSON.
    #[arg(long)]
    pub json: bool,
}

impl Study for Multiqueue {
    type Row = MultiqueueRow;

    fn run(&self, context: &mut dyn Context) -> Result<Ran<MultiqueueRow>, Failed> {
        let rows = multiqueue(self, &mut |name, progress| {
            let cycle = progress.cycle.get().into();
            context.show(At::Cycle { name, cycle });
            context.flow()
        });
        Ok(Ran::AsFar(rows?))
    }

    /// What runs, by network, pattern and frames.
    fn configurations(&self) -> BTreeMap<String, String> {
        let runs = runs(self).unwrap_or_default();
        let named = runs.iter();
        named
            .map(|(frames, resolved)| (name(*frames, resolved), resolved.to_toml()))
            .collect()
    }

    fn seeds(&self) -> (u64, u32) {
        (self.seed, 1)
    }

    fn json(&self) -> bool {
        self.json
    }

    fn text(&self, rows: &[MultiqueueRow]) -> String {
        multiqueue_text(self, rows)
    }
}

/// A line of the table.
#[derive(Clone, Debug, Serialize)]
pub struct MultiqueueRow {
    /// "mesh" or "torus".
    pub topology: &'static str,
    /// The traffic pattern.
    pub pattern: String,
    /// Frames of the multiqueue.
    pub multiqueue_frames: usize,
    /// Words accepted a node and cycle.
    pub accepted: f64,
    /// Deroutes a hop.
    pub deroutes_per_hop: f64,
    /// Mean packets in a multiqueue.
    pub multiqueue_mean: f64,
    /// Cycles from the sources' last packet until the network was empty; none if it never was.
    pub drained_after: Option<u32>,
    /// Packets that stayed in the network.
    pub left: u64,
}

/// Runs the study; the rows done when the watcher breaks it off. An error names what can't be built.
///
/// # Errors
/// A side that makes no network, or a pattern that the network can't carry.
fn multiqueue(
    asked: &Multiqueue,
    watcher: &mut dyn FnMut(&str, Progress) -> ControlFlow<()>,
) -> Result<Vec<MultiqueueRow>, String> {
    let runs = runs(asked)?;
    for (_, resolved) in &runs {
        memory::admit(resolved, 1.0).map_err(|error| format!("--side {}: {error}", asked.side))?;
    }
    let mut rows = Vec::new();
    for (frames, resolved) in runs {
        match row(asked, frames, &resolved, watcher) {
            Some(row) => rows.push(row),
            None => break,
        }
    }
    Ok(rows)
}

/// All runs, each with its frames.
fn runs(asked: &Multiqueue) -> Result<Vec<(usize, Resolved)>, String> {
    let mut runs = Vec::new();
    for wraps in [false, true] {
        let sides = [asked.side; 2];
        let grid = if wraps {
            Grid::torus(&sides)
        } else {
            Grid::mesh(&sides)
        };
        let grid = grid.map_err(|error| format!("side {}: {error}", asked.side))?;
        for pattern in &asked.patterns {
            for frames in &asked.frames {
                runs.push(configuration(asked, &grid, pattern, *frames)?);
            }
        }
    }
    Ok(runs)
}

fn topology(resolved: &Resolved) -> &'static str {
    match resolved.network.grid().wraps() {
        true => "torus",
        false => "mesh",
    }
}

fn name(frames: usize, resolved: &Resolved) -> String {
    let pattern = resolved.traffic.pattern.name();
    format!("{}, {pattern}, {frames} frames", topology(resolved))
}

fn configuration(
    asked: &Multiqueue,
    grid: &Grid,
    pattern: &str,
    frames: usize,
) -> Result<(usize, Resolved), String> {
    let mut parameters = ChaosParameters::chinn_1995(grid.ports());
    let packet_words = parameters.packet_words;
    parameters.multiqueue_frames = frames;
    parameters.derouting = !asked.no_derouting;
    parameters.check().map_err(|error| error.to_string())?;
    let pattern = AnyPattern::named(pattern).map_err(|error| error.to_string())?;
    let built = pattern.build(grid, asked.seed);
    built.map_err(|error| error.to_string())?;
    let measure_cycles = (asked.cycles / 2).max(1);
    let run = RunParameters {
        seed: asked.seed,
        engine: EngineChoice::Sync,
        warmup_cycles: asked.cycles - measure_cycles,
        measure_cycles,
        drain_cycles: DRAIN_CYCLES,
        stop_at_overload: false,
        deadline_cycles: asked.cycles + 2 * DRAIN_CYCLES,
    };
    let resolved = Resolved {
        network: NetworkParameters::new(grid.clone(), 1, Some(packet_words.into())),
        router: parameters.into(),
        traffic: TrafficParameters {
            process: BernoulliParameters { load: 1.0 }.into(),
            lengths: LengthLaw::Fixed {
                words: packet_words,
            },
            pattern,
        },
        run,
        clocks: ClockParameters::default(),
        live: LiveParameters::new(1),
        energy: EnergyParameters::default(),
    };
    Ok((frames, resolved))
}

fn row(
    asked: &Multiqueue,
    frames: usize,
    resolved: &Resolved,
    watcher: &mut dyn FnMut(&str, Progress) -> ControlFlow<()>,
) -> Option<MultiqueueRow> {
    let grid = resolved.network.grid();
    let name = name(frames, resolved);
    let end = Cycle(asked.cycles);
    let window = Window::new(Cycle(resolved.run.warmup_cycles), end).expect("at least a cycle");
    let observer = Observer::new(grid, 1, window);
    let mut load = load(resolved);
    load.inject_until = end;
    let done = execute(resolved, load, observer, &mut |progress| {
        watcher(&name, progress)
    });
    if done.outcome.ended == Ended::Interrupted {
        return None;
    }
    let seen = done.probe.finish(end);
    let cycles = f64::from(seen.measured_cycles);
    let nodes = f64::from(grid.nodes());
    let words = seen.delivered_in_window as f64 * f64::from(resolved.packet_words());
    let last = seen.last_delivery.unwrap_or(Cycle::ZERO);
    Some(MultiqueueRow {
        topology: topology(resolved),
        pattern: resolved.traffic.pattern.name().into(),
        multiqueue_frames: frames,
        accepted: words / nodes / cycles,
        deroutes_per_hop: seen.all_deroutes as f64 / seen.all_hops.max(1) as f64,
        multiqueue_mean: seen.queue_packet_cycles.iter().sum::<i64>() as f64 / nodes / cycles,
        drained_after: (done.outcome.ended == Ended::Empty).then(|| last.since(end)),
        left: seen.injected - seen.delivered,
    })
}

/// The rows as a table.
fn multiqueue_text(asked: &Multiqueue, rows: &[MultiqueueRow]) -> String {
    let mut out = format!(
        "{} x {} nodes, offered load 1 word/node/cycle for {} cycles, derouting {}, seed {}\n\n",
        asked.side,
        asked.side,
        asked.cycles,
        if asked.no_derouting { "off" } else { "on" },
        asked.seed
    );
    let _ = writeln!(
        out,
        "{:<6} {:<15} {:>6} {:>14} {:>13} {:>12} {:>13}",
        "", "pattern", "frames", "accepted load", "deroutes/hop", "in the queue", "drained after"
    );
    for row in rows {
        let drained = match row.drained_after {
            Some(cycles) => format!("{cycles} cycles"),
            None => format!("never: {}", row.left),
        };
        let _ = writeln!(
            out,
            "{:<6} {:<15} {:>6} {:>14.4} {:>13.4} {:>12.3} {:>13}",
            row.topology,
            row.pattern,
            row.multiqueue_frames,
            row.accepted,
            row.deroutes_per_hop,
            row.multiqueue_mean,
            drained
        );
    }
    out
}
