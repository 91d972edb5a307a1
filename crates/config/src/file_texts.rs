//! The texts of files that configurations name.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// Texts of files by the names that a configuration has for them. With them a configuration says all, and needs no file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileTexts(BTreeMap<String, Arc<str>>);

impl FileTexts {
    /// The text of the file of this name, if there is one.
    pub fn get(&self, name: &str) -> Option<&Arc<str>> {
        self.0.get(name)
    }

    /// The names and texts, in the names' order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Arc<str>)> {
        self.0.iter().map(|(name, text)| (name.as_str(), text))
    }

    pub(crate) fn insert(&mut self, name: &str, text: Arc<str>) {
        self.0.insert(name.to_owned(), text);
    }

    /// Gives a file another name.
    pub(crate) fn rename(&mut self, name: &str, new: &str) {
        if let Some(text) = self.0.remove(name) {
            self.insert(new, text);
        }
    }
}

impl<N: Into<String>> FromIterator<(N, Arc<str>)> for FileTexts {
    fn from_iter<I: IntoIterator<Item = (N, Arc<str>)>>(all: I) -> FileTexts {
        let all = all.into_iter();
        FileTexts(all.map(|(name, text)| (name.into(), text)).collect())
    }
}

/// Where a configuration's files are.
#[derive(Clone, Copy)]
pub(crate) struct Base<'a> {
    /// The configuration's directory.
    pub(crate) directory: &'a Path,
    /// The texts of files that came with it: they are read from here, whatever has become of the files.
    pub(crate) texts: &'a FileTexts,
    /// Whether it is only examined, so that it may be what no run takes.
    pub(crate) is_examined: bool,
}

impl Base<'_> {
    /// That of a configuration of which everything is in files.
    pub(crate) fn at(directory: &Path) -> Base<'_> {
        static NONE: FileTexts = FileTexts(BTreeMap::new());
        Base {
            directory,
            texts: &NONE,
            is_examined: false,
        }
    }
}

/// The texts that files had when they were last read, as long as a configuration has them: the points of a sweep hold one
/// text together.
#[derive(Debug, Default)]
pub(crate) struct SharedTexts(Mutex<BTreeMap<PathBuf, Weak<str>>>);

impl SharedTexts {
    /// A text of this file.
    pub(crate) fn share(&self, path: &Path, text: &str) -> Arc<str> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(held) = all.get(path).and_then(Weak::upgrade)
            && *held == *text
        {
            return held;
        }
        let new: Arc<str> = text.into();
        all.insert(path.to_owned(), Arc::downgrade(&new));
        new
    }
}

#[cfg(test)]
mod tests {
    use super::SharedTexts;
    use std::path::Path;
    use std::sync::Arc;

    #[test]
    fn one_text_is_held_once() {
        let shared = SharedTexts::default();
        let of = |path: &str, text: &str| shared.share(Path::new(path), text);
        let (one, same, changed) = (of("a", "1"), of("a", "1"), of("a", "2"));
        assert!(Arc::ptr_eq(&one, &same));
        assert_eq!(*changed, *"2");
        assert!(!Arc::ptr_eq(&one, &of("b", "1")));
    }
}
