//! The closed form, and which buffers are tried.

use super::*;
use crate::context::tests::Silent;
use crate::options::{Repeats, Seeds};

fn asked() -> CutThrough {
    CutThrough {
        side: 4,
        vcs: 2,
        packet_words: vec![1, 3, 8],
        many: RunOptions {
            cycles: 300,
            repeats: Repeats {
                over: Seeds {
                    first_seed: 1,
                    seeds: 2,
                },
                set: Vec::new(),
                jobs: Some(2),
            },
        },
    }
}

#[test]
fn a_lone_packet_takes_what_the_closed_form_says() {
    let asked = asked();
    for point in points(&asked) {
        for (hops, (_, pair)) in distances(asked.side) {
            let resolved = asked.lone(&Catalogue::default(), point, pair).unwrap();
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
            .filter(|point| point.switching == switching && point.packet_words == words);
        own.map(|point| point.buffer_words).collect()
    };
    assert_eq!(of("wormhole", 1), [1, 2]);
    assert_eq!(of("wormhole", 3), [1, 2, 3, 4, 6]);
    assert_eq!(of("cut-through", 8), [8, 16]);
    let Ok(Ran::Whole(rows)) = asked.run(&mut Silent::new(u32::MAX)) else {
        panic!("no rows")
    };
    assert_eq!(rows.len(), points.len());
    assert!(
        rows.iter().all(|row| row.throughput.mean > 0.05),
        "{rows:?}"
    );
    assert!(asked.text(&rows).contains("closed form"));
    assert!(asked.figure(&rows).unwrap().starts_with("<svg"));
}
