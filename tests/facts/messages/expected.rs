//! What a message must be, written from the documentation's rules alone, and the run that must say it.

use super::{Case, SMALL, put_shared, run};
use crate::program::{each, temporary, typed};
use std::ops::Range;

/// A case, and the whole of what it prints on standard error: where that is empty it is accepted, otherwise it is
/// refused with the exit code 2. Nothing is printed on standard output for a refused one.
pub(super) struct Expected {
    case: Case,
    says: String,
}

/// What a message says besides its place.
pub(super) struct Says {
    found: String,
    allowed: Option<String>,
    hints: Vec<String>,
}

impl Says {
    pub(super) fn found(found: impl Into<String>) -> Says {
        Says {
            found: found.into(),
            allowed: None,
            hints: Vec::new(),
        }
    }

    pub(super) fn allowed(mut self, allowed: impl Into<String>) -> Says {
        self.allowed = Some(allowed.into());
        self
    }

    pub(super) fn hint(mut self, hint: impl Into<String>) -> Says {
        self.hints.push(hint.into());
        self
    }

    /// One error with this excerpt, and nothing below it.
    fn text(&self, place: &str, excerpt: &str) -> String {
        let mut text = format!("error: {place}: {}\n{excerpt}", self.found);
        if let Some(allowed) = &self.allowed {
            text += &format!("  allowed: {allowed}\n");
        }
        for hint in &self.hints {
            text += &format!("  hint: {hint}\n");
        }
        text
    }

    /// Said about a part of the first such line of a file: its line and column, the line itself, and marks below.
    pub(super) fn in_the_file(&self, text: &str, line: &str, part: Range<usize>) -> Expected {
        let above = text.lines().position(|other| other == line).unwrap();
        let number = (above + 1).to_string();
        let place = format!("x.toml:{number}:{}", part.start + 1);
        let indent = " ".repeat(number.len());
        let marks = format!("{}{}", " ".repeat(part.start), "^".repeat(part.len()));
        let excerpt = format!("  {number} | {line}\n  {indent} | {marks}\n");
        Expected {
            case: Case::text("", text),
            says: self.text(&place, &excerpt),
        }
    }

    /// Said about a value of the command line, for which a file shows nothing.
    pub(super) fn on_the_command_line(&self, text: &str, set: &str) -> Expected {
        let place = format!("command line: --set {set}");
        Expected {
            case: Case::new("", &["check", "x.toml", "--set", set]).with("x.toml", text),
            says: self.text(&place, ""),
        }
    }
}

/// A configuration that is accepted without a word.
pub(super) fn accepted(text: &str) -> Expected {
    Expected {
        case: Case::text("", text),
        says: String::new(),
    }
}

/// Runs all cases.
///
/// # Panics
///
/// Prints the cases that say something else, and ones that print more than that.
pub(super) fn check(all: Vec<Expected>) {
    let shared = temporary();
    put_shared(shared.path());
    let numbered: Vec<(usize, Expected)> = all.into_iter().enumerate().collect();
    let wrong = each(&numbered, |(number, Expected { case, says })| {
        let done = run(shared.path(), *number, case);
        let code = if says.is_empty() { 0 } else { 2 };
        let is_silent = done.out.is_empty() || says.is_empty();
        if done.code == Some(code) && is_silent && done.err == *says {
            return None;
        }
        let args: Vec<&str> = case.args.iter().map(String::as_str).collect();
        let files = case.files.iter();
        let files: Vec<_> = files
            .map(|(_, bytes)| String::from_utf8_lossy(bytes))
            .collect();
        Some(format!(
            "{}\n{}--- expected: exit {code}\n{says}--- came: {}\n{}{}",
            typed(&args),
            files.concat(),
            done.exit(),
            done.out,
            done.err
        ))
    });
    let wrong: Vec<String> = wrong.into_iter().flatten().collect();
    let shown = &wrong[..wrong.len().min(10)];
    assert!(
        wrong.is_empty(),
        "{} of {} messages break their rule:\n{}",
        wrong.len(),
        numbered.len(),
        shown.join("\n")
    );
}

/// The comparison can fail.
#[test]
#[should_panic(expected = "1 of 2 messages break their rule")]
fn a_broken_rule_is_seen() {
    let refused = Says::found("x").on_the_command_line(SMALL, "traffic.load=0.1");
    check(vec![accepted(SMALL), refused]);
}
