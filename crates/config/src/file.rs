//! Reads text files that may hold anything.

use super::file_texts::{Base, FileTexts, SharedTexts};
use flitwork_files::{Inputs, open_input};
use flitwork_schema::{Files, Unreadable};
use flitwork_traffic::TraceError;
use std::cell::RefCell;
use std::fs::{self, File};
use std::io::{self, BufReader, ErrorKind, Read};
use std::path::{Path, PathBuf};

/// The longest configuration file, in bytes.
pub(super) const MAX_CONFIG_BYTES: u64 = 1 << 20;

/// A configuration's files: those that came with it, or others relative to its directory, or else, for what the command line
/// names, to the working directory. Each of the latter that is named is noted.
pub(super) struct Folder<'a> {
    base: Base<'a>,
    inputs: &'a Inputs,
    shared: &'a SharedTexts,
    /// The texts that were read.
    read: RefCell<FileTexts>,
}

/// The file of this name in a directory, or else in the working directory.
pub fn path_beside(directory: &Path, name: &str) -> PathBuf {
    let beside = directory.join(name);
    match !beside.exists() && Path::new(name).is_file() {
        true => name.into(),
        false => beside,
    }
}

impl<'a> Folder<'a> {
    pub(super) fn new(base: Base<'a>, inputs: &'a Inputs, shared: &'a SharedTexts) -> Folder<'a> {
        Folder {
            base,
            inputs,
            shared,
            read: RefCell::default(),
        }
    }

    /// Whether the configuration is only examined.
    pub(super) fn is_examined(&self) -> bool {
        self.base.is_examined
    }

    /// The texts that were read.
    pub(super) fn into_texts(self) -> FileTexts {
        self.read.into_inner()
    }
}

impl Files for Folder<'_> {
    fn path(&self, name: &str) -> PathBuf {
        if self.base.texts.get(name).is_some() {
            return format!("{name} (in the record)").into();
        }
        let path = path_beside(self.base.directory, name);
        self.inputs.note(&path);
        path
    }

    fn text(&self, name: &str, most_bytes: u64) -> Result<String, Unreadable> {
        let text = match self.base.texts.get(name) {
            Some(text) => text.clone(),
            None => {
                let path = self.path(name);
                let text = read_text(&path, most_bytes)?;
                self.shared.share(&path, &text)
            }
        };
        self.read.borrow_mut().insert(name, text.clone());
        Ok((*text).to_owned())
    }

    fn is_no_file(&self, name: &str) -> Option<String> {
        if self.base.texts.get(name).is_some() {
            return None;
        }
        match fs::metadata(self.path(name)) {
            Ok(metadata) if metadata.is_file() => None,
            Ok(metadata) if metadata.is_dir() => Some("is a directory".into()),
            Ok(_) => Some("is not a regular file".into()),
            Err(error) if error.kind() == ErrorKind::NotFound => Some("doesn't exist".into()),
            Err(error) => Some(format!("can't be read: {error}")),
        }
    }
}

/// Opens a file of packets.
///
/// # Errors
/// A [`TraceError`] if it can't be read.
pub fn open_packets(path: &Path) -> Result<Box<dyn Read + Send>, TraceError> {
    let file = open_input(path).map_err(|error| TraceError::of_file(&error))?;
    Ok(Box::new(BufReader::new(file)))
}

/// The text of a regular file of at most `most` bytes, without a byte order mark. Other
/// files aren't opened, since a pipe without a writer would block for ever.
pub(super) fn read_text(path: &Path, most: u64) -> Result<String, Unreadable> {
    let failed = |error: io::Error| refused(reason(&error), most);
    let metadata = fs::metadata(path).map_err(failed)?;
    if metadata.is_dir() {
        return Err(refused("is a directory".into(), most));
    }
    if !metadata.is_file() {
        return Err(refused("is not a regular file".into(), most));
    }
    if metadata.len() > most {
        return Err(refused(format!("has {} bytes", metadata.len()), most));
    }
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(failed)?;
    file.take(most + 1)
        .read_to_end(&mut bytes)
        .map_err(failed)?;
    if bytes.len() as u64 > most {
        return Err(refused(format!("has more than {most} bytes"), most));
    }
    let mut text = String::from_utf8(bytes).map_err(|error| Unreadable {
        content: true,
        ..refused(not_utf8(&error), most)
    })?;
    if text.starts_with('\u{feff}') {
        text.drain(..'\u{feff}'.len_utf8());
    }
    Ok(text)
}

fn refused(found: String, most: u64) -> Unreadable {
    let most = if most >= 1 << 30 {
        format!("{} GiB", most >> 30)
    } else {
        format!("{} MiB", most >> 20)
    };
    let allowed = format!("a readable file of UTF-8 text, at most {most}");
    Unreadable {
        found,
        allowed,
        content: false,
    }
}

fn not_utf8(error: &std::string::FromUtf8Error) -> String {
    let offset = error.utf8_error().valid_up_to();
    let byte = error.as_bytes().get(offset).copied().unwrap_or_default();
    let line = error.as_bytes()[..offset]
        .iter()
        .filter(|byte| **byte == b'\n')
        .count()
        + 1;
    format!("is not UTF-8 text: byte {offset} (0x{byte:02x}, in line {line}) isn't valid there")
}

fn reason(error: &io::Error) -> String {
    match error.kind() {
        ErrorKind::NotFound => "doesn't exist".into(),
        ErrorKind::PermissionDenied => "may not be read: permission denied".into(),
        _ => format!("can't be read: {error}"),
    }
}
