//! The links of tasks that aren't run.

use super::{Task, tasks};
use crate::links::{Links, Pushed};
use crate::tests::slack::{Line, line, message, runners};
use flitwork_node::AnyProbe;
use flitwork_types::{Cycle, Due, NodeId, Port};
use std::future::Future;
use std::pin::pin;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};
use std::task::{Context, Waker};

type Tasks = Vec<Task>;

/// Three tasks in a row; port 0 of node 0 leads to port 1 of node 1.
fn row(capacity: usize) -> (Arc<Line>, Tasks) {
    let run = Arc::new(line(Some(0), 1, 1));
    let probes = [Arc::new(Mutex::new(AnyProbe::new(())))];
    let (tasks, _) = tasks(&run, runners(&run), &probes, capacity, 1);
    (run, tasks)
}

fn push(tasks: &mut Tasks, cycle: u32) -> Pushed {
    tasks[0].ends.push(Port(0), message(cycle, 2))
}

#[test]
fn a_channel_holds_what_its_capacity_says() {
    for capacity in [1, 2, 5] {
        let (_run, mut tasks) = row(capacity);
        assert!(!tasks[1].ends.waiting().contains(Port(1)));
        for cycle in 0..capacity as u32 {
            assert_eq!(push(&mut tasks, cycle), Pushed::Gone);
        }
        assert_eq!(push(&mut tasks, 90), Pushed::Full);
        assert!(tasks[1].ends.waiting().contains(Port(1)));
        assert_eq!(tasks[1].ends.pop(Port(1)), Some(message(0, 2)));
        assert_eq!(push(&mut tasks, 91), Pushed::Gone);
        assert_eq!(push(&mut tasks, 92), Pushed::Full);
        let mut rest = Vec::new();
        while tasks[1].ends.waiting().contains(Port(1)) {
            rest.extend(tasks[1].ends.pop(Port(1)).map(|message| message.sent.get()));
        }
        let expected: Vec<u32> = (1..capacity as u32).chain([91]).collect();
        assert_eq!(rest, expected);
    }
}

#[test]
fn an_end_that_closes_is_distinguished_from_one_that_has_finished() {
    let (run, mut tasks) = row(1);
    assert_eq!(push(&mut tasks, 0), Pushed::Gone);
    assert_eq!(push(&mut tasks, 1), Pushed::Full);
    run.publish(NodeId(1), Due::NEVER);
    assert_eq!(push(&mut tasks, 1), Pushed::Gone);
    let (_run, mut tasks) = row(1);
    tasks[1].ends.close();
    assert_eq!(push(&mut tasks, 0), Pushed::Closed);
}

/// Node 0 waits to begin its cycle 5, without a slack: its neighbour wakes it once that has completed all cycles before 5, and
/// not before.
#[test]
fn a_neighbour_rings_as_soon_as_a_cycle_may_begin() {
    let (run, tasks) = row(1);
    let door = &tasks[1].ends.doors[0];
    door.waits.store(5 + 1, Ordering::SeqCst);
    let rung = || {
        let bell = pin!(door.bell.notified());
        bell.poll(&mut Context::from_waker(Waker::noop()))
            .is_ready()
    };
    for (completed, rings) in [(3, false), (4, false), (5, true), (6, true)] {
        run.publish(NodeId(1), Cycle(completed));
        tasks[1].ring();
        assert_eq!(rung(), rings, "{completed} cycles");
    }
}
