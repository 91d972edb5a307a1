//! `flitwork paper`.

use crate::args::{InitialPointer, Paper};
use crate::exit::{Code, Exit, FINE, INTERRUPTED, Interruption, complain, print};
use crate::progress;
use flitwork_experiment::figure::{Figure, HeatMap, Palette};
use flitwork_experiment::paper::{self, Request, Row, Watcher};
use flitwork_experiment::report;
use indicatif::ProgressBar;
use std::ops::ControlFlow;
use std::path::Path;

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
        self.spinner.println(format!("n = {}: {algorithm} {:.1} cycles", row.n, row.cycles));
    }
}

pub(crate) fn run(asked: &Paper, interruption: &Interruption) -> Result<Code, Exit> {
    if let Some(path) = &asked.plot {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = folder.unwrap_or(Path::new("."));
        report::prepare(folder).map_err(|error| Exit::bad_input(format!("--plot: {error}")))?;
    }
    if asked.snapshot.is_some() {
        report::prepare(&asked.snapshot_dir)
            .map_err(|error| Exit::bad_input(format!("--snapshot-dir: {error}")))?;
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
    let mut terminal = Terminal { spinner: progress::spinner(), interruption };
    let rows = paper::run(&request, &mut terminal).map_err(Exit::bad_input)?;
    terminal.spinner.finish_and_clear();
    draw(asked, &rows)?;
    if asked.json {
        let json = serde_json::to_string_pretty(&rows);
        print(&(json.map_err(|error| Exit::Failure(error.to_string()))? + "\n"))?;
    } else {
        print(&paper::text(&request.experiment, &rows))?;
    }
    if interruption.asked() {
        complain("interrupted: only the rows that were done are shown");
        return Ok(Code(INTERRUPTED));
    }
    Ok(Code(FINE))
}

fn draw(asked: &Paper, rows: &[Row]) -> Result<(), Exit> {
    if let (Some(path), Some(svg)) = (&asked.plot, paper::figure(&asked.experiment, rows)) {
        std::fs::write(path, svg)
            .map_err(|error| Exit::bad_input(format!("--plot: {}: {error}", path.display())))?;
    }
    for row in rows {
        let Some(snapshot) = &row.snapshot else { continue };
        let side = snapshot.side;
        let title = format!(
            "{} of {} x {}, {side} x {side} corner, cycle {}",
            row.algorithm.name(),
            row.n,
            row.n,
            snapshot.cycle
        );
        let map = HeatMap {
            title: &title,
            width: side as usize,
            height: side as usize,
            values: &snapshot.packets,
            unit: "packets",
            min: Some(0.0),
            max: None,
            palette: Palette::Greys,
        };
        let name = format!("{}-n{}-{}", row.experiment, row.n, row.algorithm.name());
        let stem = asked.snapshot_dir.join(format!("{name}-cycle{}", snapshot.cycle));
        let bad = |error| Exit::bad_input(format!("--snapshot-dir: {error}"));
        map.write_png(&stem.with_extension("png")).map_err(bad)?;
        map.write_svg(&stem.with_extension("svg")).map_err(bad)?;
    }
    Ok(())
}
