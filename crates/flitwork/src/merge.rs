//! `flitwork merge`.

use crate::args::Merge;
use crate::asking::Asking;
use crate::exit::{Code, Exit, complain};
use crate::program::program;
use crate::sweep::show;
use flitwork_sweep::{merge, missing_text};
use std::path::{Path, PathBuf};

pub(crate) fn run(args: &Merge, asking: &Asking<'_>) -> Result<Code, Exit> {
    let out = args.folder().unwrap_or(Path::new(""));
    asking.places.prepare()?;
    let folders = args.folders.iter().map(|folder| folder.to_path_buf());
    let folders: Vec<PathBuf> = folders.collect();
    let summary = merge(
        &folders,
        out,
        args.complete,
        &program(),
        &asking.places.formats,
    )?;
    let what = format!("merged from {} folders", args.folders.len());
    show(args.json, &what, out, &summary)?;
    if !summary.missing.is_empty() {
        complain(&format!(
            "warning: {}",
            missing_text(&summary.missing, summary.points)
        ));
    }
    Ok(Code::of_runs(summary.failed))
}
