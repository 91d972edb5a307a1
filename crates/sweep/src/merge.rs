//! Merges shards.

use crate::error::Error;
use crate::folder::{Finished, Folder, journals};
use crate::journal::scan;
use crate::manifest::Manifest;
use crate::row::Row;
use crate::run::{Summary, summary, write_all};
use crate::shard::Shard;
use flitwork_report::{Formats, Program};
use std::path::{Path, PathBuf};

/// Rows that are copied at once.
const CHUNK: usize = 1024;

/// Merges the finished points of several folders of one sweep into `out`, and writes tables and figures
/// there.
///
/// # Errors
/// Folders of different sweeps, points whose results differ, files that can't be read or written, and with
/// `complete` points that are missing; then nothing is written.
pub fn merge(
    folders: &[PathBuf],
    out: &Path,
    complete: bool,
    program: &Program,
    formats: &Formats,
) -> Result<Summary, Error> {
    let Some(first) = folders.first() else {
        return Err(Error::BadValue("no folder is given".into()));
    };
    let manifest = Manifest::read(first)?;
    let mut all = Finished::default();
    for folder in folders {
        manifest.check(folder)?;
        for journal in journals(folder)? {
            all.add(&journal, scan(&journal)?, manifest.points())?;
        }
    }
    let missing: Vec<u32> = (0..manifest.points())
        .filter(|point| !all.points.contains_key(point))
        .collect();
    if complete && !missing.is_empty() {
        let message = format!("--complete: {}", missing_text(&missing, manifest.points()));
        return Err(Error::BadValue(message));
    }
    let mut target = Folder::open(out, &manifest, Shard::WHOLE)?;
    copy(&all, &mut target)?;
    let plan = manifest.plan()?;
    let provenance = manifest.provenance(program);
    let files = write_all(formats, out, &plan, &target.finished, &provenance)?;
    Ok(Summary {
        provenance: Some(provenance),
        damaged: all.damaged,
        files,
        ..summary(&target.finished, 0..manifest.points())
    })
}

/// Appends what the target doesn't have.
fn copy(all: &Finished, target: &mut Folder) -> Result<(), Error> {
    let mut chunk: Vec<Row> = Vec::new();
    all.each(|row| {
        if !target.finished.points.contains_key(&row.point) {
            chunk.push(row);
        }
        if chunk.len() == CHUNK {
            target.append(&chunk)?;
            chunk.clear();
        }
        Ok(())
    })?;
    target.append(&chunk)
}

/// A sentence about missing points.
pub fn missing_text(missing: &[u32], points: u32) -> String {
    const SHOWN: usize = 10;
    let shown: Vec<String> = missing.iter().take(SHOWN).map(u32::to_string).collect();
    let more = if missing.len() > SHOWN { ", ..." } else { "" };
    format!(
        "{} of {points} points are missing: {}{more}",
        missing.len(),
        shown.join(", ")
    )
}
