//! Packets that go to their destinations at once.

use super::Unloaded;
use super::demand::Demand;
use super::ways::{Leg, Ways};
use crate::routing::dependencies::Watch;
use flitwork_types::NodeId;

/// Adds what they put on links.
pub(super) fn add(
    ways: &mut Ways<'_>,
    demand: &Demand,
    links: &mut [f64],
    watch: &mut Watch<'_>,
) -> Result<(), Unloaded> {
    let by_terminal = ways.by_terminal();
    let goals = demand.goals(by_terminal);
    let single = demand.by_goal(by_terminal);
    let mut single = single.as_slice();
    let has_alike = demand.has_alike();
    for (done, goal) in goals.iter().enumerate() {
        if watch(done as u32, goals.len() as u32).is_break() {
            return Err(Unloaded::Stopped);
        }
        let count = single.iter().take_while(|it| it.0 == *goal).count();
        let (own, rest) = single.split_at(count);
        single = rest;
        if !has_alike && own.is_empty() {
            continue;
        }
        ways.begin(*goal, Leg::Last);
        let mut entered = Vec::new();
        if has_alike {
            let receivers = demand.receivers(*goal);
            for (node, words) in (0..).map(NodeId).zip(&demand.alike) {
                if *words != 0.0 && node != goal.node {
                    entered.push((ways.enter(node)?, words * receivers));
                }
            }
        }
        for (_, from, words) in own {
            entered.push((ways.enter(*from)?, *words));
        }
        let mut words = vec![0.0; ways.places()];
        entered
            .iter()
            .for_each(|(place, more)| words[*place] += more);
        ways.flow(words, links);
    }
    Ok(())
}
