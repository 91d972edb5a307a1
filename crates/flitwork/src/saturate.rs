//! `flitwork saturate`.

use crate::args::Saturate;
use crate::exit::{Code, Exit, FINE, INTERRUPTED, Interruption, complain, print_found};
use crate::program::program;
use crate::progress;
use crate::run::overrides;
use crate::sweep::refused;
use flitwork_config::Catalogue;
use flitwork_report::{Configuration, Sourced};
use flitwork_studies::options::jobs_or_cores;
use flitwork_sweep::{self as many, Base, saturate, saturation_text};

pub(crate) fn run(
    args: &Saturate,
    catalogue: &Catalogue,
    interruption: &Interruption,
) -> Result<Code, Exit> {
    let search = many::Saturate {
        base: Base::read(catalogue, &args.config, overrides(&args.settings)?).map_err(refused)?,
        seeds: args.seeds,
        tolerance: args.tolerance,
        low: args.low.unwrap_or(args.tolerance),
        high: args.high,
        criterion: args.criterion,
        jobs: jobs_or_cores(args.jobs),
    };
    let bar = progress::runs();
    let found = saturate(&search, &mut |done, of| {
        bar.set_length(of.into());
        bar.set_position(done.into());
        interruption.flow()
    });
    bar.finish_and_clear();
    let found = found.map_err(refused)?;
    let configuration = Configuration::One(found.configuration.clone());
    let provenance = &program().made(configuration, found.first_seed, args.seeds);
    let sourced = Sourced {
        provenance,
        found: &found,
    };
    print_found(&sourced, args.json, || saturation_text(&found))?;
    if found.partial {
        complain("interrupted: these are the results so far");
        return Ok(Code(INTERRUPTED));
    }
    Ok(Code(FINE))
}
