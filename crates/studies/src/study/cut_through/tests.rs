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
