use super::*;
use crate::plan::tests::base;

fn asked(low: &str, high: &str, seeds: u32) -> Saturate {
    let mut base = base();
    base.set = vec![
        Override::new("run.measure_cycles", "3000"),
        Override::new("run.warmup_cycles", "500"),
    ];
    Saturate {
        base,
        seeds,
        tolerance: "0.02".parse().unwrap(),
        low: low.parse().unwrap(),
        high: high.parse().unwrap(),
        criterion: Criterion::Steady,
        jobs: 2,
    }
}

fn found(asked: &Saturate) -> Saturation {
    saturate(asked, &mut |_, _| ControlFlow::Continue(())).unwrap()
}

#[test]
fn a_mesh_saturates_between_neighbours_of_the_grid() {
    let search = asked("0.02", "1", 3);
    let found = found(&search);
    let (below, above) = (
        found.unsaturated_load.unwrap(),
        found.saturated_load.unwrap(),
    );
    assert!((above - below - 0.02).abs() < 1e-9);
    // The bisection of a 4 x 4 mesh under uniform traffic: 8 of 15 destinations lie beyond it, and 8 links
    // cross it in both directions for 16 nodes, so no more than 0.94 words per node and cycle can.
    assert!((0.1..0.94).contains(&below), "{below}");
    // From the seeds' own brackets: the mean of their middles, Student's t with 2 degrees of freedom (4.303,
    // NIST/SEMATECH e-Handbook, section 1.3.6.7.2), and half a step of 0.02.
    let middles: Vec<f64> = found
        .seeds
        .iter()
        .map(|it| (it.unsaturated_load.unwrap() + it.saturated_load.unwrap()) / 2.0)
        .collect();
    let mean = middles.iter().sum::<f64>() / 3.0;
    let variance = middles.iter().map(|it| (it - mean).powi(2)).sum::<f64>() / 2.0;
    let half = 4.303 * (variance / 3.0).sqrt() + 0.01;
    assert!((found.load.unwrap() - mean).abs() < 1e-9);
    let [lower, upper] = found.interval.unwrap();
    assert!((lower - (mean - half)).abs() < 1e-4 && (upper - (mean + half)).abs() < 1e-4);
    // Uniform traffic has no silent source: the offered load is the configured load, but for chance.
    let offered = found.offered_load.unwrap();
    assert!((offered - mean).abs() < 0.02, "{offered} {mean}");
    for of_seed in &found.seeds {
        assert!(of_seed.done);
        // Both ends, and 49 steps between them are halved 6 times.
        assert!(of_seed.tried.len() <= 8);
        let accepted = of_seed.accepted.unwrap();
        assert!(
            (accepted - of_seed.unsaturated_load.unwrap()).abs() < 0.1,
            "{accepted}"
        );
    }
    let again = saturate(&Saturate { jobs: 1, ..search }, &mut |_, _| {
        ControlFlow::Continue(())
    })
    .unwrap();
    assert_eq!(again, found);
}

/// At 94 % of saturation latency wanders for thousands of cycles. That isn't saturation, however often it is repeated.
#[test]
fn noise_is_no_saturation() {
    let mut search = asked("0.3", "0.36", 1);
    search
        .base
        .set
        .push(Override::new("router.chaos.packet_words", "4"));
    for seed in 1..=8 {
        let resolve = |over: &[Override]| search.resolve("0.3", Some(seed), over);
        let tried = tried::try_load(Criterion::Steady, (0.3, None), resolve, || {
            ControlFlow::Continue(())
        });
        let tried = tried.unwrap().unwrap();
        assert!(!tried.saturated, "{seed}: {:?}", tried.reason);
    }
}

/// In a network with switches loads are of terminals, and the text says so, as that of a run does.
#[test]
fn loads_of_a_network_with_switches_are_of_terminals() {
    let plain = found(&asked("0.02", "0.04", 1));
    let text = saturation_text(&plain);
    assert!(
        text.contains("words/node/cycle") && !text.contains("terminal"),
        "{text}"
    );
    let switched = saturation_text(&Saturation {
        counts_terminals: true,
        ..plain
    });
    assert_eq!(
        switched,
        text.replace("words/node/cycle", "words/terminal/cycle")
    );
}

#[test]
fn never_and_always_are_answers() {
    let never = found(&asked("0.02", "0.1", 2));
    assert_eq!(
        (never.unsaturated_load, never.saturated_load),
        (Some(0.1), None)
    );
    assert!(never.interval.is_none());
    assert!(saturation_text(&never).contains("never saturated        up to load 0.1"));
    let always = found(&asked("0.98", "1", 2));
    assert_eq!(
        (always.unsaturated_load, always.saturated_load),
        (None, Some(0.98))
    );
    assert!(saturation_text(&always).contains("always saturated       from load 0.98 on"));
}

/// Latency grows with load, so a greater factor is reached at a higher load, and a factor that is never reached leaves
/// overload.
#[test]
fn the_criterion_of_latency_is_ordered_by_its_factor() {
    let at = |factor| {
        found(&Saturate {
            criterion: Criterion::Latency(factor),
            ..asked("0.02", "1", 1)
        })
    };
    let (little, much, endless) = (at(1.5), at(3.0), at(1e9));
    assert!(little.load < much.load, "{:?} {:?}", little.load, much.load);
    assert!(much.load <= endless.load && endless.load.is_some());
}

/// Nodes with clocks of their own are judged by latencies in ps, which the loads that were tried show beside those in
/// cycles. Under equal clocks of 1,500 ps these are cycles times 1,500, and the search ends where that of one clock does.
#[test]
fn the_criterion_of_latency_is_in_ps_under_clocks() {
    let at = |engine| {
        let mut asked = asked("0.02", "1", 1);
        asked.criterion = Criterion::Latency(1.5);
        let set = &mut asked.base.set;
        set.push(Override::new("run.engine", engine));
        if engine == "clocked" {
            set.push(Override::new("clocks.period_ps", "1500"));
        }
        found(&asked)
    };
    let (one, clocked) = (at("sync"), at("clocked"));
    assert!(one.load.is_some() && one.load == clocked.load);
    let said = |found: &Saturation, unit: &str| {
        let tried = found.seeds[0].tried.iter();
        let reasons = tried.filter_map(|it| it.reason.as_ref());
        reasons
            .filter(|it| it.contains(&format!(" {unit}, ")))
            .count()
    };
    assert!(said(&one, "cycles") > 0 && said(&one, "ps") == 0);
    assert!(said(&clocked, "ps") > 0 && said(&clocked, "cycles") == 0);
    let near = |a: f64, b: f64| (a / b - 1.0).abs() < 1e-9;
    let mut shown = 0;
    for (one, clocked) in one.seeds[0].tried.iter().zip(&clocked.seeds[0].tried) {
        for name in ["latency_mean", "latency_half_width"] {
            let [cycles, ps] = ["cycles", "ps"].map(|unit| format!("{name}_{unit}"));
            let expected = one.figures.number(&cycles);
            assert_eq!(clocked.figures.number(&cycles), expected);
            assert_eq!(one.figures.number(&ps), None);
            match (clocked.figures.number(&ps), expected) {
                (Some(ps), Some(cycles)) => assert!(near(ps, 1500.0 * cycles), "{ps} {cycles}"),
                (ps, cycles) => assert_eq!(ps, cycles),
            }
            shown += u32::from(expected.is_some());
        }
    }
    assert!(shown > 4, "{shown}");
    let columns = format!("{:?}", clocked.found().tables[1]);
    for column in ["latency_mean_ps", "latency_half_width_ps"] {
        assert!(columns.contains(column), "{column}");
    }
}

#[test]
fn a_search_that_is_broken_off_gives_what_there_is() {
    let broken = saturate(&asked("0.02", "1", 2), &mut |done, _| match done {
        0..3 => ControlFlow::Continue(()),
        _ => ControlFlow::Break(()),
    });
    let broken = broken.unwrap();
    assert!(broken.partial);
    assert!(saturation_text(&broken).contains("PARTIAL"));
}

#[test]
fn grids_that_make_no_sense_are_refused() {
    for (low, high, tolerance) in [
        ("0.5", "0.5", "0.1"),
        ("0.5", "0.1", "0.1"),
        ("0", "1", "0.1"),
        ("0.1", "1.1", "0.1"),
        ("0.1", "1", "0"),
        ("0.1", "1", "-0.1"),
        ("0.1", "1", "0.00000001"),
    ] {
        let search = Saturate {
            tolerance: tolerance.parse().unwrap(),
            ..asked(low, high, 1)
        };
        let error = saturate(&search, &mut |_, _| ControlFlow::Continue(()))
            .unwrap_err()
            .to_string();
        assert!(error.contains("allowed: "), "{error}");
    }
    // A shorter last step counts as a step.
    let odd = Saturate {
        tolerance: "0.3".parse().unwrap(),
        ..asked("0.2", "1", 1)
    };
    assert_eq!(Grid::of(&odd).unwrap().texts, ["0.2", "0.5", "0.8", "1"]);
}

/// A seed's largest unsaturated load and its smallest saturated one.
type Bracket = (Option<f64>, Option<f64>);

fn bracketed((unsaturated_load, saturated_load): Bracket, done: bool) -> SeedOutcome {
    SeedOutcome {
        seed: 1,
        unsaturated_load,
        saturated_load,
        unsaturated_offered: unsaturated_load,
        saturated_offered: saturated_load,
        accepted: unsaturated_load,
        done,
        tried: Vec::new(),
    }
}

/// The median by counts: 5 seeds need 3, 4 need 3.
#[test]
fn most_seeds_decide() {
    let all = |seeds: &[Bracket]| {
        let seeds = seeds.iter().map(|seed| bracketed(*seed, true));
        majority(&seeds.collect::<Vec<_>>())
    };
    let five = [
        (Some(0.04), Some(0.06)),
        (Some(0.06), Some(0.08)),
        (Some(0.08), Some(0.1)),
        (Some(0.1), Some(0.12)),
        (Some(0.12), Some(0.14)),
    ];
    assert_eq!(all(&five), (Some(0.08), Some(0.1)));
    assert_eq!(all(&five[..4]), (Some(0.06), Some(0.08)));
    let always = (None, Some(0.02));
    assert_eq!(all(&[always, always, five[3]]), (None, Some(0.02)));
    assert_eq!(all(&[(Some(0.2), None)]), (Some(0.2), None));
    // Saturated at the lowest load and not at the highest: it counts as unsaturated up to that.
    assert_eq!(all(&[(Some(0.2), Some(0.02))]), (Some(0.2), None));
    assert_eq!(all(&[]), (None, None));
}

/// Two seeds that were tried at both ends of the grid, when the search was interrupted: these ends are all that is known.
/// There is no load between them that could be the result, and nothing that an interval could be of.
#[test]
fn an_interrupted_search_reports_only_loads_that_were_tried() {
    let search = asked("0.02", "1", 2);
    let grid = Grid::of(&search).unwrap();
    let first = search.resolve("0.02", None, &[]).unwrap();
    let interrupted = |brackets: [Bracket; 2]| {
        let seeds = brackets.map(|seed| bracketed(seed, false)).to_vec();
        conclude(&search, &grid, seeds, (true, &first))
    };
    let found = interrupted([(Some(0.02), Some(1.0)); 2]);
    assert_eq!(
        (found.unsaturated_load, found.saturated_load),
        (Some(0.02), Some(1.0))
    );
    assert_eq!((found.load, found.interval), (None, None));
    assert_eq!((found.offered_load, found.offered_interval), (None, None));
    assert!(found.accepted_at_saturation.is_none());
    let text = saturation_text(&found);
    for says in [
        "PARTIAL",
        "saturated from         1 words/node/cycle",
        "saturation load        not known: 2 of 2 seeds' searches aren't done",
    ] {
        assert!(text.contains(says), "{says}: {text}");
    }
    assert!(!text.contains("95 %"), "{text}");
    // The lowest load was tried, and then nothing, or not even that.
    for seed in [(Some(0.02), None), (None, None)] {
        let found = interrupted([seed; 2]);
        assert_eq!((found.unsaturated_load, found.saturated_load), seed);
        let text = saturation_text(&found);
        assert!(
            !text.contains("never saturated") && !text.contains("always saturated"),
            "{text}"
        );
    }
}

/// A run of so few cycles that some seeds' latencies seem to drift, though the network is far from saturation.
fn short(seed: u64) -> Saturate {
    let mut asked = asked("0.02", "1", 1);
    asked.base.set = vec![
        Override::new("run.measure_cycles", "1500"),
        Override::new("run.warmup_cycles", "0"),
        base::seed_override(seed),
    ];
    asked
}

#[test]
fn drifting_latency_is_measured_for_longer_and_is_not_saturation() {
    let at = |seed, load: &str, longer: bool| {
        let asked = short(seed);
        let resolve = |over: &[Override]| match longer || over.is_empty() {
            true => asked.resolve(load, None, over),
            false => Err(Error::BadValue("no longer run fits".into())),
        };
        let flow = || ControlFlow::Continue(());
        let load = load.parse().unwrap();
        tried::try_load(Criterion::Steady, (load, None), resolve, flow)
            .unwrap()
            .unwrap()
    };
    let mut lengthened = 0;
    for seed in 1..=60 {
        let (once, tried) = (at(seed, "0.25", false), at(seed, "0.25", true));
        // Far from full: 16 nodes at 0.25, and 8 of 15 words cross a bisection of 8 links, so 0.27 words
        // per link and cycle.
        assert!(!tried.saturated, "seed {seed}: {tried:?}");
        assert_eq!(once.times_the_cycles, 1);
        // Runs are extended exactly where the verdict may be due to chance.
        assert_eq!(
            tried.times_the_cycles > 1,
            once.reason.is_some(),
            "seed {seed}"
        );
        assert_eq!(tried.runs() > 1, once.reason.is_some());
        lengthened += u32::from(once.reason.is_some());
        // Overload needs no second look.
        let full = at(seed, "1", true);
        assert!(full.saturated && full.times_the_cycles == 1, "{full:?}");
    }
    assert!(lengthened > 0);
}

/// Two seeds, saturated between 0.30 and 0.32 and between 0.34 and 0.36; sources offer nine tenths of these loads.
#[test]
fn the_interval_covers_the_seeds_and_half_a_step() {
    let of_seed = |seed, low: f64| SeedOutcome {
        seed,
        unsaturated_load: Some(low),
        saturated_load: Some(low + 0.02),
        unsaturated_offered: Some(0.9 * low),
        saturated_offered: Some(0.9 * (low + 0.02)),
        accepted: None,
        done: true,
        tried: Vec::new(),
    };
    let ends = |it: &SeedOutcome| Some((it.unsaturated_load?, it.saturated_load?));
    let near = |found: (f64, [f64; 2]), load: f64, half: f64| {
        assert!((found.0 - load).abs() < 1e-9, "{found:?}");
        let [lower, upper] = found.1;
        assert!((lower - (load - half)).abs() < 1e-4, "{found:?}, {half}");
        assert!((upper - (load + half)).abs() < 1e-4, "{found:?}, {half}");
    };
    // One seed: just half of the step of 0.02.
    near(middle(&[of_seed(1, 0.3)], ends).unwrap(), 0.31, 0.01);
    // The middles are 0.31 and 0.35: mean 0.33, variance 0.0008, and t with one degree of freedom is 12.706:
    // 12.706 * sqrt(0.0008 / 2) = 0.25412, and 0.01.
    let both = [of_seed(1, 0.3), of_seed(2, 0.34)];
    near(middle(&both, ends).unwrap(), 0.33, 0.26412);
    // No load is below 0 or above 1: 0.03 and 0.21 are far apart for two seeds, and so are 0.79 and 0.97.
    for (lows, mean) in [([0.02, 0.2], 0.12), ([0.78, 0.96], 0.88)] {
        let apart = lows.map(|low| of_seed(1, low));
        let (load, interval) = middle(&apart, ends).unwrap();
        assert!((load - mean).abs() < 1e-9, "{load}");
        assert_eq!(interval, [0.0, 1.0]);
    }
    // Nine tenths of all that.
    let offered = |it: &SeedOutcome| Some((it.unsaturated_offered?, it.saturated_offered?));
    near(middle(&both, offered).unwrap(), 0.297, 0.9 * 0.26412);
    let open = [
        of_seed(1, 0.3),
        SeedOutcome {
            saturated_load: None,
            ..of_seed(2, 0.3)
        },
    ];
    assert!(middle(&open, ends).is_none() && middle(&[], ends).is_none());
}

/// Under transpose the diagonal is silent: twelve of 4 x 4 nodes offer traffic, so three quarters of the configured
/// load.
#[test]
fn what_is_offered_at_saturation_is_measured() {
    let mut search = asked("0.02", "1", 2);
    search
        .base
        .set
        .push(Override::new("traffic.pattern", "transpose"));
    let found = found(&search);
    let (configured, offered) = (found.load.unwrap(), found.offered_load.unwrap());
    assert!(
        (offered / configured - 0.75).abs() < 0.03,
        "{offered} of {configured}"
    );
    let text = saturation_text(&found);
    let said = format!("  offered there          {offered:.4}, between");
    assert!(text.contains(&said), "{text}");
}
