//! `[clocks]`: clocks that wander and change.

use super::clocks::{clocked, clocks, oscillators, with};
use super::{message, right};
use flitwork_network::*;

#[test]
fn clocks_wander_within_a_bound_or_without() {
    let keys = "wander_ps = 9\nwander_bound_ps = 40\n\
        [[clocks.islands]]\nnodes = [1]\nperiod_ps = 800\nwander_ps = 3";
    let resolved = clocked(&format!("[clocks]\n{keys}"));
    let drawn = oscillators(&resolved.clocks());
    let wander = |most_ps, bound_ps| Wander { most_ps, bound_ps };
    assert_eq!(drawn[0].wander, Some(wander(9, Some(40))));
    assert_eq!(drawn[1].wander, Some(wander(3, None)));
    let clocks = resolved.clocks();
    assert!(!clocks.share(0, 2) && clocks.share(2, 2));
    // The slowest receiver, the fastest sender: 2 * (1000 + 3 * 1009) / 797 = 10.1.
    assert_eq!(resolved.network.links.capacity_words, 11 + 2);
}

#[test]
fn changes_are_those_of_all_clocks_or_of_islands_or_of_nodes() {
    let keys = "domains = \"blocks\"\nblock_sides = [2, 2]\nspread = \"uniform\"\nspread_percent = 30\ndrift_ppm = 9\n\
        [[clocks.islands]]\nnodes = [0, 1]\nperiod_ps = 800\ndrift_ppm = 7\n\
        [[clocks.changes]]\nat_ps = 5000\nnodes = [2, 10]\ngated = true\n\
        [[clocks.changes]]\nat_ps = 9000\nperiod_ps = 700\n\
        [[clocks.changes]]\nat_ps = 10\nislands = [0]\nperiod_ps = 600\n\
        [[clocks.changes]]\nat_ps = 11\nnodes = [1]\ngated = true\n";
    let resolved = clocked(&format!("[clocks]\n{keys}"));
    let clocks = resolved.clocks();
    let drawn = oscillators(&clocks);
    let of = |node: usize| &drawn[clocks.domain_of[node] as usize];
    let changes = |node: usize| -> Vec<(u64, Option<u64>)> {
        let changes = of(node).changes().iter();
        let change = changes.map(|change| (change.at_ps, change.rate.map(|rate| rate.period_ps)));
        change.collect()
    };
    let all = (9000, Some(700));
    assert_eq!(changes(0), [(10, Some(600)), (11, None), all]);
    // Nodes 2, 3, 6 and 7 are a block, and 4 and 5 the rest of another.
    assert_eq!(changes(7), [(5000, None), all]);
    assert_eq!(changes(4), [all]);
    // A drift is up to 9 ppm. What a drawn period has beyond whole ps is in the drift only before a change.
    for node in 0..16 {
        let rates = of(node).changes().iter().filter_map(|change| change.rate);
        let drifts: Vec<i32> = rates.map(|rate| rate.drift_ppb).collect();
        let is_same = drifts.iter().all(|drift| *drift == drifts[0]);
        assert!(is_same && drifts[0].abs() <= 9000, "{drifts:?}");
        assert_eq!(drifts[0] == 7000, node < 2);
    }
    // An island and the block's other nodes are different clocks, and so are blocks that change alike.
    assert!(!clocks.share(0, 1));
}

/// Equal clocks with equal changes are one.
#[test]
fn clocks_that_change_alike_count_as_one() {
    let change = |rest: &str| format!("[[clocks.changes]]\nat_ps = 50\n{rest}\n");
    let both = change("nodes = [3, 7]\nperiod_ps = 300");
    let clocks = clocks(&format!(
        "{both}[[clocks.changes]]\nat_ps = 70\ngated = true\nnodes = [5]"
    ));
    assert!(clocks.share(3, 7) && clocks.share(0, 1));
    assert!(!clocks.share(0, 3) && !clocks.share(0, 5) && !clocks.share(3, 5));
}

/// All changes count in the words of a round trip, and so does the time for which a clock is gated.
#[test]
fn the_round_trip_knows_all_periods_and_gates() {
    let tables = |changes: &[&str]| {
        let each = changes.iter().copied();
        let each = each.map(|keys| format!("[[clocks.changes]]\n{keys}\n"));
        with(&format!(
            "[run]\nengine = \"clocked\"\n{}",
            each.collect::<String>()
        ))
    };
    let words = |text: &str| right(text).network.links.capacity_words;
    // A router without buffers.
    let capacity =
        |changes: &[&str]| words(&tables(changes).replace("router.chaos", "router.greedy-hp"));
    // 2 * (1000 + 3 * 4000) / 250.
    let both = [
        "at_ps = 1\nperiod_ps = 250\nnodes = [1]",
        "at_ps = 1\nperiod_ps = 4000\nnodes = [2]",
    ];
    assert_eq!(capacity(&both), 104 + 2);
    // The same where every clock has both of them in turn, in either order, and whatever its first period.
    let (fast, slow) = ("period_ps = 250", "period_ps = 4000");
    for (first, then) in [(fast, slow), (slow, fast)] {
        let in_turn = [format!("at_ps = 1\n{first}"), format!("at_ps = 2\n{then}")];
        let in_turn = in_turn.each_ref().map(String::as_str);
        assert_eq!(capacity(&in_turn), 104 + 2, "{first}, then {then}");
    }
    // 2 * (1000 + 3 * 1000 + 7000) / 1000.
    let gate = |from: u64, until: u64| {
        [
            format!("at_ps = {from}\ngated = true"),
            format!("at_ps = {until}\nperiod_ps = 1000"),
        ]
    };
    let gates = [gate(50_000, 57_000), gate(70_000, 72_000)].concat();
    let gates: Vec<&str> = gates.iter().map(String::as_str).collect();
    assert_eq!(capacity(&gates[..2]), 22 + 2);
    // Three steps may have both: 2 * (1000 + 3 * 1000 + 9000) / 1000.
    assert_eq!(capacity(&gates), 26 + 2);
    // One that is gated for good never takes anything again.
    assert_eq!(capacity(&["at_ps = 50_000\ngated = true"]), 8 + 2);
    // Two ticks may be as near as 11 ps: 2 * (1000 + 3 * 1000 + 10) / 11 = 729.1.
    let short = gate(50_000, 50_010);
    assert_eq!(capacity(&[&short[0], &short[1]]), 730 + 2);
    // Credits are enough, however long a clock is gated.
    assert_eq!(words(&tables(&both)), 104 + 2);
    assert_eq!(words(&tables(&gates)), 8 + 2);
    // For routers without buffers a gate may be too long: 2 * (1000 + 3 * 1000 + 50_000_000) / 1000.
    let long = gate(50_000, 50_050_000);
    let text = tables(&[&long[0], &long[1]]).replace("router.chaos", "router.greedy-hp");
    let refused = message(&text);
    let expected = "network.link_capacity_words would be at least 100010\n";
    assert!(refused.contains(expected), "{refused}");
}
