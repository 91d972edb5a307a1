//! Ticks of clocks, steps of self-timed nodes, and handshakes, of a lone word.

use super::super::*;
use super::*;
use flitwork_network::{Handshake, OwnTiming, Protocol, Segment};

/// A word from node 0 to node 3 of a line of hot-potato nodes.
fn lone_word(engine: &str) -> String {
    format!(
        "[network]\ntopology = \"mesh\"\nsides = [4]\n[router.greedy-hp]\n[traffic]\nprocess = \"once\"\n\
        pattern = \"many-to-one\"\ndestination = 3\nsources = [0]\n[run]\nengine = \"{engine}\"\n\
        [energy]\nclock_pj_per_node_tick = 2\n"
    )
}

/// What is counted under a name.
fn count_of(results: &Results, name: &str) -> Option<u64> {
    results.energy.as_ref().unwrap().count(name)
}

/// Nodes 0 to 3 are stepped once each, when the word stands there; all other ticks are idle. Their energy is a part of that
/// of all ticks and no further one. The synchronous engines don't know which ticks are idle.
#[test]
fn clocks_tick_whether_there_is_a_word_or_not() {
    let clocked = run(&lone_word("clocked")).2;
    let ticks = count_of(&clocked, "clock_ticks").unwrap();
    assert_eq!(Some(ticks), count_of(&clocked, "node_cycles"));
    assert_eq!(ticks, 4 * u64::from(clocked.measured_cycles));
    assert_eq!(count_of(&clocked, "idle_clock_ticks"), Some(ticks - 4));
    assert_eq!(count_of(&clocked, "working_steps"), Some(4));
    let joules = clocked.energy.unwrap().joules.unwrap();
    assert!(near(joules.total, 2e-12 * ticks as f64), "{joules:?}");
    let sync = run(&lone_word("sync")).2;
    let sync_ticks = 4 * u64::from(sync.measured_cycles);
    assert_eq!(count_of(&sync, "clock_ticks"), Some(sync_ticks));
    assert_eq!(count_of(&sync, "idle_clock_ticks"), None);
    assert_eq!(count_of(&sync, "working_steps"), None);
    assert!(sync.steps.is_none() && clocked.steps.is_none());
}

/// Four steps of a word, of 700 ps each. The worst case is a decision with its allocation, which hot potatoes never make:
/// 1,400 ps. There is no clock.
#[test]
fn self_timed_steps_take_less_than_the_worst_case() {
    let steps = "[clocks.self-timed]\nword_ps = 700\ndecision_ps = 500\nallocation_ps = 900\n";
    let text = format!("{}{steps}", lone_word("clocked"));
    let results = run(&text).2;
    assert_eq!(count_of(&results, "clock_ticks"), Some(0));
    assert_eq!(count_of(&results, "idle_clock_ticks"), Some(0));
    assert_eq!(count_of(&results, "working_steps"), Some(4));
    let steps = results.steps.unwrap();
    assert_eq!(
        (steps.steps, steps.mean_ps, steps.worst_ps),
        (4, Some(700.0), 1400)
    );
    assert_eq!(steps.of_worst(), Some(0.5));
    assert!(super::text(&results).contains("700.0 ps mean, 50.0 % of the worst case of 1400 ps"));
    // An island has a clock, and no steps: node 1 lies on the way.
    let island = format!("{text}[[clocks.islands]]\nnodes = [1]\nperiod_ps = 1000\n");
    let results = run(&island).2;
    assert_eq!(results.steps.unwrap().steps, 3);
    assert_eq!(
        count_of(&results, "clock_ticks"),
        Some(u64::from(results.measured_cycles))
    );
    assert_eq!(
        count_of(&results, "idle_clock_ticks"),
        Some(u64::from(results.measured_cycles) - 1)
    );
    // Three steps, and the island's tick with the word.
    assert_eq!(count_of(&results, "working_steps"), Some(4));
}

/// Each of the four nodes does something once, as the word passes: four steps of 3 pJ are 12 pJ. Under clocks these come on top
/// of the ticks.
#[test]
fn a_step_has_a_price_whether_a_clock_makes_it_or_not() {
    let priced = |more: &str| {
        let text = format!("{}step_pj = 3\n{more}", lone_word("clocked"));
        let joules = run(&text).2.energy.unwrap().joules.unwrap();
        let place = crate::energy::PARTS.iter();
        let place = place.clone().position(|part| part.count == "working_steps");
        (joules.parts[place.unwrap()].unwrap(), joules.total)
    };
    let (steps, total) = priced("");
    assert!(near(steps, 12e-12) && total > steps, "{steps} {total}");
    let (steps, total) = priced("[clocks.self-timed]\nword_ps = 700\ndecision_ps = 500\n");
    assert!(near(steps, 12e-12) && near(total, steps), "{steps} {total}");
}

/// A packet of ten words from node 0 to node 3. A deflection node does something as each word passes: ten times at each of four. With
/// stages and links of one cycle each a self-timed node does something as often as one with a clock, in Chaos too, whose nodes also wait
/// for decisions; a clock ticks on meanwhile.
#[test]
fn nodes_work_as_often_with_a_clock_as_without() {
    let text = |router: &str| {
        format!(
            "[network]\ntopology = \"mesh\"\nsides = [4]\nlink_latency_ps = 1000\n[router.{router}]\n[traffic]\n\
             process = \"once\"\npattern = \"many-to-one\"\ndestination = 3\nsources = [0]\npacket_words = 10\n\
             [run]\nengine = \"clocked\"\n[clocks]\nperiod_ps = 1000\n"
        )
    };
    let stages = "[clocks.self-timed]\nword_ps = 1000\ndecision_ps = 1000\ncredit_ps = 1000\ncount_ps = 1000\n";
    for (router, by_hand) in [("deflection", Some(40)), ("chaos", None)] {
        let clocked = run(&text(router)).2;
        let working = count_of(&clocked, "working_steps").unwrap();
        let own = run(&(text(router) + stages)).2;
        assert_eq!(count_of(&own, "working_steps"), Some(working), "{router}");
        assert_eq!(own.steps.unwrap().steps, working);
        assert!(
            by_hand.is_none_or(|by_hand| by_hand == working),
            "{working}"
        );
        let ticks = |name| count_of(&clocked, name).unwrap();
        let stepped = ticks("clock_ticks") - ticks("idle_clock_ticks");
        assert_eq!(stepped > working, router == "chaos", "{stepped} {working}");
    }
}

/// 60 words over links, ten over each of six: over two segments each, of which the first link has three, with two or four
/// transitions in each.
#[test]
fn words_are_handed_over_segment_by_segment() {
    let text = "[network]\ntopology = \"mesh\"\nsides = [7]\n[router.wormhole]\n[traffic]\nprocess = \"once\"\n\
        pattern = \"many-to-one\"\ndestination = 6\nsources = [0]\npacket_words = 10\n[run]\nengine = \"clocked\"\n";
    let (mut resolved, simulated, results) = run(text);
    resolved.energy.transition_pj = Some(0.5);
    assert_eq!(count_of(&results, "handshake_transitions"), Some(0));
    let segment = Segment {
        request_ps: 1,
        acknowledge_ps: 1,
    };
    for (protocol, a_segment) in [(Protocol::TwoPhase, 2), (Protocol::FourPhase, 4)] {
        let links = &mut resolved.network.links;
        links.handshake = Some(Handshake {
            protocol,
            bundling_ps: 0,
            segments: vec![segment; 2],
        });
        let count = |resolved: &Resolved| {
            let results = Results::new(resolved, &simulated);
            count_of(&results, "handshake_transitions")
        };
        assert_eq!(count(&resolved), Some(60 * 2 * a_segment));
        let longer = OwnTiming {
            segments: Some(vec![segment; 3]),
            ..OwnTiming::default()
        };
        let grid = resolved.network.grid().clone();
        let east = grid.productive(NodeId(0), NodeId(6)).iter().next().unwrap();
        resolved.network.links.own.insert((NodeId(0), east), longer);
        assert_eq!(count(&resolved), Some((50 * 2 + 10 * 3) * a_segment));
        let joules = Results::new(&resolved, &simulated)
            .energy
            .unwrap()
            .joules
            .unwrap();
        assert!(near(joules.total, 0.5e-12 * (130 * a_segment) as f64));
        resolved.network.links.own.clear();
    }
}
