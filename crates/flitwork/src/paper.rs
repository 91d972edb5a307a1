//! `flitwork paper`.

use crate::args::{InitialPointer, Paper};
use crate::exit::{Code, Exit, FINE, INTERRUPTED, Interruption, complain, print_rows};
use crate::program::program;
use crate::{output, progress};
use flitwork_experiment::memory;
use flitwork_experiment::provenance::{Configuration, Provenance};
use flitwork_files::write;
use flitwork_plot::{Figure, HeatMap, Palette};
use flitwork_studies::paper::{self, ChinnError, Request, Row, Watcher};
use indicatif::ProgressBar;
use std::ops::ControlFlow;
use std::path::PathBuf;

struct Terminal<'a> {
    spinner: ProgressBar,
    interruption: &'a Interruption,
}

impl Watcher for Terminal<'_> {
    fn begin(&mut self, what: &str) {
        self.spinner.set_message(what.to_owned());
        tracing::info!("{what}");
    }

    fn progress(&mut self, progress: paper::Progress) -> ControlFlow<()> {
        self.spinner.set_position(progress.cycle.get().into());
        self.interruption.flow()
    }

    fn row(&mut self, row: &Row) {
        let algorithm = row.algorithm.name();
        self.spinner.println(format!(
            "n = {}: {algorithm} {:.1} cycles",
            row.n, row.cycles
        ));
    }
}

pub(crate) fn run(asked: &Paper, interruption: &Interruption) -> Result<Code, Exit> {
    if let Some(path) = &asked.plot {
        output::file("--plot", path, asked.force)?;
    }
    if let Some(cycle) = asked.snapshot {
        let owns = |name: &str| is_snapshot(asked, cycle, name);
        output::folder("--snapshot-dir", &asked.snapshot_dir, asked.force, owns)?;
    }
    let request = Request {
        experiment: asked.experiment.clone(),
        sizes: asked.n.clone(),
        seeds: asked.seeds,
        initial_pointer: match asked.initial_pointer {
            InitialPointer::Fixed => paper::InitialPointer::Fixed,
            InitialPointer::Random => paper::InitialPointer::Random,
        },
        snapshot: asked.snapshot.map(paper::Cycle),
    };
    let configurations = paper::configurations(&request).map_err(refused)?;
    let of = &program().made(Configuration::Several(configurations), 1, request.seeds);
    memory::admit_bytes(paper::need_bytes(&request), &["--n"]).map_err(Exit::bad_input)?;
    let mut terminal = Terminal {
        spinner: progress::spinner(),
        interruption,
    };
    let rows = paper::run(&request, &mut terminal).map_err(refused);
    terminal.spinner.finish_and_clear();
    let rows = rows?;
    // The rows are shown even where pictures can't be written.
    let drawn = draw(asked, &rows, of);
    let text = || paper::text(&request.experiment, &rows);
    print_rows(of, &rows, asked.json, text)?;
    for file in drawn? {
        tracing::info!("written: {}", file.display());
    }
    if interruption.asked() {
        complain("interrupted: only the rows that were done are shown");
        return Ok(Code(INTERRUPTED));
    }
    Ok(Code(FINE))
}

/// A request that can't be run, by the argument that is to blame.
fn refused(error: ChinnError) -> Exit {
    Exit::bad_input(match &error {
        ChinnError::Unknown(_) => format!("EXPERIMENT: {error}"),
        ChinnError::NoSeeds => format!("--seeds: {error}"),
        ChinnError::Small { .. } | ChinnError::Plan(_) | ChinnError::Grid { .. } => {
            format!("--n: {error}")
        }
    })
}

/// Whether a file of that name is a snapshot of these runs: of this experiment and cycle, and of a size that
/// is asked for.
fn is_snapshot(asked: &Paper, cycle: u32, name: &str) -> bool {
    let ends = ["png", "svg"].map(|end| format!("-cycle{cycle}.{end}"));
    let size = name
        .strip_prefix(&format!("{}-n", asked.experiment))
        .and_then(|rest| rest.split('-').next()?.parse().ok());
    size.is_some_and(|n| asked.n.is_empty() || asked.n.contains(&n))
        && ends.iter().any(|end| name.ends_with(end))
}

/// Draws what is asked for, and gives the files.
fn draw(asked: &Paper, rows: &[Row], of: &Provenance) -> Result<Vec<PathBuf>, Exit> {
    let mut written = Vec::new();
    if let (Some(path), Some(svg)) = (&asked.plot, paper::figure(&asked.experiment, rows)) {
        write(path, of.in_svg(&svg).as_bytes())
            .map_err(|error| Exit::unwritable("--plot", &error))?;
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
        let bad = |error| Exit::unwritable("--snapshot-dir", &error);
        let files = ["png", "svg"].map(|end| asked.snapshot_dir.join(format!("{stem}.{end}")));
        write(&files[0], &map.png_with(&of.metadata())).map_err(bad)?;
        write(&files[1], of.in_svg(&map.svg()).as_bytes()).map_err(bad)?;
        written.extend(files);
    }
    Ok(written)
}
