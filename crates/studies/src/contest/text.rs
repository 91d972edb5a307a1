//! A contest in words.

use super::{Contest, ContestRow, LEVEL};
use flitwork_measure::Estimate;
use std::fmt::Write;

/// The table of each panel: for each contender the latency at the lowest load, the highest offered load at which most
/// seeds were steady, the most that was accepted at any load and what was at the highest; and by how much the
/// first beats the others there.
pub(super) fn contest_text(asked: &Contest, rows: &[ContestRow]) -> String {
    let mut out = format!(
        "loads in words/node/cycle, latency in cycles, {} seeds, ± 95 % intervals\n",
        asked.seeds
    );
    for (place, panel) in asked.panels.iter().enumerate() {
        let _ = writeln!(out, "\n{}", panel.title);
        let _ = writeln!(
            out,
            "  {:<22} {:>18} {:>12} {:>18} {:>20} {:>18}",
            "router",
            "latency, low load",
            "steady up to",
            "most accepted",
            "at overload",
            "deroutes/hop"
        );
        let mut throughputs = Vec::new();
        for (contender, it) in asked.contenders.iter().enumerate() {
            let own = rows
                .iter()
                .filter(|row| row.panel == place && row.contender == contender);
            let own: Vec<&ContestRow> = own.collect();
            let (Some(first), Some(last)) = (own.first(), own.last()) else {
                continue;
            };
            let latency = first
                .latency_cycles
                .as_ref()
                .filter(|_| first.steady)
                .map_or("-".into(), Estimate::to_string);
            let deroutes = last
                .deroutes_per_hop
                .as_ref()
                .map_or("-".into(), Estimate::to_string);
            let _ = writeln!(
                out,
                "  {:<22} {:>18} {:>12} {:>18} {:>20} {:>18}",
                it.name,
                latency,
                steady_up_to(&own),
                most_accepted(&own),
                last.accepted_load.to_string(),
                deroutes,
            );
            throughputs.push((it.name.as_str(), &last.accepted_by_seed));
        }
        out += &verdicts(&mut throughputs);
    }
    out
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
fn verdicts(throughputs: &mut [(&str, &Vec<f64>)]) -> String {
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

/// All rows, as CSV.
pub(super) fn contest_csv(rows: &[ContestRow]) -> String {
    let mut out = String::from(
        "network_and_pattern,router,configured_load_words_per_node_cycle,offered_load_words_per_node_cycle,\
         offered_half_width,accepted_load_words_per_node_cycle,accepted_half_width,steady,latency_cycles,\
         latency_half_width,deroutes_per_hop,deroutes_half_width,steady_seeds,saturated_seeds,failed_seeds\n",
    );
    for row in rows {
        let cells = |estimate: Option<&Estimate>| {
            let mean = estimate.map_or(String::new(), |it| it.mean.to_string());
            let half = estimate.and_then(|it| it.half_width);
            format!(
                "{mean},{}",
                half.map_or(String::new(), |half| half.to_string())
            )
        };
        let _ = writeln!(
            out,
            "\"{}\",\"{}\",{},{},{},{},{},{},{},{},{}",
            row.network_and_pattern,
            row.router,
            row.configured_load,
            cells(Some(&row.offered_load)),
            cells(Some(&row.accepted_load)),
            row.steady,
            cells(row.latency_cycles.as_ref()),
            cells(row.deroutes_per_hop.as_ref()),
            row.steady_seeds,
            row.saturated_seeds,
            row.failed_seeds
        );
    }
    out
}
