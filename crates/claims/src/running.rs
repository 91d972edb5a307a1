//! A command of the program and its results.

use flitwork_claims::{Command as Listed, Seeds};
use serde_json::Value;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

/// Set by Ctrl-C.
pub(crate) static INTERRUPTED: AtomicBool = AtomicBool::new(false);

pub(crate) fn is_interrupted() -> bool {
    INTERRUPTED.load(Ordering::Relaxed)
}

/// Why a command has no results.
#[derive(Clone)]
pub(crate) enum Unknown {
    /// Ctrl-C came before it ended.
    Interrupted,
    /// It failed, and said so.
    Failed(String),
}

/// The words of a command with fresh seeds.
pub(crate) fn words(listed: &Listed, first_seed: u64, out: &str) -> Vec<String> {
    let mut words: Vec<String> = listed
        .words
        .iter()
        .map(|word| word.replace("{out}", out))
        .collect();
    let seed = first_seed.to_string();
    match listed.seeds {
        Seeds::First => words.extend(["--first-seed".into(), seed]),
        Seeds::One => words.extend(["--seed".into(), seed]),
        Seeds::After(_) | Seeds::None => {}
    }
    if !writes_json(listed) {
        words.push("--json".into());
    }
    words
}

/// Whether the JSON is in a file that it writes, in place of what it prints.
fn writes_json(listed: &Listed) -> bool {
    listed.words.iter().any(|word| word.contains("{out}"))
}

/// The file of a program: where it is, or, if that is a name alone that isn't here, in the first folder of PATH that has it.
pub(crate) fn program(asked: &Path) -> Option<PathBuf> {
    let is_name = asked.components().count() == 1;
    let folders = std::env::var_os("PATH").filter(|_| is_name);
    let there = folders.iter().flat_map(std::env::split_paths);
    let here = std::iter::once(PathBuf::from("."));
    let mut all = here.chain(there).map(|folder| folder.join(asked));
    all.find(|it| it.is_file())
}

/// What a command prints or writes with fresh seeds.
pub(crate) fn results(flitwork: &Path, listed: &Listed, first_seed: u64) -> Result<Value, Unknown> {
    let failed = |what: String| Unknown::Failed(what);
    let folder =
        tempfile::tempdir().map_err(|error| failed(format!("a temporary folder: {error}")))?;
    let out = folder.path().join("out.json");
    let words = words(listed, first_seed, &out.display().to_string());
    let mut command = Command::new(flitwork);
    command
        .args(words)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let child = command
        .spawn()
        .map_err(|error| failed(format!("{}: {error}", flitwork.display())))?;
    let (status, printed, complaint) = ended(child).map_err(|error| failed(error.to_string()))?;
    // A terminal's Ctrl-C reaches the command as well, which may end before it is seen here.
    if is_interrupted() || status.code() == Some(130) {
        return Err(Unknown::Interrupted);
    }
    if !status.success() {
        let complaint = String::from_utf8_lossy(&complaint);
        return Err(failed(format!(
            "the command ended with {status}: {}",
            complaint.trim()
        )));
    }
    let text = match writes_json(listed) {
        true => std::fs::read(&out).map_err(|error| failed(format!("what it wrote: {error}")))?,
        false => printed,
    };
    serde_json::from_slice(&text)
        .map_err(|error| failed(format!("what it printed isn't JSON: {error}")))
}

/// Waits for a command, and ends it when Ctrl-C comes; with its output and its complaints.
fn ended(mut child: Child) -> std::io::Result<(ExitStatus, Vec<u8>, Vec<u8>)> {
    let (out, complaint) = (child.stdout.take(), child.stderr.take());
    thread::scope(|scope| {
        let out = scope.spawn(|| all(out));
        let complaint = scope.spawn(|| all(complaint));
        let status = loop {
            if let Some(status) = child.try_wait()? {
                break status;
            }
            if is_interrupted() {
                child.kill()?;
            }
            thread::sleep(Duration::from_millis(20));
        };
        let read = |it: thread::ScopedJoinHandle<'_, std::io::Result<Vec<u8>>>| {
            it.join().expect("a reader panicked")
        };
        Ok((status, read(out)?, read(complaint)?))
    })
}

fn all(from: Option<impl Read>) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    if let Some(mut from) = from {
        from.read_to_end(&mut bytes)?;
    }
    Ok(bytes)
}

/// The processor's time of all commands that have ended, in seconds, where the system says it as Linux does.
pub(crate) fn children_seconds() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/self/stat").ok()?;
    // The name in parentheses may have spaces; user and system time of children are the 14th and 15th field behind it, in hundredths.
    let fields: Vec<&str> = text.rsplit_once(')')?.1.split_whitespace().collect();
    let hundredths = |place: usize| fields.get(place)?.parse::<f64>().ok();
    Some((hundredths(13)? + hundredths(14)?) / 100.0)
}
