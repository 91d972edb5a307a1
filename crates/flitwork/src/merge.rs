//! `flitwork merge`.

use crate::args::Merge;
use crate::exit::{Code, Exit, complain};
use crate::program::program;
use crate::sweep::{code, refused, show};
use flitwork_sweep::{merge, tell_missing};

pub(crate) fn run(asked: &Merge) -> Result<Code, Exit> {
    // Clap sees to it that there is one.
    let out = asked.out.as_ref().unwrap_or(&asked.folders[0]);
    let summary = merge(&asked.folders, out, asked.complete, &program()).map_err(refused)?;
    let what = format!("merged from {} folders", asked.folders.len());
    show(asked.json, &what, out, &summary)?;
    if !summary.missing.is_empty() {
        complain(&format!(
            "warning: {}",
            tell_missing(&summary.missing, summary.points)
        ));
    }
    Ok(code(&summary))
}
