//! Paths in configurations that outlive the folder in which they were used.

use flitwork_config::Resolved;
use std::path::Path;

/// The configuration with absolute paths: a record may be replayed in another folder.
pub(crate) fn absolute(resolved: &Resolved, config: &Path) -> Resolved {
    let mut resolved = resolved.clone();
    let folder = config.parent().unwrap_or(Path::new(""));
    for file in resolved.files() {
        if let Ok(path) = std::path::absolute(folder.join(&*file)) {
            *file = path.display().to_string();
        }
    }
    resolved
}
