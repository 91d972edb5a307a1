//! The state that all workers of a run share: whether anything is left, why it stops, and which came first.

use super::slack::{Line, line};
use crate::fault::Cause;
use crate::run::Stop;
use crate::timing::Difference;
use flitwork_types::{Cycle, Due, NodeId};

fn difference(node: Option<u32>, cycle: u32) -> Difference {
    Difference {
        node: node.map(NodeId),
        cycle: Cycle(cycle),
        what: String::new(),
    }
}

/// Workers find differences in any order: the earliest counts; in the same cycle, that of the first node.
#[test]
fn the_earliest_of_several_differences_counts() {
    let reported = [
        (2, 40),
        (1, 30),
        (0, 31),
        (2, 30),
        (0, 30),
        (1, 30),
        (0, 35),
    ];
    let firsts = [
        (2, 40),
        (1, 30),
        (1, 30),
        (1, 30),
        (0, 30),
        (0, 30),
        (0, 30),
    ];
    let run = line(Some(0), 1, 1);
    assert_eq!(run.difference(), None);
    for ((node, cycle), (first, at)) in reported.into_iter().zip(firsts) {
        run.differ(difference(Some(node), cycle));
        assert_eq!(run.difference(), Some(difference(Some(first), at)));
        assert_eq!(run.stop(), Stop::Fault);
    }
    // Of two in the same cycle of the same node, the one found first.
    let again = Difference {
        what: String::from("again"),
        ..difference(Some(0), 30)
    };
    run.differ(again);
    assert_eq!(run.difference(), Some(difference(Some(0), 30)));
}

/// A run whose record can't be written is aborted at its slowest node's cycle.
#[test]
fn a_record_that_cannot_be_written_aborts_the_run() {
    let run = line(Some(4), 1, 1);
    for (node, cycle) in [(0, 9), (1, 7), (2, 8)] {
        run.publish(NodeId(node), Cycle(cycle));
    }
    run.fail_record(String::from("no space"));
    assert_eq!(run.stop(), Stop::Fault);
    let fault = run.fault().unwrap();
    assert_eq!((fault.node, fault.cycle), (NodeId(1), Cycle(7)));
    assert!(matches!(fault.cause, Cause::Record(what) if what == "no space"));
    // The first fault counts.
    run.lose(NodeId(0), "a worker");
    assert!(matches!(run.fault().unwrap().cause, Cause::Record(_)));
}

/// A node that has run its last cycle is lost at the end of the run, which is cycle 1000; so is the record of a run whose nodes
/// all have.
#[test]
fn what_is_lost_after_the_last_cycle_is_lost_at_the_end() {
    let fail: [fn(&Line); 2] = [
        |run| run.lose(NodeId(0), "a worker"),
        |run| run.fail_record(String::from("no space")),
    ];
    for fail in fail {
        let run = line(Some(4), 1, 1);
        (0..3).for_each(|node| run.publish(NodeId(node), Due::NEVER));
        fail(&run);
        let fault = run.fault().unwrap();
        assert_eq!((fault.node, fault.cycle), (NodeId(0), Cycle(1000)));
    }
}

/// Three sources, a worker and a packet: the run is over only when the last of them is done.
#[test]
fn a_run_is_empty_when_nothing_is_left_of_anything() {
    type Step = fn(&Line);
    let steps: [Step; 5] = [
        |run| run.close_source(),
        |run| run.close_source(),
        |run| run.close_source(),
        |run| run.become_quiet(),
        |run| run.count_packet(-1),
    ];
    // Whichever is last.
    for last in 0..steps.len() {
        let run = line(Some(0), 1, 1);
        run.become_busy();
        run.count_packet(1);
        for step in (0..steps.len()).filter(|step| *step != last) {
            steps[step](&run);
            assert!(!run.is_stopped(), "{last} was still to come");
        }
        steps[last](&run);
        assert_eq!(run.stop(), Stop::Empty);
    }
    // A source that reopens keeps it going.
    let run = line(Some(0), 1, 1);
    run.become_busy();
    run.open_source();
    (0..3).for_each(|_| run.close_source());
    run.become_quiet();
    assert!(!run.is_stopped());
    run.close_source();
    assert_eq!(run.stop(), Stop::Empty);
}

#[test]
fn a_run_is_busy_while_a_node_isnt_settled_or_a_packet_is_under_way() {
    let run = line(Some(0), 1, 1);
    assert!(!run.is_busy());
    run.become_busy();
    assert!(run.is_busy());
    run.count_packet(1);
    run.become_quiet();
    assert!(run.is_busy());
    run.count_packet(-1);
    assert!(!run.is_busy());
}

/// Without a slack a node may end with packets in it, or before it has taken what was sent to it.
#[test]
fn nodes_end_apart_only_without_a_slack() {
    use std::sync::atomic::Ordering::Relaxed;
    for slack in [None, Some(3)] {
        let run = line(slack, 1, 2);
        assert!(!run.ended_apart());
        // A node that continues holds packets, and one that has ended holds none.
        run.settle(NodeId(0), true);
        run.publish(NodeId(0), Due::NEVER);
        assert!(!run.ended_apart());
        // Sent by one worker and received by the other.
        run.moved[0].store(2, Relaxed);
        run.taken[1].store(1, Relaxed);
        assert_eq!(run.ended_apart(), slack.is_none());
        run.taken[1].store(2, Relaxed);
        assert!(!run.ended_apart());
        run.publish(NodeId(2), Due::NEVER);
        assert_eq!(run.ended_apart(), slack.is_none());
        run.settle(NodeId(2), true);
        assert!(!run.ended_apart());
    }
}

/// The first of two workers has two of three nodes.
#[test]
fn each_worker_has_consecutive_nodes() {
    let owners = |workers| {
        let run = line(Some(0), 1, workers);
        [0, 1, 2].map(|node| run.owner(NodeId(node)))
    };
    assert_eq!(owners(1), [0, 0, 0]);
    assert_eq!(owners(2), [0, 0, 1]);
    assert_eq!(owners(3), [0, 1, 2]);
}
