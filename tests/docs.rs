//! The documentation keeps step with the program.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The files below a folder whose names have this ending.
fn files_of(folder: &str, ending: &str) -> Vec<PathBuf> {
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

/// The configuration reference is the program's own.
#[test]
fn the_configuration_reference_is_what_the_program_prints() {
    let printed = Command::new(env!("CARGO_BIN_EXE_flitwork"))
        .arg("reference")
        .output()
        .unwrap();
    let printed = String::from_utf8(printed.stdout).unwrap();
    let written = fs::read_to_string(root().join("docs/src/configuration.md")).unwrap();
    assert_eq!(
        written, printed,
        "make it anew with `flitwork reference > docs/src/configuration.md`"
    );
}

/// Every configuration that comes with the program is valid.
#[test]
fn every_configuration_resolves() {
    let files = files_of("configs", "toml");
    assert!(!files.is_empty());
    for path in files {
        let resolved = flitwork_config::load(&path, &[]).unwrap_or_else(|error| panic!("{error}"));
        let again =
            flitwork_config::resolve(&resolved.to_toml(), "again", path.parent().unwrap(), &[]);
        assert_eq!(again.unwrap(), resolved, "{}", path.display());
    }
}

/// The report shown in README and introduction is the output of their command, except for its speed; `...` marks
/// omitted lines.
#[test]
fn the_report_that_is_shown_is_the_programs() {
    let done = Command::new(env!("CARGO_BIN_EXE_flitwork"))
        .args(["run", "configs/chaos-mesh.toml"])
        .current_dir(root())
        .output()
        .unwrap();
    let printed = String::from_utf8(done.stdout).unwrap();
    for page in ["README.md", "docs/src/introduction.md"] {
        let text = fs::read_to_string(root().join(page)).unwrap();
        let (_, report) = text.split_once("\nresults\n").expect("a report");
        let (report, _) = report.split_once("```").expect("the report's end");
        let mut lines = printed.lines();
        for line in report.lines() {
            let machine = line.trim() == "..." || line.starts_with("  speed ");
            assert!(
                machine || lines.any(|other| other == line),
                "{page}: {line:?} isn't printed there:\n{printed}"
            );
        }
    }
}

/// Links and figures in docs and in the pages at the root lead to files.
#[test]
fn links_lead_somewhere() {
    let mut pages = files_of("docs/src", "md");
    for page in ["ARCHITECTURE", "CHANGELOG", "CONTRIBUTING", "README"] {
        pages.push(root().join(page).with_extension("md"));
    }
    for page in pages {
        let text = fs::read_to_string(&page).unwrap();
        for link in text.split("](").skip(1) {
            let target = link.split([')', '#']).next().unwrap();
            if target.is_empty() || target.contains("://") {
                continue;
            }
            let path = page.parent().unwrap().join(target);
            assert!(path.exists(), "{}: {target} leads nowhere", page.display());
        }
    }
}
