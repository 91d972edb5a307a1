//! Files that replace those of an earlier run, all at once.

use crate::error::WriteError;
use crate::place::Place;
use crate::{clear, write};
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::{Builder, TempDir};

/// A folder's new files, in a folder inside it until they are whole. If dropped before they are [placed](Staged::place), what was there is unchanged.
#[derive(Debug)]
pub struct Staged {
    folder: PathBuf,
    inside: TempDir,
}

impl Staged {
    /// New files for a folder, which exists.
    ///
    /// # Errors
    /// If nothing can be created there.
    pub fn in_folder(folder: &Path) -> Result<Staged, WriteError> {
        let inside = Builder::new().prefix(".").suffix(".new").tempdir_in(folder);
        Ok(Staged {
            folder: folder.to_owned(),
            inside: inside.map_err(WriteError::path_at(folder))?,
        })
    }

    /// Lets `fill` write files into the folder that it is given.
    ///
    /// # Errors
    /// That of `fill`, which names the path that the file is to have.
    pub fn fill<T>(
        &self,
        fill: impl FnOnce(&Path) -> Result<T, WriteError>,
    ) -> Result<T, WriteError> {
        let inside = self.inside.path();
        fill(inside).map_err(|error| error.moved(inside, &self.folder))
    }

    /// Moves all files to their places, and removes those that the caller owns and that are none of them. Returns their paths, by name.
    ///
    /// # Errors
    /// The first that can't be moved or removed.
    pub fn place(self, owns: impl Fn(&str) -> bool) -> Result<Vec<PathBuf>, WriteError> {
        let inside = self.inside.path();
        let read = fs::read_dir(inside).map_err(WriteError::writing(&self.folder))?;
        let mut names = Vec::new();
        for entry in read {
            names.push(
                entry
                    .map_err(WriteError::writing(&self.folder))?
                    .file_name(),
            );
        }
        names.sort();
        let mut placed = Vec::new();
        for name in &names {
            let (new, path) = (inside.join(name), self.folder.join(name));
            let place = Place::of(&path);
            // What can't be replaced is written to.
            match place.is_special() {
                true => {
                    let bytes = fs::read(&new).map_err(WriteError::writing(&path))?;
                    write(&path, &bytes)?;
                }
                false => fs::rename(&new, place.path()).map_err(WriteError::writing(&path))?,
            }
            placed.push(path);
        }
        clear(&self.folder, |name| {
            owns(name) && names.iter().all(|new| new.as_os_str() != name)
        })?;
        Ok(placed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let all = fs::read_dir(folder).unwrap();
        let mut names: Vec<String> = all
            .map(|it| it.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    /// Of a.csv, b.csv and c.txt a run replaces a.csv and adds d.csv: b.csv goes, c.txt isn't its own. What fails halfway leaves all as it was.
    #[test]
    fn all_files_are_replaced_at_once_or_none() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for name in ["a.csv", "b.csv", "c.txt"] {
            write(&at(name), b"old").unwrap();
        }
        let owns = |name: &str| name.ends_with(".csv");
        let staged = Staged::in_folder(folder.path()).unwrap();
        let failed = staged.fill(|inside| {
            write(&inside.join("a.csv"), b"new")?;
            write(&inside.join("none").join("d.csv"), b"new")
        });
        assert_eq!(failed.unwrap_err().path(), at("none").join("d.csv"));
        drop(staged);
        assert_eq!(names(folder.path()), ["a.csv", "b.csv", "c.txt"]);
        assert_eq!(fs::read(at("a.csv")).unwrap(), b"old");

        let staged = Staged::in_folder(folder.path()).unwrap();
        for name in ["d.csv", "a.csv"] {
            staged
                .fill(|inside| write(&inside.join(name), b"new"))
                .unwrap();
        }
        assert_eq!(fs::read(at("a.csv")).unwrap(), b"old");
        assert_eq!(staged.place(owns).unwrap(), [at("a.csv"), at("d.csv")]);
        assert_eq!(names(folder.path()), ["a.csv", "c.txt", "d.csv"]);
        assert_eq!(fs::read(at("a.csv")).unwrap(), b"new");
    }
}
