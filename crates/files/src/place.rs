//! Which file a path leads to, however it is spelled.

use crate::stream::is_special;
use std::ffi::OsString;
use std::fs::{self, Metadata};
use std::path::{Component, Path, PathBuf};

/// The most links that are followed, as many as Linux follows.
const MOST_LINKS: usize = 40;

/// The file or folder that a path leads to, which needn't exist yet. Two paths lead to one place if they are spelled
/// differently (`./`, `..`), through symbolic links, or are two names (hard links) of a file.
#[derive(Clone, Debug)]
pub struct Place {
    path: PathBuf,
    id: Option<(u64, u64)>,
    /// Whether it is a pipe, a terminal, a device, a stream of this process.
    is_special: bool,
    is_file: bool,
}

impl Place {
    /// Where a path leads now.
    pub fn of(path: &Path) -> Place {
        let (found, is_special) = (path.metadata().ok(), is_special(path));
        Place {
            path: followed(path),
            id: found.as_ref().and_then(identity),
            is_special,
            is_file: !is_special && found.is_some_and(|found| found.is_file()),
        }
    }

    /// The absolute path without links.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether something is there that is neither a file nor a folder. It holds nothing that could be lost, and several may
    /// write to it.
    pub fn is_special(&self) -> bool {
        self.is_special
    }

    /// Whether a file is there.
    pub fn is_file(&self) -> bool {
        self.is_file
    }

    /// Whether both are one file or folder.
    pub fn is(&self, other: &Place) -> bool {
        self.path == other.path || self.id.is_some() && self.id == other.id
    }

    /// The name of a file that is, or would be, in this folder itself.
    pub fn name_of<'a>(&self, file: &'a Place) -> Option<&'a str> {
        let folder = file.path.parent().filter(|folder| *folder == self.path);
        folder.and(file.path.file_name()?.to_str())
    }

    /// Whether this lies in a folder that would be where `other` is, at any depth.
    pub fn lies_below(&self, other: &Place) -> bool {
        self.path != other.path && self.path.starts_with(&other.path)
    }
}

#[cfg(unix)]
#[expect(clippy::unnecessary_wraps, reason = "other systems have none")]
fn identity(found: &Metadata) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    Some((found.dev(), found.ino()))
}

#[cfg(not(unix))]
fn identity(_: &Metadata) -> Option<(u64, u64)> {
    None
}

/// The absolute path without links; what doesn't exist is taken as it is named.
pub(crate) fn followed(path: &Path) -> PathBuf {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let mut ahead: Vec<OsString> = reversed(&absolute);
    let mut place = PathBuf::new();
    let mut links = 0;
    while let Some(name) = ahead.pop() {
        match Path::new(&name).components().next() {
            None | Some(Component::CurDir) => {}
            Some(Component::ParentDir) => {
                place.pop();
            }
            Some(Component::Prefix(_) | Component::RootDir) => place.push(name),
            Some(Component::Normal(_)) => {
                let next = place.join(&name);
                match fs::read_link(&next) {
                    Ok(target) if links < MOST_LINKS => {
                        links += 1;
                        ahead.extend(reversed(&target));
                    }
                    _ => place = next,
                }
            }
        }
    }
    place
}

/// The parts of a path, the last one first.
fn reversed(path: &Path) -> Vec<OsString> {
    let parts = path.components().rev();
    parts.map(|part| part.as_os_str().to_owned()).collect()
}
