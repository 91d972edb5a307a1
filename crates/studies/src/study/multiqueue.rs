//! The effect of the multiqueue's size under overload; Chaos drains whatever it is.
//!
//! Sources offer a word per node and cycle, far more than the network accepts. Then they fall silent, and the
//! network must empty: with derouting it always does; without it a torus may not.

use super::{Ran, Steps, Study, StudyEntry};
use crate::context::{Context, Failed};
use crate::square::{chaos, measured, pattern, square};
use clap::Args;
use flitwork_config::{Catalogue, Resolved};
use flitwork_engine::Ended;
use flitwork_experiment::memory;
use flitwork_experiment::simulate::{demand, execute};
use flitwork_measure::Window;
use flitwork_observe::Observer;
use flitwork_report::{Aligned, Column, column};
use flitwork_router::chaos::ChaosParameters;
use flitwork_topology::Topology;
use flitwork_types::Cycle;
use std::collections::BTreeMap;

/// Cycles in which the network must have emptied.
const DRAIN_CYCLES: u32 = 2_000_000;

/// Its entry in the table.
pub(super) const ENTRY: StudyEntry = StudyEntry::of::<Multiqueue>(
    "multiqueue",
    "The effect of the multiqueue's size under overload, on a mesh and a torus, and how long the network takes to \
     drain afterwards",
);

/// Its options.
#[derive(Clone, Debug, Default, Args)]
pub(super) struct Multiqueue {
    /// The side of the square mesh and torus, in nodes.
    #[arg(long, default_value_t = 16, value_name = "NODES")]
    side: u32,
    /// Cycles of overload; the second half is measured.
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
    /// The seed.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

impl Study for Multiqueue {
    type Row = MultiqueueRow;

    fn run(&self, context: &mut dyn Context) -> Result<Ran<MultiqueueRow>, Failed> {
        let runs = runs(self, context.catalogue())?;
        for (_, resolved) in &runs {
            memory::admit(resolved, 1.0).map_err(|error| Failed::option("--side", error))?;
        }
        Steps::new(context, None).rows(&runs, |(frames, resolved), steps| {
            Ok(row(self, *frames, resolved, steps))
        })
    }

    #[rustfmt::skip]
    fn columns(&self) -> Vec<Column<MultiqueueRow>> {
        vec![
            column("topology", "", "`mesh` or `torus`", |it: &MultiqueueRow| it.topology),
            column("pattern", "", "the traffic pattern", |it: &MultiqueueRow| it.pattern.clone()),
            column("multiqueue_frames", "packets", "frames of the multiqueue", |it: &MultiqueueRow| it.frames),
            column("accepted_load_words_per_node_cycle", "words/node/cycle", "what was delivered in the window", |it: &MultiqueueRow| it.accepted),
            column("deroutes_per_hop", "", "of all hops in the whole run", |it: &MultiqueueRow| it.deroutes_per_hop),
            column("buffer_packets_mean", "packets", "in a multiqueue, mean over nodes and window", |it: &MultiqueueRow| it.multiqueue_mean),
            column("drained_after_cycles", "cycles", "from the sources' last packet until the network was empty; missing if it never was", |it: &MultiqueueRow| it.drained_after),
            column("packets_in_network", "packets", "in the network at the end", |it: &MultiqueueRow| it.left),
        ]
    }

    /// What runs, by network, pattern and frames.
    fn configurations(&self, catalogue: &Catalogue) -> BTreeMap<String, String> {
        let runs = runs(self, catalogue).unwrap_or_default().into_iter();
        runs.map(|(frames, resolved)| (name(frames, &resolved), resolved.to_toml()))
            .collect()
    }

    fn text(&self, rows: &[MultiqueueRow]) -> String {
        let out = format!(
            "{} x {} nodes, offered load 1 word/node/cycle for {} cycles, derouting {}, seed {}\n\n",
            self.side,
            self.side,
            self.cycles,
            if self.no_derouting { "off" } else { "on" },
            self.seed
        );
        let columns = Aligned::<MultiqueueRow>::new()
            .left("", 6, |it| it.topology)
            .left("pattern", 15, |it| it.pattern.clone())
            .right("frames", 6, |it| it.frames)
            .right("accepted load", 14, |it| format!("{:.4}", it.accepted))
            .right("deroutes/hop", 13, |it| {
                format!("{:.4}", it.deroutes_per_hop)
            })
            .right("in the queue", 12, |it| {
                format!("{:.3}", it.multiqueue_mean)
            })
            .right("drained after", 13, |it| match it.drained_after {
                Some(cycles) => format!("{cycles} cycles"),
                None => format!("never: {}", it.left),
            });
        out + &columns.text(rows)
    }
}

/// A row of the table.
#[derive(Clone, Debug)]
pub(super) struct MultiqueueRow {
    topology: &'static str,
    pattern: String,
    frames: usize,
    accepted: f64,
    deroutes_per_hop: f64,
    multiqueue_mean: f64,
    drained_after: Option<u32>,
    left: u64,
}

/// All runs, each with its frames.
fn runs(asked: &Multiqueue, catalogue: &Catalogue) -> Result<Vec<(usize, Resolved)>, Failed> {
    let window = (asked.cycles - asked.cycles / 2, asked.cycles / 2);
    let run = measured(asked.seed, window, DRAIN_CYCLES);
    let mut runs = Vec::new();
    for wraps in [false, true] {
        let grid = square(wraps, asked.side).map_err(|error| Failed::option("--side", error))?;
        for name in &asked.patterns {
            for &frames in &asked.frames {
                let mut checked = Ok(());
                let set = |parameters: &mut ChaosParameters| {
                    parameters.multiqueue_frames = frames;
                    parameters.derouting = !asked.no_derouting;
                    checked = parameters.check();
                };
                let pattern = pattern(catalogue, name, &grid, |_| {});
                let resolved = chaos(catalogue, &grid, set, (1.0, pattern?), run);
                checked.map_err(|error| Failed::option("--frames", error))?;
                runs.push((frames, resolved));
            }
        }
    }
    Ok(runs)
}

fn name(frames: usize, resolved: &Resolved) -> String {
    let topology = resolved.network.grid().kind();
    let pattern = resolved.traffic.pattern.name();
    format!("{topology}, {pattern}, {frames} frames")
}

fn row(
    asked: &Multiqueue,
    frames: usize,
    resolved: &Resolved,
    steps: &mut Steps<'_>,
) -> Option<MultiqueueRow> {
    let grid = resolved.network.grid();
    let name = name(frames, resolved);
    let end = Cycle(asked.cycles);
    let window = Window::new(Cycle(resolved.run.warmup_cycles), end).expect("at least a cycle");
    let observer = Observer::new(grid, 1, window);
    let mut demand = demand(resolved);
    demand.inject_until = end;
    let done = steps.run(&name, |control| {
        execute(resolved, demand, observer, control)
    })?;
    let seen = done.probe.finish(end);
    let cycles = f64::from(seen.measured_cycles);
    let nodes = f64::from(grid.nodes());
    let words = seen.words_delivered.observations() as f64 * f64::from(resolved.packet_words());
    let last = seen.last_delivery.unwrap_or(Cycle::ZERO);
    Some(MultiqueueRow {
        topology: grid.kind(),
        pattern: resolved.traffic.pattern.name().into(),
        frames,
        accepted: words / nodes / cycles,
        deroutes_per_hop: seen.all_deroutes as f64 / seen.all_hops.max(1) as f64,
        multiqueue_mean: seen.queue_packet_cycles.iter().sum::<i64>() as f64 / nodes / cycles,
        drained_after: (done.outcome.ended == Ended::Empty).then(|| last.since(end)),
        left: seen.injected - seen.delivered,
    })
}
