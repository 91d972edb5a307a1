use super::*;
use crate::context::tests::{self, Silent};

fn asked(line: &str) -> Multiqueue {
    tests::asked(&ENTRY, line)
}

fn rows(line: &str) -> Vec<MultiqueueRow> {
    tests::whole_rows(&asked(line))
}

fn drains(after: &[Option<u32>]) -> MultiqueueRow {
    let drain = |after: &Option<u32>| Drain {
        after: *after,
        left: if after.is_none() { 7 } else { 0 },
        ..Drain::default()
    };
    MultiqueueRow {
        place: Place {
            topology: "mesh",
            pattern: "uniform".into(),
            frames: 1,
        },
        seen: Vec::new(),
        drains: after.iter().map(drain).collect(),
    }
}

/// Of 40, 10 and 30 cycles, half of the seeds (two of three) were empty after 30, all after 40. If one of three never was, two were
/// after 40; of two of three never, not half. Of four, two were after 20.
#[test]
fn drains_by_hand() {
    let of = |after: &[Option<u32>]| {
        let row = drains(after);
        (row.drained_median(), row.drained_worst(), row.left())
    };
    assert_eq!(of(&[Some(40), Some(10), Some(30)]), (Some(30), Some(40), 0));
    assert_eq!(of(&[Some(40), None, Some(30)]), (Some(40), None, 7));
    assert_eq!(of(&[None, None, Some(30)]), (None, None, 14));
    assert_eq!(
        of(&[Some(9), Some(40), Some(20), Some(30)]),
        (Some(20), Some(40), 0)
    );
    assert_eq!(of(&[]), (None, None, 0));
}

/// Two runs, with 0.1 and 0.3 deroutes per hop, 2 and 4 packets in a multiqueue, and empty after 40 cycles, or never with 7 packets left:
/// means of 0.2 and 3, the latter ± 12.706, Student's t with one degree of freedom, of a standard error of 1.
#[test]
fn columns_show_what_they_say() {
    let mut row = drains(&[Some(40), None]);
    for (drain, (deroutes_per_hop, multiqueue_mean)) in
        row.drains.iter_mut().zip([(0.1, 2.0), (0.3, 4.0)])
    {
        drain.deroutes_per_hop = deroutes_per_hop;
        drain.multiqueue_mean = multiqueue_mean;
    }
    let columns = asked("").columns();
    let cell = |name: &str| {
        let column = columns.iter().find(|it| it.header.name == name);
        column.unwrap().cell(&row).number()
    };
    for (name, expected) in [
        ("multiqueue_frames", 1.0),
        ("seeds", 2.0),
        ("deroutes_per_hop", 0.2),
        ("buffer_packets_mean", 3.0),
        ("buffer_half_width_packets", 12.706),
        ("drained_after_cycles", 40.0),
        ("drained_seeds", 1.0),
        ("packets_in_network", 7.0),
    ] {
        let found = cell(name).unwrap();
        assert!((found - expected).abs() < 1e-3, "{name}: {found}");
    }
    assert_eq!(cell("drained_after_max_cycles"), None);
}

/// Of an odd number of cycles the larger half comes before the window.
#[test]
fn a_place_runs_what_it_shows() {
    let line = "--side 4 --cycles 2001 --frames 5 --patterns uniform --first-seed 6";
    let of = |more: &str| {
        let all = asked(&format!("{line} {more}")).configurations(&Catalogue::default());
        all["torus, uniform, 5 frames"].clone()
    };
    let text = of("");
    for key in [
        "warmup_cycles = 1001",
        "measure_cycles = 1000",
        "seed = 6",
        "derouting = true",
        "multiqueue_frames = 5",
        "topology = \"torus\"",
    ] {
        assert!(text.contains(key), "{key}: {text}");
    }
    assert!(of("--no-derouting").contains("derouting = false"));
}

/// The means are those of the runs, whose seeds are those that are asked for; and a seed gives the same among others as alone.
#[test]
fn rows_are_means_of_their_seeds() {
    const LINE: &str = "--side 4 --cycles 2000 --frames 2 --patterns bit-complement --jobs 2";
    let both = rows(&format!("{LINE} --first-seed 8 --seeds 2"));
    let alone = rows(&format!("{LINE} --seed 9 --seeds 1"));
    assert_eq!((both.len(), alone.len()), (2, 2), "a mesh and a torus");
    for (both, alone) in both.iter().zip(&alone) {
        let seeds: Vec<u64> = both.seen.iter().map(|run| run.seed).collect();
        assert_eq!(seeds, [8, 9]);
        assert_eq!(both.seen[1], alone.seen[0]);
        assert_eq!(both.drains[1], alone.drains[0]);
        let accepted = |at: usize| both.seen[at].accepted.unwrap();
        let mean = seen::over(&both.seen, |run| run.accepted).unwrap();
        assert!((mean.mean - (accepted(0) + accepted(1)) / 2.0).abs() < 1e-12);
        assert_eq!(both.drained().len(), 2, "Chaos drains");
        for drain in &both.drains {
            // In frames of the multiqueue; and each deroute is made up for by another hop.
            assert!(
                drain.multiqueue_mean > 0.1 && drain.multiqueue_mean <= 2.0,
                "{drain:?}"
            );
            assert!(
                drain.deroutes_per_hop > 0.0 && drain.deroutes_per_hop <= 0.5,
                "{drain:?}"
            );
        }
        // Not all at once: each link carries a word a cycle.
        assert!(both.drained()[0] > 10 && both.left() == 0);
    }
}

/// Sources fall silent at the end of the window: what enters is what had entered by then, and what is left is in the network.
#[test]
fn a_network_without_derouting_may_keep_its_packets() {
    let rows = rows(
        "--side 4 --cycles 6000 --frames 1 --patterns bit-complement --no-derouting --seeds 3",
    );
    let stuck: Vec<&MultiqueueRow> = rows.iter().filter(|row| row.left() > 0).collect();
    assert!(!stuck.is_empty());
    for row in stuck {
        for (seen, drain) in row.seen.iter().zip(&row.drains) {
            assert_eq!(drain.after.is_none(), drain.left > 0);
            assert_eq!(seen.has_failed, drain.left > 0);
            assert_eq!(drain.deroutes_per_hop, 0.0);
            // Frames of 16 nodes: at most six each at four links, and one in the multiqueue, one in and one out at the processor.
            assert!(drain.left <= 16 * (4 * 2 + 3), "{drain:?}");
        }
    }
    let text = asked("--side 4 --no-derouting --seeds 3").text(&rows);
    assert!(text.contains("derouting off, 3 seeds"), "{text}");
    assert!(text.contains(" of 3"), "{text}");
}

#[test]
fn what_the_study_sets_is_refused() {
    let refused = |line: &str| match asked(line).run(&mut Silent::new(0)) {
        Err(Failed::BadInput(why)) => why,
        other => panic!("{line}: {other:?}"),
    };
    for key in [
        "router.chaos.multiqueue_frames=2",
        "run.stop_at_overload=true",
        "traffic.process=once",
        "run.seed=4",
    ] {
        let why = refused(&format!("--set {key}"));
        assert!(why.contains("sets this key itself"), "{why}");
    }
    assert!(refused("--frames 0").starts_with("--frames: multiqueue_frames is 0"));
    assert!(refused("--side 1").starts_with("--side: "));
    assert!(refused("--patterns hot-spot").starts_with("--patterns: "));
    let threshold = "--side 4 --set router.chaos.stall_threshold_cycles=3";
    let text = asked(threshold).configurations(&Catalogue::default());
    assert_eq!(text.len(), 2 * 2 * 8);
    assert!(
        text["torus, uniform, 5 frames"].contains("stall_threshold_cycles = 3"),
        "{text:?}"
    );
}
