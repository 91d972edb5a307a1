//! A contest as text.

use super::{ContestRow, by_panel, by_router};
use crate::seeds::{dash, mean_of};
use flitwork_report::Aligned;
use std::fmt::Write;

/// The table of each panel: for each contender the latency at the lowest load, the highest offered load at which most
/// seeds were steady, the most that was accepted at any load and what was at the highest; and by how much the
/// first beats the others there.
pub(super) fn contest_text(seeds: u32, rows: &[ContestRow]) -> String {
    let mut out =
        format!("loads in words/node/cycle, latency in cycles, {seeds} seeds, ± 95 % intervals\n");
    // Each line has a contender's rows, in the order of the loads.
    let columns = Aligned::<&[ContestRow]>::new()
        .left("router", 22, |it| it[0].router)
        .behind(2)
        .right("latency, low load", 18, |it| {
            dash(it[0].latency_cycles.filter(|_| it[0].steady))
        })
        .right("steady up to", 12, |it| steady_up_to(it))
        .right("most accepted", 18, |it| most_accepted(it))
        .right("at overload", 20, |it| last(it).accepted_load)
        .right("deroutes/hop", 18, |it| dash(last(it).deroutes_per_hop));
    for panel in by_panel(rows) {
        let contenders: Vec<&[ContestRow]> = by_router(panel).collect();
        let (title, table) = (&panel[0].network_and_pattern, columns.text(&contenders));
        let _ = write!(out, "\n{title}\n{table}{}", verdicts(&contenders));
    }
    out
}

/// The row at the highest load.
fn last(rows: &[ContestRow]) -> &ContestRow {
    &rows[rows.len() - 1]
}

/// The highest offered load up to which the runs of most seeds were steady.
fn steady_up_to(rows: &[ContestRow]) -> String {
    let last = rows.iter().take_while(|row| row.steady).last();
    last.map_or("none".into(), |row| format!("{:.3}", row.offered_load.mean))
}

/// The most that was accepted at any load.
fn most_accepted(rows: &[ContestRow]) -> String {
    let accepted = rows.iter().map(|row| row.accepted_load);
    dash(accepted.max_by(|one, other| one.mean.total_cmp(&other.mean)))
}

/// By how much the contender that accepts most at overload beats each other one: differences seed by seed, as
/// parts of the other's.
fn verdicts(contenders: &[&[ContestRow]]) -> String {
    let mut rows: Vec<&ContestRow> = contenders.iter().map(|rows| last(rows)).collect();
    let mean = |row: &ContestRow| {
        let values = &row.accepted_by_seed;
        values.iter().sum::<f64>() / values.len().max(1) as f64
    };
    rows.sort_by(|one, other| mean(other).total_cmp(&mean(one)));
    let Some((best, others)) = rows.split_first() else {
        return String::new();
    };
    let mut out = format!("  {} accepts most at overload:", best.router);
    for other in others {
        let pairs = best.accepted_by_seed.iter().zip(&other.accepted_by_seed);
        let more = mean_of(pairs.map(|(best, value)| 100.0 * (best / value - 1.0)));
        let _ = write!(out, "\n    {more} % more than {}", other.router);
    }
    out.push('\n');
    out
}
