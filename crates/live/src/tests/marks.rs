//! When nodes are asked for their part, and when all of them have handed it over. Time is simulated.

use super::chunks;
use crate::marks::{Closes, Handed, Marks};
use flitwork_trace::record::Mark;
use flitwork_types::{Cycle, NodeId};
use std::time::Duration;

const fn us(us: u64) -> Duration {
    Duration::from_micros(us)
}

/// What a node hands over: cycles up to `upto`; those before `from` were handed over earlier.
fn handed(node: u32, from: u32, upto: u32, digest: u64, closes: Option<Closes>) -> Handed {
    let ends: &[u32] = match from {
        0 => &[upto],
        _ => &[from, upto],
    };
    let chunk = (upto > from).then(|| chunks(node, &[], ends, 0).remove(ends.len() - 1));
    Handed {
        node: NodeId(node),
        chunk,
        digest,
        closes,
    }
}

const FIRST: Option<Closes> = Some(Closes::Mark(1));
const SECOND: Option<Closes> = Some(Closes::Mark(2));

#[test]
fn a_mark_is_whole_when_the_last_node_has_closed_it() {
    let mut marks = Marks::new(3, us(400_000));
    // A full chunk that closes nothing.
    assert_eq!(marks.take(&handed(0, 0, 10, 5, None), us(100)), None);
    assert_eq!(marks.due_in(us(100)), Some(us(400)));
    assert_eq!(marks.ask(us(499)), None);
    assert_eq!(marks.ask(us(500)), Some(1));
    // One mark at a time.
    assert_eq!(marks.due_in(us(600)), None);
    assert_eq!(marks.ask(us(9_000_000)), None);
    assert_eq!(marks.take(&handed(1, 0, 7, 100, FIRST), us(600)), None);
    assert_eq!(marks.take(&handed(0, 10, 12, 6, FIRST), us(600)), None);
    // Node 0 continues before node 2 has closed.
    assert_eq!(marks.take(&handed(0, 12, 20, 9, None), us(700)), None);
    // Node 2 has run no cycle at all.
    let mark = marks.take(&handed(2, 0, 0, 0, FIRST), us(800));
    let behind = vec![(NodeId(0), Cycle(12))];
    assert_eq!(
        mark,
        Some(Mark {
            digest: 106,
            behind
        })
    );

    // In the next one node 0 closes without further cycles.
    assert_eq!(marks.ask(us(1500)), Some(2));
    assert_eq!(marks.take(&handed(0, 20, 20, 9, SECOND), us(1500)), None);
    assert_eq!(
        marks.take(&handed(2, 0, 3, u64::MAX, SECOND), us(1500)),
        None
    );
    let mark = marks.take(&handed(1, 7, 8, 1, SECOND), us(1500));
    // 9 - 1 + 1, modulo 2^64.
    let (digest, behind) = (9, Vec::new());
    assert_eq!(mark, Some(Mark { digest, behind }));
}

#[test]
fn a_node_that_has_run_its_last_cycle_is_not_waited_for() {
    let mut marks = Marks::new(2, us(400_000));
    let done = Some(Closes::ForGood);
    assert_eq!(marks.take(&handed(0, 0, 10, 5, done), us(0)), None);
    assert_eq!(marks.ask(us(500)), Some(1));
    let mark = marks.take(&handed(1, 0, 4, 2, FIRST), us(500)).unwrap();
    assert_eq!((mark.digest, mark.behind), (7, vec![]));
    // A node that ends while a mark is being made closes it thereby.
    assert_eq!(marks.ask(us(1500)), Some(2));
    let mark = marks.take(&handed(1, 4, 9, 3, done), us(1600)).unwrap();
    assert_eq!((mark.digest, mark.behind), (8, vec![]));
    // No node is left to be asked.
    assert_eq!(marks.due_in(us(9_000_000)), None);
    assert_eq!(marks.ask(us(9_000_000)), None);
}

/// The first mark after half a millisecond, each further one after twice the time, up to the maximum: from
/// one request to the next, however long the nodes take.
#[test]
fn marks_come_in_time() {
    let mut marks = Marks::new(1, us(5_000));
    let mut now = Duration::ZERO;
    for (number, wait) in [
        (1, 500),
        (2, 1000),
        (3, 2000),
        (4, 4000),
        (5, 5000),
        (6, 5000),
    ] {
        assert_eq!(marks.due_in(now), Some(us(wait)), "mark {number}");
        now += us(wait);
        assert_eq!(marks.ask(now - us(1)), None);
        assert_eq!(marks.ask(now), Some(number));
        let closes = Some(Closes::Mark(number));
        let mark = marks.take(&handed(0, 0, 0, 0, closes), now);
        assert_eq!(mark, Some(Mark::default()));
    }
    // The delay of one that takes 1200 us is compensated: the next is due 5000 us after its request.
    assert_eq!(marks.ask(now + us(5000)), Some(7));
    let seventh = handed(0, 0, 0, 0, Some(Closes::Mark(7)));
    marks.take(&seventh, now + us(6200)).unwrap();
    assert_eq!(marks.due_in(now + us(6200)), Some(us(3800)));
    // One that takes longer than that leaves a quarter of the time for the run.
    assert_eq!(marks.ask(now + us(10_000)), Some(8));
    let eighth = handed(0, 0, 0, 0, Some(Closes::Mark(8)));
    marks.take(&eighth, now + us(50_000)).unwrap();
    assert_eq!(marks.due_in(now + us(50_000)), Some(us(1250)));
}
