//! Runs the program in a folder, many times at once.

use crate::mask;
use crate::record::Fact;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use tempfile::TempDir;

/// How a run of the program ended; whatever depends on the host is masked.
pub(crate) struct Done {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

/// Runs the program in the folder to which its paths are relative: the root of the repository or a folder of inputs.
pub(crate) fn flitwork(folder: &Path, args: &[&str]) -> Done {
    let mut command = Command::new(program());
    command.args(args).current_dir(folder).stdin(Stdio::null());
    for name in [
        "RUST_LOG",
        "RUST_BACKTRACE",
        "COLUMNS",
        "NO_COLOR",
        "CLICOLOR_FORCE",
    ] {
        command.env_remove(name);
    }
    let output = command.output().unwrap();
    let text = |bytes| mask::text(&String::from_utf8(bytes).unwrap());
    Done {
        code: output.status.code(),
        out: text(output.stdout),
        err: text(output.stderr),
    }
}

/// The program: the one built with the tests, or `FLITWORK_FACTS_PROGRAM`, to compare another build with the facts.
pub(crate) fn program() -> &'static str {
    static OTHER: LazyLock<Option<String>> = LazyLock::new(|| {
        let path = std::env::var_os("FLITWORK_FACTS_PROGRAM")?;
        let path = std::fs::canonicalize(&path).expect("FLITWORK_FACTS_PROGRAM names a program");
        Some(path.into_os_string().into_string().unwrap())
    });
    OTHER.as_deref().unwrap_or(env!("CARGO_BIN_EXE_flitwork"))
}

impl Done {
    /// The exit code, and the text on standard output and standard error.
    pub(crate) fn came(&self) -> String {
        format!("{}\n{}{}", self.exit(), self.out, self.complaint())
    }

    /// The exit code only, in words.
    pub(crate) fn exit(&self) -> String {
        match self.code {
            Some(code) => format!("exit {code}"),
            None => "ended by a signal".to_owned(),
        }
    }

    /// The text on standard error, if there is any.
    pub(crate) fn complaint(&self) -> String {
        if self.err.is_empty() {
            String::new()
        } else {
            format!("--- standard error\n{}", self.err)
        }
    }
}

/// The root of the repository, to which paths in recorded commands are relative.
pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// A command as a user types it.
pub(crate) fn typed(args: &[&str]) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=,:@+%".contains(c);
    let word = |arg: &&str| match *arg {
        arg if !arg.is_empty() && arg.chars().all(plain) => arg.to_owned(),
        arg => format!("'{}'", arg.replace('\n', "\\n")),
    };
    let words: Vec<String> = args.iter().map(word).collect();
    format!("flitwork {}", words.join(" "))
}

/// A command run in the root of the repository, with all its output.
pub(crate) fn said(args: &[&str]) -> Fact {
    Fact::new(typed(args), flitwork(root(), args).came())
}

/// A folder for what the program writes, at a different place each time: its path isn't recorded.
pub(crate) fn temporary() -> TempDir {
    tempfile::tempdir().unwrap()
}

/// A function's result for each item, in order; as many run at a time as the host has cores.
pub(crate) fn each<T: Sync, R: Send>(items: &[T], make: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut made = Vec::new();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(index) else {
                return made;
            };
            made.push((index, make(item)));
        }
    };
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let mut made: Vec<(usize, R)> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..cores).map(|_| scope.spawn(work)).collect();
        workers
            .into_iter()
            .flat_map(|worker| worker.join().unwrap())
            .collect()
    });
    made.sort_by_key(|(index, _)| *index);
    made.into_iter().map(|(_, made)| made).collect()
}
