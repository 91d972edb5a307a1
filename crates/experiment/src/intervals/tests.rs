//! Intervals of hand-made events.

use super::*;
use flitwork_topology::Grid;
use flitwork_types::PacketId;

fn grid() -> Grid {
    Grid::mesh(&[2, 2]).unwrap()
}

fn packet(created: u32, injected: u32, words: u16) -> Packet {
    Packet {
        id: PacketId::default(),
        destination: TerminalId(1),
        created: Cycle(created),
        injected: Cycle(injected),
        words,
        ..Packet::default()
    }
}

fn tail(intervals: &mut Intervals, cycle: u32, words: u16) {
    let event = Event::Tail {
        packet: PacketId::default(),
        port: Port(0),
        words,
    };
    intervals.event(NodeId(0), Cycle(cycle), event);
}

/// Intervals 0..10, 10..20, 20..25. A packet of 4 words is created in 3, enters in 9 and is delivered in 24;
/// another is created in 12 and never enters. The words of a worm of 15 whose last leaves in 20 leave in 6 to
/// 20: 4 + 10 + 1.
#[test]
fn what_happens_counts_in_its_interval() {
    let mut intervals = Intervals::new(&grid(), 10);
    let packet = packet(3, 9, 4);
    // The delivery is reported first, as an engine may do that reports events ahead of time.
    intervals.event(NodeId(1), Cycle(24), Event::Delivered { packet });
    intervals.event(NodeId(0), Cycle(9), Event::Injected { packet });
    intervals.left_over(TerminalId(2), Cycle(12), 7, 1);
    tail(&mut intervals, 20, 15);
    let local = Event::Tail {
        packet: PacketId::default(),
        port: grid().local(),
        words: 4,
    };
    intervals.event(NodeId(1), Cycle(24), local);
    let all = intervals.finish(Cycle(25));
    let of = |value: fn(&Interval) -> u64| all.iter().map(value).collect::<Vec<u64>>();
    assert_eq!(of(|one| one.from.get().into()), [0, 10, 20]);
    assert_eq!(of(|one| one.to.get().into()), [10, 20, 25]);
    assert_eq!(of(|one| one.sums.created_packets), [1, 1, 0]);
    assert_eq!(of(|one| one.sums.created_words), [4, 7, 0]);
    assert_eq!(of(|one| one.sums.injected_packets), [1, 0, 0]);
    assert_eq!(of(|one| one.sums.delivered_packets), [0, 0, 1]);
    assert_eq!(of(|one| one.sums.delivered_words), [0, 0, 4]);
    assert_eq!(of(|one| one.sums.latency_cycles), [0, 0, 21]);
    assert_eq!(of(|one| one.sums.network_latency_cycles), [0, 0, 15]);
    assert_eq!(of(|one| one.sums.latency_max_cycles), [0, 0, 21]);
    assert_eq!(of(|one| one.sums.link_words), [4, 10, 1]);
    assert_eq!(of(|one| one.backlog_packets), [0, 1, 1]);
    assert_eq!(of(|one| one.in_network_packets), [1, 1, 0]);

    let run = OverTime {
        intervals: all,
        window: Window::new(Cycle(10), Cycle(23)).unwrap(),
        nodes: 4,
        counts_terminals: false,
        wires: 8,
    };
    let phases: Vec<&str> = run.intervals.iter().map(|one| run.phase(one)).collect();
    assert_eq!(phases, ["warm-up", "measured", "mixed"]);
    let last = &run.intervals[2];
    // 4 words, 4 nodes, 5 cycles; a word, 8 links, 5 cycles.
    assert_eq!(run.accepted(last), 0.2);
    assert_eq!(run.link_utilisation(last), 0.025);
}

/// A node's own clock: its cycle 5 is the nominal clock's 15.
#[test]
fn cycles_count_on_the_nominal_clock() {
    let mut intervals = Intervals::new(&grid(), 10);
    let at = Moment::new(Cycle(15), 15_400);
    intervals.tick(NodeId(0), Cycle(5), at);
    tail(&mut intervals, 5, 2);
    let all = intervals.finish(Cycle(20));
    assert_eq!(
        all.iter()
            .map(|one| one.sums.link_words)
            .collect::<Vec<_>>(),
        [0, 2]
    );
}

/// Far apart and back: the memory of the last interval isn't mistaken for another.
#[test]
fn events_come_in_any_order() {
    let cycles: [u32; 8] = [999, 0, 500, 501, 9, 10, 999, 4_000];
    let mut intervals = Intervals::new(&grid(), 10);
    cycles
        .iter()
        .for_each(|cycle| tail(&mut intervals, *cycle, 1));
    let mut halves = [intervals.another(), intervals.another()];
    for (index, cycle) in cycles.iter().enumerate() {
        tail(&mut halves[index % 2], *cycle, 1);
    }
    let mut merged = intervals.another();
    halves.iter().for_each(|half| merged.merge(half));
    let all = intervals.finish(Cycle(4_001));
    assert_eq!(merged.finish(Cycle(4_001)), all);
    for interval in all {
        let inside = |cycle: &&u32| (interval.from.get()..interval.to.get()).contains(*cycle);
        let counted = cycles.iter().filter(inside).count();
        assert_eq!(
            interval.sums.link_words, counted as u64,
            "{}",
            interval.from
        );
    }
}

#[test]
fn a_run_without_a_cycle_has_no_interval() {
    let intervals = Intervals::new(&grid(), 3);
    assert_eq!(intervals.finish(Cycle(0)), []);
    assert_eq!(intervals.finish(Cycle(1)).len(), 1);
}

/// A packet of 4 words, created in 3, that was to enter in 12 and doesn't: nothing of it is left, in the interval of its
/// creation and in that of its injection. Another, of 7 words, stays.
#[test]
fn a_packet_that_is_taken_back_leaves_nothing() {
    let mut intervals = Intervals::new(&grid(), 10);
    let (one, other) = (packet(3, 12, 4), packet(5, 13, 7));
    for packet in [one, other] {
        intervals.event(NodeId(0), packet.injected, Event::Injected { packet });
    }
    intervals.take_back(NodeId(0), one.injected, &one);
    let all = intervals.finish(Cycle(20));
    let of = |value: fn(&Interval) -> u64| all.iter().map(value).collect::<Vec<u64>>();
    assert_eq!(of(|it| it.sums.created_packets), [1, 0]);
    assert_eq!(of(|it| it.sums.created_words), [7, 0]);
    assert_eq!(of(|it| it.sums.injected_packets), [0, 1]);
    assert_eq!(of(|it| it.backlog_packets), [1, 0]);
    assert_eq!(of(|it| it.in_network_packets), [0, 1]);
}
