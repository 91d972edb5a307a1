use super::*;
use crate::figures::Figures;
use crate::journal::tests::row;
use crate::plan::tests::{SMALL, base};
use flitwork_report::Cell;

fn with(set: &[(&str, &str)]) -> Base {
    let mut base = base();
    base.set = set
        .iter()
        .map(|(key, value)| Override::new(key, value))
        .collect();
    base
}

fn asked(a: Base, b: Base, measure: &str) -> Compare {
    Compare {
        a,
        b,
        measure: Some(measure.parse().unwrap()),
        most_pairs: 32,
        time: None,
        confidence: 0.95,
        jobs: 2,
    }
}

/// Runs long enough to be steady.
const LONG: [(&str, &str); 2] = [
    ("run.measure_cycles", "12000"),
    ("run.warmup_cycles", "500"),
];

fn long(more: &[(&str, &str)]) -> Base {
    with(&[&LONG, more].concat())
}

fn found(asked: &Compare) -> Comparison {
    compare(asked, &mut |_, _| ControlFlow::Continue(())).unwrap()
}

#[test]
fn slower_links_lose_under_the_same_packets() {
    let slow = long(&[("network.link_latency_cycles", "2")]);
    let ab = found(&asked(long(&[]), slow.clone(), "latency"));
    assert_eq!(ab.verdict, Verdict::ABetter, "{}", comparison_text(&ab));
    assert!(ab.same_packets, "{:?}", ab.packets_differ);
    assert!(ab.correlation.unwrap() > 0.5, "{:?}", ab.correlation);
    assert!(
        ab.variance_reduction.unwrap() > 1.5,
        "{:?}",
        ab.variance_reduction
    );
    assert_eq!(
        ab.analyses.len(),
        1,
        "so large a difference is found at once"
    );
    let ba = found(&asked(slow, long(&[]), "latency"));
    assert_eq!(ba.verdict, Verdict::BBetter);
    assert!((ba.analyses[0].difference + ab.analyses[0].difference).abs() < 1e-9);
}

#[test]
fn a_configuration_equals_itself_on_any_number_of_threads() {
    let mut asked = asked(long(&[]), long(&[("run.engine", "sync-plain")]), "p99");
    asked.most_pairs = 6;
    let first = found(&asked);
    assert_eq!((first.verdict, first.pairs.len()), (Verdict::Equal, 6));
    asked.jobs = 1;
    let second = found(&asked);
    assert_eq!(first.pairs, second.pairs);
}

#[test]
fn other_packets_are_reported() {
    let differ = |b: Base| {
        found(&Compare {
            most_pairs: 2,
            ..asked(long(&[]), b, "accepted")
        })
        .packets_differ
    };
    assert!(
        differ(long(&[("traffic.load", "0.12")]))
            .unwrap()
            .contains("packet 0 of node 0")
    );
    assert!(differ(long(&[("traffic.pattern", "transpose")])).is_some());
    assert!(
        differ(long(&[("network.sides", "[4, 5]")]))
            .unwrap()
            .contains("16 nodes and B has 20")
    );
    assert_eq!(differ(long(&[("network.topology", "torus")])), None);
    assert_eq!(differ(long(&[("run.measure_cycles", "9000")])), None);
}

#[test]
fn latency_of_an_overload_is_not_compared() {
    let overload = long(&[("traffic.load", "0.9")]);
    let latency = found(&asked(long(&[]), overload.clone(), "latency"));
    assert_eq!(latency.verdict, Verdict::NotComparable);
    assert_eq!(latency.not_steady[1], 4);
    let text = comparison_text(&latency);
    assert!(text.contains("B is not steady in 4 of 4 runs"), "{text}");
    assert!(text.contains("--measure accepted"), "{text}");
    let accepted = found(&asked(long(&[]), overload, "accepted"));
    assert_eq!(accepted.verdict, Verdict::BBetter);
    let silent = found(&asked(long(&[("traffic.load", "0")]), long(&[]), "hops"));
    assert_eq!(silent.verdict, Verdict::NotComparable);
}

/// Of four runs of B, two that aren't steady are an obstacle, and one isn't.
#[test]
fn half_of_the_runs_have_to_be_steady() {
    let found = found(&Compare {
        most_pairs: 2,
        ..asked(long(&[]), long(&[]), "latency")
    });
    let steady = row(1);
    let unsteady = Row {
        figures: Some(Figures::known(&[("steady", Cell::Truth(false))])),
        reason: Some("overload".into()),
        ..row(1)
    };
    for count in 0..=4 {
        let rows = [&steady; 4].into_iter().enumerate();
        let rows = rows.map(|(at, steady)| if at < count { &unsteady } else { steady });
        let pairs: Vec<(u64, [&Row; 2])> = (1..).zip(rows.map(|b| [&steady, b])).collect();
        let mut found = found.clone();
        found.take(pairs);
        let expected = format!("B is not steady in {count} of 4 runs (overload)");
        assert_eq!(
            found.reason == Some(expected),
            count >= 2,
            "{:?}",
            found.reason
        );
    }
}

/// A packet of four words in a mesh that saturates at a load of 0.32, at so much of that.
fn loaded(share: f64, more: &[(&str, &str)]) -> Base {
    let load = format!("{:.4}", 0.32 * share);
    let set = [
        ("router.chaos.packet_words", "4"),
        ("traffic.load", &*load),
        ("run.warmup_cycles", "2000"),
        ("run.measure_cycles", "6000"),
    ];
    with(&[&set, more].concat())
}

/// Close to saturation many windows are too short to tell whether a run was steady. They are counted and reported, and are
/// no obstacle: the seeds' differences have their own interval.
#[test]
fn windows_that_are_too_short_are_no_obstacle() {
    let slower = loaded(0.8125, &[("network.link_latency_cycles", "2")]);
    let found = found(&asked(loaded(0.8125, &[]), slower, "network-latency"));
    let text = comparison_text(&found);
    assert!(found.too_short[0] + found.too_short[1] > 0, "{text}");
    assert!(text.contains("not known"), "{text}");
    // How long the windows would have to be.
    assert!(text.contains("; measure for "), "{text}");
    assert_eq!(found.verdict, Verdict::ABetter, "{text}");
    let reasons = found
        .pairs
        .iter()
        .flat_map(|it| [&it.reason_a, &it.reason_b]);
    let counted = [found.not_steady, found.too_short].concat();
    assert_eq!(
        reasons.flatten().count() as u32,
        counted.iter().sum::<u32>()
    );
}

/// Comparisons of one configuration with itself, under other seeds in B than in A: how many claim a sign, and how many
/// compare nothing.
fn equals(share: f64, comparisons: u64, pairs: u32) -> (u64, u64) {
    let asked = Compare {
        most_pairs: pairs,
        ..asked(loaded(share, &[]), loaded(share, &[]), "latency")
    };
    let blank = Comparison {
        verdict: Verdict::NotDecided,
        analyses: Vec::new(),
        analysis_confidence: analyses::level(asked.confidence, analyses::planned(pairs).len()),
        reason: None,
        ..found(&Compare {
            most_pairs: 2,
            ..asked.clone()
        })
    };
    let run = |seed: u64| {
        let over = [base::seed_override(seed)];
        let resolved = asked.a.repeatable("a seed", &over).unwrap();
        let once = |_: &[Override]| Ok::<_, Error>(resolved.clone());
        let decided = run_patiently(once, false, || ControlFlow::Continue(()));
        Row::ran(0, &resolved, &decided.unwrap().unwrap())
    };
    let (mut claims, mut refused) = (0, 0);
    for comparison in 0..comparisons {
        let first = 1 + comparison * 2 * u64::from(pairs);
        let seeds: Vec<u64> = (first..).take(pairs as usize).collect();
        let rows: Vec<[Row; 2]> = seeds
            .iter()
            .map(|seed| [run(*seed), run(seed + u64::from(pairs))])
            .collect();
        let mut found = blank.clone();
        for number in analyses::planned(pairs) {
            let so_far = seeds.iter().zip(&rows).take(number as usize);
            found.take(so_far.map(|(seed, [a, b])| (*seed, [a, b])).collect());
            if found.analyse() {
                break;
            }
        }
        claims += u64::from(matches!(found.verdict, Verdict::ABetter | Verdict::BBetter));
        refused += u64::from(found.verdict == Verdict::NotComparable);
    }
    (claims, refused)
}

#[test]
fn equals_near_saturation_are_compared() {
    let (claims, refused) = equals(0.95, 4, 9);
    assert_eq!(refused, 0);
    assert!(claims <= 1, "{claims}");
}

/// At a confidence of 95 % one comparison of equals in twenty may claim a sign, and three standard deviations more; at
/// most one in ten may compare nothing.
#[test]
#[expect(clippy::print_stderr, reason = "a soak says what it found")]
#[ignore = "minutes: FLITWORK_SOAK_RUNS comparisons at each load, 200 where that isn't given"]
fn hundreds_of_equals_are_compared() {
    let given = std::env::var("FLITWORK_SOAK_RUNS").ok();
    let runs = given.map_or(200, |runs| runs.parse().unwrap());
    for share in [0.5, 0.9, 0.95] {
        let (claims, refused) = equals(share, runs, 14);
        eprintln!(
            "{share} of saturation, {runs} comparisons of equals: {claims} claim a sign, {refused} compare nothing"
        );
        let expected = 0.05 * runs as f64;
        assert!(claims as f64 <= expected + 3.0 * expected.sqrt());
        assert!(10 * refused <= runs);
    }
}

/// A schedule of packets leaves nothing to chance: all runs are the same, which is said in place of an interval.
#[test]
fn seeds_that_change_nothing_are_no_confidence() {
    let fixed = |more: &[(&str, &str)]| {
        let set = [
            ("traffic.process", "once"),
            ("traffic.pattern", "transpose"),
        ];
        let mut base = with(&[&set, more].concat());
        base.text = base
            .text
            .replace("load = 0.1\n", "")
            .replace("measure_cycles = 500\n", "")
            .replace("warmup_cycles = 100\n", "");
        base
    };
    let slow = fixed(&[("network.link_latency_cycles", "3")]);
    let mut request = asked(fixed(&[]), slow, "latency");
    let apart = found(&request);
    let text = comparison_text(&apart);
    assert!(apart.seeds_change_nothing, "{text}");
    assert_eq!((apart.verdict, apart.pairs.len()), (Verdict::ABetter, 4));
    assert!(
        text.contains("the seed has no effect here") && !text.contains(" % at each"),
        "{text}"
    );
    assert!(
        apart
            .means
            .unwrap()
            .iter()
            .all(|mean| mean.half_width.is_none())
    );
    assert_eq!(apart.analyses[0].interval, None);
    request.b = fixed(&[]);
    let equal = found(&request);
    assert_eq!((equal.verdict, equal.pairs.len()), (Verdict::Equal, 4));
    assert!(!found(&asked(long(&[]), long(&[]), "latency")).seeds_change_nothing);
}

#[test]
fn budgets_and_interruptions_end_it() {
    let hardly = |time, stop: u32| {
        let b = long(&[("router.chaos.multiqueue_frames", "4")]);
        let asked = Compare {
            time,
            ..asked(long(&[]), b, "latency")
        };
        compare(&asked, &mut |done, _| {
            if done < stop {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            }
        })
        .unwrap()
    };
    let out_of_time = hardly(Some(Duration::ZERO), 1000);
    assert_ne!(out_of_time.verdict, Verdict::Interrupted);
    assert!(out_of_time.pairs.len() < 32);
    let interrupted = hardly(None, 9);
    assert!(interrupted.pairs.len() < 32);
    assert!(
        [Verdict::Interrupted, Verdict::ABetter, Verdict::BBetter].contains(&interrupted.verdict)
    );
    assert!(comparison_text(&interrupted).contains("verdict"));
}

#[test]
fn a_refusal_names_its_configuration() {
    let mut wrong = base();
    wrong.name = "wrong.toml".into();
    wrong.text = SMALL.replace("[4, 4]", "[0, 4]");
    let error = compare(&asked(long(&[]), wrong, "latency"), &mut |_, _| {
        ControlFlow::Continue(())
    });
    let error = error.unwrap_err().to_string();
    assert!(error.contains("wrong.toml:3"), "{error}");
}

/// Derived by hand: the deviations of (1, 2), (2, 4), (3, 6) are multiples of each other, so the correlation is 1; the
/// variances are 1 and 4, and that of the difference is 1, so that (1 + 4) / 1 = 5.
#[test]
fn likeness_is_what_the_formulas_say() {
    let (correlation, reduction) = alike(&[(1.0, 2.0), (2.0, 4.0), (3.0, 6.0)]);
    assert!((correlation.unwrap() - 1.0).abs() < 1e-12);
    assert!((reduction.unwrap() - 5.0).abs() < 1e-12);
    assert_eq!(alike(&[(1.0, 1.0), (1.0, 1.0)]), (None, None));
    assert_eq!(alike(&[(1.0, 2.0)]), (None, None));
}
