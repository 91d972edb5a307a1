//! A contest as text.

use super::tuning::{AGAINST, Candidate};
use super::{ContestRow, by_panel, by_router};
use crate::axes::base_text;
use crate::options::Repeats;
use crate::seeds::{counted, dash};
use crate::seen::{self, Of};
use flitwork_report::Aligned;
use std::fmt::Write;

/// The tables of each panel: for each contender the latency at the lowest load, the highest offered load at which most
/// seeds were steady, the most that was accepted at any load and what was at the highest; who was served at the highest; and by how
/// much the first beats the others there.
pub(super) fn contest_text(
    repeats: &Repeats<5>,
    reference: Option<&str>,
    rows: &[ContestRow],
) -> String {
    let seeds = counted(repeats.seeds as usize, "seed");
    let mut out =
        format!("loads in words/node/cycle, latency in cycles, {seeds}, ± 95 % intervals\n");
    out += &base_text([""; 0], &repeats.set);
    // Each line has a contender's rows, in the order of the loads.
    let columns = Aligned::<&[ContestRow]>::new()
        .left("router", 24, |it| it[0].router)
        .behind(2)
        .right("latency, low load", 18, |it| {
            dash(seen::latency(&it[0].runs).filter(|_| it[0].is_steady()))
        })
        .right("steady up to", 12, |it| steady_up_to(it))
        .right("most accepted", 18, |it| most_accepted(it))
        .right("at overload", 20, |it| last(it).accepted());
    let served = Aligned::<&[ContestRow]>::new()
        .left("at overload", 24, |it| it[0].router)
        .behind(2)
        .right("deroutes/hop", 18, |it| {
            at_last(it, |run| run.deroutes_per_hop)
        })
        .right("Jain, sources", 18, |it| at_last(it, |run| run.source_jain))
        .right("worst source/mean", 18, |it| {
            at_last(it, |run| run.worst_source)
        })
        .right("longest wait", 15, |it| at_last(it, |run| run.longest_wait));
    for panel in by_panel(rows) {
        let contenders: Vec<&[ContestRow]> = by_router(panel).collect();
        let title = &panel[0].network_and_pattern;
        let (loads, served) = (columns.text(&contenders), served.text(&contenders));
        let (drifts, verdicts) = (drifts(&contenders), verdicts(&contenders, reference));
        let _ = write!(out, "\n{title}\n{loads}\n{served}{drifts}{verdicts}");
        if !panel[0].candidates.is_empty() {
            out += &tuned(&contenders);
        }
    }
    out
}

/// How the contenders are built, and the candidates that no other beats.
fn tuned(contenders: &[&[ContestRow]]) -> String {
    let columns = Aligned::<&[ContestRow]>::new()
        .left("  built as", 24, |it| format!("  {}", it[0].router))
        .right("words/node", 10, |it| dash(it[0].choice.buffer_words))
        .right("cycles/hop", 10, |it| dash(it[0].choice.hop_cycles))
        .right("", 1, |_| "")
        .left("", 58, |it| it[0].choice.label.clone());
    let candidates = &contenders[0][0].candidates;
    let fronts = AGAINST.map(|it| {
        let (name, shown) = (it.name, it.shown);
        let title = format!("  by {name}");
        let columns = Aligned::<&Candidate>::new()
            .left(&title, 24, |it| format!("  {}", it.router))
            .left("", 58, |it| it.choice.label.clone())
            .right("accepted", 10, |it| format!("{:.4}", it.throughput()))
            .right(it.title, 18, |it| format!("{:.3}", shown(it)));
        format!(
            "\n  candidates that no other beats in throughput and {name}:\n{}",
            columns.text(&it.front(candidates))
        )
    });
    format!("\n{}{}", columns.text(contenders), fronts.concat())
}

/// A figure at the highest load.
fn at_last(rows: &[ContestRow], of: Of) -> String {
    dash(seen::over(&last(rows).runs, of))
}

/// The contenders whose throughput at overload changes from the first half of the window to the second.
fn drifts(contenders: &[&[ContestRow]]) -> String {
    let mut out = String::new();
    for rows in contenders {
        let change = seen::over(&last(rows).runs, |run| run.change);
        if let Some(change) = change.filter(|it| seen::differs(*it, seen::MATERIAL)) {
            let (router, change) = (rows[0].router, change.scaled(100.0));
            let _ = writeln!(
                out,
                "  {router} drifts at overload: {change} % in the second half of the window"
            );
        }
    }
    out
}

/// The row at the highest load.
fn last(rows: &[ContestRow]) -> &ContestRow {
    &rows[rows.len() - 1]
}

/// The highest offered load up to which the runs of most seeds were steady.
fn steady_up_to(rows: &[ContestRow]) -> String {
    let last = rows.iter().take_while(|row| row.is_steady()).last();
    last.map_or("none".into(), |row| format!("{:.3}", row.offered().mean))
}

/// The most that was accepted at any load.
fn most_accepted(rows: &[ContestRow]) -> String {
    let accepted = rows.iter().map(ContestRow::accepted);
    dash(accepted.max_by(|one, other| one.mean.total_cmp(&other.mean)))
}

/// By how much the contender that accepts most at overload beats each other one, or by how much each differs from the reference: seed by
/// seed, as parts of the other's.
fn verdicts(contenders: &[&[ContestRow]], reference: Option<&str>) -> String {
    let mut rows: Vec<&ContestRow> = contenders.iter().map(|rows| last(rows)).collect();
    let more = |row: &ContestRow, than: &ContestRow| {
        let more = seen::more(&row.runs, &than.runs, |run| run.accepted);
        more.map(|it| it.scaled(100.0))
    };
    if let Some(place) = rows.iter().position(|row| Some(row.router) == reference) {
        let reference = rows.remove(place);
        let mut out = format!("  accepted at overload, against {}:\n", reference.router);
        for row in rows {
            let more = more(row, reference);
            let sign = more.filter(|it| it.mean >= 0.0).map_or("", |_| "+");
            let _ = writeln!(out, "    {sign}{} % {}", dash(more), row.router);
        }
        return out;
    }
    let mean = |row: &ContestRow| row.accepted().mean;
    rows.sort_by(|one, other| mean(other).total_cmp(&mean(one)));
    let Some((best, others)) = rows.split_first().filter(|it| !it.1.is_empty()) else {
        return String::new();
    };
    let mut out = format!("  {} accepts most at overload:\n", best.router);
    for other in others {
        let _ = writeln!(
            out,
            "    {} % more than {}",
            dash(more(best, other)),
            other.router
        );
    }
    out
}
