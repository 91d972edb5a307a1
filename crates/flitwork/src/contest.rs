//! `flitwork study routers`, `deflection` and `cut-through`.

use crate::args::{Curves, Many, StudyCutThrough, StudyDeflection, StudyRouters};
use crate::exit::{Code, Exit, FINE, INTERRUPTED, Interruption, complain, print_rows};
use crate::program::program;
use crate::sweep::{jobs, refused};
use crate::{output, progress};
use flitwork_experiment::provenance::Configuration;
use flitwork_files::clear;
use flitwork_studies::contest::{self as contests, Contender, Contest, Panel};
use flitwork_studies::cut_through as switching;
use flitwork_sweep::Error;
use std::ops::ControlFlow;
use std::path::Path;

pub(crate) fn routers(asked: &StudyRouters, interruption: &Interruption) -> Result<Code, Exit> {
    let StudyRouters {
        side,
        topologies,
        patterns,
        curves,
    } = asked;
    let set_up = contests::routers_contest(*side, topologies, patterns, curves.many.cycles);
    contest("routers", set_up, curves, interruption)
}

pub(crate) fn deflection(
    asked: &StudyDeflection,
    interruption: &Interruption,
) -> Result<Code, Exit> {
    let StudyDeflection {
        sides,
        patterns,
        curves,
    } = asked;
    let set_up = contests::deflection_contest(sides, patterns, curves.many.cycles);
    contest("deflection", set_up, curves, interruption)
}

fn contest(
    stem: &str,
    (contenders, panels): (Vec<Contender>, Vec<Panel>),
    Curves { loads, many }: &Curves,
    interruption: &Interruption,
) -> Result<Code, Exit> {
    let study = Contest {
        contenders,
        panels,
        loads: loads.clone(),
        seeds: many.seeds,
        jobs: jobs(many.jobs),
    };
    let table = format!("{stem}.csv");
    let owns = |name: &str| {
        let begins = |panel: &Panel| name.starts_with(&format!("{}-", panel.stem));
        name == table || name.ends_with(".svg") && study.panels.iter().any(begins)
    };
    let rows = watched(many, owns, interruption, |watcher| {
        contests::contest(&study, watcher)
    })?;
    let Some(rows) = rows else {
        return Ok(interrupted());
    };
    let configurations = Configuration::Several(study.configurations());
    let provenance = &program().made(configurations, 1, study.seeds);
    let text = || contests::contest_text(&study, &rows);
    print_rows(provenance, &rows, many.json, text)?;
    if let Some(folder) = &many.out {
        let rows_csv = provenance.on_csv(contests::contest_csv(&rows).as_bytes());
        write(folder, &table, &rows_csv)?;
        let stale = clear(folder, |name| owns(name) && name != table);
        stale.map_err(|error| Exit::unwritable("--out", &error))?;
        for figure in contests::contest_figures(&study, &rows) {
            let svg = provenance.in_svg(&figure.svg);
            write(folder, &format!("{}.svg", figure.stem), svg.as_bytes())?;
        }
    }
    Ok(Code(FINE))
}

/// What the study of switching writes.
const CUT_THROUGH: [&str; 2] = ["cut-through.csv", "cut-through.svg"];

pub(crate) fn cut_through(
    asked: &StudyCutThrough,
    interruption: &Interruption,
) -> Result<Code, Exit> {
    let many = &asked.many;
    let study = switching::CutThrough {
        side: asked.side,
        vcs: asked.vcs,
        packet_words: asked.packet_words.clone(),
        cycles: many.cycles,
        seeds: many.seeds,
        jobs: jobs(many.jobs),
    };
    let owns = |name: &str| CUT_THROUGH.contains(&name);
    let rows = watched(many, owns, interruption, |watcher| {
        switching::cut_through(&study, watcher)
    })?;
    let Some(rows) = rows else {
        return Ok(interrupted());
    };
    let configurations = Configuration::Several(study.configurations());
    let provenance = &program().made(configurations, 1, study.seeds);
    let text = || switching::cut_through_text(&study, &rows);
    print_rows(provenance, &rows, many.json, text)?;
    if let Some(folder) = &many.out {
        let table = provenance.on_csv(switching::cut_through_csv(&rows).as_bytes());
        write(folder, CUT_THROUGH[0], &table)?;
        let figure = provenance.in_svg(&switching::cut_through_figure(&study, &rows));
        write(folder, CUT_THROUGH[1], figure.as_bytes())?;
    }
    Ok(Code(FINE))
}

/// Who is told how many runs are done, of how many.
type Watcher<'a> = &'a mut dyn FnMut(u32, u32) -> ControlFlow<()>;

/// Runs a study under a bar, once its folder can be written.
fn watched<T>(
    many: &Many,
    owns: impl Fn(&str) -> bool,
    interruption: &Interruption,
    run: impl FnOnce(Watcher<'_>) -> Result<T, Error>,
) -> Result<T, Exit> {
    if let Some(folder) = &many.out {
        output::folder("--out", folder, many.force, owns)?;
    }
    let bar = progress::runs();
    let done = run(&mut |done, of| {
        bar.set_length(of.into());
        bar.set_position(done.into());
        interruption.flow()
    });
    bar.finish_and_clear();
    done.map_err(refused)
}

fn interrupted() -> Code {
    complain("interrupted: the study has no results yet");
    Code(INTERRUPTED)
}

fn write(folder: &Path, name: &str, bytes: &[u8]) -> Result<(), Exit> {
    let path = folder.join(name);
    flitwork_files::write(&path, bytes).map_err(|error| Exit::unwritable("--out", &error))?;
    tracing::info!("written: {}", path.display());
    Ok(())
}
