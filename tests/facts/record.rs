//! A file of recorded facts, and the differences from it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;

/// The prefix of a fact's first line; no later line of a fact begins with it.
const MARK: &str = "=== ";

/// The most differences that are printed.
const MOST: usize = 60;

/// The most facts that are named when several differ in the same lines.
const MOST_ALIKE: usize = 3;

/// The most lines of one difference that are printed.
const MOST_LINES: usize = 40;

/// What was run, in one line, and its outcome.
pub(crate) struct Fact {
    pub(crate) done: String,
    /// What is recorded of the outcome.
    pub(crate) came: String,
    /// All of it, where only a part is recorded.
    whole: Option<String>,
}

impl Fact {
    /// A fact, without empty lines at its end.
    pub(crate) fn new(done: impl Into<String>, came: impl Into<String>) -> Fact {
        let (done, came) = (done.into(), came.into());
        assert!(!done.contains('\n'), "not one line: {done}");
        let marked = |line: &str| line.starts_with(MARK);
        assert!(
            !came.lines().any(marked),
            "{done}: a line begins with {MARK:?}\n{came}"
        );
        Fact {
            done,
            came: came.trim_end_matches('\n').to_owned(),
            whole: None,
        }
    }

    /// A fact of whose outcome a part is recorded, with a checksum of the whole.
    pub(crate) fn part(done: impl Into<String>, part: impl Into<String>, whole: String) -> Fact {
        Fact {
            whole: Some(whole),
            ..Fact::new(done, part)
        }
    }

    fn whole_text(&self) -> String {
        let whole = self.whole.as_ref().unwrap_or(&self.came);
        format!("{MARK}{}\n{}\n\n", self.done, whole.trim_end_matches('\n'))
    }
}

/// The folder that `FLITWORK_FACTS_WHOLE` names, for all of what came.
pub(crate) fn whole() -> Option<PathBuf> {
    let folder = PathBuf::from(std::env::var_os("FLITWORK_FACTS_WHOLE")?);
    fs::create_dir_all(&folder).unwrap();
    Some(folder)
}

/// Compares facts with those in a file of `tests/facts/recorded`, or rewrites the file if `FLITWORK_RECORD_FACTS` is
/// set. If `FLITWORK_FACTS_WHOLE` names a folder, all of what came is written to a file of that name there instead.
///
/// # Panics
///
/// Prints the differences.
pub(crate) fn compare(file: &str, facts: &[Fact]) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("tests/facts/recorded")
        .join(file);
    let distinct: BTreeSet<&str> = facts.iter().map(|fact| fact.done.as_str()).collect();
    assert_eq!(
        distinct.len(),
        facts.len(),
        "{file}: two facts with one name"
    );
    if let Some(folder) = whole() {
        let whole: String = facts.iter().map(Fact::whole_text).collect();
        fs::write(folder.join(file), whole).unwrap();
        return;
    }
    if std::env::var_os("FLITWORK_RECORD_FACTS").is_some() {
        let text: String = facts.iter().map(recorded_text).collect();
        fs::write(&path, text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        return;
    }
    let text = fs::read_to_string(&path).unwrap_or_default();
    let differences = differences(&read(&text), facts);
    assert!(
        differences.is_empty(),
        "{} facts differ from tests/facts/recorded/{file}: - recorded, + now\n{}\
         What only a checksum shows: FLITWORK_FACTS_WHOLE=FOLDER writes it, with this program and, as \
         FLITWORK_FACTS_PROGRAM, with the one before\n\
         If this is meant: FLITWORK_RECORD_FACTS=1 cargo test --test facts, and commit the difference\n",
        differences.len(),
        shown(&differences),
    );
}

/// The differences as text; facts that differ in the same lines are shown together.
fn shown(differences: &[(String, String)]) -> String {
    let mut alike: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (done, lines) in differences {
        alike.entry(lines).or_default().push(done);
    }
    let mut shown = String::new();
    for (lines, done) in alike.iter().take(MOST) {
        for name in done.iter().take(MOST_ALIKE) {
            shown += &format!("{name}\n");
        }
        match done.len().saturating_sub(MOST_ALIKE) {
            0 => {}
            more => shown += &format!("  and {more} more facts alike\n"),
        }
        shown += lines;
    }
    match alike.len().saturating_sub(MOST) {
        0 => {}
        more => shown += &format!("and {more} other differences\n"),
    }
    shown
}

fn recorded_text(fact: &Fact) -> String {
    format!("{MARK}{}\n{}\n\n", fact.done, fact.came)
}

/// A file's facts, by what was run.
fn read(text: &str) -> BTreeMap<&str, &str> {
    let text = text.strip_prefix(MARK).unwrap_or(text);
    let separator = format!("\n{MARK}");
    let blocks = text
        .split(separator.as_str())
        .filter(|block| !block.is_empty());
    blocks
        .map(|block| {
            let (done, came) = block.split_once('\n').unwrap_or((block, ""));
            (done, came.trim_end_matches('\n'))
        })
        .collect()
}

/// Each fact that differs from its record, with the lines that differ: in the order of the facts, followed by those
/// that no longer exist.
fn differences(recorded: &BTreeMap<&str, &str>, facts: &[Fact]) -> Vec<(String, String)> {
    let mut left = recorded.clone();
    let mut found = Vec::new();
    for Fact { done, came, .. } in facts {
        match left.remove(done.as_str()) {
            Some(before) if before == came => {}
            Some(before) => found.push((format!("  {done}"), lines_that_differ(before, came))),
            None => found.push((format!("+ {done}"), lines_that_differ("", came))),
        }
    }
    let gone = left
        .iter()
        .map(|(done, before)| (format!("- {done}"), lines_that_differ(before, "")));
    found.extend(gone);
    found
}

/// The lines between the common beginning and the common end of two texts.
fn lines_that_differ(before: &str, after: &str) -> String {
    let (before, after): (Vec<&str>, Vec<&str>) =
        (before.lines().collect(), after.lines().collect());
    let same = |pair: &(&&str, &&str)| pair.0 == pair.1;
    let first = before.iter().zip(&after).take_while(same).count();
    let (before, after) = (&before[first..], &after[first..]);
    let last = before
        .iter()
        .rev()
        .zip(after.iter().rev())
        .take_while(same)
        .count();
    let side = |sign: char, lines: &[&str]| {
        let lines = &lines[..lines.len() - last];
        let more = lines.len().saturating_sub(MOST_LINES);
        let mut text: String = lines
            .iter()
            .take(MOST_LINES)
            .map(|line| format!("    {sign} {line}\n"))
            .collect();
        if more > 0 {
            text += &format!("    {sign} … {more} more lines\n");
        }
        text
    };
    side('-', before) + &side('+', after)
}

/// The comparison can fail: it detects a changed word, a changed line, an added fact and a missing one.
#[test]
fn every_difference_is_seen() {
    let facts = [
        Fact::new("run a", "exit 0\ndigest 1\n"),
        Fact::new("run b", "exit 2"),
    ];
    let text: String = facts.iter().map(recorded_text).collect();
    assert_eq!(differences(&read(&text), &facts), []);
    for (from, to, done, lines) in [
        (
            "digest 1",
            "digest 2",
            "  run a",
            "    - digest 2\n    + digest 1\n",
        ),
        (
            "exit 2",
            "exit 1",
            "  run b",
            "    - exit 1\n    + exit 2\n",
        ),
        (
            "digest 1\n",
            "digest 1\ncycles 3\n",
            "  run a",
            "    - cycles 3\n",
        ),
        ("=== run b\nexit 2\n\n", "", "+ run b", "    + exit 2\n"),
        (
            "=== run a",
            "=== run c\nexit 4\n\n=== run a",
            "- run c",
            "    - exit 4\n",
        ),
    ] {
        let changed = text.replace(from, to);
        assert_ne!(changed, text, "{from}");
        let found = differences(&read(&changed), &facts);
        assert_eq!(
            found,
            [(done.to_owned(), lines.to_owned())],
            "{from} → {to}"
        );
        assert_eq!(shown(&found), format!("{done}\n{lines}"));
    }
    let alike = ["a", "b", "c", "d", "e"].map(|done| (done.to_owned(), "    - x\n".to_owned()));
    assert_eq!(
        shown(&alike),
        "a\nb\nc\n  and 2 more facts alike\n    - x\n"
    );
}
