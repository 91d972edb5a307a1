//! The commands of the README and the book are run as they are written, and print what is shown.

#[path = "documented/blocks.rs"]
mod blocks;
#[path = "documented/compare.rs"]
mod compare;
#[path = "documented/listed.rs"]
mod listed;

use crate::docs::files_of;
use blocks::{Page, Shown, Step};
use listed::{EXITS, How, LISTED, OTHERS, OUTPUTS, WHOLE};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Stdio};
use tempfile::TempDir;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The README and the pages of the book by their names, with the outputs that stand in blocks of their own.
fn pages() -> Vec<(String, Page)> {
    let mut names = vec!["README.md".to_owned()];
    for path in files_of("docs/src", "md") {
        let name = path.strip_prefix(root()).unwrap();
        names.push(name.to_str().unwrap().to_owned());
    }
    names.sort();
    let read = |name: String| {
        let mut page = Page::new(&fs::read_to_string(root().join(&name)).unwrap());
        for (_, first_line, command) in OUTPUTS.iter().filter(|(page, ..)| *page == name) {
            let found = page.attach(first_line, command);
            found.unwrap_or_else(|error| panic!("{name}: {error}"));
        }
        (name, page)
    };
    names.into_iter().map(read).collect()
}

/// How a command is run; `None` like most.
fn how(page: &str, command: &str) -> Option<How> {
    let mut fitting = LISTED.iter();
    let listed = fitting.find(|it| it.page == page && command.contains(it.text));
    listed.map(|it| it.how)
}

/// The exit code that a command shows, or must have.
fn expected_code(page: &str, shown: &Shown) -> i32 {
    if let Some(code) = shown.code {
        return code;
    }
    if let Some((_, behind)) = shown.command.split_once("exit code ") {
        let digits: String = behind.chars().take_while(char::is_ascii_digit).collect();
        return digits.parse().unwrap();
    }
    let fits = |(of, text, _): &&(&str, &str, i32)| *of == page && shown.command.contains(text);
    if let Some((_, _, code)) = EXITS.iter().find(fits) {
        return *code;
    }
    let prints = |begin: &str| shown.output.iter().any(|line| line.starts_with(begin));
    match (prints("results (FAILED"), prints("error: ")) {
        (true, _) => 3,
        (false, true) => 2,
        (false, false) => 0,
    }
}

/// A folder like the repository's root, in which the commands of a page run one after another.
struct Place(TempDir);

impl Place {
    fn new() -> Place {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path();
        for name in ["configs", "examples", "tests", "traces"] {
            symlink(root().join(name), path.join(name)).unwrap();
        }
        for name in ["bin", "tmp", "docs/src/figures/chaos-readings"] {
            fs::create_dir_all(path.join(name)).unwrap();
        }
        symlink(env!("CARGO_BIN_EXE_flitwork"), path.join("bin/flitwork")).unwrap();
        Place(folder)
    }

    /// What stands for `/tmp/`.
    fn tmp(&self) -> String {
        format!("{}/tmp/", self.0.path().display())
    }

    fn write(&self, path: &str, text: &str) {
        fs::write(path.replace("/tmp/", &self.tmp()), text).unwrap();
    }

    /// What is wrong with a command, if anything is.
    fn run(&self, page: &str, shown: &Shown) -> Option<String> {
        let script = format!("{}{}", shown.before, shown.command);
        let path = std::env::var("PATH").unwrap_or_default();
        let mut command = Command::new("sh");
        command
            .args(["-c", &script.replace("/tmp/", &self.tmp())])
            .current_dir(self.0.path())
            .env("PATH", format!("{}/bin:{path}", self.0.path().display()))
            .stdin(Stdio::null());
        for name in ["RUST_LOG", "RUST_BACKTRACE", "COLUMNS", "CLICOLOR_FORCE"] {
            command.env_remove(name);
        }
        let done = command.output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).replace(&self.tmp(), "/tmp/");
        let (out, err) = (text(&done.stdout), text(&done.stderr));
        let (printed, complaint) = (compare::lines(&out), compare::lines(&err));
        let lines = compare::lines(&shown.output.join("\n"));
        let figures_vary = matches!(how(page, &shown.command), Some(How::Alike | How::LongAlike));
        let missing = match figures_vary {
            true => compare::missing_names(&lines, &printed, &complaint),
            false => compare::missing(&lines, &printed, &complaint),
        };
        let code = expected_code(page, shown);
        let is_whole = WHOLE.contains(&(page, shown.command.as_str()));
        let left_out = is_whole && !lines.is_empty() && lines != printed;
        let ended = done.status.code() == Some(code);
        (!missing.is_empty() || left_out || !ended).then(|| {
            let (place, status) = (shown.line, done.status);
            format!(
                "{page}:{place}: {}\n  ended with {status}, and {code} is expected\n  shown and not printed: \
                 {missing:#?}\n  shown whole, and lines are left out: {left_out}\n{out}{err}",
                shown.command
            )
        })
    }
}

/// Runs the commands of pages whose names contain a text, and names those that don't print what is shown.
fn run(pages_of: &str, with_long: bool) {
    let mut wrong = Vec::new();
    let is_run = |name: &str, shown: &Shown| match how(name, &shown.command) {
        None | Some(How::Alike) => true,
        Some(How::Soak | How::LongAlike) => with_long,
        Some(How::Never) => false,
    };
    for (name, page) in pages() {
        let mut any = page.shown().filter(|shown| is_run(&name, shown));
        if !name.contains(pages_of) || any.next().is_none() {
            continue;
        }
        let place = Place::new();
        for step in &page.steps {
            match step {
                Step::Write { path, text } => place.write(path, text),
                Step::Run(shown) if is_run(&name, shown) => wrong.extend(place.run(&name, shown)),
                Step::Run(_) => {}
            }
        }
    }
    let text = wrong.join("\n");
    assert!(wrong.is_empty(), "{} commands:\n{text}", wrong.len());
}

#[test]
fn commands_print_what_is_shown() {
    run("", false);
}

/// `FLITWORK_DOCS_PAGES` chooses pages by a part of their names.
#[test]
#[ignore = "takes hours; docs/src/contributing.md says how"]
fn long_commands_print_what_is_shown() {
    let pages_of = std::env::var("FLITWORK_DOCS_PAGES").unwrap_or_default();
    run(&pages_of, true);
}

/// A line of the lists that fits nothing is out of date, and a command that nobody knows isn't run.
#[test]
fn every_exception_is_on_its_page() {
    let pages = pages();
    let fits = |of: &str, text: &str| {
        let mut pages = pages.iter().filter(|(name, _)| name == of);
        pages.any(|(_, page)| page.shown().any(|shown| shown.command.contains(text)))
    };
    let listed = LISTED.iter().map(|it| (it.page, it.text));
    let exits = EXITS.iter().map(|it| (it.0, it.1));
    for (page, text) in listed.chain(exits).chain(WHOLE.iter().copied()) {
        assert!(fits(page, text), "{page} has no command with {text:?}");
    }
    assert!(LISTED.iter().all(|it| !it.why.is_empty()));
    for (name, page) in &pages {
        for line in &page.others {
            let mut words = line.split_whitespace().filter(|word| !word.contains('='));
            let program = words.next().unwrap_or("#");
            assert!(
                program.starts_with('#') || OTHERS.contains(&program),
                "{name}: {line}: neither the program nor one of {OTHERS:?}"
            );
        }
    }
}
