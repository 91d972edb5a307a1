//! `flitwork saturate`.

use crate::args::Saturate;
use crate::asking::Asking;
use crate::exit::{Code, Exit, INTERRUPTED, complain};
use crate::program::program;
use crate::progress;
use crate::run::warn_of_unread;
use flitwork_report::Configuration;
use flitwork_studies::options::jobs_or_cores;
use flitwork_sweep::{self as many, Base, saturate, saturation_text};

pub(crate) fn run(args: &Saturate, asking: &Asking<'_>) -> Result<Code, Exit> {
    let search = many::Saturate {
        base: Base::read(asking.catalogue, &args.config, args.settings.overrides()?)?,
        seeds: args.seeds,
        tolerance: args.tolerance,
        low: args.low.unwrap_or(args.tolerance),
        high: args.high,
        criterion: args.criterion,
        jobs: jobs_or_cores(args.jobs),
    };
    warn_of_unread(search.base.unread_warning());
    search.base.note_inputs();
    asking.places.prepare()?;
    let found = progress::over_runs(asking.interruption, |watcher| saturate(&search, watcher))?;
    let configuration = Configuration::One(found.configuration.clone());
    let provenance = &program().made(configuration, found.first_seed, args.seeds);
    let text = || saturation_text(&found);
    args.tables
        .put(asking, Saturate::STEM, &found.found(), provenance, text)?;
    if found.partial {
        complain("interrupted: these are the results so far");
        return Ok(Code(INTERRUPTED));
    }
    Ok(Code::of_runs(found.failed))
}
