//! A file that is being written.

use crate::error::WriteError;
use crate::place::followed;
use crate::stream::open_special;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, BufWriter, ErrorKind, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use tempfile::{Builder, NamedTempFile};

/// A file that appears under its name when it is [finished](NewFile::finish). If dropped before that, it leaves nothing
/// behind. Writes are buffered.
#[derive(Debug)]
pub struct NewFile {
    path: PathBuf,
    out: BufWriter<Out>,
}

#[derive(Debug)]
enum Out {
    /// A temporary file in the folder of the one that it replaces.
    Temporary(NamedTempFile),
    /// Something that can't be replaced, such as a pipe.
    Direct(File),
}

impl NewFile {
    /// Starts a file.
    ///
    /// # Errors
    /// If no file can be created at that path.
    pub fn create(path: &Path) -> Result<NewFile, WriteError> {
        let out = open(path).map_err(WriteError::path_at(path))?;
        Ok(NewFile {
            path: path.to_owned(),
            out: BufWriter::new(out),
        })
    }

    /// Its final path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Flushes everything to disk and moves the file to its path.
    ///
    /// # Errors
    /// If that fails; an existing file at that path is then unchanged.
    pub fn finish(self) -> Result<(), WriteError> {
        let NewFile { path, out } = self;
        let settled = match out.into_inner().map_err(|error| error.into_error()) {
            Ok(Out::Temporary(file)) => settle(file, &path),
            Ok(Out::Direct(mut file)) => file.flush(),
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

/// A file that a library writes to which wants it as its own, until it is whole and taken back: the library would hide why
/// the last bytes can't be written.
#[derive(Debug)]
pub struct LentFile(Option<NewFile>);

impl LentFile {
    /// Lends a file.
    pub fn new(file: NewFile) -> LentFile {
        LentFile(Some(file))
    }

    /// Takes it back, once.
    pub fn take(&mut self) -> Option<NewFile> {
        self.0.take()
    }
}

impl Write for LentFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.as_mut().map_or(Ok(0), |file| file.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.as_mut().map_or(Ok(()), NewFile::flush)
    }
}

/// Fails where the file is a pipe.
impl Seek for NewFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.out.seek(to)
    }
}

impl Seek for Out {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        match self {
            Out::Temporary(file) => file.seek(to),
            Out::Direct(file) => file.seek(to),
        }
    }
}

impl Write for Out {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Out::Temporary(file) => file.write(bytes),
            Out::Direct(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Out::Temporary(file) => file.flush(),
            Out::Direct(file) => file.flush(),
        }
    }
}

/// Begins a file that is to be read as far as it goes, even if this process is killed: it is written where it is.
///
/// # Errors
/// If it can't be created.
pub fn begin(path: &Path) -> io::Result<File> {
    open_special(path).unwrap_or_else(|| File::create(followed(path)))
}

/// How many random characters the name of a temporary file has.
pub(crate) const RANDOM: usize = 6;

/// At the end of a link the file is replaced, not the link.
fn open(path: &Path) -> io::Result<Out> {
    if let Some(file) = open_special(path) {
        return file.map(Out::Direct);
    }
    let place = followed(path);
    let Some(name) = place.file_name().filter(|_| !place.is_dir()) else {
        return Err(ErrorKind::IsADirectory.into());
    };
    let mut begin = OsString::from(".");
    begin.push(name);
    begin.push(".");
    let mut builder = Builder::new();
    builder.prefix(&begin).suffix(".new").rand_bytes(RANDOM);
    // By default only its owner could read it.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    // It must be in the same folder: a file can't be renamed across file systems.
    builder.tempfile_in(folder_of(&place)).map(Out::Temporary)
}

fn settle(file: NamedTempFile, path: &Path) -> io::Result<()> {
    let place = followed(path);
    if let Ok(old) = place.metadata() {
        file.as_file().set_permissions(old.permissions())?;
    }
    match file.as_file().sync_all() {
        // Some file systems don't support sync.
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

/// The folder of a file.
pub(crate) fn folder_of(path: &Path) -> &Path {
    path.parent()
        .filter(|folder| !folder.as_os_str().is_empty())
        .unwrap_or(Path::new("."))
}

/// Writes a whole file.
///
/// # Errors
/// If that fails; an existing file is then unchanged.
pub fn write(path: &Path, bytes: &[u8]) -> Result<(), WriteError> {
    replace(path, |file| {
        file.write_all(bytes).map_err(WriteError::writing(path))
    })
}

/// Lets `fill` write a file, which then replaces the existing one.
///
/// # Errors
/// If it can't be created or written, or `fill` fails; an existing file is then unchanged.
pub fn replace<E: From<WriteError>>(
    path: &Path,
    fill: impl FnOnce(&mut NewFile) -> Result<(), E>,
) -> Result<(), E> {
    // The caller has already done work for this file: a path that has become invalid isn't an error of the input.
    let file = NewFile::create(path).map_err(|error| WriteError::writing(path)(error.into()));
    let mut file = file?;
    fill(&mut file)?;
    Ok(file.finish()?)
}
