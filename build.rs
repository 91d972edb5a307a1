//! Tells the program which revision of its sources it is built from: `FLITWORK_REVISION`.
//!
//! The revision is git's name of the commit, with `-dirty` where the sources differ from it, and `unknown`
//! where git doesn't know: a build never fails for that. Only the program's own package takes it up, so that a
//! commit makes nothing else compile anew.

use std::path::{Path, PathBuf};
use std::process::Command;

/// What the program is built from.
const SOURCES: [&str; 4] = ["Cargo.lock", "Cargo.toml", "build.rs", "crates"];

fn main() {
    let root = std::env::var_os("CARGO_MANIFEST_DIR").map_or_else(PathBuf::new, PathBuf::from);
    println!("cargo:rustc-env=FLITWORK_REVISION={}", revision(&root));
    // A file that isn't there would make every build run this again.
    let watched = SOURCES.iter().map(|source| root.join(source));
    for path in watched.chain(heads(&root)).filter(|path| path.exists()) {
        println!("cargo:rerun-if-changed={}", path.display());
    }
}

/// Git's answer, where git is installed and can answer.
fn git(root: &Path, question: &[&str]) -> Option<String> {
    let done = Command::new("git")
        .current_dir(root)
        .arg("--no-optional-locks")
        .args(question)
        .output();
    let done = done.ok().filter(|done| done.status.success())?;
    let answer = String::from_utf8(done.stdout).ok()?;
    Some(answer.trim_end().to_owned())
}

fn revision(root: &Path) -> String {
    let known = || {
        // Sources unpacked inside another repository don't have that repository's revision.
        let top = PathBuf::from(git(root, &["rev-parse", "--show-toplevel"])?);
        if top.canonicalize().ok()? != root.canonicalize().ok()? {
            return None;
        }
        let commit = git(root, &["rev-parse", "HEAD"])?;
        let mut question = vec!["status", "--porcelain", "--"];
        question.extend(SOURCES);
        let changed = git(root, &question)?;
        Some(if changed.is_empty() {
            commit
        } else {
            commit + "-dirty"
        })
    };
    known().unwrap_or_else(|| "unknown".into())
}

/// The files that change when another commit is checked out or made: this work tree's own log of its head,
/// or, where none is kept, the head and what it may name.
fn heads(root: &Path) -> Vec<PathBuf> {
    let path = |name: &str| {
        let path = git(root, &["rev-parse", "--git-path", name])?;
        Some(root.join(path)).filter(|path| path.exists())
    };
    if let Some(log) = path("logs/HEAD") {
        return vec![log];
    }
    let branch = git(root, &["symbolic-ref", "--quiet", "HEAD"]);
    let names = ["HEAD".to_owned(), "packed-refs".to_owned()];
    names
        .into_iter()
        .chain(branch)
        .filter_map(|name| path(&name))
        .collect()
}
