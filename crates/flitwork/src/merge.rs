//! `flitwork merge`.

use crate::args::Merge;
use crate::exit::{Code, Exit, complain};
use crate::program::program;
use crate::sweep::{code, show};
use flitwork_config::Catalogue;
use flitwork_report::Formats;
use flitwork_sweep::{merge, missing_text};

pub(crate) fn run(args: &Merge, catalogue: &Catalogue) -> Result<Code, Exit> {
    // Clap requires at least one.
    let out = args.out.as_ref().unwrap_or(&args.folders[0]);
    let formats = Formats::of(catalogue.parts());
    let summary = merge(&args.folders, out, args.complete, &program(), &formats)?;
    let what = format!("merged from {} folders", args.folders.len());
    show(args.json, &what, out, &summary)?;
    if !summary.missing.is_empty() {
        complain(&format!(
            "warning: {}",
            missing_text(&summary.missing, summary.points)
        ));
    }
    Ok(code(&summary))
}
