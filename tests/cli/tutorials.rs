//! The tutorials of the book: their commands run as they are written, and what is quoted is what they print.

use std::fs;
use std::path::Path;
use std::process::Command;

/// What is between two quotes, without marks.
fn plain(quote: &str) -> String {
    let text = quote.replace("&nbsp;", " ").replace(['*', '\\'], " ");
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// What `flitwork` prints, its spaces made one.
fn printed(root: &Path, command: &str) -> String {
    let args = command.split(' ').skip(1);
    // Conditions are in quotes.
    let mut whole: Vec<String> = Vec::new();
    let mut is_open = false;
    for word in args {
        let bare = word.trim_matches('\'');
        match is_open {
            true => whole.last_mut().unwrap().extend([" ", bare]),
            false => whole.push(bare.to_owned()),
        }
        is_open ^= word.matches('\'').count() % 2 == 1;
    }
    let done = Command::new(env!("CARGO_BIN_EXE_flitwork"))
        .args(&whole)
        .current_dir(root)
        .output()
        .unwrap();
    let hangs = command == "flitwork run configs/deadlock.toml";
    let expected = if hangs { 3 } else { 0 };
    let text = [done.stdout, done.stderr].concat();
    let text = String::from_utf8(text).unwrap();
    assert_eq!(done.status.code(), Some(expected), "{command}: {text}");
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn commands_print_what_is_quoted() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = fs::read_to_string(root.join("docs/src/tutorials.md")).unwrap();
    let (mut answer, mut is_code) = (String::new(), false);
    let (mut commands, mut quotes) = (0, 0);
    for line in page.lines() {
        if line.starts_with("```") {
            is_code = !is_code;
            if is_code {
                answer.clear();
            }
        } else if is_code {
            answer += &printed(root, line);
            commands += 1;
        } else if let Some(quote) = line.strip_prefix("> ") {
            for part in plain(quote).split('…') {
                let part = part.trim();
                assert!(answer.contains(part), "{part:?} isn't in: {answer}");
                quotes += 1;
            }
        }
    }
    assert!(commands >= 11 && quotes >= 10, "{commands}, {quotes}");
}
