//! Intervals of events that are told by hand.

use super::*;
use flitwork_plot::Figure;
use flitwork_topology::Grid;
use flitwork_types::PacketId;

fn grid() -> Grid {
    Grid::mesh(&[2, 2]).unwrap()
}

fn packet(created: u32, injected: u32, words: u16) -> Packet {
    Packet {
        id: PacketId::default(),
        destination: NodeId(1),
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
    // A delivery is told first, as an engine may that tells events ahead.
    intervals.event(NodeId(1), Cycle(24), Event::Delivered { packet });
    intervals.event(NodeId(0), Cycle(9), Event::Injected { packet });
    intervals.left_over(NodeId(2), Cycle(12), 7, 1);
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
    assert_eq!(of(|one| one.created_packets), [1, 1, 0]);
    assert_eq!(of(|one| one.created_words), [4, 7, 0]);
    assert_eq!(of(|one| one.injected_packets), [1, 0, 0]);
    assert_eq!(of(|one| one.delivered_packets), [0, 0, 1]);
    assert_eq!(of(|one| one.delivered_words), [0, 0, 4]);
    assert_eq!(of(|one| one.latency_cycles), [0, 0, 21]);
    assert_eq!(of(|one| one.network_latency_cycles), [0, 0, 15]);
    assert_eq!(of(|one| one.latency_max_cycles), [0, 0, 21]);
    assert_eq!(of(|one| one.link_words), [4, 10, 1]);
    assert_eq!(of(|one| one.backlog_packets), [0, 1, 1]);
    assert_eq!(of(|one| one.in_network_packets), [1, 1, 0]);

    let run = OverTime {
        intervals: all,
        window: Window::new(Cycle(10), Cycle(23)).unwrap(),
        nodes: 4,
        links: 8,
    };
    let phases: Vec<&str> = run.intervals.iter().map(|one| run.phase(one)).collect();
    assert_eq!(phases, ["warm-up", "measured", "mixed"]);
    let last = &run.intervals[2];
    // 4 words, 4 nodes, 5 cycles; a word, 8 links, 5 cycles.
    assert_eq!(run.accepted(last), 0.2);
    assert_eq!(run.link_utilisation(last), 0.025);
    let table = String::from_utf8(csv(&run)).unwrap();
    let lines: Vec<&str> = table.lines().collect();
    assert_eq!(lines[1], "0,10,warm-up,1,4,0.1,1,0,0,0,,,,0,1,4,0.05");
    assert_eq!(lines[3], "20,25,mixed,0,0,0,0,1,4,0.2,21,21,15,1,0,1,0.025");
}

/// A node's own clock: its cycle 5 is the nominal clock's 15.
#[test]
fn cycles_are_those_of_the_nominal_clock() {
    let mut intervals = Intervals::new(&grid(), 10);
    intervals.tick(NodeId(0), Cycle(5), Cycle(15));
    tail(&mut intervals, 5, 2);
    let all = intervals.finish(Cycle(20));
    assert_eq!(
        all.iter().map(|one| one.link_words).collect::<Vec<_>>(),
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
        assert_eq!(interval.link_words, counted as u64, "{}", interval.from);
    }
}

/// A long run's figure has no more points than can be seen, and the same sums.
#[test]
fn a_long_run_is_drawn_by_fewer_points() {
    let mut intervals = Intervals::new(&grid(), 1);
    (0..5_003).for_each(|cycle| tail(&mut intervals, cycle, 1));
    let run = OverTime {
        intervals: intervals.finish(Cycle(5_003)),
        window: Window::new(Cycle(1_000), Cycle(4_000)).unwrap(),
        nodes: 4,
        links: 8,
    };
    let figure = over_time(&run);
    let points = &figure.panels[3].series[0].points;
    assert!((500..=1000).contains(&points.len()), "{}", points.len());
    assert!(points.iter().all(|(_, y)| *y == 0.125));
    let names: Vec<&str> = figure.bands.iter().map(|band| band.name).collect();
    assert_eq!(names, ["warm-up", "measured", "drain"]);
    let shaded: Vec<bool> = figure.bands.iter().map(|band| band.is_shaded).collect();
    assert_eq!(shaded, [true, false, true]);
    let svg = figure.svg();
    for text in [
        "warm-up",
        "measured",
        "drain",
        "offered",
        "in sources",
        "words/link/cycle",
    ] {
        assert!(svg.contains(text), "{text}");
    }
}

#[test]
fn a_run_without_a_cycle_has_no_interval() {
    let intervals = Intervals::new(&grid(), 3);
    assert_eq!(intervals.finish(Cycle(0)), []);
    assert_eq!(intervals.finish(Cycle(1)).len(), 1);
    let over_time = OverTime {
        intervals: Vec::new(),
        window: Window::new(Cycle(0), Cycle(10)).unwrap(),
        nodes: 4,
        links: 8,
    };
    assert!(super::over_time(&over_time).svg().contains("offered"));
}
