//! Runs a sweep.

use crate::curves::draw;
use crate::error::Error;
use crate::folder::{Finished, Folder};
use crate::manifest::Manifest;
use crate::patient::{is_length, run_patiently};
use crate::plan::Plan;
use crate::pool::{self, Stop};
use crate::row::{Row, Status, checksum};
use crate::shard::Shard;
use crate::table;
use flitwork_config::Override;
use flitwork_experiment::memory::Together;
use flitwork_report::{Formats, Program, Provenance};
use serde::Serialize;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// A sweep to run.
#[derive(Clone, Copy, Debug)]
pub struct Sweep<'a> {
    /// The points.
    pub plan: &'a Plan,
    /// The program, for the provenance of results.
    pub program: &'a Program,
    /// The folder for points, tables and figures.
    pub folder: &'a Path,
    /// Which of the points are run.
    pub shard: Shard,
    /// Threads, at least 1.
    pub jobs: usize,
    /// Whether refused points become rows, instead of ending the sweep before it begins.
    pub skip_refused: bool,
}

/// The stage of a sweep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Every point's configuration is resolved.
    Checking,
    /// Points run.
    Running,
    /// Tables and figures are written.
    Writing,
}

/// The progress of a sweep.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    /// Its stage.
    pub stage: Stage,
    /// Points that have passed it, including those of earlier runs.
    pub done: u32,
    /// All points.
    pub of: u32,
}

/// Observes a sweep: it is given the progress from time to time, and decides whether to continue.
pub type Watcher<'w> = &'w mut dyn FnMut(Step) -> ControlFlow<()>;

/// How a sweep ended.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Summary {
    /// Where the tables and figures come from.
    pub provenance: Option<Provenance>,
    /// The points of the sweep, or of its shard.
    pub points: u32,
    /// Those that earlier runs finished.
    pub before: u32,
    /// Those that ran to completion.
    pub complete: u32,
    /// Those of them that weren't in a steady state.
    pub not_steady: u32,
    /// Those of them whose window was too short to tell; they aren't among those that weren't steady.
    pub window_too_short: u32,
    /// Those whose networks failed.
    pub failed: u32,
    /// Those whose configurations are refused.
    pub refused: u32,
    /// Those that aren't finished: the sweep was interrupted, or shards are missing.
    pub missing: Vec<u32>,
    /// Damaged lines of journals that were skipped.
    pub damaged: u64,
    /// The tables and figures that were written.
    pub files: Vec<PathBuf>,
}

/// Runs the points that aren't finished yet, and writes tables and figures (those of shards are written by
/// [`crate::merge`]). A sweep that the watcher stops writes the results so far.
///
/// # Errors
/// A folder that can't be used or holds another sweep, and without `skip_refused` a point whose
/// configuration is refused; then nothing runs.
pub fn sweep(asked: Sweep<'_>, watcher: Watcher<'_>) -> Result<Summary, Error> {
    let Sweep { plan, shard, .. } = asked;
    let manifest = Manifest::of(plan, asked.program);
    let provenance = manifest.provenance(asked.program);
    let mut folder = Folder::open(asked.folder, &manifest, shard)?;
    let own = || (0..plan.points()).filter(|point| shard.has(*point));
    let before = own()
        .filter(|point| folder.finished.points.contains_key(point))
        .count() as u32;
    let checked = match check(asked, &mut folder, watcher) {
        Ok(flow) => flow,
        Err(error) => {
            folder.abandon(shard);
            return Err(error);
        }
    };
    if checked.is_continue() {
        run(asked, &mut folder, watcher).map_err(lost)?;
    }
    let finished = &folder.finished;
    let mut summary = Summary {
        before,
        ..summary(finished, own())
    };
    if shard.is_whole() {
        let (stage, of) = (Stage::Writing, summary.points);
        let _ = watcher(Step {
            stage,
            done: of,
            of,
        });
        let formats = Formats::of(plan.base.catalogue.parts());
        summary.files =
            write_all(&formats, asked.folder, plan, finished, &provenance).map_err(lost)?;
    }
    summary.provenance = Some(provenance);
    Ok(summary)
}

fn lost(error: Error) -> Error {
    Error::Lost(Box::new(error))
}

/// How many runs failed, in words.
pub fn failed_text(failed: u32) -> String {
    format!("{failed}: packets could not be delivered")
}

/// Counts points by outcome.
pub(crate) fn summary(finished: &Finished, points: impl Iterator<Item = u32>) -> Summary {
    let mut summary = Summary {
        damaged: finished.damaged,
        ..Summary::default()
    };
    for point in points {
        summary.points += 1;
        let done = finished.points.get(&point);
        summary.not_steady += u32::from(done.is_some_and(|done| done.not_steady));
        summary.window_too_short += u32::from(done.is_some_and(|done| done.window_too_short));
        match done.map(|done| done.status) {
            Some(Status::Complete) => summary.complete += 1,
            Some(Status::Failed) => summary.failed += 1,
            Some(Status::Refused) => summary.refused += 1,
            None => summary.missing.push(point),
        }
    }
    summary
}

/// Writes all tables and figures; returns their files.
pub(crate) fn write_all(
    formats: &Formats,
    folder: &Path,
    plan: &Plan,
    finished: &Finished,
    provenance: &Provenance,
) -> Result<Vec<PathBuf>, Error> {
    let mut files = table::write(formats, folder, plan, finished, provenance)?;
    files.extend(draw(folder, plan, finished, provenance)?);
    Ok(files)
}

/// A point's configuration: its checksum, or why it is refused.
type Checked = (u32, Result<u32, String>);

/// Resolves every point of the sweep, those of other shards too, so that a mistake stops all shards.
fn check(
    asked: Sweep<'_>,
    folder: &mut Folder,
    watcher: Watcher<'_>,
) -> Result<ControlFlow<()>, Error> {
    let Sweep { plan, shard, .. } = asked;
    let mut refused: Option<(u32, String)> = None;
    let (mut done, of) = (0, plan.points());
    let together = Mutex::new(Together::new(asked.jobs));
    let is_done: Vec<u32> = folder.finished.points.keys().copied().collect();
    let work = |point, _: &Stop| -> Option<Checked> {
        let checked = plan.resolve(point).map(|resolved| {
            // A thread that panics ends the program.
            if shard.has(point)
                && is_done.binary_search(&point).is_err()
                && let Ok(mut together) = together.lock()
            {
                together.add(point, &resolved);
            }
            checksum(&resolved)
        });
        Some((point, checked))
    };
    // The memory isn't known yet, and more threads than cores don't check faster.
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let flow = pool::each(asked.jobs.min(cores), 0..of, work, |batch: Vec<Checked>| {
        done += batch.len() as u32;
        take(asked, folder, batch, &mut refused)?;
        // Points are handed out in order: the first refused one is in progress or finished.
        if refused.is_some() {
            return Ok(ControlFlow::Break(()));
        }
        let stage = Stage::Checking;
        Ok(watcher(Step { stage, done, of }))
    })?;
    if let Some((point, reason)) = first_refused(plan, refused) {
        return Err(Error::point(plan.name(point), reason));
    }
    if flow.is_continue()
        && let Ok(together) = together.lock()
    {
        together.admit()?;
    }
    Ok(flow)
}

/// Handles checked points: writes rows for refused ones if requested, and otherwise notes the first.
fn take(
    asked: Sweep<'_>,
    folder: &mut Folder,
    batch: Vec<Checked>,
    refused: &mut Option<(u32, String)>,
) -> Result<(), Error> {
    let mut rows = Vec::new();
    for (point, checked) in batch {
        match checked {
            Ok(sum) => compare(asked.plan, &folder.finished, point, sum)?,
            Err(reason) if !asked.skip_refused => {
                if refused.as_ref().is_none_or(|(first, _)| point < *first) {
                    *refused = Some((point, reason));
                }
            }
            Err(reason) => {
                let is_new = !folder.finished.points.contains_key(&point);
                if is_new && asked.shard.has(point) {
                    rows.push(Row::refused(point, &reason));
                }
            }
        }
    }
    if rows.is_empty() {
        return Ok(());
    }
    folder.append(&rows).map_err(lost)
}

/// The first refused point that is known: an earlier one may have been reported later, or not at all.
fn first_refused(plan: &Plan, known: Option<(u32, String)>) -> Option<(u32, String)> {
    /// More than can have been in progress.
    const BACK: u32 = 4096;
    let (point, reason) = known?;
    let earlier = (point.saturating_sub(BACK)..point)
        .find_map(|point| Some((point, plan.resolve(point).err()?)));
    Some(earlier.unwrap_or((point, reason)))
}

/// A finished point must have been run with the present configuration.
fn compare(plan: &Plan, finished: &Finished, point: u32, sum: u32) -> Result<(), Error> {
    match finished.points.get(&point) {
        Some(done) if done.configuration != sum => Err(Error::point(
            plan.name(point),
            "was run with another configuration; a file that it reads has changed\n  allowed: the same files, or another folder",
        )),
        _ => Ok(()),
    }
}

/// Runs the unfinished points.
fn run(asked: Sweep<'_>, folder: &mut Folder, watcher: Watcher<'_>) -> Result<(), Error> {
    let Sweep { plan, shard, .. } = asked;
    let own = || (0..plan.points()).filter(|point| shard.has(*point));
    let tasks: Vec<u32> = own()
        .filter(|point| !folder.finished.points.contains_key(point))
        .collect();
    let of = own().count() as u32;
    let mut step = Step {
        stage: Stage::Running,
        done: of - tasks.len() as u32,
        of,
    };
    // The watcher is given the number of points left before any is run.
    if watcher(step).is_break() {
        return Ok(());
    }
    pool::each(
        asked.jobs,
        tasks.into_iter(),
        |point, stop| run_point(plan, point, stop).transpose(),
        |rows: Vec<Result<Row, Error>>| {
            let rows: Vec<Row> = rows.into_iter().collect::<Result<_, Error>>()?;
            step.done += rows.len() as u32;
            if !rows.is_empty() {
                folder.append(&rows)?;
            }
            Ok(watcher(step))
        },
    )
    .map(drop)
}

/// A point's row, unless the run is stopped. A file that the point reads may have vanished since it was
/// checked.
fn run_point(plan: &Plan, point: u32, stop: &Stop) -> Result<Option<Row>, Error> {
    let may_wait = !plan.axes.iter().any(|axis| is_length(&axis.key));
    let run = || {
        let resolved = plan.resolve(point)?;
        let longer = |more: &[Override]| plan.resolve_with(point, more);
        let decided = run_patiently(longer, may_wait, || stop.flow())?;
        Ok(decided.map(|decided| Row::ran(point, &resolved, &decided)))
    };
    run().map_err(|reason: String| Error::point(plan.name(point), reason))
}
