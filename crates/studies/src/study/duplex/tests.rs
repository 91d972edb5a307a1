use super::*;
use crate::context::tests::Silent;
use crate::options::Seeds;

fn asked() -> Duplex {
    Duplex {
        axes: ["pattern", "packet", "turnaround", "load"]
            .map(String::from)
            .to_vec(),
        topologies: vec!["torus".into()],
        side: 4,
        sides: vec![4],
        patterns: vec!["uniform".into(), "tornado".into()],
        packet_words: vec![5, 20],
        frames: vec![5],
        thresholds: vec![1],
        turnarounds: vec![0, 2],
        loads: vec![0.05, 0.1],
        low_load: 0.05,
        vcs: 4,
        buffer_words: None,
        cycles: 3000,
        repeats: Repeats {
            over: Seeds {
                first_seed: 1,
                seeds: 3,
            },
            set: Vec::new(),
            jobs: Some(2),
        },
    }
}

fn rows(asked: &Duplex) -> Vec<DuplexRow> {
    match asked.run(&mut Silent::new(u32::MAX)) {
        Ok(Ran::Whole(rows)) => rows,
        other => panic!("{other:?}"),
    }
}

#[test]
fn every_axis_starts_from_one_point() {
    let asked = asked();
    let rows = rows(&asked);
    // Five routers: two patterns and two lengths, each at two loads, and at two loads of their own; half duplex alone
    // with three turnarounds, since without one both times are the same.
    assert_eq!(rows.len(), 5 * (2 + 2) * 2 + 3 * 2 + 5 * 2);
    let start: Vec<&DuplexRow> = rows
        .iter()
        .filter(|row| row.place.point == rows[0].place.point)
        .collect();
    let axes: Vec<&str> = start.iter().map(|row| row.place.axis).collect();
    assert_eq!(axes, ["pattern", "packet", "turnaround", "load"]);
    for row in &start {
        assert_eq!(row.accepted, rows[0].accepted);
    }
}

/// Packets of as many bits at as many bits per cycle: what is offered arrives, in wide words, whatever the width.
#[test]
fn loads_are_in_wide_words() {
    let rows = rows(&Duplex {
        axes: vec!["load".into()],
        ..asked()
    });
    for row in &rows {
        let run = &row.place.point;
        let words = if run.contender.is_half() { 20 } else { 40 };
        assert_eq!(run.own_words(), words);
        let offered = run.configured_load();
        let close = (row.accepted.mean / offered - 1.0).abs() < 0.1;
        assert!(close, "{row:?}");
        // The mean of a wire is that of what it carries, both ways: 2 wires a node of half duplex, 4 of half the width
        // of full duplex. With 2.13 hops for each word (4 x 4 torus), as many of both are in use.
        if run.contender.name.starts_with("chaos") {
            let used = offered * 32.0 / 15.0 / 2.0;
            assert!((row.utilisation.mean / used - 1.0).abs() < 0.1, "{row:?}");
        }
    }
}

/// Tornado sends all words one way round: of two wires one idles, and a wide one carries twice as much.
#[test]
fn a_wire_for_both_directions_carries_twice_the_tornado() {
    let rows = rows(&Duplex {
        axes: vec!["pattern".into()],
        side: 8,
        low_load: 0.02,
        cycles: 4000,
        patterns: vec!["tornado".into()],
        ..asked()
    });
    let most = |name: &str| {
        let own = |row: &&DuplexRow| row.place.point.contender.name == name;
        let overload = rows
            .iter()
            .filter(own)
            .find(|row| row.place.point.load.is_none());
        overload.unwrap().accepted.mean
    };
    let ratio = most("chaos, half duplex") / most("chaos, full duplex");
    assert!((1.5..=2.2).contains(&ratio), "{ratio}");
}

#[test]
fn the_claim_is_judged_by_intervals() {
    let asked = asked();
    let mut rows = rows(&asked);
    let text = asked.text(&rows);
    for say in [
        "torus of 4 x 4",
        "WORM-BLESS",
        "It holds for ",
        "0, decided on again after 1",
        "2, decided on again after 3",
    ] {
        assert!(text.contains(say), "{say}: {text}");
    }
    let names: Vec<String> = asked.figures(&rows).into_iter().map(|it| it.0).collect();
    let expected = ["packet", "turnaround", "load"].map(|axis| format!("duplex-{axis}.svg"));
    assert_eq!(names, expected);
    assert!(names.iter().all(|name| asked.owns(name)));
    // Half duplex against full duplex, first pattern: rows 0 and 2 at the low load, 1 and 3 at overload.
    let mut verdict = |latency: [f64; 3], accepted: [f64; 3]| {
        rows[0].latency_by_seed = latency.map(Some).to_vec();
        rows[2].latency_by_seed = vec![Some(100.0); 3];
        rows[1].accepted_by_seed = accepted.to_vec();
        rows[3].accepted_by_seed = vec![0.2; 3];
        let text = asked.text(&rows);
        let claim = text.split("seed by seed").nth(1).unwrap().to_owned();
        let line = claim.lines().find(|line| line.contains("uniform"));
        line.unwrap().split_whitespace().last().unwrap().to_owned()
    };
    let (less, more) = ([80.0, 81.0, 82.0], [0.30, 0.31, 0.32]);
    assert_eq!(verdict(less, more), "yes");
    assert_eq!(verdict([120.0, 121.0, 122.0], more), "latency");
    assert_eq!(verdict(less, [0.1, 0.11, 0.12]), "throughput");
    assert_eq!(verdict([80.0, 100.0, 125.0], more), "distinguishable");
    assert_eq!(verdict([120.0, 121.0, 122.0], [0.1, 0.11, 0.12]), "neither");
}

/// If the user stops before half duplex has run at overload, neither of its rows is left: its row at the low load says nothing of overload.
#[test]
fn pairs_of_loads_are_left_out_together() {
    let asked = Duplex {
        axes: vec!["pattern".into()],
        patterns: vec!["uniform".into()],
        ..asked()
    };
    let places = places(&asked).unwrap();
    assert_eq!(places.len(), 5 * 2);
    let row = |place: &Place| {
        let is_missing = place.point.contender.is_half() && place.point.load.is_none();
        (!is_missing).then_some(place.point.contender.name)
    };
    let Ran::AsFar(names) = rows_of(&places, text::is_pair, row) else {
        panic!("all but one are done")
    };
    assert_eq!(names.len(), 4 * 2);
    assert!(!names.contains(&"chaos, half duplex"), "{names:?}");
}

#[test]
fn what_makes_no_sense_is_refused_before_anything_runs() {
    let refused = |change: fn(&mut Duplex)| {
        let mut asked = asked();
        change(&mut asked);
        match asked.run(&mut Silent::new(0)) {
            Err(Failed::BadInput(why)) => why,
            other => panic!("{other:?}"),
        }
    };
    let axes = refused(|asked| asked.axes = vec!["width".into()]);
    assert!(axes.starts_with("--axes: found \"width\"; allowed: pattern, "));
    let loads = refused(|asked| asked.loads = vec![0.2, 0.1]);
    assert!(loads.starts_with("--loads"), "{loads}");
    let pattern = refused(|asked| asked.patterns = vec!["nothing".into()]);
    assert!(pattern.contains("nothing"), "{pattern}");
    assert_eq!(wide_load("0.5"), Ok(0.5));
    assert!(wide_load("0.6").is_err() && wide_load("0").is_err());
}

/// Four channels of a packet, or as many as are asked for of so many words, of the router's own width: 8 x 20 words are 160, as are 4 x 40.
#[test]
fn wormhole_buffers_are_as_asked_for() {
    let text = |asked: &Duplex| {
        let places = places(asked).unwrap();
        let adaptive = |place: &&Place| place.point.contender.name == "wormhole, adaptive";
        let place = places.iter().find(adaptive).unwrap();
        let catalogue = Catalogue::default();
        place
            .point
            .resolve(asked, &catalogue, 1, &[])
            .unwrap()
            .to_toml()
    };
    let asked = Duplex {
        packet_words: vec![20],
        ..asked()
    };
    let usual = text(&asked);
    assert!(usual.contains("vcs = 4\nbuffer_words = 40"), "{usual}");
    let more = text(&Duplex {
        vcs: 8,
        buffer_words: Some(20),
        ..asked
    });
    assert!(more.contains("vcs = 8\nbuffer_words = 20"), "{more}");
}

/// Seeds are served differently; the table of runs has each seed's own, and the text that of the overload.
#[test]
fn who_is_served_is_of_each_seed_and_of_the_overload() {
    let asked = Duplex {
        axes: vec!["pattern".into()],
        patterns: vec!["uniform".into()],
        ..asked()
    };
    let rows = rows(&asked);
    let is_overload = |row: &DuplexRow| row.place.point.load.is_none();
    for row in rows.iter().filter(|row| is_overload(row)) {
        assert!(
            row.served.len() == 3 && row.served[0] != row.served[2],
            "{row:?}"
        );
    }
    let text = asked.text(&rows);
    let with = |overload: bool, seed: usize| {
        let mut rows = rows.clone();
        let mut own = rows.iter_mut().filter(|row| is_overload(row) == overload);
        own.next().unwrap().served[seed].worst_source = Some(0.01234);
        let table = asked.details(&rows).remove(0).text();
        let lines: Vec<usize> = table
            .lines()
            .enumerate()
            .filter(|it| it.1.contains("0.01234"))
            .map(|it| it.0)
            .collect();
        (lines, asked.text(&rows) == text)
    };
    // Below the head, the first router's low load with three seeds, and its overload.
    assert_eq!(with(false, 2), (vec![3], true));
    assert_eq!(with(true, 2), (vec![6], false));
}
