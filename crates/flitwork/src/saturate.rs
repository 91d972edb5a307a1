//! `flitwork saturate`.

use crate::args::Saturate;
use crate::exit::{Code, Exit, INTERRUPTED, Interruption, complain};
use crate::places::Places;
use crate::program::program;
use crate::progress;
use crate::run::warn_of_unread;
use flitwork_config::Catalogue;
use flitwork_report::{Configuration, Formats};
use flitwork_studies::options::jobs_or_cores;
use flitwork_sweep::{self as many, Base, saturate, saturation_text};

pub(crate) fn run(
    args: &Saturate,
    catalogue: &Catalogue,
    places: &Places,
    interruption: &Interruption,
) -> Result<Code, Exit> {
    let search = many::Saturate {
        base: Base::read(catalogue, &args.config, args.settings.overrides()?)?,
        seeds: args.seeds,
        tolerance: args.tolerance,
        low: args.low.unwrap_or(args.tolerance),
        high: args.high,
        criterion: args.criterion,
        jobs: jobs_or_cores(args.jobs),
    };
    warn_of_unread(search.base.unread_warning());
    let formats = &Formats::of(catalogue.parts());
    search.base.note_inputs();
    places.prepare()?;
    let found = progress::over_runs(interruption, |watcher| saturate(&search, watcher))?;
    let configuration = Configuration::One(found.configuration.clone());
    let provenance = &program().made(configuration, found.first_seed, args.seeds);
    let text = || saturation_text(&found);
    args.tables
        .put(formats, Saturate::STEM, &found.found(), provenance, text)?;
    if found.partial {
        complain("interrupted: these are the results so far");
        return Ok(Code(INTERRUPTED));
    }
    Ok(Code::of_runs(found.failed))
}
