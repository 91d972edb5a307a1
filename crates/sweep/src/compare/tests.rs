use super::*;
use crate::plan::tests::{SMALL, base};
use flitwork_config::Override;

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
        measure: measure.parse().unwrap(),
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
    assert!(comparison_text(&latency).contains("B is not steady in 4 of 4 runs"));
    let accepted = found(&asked(long(&[]), overload, "accepted"));
    assert_eq!(accepted.verdict, Verdict::BBetter);
    let silent = found(&asked(long(&[("traffic.load", "0")]), long(&[]), "hops"));
    assert_eq!(silent.verdict, Verdict::NotComparable);
}

/// In so few cycles some runs are called unsteady by chance. They are counted and reported, and are no obstacle as long
/// as they are fewer than half.
#[test]
fn a_few_unsteady_runs_are_no_obstacle() {
    let short = [("run.measure_cycles", "5000"), ("run.warmup_cycles", "500")];
    let hardly = [&short[..], &[("router.chaos.stall_threshold_cycles", "8")]].concat();
    for measure in ["latency", "p99", "network-latency"] {
        let found = found(&asked(with(&short), with(&hardly), measure));
        let [a, b] = found.not_steady;
        let pairs = found.pairs.len() as u32;
        assert!(a + b > 0 && 2 * a.max(b) < pairs, "{a}, {b} of {pairs}");
        assert!(
            found.verdict != Verdict::NotComparable,
            "{}",
            comparison_text(&found)
        );
        let whole = |pair: &Pair| pair.a.is_some() && pair.b.is_some();
        assert!(found.pairs.iter().all(whole));
        let reasons = |reason: fn(&Pair) -> &Option<String>| {
            let runs = found.pairs.iter().map(reason);
            runs.flatten().count() as u32
        };
        assert_eq!(
            [reasons(|it| &it.reason_a), reasons(|it| &it.reason_b)],
            [a, b]
        );
        assert_eq!(found.analyses.last().unwrap().pairs, pairs);
    }
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
