//! `flitwork sweep`.

use crate::args::Sweep;
use crate::asking::Asking;
use crate::exit::{Code, Exit, INTERRUPTED, complain, print_found};
use crate::program::program;
use crate::progress::Points;
use crate::run::warn_of_unread;
use flitwork_config::unread_warning;
use flitwork_report::named_lines;
use flitwork_studies::options::jobs_or_cores;
use flitwork_sweep::{self as many, Axis, Base, Plan, Shard, Stage, Summary};
use std::path::Path;

pub(crate) fn run(args: &Sweep, asking: &Asking<'_>) -> Result<Code, Exit> {
    let axes: Result<Vec<Axis>, many::Error> = args.over.iter().map(|text| text.parse()).collect();
    let base = Base::read(asking.catalogue, &args.config, args.settings.overrides()?)?;
    let plan = Plan::new(base, axes?, args.seeds)?;
    warn_of_unread(unread_warning(&plan.unread()?));
    plan.note_inputs();
    asking.places.prepare()?;
    let folder = args.folder();
    tracing::info!(points = plan.points(), folder = %folder.display(), "sweeping");
    let sweep = many::Sweep {
        plan: &plan,
        program: &program(),
        folder: &folder,
        shard: args.shard.unwrap_or(Shard::WHOLE),
        jobs: jobs_or_cores(args.jobs),
        skip_refused: args.skip_refused,
    };
    let mut points = Points::new();
    let done = many::sweep(sweep, &mut |step| {
        points.show(step);
        match step.stage {
            Stage::Checking => asking.interruption.flow_of_checks(),
            Stage::Running | Stage::Writing => asking.interruption.flow(),
        }
    });
    points.end();
    let summary = done?;
    let what = match args.shard {
        Some(shard) => format!("shard {shard} of the sweep of {}", args.config.display()),
        None => format!("sweep of {}", args.config.display()),
    };
    show(args.json, &what, &folder, &summary)?;
    if !summary.missing.is_empty() {
        let left = summary.missing.len();
        // A log replaces nothing.
        let with = match asking.places.log() {
            Some(_) => ", with another --log,",
            None => "",
        };
        complain(&format!(
            "interrupted: {left} points remain; run the same command again{with} to resume"
        ));
        return Ok(Code(INTERRUPTED));
    }
    Ok(Code::of_runs(summary.failed))
}

/// Prints the summary of a sweep.
pub(crate) fn show(json: bool, what: &str, folder: &Path, summary: &Summary) -> Result<(), Exit> {
    if summary.damaged > 0 {
        complain(&format!(
            "warning: skipped {} damaged lines of journals",
            summary.damaged
        ));
    }
    print_found(summary, json, || text(what, folder, summary))
}

fn text(what: &str, folder: &Path, summary: &Summary) -> String {
    let (points, before) = (summary.points, summary.before);
    let (complete, not_steady) = (summary.complete, summary.not_steady);
    let (short, refused) = (summary.window_too_short, summary.refused);
    let points = format!("{points}, {before} of them done earlier");
    let complete = format!("{complete}, {not_steady} of them not steady");
    let mut lines = vec![("points", points), ("complete", complete)];
    if short > 0 {
        let why = "their windows are too short";
        lines.push((
            "not known",
            format!("whether {short} of them were steady: {why}"),
        ));
    }
    if summary.failed > 0 {
        lines.push(("failed", many::failed_text(summary.failed)));
    }
    if refused > 0 {
        lines.push(("refused", format!("{refused}: not run")));
    }
    if !summary.missing.is_empty() {
        lines.push(("missing", summary.missing.len().to_string()));
    }
    lines.push(("folder", folder.display().to_string()));
    let files = summary.files.iter();
    let names = files.filter_map(|file| file.file_name()?.to_str());
    let names = names.collect::<Vec<_>>().join(", ");
    if !names.is_empty() {
        lines.push(("written", names));
    }
    format!("{what}\n{}", named_lines(lines))
}
