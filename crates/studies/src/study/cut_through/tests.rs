//! The closed form, and which buffers are tried.

use super::*;
use crate::context;
use crate::context::tests::{Silent, whole_rows};

fn asked() -> CutThrough {
    context::tests::asked(
        &ENTRY,
        "--topologies mesh,torus --side 4 --packet-words 1,3,8 --cycles 300 --seeds 2 --jobs 2",
    )
}

#[test]
fn a_lone_packet_takes_what_the_closed_form_says() {
    let asked = asked();
    for point in points(&asked) {
        for (hops, (_, pair)) in distances(&point.panel) {
            let resolved = asked.lone(&Catalogue::default(), &point, pair).unwrap();
            let run = simulate(&resolved, &mut |_| ControlFlow::Continue(()));
            let measured = run.observation.latency.mean().unwrap();
            let expected = closed_form_cycles(&resolved, point.packet_words, hops).unwrap();
            assert_eq!(measured, expected as f64, "{point:?}, {hops} hops");
        }
    }
}

#[test]
fn buffers_go_from_one_word_to_two_packets() {
    let asked = asked();
    let points = points(&asked);
    let of = |switching: &str, words: u16| -> Vec<u16> {
        let own = points
            .iter()
            .filter(|point| point.switching == switching && point.packet_words == words)
            .filter(|point| point.panel.topology == "torus");
        own.map(|point| point.buffer_words).collect()
    };
    assert_eq!(of("wormhole", 1), [1, 2]);
    assert_eq!(of("wormhole", 3), [1, 2, 3, 4, 6]);
    assert_eq!(of("cut-through", 8), [8, 16]);
    let rows = whole_rows(&asked);
    assert_eq!(rows.len(), points.len());
    assert!(
        rows.iter().all(|row| row.throughput.mean > 0.05),
        "{rows:?}"
    );
    assert!(asked.text(&rows).contains("closed form"));
    assert!(asked.figure(&rows).unwrap().starts_with("<svg"));
}

/// 4 x 4 nodes: of the mesh's 240 ordered pairs 48 are neighbours and the corners are 6 hops apart; on the torus 64 are, and none is further than 4.
#[test]
fn pairs_are_counted_by_their_distance() {
    let of = |topology: &str| {
        let panel = Panel {
            topology: topology.into(),
            side: 4,
            pattern: "uniform".into(),
        };
        let all: Vec<(u32, f64)> = distances(&panel)
            .into_iter()
            .map(|(hops, it)| (hops, it.0))
            .collect();
        all
    };
    let (mesh, torus) = (of("mesh"), of("torus"));
    assert_eq!((mesh[0], mesh[5]), ((1, 48.0), (6, 4.0)));
    assert_eq!((torus[0], torus[3]), ((1, 64.0), (4, 16.0)));
    for all in [&mesh, &torus] {
        assert_eq!(all.iter().map(|it| it.1).sum::<f64>(), 240.0);
    }
    assert_eq!((mesh.len(), torus.len()), (6, 4));
}

/// Each network with each pattern has its rows, its table and its figure; wrong names are refused, and keys that the study sets.
#[test]
fn networks_and_patterns_are_apart() {
    let line = "--topologies torus,mesh --side 4 --patterns uniform,hot-spot --packet-words 2 --cycles 200 --seeds 1";
    let asked: CutThrough = context::tests::asked(&ENTRY, line);
    let rows = whole_rows(&asked);
    let text = asked.text(&rows);
    for title in [
        "torus of 4 x 4, uniform",
        "torus of 4 x 4, hot-spot",
        "mesh of 4 x 4, uniform",
        "mesh of 4 x 4, hot-spot",
    ] {
        assert!(
            text.contains(&format!(
                "{title}, dimension order, 2 virtual channels, 1 seed;"
            )),
            "{text}"
        );
    }
    assert_eq!(
        asked.configurations(&Catalogue::default()).len(),
        rows.len()
    );
    let names: Vec<String> = asked.figures(&rows).into_iter().map(|it| it.0).collect();
    assert_eq!(
        names,
        [
            "cut-through-torus-4-hot-spot.svg",
            "cut-through-mesh-4-uniform.svg",
            "cut-through-mesh-4-hot-spot.svg"
        ]
    );
    assert!(names.iter().all(|name| asked.owns(name)));
    let own = |of: &CutThroughRow| (of.point.panel.title(), of.throughput.mean.to_bits());
    let mut all: Vec<_> = rows
        .iter()
        .filter(|row| row.point.buffer_words == 4 && row.point.switching == "wormhole")
        .map(own)
        .collect();
    assert_eq!(all.len(), 4);
    all.dedup_by_key(|it| it.1);
    assert_eq!(all.len(), 4);
    for line in [
        "--topologies ring",
        "--patterns x",
        "--set network.topology=\"torus\"",
    ] {
        let asked: CutThrough = context::tests::asked(&ENTRY, line);
        assert!(
            matches!(
                asked.run(&mut Silent::new(u32::MAX)),
                Err(Failed::BadInput(_))
            ),
            "{line}"
        );
    }
}

fn one(line: &str) -> (CutThrough, Vec<CutThroughRow>) {
    let line = format!("--side 3 --packet-words 2 --cycles 300 {line}");
    let asked: CutThrough = context::tests::asked(&ENTRY, &line);
    let rows = whole_rows(&asked);
    (asked, rows)
}

/// A row's runs are those of its seeds: each is another one, and the same as alone.
#[test]
fn a_seed_gives_the_same_among_others() {
    let (_, both) = one("--first-seed 8 --seeds 2");
    let (_, alone) = one("--first-seed 9 --seeds 1");
    for (both, alone) in both.iter().zip(&alone) {
        let seen: Vec<_> = both
            .runs
            .iter()
            .map(|run| (run.seed, run.accepted))
            .collect();
        assert_eq!((seen[0].0, seen[1]), (8, (9, alone.runs[0].accepted)));
        assert_eq!(both.runs[1].served, alone.runs[0].served);
        assert_ne!(seen[0].1, seen[1].1);
        assert!((both.throughput.mean - (seen[0].1 + seen[1].1) / 2.0).abs() < 1e-12);
    }
}

/// On 2 x 2 nodes 8 of the 12 pairs are a hop apart and 4 are two: two thirds and one third. A node of a mesh has four inputs, and that of its
/// source, of two channels each.
#[test]
fn latencies_are_means_over_pairs_of_nodes() {
    let asked: CutThrough =
        context::tests::asked(&ENTRY, "--side 2 --packet-words 3 --cycles 100 --seeds 1");
    for row in whole_rows(&asked) {
        let resolved = asked
            .lone(&Catalogue::default(), &row.point, (0, 1))
            .unwrap();
        let form = |hops| closed_form_cycles(&resolved, 3, hops).unwrap() as f64;
        let mean = (2.0 * form(1) + form(2)) / 3.0;
        assert!((row.closed_form_cycles - mean).abs() < 1e-12, "{row:?}");
        assert!((row.lone_latency_cycles - mean).abs() < 1e-12, "{row:?}");
        assert_eq!(
            row.node_buffer_words,
            5 * 2 * u32::from(row.point.buffer_words)
        );
    }
}

/// Half as many cycles as are measured precede them, at a load of a word per cycle.
#[test]
fn an_overload_is_warmed_up() {
    let asked = asked();
    let point = &points(&asked)[0];
    let run = asked.overload(&Catalogue::default(), point, 6).unwrap();
    let of_run = (run.run.seed, run.run.warmup_cycles, run.run.measure_cycles);
    assert_eq!(of_run, (6, 150, 300));
    assert!(run.to_toml().contains("load = 1"), "{}", run.to_toml());
}

/// A head that is routed a cycle later is a cycle later at each of its routers, two more in all where one of two hops is all there is: both runs are so.
#[test]
fn keys_are_those_of_every_run() {
    let (_, usual) = one("--seeds 1");
    let (_, later) = one("--seeds 1 --set router.wormhole.route_cycles=3");
    for (usual, later) in usual.iter().zip(&later) {
        let waits = usual.point.switching != "store-and-forward" || usual.point.packet_words < 4;
        assert!(waits && later.lone_latency_cycles > usual.lone_latency_cycles);
        assert_ne!(later.throughput.mean, usual.throughput.mean);
    }
    for set in [
        "network.topology=torus",
        "network.sides=[4,4]",
        "router.wormhole.vcs=4",
        "router.wormhole.buffer_words=4",
        "router.wormhole.switching=wormhole",
        "traffic.packet_words=2",
        "traffic.load=0.5",
        "traffic.process=once",
        "traffic.pattern=transpose",
        "run.warmup_cycles=9",
        "run.measure_cycles=9",
        "run.seed=9",
    ] {
        let asked: CutThrough = context::tests::asked(&ENTRY, &format!("--side 3 --set {set}"));
        match asked.run(&mut Silent::new(u32::MAX)) {
            Err(Failed::BadInput(why)) => assert!(why.contains("sets this key itself"), "{why}"),
            _ => panic!("{set} is accepted"),
        }
    }
}

/// Another throughput of a row changes the figure of its own network and pattern, and no other: the first one's is the study's. The table has the
/// worst source, not the worst destination.
#[test]
fn figures_and_tables_show_their_own_rows() {
    let (asked, rows) = one("--topologies mesh,torus --patterns uniform,hot-spot --seeds 1");
    let drawn = |rows: &[CutThroughRow]| -> Vec<String> {
        let further = asked.figures(rows).into_iter().map(|it| it.1);
        asked.figure(rows).into_iter().chain(further).collect()
    };
    let before = drawn(&rows);
    assert_eq!(before.len(), 4);
    let panels = asked.panels();
    for (own, panel) in panels.iter().enumerate() {
        let mut others = rows.clone();
        let mut row = others.iter_mut().filter(|row| row.point.panel == *panel);
        row.next().unwrap().throughput.mean *= 0.5;
        let after = drawn(&others);
        let changed: Vec<usize> = (0..4).filter(|at| before[*at] != after[*at]).collect();
        assert_eq!(changed, [own], "{}", panel.title());
    }
    let with = |of: fn(&mut Served)| {
        let mut rows = rows.clone();
        of(&mut rows[0].runs[0].served);
        asked.text(&rows)
    };
    let text = asked.text(&rows);
    assert_eq!(with(|served| served.worst_destination = Some(0.123)), text);
    assert_ne!(with(|served| served.worst_source = Some(0.123)), text);
}

/// Two virtual channels, or as many as are asked for, in what runs and in the buffers of a node: at four links and the processor.
#[test]
fn channels_are_as_asked_for() {
    for (vcs, line) in [(2, ""), (3, "--vcs 3")] {
        let line = format!("--side 4 --packet-words 1 --cycles 200 --seeds 1 {line}");
        let asked: CutThrough = context::tests::asked(&ENTRY, &line);
        for text in asked.configurations(&Catalogue::default()).values() {
            assert!(text.contains(&format!("\nvcs = {vcs}\n")), "{text}");
        }
        for row in whole_rows(&asked) {
            let words = 5 * vcs * u32::from(row.point.buffer_words);
            assert_eq!(row.node_buffer_words, words);
        }
    }
}
