//! A file under way.

use crate::error::WriteError;
use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};
use tempfile::{Builder, NamedTempFile};

/// A file that takes its place when it is [finished](NewFile::finish). Dropped before, it leaves nothing.
/// What is written is buffered.
#[derive(Debug)]
pub struct NewFile {
    path: PathBuf,
    out: BufWriter<Out>,
}

#[derive(Debug)]
enum Out {
    /// A file beside the one whose place it takes.
    Beside(NamedTempFile),
    /// Something that has no place to take.
    Straight(File),
}

impl NewFile {
    /// Begins a file.
    ///
    /// # Errors
    /// A path at which no file can be made.
    pub fn create(path: &Path) -> Result<NewFile, WriteError> {
        let out = open(path).map_err(WriteError::path_at(path))?;
        Ok(NewFile {
            path: path.to_owned(),
            out: BufWriter::new(out),
        })
    }

    /// Where it goes.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Sees that all is on disk, and puts the file in its place.
    ///
    /// # Errors
    /// When that fails; what stood in its place stays there.
    pub fn finish(self) -> Result<(), WriteError> {
        let NewFile { path, out } = self;
        let settled = match out.into_inner().map_err(|error| error.into_error()) {
            Ok(Out::Beside(file)) => settle(file, &path),
            Ok(Out::Straight(mut file)) => file.flush(),
            Err(error) => Err(error),
        };
        settled.map_err(WriteError::writing(&path))
    }
}

impl Write for NewFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

impl Write for Out {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Out::Beside(file) => file.write(bytes),
            Out::Straight(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Out::Beside(file) => file.flush(),
            Out::Straight(file) => file.flush(),
        }
    }
}

/// Whether something stands there that is neither a file nor a folder. Opening one can wait for its other
/// end.
pub(crate) fn is_special(path: &Path) -> bool {
    path.metadata()
        .is_ok_and(|found| !found.is_file() && !found.is_dir())
}

fn open(path: &Path) -> io::Result<Out> {
    if is_special(path) {
        let file = OpenOptions::new().write(true).open(path);
        return file.map(Out::Straight);
    }
    if path.is_dir() {
        return Err(ErrorKind::IsADirectory.into());
    }
    let place = place(path);
    let Some(name) = place.file_name() else {
        return Err(ErrorKind::IsADirectory.into());
    };
    let mut begin = OsString::from(".");
    begin.push(name);
    begin.push(".");
    let mut builder = Builder::new();
    builder.prefix(&begin).suffix(".new");
    // Else only its owner could read it.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    // It must lie beside the other: a file can't be renamed from one disk to another.
    builder.tempfile_in(folder_of(&place)).map(Out::Beside)
}

fn settle(file: NamedTempFile, path: &Path) -> io::Result<()> {
    let place = place(path);
    if let Ok(old) = place.metadata() {
        file.as_file().set_permissions(old.permissions())?;
    }
    match file.as_file().sync_all() {
        // Some file systems know no sync.
        Err(error)
            if !matches!(
                error.kind(),
                ErrorKind::InvalidInput | ErrorKind::Unsupported
            ) =>
        {
            return Err(error);
        }
        _ => {}
    }
    file.persist(place).map(drop).map_err(|error| error.error)
}

/// Where a link leads: it is the file that is replaced, not the link.
fn place(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

/// The folder of a file.
pub(crate) fn folder_of(path: &Path) -> &Path {
    path.parent()
        .filter(|folder| !folder.as_os_str().is_empty())
        .unwrap_or(Path::new("."))
}

/// Writes a file as a whole.
///
/// # Errors
/// When that fails; what stood in its place stays there.
pub fn write(path: &Path, bytes: &[u8]) -> Result<(), WriteError> {
    replace(path, |file| {
        file.write_all(bytes).map_err(WriteError::writing(path))
    })
}

/// Fills a file, which then takes its place.
///
/// # Errors
/// When it can't be made or written, or isn't filled; what stood in its place stays there.
pub fn replace<E: From<WriteError>>(
    path: &Path,
    fill: impl FnOnce(&mut NewFile) -> Result<(), E>,
) -> Result<(), E> {
    // Whoever fills a file has done work for it: a path that has gone by then is no mistake of the input.
    let file = NewFile::create(path).map_err(|error| WriteError::writing(path)(error.into()));
    let mut file = file?;
    fill(&mut file)?;
    Ok(file.finish()?)
}
