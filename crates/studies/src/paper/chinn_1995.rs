//! Chinn 1995 on the command line: its experiments, their options, tables and figures.

use super::chinn::{ChinnError, columns, runs};
use super::entry::PaperEntry;
use super::{Cycle, InitialPointer, Progress, Request, Row, Watcher};
use super::{configurations, figure, need_bytes, run, text};
use crate::context::{At, Context, Failed};
use crate::options::{cycle, seeds, side};
use crate::study::{Folder, Plot, Ran, Study};
use clap::{Args, ValueEnum};
use flitwork_experiment::memory;
use flitwork_plot::{Figure, HeatMap, Palette, Sheet};
use flitwork_report::{Column, Provenance, Table};
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::PathBuf;

/// Its experiments, sorted by name.
pub(super) const EXPERIMENTS: &[PaperEntry] = &[
    PaperEntry::of::<Chinn<1>>(
        "chinn-exp1",
        "the permutation against minimal Chaos on the whole mesh",
    ),
    PaperEntry::of::<Chinn<2>>(
        "chinn-exp2",
        "the same on the box in the corner, at whose edge packets vanish",
    ),
    PaperEntry::of::<Chinn<3>>("chinn-exp3", "the same with multiqueues of two frames"),
    PaperEntry::of::<Chinn<4>>("chinn-exp4", "the permutation against GreedyHP"),
];

/// Where the nodes' decision engines begin their scans.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Pointer {
    /// All at the first port of the scan order.
    Fixed,
    /// Each at a random port: the random-initial-state runs.
    Random,
}

/// Its options.
#[derive(Debug, Args)]
struct Chinn<const EXPERIMENT: u8> {
    /// Sides of the meshes in nodes, e.g. 600,1080; by default the published ones.
    #[arg(long, value_name = "N,…", value_parser = side)]
    n: Vec<u32>,
    /// The number of seeds per row. Results are means over them.
    #[arg(long, default_value_t = 3, value_name = "COUNT", value_parser = seeds)]
    seeds: u32,
    /// The nodes' initial pointers when the permutation is routed.
    #[arg(long, value_enum, default_value = "fixed", value_name = "WHERE")]
    initial_pointer: Pointer,
    /// Draw the occupancy of the corner at this cycle, as in Figure 4.4: a PNG and an SVG file per row, in
    /// the current folder or --snapshot-dir.
    #[arg(long, value_name = "CYCLE", value_parser = cycle)]
    snapshot: Option<u32>,
    /// Where snapshots go.
    #[arg(long, value_name = "DIR", default_value = ".", requires = "snapshot")]
    snapshot_dir: PathBuf,
}

impl<const EXPERIMENT: u8> Chinn<EXPERIMENT> {
    fn request(&self) -> Request {
        Request {
            experiment: format!("chinn-exp{EXPERIMENT}"),
            sizes: self.n.clone(),
            seeds: self.seeds,
            initial_pointer: match self.initial_pointer {
                Pointer::Fixed => InitialPointer::Fixed,
                Pointer::Random => InitialPointer::Random,
            },
            snapshot: self.snapshot.map(Cycle),
        }
    }
}

impl<const EXPERIMENT: u8> Study for Chinn<EXPERIMENT> {
    type Row = Row;

    const PLOT: Option<Plot> = Some(Plot::File(
        "Draw the figure, with the published points, into this SVG file",
    ));

    fn run(&self, context: &mut dyn Context) -> Result<Ran<Row>, Failed> {
        let request = self.request();
        let refused = |error: ChinnError| Failed::option("--n", error);
        // All sizes are checked before the memory that they need.
        configurations(&request).map_err(refused)?;
        memory::admit_bytes(need_bytes(&request), &["--n"]).map_err(Failed::bad_input)?;
        let name = String::new();
        let rows = run(&request, &mut Shown { context, name });
        rows.map(Ran::AsFar).map_err(refused)
    }

    fn columns(&self) -> Vec<Column<Row>> {
        columns()
    }

    fn details(&self, rows: &[Row]) -> Vec<Table> {
        vec![runs(rows)]
    }

    fn configurations(&self) -> BTreeMap<String, String> {
        configurations(&self.request()).unwrap_or_default()
    }

    fn seeds(&self) -> (u64, u32) {
        (1, self.seeds)
    }

    fn text(&self, rows: &[Row]) -> String {
        text(&self.request().experiment, rows)
    }

    fn figure(&self, rows: &[Row]) -> Option<String> {
        figure(&self.request().experiment, rows)
    }

    fn folders(&self) -> Vec<Folder<'_, Row>> {
        let Some(cycle) = self.snapshot else {
            return Vec::new();
        };
        let Request {
            experiment, sizes, ..
        } = self.request();
        vec![Folder {
            option: "--snapshot-dir",
            path: &self.snapshot_dir,
            owns: Box::new(move |name| is_snapshot(&experiment, &sizes, cycle, name)),
            files: Box::new(|rows, of| rows.iter().flat_map(|row| snapshot(row, of)).collect()),
        }]
    }
}

/// Whether a file of that name is a snapshot of these runs: of this experiment and cycle, and of a size that
/// is asked for.
fn is_snapshot(experiment: &str, sizes: &[u32], cycle: u32, name: &str) -> bool {
    let ends = ["png", "svg"].map(|end| format!("-cycle{cycle}.{end}"));
    let size = name
        .strip_prefix(&format!("{experiment}-n"))
        .and_then(|rest| rest.split('-').next()?.parse().ok());
    size.is_some_and(|n| sizes.is_empty() || sizes.contains(&n))
        && ends.iter().any(|end| name.ends_with(end))
}

/// The occupancy of a row's corner, as PNG and SVG.
fn snapshot(row: &Row, of: &Provenance) -> Vec<(String, Vec<u8>)> {
    let Some(snapshot) = &row.snapshot else {
        return Vec::new();
    };
    let (name, side) = (row.algorithm.name(), snapshot.side);
    let (n, cycle) = (row.n, snapshot.cycle);
    let map = HeatMap {
        title: &format!("{name} of {n} x {n}, {side} x {side} corner, cycle {cycle}"),
        width: side as usize,
        height: side as usize,
        sheets: vec![Sheet {
            label: String::new(),
            values: snapshot.packets.clone(),
        }],
        across: 1,
        unit: "packets",
        palette: Palette::Greys,
    };
    let stem = format!("{}-n{n}-{name}-cycle{cycle}", row.experiment);
    let svg = of.in_svg(&map.svg()).into_bytes();
    vec![
        (format!("{stem}.png"), map.png_with(&of.metadata())),
        (format!("{stem}.svg"), svg),
    ]
}

/// Shows where an experiment is.
struct Shown<'a> {
    context: &'a mut dyn Context,
    name: String,
}

impl Watcher for Shown<'_> {
    fn begin(&mut self, what: &str) {
        self.name = what.to_owned();
        self.context.show(At::Cycle {
            name: what,
            cycle: 0,
        });
    }

    fn progress(&mut self, progress: Progress) -> ControlFlow<()> {
        self.context.show(At::Cycle {
            name: &self.name,
            cycle: progress.cycle.get().into(),
        });
        self.context.flow()
    }

    fn row(&mut self, row: &Row) {
        let algorithm = row.algorithm.name();
        let line = format!("n = {}: {algorithm} {:.1} cycles", row.n, row.cycles);
        self.context.remark(&line);
    }
}
