//! What is written to directly: pipes, devices, and the streams of this process.

use std::fs::{File, OpenOptions};
use std::io;
use std::path::Path;

/// Whether there is something at the path that is neither a file nor a folder, or that is a stream of this process. Opening
/// it may wait for its other end.
pub(crate) fn is_special(path: &Path) -> bool {
    let metadata = path.metadata();
    is_own_stream(path) || metadata.is_ok_and(|found| !found.is_file() && !found.is_dir())
}

/// Whether the path is that of this process's standard output or error, wherever that goes.
pub fn is_own_stream(path: &Path) -> bool {
    stream_of(path).is_some()
}

/// 1 for standard output, 2 for standard error.
fn stream_of(path: &Path) -> Option<u8> {
    match path.to_str()? {
        "/dev/stdout" | "/dev/fd/1" | "/proc/self/fd/1" => Some(1),
        "/dev/stderr" | "/dev/fd/2" | "/proc/self/fd/2" => Some(2),
        _ => None,
    }
}

/// Opens what is written to directly, where the path is such.
pub(crate) fn open_special(path: &Path) -> Option<io::Result<File>> {
    // Opened again, a file would be written from its beginning, over what else goes to the stream.
    #[cfg(unix)]
    if let Some(stream) = stream_of(path) {
        use std::os::fd::AsFd;
        let (out, err) = (io::stdout(), io::stderr());
        let stream = if stream == 1 {
            out.as_fd()
        } else {
            err.as_fd()
        };
        return Some(stream.try_clone_to_owned().map(File::from));
    }
    is_special(path).then(|| OpenOptions::new().write(true).open(path))
}
