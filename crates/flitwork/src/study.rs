//! `flitwork study`.

use crate::args::{Study, StudyAsyncExp2, StudyAsyncLoad, StudyGreedySteps, StudyMultiqueue};
use crate::contest;
use crate::exit::{Code, Exit, FINE, INTERRUPTED, Interruption, complain, print_rows};
use crate::program::program;
use crate::{output, progress};
use flitwork_experiment::provenance::{Configuration, Provenance};
use flitwork_files::{WriteError, clear};
use flitwork_studies::study::{
    self, AsyncExp2, AsyncLoad, AsyncLoadRow, GreedySteps, Multiqueue, Step,
};
use indicatif::ProgressBar;
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::Path;

pub(crate) fn run(asked: &Study, interruption: &Interruption) -> Result<Code, Exit> {
    match asked {
        Study::Multiqueue(asked) => multiqueue(asked, interruption),
        Study::AsyncExp2(asked) => async_exp2(asked, interruption),
        Study::AsyncLoad(asked) => async_load(asked, interruption),
        Study::GreedySteps(asked) => greedy_steps(asked, interruption),
        Study::Routers(asked) => contest::routers(asked, interruption),
        Study::Deflection(asked) => contest::deflection(asked, interruption),
        Study::CutThrough(asked) => contest::cut_through(asked, interruption),
    }
}

fn multiqueue(asked: &StudyMultiqueue, interruption: &Interruption) -> Result<Code, Exit> {
    let study = Multiqueue {
        side: asked.side,
        cycles: asked.cycles,
        patterns: asked.patterns.clone(),
        frames: asked.frames.clone(),
        derouting: !asked.no_derouting,
        seed: asked.seed,
    };
    let spinner = progress::spinner();
    let rows = study::multiqueue(&study, &mut |name, progress| {
        spinner.set_message(name.to_owned());
        spinner.set_position(progress.cycle.get().into());
        interruption.flow()
    });
    spinner.finish_and_clear();
    let rows = rows.map_err(Exit::bad_input)?;
    let configurations = Configuration::Several(study.configurations());
    let of = program().made(configurations, study.seed, 1);
    let text = || study::multiqueue_text(&study, &rows);
    print_rows(&of, &rows, asked.json, text)?;
    Ok(end(interruption))
}

fn async_exp2(asked: &StudyAsyncExp2, interruption: &Interruption) -> Result<Code, Exit> {
    let study = AsyncExp2 {
        sizes: asked.n.clone(),
        spreads: asked.spreads.clone(),
        synchronizers: asked.synchronizer.clone(),
        seeds: asked.seeds,
    };
    if let Some(path) = &asked.plot {
        output::file("--plot", path, asked.force)?;
    }
    let bar = progress::runs();
    let rows = study::async_exp2(&study, &mut |step| follow(&bar, step, interruption));
    bar.finish_and_clear();
    let rows = rows.map_err(Exit::bad_input)?;
    let of = sourced(study.configurations(), study.seeds);
    // The rows are shown even where the picture can't be written.
    let drawn = match &asked.plot {
        Some(path) => write(path, &of.in_svg(&study::async_exp2_figure(&rows))),
        None => Ok(()),
    };
    let text = || study::async_exp2_text(&study, &rows);
    print_rows(&of, &rows, asked.json, text)?;
    drawn?;
    Ok(end(interruption))
}

fn async_load(asked: &StudyAsyncLoad, interruption: &Interruption) -> Result<Code, Exit> {
    let study = AsyncLoad {
        side: asked.side,
        loads: asked.loads.clone(),
        spreads: asked.spreads.clone(),
        synchronizers: asked.synchronizer.clone(),
        topologies: asked.topologies.clone(),
        patterns: asked.patterns.clone(),
        seeds: asked.seeds,
        cycles: asked.cycles,
    };
    if let Some(folder) = &asked.plot {
        output::folder("--plot", folder, asked.force, is_load_figure)?;
    }
    let bar = progress::runs();
    let rows = study::async_load(&study, &mut |step| follow(&bar, step, interruption));
    bar.finish_and_clear();
    let rows = rows.map_err(Exit::bad_input)?;
    let of = sourced(study.configurations(), study.seeds);
    let drawn = match &asked.plot {
        Some(folder) => draw_loads(folder, &study, &rows, &of),
        None => Ok(()),
    };
    let text = || study::async_load_text(&study, &rows);
    print_rows(&of, &rows, asked.json, text)?;
    drawn?;
    Ok(end(interruption))
}

/// Whether a file of that name is a figure of the study of load.
fn is_load_figure(name: &str) -> bool {
    name.starts_with("async-load-") && name.ends_with(".svg")
}

fn draw_loads(
    folder: &Path,
    study: &AsyncLoad,
    rows: &[AsyncLoadRow],
    of: &Provenance,
) -> Result<(), Exit> {
    clear(folder, is_load_figure).map_err(unwritable)?;
    study::async_load_figures(study, rows)
        .iter()
        .try_for_each(|figure| {
            let path = folder.join(format!("{}.svg", figure.stem));
            write(&path, &of.in_svg(&figure.svg))
        })
}

fn greedy_steps(asked: &StudyGreedySteps, interruption: &Interruption) -> Result<Code, Exit> {
    let study = GreedySteps {
        sizes: asked.n.clone(),
        seeds: asked.seeds,
    };
    if let Some(path) = &asked.plot {
        output::file("--plot", path, asked.force)?;
    }
    let bar = progress::runs();
    let rows = study::greedy_steps(&study, &mut |step| follow(&bar, step, interruption));
    bar.finish_and_clear();
    let rows = rows.map_err(Exit::bad_input)?;
    let of = sourced(study.configurations(), study.seeds);
    let drawn = match &asked.plot {
        Some(path) => write(path, &of.in_svg(&study::greedy_steps_figure(&rows))),
        None => Ok(()),
    };
    let text = || study::greedy_steps_text(&study, &rows);
    print_rows(&of, &rows, asked.json, text)?;
    drawn?;
    Ok(end(interruption))
}

/// Shows where a study is.
fn follow(bar: &ProgressBar, step: Step<'_>, interruption: &Interruption) -> ControlFlow<()> {
    if bar.message() != step.name {
        tracing::info!("{}", step.name);
        bar.set_length(step.of.into());
        bar.set_message(step.name.to_owned());
    }
    bar.set_position(step.done.into());
    interruption.flow()
}

/// Where a study's results come from, whose seeds count from 1.
fn sourced(configurations: BTreeMap<String, String>, seeds: u32) -> Provenance {
    program().made(Configuration::Several(configurations), 1, seeds)
}

fn unwritable(error: WriteError) -> Exit {
    Exit::unwritable("--plot", &error)
}

fn write(path: &Path, svg: &str) -> Result<(), Exit> {
    flitwork_files::write(path, svg.as_bytes()).map_err(unwritable)?;
    tracing::info!("written: {}", path.display());
    Ok(())
}

/// How a study ends, whose rows are shown.
fn end(interruption: &Interruption) -> Code {
    if interruption.asked() {
        complain("interrupted: only the rows that were done are shown");
        return Code(INTERRUPTED);
    }
    Code(FINE)
}
