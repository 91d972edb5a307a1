//! Chinn 1995 on the command line: its experiments, their options, tables and figures.

use super::entry::PaperEntry;
use super::{ChinnError, Cycle, InitialPointer, Progress, Request, Row, Watcher};
use super::{configurations, figure, need_bytes, run, text};
use crate::context::{At, Context, End, Failed, end, print_rows};
use crate::options::{cycle, seeds, side};
use clap::{ArgMatches, Args, FromArgMatches, ValueEnum};
use flitwork_experiment::memory;
use flitwork_files::write;
use flitwork_plot::{Figure, HeatMap, Palette};
use flitwork_report::{Configuration, Provenance};
use std::ops::ControlFlow;
use std::path::PathBuf;

/// Its experiments, sorted by name.
pub(super) const EXPERIMENTS: &[PaperEntry] = &[
    experiment(
        "chinn-exp1",
        "the permutation against minimal Chaos on the whole mesh",
    ),
    experiment(
        "chinn-exp2",
        "the same on the box in the corner, at whose edge packets vanish",
    ),
    experiment("chinn-exp3", "the same with multiqueues of two frames"),
    experiment("chinn-exp4", "the permutation against GreedyHP"),
];

const fn experiment(name: &'static str, help: &'static str) -> PaperEntry {
    PaperEntry {
        name,
        help,
        options: Options::augment_args,
        run: reproduce,
    }
}

/// Where the nodes' decision engines begin their scans.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Pointer {
    /// All at the first port of the scan order.
    Fixed,
    /// Each at a random port: the random-initial-state runs.
    Random,
}

/// What is asked for.
#[derive(Debug, Args)]
struct Options {
    /// Sides of the meshes in nodes, e.g. 600,1080; by default the published ones.
    #[arg(long, value_delimiter = ',', value_name = "N,…", value_parser = side, allow_negative_numbers = true)]
    n: Vec<u32>,
    /// How many seeds a row: results are means over them.
    #[arg(long, default_value_t = 3, value_name = "COUNT", value_parser = seeds, allow_negative_numbers = true)]
    seeds: u32,
    /// Where the nodes' pointers stand when the permutation is routed.
    #[arg(long, value_enum, default_value = "fixed", value_name = "WHERE")]
    initial_pointer: Pointer,
    /// Print the rows as JSON.
    #[arg(long)]
    json: bool,
    /// Draw the figure, with the published points, into this SVG file.
    #[arg(long, value_name = "FILE.svg")]
    plot: Option<PathBuf>,
    /// Draw the occupancy of the corner at this cycle, as in Figure 4.4: a PNG and an SVG file a row, in
    /// the current folder or --snapshot-dir.
    #[arg(long, value_name = "CYCLE", value_parser = cycle, allow_negative_numbers = true)]
    snapshot: Option<u32>,
    /// Where snapshots go.
    #[arg(long, value_name = "DIR", default_value = ".", requires = "snapshot")]
    snapshot_dir: PathBuf,
    /// Replace figures that are there.
    #[arg(long)]
    force: bool,
}

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

fn reproduce(
    entry: &PaperEntry,
    matches: &ArgMatches,
    context: &mut dyn Context,
) -> Result<End, Failed> {
    let asked = &Options::from_arg_matches(matches).map_err(Failed::bad_input)?;
    if let Some(path) = &asked.plot {
        context.prepare_file("--plot", path, asked.force)?;
    }
    if let Some(cycle) = asked.snapshot {
        let owns = |name: &str| is_snapshot(entry.name, asked, cycle, name);
        context.prepare_folder("--snapshot-dir", &asked.snapshot_dir, asked.force, &owns)?;
    }
    let request = Request {
        experiment: entry.name.to_owned(),
        sizes: asked.n.clone(),
        seeds: asked.seeds,
        initial_pointer: match asked.initial_pointer {
            Pointer::Fixed => InitialPointer::Fixed,
            Pointer::Random => InitialPointer::Random,
        },
        snapshot: asked.snapshot.map(Cycle),
    };
    let made_of = Configuration::Several(configurations(&request).map_err(refused)?);
    let of = &context.program().made(made_of, 1, request.seeds);
    memory::admit_bytes(need_bytes(&request), &["--n"]).map_err(Failed::bad_input)?;
    let mut shown = Shown {
        context,
        name: String::new(),
    };
    let rows = run(&request, &mut shown).map_err(refused);
    context.done();
    let rows = rows?;
    // The rows are shown even where pictures can't be written.
    let drawn = draw(entry.name, asked, &rows, of);
    let text = || text(entry.name, &rows);
    print_rows(context, of, &rows, asked.json, text)?;
    for file in drawn? {
        context.wrote(&file);
    }
    Ok(end(context))
}

/// A request that can't be run, by the argument that is to blame.
fn refused(error: ChinnError) -> Failed {
    Failed::BadInput(match &error {
        ChinnError::Unknown(_) => format!("EXPERIMENT: {error}"),
        ChinnError::NoSeeds => format!("--seeds: {error}"),
        ChinnError::Small { .. } | ChinnError::Plan(_) | ChinnError::Grid { .. } => {
            format!("--n: {error}")
        }
    })
}

/// Whether a file of that name is a snapshot of these runs: of this experiment and cycle, and of a size that
/// is asked for.
fn is_snapshot(experiment: &str, asked: &Options, cycle: u32, name: &str) -> bool {
    let ends = ["png", "svg"].map(|end| format!("-cycle{cycle}.{end}"));
    let size = name
        .strip_prefix(&format!("{experiment}-n"))
        .and_then(|rest| rest.split('-').next()?.parse().ok());
    size.is_some_and(|n| asked.n.is_empty() || asked.n.contains(&n))
        && ends.iter().any(|end| name.ends_with(end))
}

/// Draws what is asked for, and gives the files.
fn draw(
    experiment: &str,
    asked: &Options,
    rows: &[Row],
    of: &Provenance,
) -> Result<Vec<PathBuf>, Failed> {
    let mut written = Vec::new();
    if let (Some(path), Some(svg)) = (&asked.plot, figure(experiment, rows)) {
        write(path, of.in_svg(&svg).as_bytes())
            .map_err(|error| Failed::unwritable("--plot", &error))?;
        written.push(path.clone());
    }
    for row in rows {
        let Some(snapshot) = &row.snapshot else {
            continue;
        };
        let (name, side) = (row.algorithm.name(), snapshot.side);
        let (n, cycle) = (row.n, snapshot.cycle);
        let map = HeatMap {
            title: &format!("{name} of {n} x {n}, {side} x {side} corner, cycle {cycle}"),
            width: side as usize,
            height: side as usize,
            values: &snapshot.packets,
            unit: "packets",
            min: Some(0.0),
            max: None,
            palette: Palette::Greys,
        };
        let stem = format!("{}-n{n}-{name}-cycle{cycle}", row.experiment);
        let bad = |error| Failed::unwritable("--snapshot-dir", &error);
        let files = ["png", "svg"].map(|end| asked.snapshot_dir.join(format!("{stem}.{end}")));
        write(&files[0], &map.png_with(&of.metadata())).map_err(bad)?;
        write(&files[1], of.in_svg(&map.svg()).as_bytes()).map_err(bad)?;
        written.extend(files);
    }
    Ok(written)
}
