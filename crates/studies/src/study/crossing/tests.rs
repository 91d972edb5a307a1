use super::*;
use crate::context::tests::{self, Silent};

fn asked(line: &str) -> Crossing {
    tests::asked(&ENTRY, line)
}

fn rows(line: &str) -> Vec<CrossingRow> {
    tests::whole_rows(&asked(line))
}

/// Packets of 10 words, every 14 cycles: with two edges at each end the round trip takes 7 cycles instead of 2, so 19 of a link's cycles for
/// 14, and with none 3, so 15 for 14 (docs/src/studies/asynchrony.md). Links of 3 and 4 cycles have round trips of 6 and 8.
#[test]
fn round_trips_by_hand() {
    let places = places(&asked(
        "--axes edges --edges 2,0 --routers chaos,flit-bless",
    ))
    .unwrap();
    let predicted: Vec<Option<f64>> = places.iter().map(|it| it.point.predicted()).collect();
    assert_eq!(predicted, [Some(1.0 / 15.0), None, Some(5.0 / 19.0), None]);
    let lengths = |place: usize| places[place].point.longer().map(|it| it.to_string());
    for (place, cycles) in [(0, [1, 2]), (2, [3, 4])] {
        for (name, cycles) in lengths(place).iter().zip(cycles) {
            assert!(
                name.ends_with(&format!("one clock, links of {cycles}, overload")),
                "{name}"
            );
        }
    }
}

fn seen(seed: u64, accepted: f64, latency: f64, hops: f64) -> Seen {
    Seen {
        seed,
        accepted: Some(accepted),
        latency: Some(latency),
        hops: Some(hops),
        is_steady: true,
        ..Seen::default()
    }
}

/// 0.3 for 0.4 is a quarter less. Of 0.4, links just shorter leave 0.35 and just longer 0.25: 0.3 between them, a quarter less too. At the low
/// load 50 cycles for 40 over 5 hops are 2 a hop.
#[test]
fn losses_by_hand() {
    let place = places(&asked("--axes edges --routers chaos")).unwrap();
    let one = |accepted, latency| vec![seen(1, accepted, latency, 5.0)];
    let row = CrossingRow {
        place: place[0].clone(),
        crossed: [one(0.3, 900.0), one(0.02, 50.0)],
        one_clock: [one(0.4, 800.0), one(0.02, 40.0)],
        longer: [one(0.35, 0.0), one(0.25, 0.0)],
    };
    let near = |of: Option<Estimate>, value: f64| (of.unwrap().mean - value).abs() < 1e-12;
    assert!(near(row.lost(), 0.25));
    assert!(near(row.lost_by_length(), 0.25));
    assert!(near(row.added_per_hop(), 2.0));
    let runs = &asked("").details(std::slice::from_ref(&row))[0];
    let runs = serde_json::to_value(runs).unwrap();
    let runs = runs.as_array().unwrap().iter();
    let accepted = runs.map(|run| (&run["run"], &run["accepted_load_words_per_node_cycle"]));
    let accepted: Vec<(&str, f64)> = accepted
        .map(|(name, it)| (name.as_str().unwrap(), it.as_f64().unwrap()))
        .collect();
    let expected = [
        ("crossing, overload", 0.3),
        ("crossing, low load", 0.02),
        ("one clock, overload", 0.4),
        ("one clock, low load", 0.02),
        ("shorter round trip, overload", 0.35),
        ("longer round trip, overload", 0.25),
    ];
    assert_eq!(accepted, expected);
}

/// A lone packet's hop takes longer by half a cycle, on average over phases, and by the edges.
#[test]
fn a_hop_costs_half_a_cycle_and_the_edges() {
    let line = "--axes edges --edges 0,3 --routers chaos,dimension-order --sides 4 --cycles 4000 --seeds 4 --low-load 0.005";
    for row in rows(line) {
        let expected = 0.5 + f64::from(row.place.point.edges().unwrap());
        let added = row.added_per_hop().unwrap();
        assert!(
            (added.mean - expected).abs() < 0.2,
            "{}: {added}",
            row.place.point
        );
        // A run and its twins have the same packets.
        assert_eq!(row.crossed[0][0].offered, row.one_clock[0][0].offered);
        assert_eq!(row.crossed[0].len(), 4);
    }
}

#[test]
fn each_kind_has_its_table() {
    let texts = |line: &str| -> Vec<String> {
        let asked = asked(line);
        let resolve = |place: Place| place.point.resolve(&asked, &Catalogue::default(), 1, &[]);
        let places = places(&asked).unwrap().into_iter();
        places
            .map(|place| resolve(place).unwrap().to_toml())
            .collect()
    };
    let says = [
        "kind = \"synchronizer\"\nedges = 3",
        "kind = \"dual-clock-fifo\"",
        "kind = \"mesochronous\"",
        "kind = \"pausible\"",
    ];
    let all = texts("--axes kind --routers flit-bless --edges 3");
    assert_eq!(all.len(), 4);
    for (text, says) in all.iter().zip(says) {
        assert!(
            text.contains(says) && text.contains("phase = \"random\""),
            "{text}"
        );
    }
    let unequal = texts("--axes kind --routers flit-bless --kinds pausible --spread 2");
    assert!(unequal[0].contains("spread_percent = 2"), "{}", unequal[0]);
}

#[test]
fn what_nothing_reads_is_refused() {
    let refused = |line: &str| match asked(line).run(&mut Silent::new(0)) {
        Err(Failed::BadInput(why)) => why,
        other => panic!("{line}: {other:?}"),
    };
    assert!(refused("--spread 1").contains("have one period"));
    assert!(refused("--kinds x").contains("allowed: synchronizer, dual-clock-fifo"));
    assert!(refused("--routers x").contains("allowed: chaos, adaptive"));
    assert!(refused("--axes x").contains("allowed: packet, edges"));
    assert!(refused("--set network.crossings=[]").contains("sets this key itself"));
    let axes = |line: &str| asked(line).refuse_unread(&["axes".into()]);
    assert!(axes("--axes buffer --routers chaos").is_err());
    assert!(axes("--axes buffer --routers adaptive").is_ok());
    let unread = |given: &str| asked("--axes packet").refuse_unread(&[given.into()]);
    assert!(unread("buffer-words").is_err() && unread("kinds").is_err() && unread("edges").is_ok());
}

/// A buffer holds a packet, however long that is, and latency is that of the load that is asked for.
#[test]
fn buffers_and_loads_are_those_of_their_places() {
    let asked =
        asked("--axes packet --packet-words 10,5 --routers dimension-order --low-load 0.05");
    let places = places(&asked).unwrap();
    for (place, words) in places.iter().zip([5, 10]) {
        for (run, load) in place.point.at_both_loads().iter().zip(["1", "0.05"]) {
            let text = run.resolve(&asked, &Catalogue::default(), 1, &[]);
            let text = text.unwrap().to_toml();
            for key in [
                format!("packet_words = {words}"),
                format!("buffer_words = {words}"),
                format!("load = {load}"),
            ] {
                let has = |line: &str| line.strip_suffix(".0").unwrap_or(line) == key;
                assert!(text.lines().any(has), "{key}: {text}");
            }
        }
    }
    assert_eq!(places.len(), 2);
}
