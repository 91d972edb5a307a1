//! `flitwork compare`.

use crate::args::Compare;
use crate::asking::Asking;
use crate::exit::{Code, Exit, FINE, INTERRUPTED, NETWORK_FAILED, complain};
use crate::program::program;
use crate::progress;
use crate::run::warn_of_unread;
use flitwork_config::Override;
use flitwork_report::Configuration;
use flitwork_studies::options::jobs_or_cores;
use flitwork_sweep::{self as many, Base, Verdict, compare, comparison_text};
use std::path::Path;

pub(crate) fn run(args: &Compare, asking: &Asking<'_>) -> Result<Code, Exit> {
    let both = args.settings.overrides()?;
    let side = |path: &Path, option: &str, own: &[String]| {
        let own: Result<Vec<Override>, Exit> =
            own.iter().map(|text| own_override(option, text)).collect();
        let set = both.iter().cloned().chain(own?).collect();
        Ok::<Base, Exit>(Base::read(asking.catalogue, path, set)?)
    };
    let comparison = many::Compare {
        a: side(&args.a, "--set-a", &args.set_a)?,
        b: side(&args.b, "--set-b", &args.set_b)?,
        measure: args.measure,
        most_pairs: args.budget_runs,
        time: args.budget_seconds,
        confidence: args.confidence,
        jobs: jobs_or_cores(args.jobs),
    };
    for side in [&comparison.a, &comparison.b] {
        warn_of_unread(side.unread_warning());
    }
    [&comparison.a, &comparison.b]
        .into_iter()
        .for_each(Base::note_inputs);
    asking.places.prepare()?;
    let found = progress::over_runs(asking.interruption, |watcher| compare(&comparison, watcher))?;
    if let Some(warning) = found.warning() {
        complain(&format!("warning: {warning}"));
    }
    let named = ["A", "B"].map(str::to_owned).into_iter();
    let configurations = named.zip(found.configurations.clone()).collect();
    let configurations = Configuration::Several(configurations);
    let pairs = found.pairs.len() as u32;
    let provenance = &program().made(configurations, found.first_seed, pairs);
    let text = || comparison_text(&found);
    args.tables
        .put(asking, Compare::STEM, &found.found(), provenance, text)?;
    Ok(Code(match found.verdict {
        Verdict::Failed => NETWORK_FAILED,
        Verdict::Interrupted => {
            complain("interrupted: these are the results so far");
            INTERRUPTED
        }
        _ => FINE,
    }))
}

/// An override from an option of one side.
fn own_override(option: &str, text: &str) -> Result<Override, Exit> {
    match text.split_once('=') {
        Some((key, value)) if !key.trim().is_empty() => {
            Ok(Override::by_assignment(option, key, value))
        }
        _ => Err(Exit::bad_input(format!(
            "command line: {option} {text}: not KEY=VALUE\n  allowed: a key with its tables and a value, as in traffic.load=0.3"
        ))),
    }
}
