//! Paths in configurations that outlive the folder in which they were used.

use flitwork_config::{Resolved, path_beside};
use std::path::Path;

/// The configuration with absolute paths: a record may be replayed in another folder.
pub(crate) fn absolute(resolved: &Resolved, config: &Path) -> Resolved {
    let mut resolved = resolved.clone();
    let folder = config.parent().unwrap_or(Path::new(""));
    resolved.rename_files(|file| {
        let path = std::path::absolute(path_beside(folder, file));
        path.map_or_else(|_| file.to_owned(), |path| path.display().to_string())
    });
    resolved
}
