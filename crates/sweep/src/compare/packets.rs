//! Whether two configurations see the same packets.
//!
//! Sources draw by (seed, terminal), each from its own stream, so equal traffic on as many nodes gives the same
//! packets whatever the router does. Nothing is assumed here: the packets of both are generated and compared.

use flitwork_config::Resolved;
use flitwork_experiment::simulate::demand;
use flitwork_traffic::{Birth, Workload};
use flitwork_types::{Cycle, TerminalId};

/// The most packets of a source that are compared, and of all sources.
const MOST_OF_SOURCE: usize = 10_000;
const MOST: usize = 1_000_000;

/// Why both don't see the same packets, where they don't.
pub(super) fn difference(a: &Resolved, b: &Resolved) -> Option<String> {
    let nodes = (a.network.nodes(), b.network.nodes());
    if nodes.0 != nodes.1 {
        return Some(format!("A has {} nodes and B has {}", nodes.0, nodes.1));
    }
    let (mut of_a, mut of_b) = (demand(a).workload, demand(b).workload);
    if !(of_a.foresees() && of_b.foresees()) {
        return Some("what sources make depends on what is delivered".into());
    }
    let until = Cycle(made_until(a).min(made_until(b)));
    let most = (MOST / nodes.0.max(1) as usize).clamp(1, MOST_OF_SOURCE);
    let terminals = [a, b].map(|it| it.network.terminals());
    let mut sources = (0..terminals[0].max(terminals[1])).map(TerminalId);
    sources.find_map(|source| {
        let (a, b) = (
            births(&mut *of_a, source, until, most),
            births(&mut *of_b, source, until, most),
        );
        let place = (0..a.len().max(b.len())).find(|place| a.get(*place) != b.get(*place))?;
        Some(format!(
            "packet {place} of node {} is {} in A and {} in B",
            source.0,
            shown(a.get(place)),
            shown(b.get(place))
        ))
    })
}

/// Sources of open-loop traffic create packets before this cycle.
fn made_until(resolved: &Resolved) -> u32 {
    let run = &resolved.run;
    match run.measure_cycles {
        0 => u32::MAX,
        cycles => run.warmup_cycles.saturating_add(cycles),
    }
}

fn births(
    workload: &mut dyn Workload,
    source: TerminalId,
    until: Cycle,
    most: usize,
) -> Vec<Birth> {
    let all = std::iter::from_fn(|| workload.next(source, Cycle::ZERO).packet());
    all.take_while(|birth| birth.created < until)
        .take(most)
        .collect()
}

fn shown(birth: Option<&Birth>) -> String {
    birth.map_or("none".into(), |birth| {
        let Birth {
            created,
            destination,
            words,
            ..
        } = birth;
        format!(
            "of {words} words to node {} in cycle {}",
            destination.0,
            created.get()
        )
    })
}

#[cfg(test)]
mod tests;
