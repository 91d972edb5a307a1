//! The toy parts of the book's page on adding parts: each is a patch of one new file and one line elsewhere.
//!
//! ```sh
//! cargo test --release --test cli repository::toys -- --ignored --nocapture
//! ```
//!
//! applies all of them to a copy of the tree, builds it, and runs each part there.

#[path = "toys/patch.rs"]
mod patch;
#[path = "toys/soak.rs"]
mod soak;

use super::root;
use patch::{Patch, Place};
use std::fs;
use std::path::PathBuf;

/// The kinds of part that have a toy.
const KINDS: [&str; 13] = [
    "allocator",
    "crossing",
    "format",
    "inqueue",
    "method",
    "pattern",
    "priority",
    "process",
    "router",
    "routing-function",
    "rule",
    "study",
    "topology",
];

/// Entries of a table that need no file.
const ENTRIES: [&str; 2] = ["figure", "order"];

/// The place of a kind's patch.
fn path(kind: &str) -> PathBuf {
    root().join(format!("docs/src/contributing/toy-{kind}.patch"))
}

fn toy(kind: &str) -> Patch {
    let path = path(kind);
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path:?}: {error}"));
    Patch::parse(&text)
}

/// The file that it adds, and the line with the file to which it belongs.
fn parts(patch: &Patch) -> (&Place, &Place) {
    match &patch.places[..] {
        [one, other] if one.is_new => (one, other),
        [one, other] => (other, one),
        places => panic!("{places:?} aren't two files"),
    }
}

#[test]
fn a_part_is_one_new_file_and_one_line() {
    for kind in KINDS {
        let patch = toy(kind);
        let (file, table) = parts(&patch);
        assert!(file.is_new, "{kind}");
        assert!(!root().join(&file.path).exists(), "{} is there", file.path);
        is_one_line(kind, table);
    }
}

/// The file's text with the patch must be one line longer.
fn is_one_line(kind: &str, table: &Place) {
    assert!(!table.is_new, "{kind}");
    let changed = (table.added(), table.removed());
    assert_eq!(changed, (1, 0), "{kind}: {}", table.path);
    let text = fs::read_to_string(root().join(&table.path)).unwrap();
    let after = table.apply(&text).unwrap_or_else(|why| {
        panic!(
            "docs/src/contributing/toy-{kind}.patch doesn't fit {}: {why}",
            table.path
        )
    });
    assert_eq!(after.lines().count(), text.lines().count() + 1, "{kind}");
}

#[test]
fn an_entry_is_one_line() {
    for kind in ENTRIES {
        let patch = toy(kind);
        let [table] = &patch.places[..] else {
            panic!("{kind}: {:?} isn't one file", patch.places);
        };
        is_one_line(kind, table);
    }
}

/// Git accepts them too, if it is installed: whoever reads the page may apply them.
#[test]
fn git_would_apply_every_patch() {
    let git = |further: &[&str]| {
        let mut git = std::process::Command::new("git");
        git.current_dir(root()).args(further).output()
    };
    let is_tree = git(&["rev-parse", "--is-inside-work-tree"]);
    if !is_tree.is_ok_and(|done| done.status.success()) {
        return;
    }
    for kind in KINDS.iter().chain(&ENTRIES) {
        let path = path(kind);
        let done = git(&["apply", "--check", path.to_str().unwrap()]).unwrap();
        let said = String::from_utf8_lossy(&done.stderr);
        assert!(done.status.success(), "{kind}: {said}");
    }
}

#[test]
fn the_page_shows_every_patch() {
    let page = root().join("docs/src/contributing/adding.md");
    let page = fs::read_to_string(page).unwrap();
    for kind in KINDS.iter().chain(&ENTRIES) {
        let shown = format!("{{{{#include toy-{kind}.patch}}}}");
        assert!(page.contains(&shown), "{shown}");
    }
}
