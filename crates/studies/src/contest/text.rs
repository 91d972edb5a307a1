//! A contest as text.

use super::{Contest, ContestRow, LEVEL};
use flitwork_measure::Estimate;
use flitwork_report::Aligned;
use std::fmt::Write;

/// The table of each panel: for each contender the latency at the lowest load, the highest offered load at which most
/// seeds were steady, the most that was accepted at any load and what was at the highest; and by how much the
/// first beats the others there.
pub(super) fn contest_text(asked: &Contest, rows: &[ContestRow]) -> String {
    let mut out = format!(
        "loads in words/node/cycle, latency in cycles, {} seeds, ± 95 % intervals\n",
        asked.seeds
    );
    let dash = |shown: Option<Estimate>| shown.map_or("-".to_owned(), |it| it.to_string());
    let columns = Aligned::<Standing<'_>>::new()
        .left("router", 22, |it| it.name)
        .behind(2)
        .right("latency, low load", 18, |it| {
            dash(it.first.latency_cycles.filter(|_| it.first.steady))
        })
        .right("steady up to", 12, |it| steady_up_to(&it.rows))
        .right("most accepted", 18, |it| most_accepted(&it.rows))
        .right("at overload", 20, |it| it.last.accepted_load)
        .right("deroutes/hop", 18, |it| dash(it.last.deroutes_per_hop));
    for (place, panel) in asked.panels.iter().enumerate() {
        let contenders = asked.contenders.iter().enumerate();
        let standings: Vec<Standing<'_>> = contenders
            .filter_map(|(contender, it)| {
                let own = |row: &&ContestRow| (row.panel, row.contender) == (place, contender);
                Standing::of(&it.name, rows.iter().filter(own).collect())
            })
            .collect();
        let table = columns.text(&standings);
        let _ = write!(out, "\n{}\n{table}{}", panel.title, verdicts(&standings));
    }
    out
}

/// A contender in a panel: its rows, in the order of the loads.
struct Standing<'a> {
    name: &'a str,
    first: &'a ContestRow,
    last: &'a ContestRow,
    rows: Vec<&'a ContestRow>,
}

impl<'a> Standing<'a> {
    fn of(name: &'a str, rows: Vec<&'a ContestRow>) -> Option<Standing<'a>> {
        let (first, last) = (*rows.first()?, *rows.last()?);
        Some(Standing {
            name,
            first,
            last,
            rows,
        })
    }
}

/// The highest offered load up to which the runs of most seeds were steady.
fn steady_up_to(rows: &[&ContestRow]) -> String {
    let last = rows.iter().take_while(|row| row.steady).last();
    last.map_or("none".into(), |row| format!("{:.3}", row.offered_load.mean))
}

/// The most that was accepted at any load.
fn most_accepted(rows: &[&ContestRow]) -> String {
    let accepted = rows.iter().map(|row| row.accepted_load);
    let most = accepted.max_by(|one, other| one.mean.total_cmp(&other.mean));
    most.map_or("-".into(), |most| most.to_string())
}

/// By how much the contender that accepts most at overload beats each other one: differences seed by seed, as
/// parts of the other's.
fn verdicts(standings: &[Standing<'_>]) -> String {
    let throughputs = standings.iter();
    let mut throughputs: Vec<(&str, &Vec<f64>)> = throughputs
        .map(|it| (it.name, &it.last.accepted_by_seed))
        .collect();
    let mean = |values: &Vec<f64>| values.iter().sum::<f64>() / values.len().max(1) as f64;
    throughputs.sort_by(|one, other| mean(other.1).total_cmp(&mean(one.1)));
    let Some(((winner, best), others)) = throughputs.split_first() else {
        return String::new();
    };
    let mut out = format!("  {winner} accepts most at overload:");
    for (name, values) in others {
        let parts: Vec<f64> = best
            .iter()
            .zip(values.iter())
            .map(|(best, value)| 100.0 * (best / value - 1.0))
            .collect();
        let more = Estimate::of_independent(&parts, LEVEL);
        let _ = write!(out, "\n    {more} % more than {name}");
    }
    out.push('\n');
    out
}
