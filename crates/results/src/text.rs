//! The figures of a run, for a terminal.

use super::figures::figures;
use super::lines::{Section, counts_terminals};
use super::{FailureKind, Results, Status};
use flitwork_report::{Lines, line, named_lines};

/// The report, at most 80 columns wide except for names and paths.
pub fn text(results: &Results) -> String {
    let head = match results.status {
        Status::Complete => "results",
        Status::Partial => "results (PARTIAL: the run was interrupted)",
        Status::Failed if is_early(results) => {
            "results (FAILED: the run ended before its packets were delivered)"
        }
        Status::Failed => "results (FAILED: packets could not be delivered)",
    };
    let mut shown: Vec<(Section, Lines)> = figures()
        .iter()
        .filter_map(|it| it.lines(results))
        .collect();
    shown.sort_by_key(|(part, _)| *part);
    let shown = shown.into_iter().flat_map(|(_, lines)| lines);
    let lines = named_lines(nodes(results).into_iter().chain(shown));
    format!(
        "{head}\n{lines}\nresolved configuration\n{}",
        indent(&results.configuration)
    )
}

/// Whether the run's only fault is that it ended too early.
fn is_early(results: &Results) -> bool {
    let failure = results.failure.as_ref();
    failure.is_some_and(|failure| failure.kind == FailureKind::Deadline)
}

/// How many nodes there are, and terminals, where these differ.
fn nodes(results: &Results) -> Option<(String, String)> {
    let Results {
        nodes, terminals, ..
    } = results;
    counts_terminals(results).then(|| line("nodes", format!("{nodes}, with {terminals} terminals")))
}

fn indent(text: &str) -> String {
    text.lines()
        .map(|line| match line {
            "" => "\n".into(),
            _ => format!("  {line}\n"),
        })
        .collect()
}
