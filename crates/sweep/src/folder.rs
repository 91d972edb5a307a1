//! A sweep's folder: its description, its lock, its finished points.
//!
//! ```text
//! DIR/sweep.toml           the sweep's description
//!     sweep.lock           held by a running process: exclusively, or shared with other shards
//!     journal.jsonl        finished points
//!     shard-3-of-16.jsonl  finished points of a shard
//!     sweep.csv, ...       tables and figures
//! ```

use crate::drawn::is_figure;
use crate::error::Error;
use crate::journal::{Journal, Rereader, Scan, Spot, is_held, scan};
use crate::manifest::{self, Manifest};
use crate::row::{Row, Status};
use crate::shard::Shard;
use flitwork_files::{WriteError, clear_left_over, own_files, write};
use flitwork_report::Formats;
use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::path::{Path, PathBuf};
use std::time::Duration;

const LOCK: &str = "sweep.lock";
/// How often a shard tries to start, and the pause between tries: another may be writing `sweep.toml`.
const TRIES: u32 = 40;
const PAUSE: Duration = Duration::from_millis(50);

/// A finished point.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Done {
    journal: u32,
    spot: Spot,
    pub(crate) configuration: u32,
    pub(crate) status: Status,
    /// Whether it ran and wasn't in a steady state.
    pub(crate) not_steady: bool,
    /// Whether it ran, and its window was too short to tell.
    pub(crate) window_too_short: bool,
}

/// The finished points of some journals.
#[derive(Debug, Default)]
pub(crate) struct Finished {
    journals: Vec<PathBuf>,
    pub(crate) points: BTreeMap<u32, Done>,
    /// Damaged lines that were skipped.
    pub(crate) damaged: u64,
}

impl Finished {
    /// Adds a journal's rows; a point in several journals must have the same outcome in all of them.
    pub(crate) fn add(&mut self, path: &Path, scan: Scan, points: u32) -> Result<(), Error> {
        let journal = self.journals.len() as u32;
        self.journals.push(path.to_owned());
        self.damaged += scan.damaged;
        for (row, spot) in scan.rows {
            if row.point >= points {
                let found = format!("has point {}, and the sweep has {points}", row.point);
                let path = path.to_owned();
                return Err(Error::Damaged { path, found });
            }
            match self.points.get(&row.point).copied() {
                None => self.insert(&row, journal, spot),
                Some(first) => self.check_twin(&row, first, path)?,
            }
        }
        Ok(())
    }

    fn insert(&mut self, row: &Row, journal: u32, spot: Spot) {
        let (configuration, status) = (row.configuration, row.status);
        let done = Done {
            journal,
            spot,
            configuration,
            status,
            not_steady: status == Status::Complete && row.steady_figures().is_none(),
            window_too_short: row.is_unknown(),
        };
        self.points.insert(row.point, done);
    }

    fn check_twin(&self, row: &Row, first: Done, path: &Path) -> Result<(), Error> {
        let other = &self.journals[first.journal as usize];
        let twin = Rereader::open(other)?.row(first.spot)?;
        if twin.agrees(row) {
            return Ok(());
        }
        Err(Error::Damaged {
            path: path.to_owned(),
            found: format!(
                "point {} has other results in {}",
                row.point,
                other.display()
            ),
        })
    }

    /// Adds rows that were appended to the first journal.
    fn appended(&mut self, rows: &[Row], spots: Vec<Spot>) {
        for (row, spot) in rows.iter().zip(spots) {
            self.insert(row, 0, spot);
        }
    }

    /// Passes each row to `take`, ordered by point.
    pub(crate) fn each(&self, mut take: impl FnMut(Row) -> Result<(), Error>) -> Result<(), Error> {
        let readers = self.journals.iter().map(|path| Rereader::open(path));
        let mut readers: Vec<Rereader> = readers.collect::<Result<_, Error>>()?;
        self.points.values().try_for_each(|done| {
            let row = readers[done.journal as usize].row(done.spot)?;
            take(row)
        })
    }
}

/// A folder that this process is using.
#[derive(Debug)]
pub(crate) struct Folder {
    /// Held until this is dropped, or the process dies.
    _lock: File,
    journal: Journal,
    pub(crate) finished: Finished,
    made: Made,
}

/// The files that a process makes in a folder by opening it.
#[derive(Debug)]
struct Made(Vec<PathBuf>);

impl Made {
    fn of(folder: &Path, shard: Shard) -> Made {
        let names = match shard.is_whole() {
            true => vec![shard.journal(), manifest::NAME.to_owned(), LOCK.to_owned()],
            // What else it makes may be another shard's by the time that it is refused.
            false => vec![LOCK.to_owned()],
        };
        let paths = names.into_iter().map(|name| folder.join(name));
        Made(paths.filter(|path| !path.exists()).collect())
    }

    /// Removes them: the sweep was refused, and whoever opens the folder next begins as this process did.
    fn remove(&self) {
        for path in &self.0 {
            let _ = fs::remove_file(path);
        }
    }
}

impl Folder {
    /// Opens a sweep's folder, or creates it. In one that is refused nothing is new.
    pub(crate) fn open(path: &Path, manifest: &Manifest, shard: Shard) -> Result<Folder, Error> {
        flitwork_files::create_folder(path).map_err(Error::writing(path))?;
        let made = Made::of(path, shard);
        let lock = lock(path, manifest, shard);
        let opened = lock.and_then(|lock| Folder::locked(lock, path, manifest, shard));
        match opened {
            Ok(folder) => Ok(Folder { made, ..folder }),
            Err(error @ Error::Locked(_)) => Err(error),
            Err(error) => {
                made.remove();
                Err(error)
            }
        }
    }

    /// Removes what opening it has made, if no point is finished: the sweep is refused. Shards leave it to each other.
    pub(crate) fn abandon(self, shard: Shard) {
        if shard.is_whole() && self.finished.points.is_empty() {
            self.made.remove();
        }
    }

    /// The folder whose lock is taken.
    fn locked(lock: File, path: &Path, manifest: &Manifest, shard: Shard) -> Result<Folder, Error> {
        manifest.check(path)?;
        let own = path.join(shard.journal());
        let (journal, held) = Journal::open(&own)?;
        let mut finished = Finished::default();
        finished.add(&own, held, manifest.points())?;
        for other in journals(path)?.into_iter().filter(|other| *other != own) {
            finished.add(&other, scan(&other)?, manifest.points())?;
        }
        Ok(Folder {
            _lock: lock,
            journal,
            finished,
            made: Made(Vec::new()),
        })
    }

    /// Writes rows to disk; they count from then on.
    pub(crate) fn append(&mut self, rows: &[Row]) -> Result<(), Error> {
        let spots = self.journal.append(rows)?;
        self.finished.appended(rows, spots);
        Ok(())
    }
}

/// All journals of a folder, in the order of their names.
pub(crate) fn journals(folder: &Path) -> Result<Vec<PathBuf>, Error> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).map_err(Error::reading(folder))? {
        let path = entry.map_err(Error::reading(folder))?.path();
        let name = path.file_name().and_then(|name| name.to_str());
        if name.is_some_and(is_journal) {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

/// Whether a sweep writes a file of that name, in whatever format.
pub fn is_sweep_file(formats: &Formats, name: &str) -> bool {
    is_table(formats, name) || name == manifest::NAME || name == LOCK || is_journal(name)
}

fn is_table(formats: &Formats, name: &str) -> bool {
    let ending = name.strip_prefix("sweep.");
    is_figure(name) || ending.is_some_and(|ending| formats.may_write(ending))
}

/// The tables and figures of a folder that isn't a sweep's: somebody else's, which a sweep would replace.
///
/// # Errors
/// If the folder can't be read.
pub fn foreign_tables(formats: &Formats, folder: &Path) -> Result<Vec<String>, WriteError> {
    match folder.join(manifest::NAME).exists() {
        true => Ok(Vec::new()),
        false => own_files(folder, |name| is_table(formats, name)),
    }
}

/// Whether it was to become a file of that name that a killed sweep left half-written.
fn is_left_over(name: &str) -> bool {
    name.starts_with("sweep.") || is_figure(name)
}

fn is_journal(name: &str) -> bool {
    let shard = name.strip_prefix("shard-");
    let shard = shard.and_then(|name| name.strip_suffix(".jsonl"));
    let shard = shard.and_then(|name| name.replace("-of-", "/").parse::<Shard>().ok());
    shard.unwrap_or(Shard::WHOLE).journal() == name
}

/// Takes the folder's lock. Its exclusive holder writes `sweep.toml`; shards then share it.
fn lock(folder: &Path, manifest: &Manifest, shard: Shard) -> Result<File, Error> {
    let path = &folder.join(LOCK);
    let file = OpenOptions::new().append(true).create(true).open(path);
    let file = file.map_err(Error::writing(path))?;
    for _ in 0..TRIES {
        if is_held(file.try_lock(), path)? {
            clear_left_over(folder, is_left_over)?;
            make_manifest(folder, manifest)?;
            if shard.is_whole() {
                return Ok(file);
            }
            file.unlock().map_err(Error::writing(path))?;
        }
        if !shard.is_whole() && is_held(file.try_lock_shared(), path)? {
            if folder.join(manifest::NAME).exists() {
                return Ok(file);
            }
            file.unlock().map_err(Error::writing(path))?;
        }
        if shard.is_whole() {
            break;
        }
        std::thread::sleep(PAUSE);
    }
    Err(Error::Locked(folder.to_owned()))
}

/// Writes `sweep.toml` if there is none, or if the sweep that it describes has no finished point: a refused sweep
/// can be corrected.
fn make_manifest(folder: &Path, manifest: &Manifest) -> Result<(), Error> {
    let path = folder.join(manifest::NAME);
    let journals = journals(folder)?;
    if !path.exists() {
        return match journals.first() {
            None => Ok(write(&path, manifest.text().as_bytes())?),
            Some(stray) => Err(Error::Damaged {
                path: stray.clone(),
                found: STRAY.into(),
            }),
        };
    }
    let found = Manifest::read(folder)?;
    let begun = |path: &PathBuf| path.metadata().is_ok_and(|metadata| metadata.len() > 0);
    if found.differences(manifest).is_empty() || journals.iter().any(begun) {
        return Ok(());
    }
    Ok(write(&path, manifest.text().as_bytes())?)
}

const STRAY: &str = "a journal without its sweep.toml
  allowed: a folder that `flitwork sweep` has made, or an empty one";
