//! `flitwork view`: a run on a page.

use crate::args::View;
use crate::asking::{Asking, Stop};
use crate::exit::{Code, Exit, FINE, INTERRUPTED, complain, print};
use crate::program::program;
use crate::progress;
use crate::recalled::run_of;
use crate::trace::session::{COPIES_BYTES, Session};
use flitwork_report::{Configuration, Provenance};
use flitwork_view::compared::Compared;
use flitwork_view::export::{NoFolder, files};
use flitwork_view::page::{Door, Page};
use flitwork_view::run::Run;
use flitwork_view::show::Show;
use serde_json::json;
use std::path::Path;
use std::sync::Arc;

pub(crate) fn run(args: &View, asking: &Asking<'_>) -> Result<Code, Stop> {
    if let Some(folder) = &args.export {
        let runs = open(args, asking)?;
        asking.places.prepare()?;
        let provenance = provenance(&runs);
        return export(folder, &runs, &provenance, asking);
    }
    let runs = open(args, asking)?;
    let door = Door::open(args.port.unwrap_or(0)).map_err(|error| {
        Exit::bad_input(format!(
            "--port: {error}\n  allowed: another port, or no --port, and one is taken that is free"
        ))
    })?;
    asking.places.prepare()?;
    let (shows, compared) = begin(&runs, asking)?;
    let page = Page::new(shows, compared);
    print(&format!("{}\n", door.url()))?;
    complain("Ctrl-C ends it");
    let served = page.serve(door, || asking.interruption.flow().is_break());
    served.map_err(Exit::failure)?;
    agree(&runs)?;
    Ok(Code(INTERRUPTED))
}

/// The runs that are asked for, one or two.
fn open(args: &View, asking: &Asking<'_>) -> Result<Vec<Arc<Run>>, Stop> {
    let settings = &args.settings;
    let sessions = match &args.other {
        None => vec![Session::open(&args.run, settings, asking)?],
        Some(other) => Session::both([&args.run, other], settings, &args.set_b, asking)?.into(),
    };
    for session in &sessions {
        if session.recalled.index().is_some() {
            complain("repeating the run and comparing it with its index");
        }
        session.verify()?;
    }
    let runs = sessions.into_iter().map(run_of).map(Arc::new);
    Ok(runs.collect())
}

/// The runs as they are shown: their work begins.
fn begin(
    runs: &[Arc<Run>],
    asking: &Asking<'_>,
) -> Result<(Vec<Arc<Show>>, Option<Compared>), Exit> {
    let bytes = asking.copies_bytes.unwrap_or(COPIES_BYTES) as usize / runs.len().max(1);
    let shows = runs
        .iter()
        .map(|run| Show::open(run.clone(), bytes).map(Arc::new));
    let shows = shows.collect::<Result<_, _>>().map_err(Exit::failure)?;
    let compared = match runs {
        [one, other] => {
            let compared = Compared::begin([one.clone(), other.clone()], bytes / 4);
            Some(compared.map_err(Exit::failure)?)
        }
        _ => None,
    };
    Ok((shows, compared))
}

/// Writes the folder.
fn export(
    folder: &Path,
    runs: &[Arc<Run>],
    provenance: &Provenance,
    asking: &Asking<'_>,
) -> Result<Code, Stop> {
    let (shows, compared) = begin(runs, asking)?;
    let bar = progress::waiting();
    let files = files(&shows, compared.as_ref(), &json!(provenance), &mut |what| {
        bar.set_message(what.to_owned());
        bar.tick();
        asking.interruption.flow().is_continue()
    });
    bar.finish_and_clear();
    let files = match files {
        Ok(files) => files,
        Err(NoFolder::Stopped) => return Ok(Code(INTERRUPTED)),
        Err(error) => return Err(Exit::failure(error).into()),
    };
    agree(runs)?;
    let written = flitwork_files::write_folder(folder, &files);
    written.map_err(|error| Exit::unwritable("--export", &error))?;
    print(&format!("{}\n", folder.join("index.html").display()))?;
    Ok(Code(FINE))
}

/// Where the folder comes from.
fn provenance(runs: &[Arc<Run>]) -> Provenance {
    let configuration = match runs {
        [one] => Configuration::One(one.configuration.clone()),
        _ => {
            let named = ["a", "b"].into_iter().zip(runs);
            let named = named.map(|(name, run)| (name.to_owned(), run.configuration.clone()));
            Configuration::Several(named.collect())
        }
    };
    program().made(configuration, runs[0].seed, 1)
}

/// Complains if the replay of a record wasn't what the record says.
fn agree(runs: &[Arc<Run>]) -> Result<(), Stop> {
    match runs.iter().find_map(|run| run.repeats.differs()) {
        Some(differs) => Err(Stop::differs(&differs)),
        None => Ok(()),
    }
}
