//! `[clocks]`, the timing of links and `[live]`: what is refused.

use super::clocks::with;
use super::{message, message_by_clocked, right_by_clocked, short_with};

/// Each case: further lines from line 7 on, and how a message begins. There may be other messages: the mistake may be
/// everything that its table has.
pub(super) fn check(cases: &[(&str, &str)]) {
    for (tables, expected) in cases {
        let message = message_by_clocked(&with(tables));
        let mut firsts = message.lines().filter_map(|line| {
            let line = line.strip_prefix("error: ").unwrap_or(line);
            line.strip_prefix("x.toml:")
        });
        assert!(
            firsts.any(|first| first == *expected),
            "{tables:?} gives\n{message}"
        );
        assert!(message.contains("\n  allowed: "), "{message}");
    }
}

#[test]
#[rustfmt::skip]
fn single_values_are_refused_with_their_place() {
    check(&[
        ("[clocks]\nperiod_ps = 0", "8:13: clocks.period_ps is 0"),
        ("[clocks]\nperiod_ps = 1_000_000_001", "8:13: clocks.period_ps is 1_000_000_001"),
        ("[clocks]\nperiod_ps = 1.5", "8:13: clocks.period_ps is 1.5"),
        ("[clocks]\nspread = \"gauss\"", "8:10: clocks.spread is \"gauss\""),
        ("[clocks]\nspread_percent = 100", "8:18: clocks.spread_percent is 100"),
        ("[clocks]\nspread_percent = 1e2", "8:18: clocks.spread_percent is 1e2"),
        ("[clocks]\nspread_percent = -0.1", "8:18: clocks.spread_percent is -0.1"),
        ("[clocks]\nspread_percent = nan", "8:18: clocks.spread_percent is nan"),
        ("[clocks]\nphase = 0", "8:9: clocks.phase is 0"),
        ("[clocks]\ndrift_ppm = 100_001", "8:13: clocks.drift_ppm is 100_001"),
        ("[clocks]\ndrift_ppm = -1", "8:13: clocks.drift_ppm is -1"),
        ("[clocks]\njitter_ps = -1", "8:13: clocks.jitter_ps is -1"),
        ("[clocks]\nblock_sides = [0, 1]", "8:16: clocks.block_sides[0] is 0"),
        ("[clocks]\nperiod = 3", "8:1: unknown key clocks.period"),
        ("[clock]", "7:2: unknown table clock"),
        ("[[clocks]]", "7:1: clocks is a list of tables"),
        ("[clocks.self-timed]\nword_ps = 0", "8:11: clocks.self-timed.word_ps is 0"),
        ("[clocks.self-timed]\nword_ps = \"3\"", "8:11: clocks.self-timed.word_ps is \"3\""),
        ("[clocks.self-timed]\nidle_ps = [1, 2]", "8:1: unknown key clocks.self-timed.idle_ps"),
        ("[clocks.self-timed]\nword_law = \"poisson\"", "8:12: clocks.self-timed.word_law is \"poisson\""),
        ("[clocks.self-timed]\ncorner_percent = -99.5", "8:18: clocks.self-timed.corner_percent is -99.5"),
        ("[clocks.self-timed]\ncount_ps = -1", "8:12: clocks.self-timed.count_ps is -1"),
        ("[clocks.arbiter]\ntau_ps = 0", "8:10: clocks.arbiter.tau_ps is 0"),
        ("[clocks.self-timed]\nword_ps = [3]", "8:11: clocks.self-timed.word_ps has 1 entry"),
        ("[clocks.self-timed]\nword_ps = []", "8:11: clocks.self-timed.word_ps is an empty list"),
        ("[clocks.self-timed]\nword_ps = [1, 2, 3]", "8:11: clocks.self-timed.word_ps has 3 entries"),
        ("[clocks.self-timed]\nword_ps = [0, 2]", "8:12: clocks.self-timed.word_ps[0] is 0"),
        ("[clocks.self-timed]\nword_ps = [3, 2]", "8:11: clocks.self-timed.word_ps is [3, 2]"),
        ("[clocks.self-timed]\nword_ps = [1, 1_000_000_001]", "8:15: clocks.self-timed.word_ps[1] is 1_000_000_001"),
        ("[clocks.self_timed]", "7:9: unknown table clocks.self_timed"),
        ("[live]\nruntime = \"async\"", "8:11: live.runtime is \"async\""),
        ("[live]\nslack = -1", "8:9: live.slack is -1"),
        ("[live]\nslack = 1_000_001", "8:9: live.slack is 1_000_001"),
        ("[live]\nslack = \"nome\"", "8:9: live.slack is \"nome\""),
        ("[live]\nslack = \"16\"", "8:9: live.slack is \"16\""),
        ("[live]\nslack = 1.0", "8:9: live.slack is 1.0"),
        ("[live]\nworkers = 0", "8:11: live.workers is 0"),
        ("[live]\nworkers = 1025", "8:11: live.workers is 1025"),
        ("[live]\nchannel_capacity = 65537", "8:20: live.channel_capacity is 65537"),
        ("[live]\nburst_cycles = 4097", "8:16: live.burst_cycles is 4097"),
        ("[live]\npinning = 1", "8:11: live.pinning is 1"),
    ]);
    let engine = message(&with("[run]\nengine = \"clock\""));
    assert!(engine.starts_with("x.toml:8:10: run.engine is \"clock\"\n"), "{engine}");
    let network = |key: &str| message_by_clocked(&short_with("[4, 4]", &format!("[4, 4]\n{key}")));
    for key in ["link_latency_ps = 0", "link_capacity_words = 0", "link_capacity_words = 65536", "synchronizer_edges = 17"] {
        let message = network(key);
        assert!(message.contains(&format!(": network.{}\n", key.replace('=', "is"))) && message.starts_with("x.toml:4:"), "{message}");
    }
}

#[test]
#[rustfmt::skip]
fn values_beside_others_are_refused_with_their_place() {
    check(&[
        ("[clocks]\nspread = \"normal\"", "8:10: clocks.spread_percent is missing"),
        ("[clocks]\nspread_percent = 3", "8:18: clocks.spread_percent is 3"),
        ("[clocks]\nblock_sides = [4, 4]", "8:15: clocks.block_sides is [4, 4]"),
        ("[clocks]\ndomains = \"blocks\"\nblock_sides = [4]", "9:15: clocks.block_sides is [4]"),
        ("[clocks]\njitter_ps = 1000", "8:13: clocks.jitter_ps is 1000"),
        ("[clocks]\njitter_ps = 999\ndrift_ppm = 1", "8:13: clocks.jitter_ps is 999"),
        ("[clocks]\njitter_ps = 951\nspread = \"uniform\"\nspread_percent = 10", "8:13: clocks.jitter_ps is 951"),
        ("[clocks.self-timed]\nword_ps = [1, 2]", "7:1: clocks.self-timed.decision_ps is missing"),
        ("[clocks.self-timed]\nword_ps = 3\nword_law = \"data\"\ndecision_ps = 1", "9:12: clocks.self-timed.word_law is \"data\""),
        ("[clocks.self-timed]\nword_ps = 3\ndecision_ps = 1\ncredit_law = \"data\"", "10:14: clocks.self-timed.credit_law is \"data\""),
        ("[clocks.self-timed]\nword_ps = 3\ndecision_ps = 1\nspread_percent = 5", "10:18: clocks.self-timed.spread_percent is 5"),
        ("[clocks.self-timed]\nword_ps = 3\ndecision_ps = 1\nspread = \"normal\"", "10:10: clocks.self-timed.spread_percent is missing"),
        ("[clocks.arbiter]\nwindow_ps = 1\ntau_ps = 1", "7:1: clocks.arbiter is given"),
        ("[clocks.self-timed]\nword_ps = 3\ndecision_ps = 1\n[clocks.arbiter]\nwindow_ps = 1", "10:1: clocks.arbiter.tau_ps is missing"),
        ("[clocks]\nperiod_ps = 1_000_000_000\nspread = \"normal\"\nspread_percent = 99\n[run]\nmeasure_cycles = 3_999_990_000", "8:13: clocks.period_ps is 1_000_000_000"),
        ("[live]\nchannel_capacity = 1", "8:20: live.channel_capacity is 1"),
    ]);
    let steps = "[clocks.self-timed]\nword_ps = [1, 2]\ndecision_ps = [1, 2]\ncredit_ps = [1, 2]\n";
    for key in ["phase = \"random\"", "spread = \"uniform\"", "spread_percent = 1", "drift_ppm = 1", "jitter_ps = 1", "wander_ps = 1", "wander_bound_ps = 5", "domains = \"one\"", "block_sides = [4, 4]"] {
        let message = message_by_clocked(&with(&format!("[clocks]\n{key}\n{steps}")));
        assert!(message.starts_with("x.toml:8:") && message.contains("only with "), "{message}");
    }
}

#[test]
#[rustfmt::skip]
fn islands_are_refused_with_their_place() {
    let good = "[[clocks.islands]]\nnodes = [1]\nperiod_ps = 5\n";
    let second = |rest: &str| format!("{good}[[clocks.islands]]\n{rest}");
    let cases = [
        ("[clocks]\nislands = 3".into(), "8:11: clocks.islands is 3"),
        ("[clocks.islands]\nnodes = [1]".into(), "7:1: clocks.islands is a table"),
        ("[clocks]\nislands = [3]".into(), "8:12: clocks.islands[0] is 3"),
        ("[clocks]\nislands = [{ nodes = [1], period_ps = 2 }, []]".into(), "8:44: clocks.islands[1] is the list []"),
        (second("period = 3"), "11:1: unknown key clocks.islands[1].period"),
        (second("\"islands[0]\" = 3"), "11:1: unknown key clocks.islands[1].islands[0]"),
        (second("period_ps = 0"), "11:13: clocks.islands[1].period_ps is 0"),
        (second("period_ps = \"fast\""), "11:13: clocks.islands[1].period_ps is \"fast\""),
        (second("nodes = []"), "11:9: clocks.islands[1].nodes is an empty list"),
        (second("nodes = [2, -1]"), "11:13: clocks.islands[1].nodes[1] is -1"),
        (second("nodes = [2]"), "10:1: clocks.islands[1].period_ps is missing"),
        (second("period_ps = 3"), "10:1: clocks.islands[1].nodes is missing"),
        (second("period_ps = 3\nnodes = [2, 16]"), "12:13: clocks.islands[1].nodes names node 16, which the network doesn't have"),
        (second("period_ps = 3\nnodes = [2, 2]"), "12:13: clocks.islands[1].nodes names node 2 twice"),
        (second("period_ps = 3\nnodes = [2, 1]"), "12:13: clocks.islands[1].nodes names node 1, which is in clocks.islands[0]"),
        (second("period_ps = 3\nnodes = [2]\njitter_ps = 3"), "13:13: clocks.islands[1].jitter_ps is 3"),
        (second("period_ps = 3\nnodes = [2]\ndrift_ppm = 100_001"), "13:13: clocks.islands[1].drift_ppm is 100_001"),
        (second("period_ps = 1\nnodes = [2]\ndrift_ppm = -1"), "13:13: clocks.islands[1].drift_ppm is -1"),
        (second("period_ps = 3\nnodes = [2]\nphase_ps = -1"), "13:12: clocks.islands[1].phase_ps is -1"),
    ];
    let cases: Vec<(&str, &str)> = cases.iter().map(|(text, expected): &(String, _)| (text.as_str(), *expected)).collect();
    check(&cases);
}

/// Each case: lines from line 8 on, the first line of the message, and what is allowed.
fn check_allowed(cases: &[(&str, &str, &str)]) {
    for (lines, found, allowed) in cases {
        let message = message_by_clocked(&with(&format!("[clocks]\n{lines}")));
        let lines: Vec<&str> = message.lines().collect();
        assert_eq!(lines[0], format!("x.toml:{found}"), "{message}");
        assert_eq!(lines[3], format!("  allowed: {allowed}"), "{message}");
    }
}

#[test]
#[rustfmt::skip]
fn wander_is_refused_with_the_numbers() {
    check_allowed(&[
        ("wander_ps = -1", "8:13: clocks.wander_ps is -1", "a whole number from 0 to 999999999"),
        ("wander_ps = 1_000_000_000", "8:13: clocks.wander_ps is 1_000_000_000", "a whole number from 0 to 999999999"),
        ("wander_ps = 1.5", "8:13: clocks.wander_ps is 1.5", "a whole number from 0 to 999999999"),
        ("wander_bound_ps = 0", "8:19: clocks.wander_bound_ps is 0", "a whole number from 1 to 1000000000"),
        ("wander_bound_ps = 9", "8:19: clocks.wander_bound_ps is 9", "only with clocks.wander_ps of 1 or more"),
        ("wander_ps = 0\nwander_bound_ps = 9", "9:19: clocks.wander_bound_ps is 9", "only with clocks.wander_ps of 1 or more"),
        ("wander_ps = 10\nwander_bound_ps = 9", "9:19: clocks.wander_bound_ps is 9", "wander_ps, 10 ps, or more"),
        ("wander_ps = 1000", "8:13: clocks.wander_ps is 1000", "0 to 999: less than the shortest period that was drawn, 1000 ps, or ticks would be out of order"),
        ("wander_ps = 999\njitter_ps = 1", "8:13: clocks.wander_ps is 999", "0 to 998: with a jitter of 1 ps less than the shortest period that was drawn, 1000 ps, or ticks would be out of order"),
        // A drift is drawn that makes it 999.9... ps.
        ("wander_ps = 500\njitter_ps = 499\ndrift_ppm = 1", "8:13: clocks.wander_ps is 500", "0 to 499: with a jitter of 499 ps less than the shortest period that was drawn, 999 ps, or ticks would be out of order"),
        ("[[clocks.islands]]\nnodes = [0]\nperiod_ps = 5\njitter_ps = 2\nwander_ps = 3", "12:13: clocks.islands[0].wander_ps is 3", "0 to 2: with a jitter of 2 ps less than the period, 5 ps, or ticks would be out of order"),
        ("[[clocks.islands]]\nnodes = [0]\nperiod_ps = 5\nwander_bound_ps = 3", "11:19: clocks.islands[0].wander_bound_ps is 3", "only with wander_ps of 1 or more"),
    ]);
    // All that is just allowed.
    for lines in ["wander_ps = 999", "wander_ps = 500\njitter_ps = 499", "wander_ps = 7\nwander_bound_ps = 7"] {
        right_by_clocked(&with(&format!("[clocks]\n{lines}")));
    }
}

#[test]
#[rustfmt::skip]
fn changes_are_refused_with_their_place() {
    let island = "[[clocks.islands]]\nnodes = [4, 5]\nperiod_ps = 700\njitter_ps = 90\nwander_ps = 10\n[[clocks.changes]]\n";
    let change = "[[clocks.changes]]\n";
    let cases = [
        ("changes = 3".to_owned(), "8:11: clocks.changes is 3", "a list of tables"),
        (format!("{change}period_ps = 5"), "8:1: clocks.changes[0].at_ps is missing", "a whole number from 0 to 4611686018427387904"),
        (format!("{change}at_ps = -1\nperiod_ps = 5"), "9:9: clocks.changes[0].at_ps is -1", "a whole number from 0 to 4611686018427387904"),
        (format!("{change}at_ps = 5"), "8:1: clocks.changes[0].period_ps is missing", "a period, or gated = true"),
        (format!("{change}at_ps = 5\ngated = false"), "8:1: clocks.changes[0].period_ps is missing", "a period, or gated = true"),
        (format!("{change}at_ps = 5\ngated = 1"), "10:9: clocks.changes[0].gated is 1", "true or false"),
        (format!("{change}at_ps = 5\ngated = true\nperiod_ps = 8"), "11:13: clocks.changes[0].period_ps is 8", "only without gated = true: a gated clock has no period"),
        (format!("{change}at_ps = 5\nperiod_ps = 0"), "10:13: clocks.changes[0].period_ps is 0", "a whole number from 1 to 1000000000"),
        (format!("{island}at_ps = 5\ngated = true\nnodes = [4]\nislands = [0]"), "16:9: clocks.changes[0].nodes is [4]", "only without islands: a table names one or the other"),
        (format!("{change}at_ps = 5\ngated = true\nislands = []"), "11:11: clocks.changes[0].islands is an empty list", "a list of at least one whole number from 0 to 16777215"),
        (format!("{change}at_ps = 5\ngated = true\nislands = [0]"), "11:12: clocks.changes[0].islands names island 0, which isn't given", "only with [[clocks.islands]]; there are none"),
        (format!("{island}at_ps = 5\ngated = true\nislands = [0, 1]"), "16:15: clocks.changes[0].islands names island 1, which isn't given", "islands 0 to 0"),
        (format!("{island}at_ps = 5\ngated = true\nislands = [0, 0]"), "16:15: clocks.changes[0].islands names island 0 twice", "each island once"),
        (format!("{change}at_ps = 5\ngated = true\nnodes = [1, 16]"), "11:13: clocks.changes[0].nodes names node 16, which the network doesn't have", "nodes 0 to 15"),
        (format!("{change}at_ps = 5\ngated = true\nnodes = [1, 1]"), "11:13: clocks.changes[0].nodes names node 1 twice", "each node once"),
        (format!("{island}at_ps = 5\ngated = true\nnodes = [5, 1, 4]"), "16:16: clocks.changes[0].nodes names node 4, whose clock is that of node 5", "one node of each clock"),
        (format!("domains = \"one\"\n{change}at_ps = 5\ngated = true\nnodes = [5, 1]"), "12:13: clocks.changes[0].nodes names node 1, whose clock is that of node 5", "one node of each clock"),
    ];
    let cases: Vec<(&str, &str, &str)> = cases.iter().map(|(lines, found, allowed)| (lines.as_str(), *found, *allowed)).collect();
    check_allowed(&cases);
    let gate = "at_ps = 5\ngated = true\n";
    let cases = [
        (format!("{change}{gate}{change}{gate}"), "12:9: clocks.changes[1].at_ps is 5", "another time: clocks.changes[0] changes the clock of node 0 at 5 ps too"),
        (format!("{change}{gate}nodes = [3]\n{change}{gate}nodes = [2]\n{change}{gate}nodes = [3]"), "17:9: clocks.changes[2].at_ps is 5", "another time: clocks.changes[0] changes the clock of node 3 at 5 ps too"),
        (format!("{island}{gate}islands = [0]\n{change}{gate}"), "18:9: clocks.changes[1].at_ps is 5", "another time: clocks.changes[0] changes the clock of clocks.islands[0] at 5 ps too"),
        (format!("{island}{gate}nodes = [5]\n{change}{gate}islands = [0]"), "18:9: clocks.changes[1].at_ps is 5", "another time: clocks.changes[0] changes the clock of clocks.islands[0] at 5 ps too"),
        // Jitter and wander, 100 ps together, are those of the island.
        (format!("{island}at_ps = 5\nperiod_ps = 100"), "15:13: clocks.changes[0].period_ps is 100", "at least 101: with its drift the period of clocks.islands[0] has to be more than its jitter_ps and wander_ps, 100 ps, or ticks would be out of order"),
        // With a drift that is drawn the period is 48 to 60 ps.
        (format!("jitter_ps = 59\ndrift_ppm = 100_000\n{change}at_ps = 5\nperiod_ps = 54"), "12:13: clocks.changes[0].period_ps is 54", ""),
        (format!("[[clocks.islands]]\nnodes = [1]\nperiod_ps = 9\ndrift_ppm = -1\n{change}at_ps = 5\nperiod_ps = 1"), "14:13: clocks.changes[0].period_ps is 1", "at least 2: with its drift the period of clocks.islands[0] has to be at least a ps, or ticks would coincide"),
        (format!("{change}at_ps = 5\nperiod_ps = 1_000_000_000\n[clocks.self-timed]\nword_ps = 1\ndecision_ps = 1"), "8:1: clocks.changes[0] changes all clocks, and there are none", "only where some nodes have clocks; here all are self-timed"),
        (format!("{change}{gate}nodes = [0]\n[clocks.self-timed]\nword_ps = 1\ndecision_ps = 1"), "11:10: clocks.changes[0].nodes names node 0, which is self-timed", "nodes of islands: others have no clock"),
        (format!("[[clocks.islands]]\nnodes = [1]\nperiod_ps = 200_000_000\ndrift_ppm = 100_000\njitter_ps = 199_999_999\n{change}at_ps = 5\nperiod_ps = 1_000_000_000\n[run]\nmeasure_cycles = 3_999_990_000"), "15:13: clocks.changes[0].period_ps is 1_000_000_000", "a run of at most 4611686018427387904 ps; 4000000000 cycles of up to 1299999999 ps are 5199999996000000000 ps"),
    ];
    for (lines, found, allowed) in cases {
        let message = message_by_clocked(&with(&format!("[clocks]\n{lines}")));
        assert!(message.starts_with(&format!("x.toml:{found}\n")), "{message}");
        assert!(message.contains(&format!("\n  allowed: {allowed}")), "{message}");
    }
}

/// Another time or another clock is enough, and so is an island beside a node of another.
#[test]
fn changes_of_different_clocks_may_be_at_a_time() {
    let island = "[[clocks.islands]]\nnodes = [4, 5]\nperiod_ps = 700\n";
    let change = |rest: &str| format!("[[clocks.changes]]\n{rest}\ngated = true\n");
    let all = [
        change("at_ps = 5\nislands = [0]"),
        change("at_ps = 5\nnodes = [0]"),
        change("at_ps = 6"),
        change("at_ps = 7\nnodes = [5, 6]"),
        change("at_ps = 0"),
    ];
    right_by_clocked(&with(&format!("{island}{}", all.concat())));
}

#[test]
fn a_jitter_of_a_period_to_the_letter() {
    assert_eq!(
        message_by_clocked(&with("[clocks]\njitter_ps = 1000")),
        "\
x.toml:8:13: clocks.jitter_ps is 1000
  8 | jitter_ps = 1000
    |             ^^^^
  allowed: 0 to 999: less than the shortest period that was drawn, 1000 ps; a jitter of a period or more would put ticks out of order"
    );
}

#[test]
fn an_unknown_key_of_an_island_to_the_letter() {
    assert_eq!(
        message_by_clocked(&with("[[clocks.islands]]\nperiods_ps = 1000")),
        "\
x.toml:8:1: unknown key clocks.islands[0].periods_ps
  8 | periods_ps = 1000
    | ^^^^^^^^^^
  allowed: in [[clocks.islands]]: nodes, period_ps, phase_ps, jitter_ps, wander_ps, wander_bound_ps, drift_ppm
  hint: did you mean period_ps?"
    );
}

#[test]
fn a_run_that_is_too_long_to_the_letter() {
    let keys = "[[clocks.islands]]\nnodes = [0]\nperiod_ps = 1_000_000_000\ndrift_ppm = 100_000\njitter_ps = 999_999_999\n[run]\nmeasure_cycles = 3_999_990_000";
    assert_eq!(
        message_by_clocked(&with(keys)),
        "\
x.toml:9:13: clocks.islands[0].period_ps is 1_000_000_000
  9 | period_ps = 1_000_000_000
    |             ^^^^^^^^^^^^^
  allowed: a run of at most 4611686018427387904 ps; 4000000000 cycles of up to 2099999999 ps are 8399999996000000000 ps"
    );
}
