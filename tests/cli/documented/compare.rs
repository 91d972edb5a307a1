//! What is shown of an output, beside what was printed.

/// The lines of an output, without what depends on the host: the line `speed`, the column `seconds` at the end of a
/// table, and the names of files that only some builds write.
pub(crate) fn lines(text: &str) -> Vec<String> {
    let mut is_timed = false;
    let mut lines = Vec::new();
    for line in text.lines() {
        let line = line.trim_end();
        is_timed = !line.is_empty() && (is_timed || line.ends_with("  seconds"));
        let seconds = line
            .rsplit_once(' ')
            .filter(|(_, last)| last.parse::<f64>().is_ok());
        lines.push(match seconds {
            _ if line.starts_with("  speed ") => "  speed".to_owned(),
            Some((before, _)) if is_timed => before.trim_end().to_owned(),
            _ => line.replace("sweep.parquet, ", ""),
        });
    }
    lines
}

/// The lines that are shown and weren't printed, on standard output or standard error, in this order. Lines may be left
/// out, and `…` or `...` stands for any text.
pub(crate) fn missing(shown: &[String], out: &[String], err: &[String]) -> Vec<String> {
    let mut streams = [out, err];
    let mut missing = Vec::new();
    for line in shown.iter().filter(|line| !is_left_out(line)) {
        let mut is_printed = false;
        for left in &mut streams {
            let all: &[String] = left;
            if let Some(at) = all.iter().position(|printed| fits(line, printed)) {
                *left = &all[at + 1..];
                is_printed = true;
                break;
            }
        }
        if !is_printed {
            missing.push(line.clone());
        }
    }
    missing
}

/// The same for a run whose figures depend on the host: only the names of the report's lines are compared, and the lines
/// of text that hold for every such run.
pub(crate) fn missing_names(shown: &[String], out: &[String], err: &[String]) -> Vec<String> {
    let printed: Vec<String> = out
        .iter()
        .chain(err)
        .filter_map(|line| name(line))
        .collect();
    let names = shown.iter().filter_map(|line| name(line));
    names.filter(|name| !printed.contains(name)).collect()
}

/// How wide the names of a report's lines are, with the blanks before them.
const NAME_CHARS: usize = 24;

/// The name of a report's line, or the part of a line that holds for every live run and its replay.
fn name(line: &str) -> Option<String> {
    let always = ["results", "record: ", "the replay agrees with its record"];
    if let Some(begin) = always.into_iter().find(|begin| line.starts_with(begin)) {
        return Some(begin.to_owned());
    }
    let rest = line.strip_prefix("  ")?;
    if rest.starts_with(' ') || is_left_out(line) {
        return None;
    }
    let name: String = line.chars().take(NAME_CHARS).collect();
    Some(name.trim().to_owned())
}

fn is_left_out(line: &str) -> bool {
    matches!(line.trim(), "" | "…" | "...")
}

/// Whether a line is what is shown of it.
fn fits(shown: &str, printed: &str) -> bool {
    let shown = shown.replace("...", "…");
    let mut parts = shown.split('…');
    let first = parts.next().unwrap_or_default();
    let Some(rest) = printed.strip_prefix(first) else {
        return false;
    };
    let Some(last) = parts.next_back() else {
        return rest.is_empty();
    };
    let Some(mut rest) = rest.strip_suffix(last) else {
        return false;
    };
    for part in parts {
        match rest.split_once(part) {
            Some((_, behind)) => rest = behind,
            None => return false,
        }
    }
    true
}

fn owned(lines: &[&str]) -> Vec<String> {
    lines.iter().map(|line| (*line).to_owned()).collect()
}

#[test]
fn a_wrong_line_is_missing() {
    let out =
        lines("results\n  load  1\n  speed   7 M\n\n  n  seconds\n  9     0.25\n\n  last  2\n");
    assert_eq!(
        out,
        owned(&[
            "results",
            "  load  1",
            "  speed",
            "",
            "  n  seconds",
            "  9",
            "",
            "  last  2"
        ])
    );
    let err = owned(&["error: 3 of 4 … failed"]);
    let none: [&str; 0] = [];
    for (shown, wrong) in [
        (&["results", "…", "  last  2"][..], &none[..]),
        (&["  last  2", "results"], &["results"]),
        (&["results", "error: 3 of … failed", "  load  1"], &none),
        (&["  load  1", "  load  1"], &["  load  1"]),
        (&["  load  2"], &["  load  2"]),
        (&["  load"], &["  load"]),
        (&["error: … of 4 ... failed"], &none),
        (&["error: … of 5 ... failed"], &["error: … of 5 ... failed"]),
    ] {
        assert_eq!(missing(&owned(shown), &out, &err), wrong, "{shown:?}");
    }
}

#[test]
fn figures_that_the_host_decides_are_not_compared() {
    let out = owned(&[
        "results",
        "  accepted load          0.1 words",
        "  digest                 12",
    ]);
    let shown = |line: &str| missing_names(&owned(&[line]), &out, &[]);
    assert!(shown("  accepted load          0.2 words").is_empty());
    assert!(shown("packet 3.4 to node 5: output frame 1").is_empty());
    assert_eq!(shown("  accepted              0.2 words"), ["accepted"]);
    assert_eq!(shown("record: run.flog, 3 bytes"), ["record: "]);
}
