use super::*;
use crate::context::tests::Silent;

fn asked() -> SelfTimed {
    SelfTimed {
        routers: vec!["chaos".into(), "deflection".into()],
        topologies: vec!["mesh".into()],
        side: 4,
        spreads: vec![0.0, 20.0],
        corners: vec![-20.0, 30.0],
        lengths: vec![1, 4],
        step: vec![600, 1000],
        segment: 250,
        protocol: "two-phase".into(),
        low_load: 0.05,
        clock_pj: 1.0,
        transition_pj: 0.1,
        seeds: 2,
        time: 2000,
        jobs: Some(2),
    }
}

fn rows(asked: &SelfTimed) -> Vec<SelfTimedRow> {
    match asked.run(&mut Silent::new(u32::MAX)) {
        Ok(Ran::Whole(rows)) => rows,
        other => panic!("{other:?}"),
    }
}

/// 1000 ps, 30 % slower, and that 20 % slower: 1300 and 1560 ps. A link of 4 * 250 ps takes 1300 ps there: one cycle.
#[test]
fn the_clock_covers_the_slowest_node_of_the_slowest_corner() {
    let places = places(&asked()).unwrap();
    let clocked = places
        .iter()
        .filter(|place| matches!(place.design, Design::Clocked { .. }));
    let periods: Vec<u64> = clocked.filter_map(Place::period_ps).collect();
    assert_eq!(periods, [1300, 1560].repeat(4));
    assert_eq!(places.len(), 2 * 2 * 2 * 3);
    let long = SelfTimed {
        lengths: vec![9],
        ..asked()
    };
    let places = super::places(&long).unwrap();
    // 9 * 325 ps are 2925 ps.
    let design = Design::Clocked {
        period_ps: 1300,
        link_cycles: 3,
    };
    assert_eq!(places[0].design, design);
}

/// In a faster corner everything is faster, and a word costs as many transitions; a clock costs more per word the less
/// there is to do.
#[test]
fn corners_scale_time_and_not_transitions() {
    let asked = asked();
    let rows = rows(&asked);
    for rows in rows.chunks(3) {
        let [clocked, fast, slow] = rows else {
            panic!()
        };
        let (fast_ns, slow_ns) = (fast.latency.unwrap().mean, slow.latency.unwrap().mean);
        // All delays are 0.8 and 1.3 times the typical ones, but for the instants at which packets are made.
        assert!(
            (slow_ns / fast_ns / (1.3 / 0.8) - 1.0).abs() < 0.1,
            "{fast_ns} {slow_ns}"
        );
        assert!(fast.accepted.mean > slow.accepted.mean);
        let energy = |row: &SelfTimedRow| row.low_energy.unwrap().mean;
        assert!((energy(fast) / energy(slow) - 1.0).abs() < 0.1);
        // 16 nodes tick once per period and 0.05 * 16 words come per ns.
        let period_ns = clocked.place.cycle_ns();
        let expected = 1.0 / period_ns / 0.05;
        assert!(
            (energy(clocked) / expected - 1.0).abs() < 0.15,
            "{}",
            energy(clocked)
        );
        assert!(clocked.overload_energy.unwrap().mean < energy(clocked));
    }
}

#[test]
fn wrong_values_are_refused_by_their_options() {
    let wrong = |asked: SelfTimed, option: &str| {
        let error = asked.run(&mut Silent::new(u32::MAX)).unwrap_err();
        let error = format!("{error:?}");
        assert!(error.contains(option), "{error}");
    };
    wrong(
        SelfTimed {
            routers: vec!["bless".into()],
            ..asked()
        },
        "--routers",
    );
    wrong(
        SelfTimed {
            topologies: vec!["ring".into()],
            ..asked()
        },
        "--topologies",
    );
    wrong(
        SelfTimed {
            step: vec![600],
            ..asked()
        },
        "--step",
    );
    wrong(
        SelfTimed {
            step: vec![600, 500],
            ..asked()
        },
        "--step",
    );
    wrong(
        SelfTimed {
            protocol: "one-phase".into(),
            ..asked()
        },
        "--protocol",
    );
}

#[test]
fn each_network_has_its_figures() {
    let asked = SelfTimed {
        lengths: vec![1],
        routers: vec!["chaos".into()],
        ..asked()
    };
    let rows = rows(&asked);
    let figures = Study::figures(&asked, &rows);
    let names: Vec<&str> = figures.iter().map(|figure| &*figure.0).collect();
    let expected =
        ["accepted", "latency", "energy"].map(|name| format!("self-timed-chaos-mesh-1-{name}.svg"));
    assert_eq!(names, expected);
    assert!(names.iter().all(|name| asked.owns(name)));
    assert!(
        asked
            .text(&rows)
            .contains("chaos, mesh, links of 1 segment")
    );
}
