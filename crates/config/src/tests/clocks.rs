//! `[clocks]`, the timing of links and `[live]`: what they mean, and what is drawn.

use super::round_trip::configuration;
use super::{message, message_by_clocked, overridden, read, right, right_by_clocked, short_with};
use crate::{
    ClockParameters, Domains, IslandParameters, NetworkParameters, Override, Resolved, Runtime,
    SelfTimedParameters, Spread, Stepping, resolve,
};
use flitwork_live::{Options, Slack};
use flitwork_network::{
    Arbiter, Clock, Clocks, Delay, Law, LinkTiming, NodeDelays, ONE_PPB, Periodic, SelfTimed,
    StageDelays, Wander,
};
use flitwork_types::NodeId;
use proptest::prelude::*;
use std::path::Path;

/// The short configuration with further tables; line 7 is their first.
pub(super) fn with(tables: &str) -> String {
    format!("{}{tables}", super::SHORT)
}

pub(super) fn clocked(tables: &str) -> Resolved {
    right(&with(&format!("[run]\nengine = \"clocked\"\n{tables}")))
}

/// The clocks that the short configuration, a mesh of 4 x 4, draws from [clocks].
pub(super) fn clocks(keys: &str) -> Clocks {
    clocked(&format!("[clocks]\n{keys}")).clocks()
}

pub(super) fn oscillators(clocks: &Clocks) -> Vec<Periodic> {
    let periodic = |clock: &Clock| match clock {
        Clock::Periodic(clock) => clock.clone(),
        Clock::SelfTimed(_) => panic!("{clock:?} is no oscillator"),
    };
    clocks.domains.iter().map(periodic).collect()
}

/// A period with its drift, in ps.
pub(super) fn exact(clock: &Periodic) -> f64 {
    clock.period_ps as f64 * (1.0 + f64::from(clock.drift_ppb) * 1e-9)
}

/// The oscillators of a mesh of 64 x 64, so that there are 4096 domains to count.
pub(super) fn many(keys: &str) -> Vec<Periodic> {
    let text = short_with("[4, 4]", "[64, 64]");
    let clocks = right_by_clocked(&format!("{text}[clocks]\n{keys}")).clocks();
    assert_eq!(clocks.domains.len(), 4096);
    oscillators(&clocks)
}

#[test]
fn the_default_is_a_clock_of_1_ghz_in_step() {
    let resolved = clocked("");
    assert_eq!(resolved.clocks, ClockParameters::default());
    assert_eq!(resolved.live, Options::new(1));
    let grid = resolved.network.grid().clone();
    let mut expected = NetworkParameters::new(grid, 1, Some(10));
    // Neighbours share their clock's edges.
    expected.unread = vec!["synchronizer_edges"];
    assert_eq!(resolved.network, expected);
    // A word takes 1000 ps and waits for 2 + 1 edges, and so does its credit: 8 cycles, and 2 words more.
    let links = LinkTiming::wires(1000, 10, 2);
    assert_eq!(resolved.network.links, links);
    let clocks = resolved.clocks();
    assert_eq!(clocks.nominal_ps, 1000);
    assert_eq!(clocks.links, links);
    assert_eq!(clocks.domain_of, (0..16).collect::<Vec<u32>>());
    let clock = Clock::Periodic(Periodic::new(1000, 0));
    assert_eq!(clocks.domains, vec![clock; 16]);
    assert!(clocks.share(0, 15));
}

#[test]
fn engines_are_chosen_by_name_and_read_one_file() {
    let text = with("[run]\nengine = \"live\"\n[clocks]\nperiod_ps = 500\n[live]\nworkers = 5\n");
    let by = |engine: &str| {
        let engine = [Override::by_option("--engine", "run.engine", engine)];
        resolve(&text, "x.toml", Path::new(""), &engine).unwrap()
    };
    let live = by("live");
    assert_eq!((live.clocks.period_ps, live.live.workers), (500, 5));
    let sync = by("sync");
    assert_eq!((&sync.clocks, &sync.live), (&live.clocks, &live.live));
    assert_eq!(
        sync.to_toml(),
        right(&with("[run]\nengine = \"sync\"")).to_toml()
    );
    // Of a file that chooses the engine itself, all is to be read.
    let refused = message(&text);
    let expected = "x.toml:9:1: clocks is given\n";
    assert!(refused.starts_with(expected), "{refused}");
    assert!(
        refused.contains("only with run.engine = \"clocked\""),
        "{refused}"
    );
}

#[test]
fn links_follow_the_clocks() {
    let links = |network: &str, tables: &str| {
        let text = short_with("[4, 4]", &format!("[4, 4]\n{network}"));
        right_by_clocked(&format!("{text}{tables}")).network.links
    };
    let slow = links("link_latency_cycles = 3", "[clocks]\nperiod_ps = 200");
    // 2 * (600 + 3 * 200) / 200 + 2.
    assert_eq!((slow.latency_ps, slow.capacity_words), (600, 14));
    let near = links("link_latency_ps = 1\nsynchronizer_edges = 0", "");
    // 2 * (1 + 1000) / 1000 + 2 is 5 words; a packet has 10.
    assert_eq!((near.latency_ps, near.capacity_words), (1, 10));
    let island = "[[clocks.islands]]\nnodes = [3]\nperiod_ps = 2000\njitter_ps = 500";
    // 2 * (1000 + 3 * 2500) / 1000 + 2: the slowest receiver, the fastest sender.
    assert_eq!(links("", island).capacity_words, 19);
    let far = links("link_latency_ps = 1_024_000_000_000", "");
    assert_eq!(far.capacity_words, 65_535);
    let given = links("link_capacity_words = 1", "");
    assert_eq!(given.capacity_words, 1);
}

#[test]
fn a_router_without_buffers_has_links_of_a_round_trip() {
    let greedy = |network: &str, tables: &str| {
        let text = short_with("[4, 4]", &format!("[4, 4]\n{network}"));
        let text = text.replace("router.chaos", "router.greedy-hp");
        format!("{text}{tables}")
    };
    assert_eq!(
        right_by_clocked(&greedy("", ""))
            .network
            .links
            .capacity_words,
        10
    );
    right_by_clocked(&greedy("link_capacity_words = 10", ""));
    assert_eq!(
        message_by_clocked(&greedy("link_capacity_words = 9", "")),
        "\
x.toml:4:23: network.link_capacity_words is 9
  4 | link_capacity_words = 9
    |                       ^
  allowed: 10 to 65535: a link must hold the words of a round trip, or routers without buffers may wait for each other forever"
    );
    let far = message_by_clocked(&greedy("link_latency_ps = 1_000_000_000", ""));
    let expected = "x.toml:4:19: network.link_capacity_words would be at least 2000008\n";
    assert!(far.starts_with(expected), "{far}");
    // 2 * (100 * 1000 + 3 * 1000) + 2, at one word a ps.
    let text = greedy(
        "link_latency_cycles = 100",
        "[clocks]\nislands = [{ nodes = [0], period_ps = 1 }]",
    );
    let expected = "x.toml:8:1: network.link_capacity_words would be at least 206002\n";
    assert!(
        message_by_clocked(&text).starts_with(expected),
        "{}",
        message_by_clocked(&text)
    );
}

/// ceil(2 * (latency + (edges + 1) * longest) / shortest) + 2 words, over all clocks. Jitter lengthens the longest only;
/// edges count even if all nodes share a clock.
#[test]
fn the_round_trip_is_that_of_the_slowest_and_the_fastest_clock() {
    let cases = [
        // 2 * (1000 + 3 * 1000) / 1000.
        ("", "[clocks]\ndomains = \"one\"", 8),
        ("synchronizer_edges = 0", "[clocks]\nphase = \"random\"", 4),
        // 2 * (1 + 1999) / 1000.
        (
            "link_latency_ps = 1\nsynchronizer_edges = 0",
            "[clocks]\njitter_ps = 999",
            4,
        ),
        // 2 * (1000 + 3 * 2500) / 1000.
        (
            "",
            "[[clocks.islands]]\nnodes = [3]\nperiod_ps = 2000\njitter_ps = 500",
            17,
        ),
        // 2 * (1000 + 3 * 1100) / 1000 = 8.6.
        (
            "",
            "[[clocks.islands]]\nnodes = [3]\nperiod_ps = 1000\ndrift_ppm = 100000",
            9,
        ),
        // 2 * (800 + 3 * 1400) / 800 = 12.5: a step in which words move takes at least 800 ps.
        (
            "link_latency_ps = 800",
            "[clocks.self-timed]\nword_ps = [800, 1000]\ndecision_ps = [1000, 1400]",
            13,
        ),
    ];
    for (network, tables, trip) in cases {
        let greedy = |capacity: &str| {
            let text = short_with("[4, 4]", &format!("[4, 4]\n{network}\n{capacity}"));
            let text = text.replace("router.chaos", "router.greedy-hp");
            format!("{text}{tables}")
        };
        let given = |words: u32| greedy(&format!("link_capacity_words = {words}"));
        let least = trip + 2;
        assert_eq!(
            right_by_clocked(&greedy("")).network.links.capacity_words,
            least
        );
        assert_eq!(
            right_by_clocked(&given(least)).network.links.capacity_words,
            least
        );
        let refused = message_by_clocked(&given(least - 1));
        let allowed = format!("allowed: {least} to 65535");
        assert!(refused.contains(&allowed), "{refused}");
    }
}

#[test]
fn domains_are_nodes_or_blocks_or_one() {
    assert_eq!(clocks("domains = \"one\"").domain_of, [0; 16]);
    let two = clocks("domains = \"blocks\"\nblock_sides = [2, 4]");
    assert_eq!(two.domain_of, [0, 0, 1, 1].repeat(4));
    // Blocks of 3 x 3 on 4 x 4: the last ones are narrow.
    let uneven = clocks("domains = \"blocks\"\nblock_sides = [3, 3]").domain_of;
    assert_eq!(uneven[..4], [0, 0, 0, 1]);
    assert_eq!(uneven[8..], [0, 0, 0, 1, 2, 2, 2, 3]);
    assert_eq!(clocks("domains = \"blocks\"").domains.len(), 1);
    let written = clocked("[clocks]\ndomains = \"blocks\"").clocks;
    let Stepping::Oscillators(all) = written.stepping else {
        panic!("{written:?}")
    };
    assert_eq!(all.domains, Domains::Blocks);
    assert_eq!(all.block_sides, Some(vec![4, 4]));
    // A program that builds clocks without sides gets the same blocks.
    let mut built = clocked("[clocks]\ndomains = \"blocks\"\nblock_sides = [1, 1]");
    let Stepping::Oscillators(own) = &mut built.clocks.stepping else {
        panic!("{built:?}")
    };
    own.block_sides = None;
    assert_eq!(built.clocks().domain_of, [0; 16]);
}

#[test]
fn islands_have_exactly_their_clock() {
    let keys = "domains = \"one\"\nspread = \"uniform\"\nspread_percent = 50\nphase = \"random\"\n\
        [[clocks.islands]]\nnodes = [1, 2]\nperiod_ps = 800\nphase_ps = 30\njitter_ps = 5\ndrift_ppm = -1.5\n\
        [[clocks.islands]]\nnodes = [15]\nperiod_ps = 3000";
    let resolved = clocked(&format!("[clocks]\n{keys}"));
    let island = IslandParameters {
        nodes: vec![NodeId(1), NodeId(2)],
        period_ps: 800,
        phase_ps: 30,
        jitter_ps: 5,
        wander: Wander::default(),
        drift_ppm: -1.5,
    };
    assert_eq!(resolved.clocks.islands[0], island);
    let clocks = resolved.clocks();
    let mut domain_of = [0; 16];
    (domain_of[1], domain_of[2], domain_of[15]) = (1, 1, 2);
    assert_eq!(clocks.domain_of, domain_of);
    let drawn = oscillators(&clocks);
    assert_eq!(drawn[1], island.clock());
    assert_eq!((drawn[1].drift_ppb, drawn[1].jitter_ps), (-1500, 5));
    assert_eq!((drawn[2].period_ps, drawn[2].phase_ps), (3000, 0));
}

#[test]
fn islands_may_hold_every_node() {
    let all: Vec<u32> = (0..16).collect();
    let clocks = clocks(&format!(
        "[[clocks.islands]]\nnodes = {all:?}\nperiod_ps = 700"
    ));
    assert_eq!((clocks.nominal_ps, clocks.domains.len()), (1000, 1));
}

#[test]
fn self_timed_nodes_have_no_oscillator() {
    let steps = "[clocks.self-timed]\nword_ps = [1, 3]\nword_law = \"data\"\ndecision_ps = 4\ncredit_ps = [2, 1_000_000_000]\n";
    let island = "[[clocks.islands]]\nnodes = [4]\nperiod_ps = 7\n";
    let resolved = clocked(&format!("{steps}{island}"));
    let stages = StageDelays {
        word: Delay {
            law: Law::Data,
            ..Delay::uniform(1, 3)
        },
        decision: Delay::fixed(4),
        allocation: None,
        credit: Some(Delay::uniform(2, 1_000_000_000)),
    };
    let parameters = SelfTimedParameters::new(stages);
    let delays = NodeDelays::alike(stages);
    assert_eq!(resolved.clocks.stepping, Stepping::SelfTimed(parameters));
    let clocks = resolved.clocks();
    assert_eq!((clocks.nominal_ps, clocks.domains.len()), (1000, 16));
    assert!(matches!(clocks.domains[4], Clock::Periodic(_)));
    let Clock::SelfTimed(node) = &clocks.domains[5] else {
        panic!("{clocks:?}")
    };
    assert_eq!((&*node.delays, node.scale_ppb), (&delays, ONE_PPB));
    assert_eq!((node.count_ps, node.arbiter), (0, None));
}

/// A corner of +50 % and a uniform spread of 10 %: between 1.35 and 1.65 of the delays, a node differently from the
/// next, with a mean over 4,096 nodes of 1.5 and a standard error of 0.15 / sqrt(3 * 4096) = 0.0014.
#[test]
fn self_timed_nodes_are_slow_together_and_each_by_itself() {
    let keys = "[clocks.self-timed]\nword_ps = 1\ndecision_ps = 1\ncorner_percent = 50\nspread = \"uniform\"\nspread_percent = 10\n[clocks.arbiter]\nwindow_ps = 0\ntau_ps = 7\n";
    let keys = format!("[run]\nengine = \"clocked\"\n{keys}");
    let resolved = right(&format!("{}{keys}", short_with("[4, 4]", "[64, 64]")));
    let nodes: Vec<SelfTimed> = resolved
        .clocks()
        .domains
        .into_iter()
        .map(|clock| match clock {
            Clock::SelfTimed(node) => node,
            Clock::Periodic(_) => panic!("{clock:?} is an oscillator"),
        })
        .collect();
    let scales: Vec<f64> = nodes.iter().map(|it| it.scale_ppb as f64 * 1e-9).collect();
    assert!(scales.iter().all(|it| (1.35..=1.65).contains(it)));
    assert!(scales.iter().any(|it| *it < 1.36) && scales.iter().any(|it| *it > 1.64));
    let mean = scales.iter().sum::<f64>() / scales.len() as f64;
    assert!((mean - 1.5).abs() < 0.006, "{mean}");
    let arbiter = Arbiter {
        window_ps: 0,
        tau_ps: 7,
    };
    assert!(nodes.iter().all(|node| node.arbiter == Some(arbiter)));
}

/// A cycle in which a node only counts is as much longer in a corner as a delay: 600 ps instead of 400 at +50 %, and at
/// -99 % 4 ps, or 1 ps instead of 60. One that takes no time takes none in any corner.
#[test]
fn counting_is_slow_in_a_slow_corner() {
    for (corner, count_ps, expected_ps) in [
        ("0", 400, 400),
        ("50", 400, 600),
        ("-99", 400, 4),
        ("-99", 60, 1),
        ("1000", 0, 0),
    ] {
        let keys = format!(
            "[clocks.self-timed]\nword_ps = 5\ndecision_ps = 5\ncount_ps = {count_ps}\ncorner_percent = {corner}\n"
        );
        let clocks = clocked(&keys).clocks();
        let counts = clocks.domains.iter().map(|clock| match clock {
            Clock::SelfTimed(node) => node.count_ps,
            Clock::Periodic(_) => panic!("{clock:?} is an oscillator"),
        });
        assert!(
            counts.clone().all(|it| it == expected_ps),
            "{corner} %, {count_ps} ps"
        );
        assert_eq!(counts.count(), 16);
    }
}

#[test]
fn live_keys_are_taken() {
    let text = "[run]\nengine = \"live\"\n[live]\nruntime = \"tokio\"\nslack = \"none\"\nworkers = 1024\nchannel_capacity = 2\nburst_cycles = 1\npinning = true";
    let live = Options {
        runtime: Runtime::Tokio,
        slack: Slack(None),
        workers: 1024,
        channel_capacity: 2,
        burst_cycles: 1,
        pinning: true,
        rehearsal: None,
    };
    assert_eq!(right(&with(text)).live, live);
    assert_eq!(
        right(&with("[run]\nengine = \"live\"\n[live]\nslack = 0"))
            .live
            .slack
            .0,
        Some(0)
    );
    let slack = |slack: &str| {
        let live = overridden(&["run.engine=live", &format!("live.slack={slack}")]);
        live.unwrap().live.slack.0
    };
    assert_eq!((slack("none"), slack("7")), (None, Some(7)));
    let far = right(&short_with("[4, 4]", "[4, 4]\nlink_latency_cycles = 100"));
    assert_eq!(far.live.channel_capacity, 202);
}

#[test]
fn spreads_are_kept_as_they_are_written() {
    let written = clocked("[clocks]\nspread = \"normal\"\nspread_percent = 0.25").clocks;
    let Stepping::Oscillators(all) = written.stepping else {
        panic!("{written:?}")
    };
    assert_eq!(all.spread, Spread::normal(0.25));
}

#[test]
fn islands_on_the_command_line() {
    let set = "clocks.islands=[{nodes=[0, 1], period_ps=9}, {nodes=[2], period_ps=8}]";
    let resolved = overridden(&["run.engine=clocked", set, "clocks.period_ps=5"]).unwrap();
    assert_eq!(resolved.clocks.islands[1].period_ps, 8);
    for (set, expected) in [
        (
            "clocks.islands.nodes=[1]",
            "clocks.islands.nodes is a key of the tables of a list\n  allowed: the whole list, as in clocks.islands=[{…}, {…}]",
        ),
        (
            "clocks.islands[0].nodes=[1]",
            "unknown key clocks.islands[0].nodes",
        ),
        (
            "clocks.islands=[{nodes=[1], period_ps=0}]",
            "clocks.islands[0].period_ps is 0",
        ),
        (
            "live.slack=some",
            "live.slack is some\n  allowed: a whole number from 0 to 1000000, or \"none\"",
        ),
    ] {
        let message = overridden(&[set]).unwrap_err().to_string();
        let expected = format!("command line: --set {set}: {expected}");
        assert!(message.starts_with(&expected), "{message}");
    }
}

proptest! {
    /// Every node has a domain, every domain a node, and ticks are in order.
    #[test]
    fn every_node_has_a_domain_and_ticks_in_order(text in configuration()) {
        // Configurations that name a permutation's file aren't resolved.
        let Ok(resolved) = read(&text) else {
            return Ok(());
        };
        let clocks = resolved.clocks();
        prop_assert_eq!(clocks.domain_of.len(), resolved.network.nodes() as usize);
        let mut nodes = vec![0u32; clocks.domains.len()];
        for domain in &clocks.domain_of {
            nodes[*domain as usize] += 1;
        }
        for (clock, nodes) in clocks.domains.iter().zip(nodes) {
            match clock {
                Clock::Periodic(clock) => {
                    prop_assert!(nodes >= 1);
                    let wander_ps = clock.wander.map_or(0, |wander| wander.most_ps);
                    let off_ps = (clock.jitter_ps + wander_ps) as f64;
                    prop_assert!(off_ps == 0.0 || exact(clock) > off_ps);
                    prop_assert!(exact(clock) >= 1.0);
                    for rate in clock.changes().iter().filter_map(|change| change.rate) {
                        let drift = f64::from(rate.drift_ppb) * 1e-9;
                        let period = rate.period_ps as f64 * (1.0 + drift);
                        prop_assert!(period >= off_ps + 1.0);
                    }
                }
                Clock::SelfTimed(_) => prop_assert_eq!(nodes, 1),
            }
        }
    }
}
