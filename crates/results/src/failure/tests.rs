//! What a run is called that ends with packets in the network, and what these wait for.

use super::FailureKind;
use super::waiting::Describer;
use crate::tests::run;
use crate::{Results, Status};
use flitwork_config::{EngineChoice, Resolved};
use flitwork_engine::Ended;
use flitwork_experiment::hardware::{longest_silence_cycles, patience_cycles};
use flitwork_experiment::simulate::Simulated;
use flitwork_node::{Place, Until, Wait, WaitsFor};
use flitwork_topology::{Graph, Shape};
use flitwork_types::{Cycle, NodeId, PacketId, Port, TerminalId};
use std::collections::HashSet;

/// Packets of all nodes of a 4 x 4 mesh to all others, made in the first 100 cycles, where clocks change; a run ends
/// after 40,100 cycles of 1,000 ps.
fn changing(router: &str, clocks: &str) -> (Resolved, Simulated, Results) {
    run(&format!(
        "[network]\ntopology = \"mesh\"\nsides = [4, 4]\n[router.{router}]\n[traffic]\nload = 0.3\n\
        [run]\nengine = \"clocked\"\nwarmup_cycles = 0\nmeasure_cycles = 100\ndrain_cycles = 20_000\n{clocks}"
    ))
}

fn kind(router: &str, clocks: &str) -> Option<FailureKind> {
    let (_, _, results) = changing(router, clocks);
    let kind = results.failure.as_ref().map(|failure| failure.kind);
    assert_eq!(kind.is_some(), results.status == Status::Failed);
    kind
}

fn gated(from_ps: u64, until_ps: Option<u64>, which: &str) -> String {
    let gate = format!("[[clocks.changes]]\nat_ps = {from_ps}\ngated = true\n{which}\n");
    let end = until_ps.map(|until_ps| {
        format!("[[clocks.changes]]\nat_ps = {until_ps}\nperiod_ps = 1000\n{which}\n")
    });
    gate + &end.unwrap_or_default()
}

/// Whatever the router: with all clocks gated for good, what is in the network never moves again. It ends at once, as a
/// deadlock, even if the run would have been over soon.
#[test]
fn clocks_that_are_gated_for_good_are_a_deadlock() {
    for router in ["chaos", "wormhole", "greedy-hp", "deflection"] {
        for at_ps in [50_000, 100_000] {
            let (_, run, results) = changing(router, &gated(at_ps, None, ""));
            let failure = results.failure.unwrap();
            assert_eq!(failure.kind, FailureKind::Deadlock, "{router}");
            assert!(failure.packets > 0 && run.outcome.ended == Ended::Stuck);
            assert!(
                failure
                    .last_head
                    .is_none_or(|last| last <= (at_ps / 1000) as u32)
            );
            // Nothing is simulated after the gate.
            assert!(run.outcome.steps < 16 * at_ps / 1000);
        }
        assert_eq!(kind(router, &gated(5_000_000, None, "")), None, "{router}");
    }
}

/// Gated for most of the run, which is much longer than nodes can wait: no deadlock, whether all clocks are gated or one
/// node's, and whether or not the run is over before the gate's end.
#[test]
fn a_long_gate_is_no_deadlock() {
    for router in ["chaos", "wormhole"] {
        for which in ["", "nodes = [5]"] {
            let of = |until_ps| kind(router, &gated(50_000, Some(until_ps), which));
            assert_eq!(of(15_000_000), None, "{router} {which}");
            assert_eq!(
                of(40_090_000),
                Some(FailureKind::Deadline),
                "{router} {which}"
            );
            assert_eq!(
                of(60_000_000),
                Some(FailureKind::Deadline),
                "{router} {which}"
            );
        }
    }
}

/// One node is gated for good and nothing can move any more: a deadlock, although other clocks still tick, and although
/// another node's is gated and comes back again and again.
#[test]
fn what_waits_for_a_stopped_clock_is_deadlocked() {
    for router in ["chaos", "wormhole"] {
        let stopped = gated(50_000, None, "nodes = [5]");
        assert_eq!(
            kind(router, &stopped),
            Some(FailureKind::Deadlock),
            "{router}"
        );
        let others = (0..19).map(|time| {
            let from_ps = 1_000_000 + 2_000_000 * time;
            gated(from_ps, Some(from_ps + 1_000_000), "nodes = [6]")
        });
        let both = stopped.clone() + &others.collect::<String>();
        assert_eq!(kind(router, &both), Some(FailureKind::Deadlock), "{router}");
        // Even if the clocks of others are gated for all of the time since.
        let rest = gated(60_000, Some(60_000_000), "nodes = [6]");
        assert_eq!(
            kind(router, &(stopped + &rest)),
            Some(FailureKind::Deadlock),
            "{router}"
        );
    }
}

/// One node of a line is gated for good. The last words for it are on the link from its neighbour, where they wait for nothing,
/// and the other packet comes from the far end: it takes 4 cycles a hop, 3 for the decision and 1 over the link, and so 248 to the
/// neighbour. Meanwhile none enters or arrives for longer than nodes can wait, and it isn't a deadlock, as one still moves. Once
/// that one waits for the node it is.
#[test]
fn who_moves_far_from_a_stopped_clock_is_not_deadlocked() {
    let ends = |cycle: u32| {
        run(&format!(
            "[network]\ntopology = \"mesh\"\nsides = [64]\n[router.chaos]\n[traffic]\nprocess = \"once\"\n\
            pattern = \"many-to-one\"\ndestination = 63\nsources = [0, 62]\n[run]\nengine = \"clocked\"\n\
            deadline_cycles = {cycle}\n{}",
            gated(1_000, None, "nodes = [63]")
        ))
    };
    let (resolved, run, results) = ends(200);
    let failure = results.failure.unwrap();
    assert!(patience_cycles(&resolved).is_some_and(|it| it < 150));
    let seen = &run.observation;
    assert!(seen.last_delivery.is_none() && seen.last_injection < Some(Cycle(10)));
    assert!(failure.last_head > Some(190), "{failure}");
    assert_eq!((failure.packets, failure.stuck), (2, 0));
    assert_eq!(failure.kind, FailureKind::Deadline);
    let failure = ends(2_000).2.failure.unwrap();
    assert_eq!((failure.packets, failure.stuck), (2, 1));
    assert_eq!(failure.kind, FailureKind::Deadlock);
}

/// A run of a Chaos mesh that is over after some cycles with packets in it, none of which is in a knot: as if some had
/// last entered or arrived in cycle `flow`, and left a node in cycle `head`.
fn moving_until(cycle: u32, flow: u32, head: u32) -> FailureKind {
    let (resolved, mut run, _) = crate::tests::run(
        "[network]\ntopology = \"mesh\"\nsides = [4, 4]\n[router.chaos]\n[traffic]\nload = 0.3\n\
        [run]\nwarmup_cycles = 0\nmeasure_cycles = 100\ndrain_cycles = 0\n",
    );
    assert!(run.observation.injected > run.observation.delivered);
    run.waits.clear();
    run.outcome.cycle = Cycle(cycle);
    run.outcome.ended = Ended::Deadline;
    let seen = &mut run.observation;
    seen.last_injection = Some(Cycle(flow / 2));
    seen.last_delivery = Some(Cycle(flow));
    seen.last_head = Some(Cycle(head));
    // A hundred times the silence of this network is less than is asked of every livelock.
    assert!(100 * longest_silence_cycles(&resolved) < 9_999);
    super::Failure::of(&resolved, &run).unwrap().kind
}

/// A tenth of 200,000 cycles without a delivery or an injection is a livelock, if heads have left nodes since.
#[test]
fn a_livelock_moves_for_a_tenth_of_the_run() {
    let moving = |flow, head| moving_until(200_000, flow, head);
    assert_eq!(moving(180_000, 199_999), FailureKind::Livelock);
    assert_eq!(moving(180_001, 199_999), FailureKind::Deadline);
    assert_eq!(moving(180_000, 180_001), FailureKind::Livelock);
    assert_eq!(moving(180_000, 180_000), FailureKind::Deadline);
}

/// However short the run, it is 10,000 cycles at least: a tenth of 50,000 isn't enough.
#[test]
fn a_livelock_moves_for_ten_thousand_cycles() {
    let moving = |flow| moving_until(50_000, flow, 49_999);
    assert_eq!(moving(40_000), FailureKind::Livelock);
    assert_eq!(moving(40_001), FailureKind::Deadline);
    assert_eq!(moving(45_000), FailureKind::Deadline);
}

/// The same with stalls so long that a hundred times the silence is more than a tenth of the run.
#[test]
fn a_slow_network_moves_for_longer_before_it_is_a_livelock() {
    let (resolved, mut run, _) = crate::tests::run(
        "[network]\ntopology = \"mesh\"\nsides = [4, 4]\n[router.chaos]\nstall_threshold_cycles = 500\n[traffic]\n\
        load = 0.3\n[run]\nwarmup_cycles = 0\nmeasure_cycles = 100\ndrain_cycles = 0\n",
    );
    let silence = longest_silence_cycles(&resolved);
    assert!(silence > 500 && 100 * silence < 190_000, "{silence}");
    run.waits.clear();
    run.outcome.cycle = Cycle(200_000);
    let mut kind = |flow: u32| {
        let seen = &mut run.observation;
        (seen.last_injection, seen.last_delivery) = (None, Some(Cycle(flow)));
        seen.last_head = Some(Cycle(199_999));
        super::Failure::of(&resolved, &run).unwrap().kind
    };
    assert_eq!(kind(200_000 - 100 * silence), FailureKind::Livelock);
    assert_eq!(kind(200_001 - 100 * silence), FailureKind::Deadline);
}

/// A ring of `nodes` with one virtual channel, full of worms: the lines of its report that begin with a node, the length
/// of its circle, and its waits.
fn ring(nodes: u32) -> (usize, usize, usize) {
    let (_, _, results) = crate::tests::run(&format!(
        "[network]\ntopology = \"torus\"\nsides = [{nodes}]\n[router.wormhole]\nvcs = 1\nbuffer_words = 2\n\
        routing = \"fully-adaptive\"\nallow_deadlock = true\n[traffic]\nload = 1.0\npacket_words = 12\n\
        [run]\nwarmup_cycles = 0\nmeasure_cycles = 1000\ndrain_cycles = 0\n"
    ));
    let failure = results.failure.unwrap();
    assert_eq!(failure.kind, FailureKind::Deadlock, "{failure}");
    let text = failure.to_string();
    let shown = text.lines().filter(|line| line.starts_with("node "));
    (shown.count(), failure.circle.len(), failure.waits.len())
}

/// All of a circle's waits are shown, and twelve waits at least.
#[test]
fn long_circles_are_shown_whole() {
    let (shown, circle, waits) = ring(16);
    assert!(circle >= 13 && waits > circle, "{circle} of {waits}");
    assert_eq!(shown, circle);
    let (shown, circle, waits) = ring(7);
    assert!(circle < 12 && waits > 12, "{circle} of {waits}");
    assert_eq!(shown, 12);
}

/// Five nodes of a ring send two worms of 6 words each to the next but one, all at once, by one virtual channel. 4 words of each
/// first worm fill the next node's buffer, and its head waits there for the link that this node's own worm holds; the other 2 words
/// are in a half-full local buffer. The second worm waits until that is empty, or, where room is enough, in part behind the first
/// and in part for more room: no worm ever moves.
#[test]
fn sources_wait_for_worms_that_never_leave_their_buffers() {
    for reallocation in ["buffer-empty", "tail-sent"] {
        let (_, _, results) = run(&format!(
            "[network]\ntopology = \"torus\"\nsides = [5]\n[router.wormhole]\nvcs = 1\nbuffer_words = 4\n\
            routing = \"fully-adaptive\"\nallow_deadlock = true\nreallocation = \"{reallocation}\"\n\
            [traffic]\nprocess = \"once\"\nk = 2\npattern = \"tornado\"\npacket_words = 6\n\
            [run]\ndeadline_cycles = 300\n"
        ));
        let failure = results.failure.unwrap();
        assert_eq!(failure.kind, FailureKind::Deadlock, "{reallocation}");
        assert_eq!(failure.circle.len(), 5, "{reallocation}");
        assert_eq!(failure.stuck, 10, "{reallocation}: {failure}");
    }
}

/// Nodes that end apart lose what comes after their last cycle, and their runs are over early; but what waits for each other,
/// whatever comes, is deadlocked there, too.
#[test]
fn a_knot_is_a_deadlock_also_where_nodes_end_apart() {
    let (mut resolved, run, results) = run(
        "[network]\ntopology = \"torus\"\nsides = [7]\n[router.wormhole]\nvcs = 1\nbuffer_words = 2\n\
        routing = \"fully-adaptive\"\nallow_deadlock = true\n[traffic]\nload = 1.0\npacket_words = 12\n\
        [run]\nwarmup_cycles = 0\nmeasure_cycles = 1000\ndrain_cycles = 0\n",
    );
    let stuck = results.failure.unwrap().stuck;
    assert!(stuck > 0);
    resolved.run.engine = EngineChoice::Live;
    resolved.live.slack.0 = None;
    assert!(super::ends_apart(&resolved));
    let failure = super::Failure::of(&resolved, &run).unwrap();
    assert_eq!(
        (failure.kind, failure.stuck),
        (FailureKind::Deadlock, stuck)
    );
}

/// Two Chaos nodes send each other two packets over a link that is longer than a packet. The second ones are in the output frames
/// when the first ones come, and wait for the input frames that these take. Each of the four waits for the next, but not for good:
/// 500 cycles later the first ones have stalled and move to the multiqueues, which have room, although the output frames of their
/// links are still full.
#[test]
fn neighbours_that_will_stall_are_not_deadlocked() {
    let until = |cycle: u32| {
        let (_, _, results) = run(&format!(
            "[network]\ntopology = \"mesh\"\nsides = [2]\nlink_latency_cycles = 20\n\
            [router.chaos]\nbypass = false\nstall_threshold_cycles = 500\n\
            [traffic]\nprocess = \"once\"\nk = 2\npattern = \"bit-complement\"\n[run]\ndeadline_cycles = {cycle}\n"
        ));
        results.failure
    };
    let failure = until(300).unwrap();
    assert_eq!((failure.packets, failure.stuck), (4, 0), "{failure}");
    assert_eq!(failure.kind, FailureKind::Deadline);
    assert!(until(3_000).is_none());
}

/// Without bypassing, packets that have arrived go through the multiqueue, too, and into it when their paired output is
/// decided on. In a deadlock all of them wait for something, also where the delivery frame and the multiqueue have room.
#[test]
fn who_may_not_bypass_waits_for_its_paired_output() {
    let (_, _, results) = run(
        "[network]\ntopology = \"mesh\"\nsides = [5, 4]\nlink_latency_cycles = 5\nduplex = \"half\"\nturnaround_cycles = 0\n\
        [router.chaos]\npacket_words = 6\nstall_threshold_cycles = 9\ndecision_latency_cycles = 3\ninput_release_cycles = 11\n\
        output_reopen_cycles = 0\nscan_order = [\"north\", \"east\", \"west\", \"south\"]\ninitial_pointer = \"random\"\n\
        multiqueue_policy = \"oldest-first\"\nderouting = false\nmultiqueue_freed_at = \"tail\"\nbypass = false\n\
        [traffic]\nload = 0.4296451358061055\npattern = \"permutation\"\n\
        [run]\nseed = 15401539987118312927\nwarmup_cycles = 102\nmeasure_cycles = 179\ndrain_cycles = 5000\n\
        stop_at_overload = false\n",
    );
    let failure = results.failure.unwrap();
    assert_eq!(failure.kind, FailureKind::Deadlock);
    assert_eq!((failure.packets, failure.stuck), (113, 113), "{failure}");
    let waits = failure.waits.iter();
    let waiting: HashSet<(u32, u32)> = waits.map(|it| (it.source, it.serial)).collect();
    assert_eq!(waiting.len(), 113);
    let mut home = failure.waits.iter().filter(|it| it.node == it.destination);
    let arrived = home.find(|it| (it.source, it.serial) == (9, 5)).unwrap();
    assert_eq!(&*arrived.place, "input frame east");
    assert_eq!(&*arrived.waits_for, "its node's output frame east");
}

/// Three nodes in a ring without coordinates: each link leads from a port `next` to a port `back`, and what waits for something at
/// its far end waits for the port there. The local port leads to the processor.
#[test]
fn waits_on_a_graph_name_the_far_port() {
    let mut graph = Graph::of_nodes(3).unwrap();
    for node in 0..3 {
        let (from, to) = (NodeId(node), NodeId((node + 1) % 3));
        graph.link((from, Port(0)), (to, Port(1)), None).unwrap();
    }
    let names = vec!["next".into(), "back".into()];
    graph.name_ports(names).unwrap();
    let shape = Shape::from(graph.build().unwrap());
    let mut describer = Describer::new(&shape);
    let mut text = |waits_for: WaitsFor| {
        let waiting = describer.describe(&Wait {
            node: NodeId(1),
            packet: PacketId {
                source: TerminalId(0),
                serial: 7,
            },
            destination: TerminalId(2),
            place: Place::Output(Port(0)),
            takes: 1,
            leaves_by: None,
            waits_for,
            until: Until::Time,
        });
        assert_eq!(&*waiting.place, "output frame next");
        waiting.waits_for.to_string()
    };
    for (waits_for, expected) in [
        (
            WaitsFor::Neighbour(Port(0)),
            "node 2 to free its input frame back",
        ),
        (
            WaitsFor::Neighbour(Port(1)),
            "node 0 to free its input frame next",
        ),
        (
            WaitsFor::Room(Port(0), 1),
            "room in input back channel 1 of node 2",
        ),
        (
            WaitsFor::Room(Port(2), 0),
            "room in input local channel 0 of its processor",
        ),
    ] {
        assert_eq!(text(waits_for), expected);
    }
}
