//! The documentation agrees with the program.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The files in and below a folder whose names have this ending.
pub(crate) fn files_of(folder: &str, ending: &str) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![root().join(folder)];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path
                .extension()
                .is_some_and(|extension| extension == ending)
            {
                files.push(path);
            }
        }
    }
    files
}

/// The reference pages are what the program prints.
#[test]
fn the_references_are_what_the_program_prints() {
    for (subject, page) in [
        ("keys", "configuration.md"),
        ("columns", "columns.md"),
        ("studies", "study-columns.md"),
    ] {
        let printed = Command::new(env!("CARGO_BIN_EXE_flitwork"))
            .args(["reference", subject])
            .output()
            .unwrap();
        let printed = String::from_utf8(printed.stdout).unwrap();
        let written = fs::read_to_string(root().join("docs/src").join(page)).unwrap();
        assert_eq!(
            written, printed,
            "regenerate it with `flitwork reference {subject} > docs/src/{page}`"
        );
    }
}

/// Every configuration that comes with the program is valid.
#[test]
fn every_configuration_resolves() {
    let mut files = files_of("configs", "toml");
    // Static problems are of `flitwork route` and `flitwork schedule`.
    let others = ["configs/route", "configs/schedule"].map(|folder| root().join(folder));
    files.retain(|path| !others.iter().any(|folder| path.starts_with(folder)));
    assert!(!files.is_empty());
    for path in files {
        let resolved = flitwork_config::load(&path, &[]).unwrap_or_else(|error| panic!("{error}"));
        let again =
            flitwork_config::resolve(&resolved.to_toml(), "again", path.parent().unwrap(), &[]);
        assert_eq!(again.unwrap(), resolved, "{}", path.display());
    }
}

/// The pages of the book, and those at the root.
fn pages() -> Vec<PathBuf> {
    let mut pages = files_of("docs/src", "md");
    for page in ["ARCHITECTURE", "CHANGELOG", "CONTRIBUTING", "README"] {
        pages.push(root().join(page).with_extension("md"));
    }
    pages
}

/// What follows each occurrence of a mark, up to one of some end characters.
fn behind<'t>(text: &'t str, mark: &'t str, ends: &'t [char]) -> impl Iterator<Item = &'t str> {
    let behind = text.split(mark).skip(1);
    behind.filter_map(move |rest| Some(rest.split_once(ends)?.0))
}

/// The anchor of a heading.
fn anchor(heading: &str) -> String {
    let heading = heading.trim_start_matches('#').trim().to_lowercase();
    let kept = heading.chars().filter_map(|c| match c {
        ' ' => Some('-'),
        c if c.is_alphanumeric() || "-_".contains(c) => Some(c),
        _ => None,
    });
    kept.collect()
}

/// The anchors of a page's headings; what looks like one in a block of code is a comment.
fn anchors(page: &Path) -> Vec<String> {
    let text = fs::read_to_string(page).unwrap();
    let mut is_code = false;
    let mut anchors = Vec::new();
    for line in text.lines() {
        is_code ^= line.starts_with("```");
        if !is_code && line.starts_with('#') {
            anchors.push(anchor(line));
        }
    }
    anchors
}

/// Links and figures lead to files, and to headings in them.
#[test]
fn links_lead_somewhere() {
    for page in pages() {
        let text = fs::read_to_string(&page).unwrap();
        for link in behind(&text, "](", &[')']).chain(behind(&text, "{{#include ", &['}'])) {
            if link.contains("://") {
                continue;
            }
            let (file, heading) = link.split_once('#').unwrap_or((link, ""));
            let target = match file {
                "" => page.clone(),
                file => page.parent().unwrap().join(file),
            };
            assert!(target.exists(), "{}: {link} leads nowhere", page.display());
            let is_there = heading.is_empty() || anchors(&target).iter().any(|it| it == heading);
            assert!(is_there, "{}: {link} has no such heading", page.display());
        }
    }
}

#[test]
fn every_page_is_in_the_summary() {
    let book = root().join("docs/src");
    let summary = fs::read_to_string(book.join("SUMMARY.md")).unwrap();
    for page in files_of("docs/src", "md") {
        let page = page.strip_prefix(&book).unwrap().to_str().unwrap();
        assert!(
            page == "SUMMARY.md" || summary.contains(&format!("]({page})")),
            "{page} isn't in the summary"
        );
    }
}

/// Files of the repository that pages name exist, except for the parts that the toys add.
#[test]
fn files_that_pages_name_exist() {
    for page in pages() {
        let text = fs::read_to_string(&page).unwrap();
        for name in text.split('`').filter(|name| !name.contains('\n')) {
            let folders = [
                "benches/",
                "configs/",
                "crates/",
                "docs/",
                "examples/",
                "tests/",
                "traces/",
            ];
            let is_path = folders.iter().any(|it| name.starts_with(it));
            let is_plain = !name.contains(['*', ' ', '{', '<']) && !name.contains("NAME");
            if is_path && is_plain && !name.contains("ENDING") {
                assert!(root().join(name).exists(), "{}: no {name}", page.display());
            }
        }
    }
}

/// Every crate's documentation opens with an example, which the tests compile.
#[test]
fn every_crates_front_page_has_an_example() {
    let pages = fs::read_dir(root().join("crates")).unwrap();
    let pages: Vec<_> = pages
        .map(|folder| folder.unwrap().path().join("src/lib.rs"))
        .collect();
    assert!(pages.len() > 20);
    for page in pages {
        let text = fs::read_to_string(&page).unwrap();
        let front = text.lines().take_while(|line| line.starts_with("//!"));
        let mut fences = front.filter(|line| line.starts_with("//! ```"));
        // Every other fence ends a block.
        let mut opened = std::iter::from_fn(|| fences.next().zip(fences.next()));
        let has_example = opened.any(|(fence, _)| matches!(fence, "//! ```" | "//! ```no_run"));
        assert!(has_example, "{}", page.display());
    }
}
